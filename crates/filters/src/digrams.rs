//! The pairs of neighbouring characters that occur in the dictionary, including word ends.
//!
//! A completion with an unseen pair is never probed, and a candidate whose unseen pairs no single edit can
//! repair is accepted at once. No word is ever lost: every pair of every stored word is in the table, so a
//! string with an unseen pair is not a stored word. The stated false rejection rate does not rely on the
//! table, since an adversary may choose candidates of seen pairs only.
//!
//! Small alphabets have an exact matrix (about 1 KB for Latin); large ones a hashed set, where an unseen pair
//! may pass for a seen one, which only costs a probe.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "positions in tables that are in memory; a product of two 64-bit numbers fits 128 bits"
)]

mod matrix;

use std::collections::BTreeSet;

pub use matrix::Matrix;
use matrix::{each_one, exact_bytes};

use crate::{
    alphabet::{Alphabet, BOUNDARY, Class, MAX_DENSE_SYMBOLS, UNKNOWN},
    word::Symbol,
};

/// The size of the largest hashed digram table, in bytes.
pub(crate) const MAX_HASHED_BYTES: usize = 1 << 23;

const MIN_HASHED_BYTES: usize = 1 << 13;

/// Bits of a hashed table for each pair: one in sixteen unseen pairs passes for seen.
const HASHED_BITS_PER_PAIR: usize = 16;

/// Pairs of neighbouring characters; `None` is the beginning or end of a word.
pub type Pairs = BTreeSet<(Option<Symbol>, Option<Symbol>)>;

/// The pairs with its neighbours in which a symbol must be seen at an open position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PairFit {
    /// With both neighbours.
    Both,
    /// With one of them: the other may still be changed.
    OneOf,
    /// With the one after it.
    Behind,
}

/// A dictionary's digram table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Digrams {
    /// No table: every pair may occur. Hash lists and the paper's scheme.
    None,
    /// One bit for each pair of classes.
    Exact(Matrix),
    /// One bit for each hashed pair; a power of two bytes.
    Hashed(Vec<u8>),
}

/// Position of a pair in a hashed table: a multiplicative hash (Knuth, TAOCP 3, §6.4), not secret.
#[allow(clippy::cast_possible_truncation, reason = "less than the table's bits")]
fn hashed_position(table: &[u8], first: Class, second: Class) -> usize {
    let pair = u64::from(first) << 32 | u64::from(second);
    let hash = pair.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let bits = (table.len() as u64 * 8).max(1);
    ((u128::from(hash) * u128::from(bits)) >> 64) as usize
}

impl Digrams {
    /// The table of `pairs` over their alphabet.
    pub(crate) fn new(alphabet: &Alphabet, pairs: &Pairs) -> Digrams {
        let mut table = if alphabet.is_dense() {
            Digrams::Exact(Matrix::new(alphabet.len() + 1))
        } else {
            let bytes = pairs.len() * (HASHED_BITS_PER_PAIR / 8);
            let bytes = bytes.next_power_of_two().clamp(MIN_HASHED_BYTES, MAX_HASHED_BYTES);
            Digrams::Hashed(vec![0; bytes])
        };
        table.insert_all(alphabet, pairs);
        table
    }

    /// This table, over the alphabet `old`, with more pairs and over the larger alphabet `new`.
    #[must_use]
    pub(crate) fn grown(&self, old: &Alphabet, new: &Alphabet, more: &Pairs) -> Digrams {
        if let Some(mut pairs) = self.pairs(old) {
            pairs.extend(more);
            Digrams::new(new, &pairs)
        } else {
            let mut table = self.clone();
            table.insert_all(new, more);
            table
        }
    }

    /// The pairs of two tables over the alphabets `own` and `others`, over the larger alphabet `new`.
    #[must_use]
    pub(crate) fn united(
        &self,
        own: &Alphabet,
        other: &Digrams,
        others: &Alphabet,
        new: &Alphabet,
    ) -> Digrams {
        match (self.pairs(own), other.pairs(others), self, other) {
            (Some(pairs), _, _, _) => other.grown(others, new, &pairs),
            (None, Some(pairs), _, _) => self.grown(own, new, &pairs),
            (None, None, Digrams::Hashed(a), Digrams::Hashed(b)) => Digrams::Hashed(united_tables(a, b)),
            _ => Digrams::None,
        }
    }

    fn insert_all(&mut self, alphabet: &Alphabet, pairs: &Pairs) {
        let class = |symbol: Option<Symbol>| symbol.map_or(BOUNDARY, |symbol| alphabet.class_of(symbol));
        for &(first, second) in pairs {
            self.insert(class(first), class(second));
        }
    }

    fn insert(&mut self, first: Class, second: Class) {
        match self {
            Digrams::None => {}
            Digrams::Exact(matrix) => matrix.insert(first as usize, second as usize),
            Digrams::Hashed(table) => {
                let position = hashed_position(table, first, second);
                if let Some(byte) = table.get_mut(position / 8) {
                    *byte |= 1 << (position % 8);
                }
            }
        }
    }

