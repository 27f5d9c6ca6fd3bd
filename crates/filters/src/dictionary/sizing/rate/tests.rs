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
        let fill = Load::new(counts(), smaller, demand.scheme.spread(deletion_bits), Repetition::NONE).fill();
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
const TABLE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/expected-rates.tsv"));

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
    (scheme, demand.rate(counts, geometry, Repetition::NONE), number(rate))
}

/// Where bits lie together in lines, their loads are taken to be slightly more uneven than they are: the
/// expected rate is up to a hundredth too high, and never too low.
#[test]
fn rates_of_each_scheme_are_those_of_a_table_computed_apart() {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    for line in lines.clone() {
        let (scheme, expected, apart) = both_rates(line);
        let agree = if scheme == SchemeId::Deletions { 1.0..1.015 } else { 0.999..1.007 };
        assert!(agree.contains(&(expected / apart)), "{line}: {expected}");
    }
    assert_eq!(lines.count(), 25);
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
    let mean = |power: &dyn Fn(f64) -> f64| fills.iter().map(|&fill| power(fill)).sum::<f64>() / 3.0;
    let plain = mean(&|fill| fill.powi(10));
    // One word of 512 is twice as loaded, beside the checksum.
    let group = |fill: f64, bits: i32| fill.powi(bits) * (1.0 + (1.0 - fill) * f64::from(bits) / 512.0);
    let (in_lines, accident) = (mean(&|fill| group(fill, 8) * group(fill, 2)), mean(&|fill| group(fill, 4)));
    for (scheme, strings, word) in [
        (SchemeId::Whole, 1.0, plain),
        (SchemeId::Paper, 17.0, plain),
        // Nine of the word layer, and four symbols for each of 17 accidents.
        (SchemeId::Deletions, 9.0 + 4.0 * 17.0 * accident, in_lines),
    ] {
        header.scheme = scheme;
        let any = |strings: f64| 1.0 - (1.0_f64 - word).powf(strings);
        let rates = rates_of_fills(&header, &fills);
        assert!((rates.check / any(2.0 * strings) - 1.0).abs() < 1e-9, "{scheme:?}: {rates:?}");
        assert!((rates.lookup / any(strings) - 1.0).abs() < 1e-9, "{scheme:?}: {rates:?}");
    }
    let even = rates_of_fills(&header, &fills).check;
    (header.words, header.extension) = (340, 2800);
    let raised = rates_of_fills(&header, &fills).check / even;
    assert!((1.05..1.5).contains(&raised), "{raised}: lines are unevenly full");
    assert!((rates_of_fills(&header, &[1.0; 3]).check - 1.0).abs() < 1e-12, "a rate is at most 1");
    assert!(rates_of_fills(&header, &[]).check.abs() < 1e-12);
}

/// Figure 1 of Manber and Wu: a lookup is wrong once in 120, and a check of 164 lookups three times in four.
#[test]
fn the_rate_of_many_lookups_is_a_probability_that_says_something() {
    let stated = StatedRate { false_rejection: 0.001, characters: 12, lookups: 164 };
    let whole = Demand { scheme: SchemeId::Whole, deletion_bits: 0, stated, symbols: 0 };
    let counts = Counts { words: 98_361, extension: 0 };
    let geometry = Geometry { pages: 31, word_bits: 5, deletion_bits: 0 };
    let one = StatedRate { lookups: 1, ..stated };
    let lookup = Demand { stated: one, ..whole }.expected_rate(counts, geometry);
    let check = whole.expected_rate(counts, geometry);
    assert!((check - (1.0 - (1.0 - lookup).powi(164))).abs() < 1e-9, "{check} {lookup}");
    assert!((0.7..0.8).contains(&check), "{check}");
    let told = Demand { stated: StatedRate { false_rejection: check, ..stated }, ..whole };
    assert!((told.stated_lookup_rate() / lookup - 1.0).abs() < 1e-9);
    let full = Demand { stated: StatedRate { false_rejection: 1.0, ..stated }, ..whole };
    assert!((full.stated_lookup_rate() - 1.0).abs() < 1e-12);
}

/// The sizes of filters do not depend on the form of the rate of many lookups.
#[test]
fn sizes_are_chosen_by_the_sum_which_is_never_less() {
    for rate in [1e-3, 0.2, 0.9] {
        let demand = demand(SchemeId::Deletions, rate, 6);
        let Some(geometry) = demand.geometry(counts()) else { panic!("no geometry") };
        assert!(demand.expected_rate(counts(), geometry) < rate);
    }
}

#[test]
fn the_least_bits_are_the_logarithm_of_strings_for_each_accident() {
    assert!((least_bits_per_word(16.0, 0.001) - 13.965_784_284_662).abs() < 1e-9);
    assert!((least_bits_per_word(1.0, 0.25) - 2.0).abs() < 1e-12);
}
