//! The second round of a near lookup: strings completed from a deletion, probed in the word layer in batches.
//! A string whose page is ready is probed at once. From the first one whose page is not, all are queued, so
//! that the order of the findings does not depend on earlier reads.

use zeroize::Zeroize;

use super::{Query, Visitor};
use crate::{
    alphabet::Class,
    dictionary::{Edit, FilterError, Found},
    neighbours::Scratch,
    page::{self, Layer},
    storage::Bytes,
    word::MAX_SYMBOL_BYTES,
};

/// The number of completions that are queued for pages which are not ready: enough to let the disk read a
/// cold filter's pages together, few enough that the queue stays small for any filter.
const COLD_BATCH: usize = 1024;

/// The number of completions hashed before the first probe if all pages are ready: enough that their cache
/// lines are loaded together, few enough that little is hashed in vain when a word is found.
pub(super) const WARM_BATCH: usize = 16;

/// A string of the second round: the candidate after an edit with the symbol of a class.
#[derive(Clone, Copy)]
pub(super) struct Completion {
    pub(super) hash: u64,
    pub(super) edit: Edit,
    pub(super) class: Class,
}

/// Queued completions.
#[derive(Default)]
pub(super) struct Completions {
    waiting: Vec<Completion>,
    pages: Vec<u64>,
}

impl Completions {
    /// Empties the queue after a lookup that ended early.
    pub(super) fn clear(&mut self) {
        self.waiting.clear();
        self.pages.clear();
    }

    /// True if the queue is empty, so that the next string may be probed at once.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Queues one completion.
    pub(super) fn push(&mut self, one: Completion) {
        self.waiting.push(one);
    }

    /// Queues several completions.
    pub(super) fn extend(&mut self, some: impl Iterator<Item = Completion>) {
        self.waiting.extend(some);
    }

    /// True if the queue is full.
    pub(super) fn is_full(&self) -> bool {
        self.waiting.len() >= COLD_BATCH
    }

    /// Prepares the pages of all queued strings together and probes them; returns true if `found` did.
    pub(super) fn look_up<D: Bytes>(
        &mut self,
        query: &Query<'_, D>,
        scratch: &mut Scratch,
        found: &mut Visitor<'_>,
    ) -> Result<bool, FilterError> {
        let Completions { waiting, pages } = self;
        pages.extend(waiting.iter().map(|one| query.page_of(one.hash)));
        let answer = query.pages.prepare(pages).and_then(|()| {
            for some in waiting.chunks(WARM_BATCH) {
                let mut hashes = [0; WARM_BATCH];
                hashes.iter_mut().zip(some).for_each(|(hash, one)| *hash = one.hash);
                let hashes = hashes.get(..some.len()).unwrap_or_default();
                let mut found =
                    |number: usize| some.get(number).is_some_and(|&one| found(query.name(one, scratch)));
                if query.ask_ready(hashes, &mut found)? {
                    return Ok(true);
                }
            }
            Ok(false)
        });
        self.clear();
        answer
    }
}

impl<D: Bytes> Query<'_, D> {
    /// The opened word in `scratch` with the symbol of `class` in its hole.
    #[inline]
    pub(super) fn filled<'s>(&self, class: Class, scratch: &'s mut Scratch) -> &'s [u8] {
        if let Some(byte) = self.header.alphabet.ascii_of(class) {
            return scratch.filled_with_byte(byte);
        }
        let mut buffer = [0; MAX_SYMBOL_BYTES];
        let symbol = self.header.alphabet.symbol_of(class);
        scratch.filled(symbol.map_or(&[], |symbol| symbol.encode(&mut buffer)))
    }

    /// Probes the word layer for at most [`WARM_BATCH`] strings whose pages are ready; calls `found` with the
    /// index of each match and returns true if it did.
    pub(super) fn ask_ready(
        &self,
        hashes: &[u64],
        found: &mut dyn FnMut(usize) -> bool,
    ) -> Result<bool, FilterError> {
        let (ready, probes) = (self.pages.ready(), self.header.probes(Layer::Word));
        // All are probed before the first result is used, so that their cache lines are loaded together.
        let mut left = 0_u64;
        for (&hash, number) in hashes.iter().zip(0_u32..) {
            let page = ready.page_of(hash).ok_or_else(|| self.pages.lost(hash))?;
            left |= u64::from(page::may_be_word(page, hash, probes)) << (number & 63);
        }
        let mut number = left.trailing_zeros() as usize;
        while let Some(&hash) = hashes.get(number) {
            if self.test(hash, Layer::Word)? && found(number) {
                return Ok(true);
            }
            left &= left.wrapping_sub(1);
            number = left.trailing_zeros() as usize;
        }
        Ok(false)
    }

    /// The word that was found.
    #[cold]
    pub(super) fn name(&self, one: Completion, scratch: &mut Scratch) -> Found {
        let string = match one.edit {
            Edit::Swap { at } => scratch.swapped(self.word, at),
            edit => {
                edit.open(self.word, scratch);
                self.filled(one.class, scratch)
            }
        };
        Found::named(one.edit, string)
    }
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
