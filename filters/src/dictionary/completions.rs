//! The second round of a near lookup: strings completed from a deletion, asked of the word layer in batches.

use zeroize::Zeroize;

use super::{DictionaryFilter, Edit, FilterError, Found};
use crate::{
    alphabet::Class,
    neighbours::Scratch,
    page::{Layer, page_of},
    storage::Bytes,
    word::{MAX_SYMBOL_BYTES, Word},
};

/// Completions hashed before the first of them is probed: enough to let the disk serve a cold filter's pages
/// together, few enough that the list stays small whatever the filter proposes.
const BATCH: usize = 1024;

#[derive(Clone, Copy)]
struct Completion {
    hash: u64,
    edit: Edit,
    class: Class,
}

/// Completions waiting to be asked.
#[derive(Default)]
pub(super) struct Completions {
    waiting: Vec<Completion>,
    pages: Vec<u64>,
    symbol: Vec<u8>,
}

impl Completions {
    /// Forgets what a lookup that ended early left waiting.
    pub(super) fn clear(&mut self) {
        self.waiting.clear();
        self.pages.clear();
    }

    /// Adds the string that `edit` makes of `word` with the symbol of `class`; answers true when the batch is full.
    pub(super) fn add<D: Bytes>(
        &mut self,
        filter: &DictionaryFilter<D>,
        word: &Word,
        edit: Edit,
        class: Class,
        scratch: &mut Scratch,
    ) -> bool {
        let string = self.string(filter, word, edit, class, scratch);
        let hash = filter.header.key.hash(string);
        self.waiting.push(Completion { hash, edit, class });
        self.waiting.len() >= BATCH
    }

    fn string<'s, D: Bytes>(
        &mut self,
        filter: &DictionaryFilter<D>,
        word: &Word,
        edit: Edit,
        class: Class,
        scratch: &'s mut Scratch,
    ) -> &'s [u8] {
        self.symbol.clear();
        self.symbol.reserve(MAX_SYMBOL_BYTES);
        if let Some(symbol) = filter.header.alphabet.symbol_of(class) {
            symbol.encode_into(&mut self.symbol);
        }
        match edit {
            Edit::Swap { at } => scratch.swapped(word, at),
            Edit::Insert { at } => scratch.spliced(word, at, at, &self.symbol),
            Edit::Replace { at } | Edit::Remove { at } => {
                scratch.spliced(word, at, at.saturating_add(1), &self.symbol)
            }
            Edit::None | Edit::Unknown => scratch.spliced(word, 0, 0, &[]),
        }
    }

    /// Asks for everything waiting; answers true when `found` did.
    pub(super) fn ask<D: Bytes>(
        &mut self,
        filter: &DictionaryFilter<D>,
        word: &Word,
        scratch: &mut Scratch,
        found: &mut dyn FnMut(Found) -> bool,
    ) -> Result<bool, FilterError> {
        self.pages.extend(self.waiting.iter().map(|one| page_of(one.hash, filter.header.pages)));
        filter.body.prepare(&mut self.pages)?;
        let waiting = std::mem::take(&mut self.waiting);
        let answer = self.ask_each(filter, word, &waiting, scratch, found);
        self.waiting = waiting;
        self.waiting.clear();
        answer
    }

    fn ask_each<D: Bytes>(
        &mut self,
        filter: &DictionaryFilter<D>,
        word: &Word,
        waiting: &[Completion],
        scratch: &mut Scratch,
        found: &mut dyn FnMut(Found) -> bool,
    ) -> Result<bool, FilterError> {
        for one in waiting {
            if filter.test(one.hash, Layer::Word)? {
                let string = self.string(filter, word, one.edit, one.class, scratch);
                if found(Found::named(one.edit, string)) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

impl Drop for Completions {
    fn drop(&mut self) {
        self.symbol.zeroize();
        for one in &mut self.waiting {
            one.hash.zeroize();
            one.class.zeroize();
        }
    }
}
