//! Fingerprints of a word's single-character deletions, each with its place, all made in one pass: what the
//! survey counts deletions by.
//!
//! A string *s* at the place *i* has the multilinear hash *p*ᵢ + Σ (*s*ⱼ + 1) *m*ⱼ modulo 2⁶⁴, all *m* and
//! *p* random (Carter & Wegman, "Universal classes of hash functions", 1979; Lemire & Kaser, "Strongly
//! universal string hashing is fast", 2014, §2). Symbols differ by less than 2²¹, so that two strings have
//! the same with probability below 2⁻⁴³, and below 2⁻⁵⁷ where both are ASCII. The hash of a word less its
//! character *i* is made of the sum of the characters before *i* and that of those behind, each with the
//! multiplier of the place before: two multiplications a character, whatever the word's length. Hashing each
//! string by itself would take most of the survey's time.

use crate::{
    hash::{Key, Short},
    word::{MAX_CHARACTERS, Word},
};

/// Makes the fingerprints: the same string and place have the same in all words, under one key.
pub(super) struct DeletionFingerprints {
    terms: Vec<Terms>,
}

/// What the character at a place of a word is multiplied by, and what the place adds.
struct Terms {
    /// *m* of the place: for what is less a character behind.
    here: u64,
    /// *m* of the place before: for what is less a character before.
    moved: u64,
    /// *p* of the place.
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

    /// Calls `each` with the fingerprint of every string that is `word` less one character, and its place.
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
        // Of all characters as if one before them were missing; then one after the other is not.
        let mut sum = behind.fold(0, u64::wrapping_add);
        for (symbol, terms) in numbered() {
            sum = sum.wrapping_sub(product(symbol, terms.moved));
            each(spread(sum.wrapping_add(terms.place)));
            sum = sum.wrapping_add(product(symbol, terms.here));
        }
    }
}

/// Spreads a fingerprint over all bits, of which the lower ones know only the lower bits of symbols: the
/// finaliser of `MurmurHash3`, which is a bijection.
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
        /// In the order of the scheme's own strings: one fingerprint a string, whatever word it comes from.
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
