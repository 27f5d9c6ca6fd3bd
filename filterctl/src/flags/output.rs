//! The report of a command that writes a filter: the flags, and the check of a stated rate that no longer
//! applies.

use std::path::Path;

use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, Outcome},
    keys,
    progress::Progress,
};
use nearmiss_filters::{dictionary::builder::Builder, storage::Place};

use crate::report::{self, Report};

/// The flags of every command that writes a filter.
#[derive(Clone, clap::Args)]
pub(crate) struct Output {
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    /// Show no progress and print no report; warnings are printed on standard error.
    #[arg(short, long)]
    quiet: bool,
}

impl Output {
    /// Progress on a terminal, unless `--quiet` is given.
    pub(crate) fn progress(&self) -> Progress {
        Progress::new(self.quiet)
    }

    /// Prints the result of the command.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub(crate) fn print(&self, report: &impl Report) -> Outcome {
        if !self.quiet || self.json {
            report::print(report, self.json)?;
        }
        Ok(Exit::Done)
    }
}

/// Creates the folder of a filter, and those above it, if they are missing. Only their owner may list them:
/// other users could otherwise watch when the filter is opened.
///
/// # Errors
/// A folder cannot be created.
pub(crate) fn make_folder(filter: &Path) -> Result<(), Failure> {
    let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let Some(folder) = filter.parent().filter(is_missing) else { return Ok(()) };
    make_folder(folder)?;
    let made = Place::of(folder).and_then(|place| place.make_folder(0o711));
    made.map_err(|e| Failure::new("cannot create the folder", e))
}

/// The rate of a changed filter. A rate above the stated one is restated if `is_forced`; else it is an error,
/// whose message `too_high` makes from the words, the rate, the stated rate and the room.
///
/// # Errors
/// The rate is higher than stated.
pub(crate) fn keep_rate(
    builder: &mut Builder,
    is_forced: bool,
    too_high: impl FnOnce(u64, f64, f64, u64) -> String,
) -> Result<f64, Failure> {
    let rate = builder.actual_rate();
    if builder.keeps_rate() {
        return Ok(rate);
    }
    let (words, stated, room) =
        (builder.header().words, builder.header().stated.false_rejection, builder.header().capacity);
    if !is_forced {
        return Err(Failure::plain(keys::FILTER_FULL, too_high(words, rate, stated, room)));
    }
    builder.restate(rate, words.max(room));
    Ok(rate)
}
