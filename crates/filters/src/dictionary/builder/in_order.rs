//! Filters of digests that arrive in the order of their groups: one group of pages is in memory at a time,
//! and each page is written once, from the first to the last.

#[cfg(test)]
mod tests;

use super::{
    error::{BuildError, OrderError, SizedBy},
    spec::Build,
    survey::Findings,
};
use crate::{
    dictionary::sizing::{Counts, Crowding, Demand, Geometry},
    format::{self, Header},
    hash::Short,
    list::{Entries, Forms, LineCounts, LineFormat, split_lines},
    page::{self, Layer, PAGE_BYTES, Page},
    storage::StorageError,
    threads::on_threads,
    word::Word,
};

/// The expected number divided by this: the number of additional digests by which an estimate may be wrong.
const TOO_MANY: u64 = 100;

/// The expected number divided by this: with fewer digests by more than that, the filter is larger than
/// needed.
const TOO_FEW: u64 = 10;

/// A function that writes the next pages of the file.
pub type PageWriter<'w> = dyn FnMut(&[Page]) -> Result<(), StorageError> + 'w;

/// The fit of the chosen size to the inserted entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// The rate is kept, by a filter hardly larger than needed.
    Good,
    /// The rate is not kept.
    TooFull,
    /// The rate is kept with room to spare: there were fewer entries than expected.
    TooLarge,
}

/// A filter being written from its first page to its last.
pub struct InOrder {
    header: Header,
    lines: LineFormat,
    /// The hashes of a block, one part for each thread.
    hashes: Vec<Vec<u64>>,
    crowding: Crowding,
    group: OpenGroup,
    /// The number of digests in the groups that were written, and the highest number in one of them.
    words: u64,
    fullest: u64,
}

/// The group being filled.
struct OpenGroup {
    /// Its number.
    number: u64,
    pages: Vec<Page>,
    words: u64,
}

impl Build {
    /// A filter in groups for about `expected` digests that arrive in the order of their groups; none without
    /// groups: for words, and without group bits.
    ///
    /// # Errors
    /// [`BuildError`].
    pub fn in_order(&self, expected: u64) -> Result<Option<InOrder>, BuildError> {
        let group_bits = self.effective_group_bits();
        let Some(bytes) = self.spec.kind.digest_bytes().filter(|_| group_bits > 0) else { return Ok(None) };
        let findings = Findings { words: expected, lengths: (bytes, bytes), ..Findings::default() };
        let header = self.new_header(&findings)?;
        let filter = InOrder::over(header, self.lines(), self.threads);
        // What is expected is the capacity, if there is one.
        let by = if self.capacity.is_some() { SizedBy::Capacity } else { SizedBy::Rate };
        filter.map(Some).map_err(|error| error.sized(by))
    }
}

impl InOrder {
    /// A filter with the same key and pages as one that was started with this [`InOrder::header`], on one
    /// thread. None if the header does not belong to a filter in groups.
    ///
    /// # Errors
    /// [`BuildError::Memory`].
    pub fn like(header: &Header) -> Result<Option<InOrder>, BuildError> {
        if header.group_bits == 0 {
            return Ok(None);
        }
        let lines = LineFormat { kind: header.kind, min_count: 0 };
        InOrder::over(header.clone(), lines, 1).map(Some)
    }

    fn over(header: Header, lines: LineFormat, threads: usize) -> Result<InOrder, BuildError> {
        let bytes = header.group_pages().saturating_mul(PAGE_BYTES as u64);
        let memory = || BuildError::Memory { bytes, by: SizedBy::Rate };
        let count = usize::try_from(header.group_pages()).map_err(|_| memory())?;
        let mut pages: Vec<Page> = Vec::new();
        pages.try_reserve_exact(count).map_err(|_| memory())?;
        pages.resize(count, [0; PAGE_BYTES]);
        Ok(InOrder {
            lines,
            hashes: vec![Vec::new(); threads.max(1)],
            crowding: Crowding::of(header.capacity, header.group_bits),
            group: OpenGroup { number: 0, pages, words: 0 },
            words: 0,
            fullest: 0,
            header,
        })
    }

    /// The header so far.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The current header, encoded: it has the length of the finished one.
    pub fn header_bytes(&self) -> Vec<u8> {
        format::encode(&self.header)
    }

    /// Stores the digests of a block of whole lines. Within a group they may come in any order.
    ///
    /// # Errors
    /// [`OrderError`].
    pub fn insert_block(
        &mut self,
        block: &[u8],
        write: &mut PageWriter<'_>,
    ) -> Result<LineCounts, OrderError> {
        let counts = self.hash_block(block);
        let mut hashes = std::mem::take(&mut self.hashes);
        for part in &mut hashes {
            part.iter().try_for_each(|&hash| self.insert(hash, write))?;
            part.clear();
        }
        self.hashes = hashes;
        Ok(counts)
    }

    /// Stores one digest.
    ///
    /// # Errors
    /// [`OrderError`].
    pub fn insert_digest(&mut self, digest: &[u8], write: &mut PageWriter<'_>) -> Result<(), OrderError> {
        self.insert(self.header.hash(digest), write)
    }

    /// Ends the group after its last digest, and returns their number.
    ///
    /// # Errors
    /// [`OrderError`].
    pub fn close_group(&mut self, write: &mut PageWriter<'_>) -> Result<u64, OrderError> {
        let words = self.group.words;
        self.end_group(write).map(|()| words)
    }

