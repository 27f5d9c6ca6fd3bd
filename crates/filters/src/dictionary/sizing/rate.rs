//! The false rejection rate of a check, and the number of pages that it needs.
//!
//! A password that is not near the dictionary is rejected by accident if one of the strings that are probed
//! in the word layer for it, or for one of its variants, has all its bits set. On average over the filter's
//! key these strings are
//!
//! 1 + *d* + *a* (2*d* + 1) *A*
//!
//! where *d* is the number of its characters, *A* that of the alphabet's symbols, and *a* = E\[pᵇ\] the
//! probability that the *b* bits of a deletion are set by accident, *p* being the fill of a page. Each is an
//! accident: no *q−i* is a word's deletion at position *i*, nor is *q* at any position, since *q* would be
//! near that word ([`crate::neighbours`]). None of the strings is a word, and the *k* bits of a word are all
//! set with probability E\[pᵏ\] (Bloom 1970), for any password: the bound holds even for a password chosen by
//! an adversary who does not know the filter's key. The digram table only lowers it and is ignored.
//!
//! Of *n* strings at least one is set by accident with probability 1 − (1 − E\[pᵏ\])ⁿ. The sum *n* E\[pᵏ\] is
//! never less: sizes are chosen by it. It is meaningless above 1, so it is not used for stated rates.
//!
//! If bits lie together in lines, *p* is the fill of a line, which varies more than a page's: a string has
//! several bits there, and some strings are stored several times.

#![allow(clippy::arithmetic_side_effects, reason = "a number of pages above 0 less one")]

use std::f64::consts::LN_2;

use super::{
    cache_lines::{CacheLines, Repetition},
    geometry::{Counts, Geometry},
};
use crate::{
    format::{Header, MAX_PAGES, SchemeId, StatedRate},
    page::{Layer, MAX_PROBES, PAGE_BITS, Spread},
};

/// Characters of the password for which the rate is stated.
pub const STATED_CHARACTERS: u16 = 12;

/// The number of lookups of the candidate and all its variants: near lookups in a near filter.
pub const VARIANT_LOOKUPS: u16 = 64;

/// The number of further exact lookups of one check: the parts of a password of [`STATED_CHARACTERS`] that
/// may be one of two words or most of it. A part is looked up in every form: with accents and without, and
/// without digits and punctuation at the ends. Forms begin at two positions and end at three, with seven
/// parts at each: 2 · (2 + 3) · 7; there are 2 · 15 parts that are most of it.
pub(crate) const MEMBER_LOOKUPS: u16 = 100;

/// The number of lookups of one check for which the rate is stated.
pub const STATED_LOOKUPS: u16 = VARIANT_LOOKUPS + MEMBER_LOOKUPS;

/// Default false rejection rate: one in a thousand.
pub const DEFAULT_FALSE_REJECTION: f64 = 0.001;

/// The highest useful false rejection rate: if more than one good password in ten is rejected, rejections
/// tell users nothing.
pub const MAX_USEFUL_RATE: f64 = 0.1;

/// True for a filter whose stated rate of false rejections is too high for any policy.
pub fn is_useless(header: &Header) -> bool {
    header.stated.false_rejection > MAX_USEFUL_RATE
}

/// The highest fill of a filter with deletion bits. A fuller filter with more word bits is smaller still,
/// since the deletion bits weigh most; but its deletions are then set by accident more often, and a miss
/// costs more probes. 6 bits for a deletion at a fill of 0.5 are set by accident as rarely as 8 bits at 0.6.
const MAX_NEAR_FILL: f64 = 0.5;

/// The requirements for a geometry.
#[derive(Clone, Copy, Debug)]
pub struct Demand {
    /// The scheme by which neighbours are found.
    pub scheme: SchemeId,
    /// The number of deletion bits: 0, 2, 4, 6 or 8; ignored except for [`SchemeId::Deletions`].
    pub deletion_bits: u8,
    /// The rate to keep.
    pub stated: StatedRate,
    /// Symbols of the alphabet.
    pub symbols: usize,
}

impl Demand {
    /// The requirements that a filter with this header was built for.
    pub fn of(header: &Header) -> Demand {
        Demand {
            scheme: header.scheme,
            deletion_bits: header.deletion_bits,
            stated: header.stated,
            symbols: header.alphabet.len(),
        }
    }

