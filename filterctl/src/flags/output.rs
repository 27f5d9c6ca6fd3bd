//! The report of a command that writes a filter: the flags, and the warning about a rate that no longer
//! holds.

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
    /// Progress on a terminal, unless it is not wanted.
    pub(crate) fn progress(&self) -> Progress {
        Progress::new(self.quiet)
    }

    /// Prints a result: the end of the command.
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

/// Makes the folder of a filter where it is missing. Only its owner may list it: anyone who could might watch
/// when the filter is opened. What cannot be made is an error when the filter is written.
pub(crate) fn make_folder(filter: &Path) {
    if let Some(folder) = filter.parent().filter(|folder| !folder.exists()) {
        let _ = Place::of(folder).and_then(|place| place.make_folder(0o711));
    }
}

/// The rate of a filter that was changed. One that is higher than stated is restated where that is asked for;
/// else it is an error, which `too_high` words from the words, the rate, the rate stated and the room.
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
