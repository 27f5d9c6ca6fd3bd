//! The strings that are stored for a dictionary word, the strings that are probed for a candidate, and the
//! proof that they meet exactly if the two are within distance 1 (one character inserted, deleted or
//! substituted).
//!
//! # Deletions propose, words decide
//!
//! Write *w−i* for *w* without its character *i*. A word *w* is stored ([`SchemeId::each_stored`]) as *w* in
//! the word layer and every *w−i* in the deletion layer at position *i*. A candidate *q* of *d* characters is
//! probed (by `dictionary/query/first_round.rs`) as the *d* + 1 strings *q* and *q−i* in the word layer, as
//! *q−i* in the deletion layer at position *i*, and as *q* there at every position from 0 to *d*.
//!
//! **Theorem.** For words *w*, *q*: distance(*w*, *q*) ≤ 1 iff one of
//! 1. *q* = *w*: *q* is in the word layer;
//! 2. *q−i* = *w* for some *i* (*q* has one character more): *q−i* is in the word layer;
//! 3. *q−i* = *w−i* for some *i*, with as many characters (they differ at *i* only): *q−i* is in the deletion
//!    layer at *i*, and *q* with some character of the alphabet at *i* is in the word layer;
//! 4. *q* = *w−j* for some *j* (*q* has one character less): *q* is in the deletion layer at *j*, and *q*
//!    with some character of the alphabet inserted at *j* is in the word layer.
//!
//! *Proof.* Distance 0 is (1). A single edit from *q* to *w* is a deletion, which is (2); a substitution at
//! *i*, after which both agree when *i* is removed from both, which is the first half of (3), and *w* itself
//! is *q* with the character *w*ᵢ at *i*, which is the second; or an insertion at *j*, which is (4) likewise.
//! So every word within distance 1 is found: the strings that propose it are stored, and it completes itself.
//! Conversely each hit ends in a word-layer probe of *q*, of *q−i*, of *q* with one character replaced or of
//! *q* with one inserted: only strings within distance 1 of *q* are ever probed in the word layer. ∎
//!
//! `crates/filters/proofs/distance_one.v` proves it by machine: theorem `deletions_meet`; `extensions_meet`
//! is the same for the paper's scheme below. `make proofs` checks both and compares this code with their
//! definitions.
//!
//! The position matters for speed: *q−i* = *w−j* with *i* ≠ *j* is distance 2 (`elzhant`, `elephant`). There
//! a scheme without positions proposes in vain, many times for every password that looks like a word, and a
//! scheme that stops at the deletions (SymSpell's) rejects the password. With positions, a candidate that is
//! not within distance 1 proposes only if its deletion bits are set by accident. The page and the line of a
//! string's bits do not depend on the position, so probing *q* at all its positions reads one line. The
//! confirmation matters for the rate: deletion bits are few, and their accidents reject nothing. With no
//! deletion bits every deletion proposes and the words alone decide.
//!
//! A deletion at its position is the paper's word with a don't-care in place of a character (Manber & Wu §2);
//! the words with a don't-care in a gap, the other half of the extension, need not be stored, since *q*
//! itself is probed for them.
//!
//! # The paper's scheme
//!
//! Manber & Wu §2: a word's 1-extension has the don't-care symbol in place of each character and in each gap,
//! 2*d*+1 strings for *d* characters. Two words are within distance 1 iff their extensions meet: a common
//! string with the don't-care in place of characters of both means they differ there only; in a gap of one
//! and in place of a character of the other, that one character is inserted; in a gap of both, they are
//! equal.

#![allow(clippy::arithmetic_side_effects, reason = "positions in a word of at most 256 characters")]

use std::ops::Range;

use zeroize::Zeroizing;

use crate::{
    format::SchemeId,
    page::Layer,
    word::{DONT_CARE, MAX_CHARACTERS, MAX_SYMBOL_BYTES, Word},
};

/// A buffer for one string derived from a word, wiped when dropped. It is large enough never to be moved.
pub struct Scratch {
    bytes: Zeroizing<Vec<u8>>,
    /// The hole that [`Scratch::open`] left, with the bytes that fill it.
    hole: Range<usize>,
}

