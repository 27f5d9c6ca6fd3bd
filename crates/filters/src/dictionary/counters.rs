//! Counters next to a filter, one for each of its bits, so that words can be removed (Fan et al., "Summary
//! Cache", 2000, §V: counting Bloom filters).
//!
//! A bit of the filter is set exactly if its counter is above zero. Counters have 4 bits; a counter that
//! reached 15 stays there forever, since the number of its strings is no longer known: its bit is never
//! cleared, and no word is ever lost. Two words that share a deletion count it twice; each word counts once,
//! however often it is in the lists, since the counters store the hashes of their words. So a word that was
//! never counted is distinguished from a false positive, and no counter is decremented that was not
//! incremented. A string that is stored as the plain form of words with accents stays until the last of them
//! is removed, and longer if it is a word itself (`uses`).
//!
//! The counters contain their filter's header, too: filter and counters are two files, and a change that was
//! interrupted between replacing the two can be completed from the counters.

#![allow(clippy::arithmetic_side_effects, reason = "counters of four bits, counts of what is in memory")]

mod error;
mod file;
mod uses;

use std::collections::HashMap;

pub use error::{CountsError, CountsProblem};

use self::uses::Uses;
use super::{
    builder::{BuildError, SizedBy, empty_pages},
    sizing::Counts,
};
use crate::{
    chunks::chunks,
    format::{self, Header, SchemeId},
    list::{Entry, Forms, LineCounts, LineFormat},
    neighbours::Scratch,
    page::{self, Layer, PAGE_BITS, PAGE_BYTES, Page},
};

/// Bytes of the counters of one page of the filter, with their checksum.
pub(crate) const COUNTER_PAGE_BYTES: usize = 16_384;

/// The value at which a counter stays.
const SATURATED: u8 = 15;

type CounterPage = [u8; COUNTER_PAGE_BYTES];

/// The counters of a filter.
pub struct Counters {
    header: Header,
    identity: u64,
    previous: u64,
    pages: Vec<CounterPage>,
    /// The pages of the filter's table of 4-grams, from which nothing is removed.
    four_grams: Vec<Page>,
    /// The hashes of the stored words and plain forms.
    words: HashMap<u64, Uses>,
    extension: u64,
    scratch: Scratch,
}

impl Counters {
    /// Counters at zero, for a filter with this key, scheme and geometry.
    ///
    /// # Errors
    /// [`BuildError::Memory`].
    pub fn new(header: &Header) -> Result<Counters, BuildError> {
        let bytes = header.pages.saturating_mul(COUNTER_PAGE_BYTES as u64);
        let memory = BuildError::Memory { bytes, by: SizedBy::Rate };
        let count = usize::try_from(header.pages).map_err(|_| memory)?;
        let mut pages = Vec::new();
        pages.try_reserve_exact(count).map_err(|_| memory)?;
        pages.resize(count, [0; COUNTER_PAGE_BYTES]);
        Ok(Counters {
            header: header.clone(),
            identity: 0,
            previous: 0,
            pages,
            four_grams: Vec::new(),
            words: HashMap::new(),
            extension: 0,
            scratch: Scratch::default(),
        })
    }

    /// The header of the filter they belong to.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The exact number of distinct words, and the number of distinct derived strings as far as the bits show
    /// it.
    pub fn counts(&self) -> Counts {
        Counts { words: self.words.len() as u64, extension: self.extension }
    }

    /// True if the word is counted, and not only stored as the plain form of others.
    pub fn contains(&self, entry: &Entry) -> bool {
        self.uses(entry).is_word()
    }

    /// True if the string is stored only as the plain form of counted words.
    pub fn is_plain_form(&self, entry: &Entry) -> bool {
        let uses = self.uses(entry);
        uses.is_any() && !uses.is_word()
    }

    fn uses(&self, entry: &Entry) -> Uses {
        self.words.get(&self.hash(entry)).copied().unwrap_or_default()
    }

    fn hash(&self, entry: &Entry) -> u64 {
        self.header.key.hash(entry.bytes(self.header.kind))
    }

