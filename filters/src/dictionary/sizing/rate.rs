//! The false rejection rate per password checked, and the pages it takes to keep it.
//!
//! A password that is not near the dictionary is rejected by accident when one of the strings asked of the
//! word layer for it, or for one of its variants, has all its bits set. On average over the filter's key
//! these strings are
//!
//! 1 + *d* + *a* (2*d* + 1) *A*
//!
//! where *d* is the number of its characters, *A* that of the alphabet's symbols, and *a* = E\[pᵇ\] the
//! probability that the *b* bits of a deletion are set by accident, *p* being the fill of a page. It is an
//! accident each time: no *q−i* is a word's deletion at the place *i*, nor is *q* at any place, since *q*
//! would be near that word ([`crate::neighbours`]). None of the strings is a word, and the *k* bits of a word
//! are all set with probability E\[pᵏ\] (Bloom 1970), whatever the password is: the bound holds for a
//! password chosen by an adversary who does not know the filter's key. The digram table only lowers it and is
//! not counted on.
//!
//! Where bits lie together in a line ([`Spread::Lines`]), *p* is the fill of a line, which varies more, and
//! two bits of a string may be the same.

use std::f64::consts::LN_2;

use super::{
    cache_lines::CacheLines,
    geometry::{Counts, Geometry},
};
use crate::{
    format::{Header, MAX_PAGES, SchemeId, StatedRate},
    page::{Layer, MAX_PROBES, PAGE_BITS, Spread},
};

/// Characters of the password for which the rate is stated.
pub const STATED_CHARACTERS: u16 = 12;

/// Lookups of the candidate and all variants that a policy makes of it: near ones, where the filter is near.
pub const VARIANT_LOOKUPS: u16 = 64;

/// Further lookups of one check, for members only: the parts of a password of [`STATED_CHARACTERS`] that may
/// be one of two words or most of it. A part is asked in every form: with accents and without, and without
/// digits and punctuation at the ends. Forms begin at two places and end at three, and seven parts lie at
/// each: 2 · (2 + 3) · 7; the parts that are most of it are 2 · 15.
pub const MEMBER_LOOKUPS: u16 = 100;

/// Lookups of one check for which the rate is stated.
pub const STATED_LOOKUPS: u16 = VARIANT_LOOKUPS + MEMBER_LOOKUPS;

/// Default false rejection rate: one in a thousand.
pub const DEFAULT_FALSE_REJECTION: f64 = 0.001;

/// The highest fill of a near filter. A fuller filter with more word bits is smaller still, since the
/// deletion bits weigh most; but its deletions then propose more often by accident, and a miss costs more
/// probes.
const MAX_NEAR_FILL: f64 = 0.6;

/// Where the second-order term of the page loads' spread is cut off: it is below 0.3 in every filter that is
/// worth its size, and means nothing in one whose pages are nearly empty.
const MAX_SPREAD: f64 = 1.5;

/// The demands a geometry is chosen for.
#[derive(Clone, Copy, Debug)]
pub struct Demand {
    /// How neighbours are found.
    pub scheme: SchemeId,
    /// Deletion bits wanted: 0, 2, 4, 6 or 8; ignored but for [`SchemeId::Deletions`].
    pub deletion_bits: u8,
    /// The rate to keep.
    pub stated: StatedRate,
    /// Symbols of the alphabet.
    pub symbols: usize,
}

impl Demand {
    /// The demand that a filter with this header was made for.
    pub fn of(header: &Header) -> Demand {
        Demand {
            scheme: header.scheme,
            deletion_bits: header.deletion_bits,
            stated: header.stated,
            symbols: header.alphabet.len(),
        }
    }

    /// The most strings asked of the word layer, on average over the filter's key, for one candidate of
    /// [`StatedRate::characters`] characters and all its variants, when a string's deletion bits are set by
    /// accident with probability `accident`.
    pub(crate) fn word_probes(&self, accident: f64) -> f64 {
        let d = f64::from(self.stated.characters);
        let symbols = self.symbols as f64;
        let each = match self.scheme {
            SchemeId::Whole => 1.0,
            SchemeId::Deletions => 1.0 + d + symbols * accident * (2.0 * d + 1.0),
            SchemeId::Paper => 2.0 * d + 1.0,
        };
        let near = self.stated.lookups.min(VARIANT_LOOKUPS);
        let members =
            if self.scheme == SchemeId::Paper { 0 } else { self.stated.lookups.saturating_sub(near) };
        each * f64::from(near) + f64::from(members)
    }

