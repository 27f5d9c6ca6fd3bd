//! The most common entries of lists, as a new list in the order of their ranks.
//!
//! If lines have counts (digests, and words with the columns count,word) these are the entries with the
//! highest counts; with equal counts, and without counts, the first ones in the order of the lists. Memory
//! contains at most twice the requested number of entries.

use std::{
    cmp::Reverse,
    collections::HashMap,
    fs::File,
    io::{self, BufWriter, Write},
    sync::Arc,
};

use nearmiss_filters::{
    format::Kind,
    list::{Entry, LineCounts, LineFormat},
};
use nearmiss_lists::{Charsets, Form, Reading};

use super::{InputError, LastReading, MaxText, WordList, error::Problem, origin::Origin};
use crate::progress::Progress;

/// The number of entries that are kept beyond twice the requested number, to avoid sorting a few repeatedly.
const SPARE: usize = 1 << 12;

/// The most common entries.
pub struct MostCommon {
    /// The entries, the most common first.
    pub list: WordList,
    /// The counts of lines of each list that was read.
    pub counts: Vec<LineCounts>,
    /// True if some had counts, which decide; else the order of the lines decides.
    pub are_counts: bool,
    /// The names of lists that have more than words on their lines, and no counts that were found.
    pub without: Vec<String>,
}

/// Finds the `most` most common entries of all lists together.
///
/// # Errors
/// An [`InputError`] if a list cannot be read or is not a list, if it is not clear where its counts are, or
/// if some lists have counts and others have none.
pub fn most_common(
    lists: &[WordList],
    most: usize,
    lines: LineFormat,
    progress: &Progress,
) -> Result<MostCommon, InputError> {
    if let Some((list, problem)) = lists.iter().find_map(|list| Some((list, list.unclear_counts()?))) {
        return Err(InputError::new(list.name(), problem));
    }
    progress.start("ranking", lists.iter().map(WordList::stored_bytes).sum());
    let mut found =
        CommonEntries { most, lines, entries: HashMap::new(), place: 0, least: None, has_counts: false };
    let mut entry = Entry::default();
    let (mut counts, mut has_counts) = (Vec::with_capacity(lists.len()), Vec::with_capacity(lists.len()));
    for list in lists {
        counts.push(found.read(list, &mut entry, progress)?);
        has_counts.push(std::mem::take(&mut found.has_counts));
    }
    progress.finish();
    let (with, without) = divided(lists, &has_counts);
    refuse_some(&with, &without)?;
    let without = without.into_iter().filter(|list| list.may_have_counts());
    let without = without.map(|list| list.name().to_owned()).collect();
    let spooled = found.spool().and_then(|file| {
        let bytes = file.metadata()?.len();
        Ok((file, bytes))
    });
    let (file, bytes) = spooled.map_err(|e| InputError::new("the most common entries", Problem::Spool(e)))?;
    let origin = Origin::of_spooled("the most common entries", Arc::new(file), bytes, MaxText::NAMED);
    let reading = (lines.kind == Kind::Words).then(|| Reading {
        form: Form::Plain,
        charsets: Charsets::default(),
        affixes: None,
        is_plain: true,
    });
    let (last, digests) = (LastReading::default(), None);
    Ok(MostCommon {
        list: WordList {
            origin,
            kind: lines.kind,
            reading,
            digests,
            affixes: None,
            doubts: Vec::new(),
            has_unclear_numbers: false,
            last,
        },
        counts,
        are_counts: !with.is_empty(),
        without,
    })
}

