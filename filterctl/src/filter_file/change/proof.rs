//! The proof that a new filter has what its lists say: before it replaces the old one, lines of each list are
//! looked up in the file that was written, by the code that the PAM module looks passwords up with.

use std::path::Path;

use nearmiss_cli::{
    failure::Failure,
    input::{Proof, WordList},
};
use nearmiss_filters::{
    dictionary::{Buffers, DictionaryFilter},
    format::Kind,
    storage::mapped::Mapped,
    word::Word,
};

use super::{FilterChange, opened};

impl FilterChange<'_> {
    /// Looks up lines of each list in the written file; nothing where the filter lacks words of the lists on
    /// purpose.
    ///
    /// # Errors
    /// The file cannot be read, or lacks a word that a list has.
    pub(super) fn prove(&self) -> Result<Vec<Proof>, Failure> {
        if !self.has_lists {
            return Ok(Vec::new());
        }
        let filter = self.file.written()?;
        let mut buffers = Buffers::default();
        let mut failed = None;
        let prove = |list: &WordList| {
            list.prove(self.min_count, &mut |entry| {
                contains(&filter, entry, &mut buffers).unwrap_or_else(|failure| {
                    failed = Some(failure);
                    true
                })
            })
        };
        let proofs: Result<Vec<Proof>, _> = self.lists.iter().map(prove).collect();
        match failed {
            Some(failure) => Err(failure),
            None => proofs.map_err(|e| self.target.failure(e)),
        }
    }
}

/// The name of a list, the number of its words, and of those that were looked up and found.
pub(crate) type LookedUpList = (String, u64, (u64, u64));

impl FilterChange<'_> {
    /// Looks up a sample of the words of these lists, which the first pass has read, in another filter.
    ///
    /// # Errors
    /// The filter cannot be read.
    pub(crate) fn looked_up_in(
        &self,
        earlier: &Path,
        is_asked: impl Fn(&&WordList) -> bool,
    ) -> Result<Vec<LookedUpList>, Failure> {
        let (filter, mut buffers) = (opened::open(earlier)?, Buffers::default());
        let mut found_of = |list: &WordList| {
            let words = list.sampled_words();
            let mut found = 0_u64;
            for word in &words {
                let has = contains(&filter, &String::from_utf8_lossy(word), &mut buffers)?;
                found = found.saturating_add(has.into());
            }
            Ok((words.len() as u64, found))
        };
        let counted = self.lists.iter().zip(&self.counts_of_lines).filter(|(list, _)| is_asked(list));
        counted.map(|(list, counts)| Ok((list.name().to_owned(), counts.accepted, found_of(list)?))).collect()
    }
}

/// True if the filter has this word, or the digest with these hexadecimal digits.
fn contains(filter: &DictionaryFilter<Mapped>, entry: &str, buffers: &mut Buffers) -> Result<bool, Failure> {
    let found = if filter.header().kind == Kind::Words {
        // A word that is too long, or empty once it is cleaned, is in no filter.
        let Ok(word) = Word::clean(entry.as_bytes()) else { return Ok(true) };
        if word.is_empty() {
            return Ok(true);
        }
        filter.contains(&word, buffers)
    } else {
        filter.contains_entry(&bytes(entry))
    };
    found.map_err(|e| Failure::new("cannot read the filter", e))
}

/// The bytes of hexadecimal digits.
fn bytes(digits: &str) -> Vec<u8> {
    let pair = |at: usize| digits.get(at..at.saturating_add(2));
    let pairs = (0..digits.len()).step_by(2).filter_map(pair);
    pairs.filter_map(|pair| u8::from_str_radix(pair, 16).ok()).collect()
}