    /// The most of a check's rate that falls to the lookup of one variant.
    pub fn share_of_lookup(&self) -> f64 {
        let most = if self.scheme == SchemeId::Whole { u16::MAX } else { VARIANT_LOOKUPS };
        1.0 / f64::from(self.stated.lookups.min(most))
    }

    /// The false rejection rate of a filter that holds `counts`: word probes × E\[pᵏ\] over pages whose loads
    /// vary as independent strings make them (multinomial), to the second order in the load's relative
    /// deviation.
    pub fn expected_rate(&self, counts: Counts, geometry: Geometry) -> f64 {
        let load = Load::new(counts, geometry, self.scheme.spread());
        let word = load.mean_power(geometry.word_bits, Layer::Word);
        let accident = load.mean_power(geometry.deletion_bits, Layer::Deletion { at: 0 });
        (self.word_probes(accident) * word).min(1.0)
    }

    /// The smallest geometry that keeps the rate for `counts` entries; `None` when none does.
    pub fn geometry(&self, counts: Counts) -> Option<Geometry> {
        let deletion_bits = if self.scheme == SchemeId::Deletions { self.deletion_bits } else { 0 };
        (1..=MAX_PROBES)
            .filter_map(|word_bits| self.fewest_pages(counts, word_bits, deletion_bits))
            .min_by_key(|geometry| (geometry.pages, geometry.word_bits))
    }

    fn fewest_pages(&self, counts: Counts, word_bits: u8, deletion_bits: u8) -> Option<Geometry> {
        let with = |pages| Geometry { pages, word_bits, deletion_bits };
        let keeps = |pages| {
            self.expected_rate(counts, with(pages)) <= self.stated.false_rejection
                && Load::new(counts, with(pages), self.scheme.spread()).fill() <= MAX_NEAR_FILL
        };
        if !keeps(MAX_PAGES) {
            return None;
        }
        let (mut too_few, mut enough) = (0, MAX_PAGES);
        while enough.abs_diff(too_few) > 1 {
            let middle = u64::midpoint(too_few, enough);
            if keeps(middle) { enough = middle } else { too_few = middle }
        }
        Some(with(enough))
    }
}

/// The rate of the filter with this header whose pages have these fills: word probes × the mean of pᵏ.
pub fn rate_of_fills(header: &Header, fills: &[f64]) -> f64 {
    let counts = Counts { words: header.words, extension: header.extension };
    let lines = CacheLines::new(counts, Geometry::of(header), header.scheme.spread());
    let mean = |layer: Layer| {
        let bits = header.probes(layer).count;
        let power = |&fill: &f64| fill.powi(i32::from(bits)) * lines.factor(fill, bits, layer);
        fills.iter().map(power).sum::<f64>() / fills.len().max(1) as f64
    };
    (Demand::of(header).word_probes(mean(Layer::Deletion { at: 0 })) * mean(Layer::Word)).min(1.0)
}

/// How full pages get.
struct Load {
    /// Bits set (with repetitions) for each bit of a page.
    bits_per_bit: f64,
    /// Variance of a page's load over the square of its mean.
    relative_variance: f64,
    lines: CacheLines,
}

impl Load {
    fn new(counts: Counts, geometry: Geometry, spread: Spread) -> Load {
        let pages = geometry.pages.max(1) as f64;
        let (word_bits, deletion_bits) = (f64::from(geometry.word_bits), f64::from(geometry.deletion_bits));
        let (words, deletions) = (counts.words as f64 / pages, counts.extension as f64 / pages);
        let mean = words * word_bits + deletions * deletion_bits;
        let variance = words * word_bits.powi(2) + deletions * deletion_bits.powi(2);
        let among_pages = 1.0 - 1.0 / pages;
        let relative_variance = if mean > 0.0 { among_pages * variance / (mean * mean) } else { 0.0 };
        let lines = CacheLines::new(counts, geometry, spread);
        Load { bits_per_bit: mean / f64::from(PAGE_BITS), relative_variance, lines }
    }

    fn fill(&self) -> f64 {
        -(-self.bits_per_bit).exp_m1()
    }

    /// E\[p^bits\] over the pages and their lines.
    fn mean_power(&self, bits: u8, layer: Layer) -> f64 {
        let fill = self.fill();
        let among_pages = spread_factor(fill, f64::from(bits), self.relative_variance);
        fill.powi(i32::from(bits)) * among_pages * self.lines.factor(fill, bits, layer)
    }
}

