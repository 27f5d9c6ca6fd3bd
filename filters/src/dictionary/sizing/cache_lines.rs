//! The cost of keeping a string's bits in one cache line ([`Spread::Lines`]): lines are more unevenly loaded
//! than pages, and two bits of a string may be the same.

use super::geometry::{Counts, Geometry};
use crate::page::{LINE_BITS, Layer, Spread};

/// How unevenly the lines of a page are loaded.
#[derive(Clone, Copy)]
pub(super) struct CacheLines {
    /// Bits of one string that lie in the same line, a mean over the bits set; 0 where bits lie anywhere in
    /// the page.
    together: f64,
}

impl CacheLines {
    pub(super) fn new(counts: Counts, geometry: Geometry, spread: Spread) -> CacheLines {
        let (word_bits, deletion_bits) = (f64::from(geometry.word_bits), f64::from(geometry.deletion_bits));
        let words = counts.words as f64 * word_bits;
        let deletions = counts.extension as f64 * deletion_bits;
        let set = (words + deletions).max(1.0);
        let together = (words * word_bits.min(GROUP) + deletions * deletion_bits) / set;
        CacheLines { together: if spread == Spread::Lines { together } else { 0.0 } }
    }

    /// By how much E\[p^bits\] of a page of this fill is raised for the bits of a string in a layer: each
    /// four of a word, and all of a deletion, fall on a line.
    pub(super) fn factor(self, fill: f64, bits: u8, layer: Layer) -> f64 {
        if layer.is_deletion() {
            return self.group(fill, f64::from(bits));
        }
        let (groups, rest) = (i32::from(bits / 4), f64::from(bits % 4));
        self.group(fill, GROUP).powi(groups) * self.group(fill, rest)
    }

    /// The same for `bits` on one line. A Poisson number of groups of bits falls on a line and makes its
    /// load; a fill around f moves by 1 − f with the load, so that to the second order
    ///
    /// E\[pⁿ\] = fⁿ (1 + n(n−1)/2 × variance / f²)
    fn group(self, fill: f64, bits: f64) -> f64 {
        if self.together == 0.0 || bits == 0.0 {
            return 1.0;
        }
        let fill = fill.max(f64::MIN_POSITIVE);
        let (load, pairs) = (-(-fill).ln_1p(), bits * (bits - 1.0) / 2.0);
        let load_variance = load * self.together / f64::from(LINE_BITS);
        let among_lines = pairs * load_variance * ((1.0 - fill) / fill).powi(2);
        let same_bit = pairs / f64::from(LINE_BITS) * (1.0 / fill - 1.0);
        1.0 + (among_lines + same_bit).min(1.0)
    }
}

/// Bits of a word that lie in one line.
const GROUP: f64 = 4.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        hash::Key,
        page::{self, PAGE_BITS, PAGE_BYTES, Probes},
    };

    const GEOMETRY: Geometry = Geometry { pages: 1, word_bits: 22, deletion_bits: 8 };
    const COUNTS: Counts = Counts { words: 340, extension: 2800 };
    const PAGES: u64 = 40;
    const STRANGERS: u64 = 500_000;

    fn probes(layer: Layer, count: u8) -> Probes {
        Probes { layer, count, spread: Spread::Lines }
    }

    /// Expected and found strangers in pages filled with random hashes, as full as a near filter's.
    fn strangers(layer: Layer, count: u8) -> (f64, f64) {
        let (key, lines) = (Key::new([3; 16]), CacheLines::new(COUNTS, GEOMETRY, Spread::Lines));
        let (mut expected, mut found) = (0.0, 0.0);
        for number in 0..PAGES {
            let mut page = [0; PAGE_BYTES];
            let hash = |i: u64| key.hash(&[number.to_le_bytes(), i.to_le_bytes()].concat());
            for i in 0..COUNTS.words {
                page::set(&mut page, hash(i), probes(Layer::Word, GEOMETRY.word_bits));
            }
            for i in 0..COUNTS.extension {
                let layer = Layer::Deletion { at: (i % 9) as u8 };
                page::set(&mut page, hash(i), probes(layer, GEOMETRY.deletion_bits));
            }
            let fill = f64::from(page::ones(&page)) / f64::from(PAGE_BITS);
            expected += fill.powi(i32::from(count)) * lines.factor(fill, count, layer) * STRANGERS as f64;
            let asked = 10_000..10_000 + STRANGERS;
            found += asked.filter(|&i| page::test(&page, hash(i), probes(layer, count))).count() as f64;
        }
        (expected, found)
    }

    fn agree((expected, found): (f64, f64)) {
        // Three hundredths for terms of higher order, beside the Poisson deviation of what is found.
        assert!((found / expected - 1.0).abs() < 0.03 + 5.0 / expected.sqrt(), "{found}, {expected:.0}");
    }

    #[test]
    fn lines_raise_the_false_positives_as_computed() {
        for count in [8, 12, 16] {
            agree(strangers(Layer::Word, count));
        }
        for count in [4, 8] {
            agree(strangers(Layer::Deletion { at: 3 }, count));
        }
    }

    #[test]
    fn where_bits_lie_anywhere_nothing_is_raised() {
        let lines = CacheLines::new(COUNTS, GEOMETRY, Spread::Page);
        assert_eq!(
            (lines.factor(0.5, 22, Layer::Word), lines.factor(0.5, 8, Layer::Deletion { at: 0 })),
            (1.0, 1.0)
        );
    }
}
