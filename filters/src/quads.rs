//! Which four characters in a row the dictionary's long words have, word ends included: what a lookup at
//! distance 2 looks at first ([`crate::dictionary`]'s `two_edits`).
//!
//! Nearly every random password, and most that look like words, has so many rows of four characters that no
//! long word has that no two edits touch them all, and where they can, few letters fit. No word is ever lost:
//! every four of every long word are in the table.
//!
//! The table is a hashed set, so that a four of no word passes for one of a word now and then, which costs a
//! probe and nothing else. Characters are hashed by their values: the table does not change when the alphabet
//! grows.

#![allow(clippy::arithmetic_side_effects, reason = "positions in a table that is in memory")]

use crate::{
    digrams::united_tables,
    word::{Symbol, Word},
};

/// Letters from which a word is long: only those are looked for at distance 2, since shorter ones are near to
/// everything.
pub const LEAST_FAR_WORD: usize = 10;

/// Characters of a window.
pub(crate) const WINDOW: usize = 4;

/// The number of a word's beginning and end.
pub(crate) const END: u32 = 0;

/// The number of what no long word has.
pub(crate) const NO_LETTER: u32 = u32::MAX;

/// Bytes of the smallest and the largest table.
pub(crate) const MIN_BYTES: usize = 1 << 6;
pub(crate) const MAX_BYTES: usize = 1 << 16;

/// The least bits for each four characters in a table below the largest: then about one in five strangers
/// passes.
const BITS_PER_QUAD: usize = 4;

/// The fours of a dictionary's long words, as a set of bits: none, or a power of two bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quads {
    table: Vec<u8>,
    /// How far the hash of four is shifted for its position.
    shift: u32,
}

/// True for the characters of the words that are looked for.
pub(crate) fn is_letter(symbol: Symbol) -> bool {
    symbol.ascii().map_or_else(
        || symbol.character().is_some_and(char::is_alphabetic),
        |byte| byte.is_ascii_alphabetic(),
    )
}

/// The number of a symbol: its value plus 1, for letters.
#[inline]
pub(crate) fn number_of(symbol: Symbol) -> u32 {
    if is_letter(symbol) { symbol.value() + 1 } else { NO_LETTER }
}

/// Odd multipliers with well-spread bits (Steele & Vigna, "Computationally easy, spectrally good
/// multipliers", table 5): two numbers are one factor, the first of them the higher half.
const FIRST: u64 = 0xf135_7aea_2e62_a9c5;
const SECOND: u64 = 0xd134_2543_de82_ef95;

/// What each of four numbers is multiplied by.
const FACTORS: [u64; WINDOW] = [FIRST << 32, FIRST, SECOND << 32, SECOND];

/// The hash of four numbers, of which the high bits are used: a sum of products, modulo 2⁶⁴.
#[inline]
fn hash(four: [u32; WINDOW]) -> u64 {
    let product = |(number, factor): (u32, u64)| u64::from(number).wrapping_mul(factor);
    four.into_iter().zip(FACTORS).map(product).fold(0, u64::wrapping_add)
}

/// The bit of a hash in a table of 2⁶⁴⁻ˢʰⁱᶠᵗ bits.
#[inline]
#[allow(clippy::cast_possible_truncation, reason = "less than the table's bits")]
fn position(hash: u64, shift: u32) -> usize {
    (hash >> shift) as usize
}

/// Four numbers one of which is open: the hash of the others, and what it is multiplied by.
#[derive(Clone, Copy)]
pub(crate) struct OpenFour {
    others: u64,
    factor: u64,
}

impl OpenFour {
    /// None where one of the others is no letter.
    #[inline]
    pub(crate) fn new(mut four: [u32; WINDOW], at: usize) -> Option<OpenFour> {
        *four.get_mut(at)? = 0;
        let factor = *FACTORS.get(at)?;
        (!four.contains(&NO_LETTER)).then(|| OpenFour { others: hash(four), factor })
    }
}

/// How far a hash is shifted for a position in a table of so many bytes, a power of two.
fn shift_of(bytes: usize) -> u32 {
    61_u32.saturating_sub(bytes.trailing_zeros())
}

impl Quads {
    fn new(table: Vec<u8>) -> Quads {
        let shift = shift_of(table.len());
        Quads { table, shift }
    }

    /// Reads a table. `None` when its length is not one that a table can have.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Quads> {
        let is_legal = bytes.len().is_power_of_two() && (MIN_BYTES..=MAX_BYTES).contains(&bytes.len());
        (is_legal || bytes.is_empty()).then(|| Quads::new(bytes.to_vec()))
    }

    /// The table as stored in a header.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.table
    }

    /// True when there is no long word.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// False when surely no long word has these four characters in a row, given by their numbers.
    #[inline]
    pub(crate) fn may_have(&self, four: [u32; WINDOW]) -> bool {
        !four.contains(&NO_LETTER) && self.has(hash(four))
    }

    /// The same of four of which all but one were hashed before; `number` is that of a letter or an end.
    #[inline]
    pub(crate) fn may_have_with(&self, four: OpenFour, number: u32) -> bool {
        self.has(four.others.wrapping_add(u64::from(number).wrapping_mul(four.factor)))
    }

    #[inline]
    fn has(&self, hash: u64) -> bool {
        let at = position(hash, self.shift);
        self.table.get(at / 8).is_some_and(|byte| byte >> (at % 8) & 1 == 1)
    }

    /// The fours of both.
    #[must_use]
    pub(crate) fn united(&self, other: &Quads) -> Quads {
        Quads::new(united_tables(&self.table, &other.table))
    }
}

