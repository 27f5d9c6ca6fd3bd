//! A password or dictionary entry as cleaned characters.
//!
//! Cleaning is NFKC and lower case over Unicode scalar values, locale-free. Bytes that are not UTF-8 are
//! separate symbols, so that two passwords that only differ in them still differ. The bytes that are hashed
//! are an injective encoding of the symbols: UTF-8 for scalar values, `FF b` for a byte `b` that is not
//! UTF-8, and `FE` for the don't-care symbol of the paper's scheme; neither `FE` nor `FF` ever begins a UTF-8
//! sequence.
//!
//! A [`Word`] may be a secret: it is wiped when dropped or reused, and has no `Debug`.

#![allow(clippy::arithmetic_side_effects, reason = "positions in a word of at most 256 characters")]

mod plain;
mod symbol;

use std::{error::Error, fmt, ops::Range};

pub(crate) use plain::each_plain_form;
pub use plain::{spelt, without_accents};
pub(crate) use symbol::MAX_SYMBOL_BYTES;
pub use symbol::Symbol;

use unicode_normalization::UnicodeNormalization;
use zeroize::Zeroize;

/// The highest number of characters of a [`Word`]. A candidate of more characters is further than 1 from
/// every dictionary word, since those have at most [`MAX_DICTIONARY_CHARACTERS`].
pub const MAX_CHARACTERS: usize = 256;

/// The highest number of characters of a word in a dictionary filter.
pub const MAX_DICTIONARY_CHARACTERS: usize = 255;

/// Encoded don't-care symbol of the paper's scheme (Manber & Wu §2).
pub const DONT_CARE: &[u8] = &[0xfe];

/// The ends of the symbols of an ASCII word.
#[allow(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a constant: checked by the compiler"
)]
const ASCII_ENDS: [u16; MAX_CHARACTERS] = {
    let mut ends = [0; MAX_CHARACTERS];
    let mut at = 0;
    while at < MAX_CHARACTERS {
        ends[at] = at as u16 + 1;
        at += 1;
    }
    ends
};

/// Through a trait object, because each kind of iterator would add one more copy of the normalization and its
/// sort to the module.
fn nfkc(characters: &mut dyn Iterator<Item = char>) -> impl Iterator<Item = char> {
    characters.nfkc()
}

/// Hangul's fillers after their compatibility mappings (Unicode, `Default_Ignorable_Code_Point`).
const HANGUL_FILLER: char = '\u{1160}';
const HANGUL_FIRST_FILLER: char = '\u{115f}';

/// The invisible character that is no letter: the zero width space.
const INVISIBLE: char = '\u{200b}';

/// The text has more than [`MAX_CHARACTERS`] characters after cleaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong;

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "longer than {MAX_CHARACTERS} characters")
    }
}

impl Error for TooLong {}

/// A cleaned word: its encoded bytes and the end of each symbol. At most [`MAX_CHARACTERS`] symbols.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Word {
    bytes: Vec<u8>,
    ends: Vec<u16>,
}

impl Word {
    /// An empty word with room for any word, so that reusing it never moves its bytes (and leaves a copy
    /// behind).
    pub fn with_full_capacity() -> Word {
        Word {
            bytes: Vec::with_capacity(MAX_CHARACTERS * MAX_SYMBOL_BYTES),
            ends: Vec::with_capacity(MAX_CHARACTERS),
        }
    }

    /// The cleaned form of `text`, in buffers that never moved.
    ///
    /// # Errors
    /// [`TooLong`] if more than [`MAX_CHARACTERS`] characters remain after cleaning.
    pub fn clean(text: &[u8]) -> Result<Word, TooLong> {
        // Normalization can increase the number of characters: with room for any word the buffers never move.
        let mut word = if text.is_ascii() {
            let length = text.len().min(MAX_CHARACTERS);
            Word { bytes: Vec::with_capacity(length), ends: Vec::with_capacity(length) }
        } else {
            Word::with_full_capacity()
        };
        word.assign(text)?;
        Ok(word)
    }

    /// The cleaned form of `text`, of a long one its first [`MAX_CHARACTERS`] characters.
    pub fn beginning_of(text: &[u8]) -> Word {
        Word::clean(text).unwrap_or_else(|_| {
            let mut word = Word::with_full_capacity();
            // It ends where the word is full.
            let _ = word.append_mixed(text);
            word
        })
    }

    /// Makes this word the cleaned form of `text`, keeping its buffers.
    ///
    /// # Errors
    /// [`TooLong`]; the word is then empty.
    pub fn assign(&mut self, text: &[u8]) -> Result<(), TooLong> {
        self.clear();
        let result = if text.is_ascii() { self.append_ascii(text) } else { self.append_mixed(text) };
        if result.is_err() {
            self.clear();
        }
        result
    }

    fn append_ascii(&mut self, text: &[u8]) -> Result<(), TooLong> {
        let ends = ASCII_ENDS.get(..text.len()).ok_or(TooLong)?;
        self.ends.extend_from_slice(ends);
        self.bytes.extend_from_slice(text);
        self.bytes.make_ascii_lowercase();
        Ok(())
    }

