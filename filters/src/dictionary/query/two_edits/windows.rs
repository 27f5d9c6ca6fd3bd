//! Which rows of four characters of a candidate no long word has, and which ones an edit touches.

use zeroize::Zeroize;

use crate::{
    dictionary::MOST_FAR_CANDIDATE,
    quads::{END, Quads, WINDOW, number_of},
    word::Word,
};

/// The most characters of a word that is found, and its two ends.
const MOST_NUMBERS: usize = MOST_FAR_CANDIDATE + 4;

/// A set of windows: bit *s* is the one that begins at the character *s* − 1, where the beginning of the word
/// counts as a character.
pub(super) type Set = u32;

/// A word's characters between its two ends, as numbers of the table.
#[derive(Clone)]
pub(super) struct Numbers {
    numbers: [u32; MOST_NUMBERS],
    /// Characters and ends.
    length: usize,
}

impl Numbers {
    /// None for a word of more characters than any that is found.
    pub(super) fn of(word: &Word) -> Option<Numbers> {
        let mut numbers = [END; MOST_NUMBERS];
        let length = word.len() + 2;
        let inner = numbers.get_mut(1..length - 1).filter(|_| length <= MOST_NUMBERS)?;
        inner.iter_mut().zip(word.symbols()).for_each(|(number, symbol)| *number = number_of(symbol));
        Some(Numbers { numbers, length })
    }

    /// The number of characters.
    pub(super) fn len(&self) -> usize {
        self.length - 2
    }

    /// The number of the character at `at`.
    pub(super) fn at(&self, at: usize) -> u32 {
        self.numbers.get(at + 1).copied().unwrap_or(END)
    }

    /// True when the character at `at` is the same as the one before.
    pub(super) fn repeats(&self, at: usize) -> bool {
        at > 0 && self.at(at) == self.at(at - 1)
    }

    /// Replaces the character at `at`.
    pub(super) fn replace(&mut self, at: usize, number: u32) {
        if let Some(place) = self.numbers.get_mut(at + 1) {
            *place = number;
        }
    }

    /// Without the character at `at`.
    pub(super) fn less(&self, at: usize) -> Numbers {
        let mut shorter = self.clone();
        shorter.numbers.copy_within(at + 2.., at + 1);
        shorter.length -= 1;
        shorter
    }

    /// With a character more at `at`, which is to be replaced.
    pub(super) fn with_gap(&self, at: usize) -> Numbers {
        let mut longer = self.clone();
        longer.numbers.copy_within(at + 1..MOST_NUMBERS - 1, at + 2);
        longer.length += 1;
        longer
    }

    /// All windows.
    pub(super) fn all(&self) -> Set {
        (1 << (self.length + 1).saturating_sub(WINDOW)) - 1
    }

    /// The windows that have the character `at`.
    pub(super) fn over(&self, at: usize) -> Set {
        (0b1111 << (at + 1) >> 3) & self.all()
    }

    /// The windows that have the characters before and behind the gap `at`.
    pub(super) fn across(&self, at: usize) -> Set {
        (0b111 << at >> 2) & self.all()
    }

    /// Those of the windows that long words may have.
    pub(super) fn seen(&self, quads: &Quads, windows: Set) -> Set {
        let (mut seen, mut left) = (0, windows);
        while left != 0 {
            let start = left.trailing_zeros() as usize;
            let four = self.numbers.get(start..).and_then(<[u32]>::first_chunk);
            seen |= Set::from(four.is_some_and(|&four| quads.may_have(four))) << start;
            left &= left - 1;
        }
        seen
    }

    /// Those of the windows that no long word has.
    pub(super) fn unseen(&self, quads: &Quads, windows: Set) -> Set {
        windows & !self.seen(quads, windows)
    }
}

impl Drop for Numbers {
    fn drop(&mut self) {
        self.numbers.zeroize();
    }
}
