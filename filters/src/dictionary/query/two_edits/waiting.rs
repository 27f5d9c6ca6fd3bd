//! What a lookup at distance 2 has still to ask.

use zeroize::Zeroize;

use crate::dictionary::Edit;

/// Questions that there is room for at first: more than most candidates have.
const SOME: usize = 64;

/// A string made of the candidate by two edits, all but the character that the second of them puts in.
#[derive(Clone, Copy)]
pub(super) struct Question {
    pub(super) hash: u64,
    pub(super) first: Edit,
    /// The letter that the first edit puts in.
    pub(super) letter: u32,
    /// The second edit: what it does, at the first of its places.
    pub(super) second: Edit,
    /// The places of the second edit.
    pub(super) places: u32,
}

/// A word that may be, made by two edits.
#[derive(Clone, Copy)]
pub(super) struct Completion {
    pub(super) hash: u64,
    /// The question's number among those that wait.
    pub(super) question: usize,
    pub(super) second: Edit,
    pub(super) letter: u32,
}

/// What waits to be asked.
pub(super) struct Waiting {
    pub(super) questions: Vec<Question>,
    pub(super) completions: Vec<Completion>,
    /// Indices of pages, while these are made ready.
    pub(super) pages: Vec<u64>,
}

impl Waiting {
    pub(super) fn new() -> Waiting {
        let (questions, completions) = (Vec::with_capacity(SOME), Vec::with_capacity(SOME));
        Waiting { questions, completions, pages: Vec::new() }
    }

    pub(super) fn wipe(&mut self) {
        self.questions.iter_mut().for_each(|one| {
            one.hash.zeroize();
            one.letter.zeroize();
        });
        self.questions.clear();
        self.wipe_completions();
    }

    pub(super) fn wipe_completions(&mut self) {
        self.completions.iter_mut().for_each(|one| {
            one.hash.zeroize();
            one.letter.zeroize();
        });
        self.completions.clear();
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.wipe();
    }
}