    /// Counts the words of a block of whole lines that are not counted yet.
    pub fn insert_block(&mut self, min_count: u64, forms: Forms, block: &[u8]) -> LineCounts {
        let lines = LineFormat { kind: self.header.kind, min_count };
        let mut form = Entry::default();
        lines.read_block(block, &mut Entry::default(), |entry| {
            self.change(entry, Uses::count_word);
            if forms == Forms::Plain && !self.uses(entry).has_forms() {
                self.change(entry, Uses::count_forms);
                entry.each_plain_form(&mut form, |form| self.change(form, Uses::count_form));
            }
        })
    }

    /// Removes a word together with its plain forms, by which it would otherwise still be found without
    /// accents, unless they are words themselves or forms of others. False, and nothing is changed, if it is
    /// not counted.
    pub fn remove(&mut self, entry: &Entry) -> bool {
        let uses = self.uses(entry);
        if uses.is_word() {
            self.change(entry, Uses::remove_word);
        }
        if uses.has_forms() {
            entry.each_plain_form(&mut Entry::default(), |form| self.change(form, Uses::remove_form));
        }
        uses.is_word()
    }

    /// Changes the uses of a string, and counts its strings when the first use begins and the last one ends.
    fn change(&mut self, entry: &Entry, change: fn(&mut Uses)) {
        let hash = self.hash(entry);
        let uses = self.words.entry(hash).or_default();
        let was_stored = uses.is_any();
        change(uses);
        let is_stored = uses.is_any();
        if !is_stored {
            self.words.remove(&hash);
        }
        if is_stored && !was_stored {
            let new = self.for_each_string(entry, count_up);
            self.extension = self.extension.saturating_add(new);
        } else if was_stored && !is_stored {
            let gone = self.for_each_string(entry, count_down);
            self.extension = self.extension.saturating_sub(gone);
        }
    }

    /// Changes the counters of every string stored for the word; returns the number of derived strings for
    /// which `change` reported that one of their bits was set or cleared.
    fn for_each_string(&mut self, entry: &Entry, change: fn(&mut CounterPage, u32) -> bool) -> u64 {
        let Counters { header, pages, scratch, .. } = self;
        let mut changed = 0_u64;
        let mut visit = |layer: Layer, string: &[u8]| {
            let hash = header.hash(string);
            let at = usize::try_from(page::page_of(hash, header.pages)).unwrap_or(usize::MAX);
            let Some(page) = pages.get_mut(at) else { return };
            let any =
                page::positions(hash, header.probes(layer)).fold(false, |any, at| change(page, at) | any);
            let is_derived = layer.is_deletion() || header.scheme == SchemeId::Paper;
            changed += u64::from(any && is_derived);
        };
        match header.scheme {
            SchemeId::Whole => visit(Layer::Word, entry.bytes(header.kind)),
            _ => header.stored().each_stored(&entry.word, scratch, &mut visit),
        }
        changed
    }

    /// All pages of the filter, sealed: in pages for keys a bit is set if its counter is above zero; the
    /// table of 4-grams is unchanged since the counters were bound.
    ///
    /// # Errors
    /// [`BuildError::Memory`].
    pub fn filter_pages(&self) -> Result<Vec<Page>, BuildError> {
        let mut pages = empty_pages(self.header.pages)?;
        for (page, counters) in pages.iter_mut().zip(&self.pages) {
            for (byte, four) in page.iter_mut().zip(chunks::<_, _, 4>(counter_bytes(counters)).0) {
                *byte = bits_of(*four);
            }
            page::seal(page);
        }
        pages.extend_from_slice(&self.four_grams);
        Ok(pages)
    }

    /// The number of saturated counters.
    pub fn saturated(&self) -> u64 {
        let is_high = |byte: &u8| byte >> 4 == SATURATED;
        let is_low = |byte: &u8| byte & SATURATED == SATURATED;
        let bytes = || self.pages.iter().flat_map(counter_bytes);
        let (high, low) = (bytes().filter(|byte| is_high(byte)), bytes().filter(|byte| is_low(byte)));
        high.count() as u64 + low.count() as u64
    }

