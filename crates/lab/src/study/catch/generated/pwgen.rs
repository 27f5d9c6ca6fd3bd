//! Pronounceable passwords as pwgen(1) makes them by default: syllables, digits and capitals in between. Of
//! all generators in use it comes nearest to words.

use super::Source;
use crate::study::extension::below;

/// Sounds of pwgen's table that begin a syllable, or stand for one by themselves.
const CONSONANTS: &[&str] = &[
    "b", "c", "ch", "d", "f", "g", "gh", "h", "j", "k", "l", "m", "n", "ng", "p", "ph", "qu", "r", "s", "sh",
    "t", "th", "v", "w", "x", "y", "z",
];

const VOWELS: &[&str] = &["a", "ae", "ah", "ai", "e", "ee", "ei", "i", "ie", "o", "oh", "oo", "u"];

/// The letters that a sound may follow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    /// The beginning, or a digit.
    Nothing,
    Consonant,
    Vowel,
    /// A vowel that followed another one, or two letters of one.
    LongVowel,
}

impl Source<'_> {
    /// A password of `length` characters with a digit and a capital at least.
    pub(super) fn pwgen(&mut self, length: usize) -> String {
        loop {
            let text = self.pwgen_once(length);
            if text.bytes().any(|b| b.is_ascii_digit()) && text.bytes().any(|b| b.is_ascii_uppercase()) {
                return text;
            }
        }
    }

    fn pwgen_once(&mut self, length: usize) -> String {
        let (mut text, mut after) = (String::new(), After::Nothing);
        let mut wants_vowel = self.chance(5);
        while text.len() < length {
            let sounds = if wants_vowel { VOWELS } else { CONSONANTS };
            let sound = sounds.get(below(&mut self.random, sounds.len())).copied().unwrap_or_default();
            let is_long = sound.len() > 1;
            let is_impossible = after == After::Nothing && matches!(sound, "gh" | "ng")
                || after == After::Vowel && wants_vowel && is_long;
            if is_impossible || text.len() + sound.len() > length {
                continue;
            }
            let is_capital = (after == After::Nothing || !wants_vowel) && self.chance(2);
            text.extend(
                sound.chars().enumerate().map(
                    |(at, c)| {
                        if at == 0 && is_capital { c.to_ascii_uppercase() } else { c }
                    },
                ),
            );
            if after != After::Nothing && text.len() < length && self.chance(3) {
                text.push_str(&self.some(1, "0123456789"));
                (after, wants_vowel) = (After::Nothing, self.chance(5));
                continue;
            }
            after = match (wants_vowel, after) {
                (false, _) => After::Consonant,
                (true, After::Vowel) => After::LongVowel,
                (true, _) if is_long => After::LongVowel,
                (true, _) => After::Vowel,
            };
            wants_vowel = !wants_vowel || after == After::Vowel && self.chance(4);
        }
        text
    }

    /// True so many times of ten.
    fn chance(&mut self, of_ten: usize) -> bool {
        below(&mut self.random, 10) < of_ten
    }
}

#[cfg(test)]
mod tests {
    use nearmiss_filters::ladder::SeededRandom;

    use super::*;

    #[test]
    fn passwords_are_of_sounds_a_digit_and_a_capital() {
        let mut source = Source { random: SeededRandom::new(4), words: &[] };
        for length in [8, 12] {
            for _ in 0..500 {
                let text = source.pwgen(length);
                assert_eq!(text.len(), length, "{text}");
                assert!(text.bytes().all(|b| b.is_ascii_alphanumeric()), "{text}");
                assert!(!text.to_lowercase().starts_with("ng"), "{text}");
            }
        }
    }
}
