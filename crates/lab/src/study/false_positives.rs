//! The false positive rate against the size and the number of probes, measured by looking up every word of 3
//! or 4 letters, beside (1 − e^(−kn/m))^k and the best number of probes (m/n) ln 2.

use std::{
    collections::HashSet,
    io::{self, Write},
};

use nearmiss_filters::{hash::Key, word::Word};
use serde::Serialize;

use super::{Steps, bloom::Bloom, formulas};
use crate::{
    plot::{Axis, Chart, GREY, Look, Series},
    table::{Table, digits},
};

/// The parameter to sweep.
pub(crate) struct Sweep {
    /// Sizes in bits.
    pub(crate) bits: Vec<u64>,
    /// Numbers of probes.
    pub(crate) probes: Vec<u32>,
    /// Each point is measured with this many keys, one after another.
    pub(crate) keys: u64,
}

/// A point of the sweep.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    bits: u64,
    probes: u32,
    words: u64,
    lookups: u64,
    false_positives: u64,
}

/// The sweep's result for one size.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Best {
    bits: u64,
    bits_per_word: f64,
    /// (m/n) ln 2.
    theoretical_probes: f64,
    /// The whole number of probes for which the formula is least.
    pub(crate) probes_by_formula: u32,
    /// The one for which the measured rate is least.
    pub(crate) probes_measured: u32,
    least_measured_rate: f64,
    least_rate_by_formula: f64,
}

impl Best {
    /// Writes a line of a table.
    ///
    /// # Errors
    /// The answers of `out`.
    pub(crate) fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "{:>10}  {:>9.2}  {:>10.3}  {:>15}  {:>16}  {:>19.4e}  {:>8.4e}",
            self.bits,
            self.bits_per_word,
            self.theoretical_probes,
            self.probes_by_formula,
            self.probes_measured,
            self.least_rate_by_formula,
            self.least_measured_rate
        )
    }
}

/// Sizes that are swept where none are named: 4 to 16 bits a word.
pub(crate) fn default_bits(words: u64) -> Vec<u64> {
    [4, 6, 8, 10, 12, 14, 16].into_iter().map(|bits| words.saturating_mul(bits)).collect()
}

impl Point {
    fn measured(&self) -> f64 {
        self.false_positives as f64 / self.lookups.max(1) as f64
    }

    fn formula(&self) -> f64 {
        formulas::rate(self.words, self.bits, self.probes)
    }

    fn bits_per_word(&self) -> f64 {
        self.bits as f64 / self.words as f64
    }
}

/// Measures all points, size by size.
pub(crate) fn measure(words: &[Word], sweep: &Sweep, steps: &Steps) -> Vec<Point> {
    let strangers = strangers(words);
    let mut points: Vec<Point> = Vec::new();
    for &bits in &sweep.bits {
        points.extend(sweep.probes.iter().map(|&probes| Point {
            bits,
            probes,
            words: words.len() as u64,
            lookups: strangers.len() as u64 * sweep.keys,
            false_positives: 0,
        }));
    }
    for number in 0..sweep.keys {
        let key = Key::new((number + 1).to_le_bytes().repeat(2).try_into().unwrap_or_default());
        let members: Vec<u64> = words.iter().map(|word| key.hash(word.as_bytes())).collect();
        let others: Vec<u64> = strangers.iter().map(|string| key.hash(string)).collect();
        for point in &mut points {
            point.false_positives += count_false(&members, &others, point);
            steps.advance();
        }
    }
    points
}

fn count_false(members: &[u64], others: &[u64], point: &Point) -> u64 {
    let mut bloom = Bloom::new(point.bits, None, point.probes);
    for &hash in members {
        bloom.insert(hash);
    }
    others.iter().filter(|&&hash| bloom.contains(hash)).count() as u64
}

/// Every word of 3 or 4 letters a–z that is not in the list.
fn strangers(words: &[Word]) -> Vec<Vec<u8>> {
    let members: HashSet<&[u8]> = words.iter().map(Word::as_bytes).collect();
    let mut strings: Vec<Vec<u8>> = vec![Vec::new()];
    let mut all = Vec::new();
    for length in 1..=4 {
        strings = strings
            .iter()
            .flat_map(|string| (b'a'..=b'z').map(|letter| [string, &[letter][..]].concat()))
            .collect();
        if length >= 3 {
            all.extend(strings.iter().filter(|string| !members.contains(string.as_slice())).cloned());
        }
    }
    all
}

/// The points, size by size.
pub(crate) fn best(points: &[Point]) -> Vec<Best> {
    points.chunk_by(|a, b| a.bits == b.bits).filter_map(best_of_size).collect()
}