    /// Skips the next group, whose pages, with `words` digests, the caller copies from a filter
    /// [like](InOrder::like) this one.
    ///
    /// # Errors
    /// [`OrderError::Crowded`].
    pub fn pass_group(&mut self, words: u64) -> Result<(), OrderError> {
        self.group.words = self.group.words.max(words);
        self.count_group()
    }

    /// The highest number of digests in a group that chance explains.
    pub fn most_in_group(&self) -> u64 {
        self.crowding.most
    }

    /// The error for a group with this number of digests, which need not all be at hand.
    pub fn crowded(&self, group: u64, got: u64) -> OrderError {
        OrderError::Crowded { ranges: self.header.ranges_of(group), got, mean: self.crowding.mean }
    }

    fn hash_block(&mut self, block: &[u8]) -> LineCounts {
        let (header, lines) = (&self.header, self.lines);
        let read = |hashes: &mut Vec<u64>, part: &[u8]| {
            lines.read_entries(
                part,
                Forms::Written,
                &mut Word::default(),
                &mut DigestHashes { header, hashes },
            )
        };
        if let [hashes] = self.hashes.as_mut_slice() {
            return read(hashes, block);
        }
        let parts = split_lines(block, self.hashes.len());
        let counts = on_threads(self.hashes.iter_mut().zip(parts), |(hashes, part)| read(hashes, part));
        let mut sum = LineCounts::default();
        for part in &counts {
            sum.append(part);
        }
        sum
    }

    #[inline]
    fn insert(&mut self, hash: u64, write: &mut PageWriter<'_>) -> Result<(), OrderError> {
        let number = self.header.group_of(hash);
        if number != self.group.number {
            self.turn_to(number, write)?;
        }
        let start = number.wrapping_mul(self.header.group_pages());
        let at =
            usize::try_from(page::page_of(hash, self.header.pages).wrapping_sub(start)).unwrap_or(usize::MAX);
        if let Some(page) = self.group.pages.get_mut(at) {
            let is_new = page::set(page, hash, self.header.probes(Layer::Word));
            self.group.words = self.group.words.saturating_add(is_new.into());
        }
        Ok(())
    }

    /// Writes the groups before this one.
    #[cold]
    fn turn_to(&mut self, number: u64, write: &mut PageWriter<'_>) -> Result<(), OrderError> {
        if number < self.group.number {
            return Err(OrderError::Unsorted);
        }
        while self.group.number < number {
            self.end_group(write)?;
        }
        Ok(())
    }

    fn end_group(&mut self, write: &mut PageWriter<'_>) -> Result<(), OrderError> {
        if self.group.words <= self.crowding.most {
            let pages = &mut self.group.pages;
            pages.iter_mut().for_each(page::seal);
            write(pages).map_err(OrderError::Write)?;
            for page in pages {
                page.fill(0);
            }
        }
        self.count_group()
    }

    /// Turns to the next group, unless this one is crowded.
    fn count_group(&mut self) -> Result<(), OrderError> {
        let OpenGroup { number: at, words: got, .. } = self.group;
        if got > self.crowding.most {
            return Err(self.crowded(at, got));
        }
        let OpenGroup { number, words, .. } = &mut self.group;
        self.words = self.words.saturating_add(*words);
        self.fullest = self.fullest.max(*words);
        *words = 0;
        *number = number.saturating_add(1);
        Ok(())
    }

    /// Compares the number of digests so far, after the last of the list, with the expected number.
    pub fn fit(&self) -> Fit {
        let (words, expected) = (self.words.saturating_add(self.group.words), self.header.capacity);
        if words > expected.saturating_add(expected / TOO_MANY) {
            Fit::TooFull
        } else if words < expected.saturating_sub(expected / TOO_FEW) {
            Fit::TooLarge
        } else {
            Fit::Good
        }
    }

    /// Writes the last groups; returns the header of the file, which belongs before the pages. Its rate is
    /// that of the fullest group, if that group exceeds its capacity.
    ///
    /// # Errors
    /// [`OrderError`].
    pub fn finish(mut self, lines: &LineCounts, write: &mut PageWriter<'_>) -> Result<Header, OrderError> {
        self.turn_to(1 << self.header.group_bits, write)?;
        let InOrder { mut header, crowding, words, fullest, .. } = self;
        (header.words, header.lines) = (words, lines.accepted);
        header.capacity = header.capacity.max(words);
        if fullest > crowding.room {
            let geometry = Geometry { pages: header.group_pages(), ..Geometry::of(&header) };
            let rate = Demand::of(&header).expected_rate(Counts { words: fullest, extension: 0 }, geometry);
            header.stated.false_rejection = header.stated.false_rejection.max(rate);
        }
        Ok(header)
    }
}

/// Collects the hashes of digests.
struct DigestHashes<'a> {
    header: &'a Header,
    hashes: &'a mut Vec<u64>,
}

impl Entries for DigestHashes<'_> {
    fn short(&mut self, _: Short) {}

    fn word(&mut self, _: &Word) {}

    #[inline]
    fn digest(&mut self, digest: &[u8]) {
        self.hashes.push(self.header.hash_digest(digest));
    }
}