/// The lists that have counts, and the others.
fn divided<'a>(lists: &'a [WordList], has_counts: &[bool]) -> (Vec<&'a WordList>, Vec<&'a WordList>) {
    let (with, without): (Vec<_>, Vec<_>) = lists.iter().zip(has_counts).partition(|(_, has)| **has);
    let alone = |part: Vec<(&'a WordList, &bool)>| part.into_iter().map(|(list, _)| list).collect();
    (alone(with), alone(without))
}

/// Refuses lists without counts beside lists with counts: no count is smaller than one that is missing, so
/// that none of their words would be taken.
fn refuse_some(with: &[&WordList], without: &[&WordList]) -> Result<(), InputError> {
    if with.is_empty() || without.is_empty() {
        return Ok(());
    }
    let names = |lists: &[&WordList]| lists.iter().map(|list| list.name()).collect::<Vec<_>>().join(", ");
    Err(InputError::new(&names(without), Problem::SomeCounts { with: names(with) }))
}

/// The order of entries by frequency: the highest count, then the first position.
type Commonness = (u64, Reverse<u64>);

/// The frequency of an entry, and the line it was read from.
type Kept = (Commonness, Box<[u8]>);

struct CommonEntries {
    most: usize,
    lines: LineFormat,
    /// The entries that may be among the most common.
    entries: HashMap<Box<[u8]>, Kept>,
    /// Lines read so far.
    place: u64,
    /// The frequency of the least frequent entry to keep: more common ones fill the requested number.
    least: Option<Commonness>,
    /// True if an entry of the list that is read has a count.
    has_counts: bool,
}

impl CommonEntries {
    fn read(
        &mut self,
        list: &WordList,
        entry: &mut Entry,
        progress: &Progress,
    ) -> Result<LineCounts, InputError> {
        let mut counts = LineCounts::default();
        let mut reading = list.read(progress)?;
        let is_in_order = self.lines.kind == Kind::Words && !list.has_counts();
        let mut is_read = true;
        while is_read {
            is_read = reading.next_entries(&mut |count, text| {
                if !is_in_order || self.entries.len() < self.most {
                    counts.append(&self.take(count, text, entry));
                }
            })?;
            if is_in_order && self.entries.len() >= self.most {
                return Ok(counts);
            }
        }
        list.check(&counts).map(|()| counts)
    }

    /// Takes an entry with its count; a digest has its own in its line.
    fn take(&mut self, count: u64, text: &[u8], entry: &mut Entry) -> LineCounts {
        let kind = self.lines.kind;
        // A digest without a count counts as 1.
        let (count, has_count) = match kind {
            Kind::Words => (count, count > 0),
            _ => (self.lines.count(text).unwrap_or(0), text.contains(&b':')),
        };
        self.has_counts |= has_count;
        // A line end, so that a blank line also counts as a line.
        let (whole, mut is_entry) = ([text, b"\n"].concat(), false);
        let counts = self.lines.read_block(&whole, entry, |_| is_entry = true);
        self.place += 1;
        if is_entry {
            self.keep(entry.bytes(kind), (count, Reverse(self.place)), text);
        }
        if self.entries.len() > self.most.saturating_mul(2).saturating_add(SPARE) {
            self.forget_the_rest();
        }
        counts
    }

    /// Keeps an entry, at the position where it is most common.
    fn keep(&mut self, entry: &[u8], commonness: Commonness, line: &[u8]) {
        if self.least.is_some_and(|least| commonness < least) {
            return;
        }
        match self.entries.get_mut(entry) {
            Some((known, _)) if *known >= commonness => {}
            Some(known) => *known = (commonness, line.into()),
            None => drop(self.entries.insert(entry.into(), (commonness, line.into()))),
        }
    }

    /// Keeps the most common entries found so far.
    fn forget_the_rest(&mut self) {
        let mut all: Vec<Commonness> = self.entries.values().map(|(commonness, _)| *commonness).collect();
        let Some(at) = self.most.checked_sub(1).filter(|&at| at < all.len()) else { return };
        let (_, &mut least, _) = all.select_nth_unstable_by_key(at, |&commonness| Reverse(commonness));
        self.entries.retain(|_, (commonness, _)| *commonness >= least);
        self.least = Some(least);
    }

    /// An unnamed file with the lines of the most common entries, in order.
    fn spool(mut self) -> io::Result<File> {
        self.forget_the_rest();
        let mut all: Vec<_> = self.entries.into_values().collect();
        all.sort_unstable_by_key(|&(commonness, _)| Reverse(commonness));
        let mut out = BufWriter::new(tempfile::tempfile()?);
        for (_, line) in all {
            out.write_all(&line)?;
            out.write_all(b"\n")?;
        }
        out.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

#[cfg(test)]
mod tests;
