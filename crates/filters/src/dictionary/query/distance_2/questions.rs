//! The strings that a lookup at distance 2 probes, and the completion of the matches.

use super::{
    TwoEdits, Visitor,
    strings::{DeletionQuery, LongCompletion, OpenedWord, QueuedHashes, ones},
};
use crate::{
    dictionary::{Distance2, Edit, FilterError},
    digrams::PairFit,
    neighbours::Scratch,
    page::{self, Layer},
    storage::Bytes,
};

/// The number of questions, and of completions, that are queued and whose pages are prepared together. Few
/// enough that the queue fits into the memory that is ready before a check (`site::rehearsal`).
const BATCH: usize = 64;

impl<D: Bytes> TwoEdits<'_, D> {
    /// Queues a question.
    pub(super) fn push(
        &mut self,
        question: DeletionQuery,
        found: &mut Visitor<'_>,
    ) -> Result<(), FilterError> {
        self.waiting.are_ready &= self.query.pages.fetch_ahead(question.hash);
        self.waiting.questions.push(question);
        if self.waiting.questions.len() < BATCH { Ok(()) } else { self.ask_all(found) }
    }

    /// Probes the queue: the questions first, then their completions.
    pub(super) fn ask_all(&mut self, found: &mut Visitor<'_>) -> Result<(), FilterError> {
        let pages = self.query.pages;
        let QueuedHashes { questions, pages: indices, are_ready, .. } = &mut self.waiting;
        if !*are_ready {
            indices.extend(questions.iter().map(|one| self.query.page_of(one.hash)));
            pages.prepare(indices)?;
        }
        for number in 0..self.waiting.questions.len() {
            let Some(&question) = self.waiting.questions.get(number) else { break };
            let page = pages.page(self.query.page_of(question.hash))?;
            if let Edit::Remove { .. } = question.second {
                if page::test(page, question.hash, self.query.header.probes(Layer::Word)) {
                    self.confirm(&question, question.second, 0, found)?;
                }
                continue;
            }
            let deletion = self.query.header.probes(Layer::Deletion { at: 0 });
            let places = page::places(page, question.hash, 0, deletion) & u64::from(question.places);
            ones(u32::try_from(places).unwrap_or(0))
                .for_each(|place| self.complete(number, &question, place));
            if self.waiting.completions.len() >= BATCH {
                self.ask_completions(found)?;
            }
        }
        self.ask_completions(found)?;
        self.waiting.wipe();
        Ok(())
    }

    fn ask_completions(&mut self, found: &mut Visitor<'_>) -> Result<(), FilterError> {
        let pages = self.query.pages;
        let QueuedHashes { completions, pages: indices, .. } = &mut self.waiting;
        indices.extend(completions.iter().map(|one| self.query.page_of(one.hash)));
        pages.prepare(indices)?;
        for at in 0..self.waiting.completions.len() {
            let Some(&LongCompletion { hash, question, second, letter }) = self.waiting.completions.get(at)
            else {
                break;
            };
            let Some(&question) = self.waiting.questions.get(question) else { break };
            if self.query.test(hash, Layer::Word)? {
                self.confirm(&question, second, letter, found)?;
            }
        }
        self.waiting.wipe_completions();
        Ok(())
    }

    /// Queues the words that may have the deletion found at `place`.
    #[cold]
    fn complete(&mut self, number: usize, question: &DeletionQuery, place: usize) {
        let base = self.numbers.edited(question.first, question.letter);
        let is_insertion = matches!(question.second, Edit::Insert { .. });
        let (second, except) = if is_insertion {
            (Edit::Insert { at: place }, 0)
        } else {
            (Edit::Replace { at: place }, base.at(place))
        };
        let longer = base.edited(second, 0);
        let fillers = self.fillers(&longer, place, PairFit::Both, except);
        let Some(mut opened) = OpenedWord::new(&self.query.header.key, longer, place, &mut self.bytes) else {
            return;
        };
        for (letter, _) in fillers {
            let hash = opened.hash(letter);
            self.query.pages.fetch_ahead(hash);
            self.waiting.completions.push(LongCompletion { hash, question: number, second, letter });
        }
    }

    /// Reports a word that was found, if all its deletions are stored.
    #[cold]
    fn confirm(
        &self,
        question: &DeletionQuery,
        second: Edit,
        letter: u32,
        found: &mut Visitor<'_>,
    ) -> Result<(), FilterError> {
        let edited = self.numbers.edited(question.first, question.letter).edited(second, letter);
        let Some(word) = edited.word() else { return Ok(()) };
        let (mut scratch, mut is_confirmed) = (Scratch::default(), Ok(true));
        scratch.each_deletion(&word, 0..word.len(), |at, string| {
            let Some(layer) = Layer::deletion(at) else { return };
            if matches!(is_confirmed, Ok(true)) {
                is_confirmed = self.query.test(self.query.hash(string), layer);
            }
        });
        if is_confirmed? {
            found(Distance2 { edits: [question.first, second], word });
        }
        Ok(())
    }
}
