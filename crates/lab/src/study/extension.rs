//! The paper's scheme as its Table 2 measures it: words whose 1-extension has a given number of distinct
//! strings, and random passwords to ask for.

use std::collections::HashSet;

use nearmiss_filters::{format::SchemeId, hash::Key, ladder::SeededRandom, neighbours::Scratch, word::Word};

/// Characters of a password of the paper's test, and the strings of its extension.
pub(crate) const PASSWORD_CHARACTERS: usize = 8;

/// 2d + 1 strings for d characters.
pub(crate) const PASSWORD_STRINGS: u32 = 17;

/// Words, and the hashes of all strings of their extension.
pub(crate) struct Extension {
    /// The number of words.
    pub(crate) words: u64,
    /// The hashes, each once.
    pub(crate) hashes: HashSet<u64>,
}

/// Chooses words at random until their extension has `wanted` distinct strings; from there on only words that
/// do not exceed it. Fewer strings come out when the words do not suffice.
pub(crate) fn sample(words: &mut [Word], wanted: u64, key: &Key, random: &mut SeededRandom) -> Extension {
    shuffle(words, random);
    let (mut scratch, mut own) = (Scratch::default(), Vec::new());
    let mut extension = Extension { words: 0, hashes: HashSet::new() };
    for word in words.iter() {
        own.clear();
        SchemeId::Paper.each_stored(word, &mut scratch, &mut |_, string| own.push(key.hash(string)));
        own.sort_unstable();
        own.dedup();
        own.retain(|hash| !extension.hashes.contains(hash));
        let left = wanted.saturating_sub(extension.hashes.len() as u64);
        if left == 0 {
            break;
        }
        if own.len() as u64 <= left {
            extension.words = extension.words.saturating_add(1);
            extension.hashes.extend(&own);
        }
    }
    extension
}

/// Fisher and Yates.
pub(crate) fn shuffle<T>(items: &mut [T], random: &mut SeededRandom) {
    for end in (2..=items.len()).rev() {
        items.swap(end.saturating_sub(1), below(random, end));
    }
}

/// A number below `end`.
pub(crate) fn below(random: &mut SeededRandom, end: usize) -> usize {
    (u128::from(random.next_word()).wrapping_mul(end as u128) >> 64) as usize
}

/// A password of the paper's test: 8 random printable characters, at least one of them neither letter nor
/// digit.
pub(crate) fn password(random: &mut SeededRandom) -> [u8; PASSWORD_CHARACTERS] {
    loop {
        let password = [(); PASSWORD_CHARACTERS].map(|()| b'!'.saturating_add(below(random, 94) as u8));
        if !password.iter().all(u8::is_ascii_alphanumeric) {
            return password;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(count: u32) -> Vec<Word> {
        (0..count).map(|i| Word::clean(format!("w{i:x}ord").as_bytes()).unwrap_or_default()).collect()
    }

    #[test]
    fn a_sample_has_as_many_strings_as_wanted() {
        let key = Key::new([1; 16]);
        let extension = sample(&mut words(2000), 10_007, &key, &mut SeededRandom::new(1));
        assert!((10_000..=10_007).contains(&extension.hashes.len()), "{}", extension.hashes.len());
        let all = sample(&mut words(20), 10_000, &key, &mut SeededRandom::new(1));
        assert!(all.words == 20 && all.hashes.len() < 400);
    }

    #[test]
    fn passwords_are_those_of_the_paper() {
        let mut random = SeededRandom::new(2);
        let mut seen = HashSet::new();
        for _ in 0..20_000 {
            let password = password(&mut random);
            assert!(password.iter().any(|byte| !byte.is_ascii_alphanumeric()));
            seen.extend(password);
        }
        assert_eq!(seen, (b'!'..=b'~').collect());
    }

    #[test]
    fn shuffling_keeps_all_and_moves_them() {
        let mut items: Vec<u32> = (0..1000).collect();
        shuffle(&mut items, &mut SeededRandom::new(3));
        let fixed = items.iter().zip(0..).filter(|&(&item, at)| item == at).count();
        assert!(fixed < 10, "{fixed}");
        items.sort_unstable();
        assert!(items.into_iter().eq(0..1000));
    }
}