    /// The highest mean number over the filter's key of strings that are probed in the word layer for one
    /// candidate of [`StatedRate::characters`] characters and all its variants, if a string's deletion bits
    /// are set by accident with probability `accident`.
    pub(crate) fn word_probes(&self, accident: f64) -> f64 {
        let near = self.stated.lookups.min(VARIANT_LOOKUPS);
        let members =
            if self.scheme == SchemeId::Paper { 0 } else { self.stated.lookups.saturating_sub(near) };
        self.word_probes_of_lookup(accident) * f64::from(near) + f64::from(members)
    }

    /// The probes of the word layer in the lookup of one variant.
    fn word_probes_of_lookup(&self, accident: f64) -> f64 {
        let d = f64::from(self.stated.characters);
        let symbols = self.symbols as f64;
        match self.scheme {
            SchemeId::Whole => 1.0,
            SchemeId::Deletions => 1.0 + d + symbols * accident * (2.0 * d + 1.0),
            SchemeId::Paper => 2.0 * d + 1.0,
        }
    }

    /// The highest false rejection rate of the lookup of one variant if a check keeps the stated rate. For a
    /// check that rejects everything it is 1.
    pub fn stated_lookup_rate(&self) -> f64 {
        let most = if self.scheme == SchemeId::Whole { u16::MAX } else { VARIANT_LOOKUPS };
        let lookups = f64::from(self.stated.lookups.min(most));
        -((-self.stated.false_rejection).ln_1p() / lookups).exp_m1()
    }

    /// The false rejection rate of a filter with `counts`: that of all word probes together, each with
    /// probability E\[pᵏ\] over pages whose loads vary like the loads of independent strings (multinomial).
    ///
    /// Strings that share lines because they are the same string count as often as in lists of passwords: for
    /// words that are all far from each other the rate is up to a tenth lower.
    pub fn expected_rate(&self, counts: Counts, geometry: Geometry) -> f64 {
        self.rate(counts, geometry, Repetition::OF_LISTS)
    }

    /// The rate of the lookup of one variant.
    pub fn expected_lookup_rate(&self, counts: Counts, geometry: Geometry) -> f64 {
        let load =
            Load::new(counts, geometry, self.scheme.spread(geometry.deletion_bits), Repetition::OF_LISTS);
        let accident = load.mean_power(geometry.deletion_bits, Layer::Deletion { at: 0 });
        of_any(self.word_probes_of_lookup(accident), load.mean_power(geometry.word_bits, Layer::Word))
    }

    fn rate(&self, counts: Counts, geometry: Geometry, repetition: Repetition) -> f64 {
        let (strings, each) = self.strings(counts, geometry, repetition);
        of_any(strings, each)
    }

    /// The number of strings that are probed in the word layer, and the probability that the bits of each are
    /// set by accident.
    fn strings(&self, counts: Counts, geometry: Geometry, repetition: Repetition) -> (f64, f64) {
        let load = Load::new(counts, geometry, self.scheme.spread(geometry.deletion_bits), repetition);
        let accident = load.mean_power(geometry.deletion_bits, Layer::Deletion { at: 0 });
        (self.word_probes(accident), load.mean_power(geometry.word_bits, Layer::Word))
    }

    /// The smallest geometry that keeps the rate for `counts` entries; `None` if none does.
    pub fn geometry(&self, counts: Counts) -> Option<Geometry> {
        let deletion_bits = if self.scheme == SchemeId::Deletions { self.deletion_bits } else { 0 };
        (1..=MAX_PROBES).fold(None, |best: Option<Geometry>, word_bits| {
            let most_pages = best.map_or(MAX_PAGES, |best| best.pages - 1);
            self.fewest_pages(counts, word_bits, deletion_bits, most_pages).or(best)
        })
    }

    /// The geometry with the fewest pages that keeps the rate; `None` if it needs more than `most`.
    fn fewest_pages(&self, counts: Counts, word_bits: u8, deletion_bits: u8, most: u64) -> Option<Geometry> {
        let with = |pages| Geometry { pages, word_bits, deletion_bits };
        let spread = self.scheme.spread(deletion_bits);
        let most_fill = if deletion_bits > 0 { MAX_NEAR_FILL } else { 1.0 };
        let keeps = |pages| {
            let (strings, each) = self.strings(counts, with(pages), Repetition::OF_LISTS);
            Load::new(counts, with(pages), spread, Repetition::OF_LISTS).fill() <= most_fill
                && strings * each <= self.stated.false_rejection
        };
        if most == 0 || !keeps(most) {
            return None;
        }
        let (mut too_few, mut enough) = (0, most);
        while enough.abs_diff(too_few) > 1 {
            let middle = u64::midpoint(too_few, enough);
            if keeps(middle) { enough = middle } else { too_few = middle }
        }
        Some(with(enough))
    }
}

