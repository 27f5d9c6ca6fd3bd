//! Which pairs of neighbouring characters occur in the dictionary at all, word ends included.
//!
//! A completion with an unseen pair is never asked for, and a candidate whose unseen pairs no single edit can mend
//! is let through at once. No word is ever lost: every pair of every stored word is in the table, so a string with
//! an unseen pair is no stored word. The false rejection rate is promised without the table, since an adversary
//! may choose candidates of seen pairs only.
//!
//! Small alphabets have an exact matrix (about 1 KB for Latin); large ones a hashed set, where an unseen pair may
//! pass for a seen one, which costs a probe and nothing else.

use std::collections::BTreeSet;

use crate::alphabet::{BOUNDARY, Class, UNKNOWN};

/// The most symbols of an alphabet whose digram table is an exact matrix: 512 × 512 bits, 32 KiB.
pub const MAX_EXACT_SYMBOLS: usize = 511;

/// The most bytes of a hashed digram table.
pub const MAX_HASHED_BYTES: usize = 1 << 23;

const MIN_HASHED_BYTES: usize = 1 << 13;

/// Bits of a hashed table for each pair: one in sixteen unseen pairs passes for seen.
const HASHED_BITS_PER_PAIR: usize = 16;

/// The pairs of a dictionary, as first class and second class.
pub type Pairs = BTreeSet<(Class, Class)>;

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

/// A square bit matrix with its transpose, so that "what may stand between a and b" is the AND of two rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    classes: usize,
    row_words: usize,
    after: Vec<u64>,
    before: Vec<u64>,
}

impl Matrix {
    fn new(classes: usize) -> Matrix {
        let row_words = classes.div_ceil(64);
        let words = row_words.saturating_mul(classes);
        Matrix { classes, row_words, after: vec![0; words], before: vec![0; words] }
    }

    fn insert(&mut self, first: usize, second: usize) {
        set_bit(&mut self.after, first.saturating_mul(self.row_words), second);
        set_bit(&mut self.before, second.saturating_mul(self.row_words), first);
    }

    #[inline]
    fn row(rows: &[u64], row_words: usize, class: Class) -> &[u64] {
        let start = (class as usize).saturating_mul(row_words);
        rows.get(start..start.saturating_add(row_words)).unwrap_or_default()
    }

    #[inline]
    fn contains(&self, first: Class, second: Class) -> bool {
        let row = Matrix::row(&self.after, self.row_words, first);
        row.get(second as usize / 64).is_some_and(|word| word >> (second % 64) & 1 == 1)
    }

    fn between(&self, first: Class, second: Class, found: &mut impl FnMut(Class) -> bool) -> bool {
        let after = Matrix::row(&self.after, self.row_words, first);
        let before = Matrix::row(&self.before, self.row_words, second);
        for ((&a, &b), base) in after.iter().zip(before).zip((0..).step_by(64)) {
            let mut word = a & b;
            if base == 0 {
                word &= !1; // the word boundary is no character
            }
            while word != 0 {
                if found(base | word.trailing_zeros()) {
                    return true;
                }
                word &= word.wrapping_sub(1);
            }
        }
        false
    }
}

fn set_bit(words: &mut [u64], row: usize, bit: usize) {
    if let Some(word) = words.get_mut(row.saturating_add(bit / 64)) {
        *word |= 1 << (bit % 64);
    }
}

/// Position of a pair in a hashed table: a multiplicative hash (Knuth, TAOCP 3, §6.4), no secret.
fn hashed_position(table: &[u8], first: Class, second: Class) -> usize {
    let pair = u64::from(first) << 32 | u64::from(second);
    let hash = pair.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let bits = (table.len() as u64).saturating_mul(8).max(1);
    ((u128::from(hash) * u128::from(bits)) >> 64) as usize
}

impl Digrams {
    /// The table of `pairs` over an alphabet of `symbols` symbols.
    pub fn new(symbols: usize, pairs: &Pairs) -> Digrams {
        if symbols > MAX_EXACT_SYMBOLS {
            return Digrams::hashed(pairs);
        }
        let mut matrix = Matrix::new(symbols.saturating_add(1));
        for &(first, second) in pairs {
            matrix.insert(first as usize, second as usize);
        }
        Digrams::Exact(matrix)
    }

    fn hashed(pairs: &Pairs) -> Digrams {
        let bytes = pairs.len().saturating_mul(HASHED_BITS_PER_PAIR / 8);
        let bytes = bytes.next_power_of_two().clamp(MIN_HASHED_BYTES, MAX_HASHED_BYTES);
        let mut table = vec![0_u8; bytes];
        for &(first, second) in pairs {
            let position = hashed_position(&table, first, second);
            if let Some(byte) = table.get_mut(position / 8) {
                *byte |= 1 << (position % 8);
            }
        }
        Digrams::Hashed(table)
    }

    /// True when the pair may occur in the dictionary; surely true when it does.
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

    /// Calls `found` with every class out of `1..=symbols` that may stand between `first` and `second`, until it
    /// answers true; answers whether it did.
    pub fn between(
        &self,
        first: Class,
        second: Class,
        symbols: usize,
        found: &mut impl FnMut(Class) -> bool,
    ) -> bool {
        if let Digrams::Exact(matrix) = self {
            return matrix.between(first, second, found);
        }
        let last = Class::try_from(symbols).unwrap_or(UNKNOWN);
        (1..=last).any(|class| self.seen(first, class) && self.seen(class, second) && found(class))
    }

