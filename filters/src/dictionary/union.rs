//! The union of filters: the bits of both. It takes no words, only the same key and geometry, so that a string's bits
//! lie at the same places in both.
//!
//! Alphabets and digram tables are merged, and every word of either filter is found by the same lookups as before. How
//! many distinct words there are cannot be told from bits; it is estimated from how many bits the
//! two filters share (Swamidass & Baldi 2007: a filter of m bits, X of them ones, holds −(m/k) ln(1 − X/m) strings),
//! which is exact for filters that share nothing or all, and within 2 % on lists of passwords.

use std::{error::Error, fmt};

use super::{FilterError, builder::BuildError};
use crate::format::Header;

/// Why two filters have no union.
#[derive(Debug)]
#[non_exhaustive]
pub enum UnionError {
    /// They differ in what must be the same.
    Differs(Difference),
    /// The second one cannot be read.
    Filter(FilterError),
    /// Their alphabets together are too large.
    Build(BuildError),
}

/// What differs between two filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference {
    /// Words, SHA-1 or NTLM digests.
    Kind,
    /// Near or exact.
    Match,
    /// The way neighbours are found.
    Scheme,
    /// The hash key.
    Key,
    /// The number of pages.
    Pages {
        /// Of the first filter.
        first: u64,
        /// Of the second.
        second: u64,
    },
    /// Bits of a string in the word layer.
    WordBits {
        /// Of the first filter.
        first: u8,
        /// Of the second.
        second: u8,
    },
    /// Bits of a string in the deletion layer.
    DeletionBits {
        /// Of the first filter.
        first: u8,
        /// Of the second.
        second: u8,
    },
    /// The characters or the lookups for which the rate is stated.
    RateBasis,
}

impl Difference {
    /// The first thing that keeps two filters from being united.
    pub fn between(a: &Header, b: &Header) -> Option<Difference> {
        let (wa, wb) = (a.word_bits, b.word_bits);
        let (da, db) = (a.deletion_bits, b.deletion_bits);
        let basis = |header: &Header| (header.stated.characters, header.stated.variants);
        [
            (a.kind != b.kind, Difference::Kind),
            (a.matching != b.matching, Difference::Match),
            (a.scheme != b.scheme, Difference::Scheme),
            (a.key != b.key, Difference::Key),
            (da != db, Difference::DeletionBits { first: da, second: db }),
            (wa != wb, Difference::WordBits { first: wa, second: wb }),
            (a.pages != b.pages, Difference::Pages { first: a.pages, second: b.pages }),
            (basis(a) != basis(b), Difference::RateBasis),
        ]
        .into_iter()
        .find_map(|(differs, difference)| differs.then_some(difference))
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Kind => f.write_str("one holds words, the other digests, or other digests"),
            Difference::Match => f.write_str("one is near, the other exact"),
            Difference::Scheme => f.write_str("their schemes differ"),
            Difference::Key => f.write_str("their keys differ"),
            Difference::Pages { first, second } => write!(f, "one has {first} pages, the other {second}"),
            Difference::WordBits { first, second } => {
                write!(f, "one has {first} bits a word, the other {second}")
            }
            Difference::DeletionBits { first, second } => {
                write!(f, "one has {first} bits a deletion, the other {second}")
            }
            Difference::RateBasis => f.write_str("their rates are stated for different passwords"),
        }
    }
}

impl fmt::Display for UnionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnionError::Differs(difference) => write!(f, "{difference}"),
            UnionError::Filter(error) => write!(f, "{error}"),
            UnionError::Build(error) => write!(f, "{error}"),
        }
    }
}

impl Error for UnionError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            UnionError::Differs(_) => None,
            UnionError::Filter(error) => Some(error),
            UnionError::Build(error) => Some(error),
        }
    }
}
