//! The memory of a lookup.

use zeroize::Zeroize;

use super::{completions::Completions, first_round::FirstRound};
use crate::{alphabet::Class, neighbours::Scratch};

/// Buffers of a lookup, reused by later ones: after the first lookups of some length nothing is allocated.
/// Wiped when dropped.
#[derive(Default)]
pub struct Buffers {
    pub(super) round: FirstRound,
    pub(super) completions: Completions,
    /// Indices of pages to prepare together.
    pub(super) pages: Vec<u64>,
    pub(super) hashes: Vec<u64>,
    pub(super) scratch: Scratch,
    /// Classes of the symbols that may fill a hole.
    pub(super) fillers: Vec<Class>,
}

impl Buffers {
    /// Begins a new list of pages to prepare together.
    pub(in crate::dictionary) fn clear_pages(&mut self) {
        self.pages.clear();
    }

    /// The pages that queries listed.
    pub(in crate::dictionary) fn listed_pages(&mut self) -> &mut Vec<u64> {
        &mut self.pages
    }
}

impl Drop for Buffers {
    fn drop(&mut self) {
        self.hashes.zeroize();
        self.fillers.zeroize();
    }
}
