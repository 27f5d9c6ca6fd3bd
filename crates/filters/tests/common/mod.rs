//! What the tests of filters and of the policy share: filters of small lists, a naive oracle, and the
//! most memory of the process.
#![allow(dead_code, reason = "each uses a part")]

use std::collections::{HashMap, HashSet};

use nearmiss_filters::{
    dictionary::{Build, DictionaryFilter, Spec},
    format::{Kind, Match, SchemeId, StatedRate},
    hash::Key,
    ladder::SeededRandom,
    neighbours::Scratch,
    word::Word,
};

/// The build of a near filter with so low a rate that no test sees a false positive.
pub fn settings(scheme: SchemeId, deletion_bits: u8) -> Build {
    let stated = StatedRate { false_rejection: 1e-9, characters: 12, lookups: 64 };
    let key = Key::new([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    Build::new(Spec { scheme, deletion_bits, stated, ..Spec::default() }, key)
}

/// The same with another rate.
pub fn stating(stated: StatedRate, build: Build) -> Build {
    Build { spec: Spec { stated, ..build.spec }, ..build }
}

/// The same for exact matches, of words or digests.
pub fn exact(kind: Kind, build: Build) -> Build {
    Build { spec: Spec { kind, matching: Match::Exact, ..build.spec }, ..build }
}

/// The filter of `blocks`, each whole lines.
pub fn build(settings: &Build, blocks: &[&[u8]]) -> Vec<u8> {
    settings.in_memory(blocks).unwrap()
}

pub fn filter(settings: &Build, list: &[u8]) -> DictionaryFilter<Vec<u8>> {
    DictionaryFilter::from_bytes(build(settings, &[list])).unwrap()
}

pub fn word(text: impl AsRef<[u8]>) -> Word {
    Word::clean(text.as_ref()).unwrap_or_default()
}

/// Levenshtein distance over symbols by the textbook recurrence (Wagner & Fischer 1974).
pub fn distance(a: &Word, b: &Word) -> usize {
    let b: Vec<_> = b.symbols().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.symbols().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substitution = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = substitution.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// True when `b` is `a` with two neighbouring characters swapped.
pub fn is_swap(a: &Word, b: &Word) -> bool {
    let (a, b): (Vec<_>, Vec<_>) = (a.symbols().collect(), b.symbols().collect());
    a.len() == b.len()
        && (1..a.len()).any(|i| {
            let mut swapped = a.clone();
            swapped.swap(i - 1, i);
            swapped == b
        })
}

/// The library's seeded generator.
pub struct Random(SeededRandom);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(SeededRandom::new(seed))
    }

    pub fn next(&mut self) -> u64 {
        self.0.next_word()
    }

    pub fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n as u64).unwrap()
    }
}

/// An exact oracle for "within distance 1": all words by each of their deletions, compared one by one.
pub struct Oracle<'l> {
    words: HashSet<Vec<u8>>,
    by_deletion: HashMap<Vec<u8>, Vec<&'l str>>,
}

impl<'l> Oracle<'l> {
    pub fn new(list: &[&'l str]) -> Oracle<'l> {
        let mut oracle = Oracle { words: HashSet::new(), by_deletion: HashMap::new() };
        for text in list {
            let entry = word(text);
            oracle.words.insert(entry.as_bytes().to_vec());
            for string in with_deletions(&entry) {
                oracle.by_deletion.entry(string).or_default().push(text);
            }
        }
        oracle
    }

    pub fn has(&self, word: &Word) -> bool {
        self.words.contains(word.as_bytes())
    }

    pub fn is_near(&self, query: &Word) -> bool {
        with_deletions(query)
            .iter()
            .filter_map(|string| self.by_deletion.get(string))
            .flatten()
            .any(|text| distance(&word(text), query) <= 1)
    }
}

fn with_deletions(word: &Word) -> Vec<Vec<u8>> {
    let mut strings = Vec::new();
    SchemeId::Deletions
        .each_stored(word, &mut Scratch::default(), &mut |_, string| strings.push(string.to_vec()));
    strings
}

/// The most address space this process ever had, in KiB: what was requested, whether touched or not.
pub fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmPeak:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
