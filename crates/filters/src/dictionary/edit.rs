//! The result of a lookup: a dictionary word, and the edit between it and the candidate.

use crate::{neighbours::Scratch, word::Word};

/// The edit that turns a candidate into the dictionary word found. Positions are characters from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// None: the candidate is the word.
    None,
    /// The character at `at` is one too many.
    Remove {
        /// Position of the character.
        at: usize,
    },
    /// The character at `at` differs.
    Replace {
        /// Position of the character.
        at: usize,
    },
    /// A character is missing before `at`.
    Insert {
        /// Position before which it belongs.
        at: usize,
    },
    /// The characters at `at` and `at + 1` are swapped.
    Swap {
        /// Position of the first of them.
        at: usize,
    },
    /// There is one, but the paper's scheme does not reveal it.
    Unknown,
}

impl Edit {
    /// Opens the candidate at the position where this edit inserts a character.
    #[allow(clippy::arithmetic_side_effects, reason = "a position in a word")]
    pub(super) fn open(self, word: &Word, scratch: &mut Scratch) {
        match self {
            Edit::Insert { at } => scratch.open(word, at, at),
            Edit::Replace { at } | Edit::Remove { at } => scratch.open(word, at, at + 1),
            Edit::None | Edit::Swap { .. } | Edit::Unknown => scratch.open(word, 0, 0),
        }
    }
}

/// A dictionary word found.
#[derive(Clone)]
pub struct Found {
    /// The edit between it and the candidate.
    pub edit: Edit,
    /// The word, if the scheme can name it.
    pub word: Option<Word>,
}

/// A dictionary word found at distance 2.
#[derive(Clone)]
pub struct Distance2 {
    /// The two edits that turn the candidate into it, the second applied to the result of the first.
    pub edits: [Edit; 2],
    /// The word.
    pub word: Word,
}

impl Found {
    pub(super) fn member(word: &Word) -> Found {
        Found { edit: Edit::None, word: Some(word.clone()) }
    }

    pub(super) fn unnamed() -> Found {
        Found { edit: Edit::Unknown, word: None }
    }

    pub(super) fn named(edit: Edit, string: &[u8]) -> Found {
        Found { edit, word: Word::from_encoded(string).ok() }
    }
}