    /// Binds the counters to a filter with this header and these pages, all of them, remembering the previous
    /// one.
    pub fn bind(&mut self, header_bytes: &[u8], header: &Header, pages: &[Page]) {
        self.header = header.clone();
        let keys = usize::try_from(header.pages).unwrap_or(usize::MAX);
        self.four_grams = pages.get(keys..).unwrap_or_default().to_vec();
        self.previous = self.identity;
        self.identity = identity(header, header_bytes, pages);
    }

    /// True when the counters belong to the filter with this identity.
    pub fn belong_to(&self, identity: u64) -> bool {
        self.identity == identity
    }

    /// True when the counters belonged to the filter with this identity before they were last changed: that
    /// change was interrupted before the filter was replaced.
    pub fn belonged_to(&self, identity: u64) -> bool {
        self.previous == identity && identity != 0
    }
}

/// The identity of a filter: the hash, under its key, of its header and its pages' checksums.
pub fn identity(header: &Header, header_bytes: &[u8], pages: &[Page]) -> u64 {
    let mut whole = header_bytes.to_vec();
    for page in pages {
        whole.extend(page.last_chunk::<4>().into_iter().flatten());
    }
    header.key.hash(&whole)
}

/// [`identity`] for a filter with this header.
pub fn identity_of_parts(header: &Header, pages: &[Page]) -> u64 {
    identity(header, &format::encode(header), pages)
}

fn counter_bytes(page: &CounterPage) -> &[u8] {
    page.get(..PAGE_BITS as usize / 2).unwrap_or_default()
}

/// The bits of eight counters.
fn bits_of(counters: [u8; 4]) -> u8 {
    let nibble = |byte: u8| u8::from(byte & 0x0f != 0) | u8::from(byte & 0xf0 != 0) << 1;
    let [a, b, c, d] = counters.map(nibble);
    a | b << 2 | c << 4 | d << 6
}

/// Increments a counter; true if it was zero.
fn count_up(page: &mut CounterPage, position: u32) -> bool {
    change(page, position, |count| if count < SATURATED { count + 1 } else { count }) == (0, 1)
}

/// Decrements a counter; true if it became zero.
fn count_down(page: &mut CounterPage, position: u32) -> bool {
    change(page, position, |count| if (1..SATURATED).contains(&count) { count - 1 } else { count }) == (1, 0)
}

/// Changes a counter; returns its old and its new value. Even positions are the low halves of bytes.
fn change(page: &mut CounterPage, position: u32, next: impl Fn(u8) -> u8) -> (u8, u8) {
    let shift = (position & 1) << 2;
    let Some(byte) = page.get_mut(position as usize / 2) else { return (0, 0) };
    let old = *byte >> shift & SATURATED;
    let new = next(old) & SATURATED;
    *byte = *byte & !(SATURATED << shift) | new << shift;
    (old, new)
}

/// Filter bytes that [`Counters::filter_pages`] fills from counters: all but the checksum.
const _: () =
    assert!(PAGE_BITS as usize / 8 + 4 == PAGE_BYTES && PAGE_BITS as usize / 2 < COUNTER_PAGE_BYTES);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_stay_between_zero_and_fifteen() {
        let mut page = [0; COUNTER_PAGE_BYTES];
        assert!(!count_down(&mut page, 7), "nothing below zero");
        assert!(page.iter().all(|&byte| byte == 0));
        let firsts = (0..20).filter(|_| count_up(&mut page, 7)).count();
        assert_eq!((firsts, page[3]), (1, 0xf0), "one in the high half of byte 3, saturated");
        assert!((0..20).all(|_| !count_down(&mut page, 7)), "and stays so");
        assert_eq!(page[3], 0xf0);
        (0..14).for_each(|_| assert!(count_up(&mut page, 6) || page[3] > 0xf1));
        let zeros = (0..14).filter(|_| count_down(&mut page, 6)).count();
        assert_eq!((zeros, page[3]), (1, 0xf0));
    }

    #[test]
    fn bits_are_counters_above_zero() {
        assert_eq!(bits_of([0, 0, 0, 0]), 0);
        assert_eq!(bits_of([0x01, 0x10, 0xff, 0x20]), 0b1011_1001);
    }
}
