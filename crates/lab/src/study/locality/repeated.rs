//! The paper's measurements as it made them: many repetitions, each with other hash functions, and their
//! deviation. Figure 1 asks for one string each; Table 2 for passwords.

use nearmiss_cli::report::number;
use nearmiss_filters::{hash::Key, ladder::SeededRandom};
use serde::Serialize;

use super::{
    super::{Steps, bloom::Bloom, extension::Extension, formulas},
    PAPER_PROBES, TABLE_PAGE_BYTES,
    asking::CountedLookups,
    expected_of_passwords, paper_measured,
    results::{layout, of_paper},
};
use crate::{
    plot::{Axis, Chart, Look, Series},
    table::Table,
};

/// The parameters of Figure 1.
#[derive(Clone, Debug)]
pub(crate) struct FigureOne {
    /// Strings in the filter.
    pub(crate) keys: u64,
    /// Bits of it.
    pub(crate) bits: u64,
    /// Numbers of probes, a curve each.
    pub(crate) probes: Vec<u32>,
    /// Other strings that are asked for, in each repetition.
    pub(crate) queries: u64,
    /// Repetitions.
    pub(crate) repetitions: u64,
}

/// A point: the mean of all repetitions and the standard deviation between them.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Repeated {
    /// Bytes of a page; none if all bits are one page.
    pub(crate) page_bytes: Option<u64>,
    pub(crate) probes: u32,
    /// The size in 10⁶ bytes.
    pub(crate) megabytes: f64,
    bits: u64,
    pub(crate) repetitions: u64,
    pub(crate) mean: f64,
    pub(crate) deviation: f64,
    /// The formula without pages.
    pub(crate) formula: f64,
    paged_formula: f64,
    /// The paper's measurement.
    pub(crate) paper: Option<f64>,
}

/// Page sizes of Figure 1: 16 bytes to 2 KiB, of which the paper's million bits is nearly a whole number.
const PAGE_POWERS: std::ops::RangeInclusive<i32> = 4..=11;

fn pages() -> impl Iterator<Item = Option<u64>> {
    PAGE_POWERS.map(|power| Some(1_u64 << power)).chain([None])
}

impl FigureOne {
    /// Points that are measured.
    pub(crate) fn count(&self) -> u64 {
        pages().count() as u64 * self.probes.len() as u64
    }

    /// Measures all points.
    pub(crate) fn measure(&self, steps: &Steps) -> Vec<Repeated> {
        let mut all = Vec::new();
        for &probes in &self.probes {
            for page_bytes in pages() {
                all.push(self.point(page_bytes, probes));
                steps.advance();
            }
        }
        all
    }

    fn point(&self, page_bytes: Option<u64>, probes: u32) -> Repeated {
        let bits = Bloom::new(self.bits, page_bytes, probes).bits();
        let rates: Vec<f64> =
            (0..self.repetitions).map(|number| self.rate(number, page_bytes, probes)).collect();
        let (mean, deviation) = mean_and_deviation(&rates);
        Repeated {
            page_bytes,
            probes,
            megabytes: bits as f64 / 8e6,
            bits,
            repetitions: self.repetitions,
            mean,
            deviation,
            formula: formulas::rate(self.keys, self.bits, probes),
            paged_formula: formulas::paged_rate(self.keys, bits, page_bytes.map(|bytes| bytes * 8), probes),
            paper: None,
        }
    }

    /// The share of strangers that are found, with the hash functions of this repetition.
    fn rate(&self, number: u64, page_bytes: Option<u64>, probes: u32) -> f64 {
        let key = Key::new((number + 1).to_le_bytes().repeat(2).try_into().unwrap_or_default());
        let mut bloom = Bloom::new(self.bits, page_bytes, probes);
        (0..self.keys).for_each(|string| bloom.insert(key.hash(&string.to_le_bytes())));
        let strangers = self.keys..self.keys + self.queries;
        let found = strangers.filter(|string| bloom.contains(key.hash(&string.to_le_bytes()))).count();
        found as f64 / self.queries.max(1) as f64
    }
}

/// Table 2 with so many repetitions, each with other hash functions and other passwords.
pub(crate) fn table_2(
    extension: &Extension,
    key: &Key,
    megabytes: &[f64],
    (queries, repetitions): (u64, u64),
    steps: &Steps,
) -> Vec<Repeated> {
    let mut all = Vec::new();
    for &megabytes in megabytes.iter().rev() {
        for page_bytes in [None, Some(TABLE_PAGE_BYTES)] {
            let rates: Vec<f64> = (0..repetitions)
                .map(|number| {
                    steps.advance();
                    rate_of_passwords(extension, key, (megabytes, page_bytes), queries, number)
                })
                .collect();
            let bits = Bloom::new((megabytes * 8e6).round() as u64, page_bytes, PAPER_PROBES).bits();
            let (mean, deviation) = mean_and_deviation(&rates);
            let strings = extension.hashes.len() as u64;
            all.push(Repeated {
                page_bytes,
                probes: PAPER_PROBES,
                megabytes,
                bits,
                repetitions,
                mean,
                deviation,
                formula: expected_of_passwords(strings, bits, None),
                paged_formula: expected_of_passwords(strings, bits, page_bytes),
                paper: paper_measured(megabytes, page_bytes, strings),
            });
        }
    }
    all
}

