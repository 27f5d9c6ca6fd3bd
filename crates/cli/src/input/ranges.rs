//! A corpus of ranges in the format of the Pwned Passwords service, in a folder or a tree of folders: each
//! file is named by the first 5 hexadecimal digits of its digests, and its lines contain the rest of each
//! digest and a count. It is read as one list of whole digests, range after range, a file at a time in
//! memory.
//!
//! * `names`: the names of range files;
//! * `walk`: the files of a folder and its sub-folders;
//! * `census`: the ranges that are there, and that should be;
//! * `lines`: the lines of a range, which nearmiss-fetch reads, too,
//!   and `usual`: the same for the text that almost all have;
//! * `fault`: what one of them may be instead, and `faults`: of all of them together;
//! * `passing`: the ranges of a corpus, one after the other;
//! * `counting`: the first pass of a build, which needs no more than numbers.

mod census;
mod counting;
mod fault;
pub(super) mod faults;
mod line;
mod lines;
mod names;
mod passing;
mod usual;
mod walk;

#[cfg(test)]
mod tests;

use std::{
    io::{self, Read},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use nearmiss_filters::{format::Kind, storage::Folder};

pub(crate) use self::faults::RangeProblem;
pub use self::{
    census::RangeCensus,
    counting::RangeCount,
    fault::{MAX_RANGE_DIGESTS, MOST_DIGESTS, RangeFault},
    line::{RangeLine, RangeLines, RangeName},
};
use self::{
    faults::Faults,
    names::{PREFIX_DIGITS, name_of},
    passing::Passing,
    walk::{RangeFile, RangeFiles},
};
use crate::progress::Progress;

/// The parts of all ranges that have about the same size if the ranges are spread evenly.
const PARTS: usize = 16;

/// The ranges of a folder.
pub(super) struct Ranges {
    files: RangeFiles,
    kind: Kind,
    census: RangeCensus,
    may_be_partial: bool,
    /// The faults that the last reading found.
    faults: Mutex<Faults>,
    bytes: u64,
}

impl Ranges {
    /// Finds the ranges of a folder; files with other names are not part of the list.
    ///
    /// # Errors
    /// The folder, or one in it, cannot be read.
    pub(super) fn find(folder: Folder, kind: Kind, may_be_partial: bool) -> io::Result<Ranges> {
        let files = RangeFiles::find(folder)?;
        let census = RangeCensus::of(&files.files().iter().map(|file| file.range));
        let bytes = files.files().iter().map(|file| u64::from(file.bytes)).sum();
        Ok(Ranges { files, kind, census, may_be_partial, faults: Mutex::default(), bytes })
    }

    /// True if there is no range file.
    pub(super) fn is_empty(&self) -> bool {
        self.files.files().is_empty()
    }

    /// Their total size.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The ranges that are there.
    pub(super) fn census(&self) -> &RangeCensus {
        &self.census
    }

    /// True if the ranges are spread about evenly over all, by the sizes of their files: then a filter of
    /// them can have groups.
    pub(super) fn is_even(&self) -> bool {
        let mut parts = [0_u64; PARTS];
        for file in self.files.files() {
            if let Some(part) = parts.get_mut(file.range as usize * PARTS / names::ALL_RANGES as usize) {
                *part += u64::from(file.bytes);
            }
        }
        let mean = self.bytes / PARTS as u64;
        parts.iter().all(|&part| (mean / 2..=mean * 2).contains(&part))
    }

    /// The number of ranges without digests that the last reading found.
    pub(super) fn empty(&self) -> u64 {
        self.faults().empty()
    }

    /// The problem of the corpus, after it has been read; ranges that have one are not part of the list.
    pub(super) fn problem(&self) -> Option<RangeProblem> {
        RangeProblem::of(&self.census, &self.faults(), self.may_be_partial)
    }

    /// The problem of a corpus that lacks ranges, with all its other faults, for which it is read; none if it
    /// has all that it needs.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn problem_of_gaps(self: &Arc<Ranges>) -> io::Result<Option<RangeProblem>> {
        if self.may_be_partial || self.census.missing == 0 {
            return Ok(None);
        }
        let mut passing = Passing::new(Arc::clone(self), Progress::hidden());
        while passing.next(&mut LineNumber::default())?.is_some() {}
        Ok(self.problem())
    }

    fn faults(&self) -> MutexGuard<'_, Faults> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bytes of these lines in files that are not compressed: the prefix of each is in the name.
    pub(super) fn stored_length(text: &[u8]) -> usize {
        text.len() - memchr::memchr_iter(b'\n', text).count() * PREFIX_DIGITS
    }

    /// The file, and the line in it, of line `line` of the whole list; none if the list can no longer be
    /// read.
    pub(super) fn place(self: &Arc<Ranges>, line: u64) -> Option<(String, u64)> {
        let mut left = line;
        let mut passing = Passing::new(Arc::clone(self), Progress::hidden());
        loop {
            let mut lines = LineNumber::default();
            let file = passing.next(&mut lines).ok()??;
            if left <= lines.0 {
                return Some((self.files.path_of(&file).to_string_lossy().into_owned(), left));
            }
            left -= lines.0;
        }
    }
}

/// The number of a range's lines.
#[derive(Default)]
struct LineNumber(u64);

impl RangeLines for LineNumber {
    fn take(&mut self, number: usize, _: Option<RangeLine<'_>>) -> Result<(), RangeFault> {
        self.0 = number as u64;
        Ok(())
    }

    fn discard(&mut self) {
        self.0 = 0;
    }
}

/// The ranges of a corpus as one stream of lines with whole digests.
pub(super) struct Whole {
    passing: Passing,
    range: WholeLines,
    /// The bytes of the range that were read.
    read: usize,
}

impl Whole {
    /// The lines from the first.
    pub(super) fn new(ranges: Arc<Ranges>, progress: Progress) -> Whole {
        Whole { passing: Passing::new(ranges, progress), range: WholeLines::default(), read: 0 }
    }
}

impl Read for Whole {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.read == self.range.text.len() {
            self.read = 0;
            self.range.discard();
            if let Some(file) = self.passing.upcoming() {
                self.range.begin(file);
            }
            if self.passing.next(&mut self.range)?.is_none() {
                return Ok(0);
            }
        }
        let mut rest = self.range.text.get(self.read..).unwrap_or_default();
        let count = rest.read(buffer)?;
        self.read += count;
        Ok(count)
    }
}

/// The lines of a range with the digits of the range before each; a blank line stays blank.
#[derive(Default)]
struct WholeLines {
    digits: [u8; PREFIX_DIGITS],
    text: Vec<u8>,
}

impl WholeLines {
    /// Begins with the range of a file.
    fn begin(&mut self, file: RangeFile) {
        self.digits = name_of(file.range).as_bytes().try_into().unwrap_or_default();
        // A line has eight or more times as many bytes as its range has digits.
        self.text.reserve((file.bytes as usize).min(1 << 20) / 4 * 5);
    }
}

impl RangeLines for WholeLines {
    #[inline]
    fn take(&mut self, _: usize, line: Option<RangeLine<'_>>) -> Result<(), RangeFault> {
        let text = &mut self.text;
        if let Some(line) = line {
            text.extend_from_slice(&self.digits);
            text.extend_from_slice(line.text);
        }
        text.push(b'\n');
        Ok(())
    }

    fn discard(&mut self) {
        self.text.clear();
    }
}
