//! Progress of long work: a line on stderr that is redrawn, only if that is a terminal that can do so and
//! quiet mode is off. It has a percentage and no picture of a bar, which a screen reader would spell.

use std::{
    env,
    ffi::OsStr,
    io::{self, IsTerminal},
    sync::OnceLock,
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

const TEMPLATE: &str =
    "{msg:>10} {percent:>3}% {bytes:>10}/{total_bytes:<10} {bytes_per_sec:>12}  {eta:>4} left";

/// Progress with an unknown end.
const ENDLESS: &str = "{msg:>10} {bytes:>10} in {elapsed}";

/// Progress of counted things, with a note.
const THINGS: &str = "{msg:>10} {percent:>3}% {human_pos}/{human_len} {prefix}  {eta:>4} left";

/// The variable that dpkg sets for a package's scripts: their terminal belongs to the package manager, which
/// logs everything.
const PACKAGE: &str = "DPKG_MAINTSCRIPT_PACKAGE";

/// The bar on the screen, if any, for termination by a signal.
static SHOWN: OnceLock<ProgressBar> = OnceLock::new();

/// Removes the bar from the screen.
pub fn clear() {
    if let Some(bar) = SHOWN.get() {
        bar.finish_and_clear();
    }
}

/// A bar that shows the amount that was read, the speed, and the remaining time.
#[derive(Clone)]
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar, unless `is_quiet` or stderr is not a suitable terminal: a file, a terminal that cannot move its
    /// cursor, the log of a package manager.
    pub fn new(is_quiet: bool) -> Progress {
        let is_a_package = env::var_os(PACKAGE).is_some();
        if is_quiet || is_a_package || !is_redrawn() {
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

    /// Starts an action over an unknown number of bytes.
    pub fn start_endless(&self, act: &'static str) {
        if let Ok(style) = ProgressStyle::with_template(ENDLESS) {
            self.bar.set_style(style);
        }
        self.bar.set_message(act);
        self.bar.reset();
    }

    /// Starts an action over `count` things, counted by [`Progress::advance`], with a note set by
    /// [`Progress::note`].
    pub fn start_counting(&self, act: &'static str, count: u64) {
        if let Ok(style) = ProgressStyle::with_template(THINGS) {
            self.bar.set_style(style);
        }
        self.start(act, count);
    }

    /// Sets the note about the counted things.
    pub fn note(&self, text: String) {
        self.bar.set_prefix(text);
    }

    /// True if the bar is drawn.
    pub fn is_shown(&self) -> bool {
        !self.bar.is_hidden()
    }

    /// Runs an action that writes to the screen, with the bar hidden.
    pub fn aside<T>(&self, act: impl FnOnce() -> T) -> T {
        self.bar.suspend(act)
    }

    /// Starts an action over `bytes` bytes.
    pub fn start(&self, act: &'static str, bytes: u64) {
        self.bar.set_message(act);
        self.bar.set_length(bytes);
        self.bar.reset();
    }

    /// `bytes` more have been read.
    pub fn advance(&self, bytes: u64) {
        self.bar.inc(bytes);
    }

    /// Ends the action: removes the bar from the screen.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// True if stderr is a terminal that redraws a line.
pub fn is_redrawn() -> bool {
    io::stderr().is_terminal() && can_move(env::var_os("TERM").as_deref())
}

/// True for a kind of terminal that can remove a bar from its screen.
fn can_move(terminal: Option<&OsStr>) -> bool {
    terminal.is_some_and(|kind| !kind.is_empty() && kind != "dumb")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_is_valid() {
        assert!(
            [TEMPLATE, ENDLESS, THINGS].into_iter().all(|text| ProgressStyle::with_template(text).is_ok())
        );
    }

    #[test]
    fn is_not_drawn_where_there_is_no_terminal() {
        assert!(Progress::hidden().bar.is_hidden() && !Progress::hidden().is_shown());
        assert!(Progress::new(true).bar.is_hidden());
    }

    #[test]
    fn a_dumb_terminal_has_no_bar() {
        let terminals = [None, Some(""), Some("dumb"), Some("vt100"), Some("xterm-256color")];
        let able = terminals.map(|kind| can_move(kind.map(OsStr::new)));
        assert_eq!(able, [false, false, false, true, true]);
    }
}
