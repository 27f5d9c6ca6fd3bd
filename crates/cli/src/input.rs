//! Reading lists: any size in bounded memory, compressed or not, in the forms and charsets of nearmiss-lists.
//!
//! A list is opened once, checked after opening, and read several times: first to find its form and its
//! charset, which are properties of the whole file, then once for each pass of the builder. Its words are
//! passed on in blocks, one a line, in UTF-8; the library decides which of them are words. An input that is
//! not a regular file (standard input, a pipe) is spooled to an unlinked temporary file first, unless it will
//! only be read once.
//!
//! `origin` → `decompress` → `text` → `lines` → `examine` → `judgement` → `reading` → `proof`.

#![allow(clippy::arithmetic_side_effects, reason = "counts of what was read, positions in memory")]

mod affixes;
mod beginning;
mod decompress;
mod embedded;
mod error;
mod examine;
mod judgement;
mod junk;
mod lines;
mod max_text;
mod most_common;
mod most_forms;
mod origin;
mod proof;
mod ranges;
mod reading;
mod records;
mod sample;
mod stream;
mod text;

use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::Arc,
};

use nearmiss_filters::{
    format::Kind,
    list::{LineCounts, Skip},
};
pub use nearmiss_lists::{Charset, Columns, FormName, Wanted};
use nearmiss_lists::{Charsets, DigestColumns, Form, Tally};

pub use affixes::affixes_beside;
pub use beginning::Beginning;
pub use decompress::packed;
pub use embedded::{BUILT_IN, EVERYDAY, Embedded, RANKED, common_passwords, everyday_words};
pub use error::InputError;
pub use max_text::MaxText;
pub use most_common::{MostCommon, most_common};
pub use proof::Proof;
pub use ranges::{
    MAX_RANGE_DIGESTS, MOST_DIGESTS, RangeCensus, RangeCount, RangeFault, RangeLine, RangeLines, RangeName,
};
pub use reading::Reading;
pub use text::unmarked;

use crate::progress::Progress;
use error::Problem;
use origin::Origin;
use reading::LastReading;
use stream::Streams;

/// A list as named on the command line, or the built-in one.
#[derive(Clone, Debug)]
pub enum ListName {
    /// A file, or standard input for `-`.
    Path(PathBuf),
    /// A regular file that has been opened already.
    Opened {
        /// The path.
        path: PathBuf,
        /// The file.
        file: Arc<File>,
        /// The rules of a dictionary of hunspell, opened already.
        affixes: Option<Arc<File>>,
    },
    /// A list that is part of the program.
    Embedded(&'static Embedded),
}

/// A list that can be read, any number of times.
pub struct WordList {
    origin: Origin,
    kind: Kind,
    /// How its words are read; none for digests.
    reading: Option<nearmiss_lists::Reading>,
    /// The columns of digests that are not in the usual form.
    digests: Option<DigestColumns>,
    /// The name of the file with the rules of a dictionary.
    affixes: Option<String>,
    /// Doubts about its words.
    doubts: Vec<String>,
    /// True for JSON in which several numbers beside a word may be its count.
    has_unclear_numbers: bool,
    last: LastReading,
}

impl WordList {
    /// The list's name in reports.
    pub fn name(&self) -> &str {
        self.origin.name()
    }

    /// True if the list is read from the file that has this path now.
    pub fn is_file(&self, path: &Path) -> bool {
        self.origin.is_file(path)
    }

    /// The charsets of its words; digests are ASCII.
    pub fn charsets(&self) -> Charsets {
        self.reading.as_ref().map(|reading| reading.charsets).unwrap_or_default()
    }

    /// The form of its lines, unless they are digests or words.
    pub fn form(&self) -> Option<String> {
        if let Some(columns) = &self.digests {
            return Some(columns.name());
        }
        let form = &self.reading.as_ref()?.form;
        let name = if *form == Form::Plain { return None } else { form.name() };
        match &self.affixes {
            Some(affixes) => Some(format!("{name} with {affixes}")),
            None if *form == Form::Hunspell => Some(format!("{name}, its stems alone")),
            None => Some(name),
        }
    }

    /// Doubts about its words, each a sentence without its subject, for warnings.
    pub fn doubts(&self) -> &[String] {
        &self.doubts
    }

    /// True if it has words, not digests.
    pub fn is_of_words(&self) -> bool {
        self.reading.is_some()
    }

    /// True if a line may have hundreds of words.
    pub(crate) fn has_many_words(&self) -> bool {
        self.affixes.is_some()
    }

    /// True if its words have counts, by which the most common ones are found.
    pub(crate) fn has_counts(&self) -> bool {
        self.reading.as_ref().is_some_and(|reading| reading.form.has_counts())
    }

    /// The problem of a list of which several columns, or numbers of JSON, may be the counts.
    pub(crate) fn unclear_counts(&self) -> Option<Problem> {
        let form = self.reading.as_ref().map(|reading| &reading.form);
        let is_table = matches!(form, Some(Form::Table(table)) if table.has_unclear_counts());
        let is_unclear = is_table || self.has_unclear_numbers;
        is_unclear.then_some(Problem::Counts { are_of_json: self.has_unclear_numbers })
    }

