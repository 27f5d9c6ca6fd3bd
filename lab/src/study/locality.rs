//! What it costs to keep all bits of a string in one page: the false positive rate of the paper's scheme
//! against the page size (Manber & Wu, Figure 1), and the paper's Table 2.

use nearmiss_filters::{format::SchemeId, hash::Key, ladder::SeededRandom, neighbours::Scratch, word::Word};
use serde::Serialize;

use super::{
    Steps,
    bloom::Bloom,
    clock::Stopwatch,
    extension::{Extension, PASSWORD_STRINGS, password},
    formulas,
};

mod results;

pub(crate) use results::{chart, csv, table_2};

/// Distinct strings of the 1-extension of the paper's 194,168 words.
pub(crate) const PAPER_EXTENSION: u64 = 3_026_758;

/// Hash functions of the paper's Table 2.
pub(crate) const PAPER_PROBES: u32 = 5;

/// The page of Table 2's "local" rows: that of the filter format.
const TABLE_PAGE_BYTES: u64 = 4096;

/// The smallest and the largest page of the sweep, as powers of two of bytes: 32 bytes to 64 KiB.
const PAGE_POWERS: std::ops::RangeInclusive<i32> = 5..=16;

/// What Table 2 of the paper measured: megabytes, whether local, per cent rejected by accident.
const PAPER_MEASURED: [(f64, bool, f64); 4] =
    [(7.5, false, 0.94), (7.5, true, 0.98), (5.0, false, 5.13), (5.0, true, 5.51)];

/// A measured filter.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Measured {
    /// The size in 10⁶ bytes.
    pub(crate) megabytes: f64,
    /// Bytes of a page; none where all bits are one page.
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
    /// What the paper measured, where this is a row of its Table 2.
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
    let mut bloom = Bloom::new((megabytes * 8e6).round() as u64, page_bytes, PAPER_PROBES);
    for &hash in &extension.hashes {
        bloom.insert(hash);
    }
    let mut asking = Asking { bloom, key, scratch: Scratch::default(), word: Word::with_full_capacity() };
    let mut random = SeededRandom::new(94);
    let start = Stopwatch::start();
    let rejected: Vec<[u8; 8]> =
        (0..queries).map(|_| password(&mut random)).filter(|text| asking.accepts(text)).collect();
    let microseconds = start.nanoseconds_each(queries) / 1000.0;
    // A password that is near a word is rejected rightly.
    let rejected = rejected.iter().filter(|text| !asking.is_near(text.as_slice(), extension)).count() as u64;
    let (bits, strings) = (asking.bloom.bits(), extension.hashes.len() as u64);
    let expected = |page_bits| {
        formulas::any_of(PASSWORD_STRINGS, formulas::paged_rate(strings, bits, page_bits, PAPER_PROBES))
    };
    Measured {
        megabytes,
        page_bytes,
        bits,
        strings,
        queries,
        rejected,
        rate: rejected as f64 / queries.max(1) as f64,
        formula: expected(None),
        paged_formula: expected(page_bytes.map(|bytes| bytes * 8)),
        microseconds,
        paper: paper_measured(megabytes, page_bytes, strings),
    }
}

fn paper_measured(megabytes: f64, page_bytes: Option<u64>, strings: u64) -> Option<f64> {
    let is_row = strings == PAPER_EXTENSION && matches!(page_bytes, None | Some(TABLE_PAGE_BYTES));
    let row =
        PAPER_MEASURED.iter().find(|row| (row.0 - megabytes).abs() < 1e-9 && row.1 == page_bytes.is_some());
    row.filter(|_| is_row).map(|row| row.2 / 100.0)
}

struct Asking<'k> {
    bloom: Bloom,
    key: &'k Key,
    scratch: Scratch,
    word: Word,
}

impl Asking<'_> {
    /// True when any string of the password's extension is in the filter.
    fn accepts(&mut self, password: &[u8]) -> bool {
        let Asking { bloom, key, scratch, word } = self;
        let mut is_any = false;
        if word.assign(password).is_ok() {
            SchemeId::Paper
                .each_stored(word, scratch, &mut |_, string| is_any |= bloom.contains(key.hash(string)));
        }
        is_any
    }

    /// True when one is in the extension itself.
    fn is_near(&mut self, password: &[u8], extension: &Extension) -> bool {
        let mut is_any = false;
        if self.word.assign(password).is_ok() {
            let (word, key) = (&self.word, self.key);
            SchemeId::Paper.each_stored(word, &mut self.scratch, &mut |_, string| {
                is_any |= extension.hashes.contains(&key.hash(string));
            });
        }
        is_any
    }
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
