//! The probability that all bits of a string are set by accident, if they lie together in cache lines.
//!
//! A group of bits is set if each of its words has the bit, and the words of a line have similar loads: a
//! string that falls on the line sets a bit in several of them. So the probability is not that of independent
//! bits, but a mean over the loads of a line.

#![allow(clippy::arithmetic_side_effects, reason = "numbers of bits in a line")]

use super::geometry::{Counts, Geometry};
use crate::page::{LINE_WORDS, Layer, Spread};

/// Bits that a string can have in one line, and none.
const GROUP_SIZES: usize = LINE_WORDS + 1;

/// Bits of a word of a line.
const WORD_BITS: f64 = 64.0;

/// Lines of a page; one of them has a word of half the length, next to the page's checksum.
const LINES: f64 = 64.0;

/// The load above which everything is full.
const FULL: f64 = 40.0;

/// The mean number of times that a string is stored in its line: as a deletion at several positions of
/// several words, and as a word that is also a deletion of others.
#[derive(Clone, Copy)]
pub(super) struct Repetition {
    /// The number of positions of a deletion's string, as a mean over the deletions: E\[M²\] / E\[M\] for
    /// strings with *M* positions.
    places: f64,
    /// The number of positions at which a word is a deletion of other words, as a mean over the words.
    of_words: f64,
}

impl Repetition {
    /// More than in the measured lists: a million passwords made by rules 1.16 and 0.20, 338,109 English
    /// words 1.13 and 0.51, 95,658 leaked passwords 1.31 and 0.37.
    pub(super) const OF_LISTS: Repetition = Repetition { places: 1.31, of_words: 0.51 };

    /// For strings that are all different.
    #[cfg(test)]
    pub(super) const NONE: Repetition = Repetition { places: 1.0, of_words: 0.0 };
}

/// The correlation of the loads of a line's words, for a mixture of words and deletions.
#[derive(Clone, Copy)]
pub(super) struct CacheLines {
    spread: Spread,
    /// For groups of each number of bits: the covariance of the loads of two of their words, for each bit of
    /// the mean load of a word.
    together: [f64; GROUP_SIZES],
}

impl CacheLines {
    pub(super) fn new(
        counts: Counts,
        geometry: Geometry,
        spread: Spread,
        repetition: Repetition,
    ) -> CacheLines {
        if spread == Spread::Page {
            return CacheLines { spread, together: [0.0; GROUP_SIZES] };
        }
        let (words, deletions) = (counts.words as f64, counts.extension as f64);
        let deletion_bits = usize::from(geometry.deletion_bits);
        let groups: Vec<usize> = groups(geometry.word_bits, spread).collect();
        let bits = words * f64::from(geometry.word_bits) + deletions * deletion_bits as f64;
        // Each string's group falls on one line, and sets a bit in each of a run of its words.
        let mean = (bits / LINE_WORDS as f64).max(f64::MIN_POSITIVE);
        let share = |bits: usize| bits as f64 / LINE_WORDS as f64;
        let first = groups.first().copied().unwrap_or(0);
        let of_both = 2.0 * words * repetition.of_words * share(first) * share(deletion_bits);
        let covariance = |size: usize| {
            let of_words: f64 = groups.iter().map(|&bits| words * pairs_in_run(size, bits)).sum();
            let of_deletions = deletions * repetition.places * pairs_in_run(size, deletion_bits);
            let of_both = if size > 1 { of_both } else { 0.0 };
            (of_words + of_deletions + of_both) / mean
        };
        CacheLines { spread, together: std::array::from_fn(covariance) }
    }

    /// The mean of pᵏ over the lines of a page, for the *k* bits of a string in a layer. `load` is the number
    /// of bits set, with repetitions, for each bit of the page.
    pub(super) fn mean_power(&self, load: f64, bits: u8, layer: Layer) -> f64 {
        let load = load.clamp(0.0, FULL);
        let spread = if layer.is_deletion() { Spread::EightPerLine } else { self.spread };
        if self.spread == Spread::Page {
            return (-(-load).exp_m1()).powi(i32::from(bits));
        }
        let (whole, rest) = (bits / spread.per_line(), bits % spread.per_line());
        let of_whole = if whole > 0 { self.group(load, spread.per_line()) } else { 1.0 };
        of_whole.powi(i32::from(whole)) * self.group(load, rest)
    }