    /// True if the pair may occur in the dictionary; always true if it does.
    #[inline]
    pub fn seen(&self, first: Class, second: Class) -> bool {
        match self {
            Digrams::None => true,
            _ if first == UNKNOWN || second == UNKNOWN => false,
            Digrams::Exact(matrix) => matrix.contains(first, second),
            Digrams::Hashed(table) => {
                let position = hashed_position(table, first, second);
                table.get(position / 8).is_some_and(|byte| byte >> (position % 8) & 1 == 1)
            }
        }
    }

    /// False if certainly no symbol fits between `first` and `second`.
    #[inline]
    pub(crate) fn may_fill(&self, first: Class, second: Class) -> bool {
        match self {
            Digrams::Exact(matrix) => matrix.common(first, second).any(|(_, word)| word != 0),
            _ => true,
        }
    }

    /// Calls `visit` with the class of every symbol that fits between `first` and `second`: for an exact
    /// table the most frequent first, so that words are found early; otherwise ascending.
    #[inline]
    pub(crate) fn each_between(
        &self,
        (first, second): (Class, Class),
        alphabet: &Alphabet,
        mut visit: impl FnMut(Class),
    ) {
        let Digrams::Exact(matrix) = self else {
            let fits = |&class: &Class| self.seen(first, class) && self.seen(class, second);
            return alphabet.classes().filter(fits).for_each(visit);
        };
        for others in [0, u64::MAX] {
            for ((base, word), frequent) in matrix.common(first, second).zip(alphabet.frequent()) {
                each_one((base, word & (frequent ^ others)), &mut visit);
            }
        }
    }

    /// Calls `visit` with the class of every symbol that fits between `first` and `second`, ascending.
    pub(crate) fn each_fitting(
        &self,
        (first, second): (Class, Class),
        fit: PairFit,
        alphabet: &Alphabet,
        mut visit: impl FnMut(Class),
    ) {
        let join = |after, before| match fit {
            PairFit::Both => after & before,
            PairFit::OneOf => after | before,
            PairFit::Behind => before,
        };
        if let Digrams::Exact(matrix) = self {
            return matrix.joined((first, second), join).for_each(|word| each_one(word, &mut visit));
        }
        let fits = |class: &Class| {
            join(u64::from(self.seen(first, *class)), u64::from(self.seen(*class, second))) != 0
        };
        alphabet.classes().filter(fits).for_each(visit);
    }

    /// The number of [`Digrams::to_bytes`], for an alphabet of `symbols` symbols.
    pub(crate) fn byte_length(&self, symbols: usize) -> usize {
        match self {
            Digrams::None => 0,
            Digrams::Hashed(table) => table.len(),
            Digrams::Exact(_) => exact_bytes(symbols),
        }
    }

    /// The bytes that [`Digrams::exact_from_bytes`] and [`Digrams::hashed_from_bytes`] read: the matrix row
    /// by row without padding, or the hashed table.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        match self {
            Digrams::None => Vec::new(),
            Digrams::Hashed(table) => table.clone(),
            Digrams::Exact(matrix) => matrix.to_bytes(),
        }
    }

    /// Reads an exact table of an alphabet of `symbols` symbols. `None` if the length is wrong or a bit
    /// beyond the matrix is set.
    pub(crate) fn exact_from_bytes(symbols: usize, bytes: &[u8]) -> Option<Digrams> {
        if symbols > MAX_DENSE_SYMBOLS || bytes.len() != exact_bytes(symbols) {
            return None;
        }
        Matrix::from_bytes(symbols, bytes).map(Digrams::Exact)
    }

    /// Reads a hashed table. `None` if its length is not a power of two within the limits.
    pub(crate) fn hashed_from_bytes(bytes: &[u8]) -> Option<Digrams> {
        let is_legal =
            bytes.len().is_power_of_two() && (MIN_HASHED_BYTES..=MAX_HASHED_BYTES).contains(&bytes.len());
        is_legal.then(|| Digrams::Hashed(bytes.to_vec()))
    }

    /// The pairs of an exact table over `alphabet`; a hashed one cannot list its pairs.
    fn pairs(&self, alphabet: &Alphabet) -> Option<Pairs> {
        let Digrams::Exact(matrix) = self else { return None };
        let classes = Class::try_from(matrix.classes).ok()?;
        let all = (BOUNDARY..classes).flat_map(|a| (BOUNDARY..classes).map(move |b| (a, b)));
        let seen = all.filter(|&(a, b)| matrix.contains(a, b));
        Some(seen.map(|(a, b)| (alphabet.symbol_of(a), alphabet.symbol_of(b))).collect())
    }
}

/// The union of two hashed tables, with the length of the longer one. Positions are the high bits of a hash,
/// so that one bit of a table stands for 2ⁿ neighbouring bits of a table 2ⁿ times as long.
pub(crate) fn united_tables(a: &[u8], b: &[u8]) -> Vec<u8> {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let times = long.len().checked_div(short.len()).unwrap_or(1).max(1);
    let is_set = |position: usize| {
        let at = position.checked_div(times).unwrap_or(0);
        short.get(at / 8).map_or(0, |byte| byte >> (at % 8) & 1)
    };
    let byte =
        |(&byte, first): (&u8, usize)| (0..8).fold(byte, |byte, bit| byte | is_set(first + bit) << bit);
    long.iter().zip((0..).step_by(8)).map(byte).collect()
}

#[cfg(test)]
mod tests;
