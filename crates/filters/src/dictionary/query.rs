//! Finds the words of a dictionary that are near a candidate: the probes of the pages, and their order.
//!
//! * `possible_edits`: the single edits that the digram table leaves possible;
//! * `first_round`: the candidate and its deletions, probed together;
//! * `completions`: the proposals of the first round, completed with the alphabet and probed in the word
//!   layer;
//! * `near`: the order of all that, and `paper` the paper's scheme;
//! * `distance_2`: words at distance 2; `parts`: parts of the candidate that are words;
//! * `buffers`: memory that lookups reuse.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "positions in a word of at most 256 characters; an overflow would be a panic"
)]

mod buffers;
mod completions;
mod distance_2;
mod first_round;
mod near;
mod paper;
mod parts;
mod possible_edits;

pub use buffers::Buffers;
pub use distance_2::MAX_DISTANCE_2_CANDIDATE;
pub(super) use distance_2::MIN_DISTANCE_2_BITS;
#[cfg(test)]
pub(crate) use first_round::tests::asked;

use super::{FilterError, Found, pages::Pages};
use crate::{
    format::Header,
    page::{self, Layer},
    storage::Bytes,
    word::Word,
};

/// Takes a word that was found; true ends the lookup.
type Visitor<'v> = dyn FnMut(Found) -> bool + 'v;

/// A candidate, and the filter to query.
pub(super) struct Query<'q, D> {
    pub(super) header: &'q Header,
    pub(super) pages: &'q Pages<D>,
    pub(super) word: &'q Word,
    /// True if words with two neighbouring characters swapped are near, too.
    pub(super) with_transpositions: bool,
}

impl<D: Bytes> Query<'_, D> {
    #[inline]
    fn hash(&self, string: &[u8]) -> u64 {
        self.header.key.hash(string)
    }

    /// The index of the page of a hash.
    #[inline]
    fn page_of(&self, hash: u64) -> u64 {
        page::page_of(hash, self.header.pages)
    }

    #[inline]
    fn test(&self, hash: u64, layer: Layer) -> Result<bool, FilterError> {
        self.pages.test(hash, self.header.probes(layer))
    }

    /// True if the candidate itself is in the word layer.
    #[inline]
    pub(super) fn is_word(&self) -> Result<bool, FilterError> {
        self.test(self.hash(self.word.as_bytes()), Layer::Word)
    }
}