    /// E\[pⁿ\] for *n* bits on one line: the fraction of clear bits in its words varies from line to line
    /// like a log-normal variable with the real mean and covariance.
    fn group(&self, load: f64, bits: u8) -> f64 {
        let clear = (-load).exp();
        let together = self.together.get(usize::from(bits)).copied().unwrap_or(0.0);
        let deviation = (together * load * WORD_BITS).sqrt() / WORD_BITS;
        let power = |distance: f64| {
            let clear = clear * (-deviation * distance - deviation * deviation / 2.0).exp();
            (1.0 - clear.min(1.0)).powi(i32::from(bits))
        };
        let mean: f64 = NORMAL_5.iter().map(|&(distance, weight)| weight * power(distance)).sum();
        mean * beside_the_checksum(clear, bits)
    }
}

/// A normal variable as five values with their weights (Gauss-Hermite quadrature): the same moments up to the
/// ninth.
const NORMAL_5: [(f64, f64); 5] = [
    (-2.856_970_013_872_806, 0.011_257_411_327_721),
    (-1.355_626_179_974_266, 0.222_075_922_005_613),
    (0.0, 0.533_333_333_333_333),
    (1.355_626_179_974_266, 0.222_075_922_005_613),
    (2.856_970_013_872_806, 0.011_257_411_327_721),
];

/// The factor by which the word of half the length, with twice the load, raises E\[pⁿ\] over all lines of a
/// page.
fn beside_the_checksum(clear: f64, bits: u8) -> f64 {
    // Set with probability 1 − c² instead of 1 − c.
    1.0 + clear * f64::from(bits) / (LINE_WORDS as f64 * LINES)
}

/// The number of bits in each line, for `bits` bits of a word.
fn groups(bits: u8, spread: Spread) -> impl Iterator<Item = usize> {
    let (bits, per_line) = (usize::from(bits), usize::from(spread.per_line()));
    (0..bits).step_by(per_line).map(move |from| (bits - from).min(per_line))
}

