//! The union of filters: the bits of both. It needs no words, only the same key and geometry, so that a
//! string's bits have the same positions in both.
//!
//! Alphabets and digram tables are merged, and every word of either filter is found by the same lookups as
//! before. The number of distinct words cannot be read from the bits; it is estimated from the number of bits
//! that the two filters share (Swamidass & Baldi 2007: a filter of m bits, X of them ones, holds −(m/k) ln(1
//! − X/m) strings), which is exact for filters that share nothing or all, and within 2 % on lists of
//! passwords.

use std::{error::Error, fmt};

use super::{
    error::BuildError,
    extend::{joined_alphabet, joined_lengths},
    fill::Builder,
};
use crate::{
    dictionary::{DictionaryFilter, FilterError, sizing::rounded},
    format::{Header, SchemeId},
    four_grams::FourGramTable,
    keys::{self, Keyed, MessageKey},
    page::{self, PAGE_BITS, Page},
    storage::Bytes,
};

/// The reason why two filters cannot be united.
#[derive(Debug)]
#[non_exhaustive]
pub enum UnionError {
    /// They differ in a property that must be the same.
    Differs(Difference),
    /// The second one cannot be read.
    Filter(FilterError),
    /// Their alphabets together are too large.
    Build(BuildError),
}

/// A difference between two filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference {
    /// Words, SHA-1 or NTLM digests.
    Kind,
    /// Near or exact.
    Match,
    /// The scheme by which neighbours are found.
    Scheme,
    /// The hash key.
    Key,
    /// The number of first bits of a digest that select its group.
    Groups {
        /// Of the first filter.
        first: u8,
        /// Of the second.
        second: u8,
    },
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
    /// The first difference that prevents a union.
    pub fn between(a: &Header, b: &Header) -> Option<Difference> {
        let (wa, wb) = (a.word_bits, b.word_bits);
        let (da, db) = (a.deletion_bits, b.deletion_bits);
        let (ga, gb) = (a.group_bits, b.group_bits);
        let basis = |header: &Header| (header.stated.characters, header.stated.lookups);
        [
            (a.kind != b.kind, Difference::Kind),
            (a.matching != b.matching, Difference::Match),
            (a.scheme != b.scheme, Difference::Scheme),
            (a.key != b.key, Difference::Key),
            (ga != gb, Difference::Groups { first: ga, second: gb }),
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
            Difference::Kind => f.write_str("the filters hold different kinds of entries"),
            Difference::Match => f.write_str("one filter is near, the other exact"),
            Difference::Scheme => f.write_str("their schemes differ"),
            Difference::Key => f.write_str("their keys differ"),
            Difference::Groups { first, second } => {
                write!(f, "one filter has {first} group bits, the other {second}")
            }
            Difference::Pages { first, second } => {
                write!(f, "one filter has {first} pages, the other {second}")
            }
            Difference::WordBits { first, second } => {
                write!(f, "one filter has {first} bits a word, the other {second}")
            }
            Difference::DeletionBits { first, second } => {
                write!(f, "one filter has {first} bits a deletion, the other {second}")
            }
            Difference::RateBasis => f.write_str(
                "their rates are stated for passwords of different lengths or with different numbers of \
                 lookups",
            ),
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

impl Keyed for UnionError {
    fn key(&self) -> MessageKey {
        match self {
            UnionError::Differs(_) => keys::FILTERS_DIFFER,
            UnionError::Filter(error) => error.key(),
            UnionError::Build(error) => error.key(),
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

impl Builder {
    /// Adds the words of another filter of the same key and geometry. The stated rate is then the higher one,
    /// the capacity the larger one, and the date the later one.
    ///
    /// # Errors
    /// [`UnionError`]; the filter is then unchanged, unless a page of the other is damaged.
    pub fn unite<D: Bytes>(&mut self, other: &DictionaryFilter<D>) -> Result<(), UnionError> {
        let theirs = other.header();
        if let Some(difference) = Difference::between(&self.header, theirs) {
            return Err(UnionError::Differs(difference));
        }
        let alphabet = joined_alphabet(&self.header.alphabet, theirs.alphabet.symbols().iter());
        let alphabet = alphabet.map_err(UnionError::Build)?;
        let four_grams = FourGramTable::from_pages(other.pages.four_grams().map_err(UnionError::Filter)?);
        self.store_collected();
        let loads = self.unite_pages(other).map_err(UnionError::Filter)?;
        let ours = &mut self.header;
        if ours.scheme == SchemeId::Deletions {
            ours.digrams = ours.digrams.united(&ours.alphabet, &theirs.digrams, &theirs.alphabet, &alphabet);
            ours.alphabet = alphabet;
            self.four_grams = self.four_grams.united(&four_grams);
            ours.four_gram_pages = self.four_grams.len();
        }
        ours.words = loads.united(ours.words, theirs.words);
        ours.extension = loads.united(ours.extension, theirs.extension);
        ours.lines = ours.lines.saturating_add(theirs.lines);
        ours.lengths = joined_lengths(ours.lengths, theirs.lengths);
        ours.capacity = ours.capacity.max(theirs.capacity);
        ours.created = ours.created.max(theirs.created);
        ours.stated.false_rejection = ours.stated.false_rejection.max(theirs.stated.false_rejection);
        Ok(())
    }

    fn unite_pages<D: Bytes>(&mut self, other: &DictionaryFilter<D>) -> Result<Loads, FilterError> {
        let mut loads = Loads::default();
        for (page, index) in self.pages.iter_mut().zip(0..) {
            let theirs = other.pages.page(index)?;
            loads.parts += load(page) + load(theirs);
            for (byte, more) in page.iter_mut().zip(theirs) {
                *byte |= more;
            }
            loads.union += load(page);
        }
        Ok(loads)
    }
}

/// The number of bits set, with repetitions, estimated from the ones.
#[derive(Default)]
struct Loads {
    /// In both filters.
    parts: f64,
    /// In their union.
    union: f64,
}

impl Loads {
    /// Distinct strings of the union of `a` and `b` strings.
    fn united(&self, a: u64, b: u64) -> u64 {
        let sum = a.saturating_add(b);
        let share = self.union / self.parts.max(f64::MIN_POSITIVE);
        rounded(sum as f64 * share).clamp(a.max(b), sum)
    }
}

/// Bits set in a page with repetitions: −m ln(1 − X/m), X of m bits being ones.
fn load(page: &Page) -> f64 {
    let bits = f64::from(PAGE_BITS);
    let zeros = (bits - f64::from(page::ones(page))).max(0.5);
    bits * (bits / zeros).ln()
}
