//! The set of 4-grams of the dictionary's long words, word ends included: a lookup at distance 2 tests it
//! first ([`crate::dictionary`]'s `distance_2`).
//!
//! Nearly every random password, and most that look like words, contain more unseen 4-grams than two edits
//! can repair, and if two edits can, few letters fit. No word is ever lost: every 4-gram of every long word
//! is in the table.
//!
//! The table is a hashed set: an unseen 4-gram occasionally passes for a seen one, which only costs a probe.
//! Characters are hashed by their values: the table does not change when the alphabet grows.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "positions in a table that is in memory; a product of two 64-bit numbers fits 128 bits"
)]

mod table;

pub(crate) use table::FourGramSurvey;
pub use table::FourGramTable;

use crate::{
    page::{PAGE_BITS, PAGE_BYTES, Page},
    word::Symbol,
};

/// The length from which a word is long: only long words are looked up at distance 2, since shorter ones are
/// near to everything.
pub const MIN_DISTANCE_2_WORD: usize = 10;

/// Characters of a 4-gram.
pub(crate) const GRAM: usize = 4;

/// The number of a word's beginning and end.
pub(crate) const END: u32 = 0;

/// The number of a character that occurs in no long word.
pub(crate) const NO_LETTER: u32 = u32::MAX;

/// Pages of the largest table.
pub(crate) const MAX_PAGES: usize = 16;

/// The number of a symbol: its value plus 1, for letters.
#[inline]
pub(crate) fn number_of(symbol: Symbol) -> u32 {
    if symbol.is_letter() { number_of_letter(symbol) } else { NO_LETTER }
}

/// The number of a symbol that is a letter.
#[inline]
pub(crate) fn number_of_letter(symbol: Symbol) -> u32 {
    symbol.value() + 1
}

/// Odd multipliers with well-spread bits (Steele & Vigna, "Computationally easy, spectrally good
/// multipliers", table 5): two numbers are one factor, the first of them the higher half.
const FIRST: u64 = 0xf135_7aea_2e62_a9c5;
const SECOND: u64 = 0xd134_2543_de82_ef95;

/// The factor of each of the four numbers.
const FACTORS: [u64; GRAM] = [FIRST << 32, FIRST, SECOND << 32, SECOND];

/// The hash of four numbers: a sum of products, modulo 2⁶⁴, of which the high bits are used.
#[inline]
fn hash(gram: [u32; GRAM]) -> u64 {
    let product = |(number, factor): (u32, u64)| u64::from(number).wrapping_mul(factor);
    gram.into_iter().zip(FACTORS).map(product).fold(0, u64::wrapping_add)
}

/// The page and the bit of a hash in a table of `pages` pages. It is the bit ⌊`hash` × bits /
/// 2⁶⁴⌋ of them all, so that one bit of a table stands for 2ⁿ neighbouring bits of a table 2ⁿ times as long.
#[inline]
fn position(hash: u64, pages: u64) -> (usize, usize) {
    let (page, rest) = times(hash, pages);
    let (bit, _) = times(rest, PAGE_BITS.into());
    (page, bit)
}

/// The upper and the lower half of a product.
#[inline]
#[allow(clippy::cast_possible_truncation, reason = "the upper half is below the smaller factor")]
fn times(fraction: u64, whole: u64) -> (usize, u64) {
    let product = u128::from(fraction) * u128::from(whole);
    ((product >> 64) as usize, product as u64)
}

/// A 4-gram with one character open: the hash of the others, and the factor of the open one.
#[derive(Clone, Copy)]
pub(crate) struct OpenFourGram {
    others: u64,
    factor: u64,
}

impl OpenFourGram {
    /// `None` if one of the other characters is not a letter.
    #[inline]
    pub(crate) fn new(mut gram: [u32; GRAM], at: usize) -> Option<OpenFourGram> {
        *gram.get_mut(at)? = 0;
        let factor = *FACTORS.get(at)?;
        (!gram.contains(&NO_LETTER)).then(|| OpenFourGram { others: hash(gram), factor })
    }
}

/// The 4-grams of a dictionary's long words, as a set of bits in the pages to query.
#[derive(Clone, Copy)]
pub(crate) struct FourGrams<'p> {
    bytes: &'p [u8],
    pages: u64,
}

impl<'p> FourGrams<'p> {
    /// The table in these pages: none, or a power of two.
    pub(crate) fn new(pages: &'p [Page]) -> FourGrams<'p> {
        FourGrams { bytes: pages.as_flattened(), pages: pages.len() as u64 }
    }

    /// False if certainly no long word has the 4-gram of these numbers.
    #[inline]
    pub(crate) fn may_have(&self, gram: [u32; GRAM]) -> bool {
        !gram.contains(&NO_LETTER) && self.has(hash(gram))
    }

    /// The same for a 4-gram of which all characters but one were hashed before; `number` is the number of a
    /// letter or an end.
    #[inline]
    pub(crate) fn may_have_with(&self, gram: OpenFourGram, number: u32) -> bool {
        self.has(gram.others.wrapping_add(u64::from(number).wrapping_mul(gram.factor)))
    }

    #[inline]
    fn has(&self, hash: u64) -> bool {
        let (page, bit) = position(hash, self.pages);
        self.bytes.get(page * PAGE_BYTES + bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
    }
}
