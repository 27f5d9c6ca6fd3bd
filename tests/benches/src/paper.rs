//! The paper's scheme straightforwardly coded: one extended string after the other is made, hashed and looked
//! up bit by bit, page-local (Manber & Wu §3), until one is found. Same hash, pages and bits as the library's
//! `paper` scheme.

use nearmiss_filters::{
    hash::Key,
    neighbours::Scratch,
    page::{Layer, Page, Probes, page_of, positions},
    word::{DONT_CARE, Word},
};

use crate::ours::Filter;

/// The filter's pages in one piece.
pub struct Paper {
    pages: Vec<Page>,
    key: Key,
    probes: Probes,
}

impl Paper {
    /// Copies a filter of the library's paper scheme.
    pub fn of(filter: &Filter) -> Paper {
        let mut pages = Vec::new();
        filter.scan(|_, page, _| pages.push(*page)).expect("a filter in memory");
        Paper { pages, key: filter.header().key.clone(), probes: filter.header().probes(Layer::Word) }
    }

    /// True when some dictionary word is within distance 1, or by accident.
    pub fn is_near(&self, word: &Word, scratch: &mut Scratch) -> bool {
        (0..word.len()).any(|at| self.contains(scratch.spliced(word, at, at + 1, DONT_CARE)))
            || (0..=word.len()).any(|gap| self.contains(scratch.spliced(word, gap, gap, DONT_CARE)))
    }

    fn contains(&self, string: &[u8]) -> bool {
        let hash = self.key.hash(string);
        let page = &self.pages[page_of(hash, self.pages.len() as u64) as usize];
        positions(hash, self.probes).all(|position| page[position as usize / 8] >> (position % 8) & 1 == 1)
    }
}
