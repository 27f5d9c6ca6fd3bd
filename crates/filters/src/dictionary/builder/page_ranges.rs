//! Strings that were read but not stored yet: sorted by ranges of pages, so that each range is filled at
//! once.

use super::spec::Reading;
use crate::{
    dictionary::sizing::Counts,
    format::{Header, SchemeId},
    hash::Short,
    list::{Entries, LineCounts},
    neighbours::Scratch,
    page::{self, Layer, Page, Spread, place_of, with_place},
    storage::mapped::fetch_ahead,
    word::Word,
};

/// Hashes of the strings to store that one thread has read, by page range.
pub(super) struct RangedHashes {
    ranges: Vec<RangeStrings>,
    strings: usize,
    scratch: Scratch,
}

/// Strings to store in one range.
#[derive(Clone, Default)]
struct RangeStrings {
    words: Strings,
    /// Hashes with their positions: see [`with_place`].
    deletions: Strings,
}

/// Strings of one layer in the order of the lists.
#[derive(Clone, Default)]
struct Strings {
    hashes: Vec<u64>,
    /// Their number at the end of each block.
    ends: Vec<usize>,
}

impl Strings {
    fn clear(&mut self) {
        self.hashes.clear();
        self.ends.clear();
    }

    fn end_block(&mut self) {
        self.ends.push(self.hashes.len());
    }

    fn of_block(&self, block: usize) -> &[u64] {
        let end = |block: usize| self.ends.get(block).copied().unwrap_or(0);
        let start = block.checked_sub(1).map_or(0, end);
        self.hashes.get(start..end(block)).unwrap_or_default()
    }
}

impl RangedHashes {
    pub(super) fn new(ranges: usize) -> RangedHashes {
        RangedHashes {
            ranges: vec![RangeStrings::default(); ranges],
            strings: 0,
            scratch: Scratch::default(),
        }
    }

    /// The number of collected strings.
    pub(super) fn len(&self) -> usize {
        self.strings
    }

    pub(super) fn clear(&mut self) {
        for range in &mut self.ranges {
            range.words.clear();
            range.deletions.clear();
        }
        self.strings = 0;
    }

    /// Reads this thread's part of a block.
    pub(super) fn read(&mut self, header: &Header, lines: Reading, shift: u32, part: &[u8]) -> LineCounts {
        let RangedHashes { ranges, strings, scratch } = self;
        let hashes = Hashes { ranges, strings, header, shift };
        let reader = &mut EntryHasher { hashes, scratch };
        lines.format.read_entries(part, lines.forms, &mut Word::with_full_capacity(), reader)
    }

    /// Marks the end of a block, even if this thread read no part of it.
    pub(super) fn end_block(&mut self) {
        for range in &mut self.ranges {
            range.words.end_block();
            range.deletions.end_block();
        }
    }
}

/// Sorts hashes by page range.
struct Hashes<'a> {
    ranges: &'a mut [RangeStrings],
    strings: &'a mut usize,
    header: &'a Header,
    shift: u32,
}

impl Hashes<'_> {
    #[inline]
    fn push(&mut self, layer: Layer, hash: u64) {
        let index = usize::try_from(page::page_of(hash, self.header.pages) >> self.shift);
        let Some(range) = index.ok().and_then(|index| self.ranges.get_mut(index)) else { return };
        match layer {
            Layer::Word => range.words.hashes.push(hash),
            Layer::Deletion { at } => range.deletions.hashes.push(with_place(hash, at)),
        }
        *self.strings += 1;
    }
}

/// Hashes the strings of entries.
struct EntryHasher<'a> {
    hashes: Hashes<'a>,
    scratch: &'a mut Scratch,
}

impl Entries for EntryHasher<'_> {
    #[inline]
    fn short(&mut self, word: Short) {
        let header = self.hashes.header;
        let stored = header.stored();
        if stored == SchemeId::Paper {
            let text: Vec<u8> = word.bytes().collect();
            return Word::from_encoded(&text).iter().for_each(|word| self.word(word));
        }
        self.hashes.push(Layer::Word, header.key.hash_short(word));
        if stored == SchemeId::Deletions {
            let mut at = 0;
            header.key.hash_deletions(word, |hash| {
                self.hashes.push(Layer::Deletion { at }, hash);
                at += 1;
            });
        }
    }

    fn word(&mut self, word: &Word) {
        let EntryHasher { hashes, scratch } = self;
        let header = hashes.header;
        header.stored().each_stored(word, scratch, &mut |layer, string| {
            hashes.push(layer, header.hash(string));
        });
    }

    #[inline]
    fn digest(&mut self, digest: &[u8]) {
        self.hashes.push(Layer::Word, self.hashes.header.hash_digest(digest));
    }
}

/// The cache lines of a string are prefetched this number of strings before its bits are set.
const AHEAD: usize = 12;

/// A range of pages, filled by one thread.
pub(super) struct PageRange<'p> {
    pub(super) index: usize,
    pub(super) start: u64,
    pub(super) pages: &'p mut [Page],
}

impl PageRange<'_> {
    /// Stores the collected strings, all words before all deletions, both in the order of the lists, so that
    /// the threads have no influence on which strings count as new. `strings` is a buffer.
    pub(super) fn store(
        mut self,
        header: &Header,
        threads: &[RangedHashes],
        strings: &mut Vec<u64>,
    ) -> Counts {
        self.collect(threads, |waiting| &waiting.words, strings);
        let words = self.set_all(header, strings, |_| Layer::Word);
        self.collect(threads, |waiting| &waiting.deletions, strings);
        let extension = self.set_all(header, strings, |marked| Layer::Deletion { at: place_of(marked) });
        Counts { words, extension }
    }

    /// The strings of this range in the order of the lists: each part of a block was read by one thread.
    fn collect(
        &self,
        threads: &[RangedHashes],
        of: impl Fn(&RangeStrings) -> &Strings,
        strings: &mut Vec<u64>,
    ) {
        strings.clear();
        let waiting = || threads.iter().filter_map(|thread| thread.ranges.get(self.index)).map(&of);
        for block in 0..waiting().map(|waiting| waiting.ends.len()).max().unwrap_or(0) {
            waiting().for_each(|waiting| strings.extend_from_slice(waiting.of_block(block)));
        }
    }

    /// Sets the bits of all strings; returns the number of new ones.
    fn set_all(&mut self, header: &Header, strings: &[u64], layer: impl Fn(u64) -> Layer) -> u64 {
        let mut new = 0;
        for (number, &hash) in strings.iter().enumerate() {
            if let Some(&later) = strings.get(number + AHEAD) {
                self.fetch(header, later);
            }
            let page = self.place(header, hash).and_then(|at| self.pages.get_mut(at));
            new += u64::from(page.is_some_and(|page| page::set(page, hash, header.probes(layer(hash)))));
        }
        new
    }

    /// Prefetches the cache line of a string, or the lines of all its bits if they are in different ones.
    #[inline]
    fn fetch(&self, header: &Header, hash: u64) {
        let Some(page) = self.place(header, hash).and_then(|at| self.pages.get(at)) else { return };
        let fetch = |at: usize| page.get(at).into_iter().for_each(fetch_ahead);
        match header.spread() {
            Spread::Page => page::each_byte_anywhere(hash, header.word_bits, fetch),
            Spread::FourPerLine | Spread::EightPerLine => fetch(page::first_byte(hash)),
        }
    }

    #[inline]
    fn place(&self, header: &Header, hash: u64) -> Option<usize> {
        usize::try_from(page::page_of(hash, header.pages) - self.start).ok()
    }
}
