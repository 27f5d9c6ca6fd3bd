//! Fingerprints of a word's single-character deletions, each with its place, all made in one pass: what the
//! survey counts deletions by.
//!
//! A string *s* has the polynomial hash Σ (*s*ⱼ + 1) *r*ʲ over the field of 2⁶¹ − 1 elements, *r* random
//! (Karp & Rabin 1987; Carter & Wegman 1979): two strings of at most 256 characters have the same with
//! probability below 2⁻⁵³. The hash of a word less its character *i* comes of the sums before and after *i*
//! with two multiplications, whatever the word's length; hashing each string by itself would take most of the
//! survey's time. The place *i* is one more character, in front.

use zeroize::Zeroize;

use crate::{
    hash::Key,
    word::{MAX_CHARACTERS, Word},
};

/// The field's order, a Mersenne prime.
const PRIME: u64 = (1 << 61) - 1;

/// Makes the fingerprints: the same string and place have the same in all words, under one key.
pub(super) struct DeletionFingerprints {
    /// *r*ʲ for *j* from 0.
    powers: Vec<u64>,
}

impl DeletionFingerprints {
    /// Fingerprints under a point *r* derived from `key`.
    pub(super) fn new(key: &Key) -> DeletionFingerprints {
        let point = key.hash(b"nearmiss survey point") % PRIME;
        let powers = std::iter::successors(Some(1), |&power| Some(product(power, point)));
        DeletionFingerprints { powers: powers.take(MAX_CHARACTERS + 2).collect() }
    }

    /// Calls `each` with the fingerprint of every string that is `word` less one character, and its place.
    #[inline]
    pub(super) fn each(&self, word: &Word, mut each: impl FnMut(u64)) {
        if word.is_bytewise() {
            let symbols = word.as_bytes().iter().map(|&byte| u64::from(byte));
            self.fingerprint(symbols.clone(), symbols, &mut each);
        } else {
            let symbols = || word.symbols().map(|symbol| u64::from(symbol.value()));
            self.fingerprint(symbols(), symbols(), &mut each);
        }
    }

    /// A fingerprint is *r* times the hash, which saves a division, and the place, the coefficient of *r*⁰.
    #[inline]
    fn fingerprint(
        &self,
        all: impl Iterator<Item = u64>,
        again: impl Iterator<Item = u64>,
        each: &mut impl FnMut(u64),
    ) {
        let point = self.powers.get(1).copied().unwrap_or(1);
        let term = |(symbol, &power): (u64, &u64)| product(symbol + 1, power);
        let mut after = all.zip(&self.powers).map(term).fold(0, sum);
        let mut before = 0;
        for (at, one) in again.zip(&self.powers).map(term).enumerate() {
            after = sum(after, PRIME - one);
            each(spread(sum(sum(product(before, point), after), at as u64)));
            before = sum(before, one);
        }
        before.zeroize();
    }
}

/// a + b in the field.
#[inline]
fn sum(a: u64, b: u64) -> u64 {
    let sum = a.wrapping_add(b); // both at most 2⁶¹
    if sum >= PRIME { sum.wrapping_sub(PRIME) } else { sum }
}

/// a × b in the field.
#[inline]
#[allow(clippy::cast_possible_truncation, reason = "both halves of 122 bits have at most 61")]
fn product(a: u64, b: u64) -> u64 {
    let product = u128::from(a).wrapping_mul(u128::from(b));
    let (low, high) = ((product & u128::from(PRIME)) as u64, (product >> 61) as u64);
    sum(low, high)
}

/// Spreads a field's element over 64 bits: the finaliser of `MurmurHash3`, which is a bijection.
#[inline]
fn spread(element: u64) -> u64 {
    let mixed = (element ^ (element >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
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

        #[test]
        fn the_field_is_that_of_2_to_61_less_1(a in 0..PRIME, b in 0..PRIME) {
            const MODULUS: u128 = PRIME as u128;
            let exact = u128::from(a).wrapping_mul(u128::from(b)) % MODULUS;
            prop_assert_eq!(u128::from(product(a, b)), exact);
            prop_assert_eq!(sum(a, PRIME - a), 0);
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