fn rate_of_passwords(
    extension: &Extension,
    key: &Key,
    (megabytes, page_bytes): (f64, Option<u64>),
    queries: u64,
    number: u64,
) -> f64 {
    let bloom = Bloom::new((megabytes * 8e6).round() as u64, page_bytes, PAPER_PROBES);
    let mut asking = CountedLookups::new(bloom, extension, key, number);
    asking.rejected(queries, &mut SeededRandom::new(94 + number)) as f64 / queries.max(1) as f64
}

fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0).max(1.0)).sqrt())
}

/// The points as CSV.
pub(crate) fn csv(all: &[Repeated]) -> String {
    let mut table = Table::new(&[
        "megabytes",
        "layout",
        "page_bytes",
        "bits",
        "probes",
        "repetitions",
        "mean_percent",
        "deviation_percent",
        "formula_percent",
        "formula_with_page_loads_percent",
        "paper_measured_percent",
    ]);
    for row in all {
        let ([layout, page], paper) = (layout(row.page_bytes), of_paper(row.paper));
        let [mean, deviation, formula, paged] = [row.mean, row.deviation, row.formula, row.paged_formula]
            .map(|rate| format!("{:.4}", 100.0 * rate));
        table.row(&[
            &row.megabytes,
            &layout,
            &page,
            &row.bits,
            &row.probes,
            &row.repetitions,
            &mean,
            &deviation,
            &formula,
            &paged,
            &paper,
        ]);
    }
    table.into_csv()
}

/// Figure 1: the rate against the page size; "none" stands beside the largest page.
pub(crate) fn figure_1(figure: &FigureOne, all: &[Repeated]) -> Chart {
    let beyond = 2_f64.powi(*PAGE_POWERS.end() + 1);
    let place = |row: &Repeated| row.page_bytes.map_or(beyond, |bytes| bytes as f64);
    let mut series = Vec::new();
    for (rows, colour) in all.chunk_by(|a, b| a.probes == b.probes).zip(0..) {
        let Some(first) = rows.first() else { continue };
        let points =
            |rate: fn(&Repeated) -> f64| rows.iter().map(|row| (place(row), 100.0 * rate(row))).collect();
        let ends = |row: &Repeated| [row.mean - row.deviation, row.mean + row.deviation];
        let spread = rows.iter().flat_map(|row| ends(row).map(|rate| (place(row), 100.0 * rate))).collect();
        let named = |name: String, look, points| Series { name, colour, look, points };
        let paged: Vec<_> = rows.iter().filter(|row| row.page_bytes.is_some()).collect();
        let paged = paged.iter().map(|row| (place(row), 100.0 * row.paged_formula)).collect();
        series.push(named(format!("k = {}, measured", first.probes), Look::Dots, points(|row| row.mean)));
        series.push(named(String::new(), Look::Spread, spread));
        series.push(named(format!("k = {}, page loads", first.probes), Look::Line, paged));
        series.push(named(
            format!("k = {}, no pages", first.probes),
            Look::Dashes,
            points(|row| row.formula),
        ));
    }
    let name = |power: i32| match power {
        10.. => format!("{}K", 1_u32 << (power - 10)),
        _ => (1_u32 << power).to_string(),
    };
    let ticks: Vec<(f64, String)> = PAGE_POWERS
        .map(|power| (2_f64.powi(power), name(power)))
        .chain([(beyond, "none".to_owned())])
        .collect();
    Chart {
        title: "Figure 1. From some hundred bytes on, a string's bits may lie in one page at no cost"
            .to_owned(),
        notes: vec![
            format!("n = {} strings, M = {} bits, one check", number(figure.keys), number(figure.bits)),
            format!("{} repetitions; spread: one standard deviation between them", figure.repetitions),
        ],
        remarks: Vec::new(),
        x: Axis::doublings("page size (bytes)", &ticks),
        y: Axis::from_zero(
            "false positives (%)",
            series.iter().flat_map(|series| &series.points).map(|&(_, rate)| rate),
        ),
        series,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_lie_around_the_formula() {
        let figure = FigureOne { keys: 5000, bits: 50_000, probes: vec![5], queries: 4000, repetitions: 12 };
        let all = figure.measure(&Steps::hidden());
        assert_eq!((all.len() as u64, figure.count()), (9, 9));
        for row in &all {
            // The error of the mean, and what a page that is not whole changes.
            let allowed = 5.0 * row.deviation / 12_f64.sqrt() + 0.05 * row.paged_formula;
            assert!((row.mean - row.paged_formula).abs() < allowed, "{row:?}");
            assert!(row.deviation > 0.0 && row.deviation < row.mean, "{row:?}");
        }
        assert_eq!(csv(&all).lines().count(), 10);
    }
}
