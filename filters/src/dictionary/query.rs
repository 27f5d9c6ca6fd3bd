//! A near lookup: all strings of the first round hashed, their pages made ready together, then asked; deletions
//! that propose are completed and asked of the word layer ([`crate::neighbours`] has the proof).

mod completions;
mod first_round;
mod possible_edits;

use zeroize::Zeroize;

use self::{
    completions::{Completion, Completions, WARM_BATCH, ask_ready, filled, name},
    first_round::{FirstRound, Proposal},
    possible_edits::Classes,
};
use super::{DictionaryFilter, Edit, FilterError, Found};
use crate::{
    alphabet::Class,
    format::{Match, SchemeId},
    hash::Hole,
    neighbours::{Paper, Scheme, Scratch},
    page::{Layer, page_of},
    storage::Bytes,
    word::Word,
};

/// Buffers of a lookup, to be used for many: after the first lookups of some length nothing is allocated.
/// Wiped when dropped.
#[derive(Default)]
pub struct Lookup {
    classes: Classes,
    round: FirstRound,
    pages: Vec<u64>,
    hashes: Vec<u64>,
    scratch: Scratch,
    /// Classes of the symbols that may fill a hole.
    fillers: Vec<Class>,
    completions: Completions,
}

impl Drop for Lookup {
    fn drop(&mut self) {
        self.hashes.zeroize();
        self.fillers.zeroize();
    }
}

impl Lookup {
    /// Whether any, and whether every string of the paper's extension of `word` is in the filter: near, member.
    pub(super) fn paper<D: Bytes>(
        &mut self,
        filter: &DictionaryFilter<D>,
        word: &Word,
    ) -> Result<(bool, bool), FilterError> {
        debug_assert_eq!(filter.header.scheme, SchemeId::Paper);
        let (hashes, pages) = (&mut self.hashes, &mut self.pages);
        hashes.clear();
        pages.clear();
        Paper.asked(word, &mut self.scratch, &mut |_, string| hashes.push(filter.header.key.hash(string)));
        pages.extend(hashes.iter().map(|&hash| page_of(hash, filter.header.pages)));
        filter.pages.prepare(pages)?;
        let (mut any, mut all) = (false, true);
        for &hash in hashes.iter() {
            let is_set = filter.test(hash, Layer::Word)?;
            (any, all) = (any | is_set, all & is_set);
        }
        Ok((any, all))
    }

