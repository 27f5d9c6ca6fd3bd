//! Bits in cache lines: the bits of a group lie in one line of 64 bytes, which the processor fetches at once,
//! one in each of its 64-bit words.
//!
//! Probing a string in both layers reads one line, and the deletion layer is probed for 64 places at once:
//! the place rotates all bits of a string by its number within their words. Each word of the line, rotated
//! back by the position of the string's bit at place 0, then has the bit of place *i* at *i*, and the AND of
//! these words tells for each place if all bits are set.
//!
//! Lines are unevenly loaded, which raises the false positive rate ([`crate::dictionary::sizing`]).

#![allow(clippy::indexing_slicing, reason = "masked below the length of an array")]
#![allow(clippy::arithmetic_side_effects, reason = "positions within a page; products fit their 128 bits")]
#![allow(clippy::cast_possible_truncation, reason = "positions within a page; halves of a product")]

use super::{
    Page,
    layer::{Layer, PLACE, PLACE_SHIFT},
};
use crate::chunks::{chunks, chunks_mut};

/// 64-bit words of a line.
pub(crate) const LINE_WORDS: usize = 8;

/// Lines of a page.
const LINES: usize = 64;

/// The line whose last word is only half as long: the other half is the page's checksum.
const LAST_LINE: usize = LINES - 1;
const LAST_WORD: usize = LINE_WORDS - 1;

/// The number of places of the deletion layer that are probed together.
pub(crate) const PLACES: usize = 64;

/// Odd multipliers with well-spread bits: Steele & Vigna, "Computationally easy, spectrally good
/// multipliers", table 5 (64 bits), and the two of `MurmurHash3`'s finaliser.
const WORD: u64 = 0xf135_7aea_2e62_a9c5;
const DELETION: u64 = 0xff51_afd7_ed55_8ccd;
const NEXT: u64 = 0xc4ce_b9fe_1a85_ec53;

/// A line as its words, little-endian.
type Line = [[u8; 8]; LINE_WORDS];

#[inline]
fn lines(page: &Page) -> &[Line] {
    chunks(chunks(page).0).0
}

/// The halves of a product of 128 bits, combined: every bit of it depends on most bits of `number`.
#[inline]
fn mixed(number: u64, multiplier: u64) -> u64 {
    let product = u128::from(number) * u128::from(multiplier);
    (product >> 64) as u64 ^ product as u64
}

/// The line of a string's first bits: the same in both layers and at all places.
#[inline]
pub(super) fn first_line(hash: u64) -> usize {
    (hash & (LINES as u64 - 1)) as usize
}

/// Bits of one string in one line, at most one in each word.
#[derive(Clone, Copy)]
pub(super) struct Group {
    line: usize,
    /// Six bits for the position in each word, from the lowest; bits 48 to 50 are the first word if not all
    /// are used, bits 58 to 63 the line of the next group.
    pattern: u64,
}

impl Group {
    /// The first group of a string in the word layer.
    #[inline]
    pub(super) fn of_word(hash: u64) -> Group {
        Group { line: first_line(hash), pattern: mixed(hash, WORD) }
    }

    /// The only group of a string in the deletion layer at the first of 64 places: `places` is a place
    /// divided by 64.
    #[inline]
    pub(super) fn of_deletion(hash: u64, places: usize) -> Group {
        let hash = hash & !PLACE | (places as u64) << PLACE_SHIFT;
        Group { line: first_line(hash), pattern: mixed(hash, DELETION) }
    }

    /// The group after this one, in the word layer.
    #[inline]
    pub(super) fn next(self) -> Group {
        Group { line: (self.pattern >> 58) as usize, pattern: mixed(self.pattern, NEXT) }
    }

    /// The byte of the page where its line begins.
    #[inline]
    pub(super) fn byte(self) -> usize {
        self.line << 6
    }

    /// The word of the bit with this number, when `count` bits are used.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "`count` is known where it is called")]
    fn word(self, number: usize, count: usize) -> usize {
        let first = if count == LINE_WORDS { 0 } else { (self.pattern >> 48) as usize & LAST_WORD };
        (first + number) & LAST_WORD
    }

    /// The position of the bit with this number in its word, at the place 0.
    #[inline]
    fn position(self, number: usize) -> u32 {
        (self.pattern >> (6 * number)) as u32 & 63
    }

