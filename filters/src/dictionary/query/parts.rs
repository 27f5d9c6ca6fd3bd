//! Which parts of a candidate are words.

use std::ops::Range;

use super::{Buffers, Query};
use crate::{
    alphabet::{BOUNDARY, Class},
    dictionary::FilterError,
    format::SchemeId,
    page::Layer,
    storage::Bytes,
};

impl<D: Bytes> Query<'_, D> {
    /// Calls `found` with the number of each part that is a word.
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
        classes.extend(self.word.symbols().map(|symbol| self.header.alphabet.class_of(symbol)));
        let mut asked = Vec::with_capacity(parts.len());
        for (number, part) in parts.iter().enumerate().filter(|(_, part)| self.may_be_word(classes, part)) {
            let hash = self.hash(self.word.slice(part.clone()));
            if !self.pages.fetch_ahead(hash) {
                pages.push(self.page_of(hash));
            }
            hashes.push(hash);
            asked.push(number);
        }
        self.pages.prepare(pages)?;
        for (&hash, number) in hashes.iter().zip(asked) {
            if self.test(hash, Layer::Word)? {
                found(number);
            }
        }
        Ok(())
    }

    /// False when surely no word is this part of the candidate: it has a length or a pair of characters that
    /// no word has.
    fn may_be_word(&self, classes: &[Class], part: &Range<usize>) -> bool {
        let (shortest, longest) = self.header.lengths;
        let is_length = (usize::from(shortest)..=usize::from(longest)).contains(&part.len());
        let inner = classes.get(part.clone()).filter(|_| is_length);
        let Some((inner, &first, &last)) = inner.and_then(|all| Some((all, all.first()?, all.last()?)))
        else {
            return false;
        };
        let seen = |first: Class, second: Class| self.header.digrams.seen(first, second);
        let ends_are_seen = seen(BOUNDARY, first) && seen(last, BOUNDARY);
        ends_are_seen && inner.iter().zip(inner.iter().skip(1)).all(|(&first, &second)| seen(first, second))
    }
}
