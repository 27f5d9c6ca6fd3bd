//! The first pass over the lists: counts distinct words and deletions, and collects the characters and pairs
//! of characters. Its result determines the geometry; memory is bounded for lists of any size.

use std::collections::BTreeSet;

use super::{
    super::query::MIN_DISTANCE_2_BITS,
    deletion_fingerprints::DeletionFingerprints,
    distinct::Distinct,
    seen::Seen,
    spec::{Build, Reading},
};
use crate::{
    alphabet::{Alphabet, MAX_SYMBOLS},
    digrams::Pairs,
    format::SchemeId,
    four_grams::{FourGramSurvey, FourGramTable, MIN_DISTANCE_2_WORD},
    hash::{Key, Short},
    list::{Entries, LineCounts, split_lines},
    neighbours::Scratch,
    threads::on_threads,
    word::{Symbol, Word},
};

/// Words counted exactly; an estimate with a deviation of 0.14 % beyond.
pub const EXACT_WORDS: usize = 1 << 20;

/// Deletions counted exactly; an estimate with a deviation of 0.14 % beyond.
pub const EXACT_EXTENSION: usize = 1 << 17;

/// The findings in the lists.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Distinct entries.
    pub words: u64,
    /// Distinct strings and places of the deletion layer, or strings of the paper's extension.
    pub extension: u64,
    /// The counts of all lines.
    pub lines: LineCounts,
    /// The length of the shortest and the longest entry, both 0 without entries.
    pub lengths: (u16, u16),
    /// The characters that occur, for completions.
    pub symbols: BTreeSet<Symbol>,
    /// The pairs of neighbouring characters that occur.
    pub pairs: Pairs,
    /// The 4-grams of long words, if words at distance 2 are to be found.
    pub four_grams: FourGramTable,
}

impl Findings {
    /// True if the alphabet is too large for a near filter.
    pub(crate) fn has_too_many_symbols(&self) -> bool {
        self.symbols.len() > MAX_SYMBOLS
    }

    /// The alphabet of the words.
    pub fn alphabet(&self) -> Alphabet {
        Alphabet::new(&self.symbols)
    }
}

/// A survey in progress.
pub struct Survey {
    task: Task,
    workers: Vec<Worker>,
    lines: LineCounts,
}

/// The task of every thread.
struct Task {
    key: Key,
    reading: Reading,
    /// The scheme of the filter, and the one by which a word's strings are stored.
    scheme: SchemeId,
    stored: SchemeId,
    /// True if words at distance 2 are to be found.
    is_far: bool,
    fingerprints: DeletionFingerprints,
}

impl Build {
    /// The first pass over the lists.
    pub fn survey(&self) -> Survey {
        let scheme = self.spec.effective_scheme();
        let task = Task {
            key: self.key.clone(),
            reading: self.reading(),
            scheme,
            stored: scheme.stored_with(self.spec.deletion_bits),
            is_far: scheme == SchemeId::Deletions && self.spec.deletion_bits >= MIN_DISTANCE_2_BITS,
            fingerprints: DeletionFingerprints::new(&self.key),
        };
        let workers = std::iter::repeat_with(Worker::default).take(self.threads.max(1)).collect();
        Survey { task, workers, lines: LineCounts::default() }
    }
}

impl Survey {
    /// Reads a block of whole lines and returns their counts.
    pub fn read_block(&mut self, block: &[u8]) -> LineCounts {
        let parts = split_lines(block, self.workers.len());
        let Survey { task, workers, .. } = self;
        let task = &*task;
        let counts = on_threads(workers.iter_mut().zip(parts), |(worker, part)| worker.read(task, part));
        let mut sum = LineCounts::default();
        for part in &counts {
            sum.append(part);
        }
        self.lines.append(&sum);
        sum
    }

    /// The findings in the lists.
    pub fn finish(self) -> Findings {
        let mut workers = self.workers.into_iter();
        let mut sum = workers.next().unwrap_or_default();
        workers.for_each(|worker| sum.merge(worker));
        Findings {
            words: sum.words.count(),
            extension: sum.extension.count(),
            lines: self.lines,
            lengths: if sum.lengths.1 == 0 { (0, 0) } else { sum.lengths },
            symbols: sum.seen.symbols(),
            pairs: sum.seen.pairs(),
            four_grams: sum.four_grams.finish(),
        }
    }
}

/// The findings of one thread.
struct Worker {
    words: Distinct,
    extension: Distinct,
    lengths: (u16, u16),
    seen: Seen,
    four_grams: FourGramSurvey,
    scratch: Scratch,
}

