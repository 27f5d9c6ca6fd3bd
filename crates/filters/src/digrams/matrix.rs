//! The exact digram table: a bit for each pair of classes.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "a matrix of at most 512 classes; an overflow would be a panic"
)]

use crate::alphabet::{BOUNDARY, Class, UNKNOWN};

/// A square bit matrix with its transpose, so that the symbols between a and b are the AND of two rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    pub(super) classes: usize,
    row_words: usize,
    after: Vec<u64>,
    before: Vec<u64>,
    /// The row of a class that occurs in no word.
    none: Vec<u64>,
}

impl Matrix {
    pub(super) fn new(classes: usize) -> Matrix {
        let row_words = classes.div_ceil(64);
        let words = row_words * classes;
        let none = vec![0; row_words];
        Matrix { classes, row_words, after: vec![0; words], before: vec![0; words], none }
    }

    pub(super) fn insert(&mut self, first: usize, second: usize) {
        set_bit(&mut self.after, first * self.row_words, second);
        set_bit(&mut self.before, second * self.row_words, first);
    }

    /// The matrix row by row without padding.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0_u8; exact_bytes(self.classes - 1)];
        let numbers = || (BOUNDARY..UNKNOWN).take(self.classes);
        let pairs = numbers().flat_map(|a| numbers().map(move |b| (a, b)));
        for ((first, second), at) in pairs.zip(0_usize..) {
            let is_seen = self.contains(first, second);
            if let Some(byte) = bytes.get_mut(at / 8) {
                *byte |= u8::from(is_seen) << (at % 8);
            }
        }
        bytes
    }

    /// Reads the [`exact_bytes`] bytes of an alphabet of `symbols` symbols. `None` when a bit beyond the
    /// matrix is set.
    pub(super) fn from_bytes(symbols: usize, bytes: &[u8]) -> Option<Matrix> {
        let classes = symbols.checked_add(1)?;
        let end = classes.checked_mul(classes)?;
        let mut matrix = Matrix::new(classes);
        let (mut first, mut row_end) = (0_usize, classes);
        for (&byte, base) in bytes.iter().zip((0_usize..).step_by(8)) {
            let mut left = byte;
            while left != 0 {
                let at = base.checked_add(left.trailing_zeros() as usize)?;
                if at >= end {
                    return None;
                }
                while at >= row_end {
                    (first, row_end) = (first.checked_add(1)?, row_end.checked_add(classes)?);
                }
                matrix.insert(first, at.checked_add(classes)?.checked_sub(row_end)?);
                left &= left.wrapping_sub(1);
            }
        }
        Some(matrix)
    }

    #[inline]
    fn row<'m>(&'m self, rows: &'m [u64], class: Class) -> &'m [u64] {
        let start = (class as usize).saturating_mul(self.row_words);
        rows.get(start..start.saturating_add(self.row_words)).unwrap_or(&self.none)
    }

    #[inline]
    pub(super) fn contains(&self, first: Class, second: Class) -> bool {
        let row = self.row(&self.after, first);
        row.get(second as usize / 64).is_some_and(|word| word >> (second % 64) & 1 == 1)
    }

    /// The row of the symbols that may follow `first` and the row of those that may precede `second`, joined
    /// by `join`, without the word boundary.
    #[inline]
    pub(super) fn joined(
        &self,
        (first, second): (Class, Class),
        join: impl Fn(u64, u64) -> u64,
    ) -> impl Iterator<Item = (Class, u64)> {
        let rows = self.row(&self.after, first).iter().zip(self.row(&self.before, second));
        let words = rows.map(move |(&after, &before)| join(after, before));
        (0..)
            .step_by(64)
            .zip(words)
            .map(|(base, word)| (base, if base == BOUNDARY { word & !1 } else { word }))
    }

    /// The row of the symbols that fit between `first` and `second`.
    #[inline]
    pub(super) fn common(&self, first: Class, second: Class) -> impl Iterator<Item = (Class, u64)> {
        self.joined((first, second), |after, before| after & before)
    }
}

/// The classes whose bits are set in a word of a row.
#[inline]
pub(super) fn ones((base, mut word): (Class, u64)) -> impl Iterator<Item = Class> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros())?;
        word &= word.wrapping_sub(1);
        Some(base | bit)
    })
}

fn set_bit(words: &mut [u64], row: usize, bit: usize) {
    if let Some(word) = words.get_mut(row + bit / 64) {
        *word |= 1 << (bit % 64);
    }
}

/// Bytes of an exact table for an alphabet of `symbols` symbols.
pub(super) fn exact_bytes(symbols: usize) -> usize {
    let classes = symbols + 1;
    (classes * classes).div_ceil(8)
}
