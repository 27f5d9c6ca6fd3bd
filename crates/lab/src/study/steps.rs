//! Progress of a study, in steps: a line on stderr where that is a terminal that redraws it.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use nearmiss_cli::progress::is_redrawn;

const TEMPLATE: &str = "{msg:>14} {percent:>3}% {pos:>6}/{len:<6} {eta:>4} left";

/// A bar that counts steps.
pub(crate) struct Steps(ProgressBar);

impl Steps {
    /// A bar over `steps` steps of `act`, unless `is_quiet` or stderr redraws no line.
    pub(crate) fn new(act: &'static str, steps: u64, is_quiet: bool) -> Steps {
        if is_quiet || !is_redrawn() {
            return Steps(ProgressBar::hidden());
        }
        let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        bar.set_message(act);
        Steps(bar)
    }

    /// A bar that is never drawn.
    #[cfg(test)]
    pub(crate) fn hidden() -> Steps {
        Steps(ProgressBar::hidden())
    }

    /// One step is done.
    pub(crate) fn advance(&self) {
        self.advance_by(1);
    }

    /// So many steps are done.
    pub(crate) fn advance_by(&self, steps: u64) {
        self.0.inc(steps);
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_is_valid() {
        assert!(ProgressStyle::with_template(TEMPLATE).is_ok());
    }
}