fn best_of_size(points: &[Point]) -> Option<Best> {
    let least = points.iter().min_by(|a, b| a.measured().total_cmp(&b.measured()))?;
    let probes_by_formula = formulas::best_whole_probes(least.words, least.bits);
    Some(Best {
        bits: least.bits,
        bits_per_word: least.bits_per_word(),
        theoretical_probes: formulas::best_probes(least.words, least.bits),
        probes_by_formula,
        probes_measured: least.probes,
        least_measured_rate: least.measured(),
        least_rate_by_formula: formulas::rate(least.words, least.bits, probes_by_formula),
    })
}

/// All points as CSV.
pub(crate) fn csv(points: &[Point]) -> String {
    let mut table = Table::new(&[
        "bits",
        "words",
        "bits_per_word",
        "probes",
        "lookups",
        "false_positives",
        "measured_rate",
        "formula_rate",
        "best_probes",
    ]);
    for point in points {
        let best = format!("{:.3}", formulas::best_probes(point.words, point.bits));
        let (each, measured, formula) =
            (digits(point.bits_per_word()), digits(point.measured()), digits(point.formula()));
        table.row(&[
            &point.bits,
            &point.words,
            &each,
            &point.probes,
            &point.lookups,
            &point.false_positives,
            &measured,
            &formula,
            &best,
        ]);
    }
    table.into_csv()
}

/// Rate against probes, a curve for each size; where nothing was found there is no dot.
pub(crate) fn chart(points: &[Point]) -> Chart {
    let sizes: Vec<&[Point]> = points.chunk_by(|a, b| a.bits == b.bits).collect();
    let mut series: Vec<Series> =
        sizes.iter().enumerate().flat_map(|(at, size)| curves(at % GREY, size)).collect();
    let best = sizes.iter().filter_map(|size| size.first()).map(best_by_theory).collect();
    series.push(Series {
        name: "best k = (m/n) ln 2".to_owned(),
        colour: GREY,
        look: Look::Dashes,
        points: best,
    });
    let probes: Vec<f64> = points.iter().map(|point| f64::from(point.probes)).collect();
    let x = Axis::counting("probes k", &probes);
    let rates = series.iter().flat_map(|series| &series.points).map(|&(_, rate)| rate);
    let y = Axis::decades("false positive rate", rates);
    Chart {
        title: "Each size has a best number of probes, (m/n) ln 2".to_owned(),
        notes: vec!["Lines: (1 − e^(−kn/m))^k. Dots: measured with all words of 3 or 4 letters.".to_owned()],
        remarks: Vec::new(),
        x,
        y,
        series,
    }
}

fn curves(colour: usize, size: &[Point]) -> [Series; 2] {
    let each = size.first().map_or(0.0, Point::bits_per_word);
    let each = format!("{each:.2}");
    let name = format!("{} bits a word", each.trim_end_matches('0').trim_end_matches('.'));
    let formula = size.iter().map(|point| (f64::from(point.probes), point.formula())).collect();
    let measured = size.iter().map(|point| (f64::from(point.probes), point.measured()));
    let measured = measured.filter(|&(_, rate)| rate > 0.0).collect();
    [
        Series { name, colour, look: Look::Line, points: formula },
        Series { name: String::new(), colour, look: Look::Dots, points: measured },
    ]
}

/// The best number of probes, no whole one, and its rate: half of the bits are ones, so 2⁻ᵏ.
fn best_by_theory(point: &Point) -> (f64, f64) {
    let probes = formulas::best_probes(point.words, point.bits);
    (probes, (-probes).exp2())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(count: u32) -> Vec<Word> {
        (0..count).map(|i| Word::clean(format!("word-{i}").as_bytes()).unwrap_or_default()).collect()
    }

    /// The least measured rate is at the best number of probes or beside it, where neighbours differ by more
    /// than chance.
    #[test]
    fn the_best_number_of_probes_is_the_theoretical_one_or_its_neighbour() {
        let sweep = Sweep { bits: vec![12_000, 18_000, 24_000], probes: (1..=12).collect(), keys: 2 };
        let points = measure(&words(3000), &sweep, &Steps::hidden());
        let best = best(&points);
        assert_eq!(best.len(), 3);
        for size in best {
            assert!(size.probes_measured.abs_diff(size.probes_by_formula) <= 1, "{size:?}");
        }
        for point in points {
            let expected = point.formula() * point.lookups as f64;
            // Two fills of one list vary, too: 2 % beside the count's own deviation.
            let allowed = 5.0 * expected.sqrt() + 0.02 * expected;
            assert!((point.false_positives as f64 - expected).abs() < allowed, "{point:?}: {expected}");
        }
    }

    #[test]
    fn strangers_are_all_but_the_members() {
        let list =
            ["abc", "abcd", "ab", "elephant"].map(|text| Word::clean(text.as_bytes()).unwrap_or_default());
        assert_eq!(strangers(&list).len(), 26_usize.pow(3) + 26_usize.pow(4) - 2);
    }
}
