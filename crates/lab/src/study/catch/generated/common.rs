//! The kinds by which rules are compared since the first measurement: random characters, the most frequent
//! formats, and phrases.

#![allow(clippy::redundant_closure_for_method_calls, reason = "a method is of one lifetime only")]

use super::{
    Kind,
    source::{ALPHANUMERIC, CONSONANTS, HEX, LOWER, PRINTABLE, Source},
};

pub(super) const KINDS: &[Kind] = &[
    Kind::new("lower_8", |s| s.some(8, LOWER)),
    Kind::new("lower_12", |s| s.some(12, LOWER)),
    Kind::new("rand62_8", |s| s.some(8, ALPHANUMERIC)),
    Kind::new("rand62_10", |s| s.some(10, ALPHANUMERIC)),
    Kind::new("rand62_12", |s| s.some(12, ALPHANUMERIC)),
    Kind::new("rand94_8", |s| s.some(8, PRINTABLE)),
    Kind::new("rand94_10", |s| s.some(10, PRINTABLE)),
    Kind::new("rand94_12", |s| s.some(12, PRINTABLE)),
    Kind::new("bitwarden_14", |s| s.some(14, &format!("{ALPHANUMERIC}!@#$%^&*"))),
    Kind::new("apple", |s| s.apple()),
    Kind::new("uuid", |s| [8, 4, 4, 4, 12].map(|count| s.some(count, HEX)).join("-")),
    Kind::new("pwgen_8", |s| s.pwgen(8)),
    Kind::new("keepass_20", |s| s.some(20, ALPHANUMERIC)),
    Kind::new("hex_32", |s| s.some(32, HEX)),
    Kind::new("proquint", |s| [(); 2].map(|()| s.proquint()).join("-")),
    Kind::new("cyrillic_10", |s| s.some(10, "абвгдежзийклмнопрстуфхцчшщъыьэюя")),
    Kind::new("greek_10", |s| s.some(10, "αβγδεζηθικλμνξοπρστυφχψω")),
    Kind::of_words("pwqgen", |s| s.pwqgen()),
    Kind::of_words("4_words_together", |s| s.phrase(4, "")),
    Kind::of_words("3_words_spaces", |s| s.phrase(3, " ")),
    Kind::of_words("4_words_dashes", |s| s.phrase(4, "-")),
    Kind::of_words("3_words_together", |s| s.phrase(3, "")),
    Kind::of_words("5_words_together", |s| s.phrase(5, "")),
];

impl Source<'_> {
    /// Three words of three to six letters, the second in capitals, with signs or digits between, as
    /// passwdqc's pwqgen(1) makes them.
    fn pwqgen(&mut self) -> String {
        let [first, second, third] = [(); 3].map(|()| self.word_of(3..=6));
        let [one, two] = ["-_.,=&23456789", "!*+;23456789"].map(|set| self.some(1, set));
        format!("{first}{one}{}{two}{third}", second.to_uppercase())
    }

    /// Consonant, vowel, consonant, vowel, consonant (Wilkerson, *A Proposal for Proquints*, 2009).
    pub(super) fn proquint(&mut self) -> String {
        self.each(&[CONSONANTS, "aiou", CONSONANTS, "aiou", CONSONANTS])
    }

    /// Three groups of two syllables, one character a digit and one a capital.
    fn apple(&mut self) -> String {
        let syllable = |s: &mut Source<'_>| s.each(&[CONSONANTS, "aeiou", CONSONANTS]);
        let groups = [(); 3].map(|()| [(); 2].map(|()| syllable(self)).concat()).join("-");
        let (digit, capital) = (self.pick(6) + 14, self.pick(6) + 7);
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
    use super::*;

    #[test]
    fn three_groups_have_a_digit_and_a_capital() {
        let apple = KINDS.iter().find(|kind| kind.name == "apple").unwrap();
        for password in apple.passwords(100, &[], 1).0 {
            assert_eq!(password.len(), 20);
            assert!(password.chars().any(|c| c.is_ascii_digit()), "{password}");
            assert!(password.chars().any(|c| c.is_ascii_uppercase()), "{password}");
        }
    }
}
