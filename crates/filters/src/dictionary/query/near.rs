//! A near lookup: all strings of the first round are hashed, their pages prepared together and probed; each
//! deletion found is completed, and its completions are probed in the word layer ([`crate::neighbours`] has
//! the proof).

use super::{
    Buffers, Query, Visitor,
    completions::{Completion, WARM_BATCH},
    first_round::Proposal,
};
use crate::{
    alphabet::{BOUNDARY, Class},
    dictionary::{Edit, FilterError, Found},
    format::{Match, SchemeId},
    hash::Hole,
    neighbours::Scratch,
    storage::Bytes,
};

impl<D: Bytes> Query<'_, D> {
    /// True if the candidate is in the dictionary.
    pub(in crate::dictionary) fn is_member(&self, buffers: &mut Buffers) -> Result<bool, FilterError> {
        match self.header.scheme {
            SchemeId::Paper => self.ask_extension(buffers).map(|(_, is_member)| is_member),
            SchemeId::Whole | SchemeId::Deletions => self.is_word(),
        }
    }

    /// Adds the first pages of the candidate's lookup, exact or near.
    pub(in crate::dictionary) fn list_pages(&self, matching: Match, buffers: &mut Buffers) {
        let Buffers { round, scratch, pages, .. } = buffers;
        match (self.header.scheme, matching) {
            (SchemeId::Paper, _) => SchemeId::Paper.each_stored(self.word, scratch, &mut |_, string| {
                pages.push(self.page_of(self.hash(string)));
            }),
            (SchemeId::Deletions, Match::Near) if self.is_length_possible() => {
                round.list_pages(self, scratch, pages);
            }
            (SchemeId::Deletions, Match::Near) => {}
            _ => pages.push(self.page_of(self.hash(self.word.as_bytes()))),
        }
    }

    /// Calls `found` with each dictionary word within distance 1 of the candidate, itself first, until it
    /// returns true; true if it did.
    pub(in crate::dictionary) fn visit_by_deletions(
        &self,
        buffers: &mut Buffers,
        found: &mut Visitor<'_>,
    ) -> Result<bool, FilterError> {
        if !self.is_length_possible() {
            return Ok(false);
        }
        buffers.completions.clear();
        let Buffers { round, scratch, pages, .. } = buffers;
        if !round.begin(self) {
            return Ok(false);
        }
        let is_ready = round.ask_candidate(self, scratch)?;
        if is_ready && round.is_word(self)? && found(Found::member(self.word)) {
            return Ok(true);
        }
        round.ask_all(self, scratch, pages)?;
        let is_done = (!is_ready && round.is_word(self)? && found(Found::member(self.word)))
            || self.ask_removals(buffers, found)?
            || self.complete_replacements(buffers, found)?
            || self.complete_insertions(buffers, found)?
            || (self.with_transpositions && self.complete_swaps(buffers, found)?)
            || buffers.completions.look_up(self, &mut buffers.scratch, found)?;
        Ok(is_done)
    }

    /// No word is within distance 1 of a candidate that is two characters shorter or longer than all of them.
    fn is_length_possible(&self) -> bool {
        let (shortest, longest) = self.header.lengths;
        let length = self.word.len();
        length <= usize::from(longest) + 1 && length + 1 >= usize::from(shortest)
    }

    /// Words that lack one character of the candidate.
    fn ask_removals(&self, buffers: &mut Buffers, found: &mut Visitor<'_>) -> Result<bool, FilterError> {
        let Buffers { round, scratch, .. } = buffers;
        for &Proposal { string, at, .. } in round.proposals().iter().filter(|one| one.string.may_be_word()) {
            let (before, after) = (round.edits().class_before(at), round.edits().class_at(at + 1));
            if self.header.digrams.seen(before, after) && string.is_word(self)? {
                let string = scratch.spliced(self.word, at, at + 1, &[]);
                if found(Found::named(Edit::Remove { at }, string)) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Words with one different character: deletions propose its position, the alphabet completes it.
    fn complete_replacements(
        &self,
        buffers: &mut Buffers,
        found: &mut Visitor<'_>,
    ) -> Result<bool, FilterError> {
        for number in 0..buffers.round.proposals().len() {
            let Some(&Proposal { string, at, end }) = buffers.round.proposals().get(number) else { break };
            let mut places = at..end;
            while let Some(at) = string.first_deletion(self, places.clone())? {
                places.start = at + 1;
                let edits = buffers.round.edits();
                let between = (edits.class_before(at), edits.class_at(at + 1));
                let here = edits.class_at(at);
                if self.complete(Edit::Replace { at }, between, here, buffers, found)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Words with one additional character.
    fn complete_insertions(
        &self,
        buffers: &mut Buffers,
        found: &mut Visitor<'_>,
    ) -> Result<bool, FilterError> {
        let gaps = buffers.round.edits().insertable();
        let Some(candidate) = buffers.round.candidate() else { return Ok(false) };
        let mut left = gaps.clone();
        while let Some(at) = candidate.first_deletion(self, left.clone())? {
            left.start = at + 1;
            let edits = buffers.round.edits();
            let (before, after) = (edits.class_before(at), edits.class_at(at));
            // Doubling a character is the same before and after it: it is done in the gap before it, if there
            // is one.
            let done = if at > gaps.start { before } else { BOUNDARY };
            if self.complete(Edit::Insert { at }, (before, after), done, buffers, found)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn complete_swaps(&self, buffers: &mut Buffers, found: &mut Visitor<'_>) -> Result<bool, FilterError> {
        let Buffers { round, completions, scratch, .. } = buffers;
        let edits = round.edits();
        for at in edits.swappable() {
            if edits.may_swap(at, &self.header.digrams) {
                let hash = self.hash(scratch.swapped(self.word, at));
                completions.push(Completion { hash, edit: Edit::Swap { at }, class: 0 });
            }
        }
        completions.look_up(self, scratch, found)
    }

    /// Probes the completions of `edit` whose pairs with both neighbours occur, except the class `except`.
    fn complete(
        &self,
        edit: Edit,
        (before, after): (Class, Class),
        except: Class,
        buffers: &mut Buffers,
        found: &mut Visitor<'_>,
    ) -> Result<bool, FilterError> {
        let Buffers { completions, scratch, fillers, .. } = buffers;
        fillers.clear();
        self.header.digrams.each_between((before, after), &self.header.alphabet, |class| {
            if class != except {
                fillers.push(class);
            }
        });
        edit.open(self.word, scratch);
        let (string, at) = scratch.with_null();
        let hole = self.header.key.hole(string, at);
        for some in fillers.chunks(WARM_BATCH) {
            let mut hashes = [0; WARM_BATCH];
            let mut is_ready = completions.is_empty();
            for (hash, &class) in hashes.iter_mut().zip(some) {
                *hash = self.hash_filled(hole.as_ref(), class, scratch);
                is_ready &= self.pages.fetch_ahead(*hash);
            }
            let completion = |(&hash, &class)| Completion { hash, edit, class };
            let is_done = if is_ready {
                let hashes = hashes.get(..some.len()).unwrap_or_default();
                self.ask_ready(hashes, &mut |number| {
                    let one = hashes.iter().zip(some).map(completion).nth(number);
                    one.is_some_and(|one| found(self.name(one, scratch)))
                })?
            } else {
                completions.extend(hashes.iter().zip(some).map(completion));
                let is_done = completions.is_full() && completions.look_up(self, scratch, found)?;
                edit.open(self.word, scratch); // those that waited are of other edits, too
                is_done
            };
            if is_done {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The hash of the opened word with the symbol of `class`: through `hole`, if that is one byte.
    #[inline]
    pub(super) fn hash_filled(&self, hole: Option<&Hole>, class: Class, scratch: &mut Scratch) -> u64 {
        match (hole, self.header.alphabet.ascii_of(class)) {
            (Some(hole), Some(byte)) => hole.hash(byte),
            _ => self.hash(self.filled(class, scratch)),
        }
    }
}