/// The probability that two different words of a run of `size` are both in a run of `other`, each run being
/// anywhere in a line and going round.
fn pairs_in_run(size: usize, other: usize) -> f64 {
    let pairs = (0..size).flat_map(|a| (0..a).map(move |b| a - b));
    let both = |distance: usize| {
        let is_in = |word: usize| word % LINE_WORDS < other;
        (0..LINE_WORDS).filter(|&first| is_in(first) && is_in(first + distance)).count()
    };
    let number = (size * size.saturating_sub(1) / 2).max(1);
    pairs.map(both).sum::<usize>() as f64 / (number * LINE_WORDS) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        hash::Key,
        page::{self, PAGE_BITS, PAGE_BYTES, Probes},
    };

    const COUNTS: Counts = Counts { words: 340, extension: 2800 };
    const PAGES: u64 = 160;
    /// Strangers of each page: the fewer bits are looked at, the more of them are found.
    fn strangers_of(count: u8) -> u64 {
        if count > 8 { 125_000 } else { 20_000 }
    }

    /// Expected and found strangers in pages filled with random hashes.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole numbers below 3,000, places below 256"
    )]
    fn strangers(
        spread: Spread,
        geometry: Geometry,
        (layer, count): (Layer, u8),
        repetition: Repetition,
    ) -> (f64, f64) {
        let counts = if geometry.deletion_bits == 0 { Counts { words: 1400, extension: 0 } } else { COUNTS };
        let (key, lines) = (Key::new([3; 16]), CacheLines::new(counts, geometry, spread, repetition));
        let probes = |layer, count| Probes { layer, count, spread };
        let (mut expected, mut found, asked) = (0.0, 0.0, strangers_of(count));
        for number in 0..PAGES {
            let mut page = [0; PAGE_BYTES];
            let hash = |i: u64| key.hash(&(u128::from(i) << 64 | u128::from(number)).to_le_bytes());
            for i in 0..counts.words {
                page::set(&mut page, hash(i), probes(Layer::Word, geometry.word_bits));
            }
            // The positions of a string are consecutive; some strings are words as well.
            let places = repetition.places as u64;
            let first = 1000 - (counts.words as f64 * repetition.of_words) as u64 / places;
            for i in 0..counts.extension {
                let (string, at) = (first + i / places, (i % places + i / places % 3 * 3) as u8);
                let string = if string < 1000 { string - first } else { string };
                page::set(&mut page, hash(string), probes(Layer::Deletion { at }, geometry.deletion_bits));
            }
            let load = -(1.0 - f64::from(page::ones(&page)) / f64::from(PAGE_BITS)).ln();
            expected += lines.mean_power(load, count, layer) * asked as f64;
            let numbers = 10_000..10_000 + asked;
            found += numbers.filter(|&i| page::test(&page, hash(i), probes(layer, count))).count() as f64;
        }
        (expected, found)
    }

    fn agree((expected, found): (f64, f64)) {
        // Five standard deviations of what the lines of 160 pages give, and of what is found there.
        assert!((found / expected - 1.0).abs() < 0.03 + 5.0 / expected.sqrt(), "{found}, {expected:.0}");
    }

    #[test]
    fn lines_raise_the_false_positives_as_computed() {
        for deletion_bits in [6, 8] {
            let geometry = Geometry { pages: 1, word_bits: 20, deletion_bits };
            for repetition in [Repetition::NONE, Repetition { places: 2.0, of_words: 0.5 }] {
                for asked in [8, 12, 16].map(|count| (Layer::Word, count)) {
                    agree(strangers(Spread::EightPerLine, geometry, asked, repetition));
                }
                let asked = (Layer::Deletion { at: 3 }, deletion_bits);
                agree(strangers(Spread::EightPerLine, geometry, asked, repetition));
            }
        }
        let geometry = Geometry { pages: 1, word_bits: 16, deletion_bits: 0 };
        for count in [4, 10, 16] {
            agree(strangers(Spread::FourPerLine, geometry, (Layer::Word, count), Repetition::NONE));
        }
    }

    #[test]
    fn where_bits_lie_anywhere_nothing_is_raised() {
        let geometry = Geometry { pages: 1, word_bits: 22, deletion_bits: 0 };
        let lines = CacheLines::new(COUNTS, geometry, Spread::Page, Repetition::OF_LISTS);
        let half = lines.mean_power(std::f64::consts::LN_2, 22, Layer::Word);
        assert!((half / 0.5_f64.powi(22) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn full_and_empty_pages_have_a_rate() {
        let geometry = Geometry { pages: 1, word_bits: 22, deletion_bits: 6 };
        let lines = CacheLines::new(COUNTS, geometry, Spread::EightPerLine, Repetition::OF_LISTS);
        for layer in [Layer::Word, Layer::Deletion { at: 0 }] {
            assert!((lines.mean_power(f64::INFINITY, 6, layer) - 1.0).abs() < 1e-9);
            assert!(lines.mean_power(0.0, 6, layer).abs() < 1e-12);
            assert!((lines.mean_power(0.7, 0, layer) - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn runs_share_words_as_often_as_counted() {
        assert!((pairs_in_run(8, 8) - 1.0).abs() < 1e-12 && pairs_in_run(1, 8).abs() < 1e-12);
        assert!((pairs_in_run(2, 2) - 0.125).abs() < 1e-12);
        // Of four: neighbours 3 of 8 times, the next but one 2, the ends 1.
        assert!((pairs_in_run(4, 4) - (3.0 * 3.0 + 2.0 * 2.0 + 1.0) / 48.0).abs() < 1e-12);
        assert!((pairs_in_run(8, 6) - 15.0 / 28.0).abs() < 1e-12);
    }
}