    /// A bit for each of 64 places, set if the first `count` bits are set there: bit *i* is place *i*, and in
    /// the word layer bit 0 is the result.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "called in loops over strings that have all but the hash in common"
    )]
    pub(super) fn places(self, page: &Page, count: u8) -> u64 {
        let Some(line) = lines(page).get(self.line) else { return 0 };
        if self.line == LAST_LINE {
            return self.places_beside_the_checksum(line, count);
        }
        self.places_in(line, count)
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "as above")]
    fn places_in(self, line: &Line, count: u8) -> u64 {
        match count {
            8 => self.all_of::<8>(line),
            6 => self.all_of::<6>(line),
            4 => self.all_of::<4>(line),
            count => self.some_of(line, count),
        }
    }

    /// Half a word counts as a whole one with two equal halves.
    #[cold]
    fn places_beside_the_checksum(self, line: &Line, count: u8) -> u64 {
        let mut line = *line;
        let [a, b, c, d, ..] = line[LAST_WORD];
        line[LAST_WORD] = [a, b, c, d, a, b, c, d];
        self.some_of(&line, count)
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "as above")]
    fn all_of<const COUNT: usize>(self, line: &Line) -> u64 {
        (0..COUNT).fold(u64::MAX, |all, number| all & self.turned(line, number, COUNT))
    }

    #[inline]
    fn some_of(self, line: &Line, count: u8) -> u64 {
        let count = usize::from(count);
        (0..count).fold(u64::MAX, |all, number| all & self.turned(line, number, count))
    }

    /// The word of a bit, rotated so that the bit of place *i* is bit *i*.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "as above")]
    fn turned(self, line: &Line, number: usize, count: usize) -> u64 {
        u64::from_le_bytes(line[self.word(number, count)]).rotate_right(self.position(number))
    }

    /// The positions of the first `count` bits in the page, at a place below 64.
    pub(super) fn positions(self, count: u8, place: u32) -> impl Iterator<Item = u32> {
        let count = usize::from(count);
        (0..count).map(move |number| {
            let (word, within) = self.bit(number, count, place);
            (self.line as u32) << 9 | (word as u32) << 6 | within
        })
    }

    /// The word of a bit and its position there, at a place below 64.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "`count` is known where it is called")]
    fn bit(self, number: usize, count: usize, place: u32) -> (usize, u32) {
        let word = self.word(number, count);
        let is_half = self.line == LAST_LINE && word == LAST_WORD;
        (word, (self.position(number) + place) & if is_half { 31 } else { 63 })
    }

    /// Sets the first `count` bits at a place below 64; true when all of them were set before.
    #[inline]
    pub(super) fn set(self, page: &mut Page, count: u8, place: u32) -> bool {
        let Some(line) = chunks_mut::<_, _, LINE_WORDS>(chunks_mut::<_, _, 8>(page).0).0.get_mut(self.line)
        else {
            return false;
        };
        if self.line == LAST_LINE {
            return self.set_beside_the_checksum(line, count, place);
        }
        match count {
            8 => self.set_in(line, 8, place),
            6 => self.set_in(line, 6, place),
            4 => self.set_in(line, 4, place),
            count => self.set_in(line, usize::from(count), place),
        }
    }

    /// No checks and no branches, since a builder spends most of its time here: places and numbers of bits
    /// are below 64.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "`count` is known where it is called")]
    fn set_in(self, line: &mut Line, count: usize, place: u32) -> bool {
        let first = self.word(0, count);
        let (mut pattern, mut were_set) = (self.pattern, 1);
        for number in 0..count {
            let word = &mut line[first.wrapping_add(number) & LAST_WORD];
            let within = (pattern as u32).wrapping_add(place) & 63;
            let before = u64::from_le_bytes(*word);
            *word = (before | 1 << within).to_le_bytes();
            were_set &= before >> within;
            pattern >>= 6;
        }
        were_set & 1 == 1
    }

    #[cold]
    fn set_beside_the_checksum(self, line: &mut Line, count: u8, place: u32) -> bool {
        let count = usize::from(count);
        (0..count).fold(1, |were_set, number| {
            let (word, within) = self.bit(number, count, place);
            let before = u64::from_le_bytes(line[word]);
            line[word] = (before | 1 << within).to_le_bytes();
            were_set & before >> within
        }) & 1
            == 1
    }
}

/// The groups of a string, `per_line` bits each, with the number of bits of each.
#[inline]
pub(super) fn groups(hash: u64, layer: Layer, count: u8, per_line: u8) -> impl Iterator<Item = (Group, u8)> {
    let mut group = match layer {
        Layer::Word => Group::of_word(hash),
        Layer::Deletion { at } => Group::of_deletion(hash, usize::from(at) / PLACES),
    };
    let mut left = count;
    std::iter::from_fn(move || {
        let bits = left.min(per_line);
        left -= bits;
        let this = group;
        (bits > 0).then(|| {
            group = group.next();
            (this, bits)
        })
    })
}

/// The place of a layer among the 64 that are probed together.
#[inline]
pub(super) fn place(layer: Layer) -> u32 {
    match layer {
        Layer::Word => 0,
        Layer::Deletion { at } => u32::from(at) % PLACES as u32,
    }
}
