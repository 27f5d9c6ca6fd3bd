//! Pronounceable passwords as pwgen(1) makes them by default: syllables, digits and capitals in between. Of
//! all generators in use it comes nearest to words.

use super::source::{DIGITS, SIGNS, Source, UPPER, has_each};

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

/// What a password has beside small letters, at least once each.
#[derive(Clone, Copy)]
pub(super) struct Pronounced {
    pub(super) capitals: bool,
    pub(super) digits: bool,
    pub(super) signs: bool,
}

impl Source<'_> {
    /// A password of `length` characters with a digit and a capital at least.
    pub(super) fn pwgen(&mut self, length: usize) -> String {
        self.pronounced(length, Pronounced { capitals: true, digits: true, signs: false })
    }

    /// The same with what pwgen's options -A, -0 and -y take away or add.
    pub(super) fn pronounced(&mut self, length: usize, with: Pronounced) -> String {
        let needed = [(with.digits, DIGITS), (with.capitals, UPPER), (with.signs, SIGNS)];
        let needed: Vec<&str> = needed.iter().filter(|(is_needed, _)| *is_needed).map(|row| row.1).collect();
        self.until(|s| s.pronounced_once(length, with), |text| has_each(text, &needed))
    }

    fn pronounced_once(&mut self, length: usize, with: Pronounced) -> String {
        let (mut text, mut after) = (String::new(), After::Nothing);
        let mut wants_vowel = self.chance(5);
        while text.len() < length {
            let sound = self.sound(wants_vowel, after, length.saturating_sub(text.len()));
            let is_long = sound.len() > 1;
            let may_be_capital = with.capitals && (after == After::Nothing || !wants_vowel);
            let is_capital = may_be_capital && self.chance(2);
            text.extend(
                sound.chars().enumerate().map(
                    |(at, c)| {
                        if at == 0 && is_capital { c.to_ascii_uppercase() } else { c }
                    },
                ),
            );
            if with.digits && after != After::Nothing && text.len() < length && self.chance(3) {
                text.push_str(&self.some(1, DIGITS));
                (after, wants_vowel) = (After::Nothing, self.chance(5));
                continue;
            }
            if with.signs && after != After::Nothing && text.len() < length && self.chance(2) {
                text.push_str(&self.some(1, SIGNS));
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

    /// A sound that may be next and has at most so many letters.
    fn sound(&mut self, is_vowel: bool, after: After, room: usize) -> &'static str {
        let is_possible = |sound: &&&str| {
            let is_long = sound.len() > 1;
            let is_impossible = after == After::Nothing && matches!(**sound, "gh" | "ng")
                || after == After::Vowel && is_vowel && is_long;
            !is_impossible && sound.len() <= room
        };
        let sounds: Vec<&'static str> =
            if is_vowel { VOWELS } else { CONSONANTS }.iter().filter(is_possible).copied().collect();
        sounds.get(self.pick(sounds.len())).copied().unwrap_or("a")
    }
}

#[cfg(test)]
mod tests {
    use nearmiss_filters::ladder::SeededRandom;

    use super::*;

    #[test]
    fn passwords_are_of_sounds_a_digit_and_a_capital() {
        let mut source = Source::new(SeededRandom::new(4), &[]);
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
