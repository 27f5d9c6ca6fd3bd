//! Strong passwords of the kinds that generators make: what a policy rejects of them, it rejects in vain.

mod pwgen;

use nearmiss_filters::ladder::SeededRandom;

use crate::study::extension::below;

/// A kind of generated passwords.
pub(crate) struct Kind {
    /// Its name.
    pub(crate) name: &'static str,
    make: fn(&mut Source<'_>) -> String,
}

impl Kind {
    /// As many passwords of this kind; passwords of words are made of these.
    pub(crate) fn passwords(&self, count: u64, words: &[String], seed: u64) -> Vec<String> {
        let mut source = Source { random: SeededRandom::new(seed), words };
        (0..count).map(|_| (self.make)(&mut source)).collect()
    }
}

/// All kinds; phrases need words.
pub(crate) fn kinds(with_words: bool) -> impl Iterator<Item = &'static Kind> {
    KINDS.iter().chain(PHRASES.iter().filter(move |_| with_words))
}

struct Source<'w> {
    random: SeededRandom,
    words: &'w [String],
}

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const ALPHANUMERIC: &str = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const PRINTABLE: &str = "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`\
                         abcdefghijklmnopqrstuvwxyz{|}~";
const HEX: &str = "0123456789abcdef";
const CONSONANTS: &str = "bdfghjklmnprstvz";

const KINDS: [Kind; 17] = [
    Kind { name: "lower_8", make: |s| s.some(8, LOWER) },
    Kind { name: "lower_12", make: |s| s.some(12, LOWER) },
    Kind { name: "rand62_8", make: |s| s.some(8, ALPHANUMERIC) },
    Kind { name: "rand62_10", make: |s| s.some(10, ALPHANUMERIC) },
    Kind { name: "rand62_12", make: |s| s.some(12, ALPHANUMERIC) },
    Kind { name: "rand94_8", make: |s| s.some(8, PRINTABLE) },
    Kind { name: "rand94_10", make: |s| s.some(10, PRINTABLE) },
    Kind { name: "rand94_12", make: |s| s.some(12, PRINTABLE) },
    Kind { name: "bitwarden_14", make: |s| s.some(14, &format!("{ALPHANUMERIC}!@#$%^&*")) },
    Kind { name: "apple", make: |s| s.apple() },
    Kind { name: "uuid", make: |s| [8, 4, 4, 4, 12].map(|count| s.some(count, HEX)).join("-") },
    Kind { name: "pwgen_8", make: |s| s.pwgen(8) },
    Kind { name: "keepass_20", make: |s| s.some(20, ALPHANUMERIC) },
    Kind { name: "hex_32", make: |s| s.some(32, HEX) },
    Kind { name: "proquint", make: |s| [(); 2].map(|()| s.proquint()).join("-") },
    Kind {
        name: "cyrillic_10", make: |s| s.some(10, "абвгдежзийклмнопрстуфхцчшщъыьэюя")
    },
    Kind { name: "greek_10", make: |s| s.some(10, "αβγδεζηθικλμνξοπρστυφχψω") },
];

const PHRASES: [Kind; 6] = [
    Kind { name: "pwqgen", make: |s| s.pwqgen() },
    Kind { name: "4_words_together", make: |s| s.phrase(4, "") },
    Kind { name: "3_words_spaces", make: |s| s.phrase(3, " ") },
    Kind { name: "4_words_dashes", make: |s| s.phrase(4, "-") },
    Kind { name: "3_words_together", make: |s| s.phrase(3, "") },
    Kind { name: "5_words_together", make: |s| s.phrase(5, "") },
];

/// Words that are drawn for a short one, of lists that may have none.
const MAX_DRAWS: usize = 1000;

impl Source<'_> {
    fn some(&mut self, count: usize, set: &str) -> String {
        let set: Vec<char> = set.chars().collect();
        (0..count).filter_map(|_| set.get(below(&mut self.random, set.len())).copied()).collect()
    }

    fn phrase(&mut self, count: usize, between: &str) -> String {
        let words = self.words;
        let pick = |_| words.get(below(&mut self.random, words.len())).map_or("", String::as_str);
        (0..count).map(pick).collect::<Vec<_>>().join(between)
    }

    /// Three words of three to six letters, the second in capitals, with signs or digits between, as
    /// passwdqc's pwqgen(1) makes them.
    fn pwqgen(&mut self) -> String {
        let mut draw = |_| self.words.get(below(&mut self.random, self.words.len())).map(String::as_str);
        let mut short = || {
            let drawn = (0..MAX_DRAWS).filter_map(&mut draw).find(|word| (3..=6).contains(&word.len()));
            drawn.unwrap_or_default()
        };
        let [first, second, third] = [(); 3].map(|()| short());
        let [one, two] = ["-_.,=&23456789", "!*+;23456789"].map(|set| self.some(1, set));
        format!("{first}{one}{}{two}{third}", second.to_uppercase())
    }

    /// Consonant, vowel, consonant, vowel, consonant (Wilkerson, *A Proposal for Proquints*, 2009).
    fn proquint(&mut self) -> String {
        [CONSONANTS, "aiou", CONSONANTS, "aiou", CONSONANTS].map(|set| self.some(1, set)).concat()
    }

    /// Three groups of two syllables, one character a digit and one a capital, as Safari suggests them.
    fn apple(&mut self) -> String {
        let syllable =
            |s: &mut Source<'_>| [CONSONANTS, "aeiou", CONSONANTS].map(|set| s.some(1, set)).concat();
        let groups = [(); 3].map(|()| [(); 2].map(|()| syllable(self)).concat()).join("-");
        let (digit, capital) = (below(&mut self.random, 6) + 14, below(&mut self.random, 6) + 7);
        let number = self.some(1, "0123456789");
        let change = |(at, c): (usize, char)| match at {
            _ if at == digit => number.chars().next().unwrap_or(c),
            _ if at == capital => c.to_ascii_uppercase(),
            _ => c,
        };
        groups.chars().enumerate().map(change).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_kind_is_as_long_as_its_name_says_and_seldom_repeats() {
        let words: Vec<String> = (0..500).map(|number| format!("word{number}")).collect();
        for kind in kinds(true) {
            let passwords = kind.passwords(1000, &words, 5);
            let distinct: HashSet<&String> = passwords.iter().collect();
            assert!(distinct.len() > 990, "{}: {}", kind.name, distinct.len());
            if let Some(length) = kind.name.rsplit('_').next().and_then(|text| text.parse::<usize>().ok()) {
                assert!(passwords.iter().all(|password| password.chars().count() == length), "{}", kind.name);
            }
        }
        assert_eq!(kinds(false).count() + PHRASES.len(), kinds(true).count());
        let apple = KINDS.iter().find(|kind| kind.name == "apple").unwrap();
        for password in apple.passwords(100, &[], 1) {
            assert_eq!(password.len(), 20);
            assert!(password.chars().any(|c| c.is_ascii_digit()), "{password}");
            assert!(password.chars().any(|c| c.is_ascii_uppercase()), "{password}");
        }
    }
}
