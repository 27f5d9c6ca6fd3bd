//! Progress of long work: a bar on stderr, only where that is a terminal and nobody asked for quiet.

use std::{
    io::{self, IsTerminal},
    sync::OnceLock,
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

const TEMPLATE: &str =
    "{msg:>10} {wide_bar} {bytes:>10}/{total_bytes:<10} {bytes_per_sec:>12}  {eta:>4} left";

/// The bar that is on the screen, if any: for the end by a signal.
static SHOWN: OnceLock<ProgressBar> = OnceLock::new();

/// Takes the bar off the screen.
pub fn clear() {
    if let Some(bar) = SHOWN.get() {
        bar.finish_and_clear();
    }
}

/// A bar that shows how much has been read, how fast, and how long it will still take.
#[derive(Clone)]
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar, unless `is_quiet` or stderr is not a terminal.
    pub fn new(is_quiet: bool) -> Progress {
        if is_quiet || !io::stderr().is_terminal() {
            return Progress::hidden();
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        // A command has one bar.
        let _ = SHOWN.set(bar.clone());
        Progress { bar }
    }

    /// A bar that is never drawn.
    pub fn hidden() -> Progress {
        Progress { bar: ProgressBar::hidden() }
    }

    /// Starts an act over `bytes` bytes.
    pub fn start(&self, act: &'static str, bytes: u64) {
        self.bar.reset();
        self.bar.set_message(act);
        self.bar.set_length(bytes);
    }

    /// `bytes` more have been read.
    pub fn advance(&self, bytes: u64) {
        self.bar.inc(bytes);
    }

    /// The act is over: takes the bar off the screen.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_is_valid() {
        assert!(ProgressStyle::with_template(TEMPLATE).is_ok());
    }

    #[test]
    fn is_not_drawn_where_there_is_no_terminal() {
        assert!(Progress::hidden().bar.is_hidden());
        assert!(Progress::new(true).bar.is_hidden());
    }
}