/// E\[p^bits\] / E\[p\]^bits for loads of this relative variance around the one that fills `fill`, to the
/// second order.
fn spread_factor(fill: f64, bits: f64, relative_variance: f64) -> f64 {
    let load = -(-fill).ln_1p();
    let sensitivity = bits * load * (1.0 - fill) / fill.max(f64::MIN_POSITIVE);
    (0.5 * sensitivity * sensitivity * relative_variance).min(MAX_SPREAD).exp()
}

/// The information-theoretic least number of bits a word of any filter that rejects `strings` strings a word
/// and a stranger with probability `rate`: log₂(strings / rate).
pub fn least_bits_per_word(strings: f64, rate: f64) -> f64 {
    (strings / rate).ln() / LN_2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        dictionary::{query::asked, tests::filter_of},
        neighbours::Scratch,
        word::Word,
    };

    fn demand(scheme: SchemeId, rate: f64, deletion_bits: u8) -> Demand {
        let stated = StatedRate { false_rejection: rate, characters: 8, lookups: 1 };
        Demand { scheme, deletion_bits, stated, symbols: 70 }
    }

    fn counts() -> Counts {
        Counts { words: 1_000_000, extension: 7_000_000 }
    }

    fn bits_per_word(demand: Demand) -> f64 {
        let geometry = demand.geometry(counts()).map_or(u64::MAX, |geometry| geometry.pages);
        geometry as f64 * 32_768.0 / 1e6
    }

    /// 1.44 log₂(1/ε) bits an entry (Bloom 1970), with the page's checksum and its uneven load.
    #[test]
    fn exact_filters_take_what_blooms_formula_says() {
        for rate in [1e-2_f64, 1e-3, 1e-4] {
            let bits = bits_per_word(demand(SchemeId::Whole, rate, 0));
            let formula = std::f64::consts::LOG2_E * (1.0 / rate).log2();
            assert!((0.99..1.02).contains(&(bits / formula)), "{rate}: {bits} against {formula}");
        }
    }

    #[test]
    fn the_chosen_geometry_keeps_the_rate_and_one_page_less_does_not() {
        for deletion_bits in [0, 2, 4, 6, 8] {
            let demand = demand(SchemeId::Deletions, 1e-2, deletion_bits);
            let Some(geometry) = demand.geometry(counts()) else { panic!("no geometry") };
            assert!(demand.expected_rate(counts(), geometry) <= 1e-2);
            let smaller = Geometry { pages: geometry.pages - 10, ..geometry };
            let fill = Load::new(counts(), smaller, demand.scheme.spread()).fill();
            assert!(demand.expected_rate(counts(), smaller) > 1e-2 || fill > MAX_NEAR_FILL);
        }
    }

    #[test]
    fn more_deletion_bits_and_lower_rates_cost_more() {
        let sizes = [0, 2, 4, 6, 8].map(|bits| bits_per_word(demand(SchemeId::Deletions, 1e-2, bits)));
        assert!(sizes.is_sorted(), "{sizes:?}");
        let rates = [1e-2, 1e-3, 1e-4].map(|rate| bits_per_word(demand(SchemeId::Deletions, rate, 8)));
        assert!(rates.is_sorted(), "{rates:?}");
    }

    #[test]
    fn an_empty_filter_and_an_impossible_one_have_an_answer() {
        let none = Counts { words: 0, extension: 0 };
        let geometry = demand(SchemeId::Deletions, 1e-3, 8).geometry(none);
        assert_eq!(geometry.map(|geometry| geometry.pages), Some(1));
        let too_many = Counts { words: 1 << 60, extension: 1 << 62 };
        assert_eq!(demand(SchemeId::Deletions, 1e-3, 8).geometry(too_many), None);
    }

    /// Made by `expected-rates.py` beside it, which counts the strings asked and sums over the loads of a
    /// page.
    const TABLE: &str =
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/expected-rates.tsv"));

    fn number<T: std::str::FromStr>(field: &str) -> T {
        field.parse().unwrap_or_else(|_| panic!("{field}"))
    }

    /// One line of the table: the scheme, the rate the library expects, and the one that was computed apart.
    fn both_rates(line: &str) -> (SchemeId, f64, f64) {
        let fields: Vec<&str> = line.split('\t').collect();
        let &[name, words, extension, pages, word_bits, deletion_bits, characters, lookups, symbols, rate] =
            fields.as_slice()
        else {
            panic!("{line}")
        };
        let schemes = [SchemeId::Whole, SchemeId::Paper, SchemeId::Deletions];
        let Some(scheme) = schemes.into_iter().find(|scheme| scheme.name() == name) else { panic!("{line}") };
        let [characters, lookups] = [characters, lookups].map(number);
        let [word_bits, deletion_bits] = [word_bits, deletion_bits].map(number);
        let stated = StatedRate { false_rejection: 1.0, characters, lookups };
        let demand = Demand { scheme, deletion_bits, stated, symbols: number(symbols) };
        let counts = Counts { words: number(words), extension: number(extension) };
        let geometry = Geometry { pages: number(pages), word_bits, deletion_bits };
        (scheme, demand.expected_rate(counts, geometry), number(rate))
    }

    /// Where bits lie together in lines, the second order counts part of the spread of a line's load twice:
    /// the expected rate is up to a sixth too high, and never too low.
    #[test]
    fn rates_of_each_scheme_are_those_of_a_table_computed_apart() {
        let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
        for line in lines.clone() {
            let (scheme, expected, apart) = both_rates(line);
            let agree = if scheme == SchemeId::Deletions { 1.0..1.18 } else { 0.999..1.007 };
            assert!(agree.contains(&(expected / apart)), "{line}: {expected}");
        }
        assert_eq!(lines.count(), 20);
    }

    /// The strings that a scheme asks for, of a password whose characters all differ. All but
    /// [`SchemeId::Deletions`] ask for the strings that they store.
    #[test]
    fn as_many_strings_are_counted_as_are_asked() {
        let schemes = [SchemeId::Whole, SchemeId::Deletions, SchemeId::Paper];
        for (length, scheme) in (0..20_u16).flat_map(|length| schemes.map(|one| (length, one))) {
            let text: String = ('a'..='z').take(usize::from(length)).collect();
            let (mut words, mut proposals) = (0_u32, 0_u32);
            let word = Word::clean(text.as_bytes()).unwrap_or_default();
            let mut count = |layer: Layer, _: &[u8]| {
                if layer.is_deletion() { proposals += 1 } else { words += 1 }
            };
            match scheme {
                SchemeId::Deletions => asked(&word, &mut Scratch::default(), &mut count),
                SchemeId::Whole | SchemeId::Paper => {
                    scheme.each_stored(&word, &mut Scratch::default(), &mut count);
                }
            }
            let stated = StatedRate { false_rejection: 0.5, characters: length, lookups: 3 };
            let demand = Demand { scheme, deletion_bits: 8, stated, symbols: 70 };
            for accident in [0.0, 0.125, 1.0] {
                let asked = 3.0 * (f64::from(words) + 70.0 * accident * f64::from(proposals));
                assert!((demand.word_probes(accident) - asked).abs() < 1e-9, "{length} {scheme:?}: {asked}");
            }
        }
    }

    /// Of a filter without entries, whose lines are therefore as full as their pages.
    #[test]
    fn the_rate_of_fills_is_that_of_the_mean_over_the_pages() {
        let mut header = filter_of(&["abc", "bcd"], SchemeId::Deletions, 4, 2).header().clone();
        (header.words, header.extension) = (0, 0);
        header.stated = StatedRate { false_rejection: 0.5, characters: 8, lookups: 2 };
        (header.word_bits, header.deletion_bits) = (10, 4);
        let fills = [0.5_f64, 0.25, 0.375];
        let mean = |bits| fills.iter().map(|fill| fill.powi(bits)).sum::<f64>() / 3.0;
        for (scheme, strings) in [
            (SchemeId::Whole, 1.0),
            (SchemeId::Paper, 17.0),
            // Nine of the word layer, and four symbols for each of 17 accidents.
            (SchemeId::Deletions, 9.0 + 4.0 * 17.0 * mean(4)),
        ] {
            header.scheme = scheme;
            let rate = 2.0 * strings * mean(10);
            assert!((rate_of_fills(&header, &fills) / rate - 1.0).abs() < 1e-12, "{scheme:?}: {rate}");
        }
        let even = rate_of_fills(&header, &fills);
        (header.words, header.extension) = (340, 2800);
        let raised = rate_of_fills(&header, &fills) / even;
        assert!((1.05..1.5).contains(&raised), "{raised}: lines are unevenly full");
        assert!((rate_of_fills(&header, &[0.999; 3]) - 1.0).abs() < 1e-12, "a rate is at most 1");
        assert!(rate_of_fills(&header, &[]).abs() < 1e-12);
    }

    #[test]
    fn the_least_bits_are_the_logarithm_of_strings_for_each_accident() {
        assert!((least_bits_per_word(16.0, 0.001) - 13.965_784_284_662).abs() < 1e-9);
        assert!((least_bits_per_word(1.0, 0.25) - 2.0).abs() < 1e-12);
    }
}
