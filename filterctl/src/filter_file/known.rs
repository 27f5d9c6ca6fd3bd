//! Passwords that a filter must contain, so that one that lacks them is not the list it claims to be.
//!
//! The most common ones are in every corpus of leaked passwords, and in what was built from the built-in
//! list. Nothing can be demanded of a site's own list: one of digests is smaller than any corpus, and one of
//! words has no record beside it that names the built-in list.

use std::path::Path;

use nearmiss_cli::input::{BUILT_IN_NAME, common_passwords};
use nearmiss_filters::{
    dictionary::judge::is_corpus,
    format::{Header, Kind},
};

use super::provenance::Provenance;

/// How many of the most common passwords are looked up.
const COUNT: usize = 1000;

/// Words of a filter that has the whole built-in list, at least. One of its most common words alone
/// (`filterctl build --top`) may be chosen otherwise.
const FEWEST_WORDS: u64 = 180_000;

/// Passwords that must be there; none if none can be demanded.
pub(crate) struct Known(Vec<Vec<u8>>);

impl Known {
    /// What the filter at this path must contain, by its header and the record beside it.
    pub(crate) fn by_header(path: &Path, header: &Header) -> Known {
        let is_built_in = || {
            let record = Provenance::beside(path);
            header.words >= FEWEST_WORDS
                && record.is_some_and(|record| record.names_list(header, BUILT_IN_NAME))
        };
        let is_demanded = if header.kind == Kind::Words { is_built_in() } else { is_corpus(header) };
        if is_demanded { Known::common() } else { Known(Vec::new()) }
    }

    /// The most common passwords, which every corpus contains.
    pub(crate) fn common() -> Known {
        Known(common_passwords(COUNT))
    }

    /// Each of them.
    pub(crate) fn passwords(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().map(Vec::as_slice)
    }
}