    fn append_mixed(&mut self, text: &[u8]) -> Result<(), TooLong> {
        for chunk in text.utf8_chunks() {
            let mut typed = chunk.valid().chars();
            let mut lower = nfkc(&mut typed).flat_map(char::to_lowercase);
            for character in nfkc(&mut lower) {
                // Letters by their category, and shown as nothing: they part a word as other invisible ones.
                let is_filler = matches!(character, HANGUL_FILLER | HANGUL_FIRST_FILLER);
                self.push(Symbol::of(if is_filler { INVISIBLE } else { character }))?;
            }
            for &byte in chunk.invalid() {
                self.push(Symbol::raw(byte))?;
            }
        }
        Ok(())
    }

    /// Appends one symbol unchanged.
    ///
    /// # Errors
    /// [`TooLong`] if the word is full.
    pub fn push(&mut self, symbol: Symbol) -> Result<(), TooLong> {
        if self.ends.len() >= MAX_CHARACTERS {
            return Err(TooLong);
        }
        match symbol.ascii() {
            Some(byte) => self.bytes.push(byte),
            None => self.bytes.extend_from_slice(symbol.encode(&mut [0; MAX_SYMBOL_BYTES])),
        }
        self.ends.push(u16::try_from(self.bytes.len()).map_err(|_| TooLong)?);
        Ok(())
    }

    /// Empties and wipes the word. Only the bytes in use are wiped: only this function shortens a word, so
    /// the others are zero, and wiping the whole capacity takes longer than reading a line of a list.
    pub fn clear(&mut self) {
        self.bytes.as_mut_slice().zeroize();
        self.bytes.clear();
        self.ends.as_mut_slice().zeroize();
        self.ends.clear();
    }

    /// True if every symbol is one byte: symbol `at` is then byte `at`.
    #[inline]
    pub(crate) fn is_bytewise(&self) -> bool {
        self.bytes.len() == self.ends.len()
    }

    /// The number of characters.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True for the word without characters.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The encoded bytes, which are hashed for the word itself.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The start of symbol `at` in [`Word::as_bytes`]; the end of the bytes for `at` ≥ [`Word::len`].
    pub fn start_of(&self, at: usize) -> usize {
        match at.checked_sub(1) {
            None => 0,
            Some(before) => self.ends.get(before).map_or(self.bytes.len(), |&end| usize::from(end)),
        }
    }

    /// The encoded bytes of symbols `range`, empty where there are none.
    pub fn slice(&self, range: Range<usize>) -> &[u8] {
        self.bytes.get(self.start_of(range.start)..self.start_of(range.end)).unwrap_or_default()
    }

    /// The symbol at `at`.
    pub fn symbol(&self, at: usize) -> Option<Symbol> {
        (at < self.len()).then(|| Symbol::decode(self.slice(at..at + 1)))
    }

    /// The symbols from first to last.
    pub fn symbols(&self) -> impl DoubleEndedIterator<Item = Symbol> + ExactSizeIterator + '_ {
        (0..self.len()).map(|at| Symbol::decode(self.slice(at..at + 1)))
    }

    /// These characters unchanged; none if they are too many. Through a trait object, of which the module has
    /// one copy.
    #[inline(never)]
    pub fn from_characters(characters: &mut dyn Iterator<Item = char>) -> Option<Word> {
        let mut word = Word::with_full_capacity();
        for character in characters {
            word.push(Symbol::of(character)).ok()?;
        }
        Some(word)
    }

    /// A word of these symbols.
    ///
    /// # Errors
    /// [`TooLong`] for more than [`MAX_CHARACTERS`] symbols.
    pub fn from_symbols(symbols: impl IntoIterator<Item = Symbol>) -> Result<Word, TooLong> {
        let mut word = Word::with_full_capacity();
        for symbol in symbols {
            word.push(symbol)?;
        }
        Ok(word)
    }

    /// The word that `bytes` encode: the inverse of [`Word::as_bytes`].
    ///
    /// # Errors
    /// [`TooLong`] for more than [`MAX_CHARACTERS`] symbols.
    pub fn from_encoded(bytes: &[u8]) -> Result<Word, TooLong> {
        let mut word = Word::with_full_capacity();
        let mut rest = bytes;
        while let Some((&first, _)) = rest.split_first() {
            let length = encoded_length(first).min(rest.len());
            let (symbol, after) = rest.split_at(length);
            word.push(Symbol::decode(symbol))?;
            rest = after;
        }
        Ok(word)
    }

    /// The text to read; bytes that are not UTF-8 are read as Latin-1.
    pub fn to_text(&self) -> String {
        self.symbols().map(Symbol::readable).collect()
    }
}

fn encoded_length(first: u8) -> usize {
    match first {
        0..=0x7f => 1,
        0xe0..=0xef => 3,
        0xf0..=0xf7 => 4,
        _ => 2,
    }
}

impl Drop for Word {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests;
