//! Phrases of words of a list: what `filterctl suggest`, Diceware, mnemonics and managers make of theirs.
//!
//! Sources: xkcdpass(1) and diceware(1) (six words); `KeePassXC` (seven, spaces); bitwarden-generators 3.0.0
//! (three, a digit after one of them); BIP-39 (12 and 24 words); RFC 2289 (six words of S/KEY). 1Password's
//! memorable passwords are not verified.

use super::{
    Kind,
    source::{ALPHANUMERIC, DIGITS, READABLE, SIGNS, Source, capital},
};

pub(super) const KINDS: &[Kind] = &[
    Kind::of_words("3_words_dashes", |s| s.phrase(3, "-")),
    Kind::of_words("3_words_dots", |s| s.phrase(3, ".")),
    Kind::of_words("3_words_capitalised", |s| s.capitalised(3, "")),
    Kind::of_words("3_words_capitalised_dashes", |s| s.capitalised(3, "-")),
    Kind::of_words("3_words_capitalised_spaces", |s| s.capitalised(3, " ")),
    Kind::of_words("3_words_digit_between", |s| s.with_digits_between(3)),
    Kind::of_words("3_words_together_digits", |s| s.phrase(3, "") + &s.some(2, DIGITS)),
    Kind::of_words("4_words_spaces", |s| s.phrase(4, " ")),
    Kind::of_words("4_words_underscores", |s| s.phrase(4, "_")),
    Kind::of_words("4_words_capitalised", |s| s.capitalised(4, "")),
    Kind::of_words("4_words_capitalised_dashes", |s| s.capitalised(4, "-")),
    Kind::of_words("4_words_digit_between", |s| s.with_digits_between(4)),
    Kind::of_words("5_words_spaces", |s| s.phrase(5, " ")),
    Kind::of_words("5_words_dashes", |s| s.phrase(5, "-")),
    Kind::of_words("5_words_capitalised", |s| s.capitalised(5, "")),
    Kind::of_words("diceware_6_words", |s| s.capitalised(6, "")),
    Kind::of_words("xkcdpass_6_words", |s| s.phrase(6, " ")),
    Kind::of_words("keepassxc_7_words", |s| s.phrase(7, " ")),
    Kind::of_words("bip39_12_words", |s| s.phrase(12, " ")),
    Kind::of_words("bip39_24_words", |s| s.phrase(24, " ")),
    Kind::of_words("skey_6_words", |s| [(); 6].map(|()| s.word_of(1..=4).to_uppercase()).join(" ")),
    Kind::of_words("bitwarden_3_words", |s| s.bitwarden_phrase(3)),
    Kind::of_words("bitwarden_4_words", |s| s.bitwarden_phrase(4)),
    Kind::of_words("1password_4_words", |s| s.one_in_capitals(4)),
    Kind::of_words("word_and_6_random", |s| s.word().to_owned() + &s.some(6, READABLE)),
    Kind::of_words("6_random_and_word", |s| s.some(6, READABLE) + s.word()),
    Kind::of_words("word_and_8_random", |s| s.word().to_owned() + &s.some(8, ALPHANUMERIC)),
    Kind::of_words("word_dash_6_random", |s| format!("{}-{}", s.word(), s.some(6, READABLE))),
    Kind::of_words("capital_word_and_6_random", |s| capital(s.word()) + &s.some(6, READABLE)),
    Kind::of_words("word_in_8_random", |s| {
        format!("{}{}{}", s.some(4, READABLE), s.word(), s.some(4, READABLE))
    }),
    Kind::of_words("2_words_and_6_random", |s| s.phrase(2, "-") + "-" + &s.some(6, READABLE)),
    Kind::of_words("2_words_digits_sign", |s| s.capitalised(2, "-") + &s.some(4, DIGITS) + &s.some(1, SIGNS)),
    Kind::of_words("first_letters_of_12", |s| s.first_letters(12)),
    Kind::of_words("first_letters_of_8_digit_sign", |s| {
        capital(&s.first_letters(8)) + &s.some(1, DIGITS) + &s.some(1, SIGNS)
    }),
];

impl Source<'_> {
    /// Words with a digit between each two of them.
    fn with_digits_between(&mut self, count: usize) -> String {
        let rest: String = (1..count).map(|_| self.some(1, DIGITS) + self.word()).collect();
        self.word().to_owned() + &rest
    }

    /// Words with capitals and dashes, a digit after one of them.
    fn bitwarden_phrase(&mut self, count: usize) -> String {
        let (place, digit) = (self.pick(count), self.some(1, DIGITS));
        let word = |at| capital(self.word()) + if at == place { &digit } else { "" };
        (0..count).map(word).collect::<Vec<_>>().join("-")
    }

    /// Words with dashes, one of them in capitals.
    fn one_in_capitals(&mut self, count: usize) -> String {
        let place = self.pick(count);
        let word = |at| if at == place { self.word().to_uppercase() } else { self.word().to_owned() };
        (0..count).map(word).collect::<Vec<_>>().join("-")
    }

    /// First letters of words, which stand for a remembered sentence.
    fn first_letters(&mut self, count: usize) -> String {
        (0..count).map(|_| self.first_letter()).collect()
    }
}
