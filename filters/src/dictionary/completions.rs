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

/// Completions hashed before the first of them is probed when a page is not ready: enough to let the disk serve a cold
/// filter's pages together, few enough that the list stays small whatever the filter proposes.
const COLD_BATCH: usize = 1024;

/// The same when all pages are ready: enough that the memory serves several pages at once, few enough that little was
/// hashed in vain when a word is found.
const WARM_BATCH: usize = 16;

/// A string of the second round: what an edit makes of the candidate with the symbol of a class.
#[derive(Clone, Copy)]
pub(super) struct Completion {
    pub(super) hash: u64,
    pub(super) edit: Edit,
    pub(super) class: Class,
}

/// The opened word in `scratch` with the symbol of `class` in its hole.
#[inline]
pub(super) fn filled<'s, D: Bytes>(
    filter: &DictionaryFilter<D>,
    class: Class,
    scratch: &'s mut Scratch,
) -> &'s [u8] {
    if let Some(byte) = filter.header.alphabet.ascii_of(class) {
        return scratch.filled_with_byte(byte);
    }
    let mut buffer = [0; MAX_SYMBOL_BYTES];
    let symbol = filter.header.alphabet.symbol_of(class);
    scratch.filled(symbol.map_or(&[], |symbol| symbol.encode(&mut buffer)))
}

/// Completions waiting to be asked.
#[derive(Default)]
pub(super) struct Completions {
    waiting: Vec<Completion>,
    pages: Vec<u64>,
    /// Some page of those waiting is not ready.
    is_cold: bool,
}

impl Completions {
    /// Forgets what a lookup that ended early left waiting.
    pub(super) fn clear(&mut self) {
        self.waiting.clear();
        self.pages.clear();
        self.is_cold = false;
    }

    /// Takes one more and asks when enough are waiting; answers true when `found` did.
    #[inline]
    pub(super) fn add<D: Bytes>(
        &mut self,
        filter: &DictionaryFilter<D>,
        word: &Word,
        one: Completion,
        scratch: &mut Scratch,
        found: &mut dyn FnMut(Found) -> bool,
    ) -> Result<bool, FilterError> {
        self.is_cold |= !filter.body.is_verified(page_of(one.hash, filter.header.pages));
        self.waiting.push(one);
        if self.waiting.len() < if self.is_cold { COLD_BATCH } else { WARM_BATCH } {
            return Ok(false);
        }
        let is_done = self.ask(filter, word, scratch, found);
        one.edit.open(word, scratch);
        is_done
    }

    /// Asks for everything waiting; answers true when `found` did.
    pub(super) fn ask<D: Bytes>(
        &mut self,
        filter: &DictionaryFilter<D>,
        word: &Word,
        scratch: &mut Scratch,
        found: &mut dyn FnMut(Found) -> bool,
    ) -> Result<bool, FilterError> {
        if self.is_cold {
            self.pages.extend(self.waiting.iter().map(|one| page_of(one.hash, filter.header.pages)));
            filter.body.prepare(&mut self.pages)?;
            self.is_cold = false;
        }
        let waiting = std::mem::take(&mut self.waiting);
        let answer = ask_each(filter, word, &waiting, scratch, found);
        self.waiting = waiting;
        self.waiting.clear();
        answer
    }
}

fn ask_each<D: Bytes>(
    filter: &DictionaryFilter<D>,
    word: &Word,
    waiting: &[Completion],
    scratch: &mut Scratch,
    found: &mut dyn FnMut(Found) -> bool,
) -> Result<bool, FilterError> {
    for &one in waiting {
        if filter.test(one.hash, Layer::Word)? && found(name(filter, word, one, scratch)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The word that was found.
#[cold]
fn name<D: Bytes>(
    filter: &DictionaryFilter<D>,
    word: &Word,
    one: Completion,
    scratch: &mut Scratch,
) -> Found {
    let string = match one.edit {
        Edit::Swap { at } => scratch.swapped(word, at),
        edit => {
            edit.open(word, scratch);
            filled(filter, one.class, scratch)
        }
    };
    Found::named(one.edit, string)
}

impl Drop for Completions {
    fn drop(&mut self) {
        let nothing = Completion { hash: 0, edit: Edit::None, class: 0 };
        self.waiting.resize(self.waiting.capacity(), nothing);
        for one in &mut self.waiting {
            one.hash.zeroize();
            one.class.zeroize();
        }
    }
}
