//! A candidate as the numbers of its characters in the table of 4-grams: its edits, the 4-grams that occur in
//! no long word, and its hashes with many letters at one position; and the queue of strings to probe.

use zeroize::Zeroize;

use crate::{
    dictionary::Edit,
    four_grams::{END, FourGrams, GRAM, NO_LETTER, number_of},
    hash::{Hole, Key},
    word::{MAX_SYMBOL_BYTES, Symbol, Word},
};

/// The length of the longest candidate that is looked up at distance 2.
pub const MAX_DISTANCE_2_CANDIDATE: usize = 16;

/// The length of the longest word that is found, with its two ends.
const MAX_NUMBERS: usize = MAX_DISTANCE_2_CANDIDATE + 4;

/// The length of the longest string that is probed, in bytes.
pub(super) const MAX_BYTES: usize = MAX_NUMBERS * MAX_SYMBOL_BYTES;

/// A set of numbers below 32: of positions, of gaps, or of 4-grams by their first position, counting the
/// beginning of the word as a character.
pub(super) type Bits = u32;

/// A word's characters between its two ends, as numbers of the table.
#[derive(Clone)]
pub(super) struct ClassNumbers {
    numbers: [u32; MAX_NUMBERS],
    /// The number of characters and ends.
    length: usize,
}

impl ClassNumbers {
    /// None for a word longer than any that is found.
    pub(super) fn of(word: &Word) -> Option<ClassNumbers> {
        let mut numbers = [END; MAX_NUMBERS];
        let length = word.len().saturating_add(2);
        let inner = numbers.get_mut(1..=word.len()).filter(|_| length <= MAX_NUMBERS)?;
        inner.iter_mut().zip(word.symbols()).for_each(|(number, symbol)| *number = number_of(symbol));
        Some(ClassNumbers { numbers, length })
    }

    /// The characters.
    fn inner(&self) -> &[u32] {
        self.numbers.get(1..).and_then(|numbers| numbers.get(..self.len())).unwrap_or_default()
    }

    /// The number of characters that are not letters.
    pub(super) fn strangers(&self) -> usize {
        self.inner().iter().filter(|&&number| number == NO_LETTER).count()
    }

    /// Writes the string to `bytes`. None for one with a character that is not a letter: no word has it.
    pub(super) fn encode(&self, bytes: &mut Vec<u8>) -> Option<()> {
        bytes.clear();
        for &number in self.inner() {
            let value = number.checked_sub(1)?;
            match u8::try_from(value) {
                Ok(byte) if byte.is_ascii() => bytes.push(byte),
                _ => bytes.extend_from_slice(Symbol::from_value(value)?.encode(&mut [0; MAX_SYMBOL_BYTES])),
            }
        }
        Some(())
    }

    /// The word of these letters.
    pub(super) fn word(&self) -> Option<Word> {
        let symbol = |number: &u32| number.checked_sub(1).and_then(Symbol::from_value);
        let symbols: Option<Vec<Symbol>> = self.inner().iter().map(symbol).collect();
        Word::from_symbols(symbols?).ok()
    }

    /// The string after an edit that inserts `number`.
    pub(super) fn edited(&self, edit: Edit, number: u32) -> ClassNumbers {
        match edit {
            Edit::Remove { at } => self.less(at),
            Edit::Insert { at } => self.with_gap(at).replaced(at, number),
            Edit::Replace { at } => self.clone().replaced(at, number),
            _ => self.clone(),
        }
    }

    fn replaced(mut self, at: usize, number: u32) -> ClassNumbers {
        self.replace(at, number);
        self
    }

    /// The number of characters.
    pub(super) fn len(&self) -> usize {
        self.length.saturating_sub(2)
    }

    /// The number of the character at `at`.
    pub(super) fn at(&self, at: usize) -> u32 {
        self.numbers.get(at.saturating_add(1)).copied().unwrap_or(END)
    }

    /// The numbers before and after the character at `at`.
    pub(super) fn neighbours(&self, at: usize) -> (u32, u32) {
        (self.numbers.get(at).copied().unwrap_or(END), self.at(at.saturating_add(1)))
    }

    /// True if the character at `at` equals the one before.
    pub(super) fn repeats(&self, at: usize) -> bool {
        at.checked_sub(1).is_some_and(|before| self.at(at) == self.at(before))
    }

    /// Replaces the character at `at`.
    pub(super) fn replace(&mut self, at: usize, number: u32) -> &ClassNumbers {
        if let Some(place) = self.numbers.get_mut(at.saturating_add(1)) {
            *place = number;
        }
        self
    }

    /// The string without the character at `at`.
    pub(super) fn less(&self, at: usize) -> ClassNumbers {
        let mut shorter = self.clone();
        shorter.numbers.copy_within(at + 2.., at + 1);
        shorter.length -= 1;
        shorter
    }

    /// The string with an additional character at `at`, to be replaced.
    pub(super) fn with_gap(&self, at: usize) -> ClassNumbers {
        let mut longer = self.clone();
        longer.numbers.copy_within(at + 1..MAX_NUMBERS - 1, at + 2);
        longer.length += 1;
        longer
    }

    /// All 4-grams.
    pub(super) fn all(&self) -> Bits {
        below(self.length.saturating_sub(GRAM - 1))
    }

    /// The 4-grams with the character `at`.
    pub(super) fn over(&self, at: usize) -> Bits {
        (0b1111 << (at + 1) >> 3) & self.all()
    }