impl Default for Worker {
    fn default() -> Worker {
        Worker {
            words: Distinct::new(EXACT_WORDS),
            extension: Distinct::new(EXACT_EXTENSION),
            lengths: (u16::MAX, 0),
            seen: Seen::default(),
            four_grams: FourGramSurvey::default(),
            scratch: Scratch::default(),
        }
    }
}

impl Worker {
    fn read(&mut self, task: &Task, part: &[u8]) -> LineCounts {
        let Reading { format, forms } = task.reading;
        format.read_entries(part, forms, &mut Word::with_full_capacity(), &mut Surveyor { task, found: self })
    }

    #[inline]
    fn count(&mut self, hash: u64, length: usize) {
        self.words.insert(hash);
        let length = u16::try_from(length).unwrap_or(u16::MAX);
        self.lengths = (self.lengths.0.min(length), self.lengths.1.max(length));
    }

    fn merge(&mut self, other: Worker) {
        self.words.merge(other.words);
        self.extension.merge(other.extension);
        self.lengths = (self.lengths.0.min(other.lengths.0), self.lengths.1.max(other.lengths.1));
        self.seen.merge(other.seen);
        self.four_grams.merge(&other.four_grams);
    }
}

/// A thread with its task.
struct Surveyor<'a> {
    task: &'a Task,
    found: &'a mut Worker,
}

impl Entries for Surveyor<'_> {
    #[inline]
    fn short(&mut self, word: Short) {
        let Surveyor { task, found } = self;
        if task.stored == SchemeId::Paper {
            let text: Vec<u8> = word.bytes().collect();
            return Word::from_encoded(&text).iter().for_each(|word| self.word(word));
        }
        found.count(task.key.hash_short(word), word.len());
        if task.scheme == SchemeId::Deletions {
            found.seen.insert_short(word);
        }
        if task.is_far
            && word.len() >= MIN_DISTANCE_2_WORD
            && word.bytes().all(|byte| byte.is_ascii_lowercase())
        {
            found.four_grams.insert_numbers(word.bytes().map(|byte| u32::from(byte) + 1));
        }
        if task.stored == SchemeId::Deletions {
            task.fingerprints.each_of_short(word, |one| found.extension.insert(one));
        }
    }

    fn word(&mut self, word: &Word) {
        let Surveyor { task, found } = self;
        found.count(task.key.hash(word.as_bytes()), word.len());
        if task.scheme == SchemeId::Deletions {
            found.seen.insert(word.symbols());
        }
        if task.is_far {
            found.four_grams.insert(word);
        }
        let extension = &mut found.extension;
        match task.stored {
            SchemeId::Whole => {}
            SchemeId::Deletions => task.fingerprints.each(word, |one| extension.insert(one)),
            SchemeId::Paper => task.stored.each_stored(word, &mut found.scratch, &mut |_, string| {
                extension.insert(task.key.hash(string));
            }),
        }
    }

    #[inline]
    fn digest(&mut self, digest: &[u8]) {
        self.found.count(self.task.key.hash_digest(digest), digest.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dictionary::builder::Spec;

    fn survey(scheme: SchemeId, threads: usize, text: &str) -> Findings {
        let spec = Spec { scheme, ..Spec::default() };
        let mut survey = Build { threads, ..Build::new(spec, Key::new([1; 16])) }.survey();
        survey.read_block(text.as_bytes());
        survey.finish()
    }

    #[test]
    fn counts_what_is_distinct() {
        let findings = survey(SchemeId::Deletions, 1, "ab\nAB\naab\n\né\n");
        assert_eq!((findings.words, findings.lines.accepted, findings.lines.read), (3, 4, 5));
        // "" of é; "a", "b" of ab; "ab" twice and "aa" of aab.
        assert_eq!(findings.extension, 6);
        assert_eq!(findings.lengths, (1, 3));
        assert_eq!(findings.symbols.len(), 3);
        // ^a aa ab b$ ^é é$
        assert_eq!(findings.pairs.len(), 6);
    }

    #[test]
    fn the_paper_extends_by_2d_plus_1() {
        let findings = survey(SchemeId::Paper, 1, "abc\n");
        assert_eq!((findings.words, findings.extension), (1, 7));
        assert!(findings.symbols.is_empty());
    }

    #[test]
    fn threads_do_not_change_the_findings() {
        let text: String = (0..5000).map(|i| format!("word{}\nmot-é{i}\n", i % 700)).collect();
        let one = survey(SchemeId::Deletions, 1, &text);
        for threads in [2, 3, 7] {
            let many = survey(SchemeId::Deletions, threads, &text);
            assert_eq!((many.words, many.extension, many.lengths), (one.words, one.extension, one.lengths));
            assert_eq!((many.lines, &many.pairs), (one.lines, &one.pairs));
        }
    }
}
