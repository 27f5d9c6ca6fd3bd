//! The strings that a lookup at distance 2 asks for, and what is made of those that are there.

use zeroize::Zeroize;

use super::{
    FarVisitor, Letter, TwoEdits,
    windows::{Numbers, Set},
};
use crate::{
    alphabet::Class,
    dictionary::{Edit, Far, FilterError},
    neighbours::Scratch,
    page::{self, Layer},
    storage::Bytes,
    word::Word,
};

/// Questions that wait to be asked together: their pages are made ready together.
const BATCH: usize = 2048;

/// A string made of the candidate by two edits, all but the character that the second of them puts in.
#[derive(Clone, Copy)]
pub(super) struct Question {
    pub(super) hash: u64,
    pub(super) first: Edit,
    /// The character that the first edit puts in.
    pub(super) class: Class,
    /// The second edit: what it does, at the first of its places.
    pub(super) second: Edit,
    /// The places of the second edit.
    pub(super) places: u32,
}

/// A word that may be, made by two edits.
#[derive(Clone, Copy)]
struct Completion {
    hash: u64,
    question: usize,
    second: Edit,
    class: Class,
}

/// What waits to be asked.
#[derive(Default)]
pub(super) struct Waiting {
    questions: Vec<Question>,
    completions: Vec<Completion>,
    pages: Vec<u64>,
}

impl Waiting {
    fn wipe(&mut self) {
        self.questions.iter_mut().for_each(|one| {
            one.hash.zeroize();
            one.class.zeroize();
        });
        self.completions.iter_mut().for_each(|one| {
            one.hash.zeroize();
            one.class.zeroize();
        });
        self.questions.clear();
        self.completions.clear();
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.wipe();
    }
}

impl<D: Bytes> TwoEdits<'_, D> {
    /// Takes a question, to be asked with others.
    pub(super) fn push(&mut self, question: Question, found: &mut FarVisitor<'_>) -> Result<(), FilterError> {
        self.query.pages.fetch_ahead(question.hash);
        self.waiting.questions.push(question);
        if self.waiting.questions.len() < BATCH { Ok(()) } else { self.ask_all(found) }
    }

    /// Asks all that wait: the questions first, then all that is proposed.
    pub(super) fn ask_all(&mut self, found: &mut FarVisitor<'_>) -> Result<(), FilterError> {
        let pages = self.query.pages;
        let Waiting { questions, pages: indices, .. } = &mut self.waiting;
        indices.extend(questions.iter().map(|one| self.query.page_of(one.hash)));
        pages.prepare(indices)?;
        for number in 0..self.waiting.questions.len() {
            let Some(&question) = self.waiting.questions.get(number) else { break };
            let page = pages.page(self.query.page_of(question.hash))?;
            if let Edit::Remove { .. } = question.second {
                if page::test(page, question.hash, self.query.header.probes(Layer::Word)) {
                    self.confirm(&question, question.second, None, found)?;
                }
                continue;
            }
            let bits = self.query.header.deletion_bits;
            let mut left = page::places(page, question.hash, 0, bits) & u64::from(question.places);
            while left != 0 {
                self.complete(number, &question, left.trailing_zeros() as usize);
                left &= left - 1;
            }
        }
        self.ask_completions(found)?;
        self.waiting.wipe();
        Ok(())
    }

    fn ask_completions(&mut self, found: &mut FarVisitor<'_>) -> Result<(), FilterError> {
        let pages = self.query.pages;
        let Waiting { completions, pages: indices, .. } = &mut self.waiting;
        indices.extend(completions.iter().map(|one| self.query.page_of(one.hash)));
        pages.prepare(indices)?;
        for at in 0..self.waiting.completions.len() {
            let Some(&Completion { hash, question, second, class }) = self.waiting.completions.get(at) else {
                break;
            };
            let Some(&question) = self.waiting.questions.get(question) else { break };
            if self.query.test(hash, Layer::Word)? {
                self.confirm(&question, second, Some(class), found)?;
            }
        }
        Ok(())
    }

    /// Takes the words that a deletion found at `place` may be of.
    #[cold]
    fn complete(&mut self, number: usize, question: &Question, place: usize) {
        let (second, base) = match (question.second, self.base(question)) {
            (Edit::Insert { .. }, Some(base)) => (Edit::Insert { at: place }, base),
            (_, Some(base)) => (Edit::Replace { at: place }, base),
            _ => return,
        };
        let Some(mut numbers) = Numbers::of(&base) else { return };
        let except = if let Edit::Insert { .. } = second { None } else { Some(numbers.at(place)) };
        if except.is_none() {
            numbers = numbers.with_gap(place);
        }
        let windows = numbers.over(place);
        second.open(&base, &mut self.completed);
        let (string, at) = self.completed.with_null();
        let hole = self.query.header.key.hole(string, at);
        for &Letter { class, number: letter } in &self.letters {
            numbers.replace(place, letter);
            if Some(letter) != except && numbers.unseen(&self.query.header.quads, windows) == 0 {
                let hash = self.query.hash_filled(hole.as_ref(), class, &mut self.completed);
                self.query.pages.fetch_ahead(hash);
                self.waiting.completions.push(Completion { hash, question: number, second, class });
            }
        }
    }

    /// The candidate after the first edit.
    fn base(&self, question: &Question) -> Option<Word> {
        self.edited(self.query.word, question.first, Some(question.class))
    }

    fn edited(&self, word: &Word, edit: Edit, class: Option<Class>) -> Option<Word> {
        let mut scratch = Scratch::default();
        edit.open(word, &mut scratch);
        let string = match (edit, class) {
            (Edit::Remove { at }, _) => scratch.spliced(word, at, at + 1, &[]),
            (_, Some(class)) => self.query.filled(class, &mut scratch),
            _ => return None,
        };
        Word::from_encoded(string).ok()
    }

    /// Reports a word that was found, if all its deletions are there.
    #[cold]
    fn confirm(
        &self,
        question: &Question,
        second: Edit,
        class: Option<Class>,
        found: &mut FarVisitor<'_>,
    ) -> Result<(), FilterError> {
        let Some(word) = self.base(question).and_then(|base| self.edited(&base, second, class)) else {
            return Ok(());
        };
        let (mut scratch, mut is_confirmed) = (Scratch::default(), Ok(true));
        scratch.each_deletion(&word, 0..word.len(), |at, string| {
            let Some(layer) = Layer::deletion(at) else { return };
            if matches!(is_confirmed, Ok(true)) {
                is_confirmed = self.query.test(self.query.hash(string), layer);
            }
        });
        if is_confirmed? {
            found(Far { edits: [question.first, second], word });
        }
        Ok(())
    }

    /// The places of a set of gaps, as places of the second edit.
    pub(super) fn gaps(numbers: &Numbers, mut is_possible: impl FnMut(Set) -> bool) -> u32 {
        (0..=numbers.len())
            .filter(|&gap| is_possible(numbers.across(gap)))
            .fold(0, |places, gap| places | 1 << gap)
    }
}
