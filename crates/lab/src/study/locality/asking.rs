//! A filter that holds an extension, asked for passwords.

use nearmiss_filters::{format::SchemeId, hash::Key, ladder::SeededRandom, neighbours::Scratch, word::Word};

use super::super::{
    bloom::Bloom,
    extension::{Extension, password},
};

/// A filter with everything in it.
pub(super) struct CountedLookups<'a> {
    pub(super) bloom: Bloom,
    extension: &'a Extension,
    key: &'a Key,
    /// Other hash functions for each number, without another pass over all strings.
    number: u64,
    scratch: Scratch,
    word: Word,
}

impl<'a> CountedLookups<'a> {
    /// Puts the extension into the filter, by the hash functions of this number.
    pub(super) fn new(
        mut bloom: Bloom,
        extension: &'a Extension,
        key: &'a Key,
        number: u64,
    ) -> CountedLookups<'a> {
        for &hash in &extension.hashes {
            bloom.insert(mixed(hash, number));
        }
        let (scratch, word) = (Scratch::default(), Word::with_full_capacity());
        CountedLookups { bloom, extension, key, number, scratch, word }
    }

    /// The random passwords that it rejects by accident.
    pub(super) fn rejected(&mut self, queries: u64, random: &mut SeededRandom) -> u64 {
        let found: Vec<[u8; 8]> =
            (0..queries).map(|_| password(random)).filter(|text| self.accepts(text)).collect();
        // A password that is near a word is rejected rightly.
        found.iter().filter(|text| !self.is_near(text.as_slice())).count() as u64
    }

    /// True when any string of the password's extension is in the filter.
    fn accepts(&mut self, password: &[u8]) -> bool {
        let CountedLookups { bloom, key, number, scratch, word, .. } = self;
        let mut is_any = false;
        if word.assign(password).is_ok() {
            SchemeId::Paper.each_stored(word, scratch, &mut |_, string| {
                is_any |= bloom.contains(mixed(key.hash(string), *number));
            });
        }
        is_any
    }

    /// True when one is in the extension itself.
    fn is_near(&mut self, password: &[u8]) -> bool {
        let mut is_any = false;
        if self.word.assign(password).is_ok() {
            let (word, key, extension) = (&self.word, self.key, self.extension);
            SchemeId::Paper.each_stored(word, &mut self.scratch, &mut |_, string| {
                is_any |= extension.hashes.contains(&key.hash(string));
            });
        }
        is_any
    }
}

/// Another hash for each number; the hash itself for 0. All steps can be undone, so that no two hashes meet.
fn mixed(hash: u64, number: u64) -> u64 {
    if number == 0 {
        return hash;
    }
    let hash = (hash ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ (hash >> 31)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 29)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn hashes_stay_apart() {
        for number in 0..3 {
            assert_eq!((0..10_000).map(|hash| mixed(hash, number)).collect::<HashSet<u64>>().len(), 10_000);
        }
        assert_ne!(mixed(7, 1), mixed(7, 2));
    }
}
