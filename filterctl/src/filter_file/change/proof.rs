//! The proof that a new filter has what its lists say: before it replaces the old one, lines of each list are
//! looked up in the file that was written, by the code that the PAM module looks passwords up with.

use nearmiss_cli::{failure::Failure, input::Proof};
use nearmiss_filters::{
    dictionary::{Buffers, DictionaryFilter},
    format::Kind,
    storage::mapped::Mapped,
    word::Word,
};

use super::FilterChange;

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
        let prove = |list: &nearmiss_cli::input::WordList| {
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