impl Default for Scratch {
    fn default() -> Scratch {
        // Every word, with one more character completed.
        let capacity = (MAX_CHARACTERS + 1) * MAX_SYMBOL_BYTES;
        Scratch { bytes: Zeroizing::new(Vec::with_capacity(capacity)), hole: 0..0 }
    }
}

impl Scratch {
    /// The word without the characters `from..to`, with `middle` in their place.
    #[inline]
    pub fn spliced(&mut self, word: &Word, from: usize, to: usize, middle: &[u8]) -> &[u8] {
        self.bytes.clear();
        let bytes = word.as_bytes();
        self.bytes.extend_from_slice(bytes.get(..word.start_of(from)).unwrap_or_default());
        self.bytes.extend_from_slice(middle);
        self.bytes.extend_from_slice(bytes.get(word.start_of(to)..).unwrap_or_default());
        &self.bytes
    }

    /// Calls `each` with every character of `range` and the word without it.
    #[inline]
    pub(crate) fn each_deletion(
        &mut self,
        word: &Word,
        range: Range<usize>,
        mut each: impl FnMut(usize, &[u8]),
    ) {
        if !word.is_bytewise() {
            range.for_each(|at| each(at, self.spliced(word, at, at + 1, &[])));
            return;
        }
        let mut before = None;
        for at in range {
            // The word without the character before differs in that character only.
            match before {
                None => {
                    self.spliced(word, at, at + 1, &[]);
                }
                Some(before) => {
                    if let (Some(place), Some(&byte)) =
                        (self.bytes.get_mut(before), word.as_bytes().get(before))
                    {
                        *place = byte;
                    }
                }
            }
            before = Some(at);
            each(at, &self.bytes);
        }
    }

    /// Makes the buffer the word without the characters `from..to` and a hole there for [`Scratch::filled`].
    #[inline]
    pub(crate) fn open(&mut self, word: &Word, from: usize, to: usize) {
        let start = word.start_of(from);
        self.spliced(word, from, to, &[]);
        self.hole = start..start;
    }

    /// The opened word with a null byte in its hole, and the index of that byte.
    #[inline]
    pub(crate) fn with_null(&mut self) -> (&[u8], usize) {
        let at = self.hole.start;
        (self.filled_with_byte(0), at)
    }

    /// The opened word with a one-byte symbol in its hole.
    #[inline]
    pub(crate) fn filled_with_byte(&mut self, byte: u8) -> &[u8] {
        if self.hole.len() != 1 {
            return self.filled(&[byte]);
        }
        if let Some(place) = self.bytes.get_mut(self.hole.start) {
            *place = byte;
        }
        &self.bytes
    }

    /// The opened word with `symbol` in its hole.
    #[inline]
    pub(crate) fn filled(&mut self, symbol: &[u8]) -> &[u8] {
        if symbol.len() != self.hole.len() {
            self.bytes.splice(self.hole.clone(), symbol.iter().copied());
            self.hole.end = self.hole.start + symbol.len();
        } else if let Some(hole) = self.bytes.get_mut(self.hole.clone()) {
            hole.copy_from_slice(symbol);
        }
        &self.bytes
    }

    /// The word with the characters at `at` and `at + 1` swapped.
    pub(crate) fn swapped(&mut self, word: &Word, at: usize) -> &[u8] {
        let (next, after) = (at + 1, at + 2);
        self.bytes.clear();
        self.bytes.extend_from_slice(word.slice(0..at));
        self.bytes.extend_from_slice(word.slice(next..after));
        self.bytes.extend_from_slice(word.slice(at..next));
        self.bytes.extend_from_slice(word.slice(after..word.len()));
        &self.bytes
    }
}

/// True when character `at` begins a run of equal characters: deleting any of a run gives the same string.
#[inline]
pub(crate) fn begins_run(word: &Word, at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else { return true };
    if word.is_bytewise() {
        return word.as_bytes().get(before) != word.as_bytes().get(at);
    }
    word.slice(before..at) != word.slice(at..at + 1)
}

