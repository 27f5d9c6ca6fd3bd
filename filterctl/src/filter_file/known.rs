//! Passwords that a filter must contain: a filter that lacks them was not built from the claimed list.
//!
//! The most common passwords are in every corpus of leaked passwords, and in every filter with the built-in
//! list. A site's own list need not contain them: a list of digests is smaller than any corpus, and the
//! record beside a filter of words does not name the built-in list.

use std::path::Path;

use nearmiss_cli::input::{BUILT_IN, common_passwords};
use nearmiss_filters::{
    dictionary::judge::is_corpus,
    format::{Header, Kind},
};

use super::provenance::Provenance;

/// The number of common passwords that are looked up.
const COUNT: usize = 1000;

/// The minimum number of words of a filter with the whole built-in list. A filter of only the most common
/// words (`filterctl build --top`) may have others.
const FEWEST_WORDS: u64 = 180_000;

/// Passwords that must be in the filter; none if there is no such requirement.
pub(crate) struct Known(Vec<Vec<u8>>);

impl Known {
    /// The passwords that the filter at this path must contain, by its header and the record beside it.
    pub(crate) fn by_header(path: &Path, header: &Header) -> Known {
        let is_built_in = || {
            let record = Provenance::beside(path);
            header.words >= FEWEST_WORDS
                && record.is_some_and(|record| record.names_list(header, BUILT_IN.name))
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
