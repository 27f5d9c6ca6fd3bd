//! The counts of lines of each list, as every command that reads lists reports them.

use std::io::{self, Write};

use indicatif::HumanCount;
use nearmiss_cli::{
    failure::printable,
    input::{Encoding, WordList},
};
use nearmiss_filters::list::{LineCounts, Skip};
use serde::Serialize;

use crate::report::counted;

/// The result for a list.
#[derive(Serialize)]
pub(crate) struct Tally {
    name: String,
    encoding: Encoding,
    lines: u64,
    accepted: u64,
    skipped: Vec<SkipTally>,
    /// The ranges of a folder of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    ranges: Option<RangeTally>,
}

/// The ranges of a list that is a folder of them.
#[derive(Serialize)]
struct RangeTally {
    found: u32,
    /// Of all ranges, those that are not in the folder.
    missing: u32,
    /// Those of the folder without digests.
    empty: u64,
}

/// Lines that were left out.
#[derive(Serialize)]
struct SkipTally {
    reason: String,
    lines: u64,
    first_line: u64,
    /// The file of a folder that has the first of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_file: Option<String>,
}

/// The result for each list.
pub(crate) fn of(lists: &[WordList], counts: &[LineCounts]) -> Vec<Tally> {
    lists.iter().zip(counts).map(|(list, counts)| Tally::new(list, counts)).collect()
}

impl Tally {
    fn new(list: &WordList, counts: &LineCounts) -> Tally {
        let skipped =
            Skip::ALL.into_iter().filter_map(|reason| SkipTally::new(reason, list, counts)).collect();
        Tally {
            name: list.name().to_owned(),
            encoding: list.encoding(),
            lines: counts.read,
            accepted: counts.accepted,
            skipped,
            ranges: list.ranges().map(|(census, empty)| RangeTally {
                found: census.found,
                missing: census.missing,
                empty,
            }),
        }
    }

    /// The list's name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The number of its lines that were used.
    pub(crate) fn accepted(&self) -> u64 {
        self.accepted
    }

    /// Writes the tally as text.
    ///
    /// # Errors
    /// The errors of `out`.
    pub(crate) fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let (name, accepted) = (printable(&self.name), HumanCount(self.accepted));
        let lines = counted(self.lines, "line");
        writeln!(out, "  from {name} ({}): {accepted} of {lines}", self.encoding.name())?;
        if let Some(RangeTally { found, missing, empty }) = &self.ranges {
            let [found, missing, empty] = [u64::from(*found), u64::from(*missing), *empty].map(HumanCount);
            writeln!(out, "    ranges: {found}, missing {missing}, empty {empty}")?;
        }
        self.skipped.iter().try_for_each(|skip| skip.write_text(out))
    }
}

impl SkipTally {
    fn new(reason: Skip, list: &WordList, counts: &LineCounts) -> Option<SkipTally> {
        let skipped = counts.skipped_for(reason);
        if skipped.lines == 0 {
            return None;
        }
        let (first_file, first_line) = list.place(skipped.first);
        Some(SkipTally { reason: reason.to_string(), lines: skipped.lines, first_line, first_file })
    }

    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let (lines, reason, first) = (HumanCount(self.lines), &self.reason, self.first_line);
        let are = if self.lines == 1 { "line is" } else { "lines are" };
        write!(out, "    left out: {lines} {are} {reason}, the first is line {first}")?;
        match &self.first_file {
            Some(file) => writeln!(out, " of {}", printable(file)),
            None => writeln!(out),
        }
    }
}
