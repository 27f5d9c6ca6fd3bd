//! Fingerprints of a word's single-character deletions, each with its position, computed in one pass: the
//! survey counts deletions by them.
//!
//! A string *s* at position *i* has the multilinear hash *p*ᵢ + Σ (*s*ⱼ + 1) *m*ⱼ modulo 2⁶⁴, all *m* and *p*
//! random (Carter & Wegman, "Universal classes of hash functions", 1979; Lemire & Kaser, "Strongly universal
//! string hashing is fast", 2014, §2). Symbols differ by less than 2²¹, so two strings collide with
//! probability below 2⁻⁴³, and below 2⁻⁵⁷ if both are ASCII. The hash of a word without its character *i* is
//! the sum over the characters before *i* and the sum over the characters after it, each with the multiplier
//! of the position before: two multiplications a character for any length. Hashing each string separately
//! would take most of the survey's time.

use crate::{
    hash::{Key, Short},
    word::{MAX_CHARACTERS, Word},
};

/// Computes the fingerprints: under one key, the same string and position have the same fingerprint in all
/// words.
pub(super) struct DeletionFingerprints {
    terms: Vec<Terms>,
}

/// The multipliers for the character at a position of a word, and the summand of the position.
struct Terms {
    /// *m* of the position: for deletions after it.
    here: u64,
    /// *m* of the position before: for deletions before it.
    moved: u64,
    /// *p* of the position.
    place: u64,
}

impl DeletionFingerprints {
    /// Fingerprints under numbers derived from `key`.
    pub(super) fn new(key: &Key) -> DeletionFingerprints {
        let random = |group: u8, at: usize| {
            let [low, high, ..] = at.to_le_bytes();
            key.hash(&[b's', group, low, high])
        };
        let multiplier = |at| random(b'm', at);
        let terms = |at: usize| Terms {
            here: multiplier(at),
            moved: at.checked_sub(1).map_or(0, multiplier),
            place: random(b'p', at),
        };
        DeletionFingerprints { terms: (0..MAX_CHARACTERS).map(terms).collect() }
    }

    /// Calls `each` with the fingerprint of every deletion of one character from `word`, including its
    /// position.
    #[inline]
    pub(super) fn each(&self, word: &Word, each: impl FnMut(u64)) {
        self.each_of_symbols(|| word.symbols().map(|symbol| u64::from(symbol.value())), each);
    }

    /// [`DeletionFingerprints::each`] for a short word.
    #[inline]
    pub(super) fn each_of_short(&self, word: Short, each: impl FnMut(u64)) {
        self.each_of_symbols(|| word.bytes().map(u64::from), each);
    }

    #[inline]
    fn each_of_symbols<S: Iterator<Item = u64>>(&self, symbols: impl Fn() -> S, mut each: impl FnMut(u64)) {
        let product = |symbol: u64, multiplier: u64| (symbol + 1).wrapping_mul(multiplier);
        let numbered = || symbols().zip(&self.terms);
        let behind = numbered().map(|(symbol, terms)| product(symbol, terms.moved));
        // The sum over all characters as if one before them were missing, then updated character by
        // character.
        let mut sum = behind.fold(0, u64::wrapping_add);
        for (symbol, terms) in numbered() {
            sum = sum.wrapping_sub(product(symbol, terms.moved));
            each(spread(sum.wrapping_add(terms.place)));
            sum = sum.wrapping_add(product(symbol, terms.here));
        }
    }
}

/// Mixes all bits of a fingerprint, whose lower bits only depend on the lower bits of symbols: the finaliser
/// of `MurmurHash3`, which is a bijection.
#[inline]
fn spread(sum: u64) -> u64 {
    let mixed = (sum ^ (sum >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let mixed = (mixed ^ (mixed >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    mixed ^ (mixed >> 33)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;
    use crate::{format::SchemeId, neighbours::Scratch, page::Layer};

    fn deletions(word: &Word) -> Vec<(Layer, Vec<u8>)> {
        let mut strings = Vec::new();
        SchemeId::Deletions.each_stored(word, &mut Scratch::default(), &mut |layer, string| {
            if layer.is_deletion() {
                strings.push((layer, string.to_vec()));
            }
        });
        strings
    }

    proptest! {
        /// In the order of the scheme's own strings: one fingerprint a string, independent of the word.
        #[test]
        fn fingerprints_stand_for_strings(words in prop::collection::vec("[abé日]{0,6}", 1..60)) {
            let makes = DeletionFingerprints::new(&Key::new([5; 16]));
            let mut fingerprints = BTreeMap::new();
            for word in words {
                let word = Word::clean(word.as_bytes()).unwrap();
                let mut of_word = Vec::new();
                makes.each(&word, |fingerprint| of_word.push(fingerprint));
                let strings = deletions(&word);
                prop_assert_eq!(of_word.len(), strings.len());
                for (string, fingerprint) in strings.into_iter().zip(of_word) {
                    prop_assert_eq!(*fingerprints.entry(string).or_insert(fingerprint), fingerprint);
                }
            }
            prop_assert_eq!(fingerprints.values().collect::<BTreeSet<_>>().len(), fingerprints.len());
        }
    }

    #[test]
    fn a_short_word_has_the_fingerprints_of_the_word() {
        let makes = DeletionFingerprints::new(&Key::new([7; 16]));
        for text in ["a", "aa", "ab", "elephant", "0123456789abcdef"] {
            let (mut of_word, mut of_short) = (Vec::new(), Vec::new());
            makes.each(&Word::clean(text.as_bytes()).unwrap(), |one| of_word.push(one));
            makes.each_of_short(Short::lower_case(text.as_bytes()).unwrap(), |one| of_short.push(one));
            assert_eq!((of_word.len(), of_word), (text.len(), of_short), "{text}");
        }
    }

    #[test]
    fn the_longest_word_has_fingerprints() {
        let word = Word::clean(&[b'a', b'b'].repeat(128)).unwrap();
        let mut fingerprints = BTreeSet::new();
        DeletionFingerprints::new(&Key::new([6; 16]))
            .each(&word, |fingerprint| _ = fingerprints.insert(fingerprint));
        assert_eq!(fingerprints.len(), 256);
    }
}
