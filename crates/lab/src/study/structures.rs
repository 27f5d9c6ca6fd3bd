//! Time and memory of a Bloom filter, a hash table and a binary search tree that hold the same words.
//!
//! Each run is a process of its own that has nothing in memory but the words, in one piece: memory is what
//! the process grows by while the structure is built, allocator and all, and no run sees the caches of
//! another. Time is the processor's. Medians are printed.

use std::{collections::HashSet, fs, hint::black_box, io};

use clap::ValueEnum;
use nearmiss_filters::{hash::Key, ladder::SeededRandom};
use serde::{Deserialize, Serialize};

use super::{bloom::Bloom, clock::Stopwatch, extension::shuffle, tree::Tree};

mod results;

pub(crate) use results::{csv, memory_chart, time_chart};

/// The subject of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Structure {
    /// A Bloom filter.
    Bloom,
    /// A hash table of strings.
    HashTable,
    /// A binary search tree of strings.
    Tree,
}

impl Structure {
    /// All, in the order of the output.
    pub(crate) const ALL: [Structure; 3] = [Structure::Bloom, Structure::HashTable, Structure::Tree];

    /// Its name on the command line.
    pub(crate) fn option(self) -> &'static str {
        match self {
            Structure::Bloom => "bloom",
            Structure::HashTable => "hash-table",
            Structure::Tree => "tree",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Structure::Bloom => "Bloom filter",
            Structure::HashTable => "hash table",
            Structure::Tree => "search tree",
        }
    }
}

/// One structure's numbers: of a run, or medians of several.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Numbers {
    /// Their subject.
    pub(crate) structure: Structure,
    /// Words held.
    pub(crate) words: u64,
    /// By how much the process grew.
    pub(crate) resident_bytes: f64,
    /// To build it, for each word.
    pub(crate) build_ns: f64,
    /// To find a word.
    pub(crate) hit_ns: f64,
    /// To miss a string that is no word.
    pub(crate) miss_ns: f64,
    /// The fraction of these strings that were found all the same.
    pub(crate) false_positive_rate: f64,
}

/// Builds and asks one structure in this process; `words` are lines, each once.
///
/// # Errors
/// The system does not tell how much memory is resident.
pub(crate) fn run(structure: Structure, words: &[u8], rate: f64) -> io::Result<Numbers> {
    match structure {
        Structure::Bloom => run_bloom(words, rate),
        Structure::HashTable => {
            let insert = |table: &mut HashSet<Box<[u8]>>, word: &[u8]| {
                table.insert(word.into());
            };
            measure(structure, words, HashSet::new, insert, HashSet::contains)
        }
        Structure::Tree => measure(structure, words, Tree::default, Tree::insert, Tree::contains),
    }
}

/// A Bloom filter for this false positive rate ε: 1.44 log₂(1/ε) bits a word, log₂(1/ε) probes.
fn run_bloom(words: &[u8], rate: f64) -> io::Result<Numbers> {
    let (key, probes) = (Key::new([1; 16]), -rate.log2());
    let bits = (lines(words).count() as f64 * probes * std::f64::consts::LOG2_E).ceil() as u64;
    let empty = || Bloom::new(bits, None, probes.round().max(1.0) as u32);
    let insert = |bloom: &mut Bloom, word: &[u8]| bloom.insert(key.hash(word));
    measure(Structure::Bloom, words, empty, insert, |bloom, string| bloom.contains(key.hash(string)))
}

/// Fills an empty structure, then asks for all words and for as many others. What is asked for lies in one
/// piece in the order of asking, so that the time is the structure's and not that of fetching the strings.
fn measure<S>(
    structure: Structure,
    words: &[u8],
    empty: impl FnOnce() -> S,
    insert: impl Fn(&mut S, &[u8]),
    contains: impl Fn(&S, &[u8]) -> bool,
) -> io::Result<Numbers> {
    let in_order = Shuffled::of(words, 1, b"");
    let (asked, others) = (Shuffled::of(words, 2, b""), Shuffled::of(words, 3, b"~"));
    let count = lines(words).count();
    let before = resident_bytes()?;
    let start = Stopwatch::start();
    let mut whole = empty();
    in_order.lines().for_each(|word| insert(&mut whole, word));
    let build_ns = start.nanoseconds_each(count as u64);
    let resident_bytes = resident_bytes()?.saturating_sub(before) as f64;
    let start = Stopwatch::start();
    let hits = asked.lines().filter(|word| contains(&whole, black_box(word))).count();
    let hit_ns = start.nanoseconds_each(count as u64);
    let start = Stopwatch::start();
    let found = others.lines().filter(|string| contains(&whole, black_box(string))).count();
    let miss_ns = start.nanoseconds_each(count as u64);
    if hits != count {
        return Err(io::Error::other(format!("{} lost words", structure.title())));
    }
    let false_positive_rate = found as f64 / count.max(1) as f64;
    Ok(Numbers {
        structure,
        words: count as u64,
        resident_bytes,
        build_ns,
        hit_ns,
        miss_ns,
        false_positive_rate,
    })
}