    /// The bytes that [`Digrams::from_bytes`] reads: the matrix row by row without padding, or the hashed table.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Digrams::None => Vec::new(),
            Digrams::Hashed(table) => table.clone(),
            Digrams::Exact(matrix) => {
                let classes = matrix.classes;
                let mut bytes = vec![0_u8; exact_bytes(classes.saturating_sub(1))];
                let pairs = (0..classes).flat_map(|a| (0..classes).map(move |b| (a, b)));
                for ((first, second), at) in pairs.zip(0_usize..) {
                    let is_seen = matrix.contains(first as Class, second as Class);
                    if let Some(byte) = bytes.get_mut(at / 8) {
                        *byte |= u8::from(is_seen) << (at % 8);
                    }
                }
                bytes
            }
        }
    }

    /// Reads an exact table of an alphabet of `symbols` symbols. `None` when the length is wrong or a bit beyond the
    /// matrix is set.
    pub fn exact_from_bytes(symbols: usize, bytes: &[u8]) -> Option<Digrams> {
        if symbols > MAX_EXACT_SYMBOLS || bytes.len() != exact_bytes(symbols) {
            return None;
        }
        let classes = symbols.checked_add(1)?;
        let end = classes.checked_mul(classes)?;
        let mut matrix = Matrix::new(classes);
        for (&byte, base) in bytes.iter().zip((0_usize..).step_by(8)) {
            let mut left = byte;
            while left != 0 {
                let at = base.checked_add(left.trailing_zeros() as usize)?;
                if at >= end {
                    return None;
                }
                matrix.insert(at.checked_div(classes)?, at.checked_rem(classes)?);
                left &= left.wrapping_sub(1);
            }
        }
        Some(Digrams::Exact(matrix))
    }

    /// Reads a hashed table. `None` when its length is not a power of two within the limits.
    pub fn hashed_from_bytes(bytes: &[u8]) -> Option<Digrams> {
        let is_legal =
            bytes.len().is_power_of_two() && (MIN_HASHED_BYTES..=MAX_HASHED_BYTES).contains(&bytes.len());
        is_legal.then(|| Digrams::Hashed(bytes.to_vec()))
    }

    /// The pairs of an exact table; a hashed one cannot tell its pairs.
    pub fn pairs(&self) -> Option<Pairs> {
        let Digrams::Exact(matrix) = self else { return None };
        let classes = Class::try_from(matrix.classes).ok()?;
        let pairs = (BOUNDARY..classes).flat_map(|a| (BOUNDARY..classes).map(move |b| (a, b)));
        Some(pairs.filter(|&(a, b)| matrix.contains(a, b)).collect())
    }
}

/// Bytes of an exact table for an alphabet of `symbols` symbols.
pub fn exact_bytes(symbols: usize) -> usize {
    let classes = symbols.saturating_add(1);
    classes.saturating_mul(classes).div_ceil(8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs() -> Pairs {
        [(0, 1), (1, 2), (2, 0), (2, 70), (70, 3), (1, 70), (0, 0)].into()
    }

    fn between(table: &Digrams, first: Class, second: Class) -> Vec<Class> {
        let mut found = Vec::new();
        table.between(first, second, 70, &mut |class| {
            found.push(class);
            false
        });
        found
    }

    #[test]
    fn exact_table_knows_its_pairs_and_no_others() {
        let table = Digrams::new(70, &pairs());
        for a in 0..=70 {
            for b in 0..=70 {
                assert_eq!(table.seen(a, b), pairs().contains(&(a, b)), "{a} {b}");
            }
        }
        assert!(!table.seen(UNKNOWN, 1) && !table.seen(1, UNKNOWN));
        assert_eq!(between(&table, 2, 3), [70]);
        assert_eq!(between(&table, 0, 2), [1]);
        assert_eq!(between(&table, 0, 0), [0; 0]);
        assert_eq!(table.pairs(), Some(pairs()));
    }

    #[test]
    fn bytes_bring_the_table_back() {
        let table = Digrams::new(70, &pairs());
        let bytes = table.to_bytes();
        assert_eq!(Digrams::exact_from_bytes(70, &bytes), Some(table));
        assert_eq!(Digrams::exact_from_bytes(69, &bytes), None);
        let mut beyond = bytes;
        if let Some(last) = beyond.last_mut() {
            *last |= 0x80;
        }
        assert_eq!(Digrams::exact_from_bytes(70, &beyond), None, "71 × 71 bits leave bits over");
    }

    #[test]
    fn hashed_table_loses_no_pair() {
        let many: Pairs = (0..3000_u32).map(|i| (i % 700, i.wrapping_mul(7919) % 700)).collect();
        let table = Digrams::new(700, &many);
        assert!(many.iter().all(|&(a, b)| table.seen(a, b)));
        let strangers = (0..100_000_u32).filter(|i| table.seen(i % 691, 701 + i / 691)).count();
        assert!(strangers < 12_500, "{strangers} of 100,000 unseen pairs pass");
        assert_eq!(Digrams::hashed_from_bytes(&table.to_bytes()), Some(table));
        assert_eq!(Digrams::hashed_from_bytes(&[0; 100]), None);
    }
}