    /// Makes the pages of these words, or of their first rounds, ready together.
    pub(super) fn prepare<'w, D: Bytes>(
        &mut self,
        filter: &DictionaryFilter<D>,
        words: impl Iterator<Item = &'w Word>,
        matching: Match,
    ) -> Result<(), FilterError> {
        let mut pages = std::mem::take(&mut self.pages);
        pages.clear();
        for word in words {
            self.list_pages(filter, word, matching, &mut pages);
        }
        let answer = filter.pages.prepare(&mut pages);
        self.pages = pages;
        answer
    }

    fn list_pages<D: Bytes>(
        &mut self,
        filter: &DictionaryFilter<D>,
        word: &Word,
        matching: Match,
        pages: &mut Vec<u64>,
    ) {
        let header = &filter.header;
        match (header.scheme, matching) {
            (SchemeId::Paper, _) => Paper.asked(word, &mut self.scratch, &mut |_, string| {
                pages.push(page_of(header.key.hash(string), header.pages));
            }),
            (SchemeId::Deletions, Match::Near) if is_length_possible(filter, word) => {
                self.classes.assign(word, header);
                self.round.list_pages(filter, word, &self.classes, &mut self.scratch, pages);
            }
            (SchemeId::Deletions, Match::Near) => {}
            _ => pages.push(page_of(header.key.hash(word.as_bytes()), header.pages)),
        }
    }

    /// Calls `found` with each dictionary word within distance 1; answers true when it did.
    pub(super) fn deletions<D: Bytes>(
        &mut self,
        filter: &DictionaryFilter<D>,
        word: &Word,
        with_transpositions: bool,
        found: &mut dyn FnMut(Found) -> bool,
    ) -> Result<bool, FilterError> {
        if !is_length_possible(filter, word) {
            return Ok(false);
        }
        self.completions.clear();
        self.classes.assign(word, &filter.header);
        // A member whose page is ready is found before anything else is hashed.
        let is_ready = self.round.ask_whole(filter, word, &self.classes)?;
        if is_ready && self.is_member(filter)? && found(Found::member(word)) {
            return Ok(true);
        }
        self.round.ask_all(filter, word, &self.classes, &mut self.scratch, &mut self.pages)?;
        let is_done = (!is_ready && self.is_member(filter)? && found(Found::member(word)))
            || self.ask_removals(filter, word, found)?
            || self.complete_replacements(filter, word, found)?
            || self.complete_insertions(filter, word, found)?
            || (with_transpositions && self.complete_swaps(filter, word, found)?)
            || self.completions.ask(filter, word, &mut self.scratch, found)?;
        Ok(is_done)
    }

    /// True when the candidate itself is a word.
    fn is_member<D: Bytes>(&self, filter: &DictionaryFilter<D>) -> Result<bool, FilterError> {
        let whole = self.round.whole().filter(|_| self.classes.may_be_word());
        whole.map_or(Ok(false), |whole| whole.is_word(filter))
    }

    /// Words that lack one character of the candidate.
    fn ask_removals<D: Bytes>(
        &mut self,
        filter: &DictionaryFilter<D>,
        word: &Word,
        found: &mut dyn FnMut(Found) -> bool,
    ) -> Result<bool, FilterError> {
        for &Proposal { string, at, .. } in self.round.proposals() {
            let after = self.classes.of(at.saturating_add(1));
            let is_possible = filter.header.digrams.seen(self.classes.before(at), after);
            if is_possible && string.is_word(filter)? {
                let string = self.scratch.spliced(word, at, at.saturating_add(1), &[]);
                if found(Found::named(Edit::Remove { at }, string)) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Words that have another character somewhere: deletions propose where, the alphabet completes.
    fn complete_replacements<D: Bytes>(
        &mut self,
        filter: &DictionaryFilter<D>,
        word: &Word,
        found: &mut dyn FnMut(Found) -> bool,
    ) -> Result<bool, FilterError> {
        for number in 0..self.round.proposals().len() {
            let Some(&Proposal { string, at, end }) = self.round.proposals().get(number) else { break };
            for at in at..end {
                if !string.is_deletion(filter, at)? {
                    continue;
                }
                let (before, here) = (self.classes.before(at), self.classes.of(at));
                let after = self.classes.of(at.saturating_add(1));
                let edit = Edit::Replace { at };
                if self.complete(filter, word, edit, (before, after), here, found)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Words that have one character more.
    fn complete_insertions<D: Bytes>(
        &mut self,
        filter: &DictionaryFilter<D>,
        word: &Word,
        found: &mut dyn FnMut(Found) -> bool,
    ) -> Result<bool, FilterError> {
        let gaps = self.classes.insertable();
        let Some(whole) = self.round.whole() else { return Ok(false) };
        for at in gaps.clone() {
            if !whole.is_deletion(filter, at)? {
                continue;
            }
            let (before, after) = (self.classes.before(at), self.classes.of(at));
            // Doubling a character is the same before and behind it: done in the gap before it where there is one.
            let done = if at > gaps.start { before } else { crate::alphabet::BOUNDARY };
            if self.complete(filter, word, Edit::Insert { at }, (before, after), done, found)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn complete_swaps<D: Bytes>(
        &mut self,
        filter: &DictionaryFilter<D>,
        word: &Word,
        found: &mut dyn FnMut(Found) -> bool,
    ) -> Result<bool, FilterError> {
        for at in self.classes.swappable() {
            if self.classes.may_swap(at, &filter.header) {
                let hash = filter.header.key.hash(self.scratch.swapped(word, at));
                self.completions.push(Completion { hash, edit: Edit::Swap { at }, class: 0 });
            }
        }
        self.completions.ask(filter, word, &mut self.scratch, found)
    }

    /// Asks for the completions of `edit` whose pairs with both neighbours occur, but for the class `except`.
    fn complete<D: Bytes>(
        &mut self,
        filter: &DictionaryFilter<D>,
        word: &Word,
        edit: Edit,
        (before, after): (u32, u32),
        except: u32,
        found: &mut dyn FnMut(Found) -> bool,
    ) -> Result<bool, FilterError> {
        self.fillers.clear();
        let between = filter.header.digrams.between(before, after, &filter.header.alphabet);
        between.filter(|&class| class != except).for_each(|class| self.fillers.push(class));
        let fillers = std::mem::take(&mut self.fillers);
        let answer = self.ask_filled(filter, word, edit, &fillers, found);
        self.fillers = fillers;
        answer
    }

    /// Asks for the candidate with `edit` and each of these classes, in batches.
    fn ask_filled<D: Bytes>(
        &mut self,
        filter: &DictionaryFilter<D>,
        word: &Word,
        edit: Edit,
        fillers: &[Class],
        found: &mut dyn FnMut(Found) -> bool,
    ) -> Result<bool, FilterError> {
        let Lookup { scratch, completions, .. } = self;
        edit.open(word, scratch);
        let (string, at) = scratch.with_null();
        let hole = filter.header.key.hole(string, at);
        for some in fillers.chunks(WARM_BATCH) {
            let mut hashes = [0; WARM_BATCH];
            let mut is_ready = completions.is_empty();
            for (hash, &class) in hashes.iter_mut().zip(some) {
                *hash = hash_filled(filter, hole.as_ref(), class, scratch);
                is_ready &= filter.pages.fetch_ahead(*hash);
            }
            let completion = |(&hash, &class)| Completion { hash, edit, class };
            let is_done = if is_ready {
                let hashes = hashes.get(..some.len()).unwrap_or_default();
                ask_ready(filter, hashes, &mut |number| {
                    let one = hashes.iter().zip(some).map(completion).nth(number);
                    one.is_some_and(|one| found(name(filter, word, one, scratch)))
                })?
            } else {
                completions.extend(hashes.iter().zip(some).map(completion));
                let is_done = completions.is_full() && completions.ask(filter, word, scratch, found)?;
                edit.open(word, scratch); // those that waited are of other edits, too
                is_done
            };
            if is_done {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The hash of the opened word with the symbol of `class`: by way of `hole`, where that is one byte.
#[inline]
fn hash_filled<D: Bytes>(
    filter: &DictionaryFilter<D>,
    hole: Option<&Hole>,
    class: Class,
    scratch: &mut Scratch,
) -> u64 {
    match (hole, filter.header.alphabet.ascii_of(class)) {
        (Some(hole), Some(byte)) => hole.hash(byte),
        _ => filter.header.key.hash(filled(filter, class, scratch)),
    }
}

/// No word is within distance 1 of a candidate that is two characters shorter or longer than all of them.
fn is_length_possible<D: Bytes>(filter: &DictionaryFilter<D>, word: &Word) -> bool {
    let (shortest, longest) = filter.header.lengths;
    let length = word.len();
    length <= usize::from(longest).saturating_add(1) && length.saturating_add(1) >= usize::from(shortest)
}
