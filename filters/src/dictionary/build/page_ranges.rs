//! A block's strings between being read and being stored: sorted by ranges of pages, then each range filled
//! at once.

use crate::{
    dictionary::sizing::Counts,
    format::{Header, SchemeId},
    list::{Entry, LineCounts, LineFormat},
    neighbours::Scratch,
    page::{self, Layer, Page},
};

/// Hashes of the strings to store for one part of a block, by page range.
pub(super) struct RangedHashes {
    words: Vec<Vec<u64>>,
    deletions: Vec<Vec<Deletion>>,
    entry: Entry,
    scratch: Scratch,
}

impl RangedHashes {
    pub(super) fn new(ranges: usize) -> RangedHashes {
        RangedHashes {
            words: vec![Vec::new(); ranges],
            deletions: vec![Vec::new(); ranges],
            entry: Entry::default(),
            scratch: Scratch::default(),
        }
    }

    pub(super) fn clear(&mut self) {
        self.words.iter_mut().for_each(Vec::clear);
        self.deletions.iter_mut().for_each(Vec::clear);
    }

    pub(super) fn read(&mut self, header: &Header, lines: LineFormat, shift: u32, part: &[u8]) -> LineCounts {
        let RangedHashes { words, deletions, entry, scratch } = self;
        let mut store = |layer: Layer, string: &[u8]| {
            let hash = header.key.hash(string);
            let range = usize::try_from(page::page_of(hash, header.pages) >> shift).unwrap_or(usize::MAX);
            match layer {
                Layer::Word => words.get_mut(range).into_iter().for_each(|words| words.push(hash)),
                Layer::Deletion { at } => {
                    deletions.get_mut(range).into_iter().for_each(|some| some.push(Deletion { hash, at }));
                }
            }
        };
        let scheme = header.stored();
        lines.read_block(part, entry, |entry| match header.scheme {
            SchemeId::Whole => store(Layer::Word, entry.bytes(lines.kind)),
            _ => scheme.each_stored(&entry.word, scratch, &mut store),
        })
    }
}

/// A string of the deletion layer.
#[derive(Clone, Copy)]
struct Deletion {
    hash: u64,
    at: u8,
}

/// A range of pages, filled by one thread.
pub(super) struct PageRange<'p> {
    pub(super) index: usize,
    pub(super) start: u64,
    pub(super) pages: &'p mut [Page],
}

impl PageRange<'_> {
    /// All parts' words before all parts' deletions, so that what counts as new does not depend on the parts.
    pub(super) fn fill(self, header: &Header, parts: &[RangedHashes]) -> Counts {
        let PageRange { index, start, pages } = self;
        let mut set = |hash: u64, layer: Layer| {
            let at = page::page_of(hash, header.pages) - start;
            let page = usize::try_from(at).ok().and_then(|at| pages.get_mut(at));
            u64::from(page.is_some_and(|page| page::set(page, hash, header.probes(layer))))
        };
        let mut new = Counts::default();
        for &hash in parts.iter().filter_map(|part| part.words.get(index)).flatten() {
            new.words += set(hash, Layer::Word);
        }
        for &Deletion { hash, at } in parts.iter().filter_map(|part| part.deletions.get(index)).flatten() {
            new.extension += set(hash, Layer::Deletion { at });
        }
        new
    }
}
