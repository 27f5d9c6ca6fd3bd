//! The passes over the lists of a change: the first surveys them, the second fills the filter.

use nearmiss_cli::{
    failure::{Failure, warn},
    input::{self, InputError, WordList},
    keys,
    progress::Progress,
};
use nearmiss_filters::{
    dictionary::{
        Build,
        builder::{Builder, Findings},
        ranks::Ranks,
    },
    format::Kind,
    hash::Key,
    list::{Entry, LineCounts, LineFormat},
};

use super::FilterChange;
use crate::report::lists;

impl FilterChange<'_> {
    /// Continues with only the most common entries of the lists, as one list in their order; true if they are
    /// those with the highest counts, false if they are the first ones.
    ///
    /// # Errors
    /// A list cannot be read, has no word, or is not a list.
    pub(crate) fn keep_most_common(&mut self, most: usize, lines: LineFormat) -> Result<bool, Failure> {
        let found = input::most_common(&self.lists, most, lines, self.progress);
        let found = found.map_err(|e| self.target.failure(e))?;
        self.tallies = Some(lists::of(&self.lists, &found.counts));
        self.lists = vec![found.list];
        for name in &found.without {
            let help =
                "call their column count in the first line, or name all columns, as in --columns word,count";
            let said = "no counts were found, and its first words were taken";
            warn(keys::LIST_FORM, &format!("{name}: {said}; if it has counts, {help}"));
        }
        Ok(found.are_counts)
    }

    /// The ranks of the words of the lists, in their order.
    ///
    /// # Errors
    /// A list cannot be read again.
    pub(crate) fn ranks(&self, key: Key, lines: LineFormat) -> Result<Ranks, Failure> {
        let (mut ranks, mut entry) = (Ranks::empty(key), Entry::default());
        for list in &self.lists {
            let push = |block: &[u8]| lines.read_block(block, &mut entry, |entry| ranks.push(&entry.word));
            read_all(list, self.progress, push).map_err(|e| self.target.failure(e))?;
        }
        ranks.finish();
        Ok(ranks)
    }

    /// The first pass over the lists: surveys their content and records the counts of each list's lines.
    ///
    /// # Errors
    /// A list cannot be read, has no word, or is not a list.
    pub(crate) fn survey(&mut self, build: &Build) -> Result<Findings, Failure> {
        (self.min_count, self.forms) = (build.min_count, build.forms);
        let mut survey = build.survey();
        self.progress.start("surveying", self.stored_bytes());
        let read = |list| {
            let counts = read_all(list, self.progress, |block| survey.read_block(block))?;
            list.check(&counts).map(|()| counts)
        };
        let counts: Result<_, InputError> = self.lists.iter().map(read).collect();
        self.counts_of_lines = counts.map_err(|e| self.target.failure(e))?;
        self.progress.finish();
        Ok(survey.finish())
    }

    /// The first pass over one folder of ranges, whose digests need not be decoded for it; none for other
    /// lists.
    ///
    /// # Errors
    /// A range cannot be read, or has a fault.
    pub(crate) fn count_ranges(&mut self, build: &Build) -> Result<Option<Findings>, Failure> {
        let [list] = self.lists.as_slice() else { return Ok(None) };
        let bytes = if build.spec.kind == Kind::Ntlm { 16 } else { 20 };
        self.progress.start("surveying", list.stored_bytes());
        let counted = list.count_ranges(build.min_count, self.progress);
        let Some(counted) = counted.map_err(|e| self.target.failure(e))? else { return Ok(None) };
        list.check(&counted.lines).map_err(|e| self.target.failure(e))?;
        self.progress.finish();
        (self.min_count, self.forms) = (build.min_count, build.forms);
        self.counts_of_lines = vec![counted.lines];
        let (words, lines, lengths) = (counted.distinct, counted.lines, (bytes, bytes));
        Ok(Some(Findings { words, lines, lengths, ..Findings::default() }))
    }

    /// The names of the lists, with the number of lines that the first pass took.
    pub(crate) fn accepted(&self) -> impl Iterator<Item = (&str, u64)> {
        self.lists.iter().zip(&self.counts_of_lines).map(|(list, counts)| (list.name(), counts.accepted))
    }

    /// The second pass: inserts every word that the first pass counted.
    ///
    /// # Errors
    /// A list cannot be read again or has changed.
    pub(crate) fn insert_lists(&mut self, builder: &mut Builder) -> Result<(), Failure> {
        self.progress.start("building", self.stored_bytes());
        for (list, before) in self.lists.iter().zip(&self.counts_of_lines) {
            let insert = |block: &[u8]| {
                if let Some(counters) = &mut self.counters {
                    counters.insert_block(self.min_count, self.forms, block);
                }
                builder.insert_block(block)
            };
            let filled = read_all(list, self.progress, insert);
            let unchanged = filled.and_then(|now| list.check_unchanged(before, &now));
            unchanged.map_err(|e| self.target.failure(e))?;
        }
        self.has_lists = true;
        self.progress.finish();
        Ok(())
    }

    pub(super) fn stored_bytes(&self) -> u64 {
        self.lists.iter().map(WordList::stored_bytes).sum()
    }
}

/// Passes all lines of a list to `take`, block by block, and sums the returned counts.
///
/// # Errors
/// An [`InputError`] for a list that cannot be read.
pub(crate) fn read_all(
    list: &WordList,
    progress: &Progress,
    mut take: impl FnMut(&[u8]) -> LineCounts,
) -> Result<LineCounts, InputError> {
    let mut counts = LineCounts::default();
    let mut reading = list.read(progress)?;
    while let Some(block) = reading.next_block()? {
        let words = take(block);
        counts.append(&reading.counts_of_lines(words));
    }
    Ok(counts)
}
