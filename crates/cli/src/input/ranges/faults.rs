//! What is wrong with a corpus of ranges: all of it in one message, so that it is mended at once.

use std::fmt;

use super::{
    census::{NAMED, RangeCensus},
    fault::RangeFault,
    names::ALL_RANGES,
};
use crate::report::number;

/// Files with the same fault.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct FaultyFiles {
    count: u64,
    /// The first of them, with the line that shows it.
    first: Vec<String>,
}

/// The faults of the files of a corpus, by what they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Faults([FaultyFiles; 7]);

/// Each fault, for one file and for several.
const WORDS: [(&str, &str); 7] = [
    ("is empty", "are empty"),
    (
        "is a web page, such as the answer of a server that has no range",
        "are web pages, such as the answers \
      of a server that has no range",
    ),
    ("has digests of another kind", "have digests of another kind"),
    ("is cut short or not a range", "are cut short or not ranges"),
    ("is not in ascending order", "are not in ascending order"),
    ("has digests of another range", "have digests of another range"),
    ("has more digests than any range", "have more digests than any range"),
];

fn index_of(fault: RangeFault) -> usize {
    match fault {
        RangeFault::Empty => 0,
        RangeFault::Page => 1,
        RangeFault::OtherKind { .. } => 2,
        RangeFault::Malformed { .. } | RangeFault::Damaged => 3,
        RangeFault::Unsorted { .. } => 4,
        RangeFault::OtherRange { .. } => 5,
        RangeFault::TooMany => 6,
    }
}

impl Faults {
    /// Adds a file with this fault.
    pub(super) fn add(&mut self, file: &str, fault: RangeFault) {
        let Some(files) = self.0.get_mut(index_of(fault)) else { return };
        files.count += 1;
        if files.first.len() < NAMED {
            let line = fault.line().map_or_else(String::new, |line| format!(" line {line}"));
            files.first.push(format!("{file}{line}"));
        }
    }

    /// Files without digests.
    pub(super) fn empty(&self) -> u64 {
        self.0.first().map_or(0, |files| files.count)
    }

    /// True if there is a fault that is not accepted: of a corpus that may be partial, ranges may be empty or
    /// unsorted.
    pub(super) fn are_refused(&self, may_be_partial: bool) -> bool {
        let is_accepted = |at| may_be_partial && (at == 0 || at == 4);
        self.0.iter().enumerate().any(|(at, files)| files.count > 0 && !is_accepted(at))
    }
}

/// A corpus that cannot be used as it is.
#[derive(Debug)]
pub(crate) struct RangeProblem {
    census: RangeCensus,
    faults: Faults,
    /// True if missing, empty and unsorted ranges alone make the problem.
    is_partial: bool,
    /// True if the reader may say that the corpus is partial.
    pub(super) has_flag: bool,
}

impl RangeProblem {
    /// The problem of a corpus, if it has one.
    pub(super) fn of(census: &RangeCensus, faults: &Faults, may_be_partial: bool) -> Option<RangeProblem> {
        let lacks = census.missing > 0 && !may_be_partial;
        let is_partial = !faults.are_refused(true);
        (lacks || faults.are_refused(may_be_partial)).then(|| RangeProblem {
            census: census.clone(),
            faults: faults.clone(),
            is_partial,
            has_flag: true,
        })
    }

    /// The same for a list of a configuration, which has no flags.
    pub(crate) fn without_flag(&mut self) {
        self.has_flag = false;
    }
}

impl fmt::Display for RangeProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        let mut write = |f: &mut fmt::Formatter<'_>, count: u64, words: &str, first: &[String]| {
            let and_more = if count > first.len() as u64 { ", ..." } else { "" };
            write!(f, "{separator}{} {words} ({}{and_more})", number(count), first.join(", "))?;
            separator = "; ";
            Ok(())
        };
        if self.census.missing > 0 {
            let all = number(ALL_RANGES.into());
            let are = if self.census.missing == 1 { "is" } else { "are" };
            let words = format!("of {all} ranges {are} missing");
            write(f, self.census.missing.into(), &words, &self.census.first_missing)?;
        }
        for (files, (one, several)) in self.faults.0.iter().zip(WORDS) {
            if files.count > 0 {
                write(f, files.count, if files.count == 1 { one } else { several }, &files.first)?;
            }
        }
        f.write_str("; fetch these ranges again")?;
        match (self.is_partial, self.has_flag) {
            (_, false) => Ok(()),
            (true, true) => f.write_str(", or use the others with --partial"),
            (false, true) => f.write_str("; --partial accepts missing, empty and unsorted ones only"),
        }
    }
}