impl SchemeId {
    /// Calls `sink` with each string that is stored for `word` and its layer: the word alone, the word and
    /// its deletions, or the paper's 1-extension. No string is repeated for one layer and position.
    pub fn each_stored(self, word: &Word, scratch: &mut Scratch, sink: &mut dyn FnMut(Layer, &[u8])) {
        match self {
            SchemeId::Whole => sink(Layer::Word, word.as_bytes()),
            SchemeId::Deletions => {
                sink(Layer::Word, word.as_bytes());
                scratch.each_deletion(word, 0..word.len(), |at, string| {
                    if let Some(layer) = Layer::deletion(at) {
                        sink(layer, string);
                    }
                });
            }
            SchemeId::Paper => {
                for at in 0..word.len() {
                    sink(Layer::Word, scratch.spliced(word, at, at + 1, DONT_CARE));
                }
                for gap in 0..=word.len() {
                    sink(Layer::Word, scratch.spliced(word, gap, gap, DONT_CARE));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn stored(scheme: SchemeId, text: &str) -> Vec<(Layer, Vec<u8>)> {
        let word = Word::clean(text.as_bytes()).unwrap_or_default();
        let mut strings = Vec::new();
        scheme.each_stored(&word, &mut Scratch::default(), &mut |layer, s| strings.push((layer, s.to_vec())));
        strings
    }

    #[test]
    fn deletions_are_distinct_and_complete() {
        let strings = stored(SchemeId::Deletions, "aabc");
        let expected: [(Layer, &[u8]); 5] = [
            (Layer::Word, b"aabc"),
            (Layer::Deletion { at: 0 }, b"abc"),
            (Layer::Deletion { at: 1 }, b"abc"),
            (Layer::Deletion { at: 2 }, b"aac"),
            (Layer::Deletion { at: 3 }, b"aab"),
        ];
        assert_eq!(strings, expected.map(|(layer, s)| (layer, s.to_vec())));
    }

    #[test]
    fn an_exact_filter_stores_the_word_alone() {
        assert_eq!(stored(SchemeId::Whole, "abc"), [(Layer::Word, b"abc".to_vec())]);
    }

    #[test]
    fn a_hole_is_shown_with_a_null_byte_in_its_place() {
        let (word, mut scratch) = (Word::clean("éab".as_bytes()).unwrap_or_default(), Scratch::default());
        scratch.open(&word, 1, 2);
        assert_eq!(scratch.with_null(), ("é\0b".as_bytes(), 2));
    }

    #[test]
    fn the_papers_extension_has_2d_plus_1_strings() {
        for word in ["", "a", "ab", "elephant", "éléphant"] {
            let strings = stored(SchemeId::Paper, word);
            assert_eq!(strings.len(), 2 * word.chars().count() + 1);
            assert_eq!(strings.iter().collect::<BTreeSet<_>>().len(), strings.len());
        }
    }

    #[test]
    fn splices_and_swaps() {
        let word = Word::clean("éa日".as_bytes()).unwrap_or_default();
        let mut scratch = Scratch::default();
        assert_eq!(scratch.spliced(&word, 1, 2, b"x"), "éx日".as_bytes());
        assert_eq!(scratch.spliced(&word, 3, 3, b"x"), "éa日x".as_bytes());
        assert_eq!(scratch.swapped(&word, 0), "aé日".as_bytes());
        assert_eq!(scratch.swapped(&word, 1), "é日a".as_bytes());
    }

    #[test]
    fn holes_are_filled_again_and_again_with_longer_and_shorter_symbols() {
        let (word, mut scratch) = (Word::clean("éab".as_bytes()).unwrap_or_default(), Scratch::default());
        scratch.open(&word, 1, 2);
        for (symbol, text) in [("x", "éxb"), ("日", "é日b"), ("y", "éyb"), ("é", "ééb"), ("z", "ézb")]
        {
            assert_eq!(scratch.filled(symbol.as_bytes()), text.as_bytes());
            assert_eq!(scratch.filled_with_byte(b'q'), "éqb".as_bytes());
        }
        scratch.open(&word, 3, 3);
        assert_eq!(scratch.filled("日".as_bytes()), "éab日".as_bytes());
    }
}
