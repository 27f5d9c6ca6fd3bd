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
        let rows = matrix.after.chunks_exact_mut(matrix.row_words).zip((0..end).step_by(classes));
        for (row, first) in rows {
            for (word, at) in row.iter_mut().zip((0..classes).step_by(64)) {
                *word = bits_at(bytes, first + at, (classes - at).min(64));
            }
        }
        matrix.before = transposed(&matrix.after, matrix.row_words);
        // The rest of the last byte.
        (bits_at(bytes, end, 7) == 0).then_some(matrix)
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

/// Calls `visit` with the classes whose bits are set in a word of a row. A loop, since an iterator of these
/// takes twice the instructions.
#[inline]
pub(super) fn each_one((base, mut word): (Class, u64), visit: &mut impl FnMut(Class)) {
    while word != 0 {
        visit(base | word.trailing_zeros());
        word &= word - 1;
    }
}

/// The bits from `at` on, at most 64; zeros beyond the bytes.
#[allow(clippy::cast_possible_truncation, reason = "a mask leaves 64 bits at most")]
fn bits_at(bytes: &[u8], at: usize, count: usize) -> u64 {
    let mut window = [0; 16];
    let from = bytes.get(at / 8..).unwrap_or_default();
    window.iter_mut().zip(from).take(9).for_each(|(to, from)| *to = *from);
    let bits = u128::from_le_bytes(window) >> (at % 8);
    (bits & ((1 << count) - 1)) as u64
}

/// The transpose of a square matrix of which each row is `row_words` words, in blocks of 64 by 64 bits.
fn transposed(rows: &[u64], row_words: usize) -> Vec<u64> {
    let mut columns = vec![0; rows.len()];
    for (down, across) in (0..row_words).flat_map(|down| (0..row_words).map(move |across| (down, across))) {
        let mut block = [0; 64];
        let of_block = rows.iter().skip(down * 64 * row_words + across).step_by(row_words);
        block.iter_mut().zip(of_block).for_each(|(to, from)| *to = *from);
        transpose(&mut block);
        let of_block = columns.iter_mut().skip(across * 64 * row_words + down).step_by(row_words);
        of_block.zip(block).for_each(|(to, from)| *to = from);
    }
    columns
}

/// Transposes a block: its quarters, theirs, and so on to single bits (Warren, Hacker's Delight, §7-3).
fn transpose(block: &mut [u64; 64]) {
    let (mut width, mut mask) = (32, u64::MAX >> 32);
    while width > 0 {
        for rows in block.chunks_exact_mut(2 * width) {
            let (upper, lower) = rows.split_at_mut(width);
            for (upper, lower) in upper.iter_mut().zip(lower) {
                let exchanged = (*upper >> width ^ *lower) & mask;
                *upper ^= exchanged << width;
                *lower ^= exchanged;
            }
        }
        width /= 2;
        mask ^= mask << width;
    }
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
