//! An array of 64-bit words: in memory here, after the bits of a ladder's file in `file.rs`.
//!
//! A word changes as a whole, by compare-and-exchange. No other memory is published through one, so every
//! access is relaxed.

use std::io;

#[cfg(loom)]
use loom::sync::atomic::{AtomicU64, Ordering};
#[cfg(not(loom))]
use std::sync::atomic::{AtomicU64, Ordering};

/// An array of words that many threads may read and change at once.
pub trait WordStore {
    /// One word.
    ///
    /// # Errors
    /// A word outside the array; for a file, the system's error if the page cannot be read.
    fn load(&self, word: u64) -> io::Result<u64>;

    /// Replaces `old` by `new`; false if the word has another value by now.
    ///
    /// # Errors
    /// As [`WordStore::load`]; also if the array is read-only.
    fn replace(&self, word: u64, old: u64, new: u64) -> io::Result<bool>;
}

/// An array in memory: for tests.
#[derive(Debug)]
pub struct MemoryWords {
    words: Vec<AtomicU64>,
}

impl MemoryWords {
    /// This number of zeros.
    pub fn zeros(count: usize) -> Self {
        Self { words: (0..count).map(|_| AtomicU64::new(0)).collect() }
    }

    fn cell(&self, word: u64) -> io::Result<&AtomicU64> {
        let index = usize::try_from(word).ok();
        index.and_then(|i| self.words.get(i)).ok_or_else(|| io::ErrorKind::InvalidInput.into())
    }
}

impl WordStore for MemoryWords {
    fn load(&self, word: u64) -> io::Result<u64> {
        Ok(self.cell(word)?.load(Ordering::Relaxed))
    }

    fn replace(&self, word: u64, old: u64, new: u64) -> io::Result<bool> {
        let cell = self.cell(word)?;
        Ok(cell.compare_exchange(old, new, Ordering::Relaxed, Ordering::Relaxed).is_ok())
    }
}

impl<W: WordStore> WordStore for &W {
    fn load(&self, word: u64) -> io::Result<u64> {
        (**self).load(word)
    }

    fn replace(&self, word: u64, old: u64, new: u64) -> io::Result<bool> {
        (**self).replace(word, old, new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_changes_only_from_what_was_seen() {
        let words = MemoryWords::zeros(2);
        assert!(words.replace(1, 0, 7).unwrap() && !words.replace(1, 0, 8).unwrap());
        let lent = &&words;
        assert_eq!((lent.load(0).unwrap(), lent.load(1).unwrap()), (0, 7));
        assert!(words.load(2).is_err() && words.replace(u64::MAX, 0, 1).is_err());
    }
}
