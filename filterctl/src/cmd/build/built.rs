//! The report of a build: the filter's facts, and what became of each list's lines.

use std::{
    io::{self, Write},
    path::Path,
};

use indicatif::HumanCount;
use nearmiss_filters::{
    dictionary::lines::{LineCounts, Skip},
    format::Header,
};
use serde::Serialize;

use crate::{
    facts::Facts,
    failure::printable,
    input::{Encoding, WordList},
    report::Report,
};

/// What was built from what.
#[derive(Serialize)]
pub(super) struct Built {
    file: String,
    #[serde(flatten)]
    facts: Facts,
    lists: Vec<ListReport>,
}

/// What became of a list.
#[derive(Serialize)]
struct ListReport {
    name: String,
    encoding: Encoding,
    lines: u64,
    accepted: u64,
    skipped: Vec<SkipReport>,
}

/// Lines that were left out.
#[derive(Serialize)]
struct SkipReport {
    reason: &'static str,
    lines: u64,
    first_line: u64,
}

impl Built {
    /// What was built into `output` from these lists.
    pub(super) fn new(output: &Path, header: &Header, lists: &[WordList], counts: &[LineCounts]) -> Built {
        let lists = lists.iter().zip(counts).map(|(list, counts)| ListReport::new(list, counts)).collect();
        Built { file: output.display().to_string(), facts: Facts::of(header), lists }
    }
}

impl ListReport {
    fn new(list: &WordList, counts: &LineCounts) -> ListReport {
        let skipped = Skip::ALL.into_iter().filter_map(|reason| SkipReport::new(reason, counts)).collect();
        ListReport {
            name: list.name().to_owned(),
            encoding: list.encoding(),
            lines: counts.read,
            accepted: counts.accepted,
            skipped,
        }
    }

    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let (name, accepted, lines) =
            (printable(&self.name), HumanCount(self.accepted), HumanCount(self.lines));
        writeln!(out, "  from {name} ({}): {accepted} of {lines} lines", self.encoding.name())?;
        for skip in &self.skipped {
            let (lines, reason, first) = (HumanCount(skip.lines), skip.reason, skip.first_line);
            let are = if skip.lines == 1 { "line is" } else { "lines are" };
            writeln!(out, "    left out: {lines} {are} {reason}, the first is line {first}")?;
        }
        Ok(())
    }
}

impl SkipReport {
    fn new(reason: Skip, counts: &LineCounts) -> Option<SkipReport> {
        let skipped = counts.skipped_for(reason);
        let report = SkipReport { reason: reason.words(), lines: skipped.lines, first_line: skipped.first };
        (report.lines > 0).then_some(report)
    }
}

impl Report for Built {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", printable(&self.file))?;
        self.facts.write_text(out)?;
        self.lists.iter().try_for_each(|list| list.write_text(out))
    }
}