    /// The 4-grams with the characters before and after the gap `at`.
    pub(super) fn across(&self, at: usize) -> Bits {
        (0b111 << at >> 2) & self.all()
    }

    /// The positions of the characters that all of these 4-grams share.
    pub(super) fn places_under(&self, grams: Bits) -> Bits {
        ClassNumbers::between(grams, 1, 2) & below(self.len())
    }

    /// The gaps that all of these 4-grams span.
    pub(super) fn gaps_under(&self, grams: Bits) -> Bits {
        ClassNumbers::between(grams, 0, 2) & below(self.len().saturating_add(1))
    }

    /// The numbers from `before` less than the last of these 4-grams to `behind` more than the first.
    fn between(grams: Bits, before: u32, behind: u32) -> Bits {
        let Some(last) = grams.checked_ilog2() else { return Bits::MAX };
        let end = grams.trailing_zeros() + behind + 1;
        ((1 << end) - 1) >> last.saturating_sub(before) << last.saturating_sub(before)
    }

    /// The 4-gram that begins at `start`.
    pub(super) fn gram(&self, start: usize) -> [u32; GRAM] {
        self.numbers.get(start..).and_then(<[u32]>::first_chunk).copied().unwrap_or([NO_LETTER; GRAM])
    }

    /// The 4-grams among these that occur in no long word.
    pub(super) fn unseen(&self, four_grams: FourGrams<'_>, grams: Bits) -> Bits {
        let is_unseen = |&start: &usize| !four_grams.may_have(self.gram(start));
        ones(grams).filter(is_unseen).fold(0, |unseen, start| unseen | 1 << start)
    }
}

/// The first `count` numbers.
pub(super) fn below(count: usize) -> Bits {
    let above = u32::try_from(count).ok().and_then(|count| Bits::MAX.checked_shl(count));
    !above.unwrap_or_default()
}

/// The numbers of the bits that are set.
pub(super) fn ones(mut bits: Bits) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        first
    })
}

impl Drop for ClassNumbers {
    fn drop(&mut self) {
        self.numbers.zeroize();
    }
}

/// The number of some letter that is one byte.
const ASCII: u32 = b'a' as u32 + 1;

/// A string with one character open, to be hashed with many letters in turn.
pub(super) struct OpenedWord<'o> {
    key: &'o Key,
    pub(super) numbers: ClassNumbers,
    at: usize,
    hole: Option<Hole>,
    bytes: &'o mut Vec<u8>,
}

impl<'o> OpenedWord<'o> {
    /// The string with its character `at` open. `None` if another character is not a letter.
    pub(super) fn new(
        key: &'o Key,
        mut numbers: ClassNumbers,
        at: usize,
        bytes: &'o mut Vec<u8>,
    ) -> Option<OpenedWord<'o>> {
        numbers.replace(at, ASCII);
        numbers.encode(bytes)?;
        // With a letter of several bytes the open position is not the byte `at`: the whole string is hashed.
        let hole = if bytes.len() == numbers.len() { key.hole(bytes, at) } else { None };
        Some(OpenedWord { key, numbers, at, hole, bytes })
    }

    /// The hash of the string with this letter.
    pub(super) fn hash(&mut self, letter: u32) -> u64 {
        match (&self.hole, u8::try_from(letter.wrapping_sub(1))) {
            (Some(hole), Ok(byte)) if byte.is_ascii() => hole.hash(byte),
            _ => {
                self.numbers.replace(self.at, letter);
                // All are letters: the string was encoded before.
                let _ = self.numbers.encode(self.bytes);
                self.key.hash(self.bytes)
            }
        }
    }
}

/// The initial capacity for questions: more than most candidates have.
const SOME: usize = 64;

/// The candidate after two edits, without the character that the second one inserts.
#[derive(Clone, Copy)]
pub(super) struct DeletionQuery {
    pub(super) hash: u64,
    pub(super) first: Edit,
    /// The letter that the first edit inserts.
    pub(super) letter: u32,
    /// The second edit, at the first of its positions.
    pub(super) second: Edit,
    /// The positions of the second edit.
    pub(super) places: Bits,
}

/// A possible word, the result of two edits.
#[derive(Clone, Copy)]
pub(super) struct LongCompletion {
    pub(super) hash: u64,
    /// The question's index in the queue.
    pub(super) question: usize,
    pub(super) second: Edit,
    pub(super) letter: u32,
}

/// The queue of strings to probe.
pub(super) struct QueuedHashes {
    pub(super) questions: Vec<DeletionQuery>,
    /// True if the pages of all questions are ready.
    pub(super) are_ready: bool,
    pub(super) completions: Vec<LongCompletion>,
    /// Indices of pages, while they are prepared.
    pub(super) pages: Vec<u64>,
}

impl QueuedHashes {
    pub(super) fn new() -> QueuedHashes {
        let (questions, completions) = (Vec::with_capacity(SOME), Vec::with_capacity(SOME));
        QueuedHashes { questions, are_ready: true, completions, pages: Vec::new() }
    }

    pub(super) fn wipe(&mut self) {
        self.questions.iter_mut().for_each(|one| {
            one.hash.zeroize();
            one.letter.zeroize();
        });
        self.questions.clear();
        self.are_ready = true;
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

impl Drop for QueuedHashes {
    fn drop(&mut self) {
        self.wipe();
    }
}
