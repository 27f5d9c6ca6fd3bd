//! Finds the parts of a candidate that are words.

use std::ops::Range;

use super::{Buffers, Query, completions::WARM_BATCH};
use crate::{
    alphabet::{BOUNDARY, Class},
    dictionary::FilterError,
    format::SchemeId,
    storage::Bytes,
};

impl<D: Bytes> Query<'_, D> {
    /// Calls `found` with the index of each part that is a word.
    pub(in crate::dictionary) fn run_parts(
        &self,
        parts: &[Range<usize>],
        buffers: &mut Buffers,
        found: &mut dyn FnMut(usize),
    ) -> Result<(), FilterError> {
        let Buffers { hashes, pages, fillers: classes, .. } = buffers;
        hashes.clear();
        pages.clear();
        if self.header.scheme == SchemeId::Paper {
            return Ok(());
        }
        classes.clear();
        let alphabet = &self.header.alphabet;
        if self.word.is_bytewise() {
            classes.extend(self.word.as_bytes().iter().map(|&byte| alphabet.class_of_ascii(byte)));
        } else {
            classes.extend(self.word.symbols().map(|symbol| alphabet.class_of(symbol)));
        }
        hashes.reserve(parts.len());
        let unseen = self.unseen_before(classes);
        let mut looked_up = Vec::with_capacity(parts.len());
        let may_be_word = |(_, part): &(usize, &Range<usize>)| self.may_be_word(classes, &unseen, part);
        for (number, part) in parts.iter().enumerate().filter(may_be_word) {
            let hash = self.hash(self.word.slice(part.clone()));
            if !self.pages.fetch_ahead(hash) {
                pages.push(self.page_of(hash));
            }
            hashes.push(hash);
            looked_up.push(number);
        }
        self.pages.prepare(pages)?;
        for (hashes, numbers) in hashes.chunks(WARM_BATCH).zip(looked_up.chunks(WARM_BATCH)) {
            self.ask_ready(hashes, &mut |at| {
                numbers.get(at).copied().into_iter().for_each(&mut *found);
                false
            })?;
        }
        Ok(())
    }

    /// For each character, the number of pairs up to it that occur in no word; the first entry is for no
    /// pair.
    fn unseen_before(&self, classes: &[Class]) -> Vec<u16> {
        let pairs = classes.iter().zip(classes.iter().skip(1));
        let unseen = pairs.map(|(&first, &second)| u16::from(!self.header.digrams.seen(first, second)));
        let sums = unseen.scan(0, |sum, unseen| {
            *sum += unseen;
            Some(*sum)
        });
        std::iter::once(0).chain(sums).collect()
    }

    /// False if this part of the candidate is certainly not a word: it has a length or a pair of characters
    /// that no word has.
    fn may_be_word(&self, classes: &[Class], unseen: &[u16], part: &Range<usize>) -> bool {
        let (shortest, longest) = self.header.lengths;
        let is_length = (usize::from(shortest)..=usize::from(longest)).contains(&part.len());
        let ends = |all: &[Class]| Some((*all.first()?, *all.last()?));
        let sums = |all: &[u16]| Some((*all.first()?, *all.last()?));
        let Some((first, last)) = classes.get(part.clone()).filter(|_| is_length).and_then(ends) else {
            return false;
        };
        let all_are_seen = unseen.get(part.clone()).and_then(sums).is_some_and(|(first, last)| first == last);
        let seen = |first: Class, second: Class| self.header.digrams.seen(first, second);
        all_are_seen && seen(BOUNDARY, first) && seen(last, BOUNDARY)
    }
}
