//! The cost of keeping all bits of a string in one page: the false positive rate of the paper's scheme
//! against the page size (Manber & Wu, Figure 1), and the paper's Table 2.

use nearmiss_filters::{hash::Key, ladder::SeededRandom};
use serde::Serialize;

use super::{
    Steps,
    bloom::Bloom,
    clock::Stopwatch,
    extension::{Extension, PASSWORD_STRINGS},
    formulas,
};

mod asking;
mod repeated;
mod results;

use asking::CountedLookups;
pub(crate) use repeated::{FigureOne, Repeated, csv as repeated_csv, figure_1, table_2 as repeated_table_2};
pub(crate) use results::{chart, csv, layout, table_2};

/// Distinct strings of the 1-extension of the paper's 194,168 words.
pub(crate) const PAPER_EXTENSION: u64 = 3_026_758;

/// Hash functions of the paper's Table 2.
pub(crate) const PAPER_PROBES: u32 = 5;

/// The page of Table 2's "local" rows: that of the filter format.
const TABLE_PAGE_BYTES: u64 = 4096;

/// The smallest and the largest page of the sweep, as powers of two of bytes: 32 bytes to 64 KiB.
const PAGE_POWERS: std::ops::RangeInclusive<i32> = 5..=16;

/// The measurements of Table 2 in the paper: megabytes, local or not, per cent rejected by accident.
const PAPER_MEASURED: [(f64, bool, f64); 4] =
    [(7.5, false, 0.94), (7.5, true, 0.98), (5.0, false, 5.13), (5.0, true, 5.51)];

/// A measured filter.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Measured {
    /// The size in 10⁶ bytes.
    pub(crate) megabytes: f64,
    /// Bytes of a page; none if all bits are one page.
    pub(crate) page_bytes: Option<u64>,
    bits: u64,
    strings: u64,
    queries: u64,
    rejected: u64,
    /// The rate of accidental acceptance of a password.
    pub(crate) rate: f64,
    /// Formula 3.5 of the paper, which knows no pages.
    pub(crate) formula: f64,
    /// The same with the loads of pages.
    paged_formula: f64,
    /// To make and ask for one password, in microseconds of processor time.
    pub(crate) microseconds: f64,
    /// The paper's measurement, if this is a row of its Table 2.
    pub(crate) paper: Option<f64>,
}

/// Page sizes of the sweep: powers of two, and none.
pub(crate) fn page_sizes() -> Vec<Option<u64>> {
    PAGE_POWERS.map(|power| Some(1 << power)).chain([None]).collect()
}

/// Asks a filter of this size and page size that holds the extension for random passwords.
pub(crate) fn measure(
    extension: &Extension,
    key: &Key,
    megabytes: f64,
    page_bytes: Option<u64>,
    queries: u64,
) -> Measured {
    let bloom = Bloom::new((megabytes * 8e6).round() as u64, page_bytes, PAPER_PROBES);
    let mut asking = CountedLookups::new(bloom, extension, key, 0);
    let mut random = SeededRandom::new(94);
    let start = Stopwatch::start();
    let rejected = asking.rejected(queries, &mut random);
    let microseconds = start.nanoseconds_each(queries) / 1000.0;
    let (bits, strings) = (asking.bloom.bits(), extension.hashes.len() as u64);
    Measured {
        megabytes,
        page_bytes,
        bits,
        strings,
        queries,
        rejected,
        rate: rejected as f64 / queries.max(1) as f64,
        formula: expected_of_passwords(strings, bits, None),
        paged_formula: expected_of_passwords(strings, bits, page_bytes),
        microseconds,
        paper: paper_measured(megabytes, page_bytes, strings),
    }
}

/// Formula 3.5 with the loads of pages of this size.
fn expected_of_passwords(strings: u64, bits: u64, page_bytes: Option<u64>) -> f64 {
    let page_bits = page_bytes.map(|bytes| bytes * 8);
    formulas::any_of(PASSWORD_STRINGS, formulas::paged_rate(strings, bits, page_bits, PAPER_PROBES))
}

fn paper_measured(megabytes: f64, page_bytes: Option<u64>, strings: u64) -> Option<f64> {
    let is_row = strings == PAPER_EXTENSION && matches!(page_bytes, None | Some(TABLE_PAGE_BYTES));
    let row =
        PAPER_MEASURED.iter().find(|row| (row.0 - megabytes).abs() < 1e-9 && row.1 == page_bytes.is_some());
    row.filter(|_| is_row).map(|row| row.2 / 100.0)
}

/// Measures every size with every page size, and without pages.
pub(crate) fn sweep(
    extension: &Extension,
    key: &Key,
    megabytes: &[f64],
    queries: u64,
    steps: &Steps,
) -> Vec<Measured> {
    let mut all = Vec::new();
    for &megabytes in megabytes {
        for page_bytes in page_sizes() {
            all.push(measure(extension, key, megabytes, page_bytes, queries));
            steps.advance();
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use nearmiss_filters::word::Word;

    use super::{super::extension::sample, *};

    /// The paper's measurement at a hundredth of its size.
    #[test]
    fn local_is_beside_original_and_both_beside_the_formula() {
        let mut words: Vec<Word> = (0..3000_u32)
            .map(|i| {
                Word::clean(format!("{:x}", i.wrapping_mul(2_654_435_761)).as_bytes()).unwrap_or_default()
            })
            .collect();
        let key = Key::new([5; 16]);
        let extension = sample(&mut words, 30_267, &key, &mut SeededRandom::new(1));
        let queries = 100_000;
        for page_bytes in [None, Some(4096)] {
            let row = measure(&extension, &key, 0.05, page_bytes, queries);
            let expected = row.paged_formula * queries as f64;
            // The filling of the few pages varies, too: 5 % beside the count's own deviation.
            let allowed = 5.0 * expected.sqrt() + 0.05 * expected;
            assert!((row.rejected as f64 - expected).abs() < allowed, "{row:?}");
            assert!(row.paper.is_none());
        }
    }

    #[test]
    fn only_rows_of_the_table_have_the_papers_numbers() {
        let percent = |megabytes, page_bytes| {
            paper_measured(megabytes, page_bytes, PAPER_EXTENSION).map(|rate| (rate * 1e4).round())
        };
        assert_eq!((percent(5.0, Some(4096)), percent(7.5, None)), (Some(551.0), Some(94.0)));
        assert_eq!(paper_measured(7.5, Some(64), PAPER_EXTENSION), None);
        assert_eq!(paper_measured(5.0, None, 1000), None);
    }
}
