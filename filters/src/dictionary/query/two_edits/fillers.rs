//! Which characters may fill an opened place, and the questions that they make.

use std::ops::Range;

use super::{FarVisitor, TwoEdits, unseen::is_letter};
use crate::{
    alphabet::Class,
    dictionary::{Edit, FilterError},
    page::{self, Layer},
    storage::Bytes,
    word::Word,
};

/// Strings hashed before the first of them is asked, so that the memory serves their pages together.
const BATCH: usize = 32;

impl<D: Bytes> TwoEdits<'_, D> {
    /// What may stand at `at` between the characters before it and behind it.
    pub(super) fn fillers_between(&self, at: usize) -> Vec<Class> {
        let (before, after) = (self.unseen.class_before(at), self.unseen.class_at(at + 1));
        let header = self.query.header;
        self.other_letters(at, header.digrams.between(before, after, &header.alphabet))
    }

    /// What may stand at `at` where another character is put before it.
    pub(super) fn fillers_after_another(&self, at: usize) -> Vec<Class> {
        let before = self.unseen.class_before(at.saturating_sub(1));
        let (after, header) = (self.unseen.class_at(at + 1), self.query.header);
        let may_stand =
            |&class: &Class| header.digrams.seen(class, after) && header.digrams.may_fill(before, class);
        self.other_letters(at, header.alphabet.classes().filter(may_stand))
    }

    /// What may stand at `at` where a character is put in somewhere, perhaps beside it.
    pub(super) fn fillers_beside(&self, at: usize) -> Vec<Class> {
        let (before, after) = (self.unseen.class_before(at), self.unseen.class_at(at + 1));
        let header = self.query.header;
        let may_stand =
            |&class: &Class| header.digrams.seen(before, class) || header.digrams.seen(class, after);
        self.other_letters(at, header.alphabet.classes().filter(may_stand))
    }

    /// What may be put in at `gap` where another character is put in before it.
    pub(super) fn fillers_before(&self, gap: usize) -> Vec<Class> {
        let (after, header) = (self.unseen.class_at(gap), self.query.header);
        let may_stand = |&class: &Class| header.digrams.seen(class, after);
        header.alphabet.classes().filter(may_stand).filter(|&class| self.is_letter(class)).collect()
    }

    /// Those that are letters, but for the one that stands there.
    fn other_letters(&self, at: usize, classes: impl Iterator<Item = Class>) -> Vec<Class> {
        let here = self.unseen.class_at(at);
        classes.filter(|&class| class != here && self.is_letter(class)).collect()
    }

    fn is_letter(&self, class: Class) -> bool {
        self.query.header.alphabet.symbol_of(class).is_some_and(is_letter)
    }

    /// Asks the opened string in the scratch, with each of the fillers, of the deletion layer at the places
    /// for it; what is there is completed by the second of the edits, an insertion at that very place.
    pub(super) fn ask(
        &mut self,
        fillers: &[Class],
        edits: [Edit; 2],
        places: &mut dyn FnMut(Class) -> Range<usize>,
        found: &mut FarVisitor<'_>,
    ) -> Result<(), FilterError> {
        let (string, at) = self.scratch.with_null();
        let hole = self.query.header.key.hole(string, at);
        for some in fillers.chunks(BATCH) {
            let mut hashes = [0; BATCH];
            for (hash, &class) in hashes.iter_mut().zip(some) {
                *hash = self.query.hash_filled(hole.as_ref(), class, &mut self.scratch);
                self.query.pages.fetch_ahead(*hash);
            }
            for (&hash, &class) in hashes.iter().zip(some) {
                let page = self.query.pages.page(self.query.page_of(hash))?;
                for place in places(class) {
                    let Some(layer) = Layer::deletion(place) else { continue };
                    if page::test(page, hash, self.query.header.probes(layer)) {
                        self.complete(edits, class, place, found)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Completes a deletion that was found at `place`.
    #[cold]
    fn complete(
        &mut self,
        [first, second]: [Edit; 2],
        class: Class,
        place: usize,
        found: &mut FarVisitor<'_>,
    ) -> Result<(), FilterError> {
        let query = self.query;
        first.open(query.word, &mut self.completed);
        let base = &mut self.base;
        if base.assign_encoded(query.filled(class, &mut self.completed)).is_err() {
            return Ok(());
        }
        let (second, after) = match second {
            Edit::Insert { .. } => (Edit::Insert { at: place }, place),
            _ => (Edit::Replace { at: place }, place + 1),
        };
        let class_of = |at| base.symbol(at).map(|symbol| query.header.alphabet.class_of(symbol));
        let before = place.checked_sub(1).and_then(class_of).unwrap_or_default();
        let after = class_of(after).unwrap_or_default();
        let except = if let Edit::Replace { at } = second { class_of(at) } else { None };
        second.open(base, &mut self.completed);
        let (string, at) = self.completed.with_null();
        let hole = query.header.key.hole(string, at);
        let probes = query.header.probes(Layer::Word);
        let fillers = query.header.digrams.between(before, after, &query.header.alphabet);
        let is_letter = |class: &Class| query.header.alphabet.symbol_of(*class).is_some_and(is_letter);
        let mut words = Vec::new();
        for filler in fillers.filter(|&filler| Some(filler) != except).filter(is_letter) {
            let hash = query.hash_filled(hole.as_ref(), filler, &mut self.completed);
            if page::test(query.pages.page(query.page_of(hash))?, hash, probes) {
                words.extend(Word::from_encoded(query.filled(filler, &mut self.completed)));
            }
        }
        words.into_iter().try_for_each(|word| self.confirm([first, second], word, found))
    }
}