fn lines(words: &[u8]) -> impl Iterator<Item = &[u8]> {
    words.split(|&byte| byte == b'\n').filter(|line| !line.is_empty())
}

/// Lines in random order, in one piece. The order they were made from stays: memory that is freed before a
/// structure is built would be given to it, and it would seem smaller than it is.
struct Shuffled<'w> {
    text: Vec<u8>,
    _order: Vec<&'w [u8]>,
}

impl<'w> Shuffled<'w> {
    fn of(words: &'w [u8], seed: u64, ending: &[u8]) -> Shuffled<'w> {
        let count = lines(words).count();
        let mut order = Vec::with_capacity(count);
        order.extend(lines(words));
        shuffle(&mut order, &mut SeededRandom::new(seed));
        let mut text = Vec::with_capacity(words.len() + count * (ending.len() + 1));
        for line in &order {
            text.extend_from_slice(line);
            text.extend_from_slice(ending);
            text.push(b'\n');
        }
        Shuffled { text, _order: order }
    }

    fn lines(&self) -> impl Iterator<Item = &[u8]> {
        lines(&self.text)
    }
}

/// Memory of this process that is resident and its own (code that is first run meanwhile does not count),
/// from the kernel's exact account: `statm` lags behind by pages a thread.
fn resident_bytes() -> io::Result<u64> {
    let text = fs::read_to_string("/proc/self/smaps_rollup")?;
    let line = text.lines().find_map(|line| line.strip_prefix("Anonymous:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    let kilobytes = kilobytes.ok_or_else(|| io::Error::other("/proc/self/smaps_rollup has no Anonymous"))?;
    Ok(kilobytes.saturating_mul(1024))
}

/// The medians of runs of one structure; none without runs.
pub(crate) fn medians(runs: &[Numbers]) -> Option<Numbers> {
    let of = |field: fn(&Numbers) -> f64| median(runs.iter().map(field).collect());
    let first = runs.first()?;
    Some(Numbers {
        structure: first.structure,
        words: first.words,
        resident_bytes: of(|run| run.resident_bytes),
        build_ns: of(|run| run.build_ns),
        hit_ns: of(|run| run.hit_ns),
        miss_ns: of(|run| run.miss_ns),
        false_positive_rate: of(|run| run.false_positive_rate),
    })
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let (below, above) = (numbers.get(numbers.len().saturating_sub(1) / 2), numbers.get(numbers.len() / 2));
    below.zip(above).map_or(0.0, |(below, above)| f64::midpoint(*below, *above))
}

impl Numbers {
    /// Resident bytes for each word.
    pub(crate) fn bytes_per_word(&self) -> f64 {
        self.resident_bytes / self.words.max(1) as f64
    }

    /// Its name.
    pub(crate) fn title(&self) -> &'static str {
        self.structure.title()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_structure_holds_every_word() {
        let words: String = (0..20_000_u32).map(|i| format!("word-{i}\n")).collect();
        for structure in Structure::ALL {
            let numbers = run(structure, words.as_bytes(), 0.01).unwrap();
            assert_eq!((numbers.structure, numbers.words), (structure, 20_000));
            let is_bloom = structure == Structure::Bloom;
            // 20,000 × 0.01 = 200 expected; five standard deviations are 71.
            let allowed = if is_bloom { 0.0064..0.0136 } else { 0.0..f64::MIN_POSITIVE };
            assert!(allowed.contains(&numbers.false_positive_rate), "{numbers:?}");
        }
    }

    #[test]
    fn medians_are_in_the_middle() {
        assert!((median(vec![3.0, 1.0, 2.0]) - 2.0).abs() < 1e-12);
        assert!((median(vec![4.0, 1.0, 2.0, 3.0]) - 2.5).abs() < 1e-12);
        assert!(median(Vec::new()).abs() < 1e-12 && medians(&[]).is_none());
    }
}