/// The probability that at least one of this number of strings has all its bits set by accident, each with
/// probability `each`.
fn of_any(strings: f64, each: f64) -> f64 {
    -(strings * (-each.min(1.0)).ln_1p()).exp_m1()
}

/// The rates of a filter that follow from the fills of its pages.
#[derive(Clone, Copy, Debug)]
pub struct ActualRates {
    /// Of a whole check, like the rate in the header.
    pub check: f64,
    /// Of the lookup of one variant.
    pub lookup: f64,
}

/// The rates of the filter with this header whose pages have these fills: word probes with the mean of pᵏ.
pub fn rates_of_fills(header: &Header, fills: &[f64]) -> ActualRates {
    let counts = Counts { words: header.words, extension: header.extension };
    let lines = CacheLines::new(counts, Geometry::of(header), header.spread(), Repetition::OF_LISTS);
    let mean = |layer: Layer| {
        let bits = header.probes(layer).count;
        let power = |&fill: &f64| lines.mean_power(load_of(fill), bits, layer);
        fills.iter().map(power).sum::<f64>() / fills.len().max(1) as f64
    };
    rates_of_accidents(header, mean(Layer::Word), mean(Layer::Deletion { at: 0 }))
}

/// The rates of the filter with this header, if the bits of a word and the bits of a deletion are set by
/// accident with these probabilities, on average over the pages.
pub(crate) fn rates_of_accidents(header: &Header, word: f64, deletion: f64) -> ActualRates {
    let demand = Demand::of(header);
    ActualRates {
        check: of_any(demand.word_probes(deletion), word),
        lookup: of_any(demand.word_probes_of_lookup(deletion), word),
    }
}

/// The number of bits set, with repetitions, for each bit of a page with this fill.
fn load_of(fill: f64) -> f64 {
    -(-fill).ln_1p()
}

/// The load of pages.
struct Load {
    /// Bits set (with repetitions) for each bit of a page.
    bits_per_bit: f64,
    /// Standard deviation of a page's load over its mean.
    relative_deviation: f64,
    lines: CacheLines,
}

/// A normal variable as three values with their weights (Gauss-Hermite quadrature): the same moments up to
/// the fifth.
const NORMAL_3: [(f64, f64); 3] =
    [(-1.732_050_807_568_877, 1.0 / 6.0), (0.0, 2.0 / 3.0), (1.732_050_807_568_877, 1.0 / 6.0)];

impl Load {
    fn new(counts: Counts, geometry: Geometry, spread: Spread, repetition: Repetition) -> Load {
        let pages = geometry.pages.max(1) as f64;
        let (word_bits, deletion_bits) = (f64::from(geometry.word_bits), f64::from(geometry.deletion_bits));
        let (words, deletions) = (counts.words as f64 / pages, counts.extension as f64 / pages);
        let mean = words * word_bits + deletions * deletion_bits;
        let variance = words * word_bits.powi(2) + deletions * deletion_bits.powi(2);
        let among_pages = 1.0 - 1.0 / pages;
        let relative_variance = if mean > 0.0 { among_pages * variance / (mean * mean) } else { 0.0 };
        let lines = CacheLines::new(counts, geometry, spread, repetition);
        Load {
            bits_per_bit: mean / f64::from(PAGE_BITS),
            relative_deviation: relative_variance.sqrt(),
            lines,
        }
    }

    fn fill(&self) -> f64 {
        -(-self.bits_per_bit).exp_m1()
    }

    /// E\[p^bits\] over the pages and their lines.
    fn mean_power(&self, bits: u8, layer: Layer) -> f64 {
        let power = |distance: f64| {
            let load = self.bits_per_bit * (1.0 + distance * self.relative_deviation);
            self.lines.mean_power(load, bits, layer)
        };
        NORMAL_3.iter().map(|&(distance, weight)| weight * power(distance)).sum()
    }
}

/// The information-theoretic least number of bits a word of any filter that rejects `strings` strings a word
/// and a stranger with probability `rate`: log₂(strings / rate).
pub fn least_bits_per_word(strings: f64, rate: f64) -> f64 {
    (strings / rate).ln() / LN_2
}

#[cfg(test)]
mod tests;