    /// True if more than words was found in its lines, among which may be counts that have no known name.
    pub(crate) fn may_have_counts(&self) -> bool {
        let form = self.reading.as_ref().map(|reading| &reading.form);
        matches!(form, Some(Form::Table(_) | Form::JsonLines(_)))
    }

    /// What the last reading found in its lines.
    pub fn tally(&self) -> Tally {
        self.last.get().0
    }

    /// The position of a line for messages: its number, and its file if the list is a folder.
    pub fn place(&self, line: u64) -> (Option<String>, u64) {
        self.origin.place(line)
    }

    /// The size in bytes as stored, that is before decompression.
    pub fn stored_bytes(&self) -> u64 {
        self.origin.stored_bytes()
    }

    /// True if it can be read again.
    pub fn is_kept(&self) -> bool {
        self.origin.is_kept()
    }

    /// Starts reading from the beginning.
    ///
    /// # Errors
    /// An [`InputError`] if the list cannot be read.
    pub fn read(&self, progress: &Progress) -> Result<Reading<'_>, InputError> {
        Reading::new(self, progress)
    }

    /// Refuses a list without words and input that is clearly not a list, by its line counts.
    ///
    /// # Errors
    /// An [`InputError`] that says which.
    pub fn check(&self, counts: &LineCounts) -> Result<(), InputError> {
        let of_ranges = self.origin.ranges().and_then(|ranges| ranges.problem());
        let form = self.reading.as_ref().map(|reading| reading.form.name());
        let problem = of_ranges
            .map(|problem| Problem::Ranges(Box::new(problem)))
            .or_else(|| junk::problem(counts, form, |line| self.place(line)))
            .or((counts.accepted == 0).then(|| match counts.skipped_for(Skip::Rare).lines {
                0 => Problem::NoWords,
                rare => Problem::Rare(rare),
            }));
        problem.map_or(Ok(()), |problem| Err(self.origin.error(problem)))
    }

    /// The ranges of a list that is a folder of them, and the number of those that the last reading found
    /// empty.
    pub fn ranges(&self) -> Option<(&RangeCensus, u64)> {
        self.origin.ranges().map(|ranges| (ranges.census(), ranges.empty()))
    }

    /// True for a folder of ranges that are evidently not spread evenly over all.
    pub fn is_uneven(&self) -> bool {
        self.origin.ranges().is_some_and(|ranges| !ranges.is_even())
    }

    /// The first pass over a folder of ranges, which needs no digest; none for other lists, and if it cannot
    /// tell how many digests are distinct.
    ///
    /// # Errors
    /// An [`InputError`] if a range cannot be read.
    pub fn count_ranges(
        &self,
        min_count: u64,
        progress: &Progress,
    ) -> Result<Option<RangeCount>, InputError> {
        let Some(ranges) = self.origin.ranges() else { return Ok(None) };
        ranges.count(min_count, progress).map_err(|e| self.origin.error(Problem::Read(e)))
    }

    /// Compares the counts of two readings.
    ///
    /// # Errors
    /// An [`InputError`] if they differ.
    pub fn check_unchanged(&self, before: &LineCounts, now: &LineCounts) -> Result<(), InputError> {
        if before == now { Ok(()) } else { Err(self.origin.error(Problem::Changed)) }
    }
}

/// The expected content of lists.
#[derive(Clone, Debug)]
pub struct Expected {
    /// Words or digests.
    pub kind: Kind,
    /// The form and the columns of lines of words; what is not said is recognised.
    pub wanted: Wanted,
    /// The charset of words; if none, it is found.
    pub charset: Option<Charset>,
    /// The largest size of a list's text.
    pub most: MaxText,
    /// True if a folder of ranges may lack some.
    pub is_partial: bool,
}

impl Expected {
    /// Lists of this kind of any form, with the size limit of named lists.
    pub fn of(kind: Kind) -> Expected {
        Expected { kind, wanted: Wanted::default(), charset: None, most: MaxText::NAMED, is_partial: false }
    }
}

/// Opens lists, in order, and finds their forms and charsets. Lists of digests may be folders of range files.
///
/// # Errors
/// The [`InputError`] of the first list that cannot be read, or that contains something else.
pub fn open(
    names: &[ListName],
    expected: &Expected,
    progress: &Progress,
) -> Result<Vec<WordList>, InputError> {
    open_from(names, expected, Streams::Spooled, progress)
}

/// Opens lists of digests that are each read once: standard input and pipes are not copied to a temporary
/// file.
///
/// # Errors
/// As [`open`].
pub fn open_once(
    names: &[ListName],
    expected: &Expected,
    progress: &Progress,
) -> Result<Vec<WordList>, InputError> {
    open_from(names, expected, Streams::Once, progress)
}

fn open_from(
    names: &[ListName],
    expected: &Expected,
    streams: Streams,
    progress: &Progress,
) -> Result<Vec<WordList>, InputError> {
    let open = |name| Origin::open(name, expected, streams);
    let origins = names.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    progress.start("scanning", origins.iter().map(Origin::stored_bytes).sum());
    let lists = names
        .iter()
        .zip(origins)
        .map(|(name, origin)| examine::list(name, origin, expected, progress))
        .collect();
    progress.finish();
    lists
}