/// The fours of a list's words under survey, in a table of the largest size.
#[derive(Clone, Default)]
pub(crate) struct QuadSurvey(Vec<u8>);

impl QuadSurvey {
    /// Adds a word, if it is long and of letters only.
    pub(crate) fn insert(&mut self, word: &Word) {
        if word.len() >= LEAST_FAR_WORD && word.symbols().all(is_letter) {
            self.insert_numbers(word.symbols().map(number_of));
        }
    }

    /// Adds a long word of letters, given by their numbers.
    pub(crate) fn insert_numbers(&mut self, numbers: impl Iterator<Item = u32>) {
        if self.0.is_empty() {
            self.0.resize(MAX_BYTES, 0);
        }
        let mut four = [END; WINDOW];
        let ends = std::iter::once(END);
        for (number, seen) in numbers.chain(ends).zip(2_usize..) {
            let [_, b, c, d] = four;
            four = [b, c, d, number];
            let at = position(hash(four), shift_of(MAX_BYTES));
            if let Some(byte) = self.0.get_mut(at / 8).filter(|_| seen >= WINDOW) {
                *byte |= 1 << (at % 8);
            }
        }
    }

    pub(crate) fn merge(&mut self, other: QuadSurvey) {
        if self.0.is_empty() {
            self.0 = other.0;
            return;
        }
        self.0.iter_mut().zip(other.0).for_each(|(byte, more)| *byte |= more);
    }

    /// The table, no larger than it takes. Positions are the high bits of a hash, so that one bit of a table
    /// stands for 2ⁿ neighbouring bits of a table 2ⁿ times as long.
    pub(crate) fn finish(&self) -> Quads {
        let ones: usize = self.0.iter().map(|byte| byte.count_ones() as usize).sum();
        if ones == 0 {
            return Quads::default();
        }
        let bytes = (ones * BITS_PER_QUAD / 8).next_power_of_two().clamp(MIN_BYTES, MAX_BYTES);
        let mut table = vec![0; bytes];
        for (at, byte) in self.0.iter().enumerate().filter(|(_, byte)| **byte != 0) {
            for bit in (0..8).filter(|bit| byte >> bit & 1 == 1) {
                let at = (at * 8 + bit) * bytes / MAX_BYTES;
                if let Some(byte) = table.get_mut(at / 8) {
                    *byte |= 1 << (at % 8);
                }
            }
        }
        Quads::new(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn survey(words: &[&str]) -> QuadSurvey {
        let mut survey = QuadSurvey::default();
        for word in words {
            survey.insert(&Word::clean(word.as_bytes()).unwrap());
        }
        survey
    }

    fn fours(text: &str) -> Vec<[u32; WINDOW]> {
        let inner = text.chars().map(|c| number_of(Symbol::of(c)));
        let all: Vec<u32> = std::iter::once(END).chain(inner).chain([END]).collect();
        all.windows(WINDOW).map(|four| four.try_into().unwrap()).collect()
    }

    #[test]
    fn every_four_of_long_words_of_letters_is_there_and_hardly_another() {
        let quads = survey(&["elephantine", "éléphantesque", "short", "numb3rsinside"]).finish();
        assert_eq!(quads.as_bytes().len(), MIN_BYTES);
        for text in ["elephantine", "éléphantesque"] {
            assert!(fours(text).into_iter().all(|four| quads.may_have(four)), "{text}");
        }
        let strangers = fours("short").into_iter().chain(fours("xylophagous")).chain(fours("numbersinside"));
        assert!(strangers.clone().filter(|&four| quads.may_have(four)).count() * 5 < strangers.count());
        assert!(!quads.may_have([NO_LETTER; WINDOW]));
    }

    #[test]
    fn no_long_word_is_no_table() {
        assert!(survey(&["short", "12345678901"]).finish().is_empty());
        assert!(!Quads::default().may_have([1; WINDOW]));
    }

    #[test]
    fn tables_of_different_sizes_unite_to_one_that_has_both() {
        let letters = || 'a'..='z';
        let words = letters().flat_map(|c| letters().map(move |d| format!("{c}{d}cdefghij{d}{c}")));
        let words: Vec<String> = words.collect();
        let many: Vec<&str> = words.iter().map(String::as_str).collect();
        let (small, large) = (survey(&["elephantine"]).finish(), survey(&many).finish());
        assert!(small.as_bytes().len() < large.as_bytes().len());
        for united in [small.united(&large), large.united(&small)] {
            assert_eq!(united.as_bytes().len(), large.as_bytes().len());
            let all = words.iter().map(String::as_str).chain(["elephantine"]);
            assert!(all.flat_map(fours).all(|four| united.may_have(four)));
        }
        assert_eq!(Quads::default().united(&small), small);
    }

    #[test]
    fn only_powers_of_two_between_the_limits_are_tables() {
        for (bytes, is_legal) in
            [(0, true), (32, false), (64, true), (96, false), (MAX_BYTES, true), (MAX_BYTES * 2, false)]
        {
            assert_eq!(Quads::from_bytes(&vec![1; bytes]).is_some(), is_legal, "{bytes}");
        }
    }
}
