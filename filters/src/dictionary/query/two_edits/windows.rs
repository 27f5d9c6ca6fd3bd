//! A candidate as numbers of the table of fours, what edits make of it, and which of its rows of four no long
//! word has.

use zeroize::Zeroize;

use crate::{
    dictionary::Edit,
    quads::{END, NO_LETTER, OpenFour, Quads, WINDOW, number_of},
    word::{MAX_SYMBOL_BYTES, Symbol, Word},
};

/// The most characters of a candidate of which words at distance 2 are looked for.
pub const MAX_FAR_CANDIDATE: usize = 16;

/// The most characters of a word that is found, and its two ends.
const MAX_NUMBERS: usize = MAX_FAR_CANDIDATE + 4;

/// The most bytes of a string that is asked.
pub(super) const MAX_BYTES: usize = MAX_NUMBERS * MAX_SYMBOL_BYTES;

/// A set of windows: bit *s* is the one that begins at the character *s* − 1, where the beginning of the word
/// counts as a character.
pub(super) type Set = u32;

/// A word's characters between its two ends, as numbers of the table.
#[derive(Clone)]
pub(super) struct Numbers {
    numbers: [u32; MAX_NUMBERS],
    /// Characters and ends.
    length: usize,
}

impl Numbers {
    /// None for a word of more characters than any that is found.
    pub(super) fn of(word: &Word) -> Option<Numbers> {
        let mut numbers = [END; MAX_NUMBERS];
        let length = word.len() + 2;
        let inner = numbers.get_mut(1..length - 1).filter(|_| length <= MAX_NUMBERS)?;
        inner.iter_mut().zip(word.symbols()).for_each(|(number, symbol)| *number = number_of(symbol));
        Some(Numbers { numbers, length })
    }

    /// The characters.
    fn inner(&self) -> &[u32] {
        self.numbers.get(1..self.length - 1).unwrap_or_default()
    }

    /// How many of the characters are no letters.
    pub(super) fn strangers(&self) -> usize {
        self.inner().iter().filter(|&&number| number == NO_LETTER).count()
    }

    /// Writes the string to `bytes`. None for one with a character that is no letter: no word has it.
    pub(super) fn encode(&self, bytes: &mut Vec<u8>) -> Option<()> {
        bytes.clear();
        for &number in self.inner() {
            let symbol = number.checked_sub(1).and_then(Symbol::from_value)?;
            match symbol.ascii() {
                Some(byte) => bytes.push(byte),
                None => bytes.extend_from_slice(symbol.encode(&mut [0; MAX_SYMBOL_BYTES])),
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

    /// After an edit that puts in `number`.
    pub(super) fn edited(&self, edit: Edit, number: u32) -> Numbers {
        match edit {
            Edit::Remove { at } => self.less(at),
            Edit::Insert { at } => self.with_gap(at).replaced(at, number),
            Edit::Replace { at } => self.clone().replaced(at, number),
            _ => self.clone(),
        }
    }

    fn replaced(mut self, at: usize, number: u32) -> Numbers {
        self.replace(at, number);
        self
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
    pub(super) fn replace(&mut self, at: usize, number: u32) -> &Numbers {
        if let Some(place) = self.numbers.get_mut(at + 1) {
            *place = number;
        }
        self
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
        longer.numbers.copy_within(at + 1..MAX_NUMBERS - 1, at + 2);
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

    /// The characters that all of these windows have, a bit each.
    pub(super) fn places_under(&self, windows: Set) -> u32 {
        Numbers::between(windows, 1, 2) & ((1 << self.len()) - 1)
    }

    /// The gaps that all of these windows span, a bit each.
    pub(super) fn gaps_under(&self, windows: Set) -> u32 {
        Numbers::between(windows, 0, 2) & ((2 << self.len()) - 1)
    }

    /// Bits from `before` less than the last window to `behind` more than the first.
    fn between(windows: Set, before: u32, behind: u32) -> u32 {
        let Some(last) = windows.checked_ilog2() else { return u32::MAX };
        let end = windows.trailing_zeros() + behind + 1;
        ((1 << end) - 1) >> last.saturating_sub(before) << last.saturating_sub(before)
    }

    fn four(&self, start: usize) -> [u32; WINDOW] {
        self.numbers.get(start..).and_then(<[u32]>::first_chunk).copied().unwrap_or([NO_LETTER; WINDOW])
    }

    /// Those of the windows that no long word has.
    pub(super) fn unseen(&self, quads: Quads<'_>, windows: Set) -> Set {
        let is_unseen = |&start: &usize| !quads.may_have(self.four(start));
        ones(windows).filter(is_unseen).fold(0, |unseen, start| unseen | 1 << start)
    }

    /// What may stand at `at`: each of the letters, with those of the windows over it that it leaves seen.
    pub(super) fn fillers(&self, quads: Quads<'_>, at: usize, letters: impl Iterator<Item = u32>) -> Fillers {
        let open = |start: usize| OpenFour::new(self.four(start), at + 1 - start);
        let mut windows = [(0, None); WINDOW];
        let over = ones(self.over(at));
        windows.iter_mut().zip(over).for_each(|(window, start)| *window = (start, open(start)));
        let is_seen =
            |four: Option<OpenFour>, letter| four.is_some_and(|four| quads.may_have_with(four, letter));
        let seen = |letter| {
            let bit = |&(start, four): &(usize, _)| Set::from(is_seen(four, letter)) << start;
            (letter, windows.iter().map(bit).fold(0, |all, bit| all | bit))
        };
        let mut fillers = Vec::with_capacity(letters.size_hint().1.unwrap_or(0));
        fillers.extend(letters.map(seen));
        fillers
    }
}

/// What may stand at a place: each letter, with those of the windows over the place that it leaves seen.
pub(super) type Fillers = Vec<(u32, Set)>;

/// The numbers of the bits that are set.
pub(super) fn ones(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        first
    })
}

impl Drop for Numbers {
    fn drop(&mut self) {
        self.numbers.zeroize();
    }
}

/// The letters for which the windows `need` are seen.
pub(super) fn letters_with(fillers: &Fillers, need: Set) -> impl Iterator<Item = u32> + Clone {
    fillers.iter().filter(move |(_, seen)| need & !seen == 0).map(|&(letter, _)| letter)
}
