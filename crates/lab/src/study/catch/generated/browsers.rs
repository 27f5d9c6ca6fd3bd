//! Browsers, and the passwords for programs that accounts of the same companies give.
//!
//! Sources: Chromium's `password_generator.cc` (15 characters, no `l I 1 O 0 o`, one of each class);
//! Firefox's `PasswordGenerator.jsm` (the same set, signs from version 138 on); Apple's `generator.js` of
//! the tool for password rules (two styles). Passwords for programs as the companies' help pages show them.

#![allow(clippy::redundant_closure_for_method_calls, reason = "a method is of one lifetime only")]

use super::{
    Kind,
    source::{DIGITS, LOWER, READABLE, Source, UPPER, has_each},
};

const READABLE_LOWER: (usize, &str) = (1, "abcdefghijkmnpqrstuvwxyz");
const READABLE_UPPER: (usize, &str) = (1, "ABCDEFGHJKLMNPQRSTUVWXYZ");
const READABLE_DIGITS: (usize, &str) = (1, "23456789");
const CHROME: [(usize, &str); 3] = [READABLE_LOWER, READABLE_UPPER, READABLE_DIGITS];
/// Apple's: no `l` and no `O`.
const UNAMBIGUOUS: &str = "abcdefghijkmnopqrstuvwxyzABCDEFGHIJKLMNPQRSTUVWXYZ0123456789";
const APPLE_CONSONANTS: &str = "bcdfghjkmnpqrstvwxz";
const APPLE_VOWELS: &str = "aeiouy";

pub(super) const KINDS: &[Kind] = &[
    Kind::new("chrome_15", |s| s.mixed(15, &CHROME)),
    Kind::new("chrome_signs_15", |s| {
        s.mixed(15, &[READABLE_LOWER, READABLE_UPPER, READABLE_DIGITS, (1, "-_.:!")])
    }),
    Kind::new("chrome_at_most_10", |s| s.mixed(10, &CHROME)),
    Kind::new("chrome_at_most_8", |s| s.mixed(8, &CHROME)),
    Kind::new("firefox_15", |s| s.mixed(15, &CHROME)),
    Kind::new("firefox_signs_15", |s| {
        let signs = "-~!@#$%^&*_+=)}:;\"'>,.?]";
        s.mixed(15, &[READABLE_LOWER, READABLE_UPPER, READABLE_DIGITS, (1, signs)])
    }),
    Kind::new("safari_20", |s| s.safari()),
    Kind::new("safari_without_dashes_18", |s| s.safari().replace('-', "")),
    Kind::new("safari_classic_15", |s| {
        s.until(|s| s.groups(4, 3, UNAMBIGUOUS, "-"), |text| has_each(text, &[LOWER, UPPER, DIGITS]))
    }),
    Kind::new("safari_classic_12", |s| {
        s.until(|s| s.some(12, UNAMBIGUOUS), |text| has_each(text, &[LOWER, UPPER, DIGITS]))
    }),
    Kind::new("edge_15", |s| s.mixed(15, &[READABLE_LOWER, READABLE_UPPER, READABLE_DIGITS, (1, "-_.:!")])),
    Kind::new("opera_16", |s| s.some(16, READABLE)),
    Kind::new("google_for_programs_16", |s| s.some(16, LOWER)),
    Kind::new("google_for_programs_19", |s| s.groups(4, 4, LOWER, " ")),
    Kind::new("microsoft_for_programs_16", |s| s.some(16, LOWER)),
    Kind::new("apple_for_programs_19", |s| s.groups(4, 4, LOWER, "-")),
    Kind::new("yahoo_for_programs_16", |s| s.some(16, LOWER)),
    Kind::new("fastmail_for_programs_16", |s| s.some(16, &format!("{}23456789", READABLE_LOWER.1))),
    Kind::new("facebook_for_programs_12", |s| s.some(12, LOWER)),
    Kind::new("nextcloud_for_programs_29", |s| s.groups(5, 5, READABLE, "-")),
    // The first password of an account of Microsoft 365: 26.7 bits.
    Kind::new("microsoft_temporary_8", |s| {
        let [capital, consonant] = ["BCDFGHJKLMNPQRSTVWXYZ", "bcdfghjklmnpqrstvwxyz"];
        s.each(&[capital, "aeiou", consonant, "aeiou", DIGITS, DIGITS, DIGITS, DIGITS])
    }),
];

impl Source<'_> {
    /// Five syllables of three letters and one of two, any letter but an `o` a capital, in groups of six; a
    /// digit is before or after the short group, which begins at one of three places.
    fn safari(&mut self) -> String {
        let syllables = (0..5).map(|_| self.each(&[APPLE_CONSONANTS, APPLE_VOWELS, APPLE_CONSONANTS]));
        let syllables: String = syllables.collect();
        let mut letters: Vec<char> =
            (syllables + &self.each(&[APPLE_CONSONANTS, APPLE_VOWELS])).chars().collect();
        let places: Vec<usize> = (0..letters.len()).filter(|&at| letters.get(at) != Some(&'o')).collect();
        let capital = places.get(self.pick(places.len())).copied();
        if let Some(letter) = capital.and_then(|at| letters.get_mut(at)) {
            letter.make_ascii_uppercase();
        }
        let group = |from: usize, to: usize| letters.get(from..to).unwrap_or_default().iter().collect();
        let [first, second, short]: [String; 3] = [group(0, 6), group(6, 12), group(12, 17)];
        let (place, digit) = (self.pick(5), self.some(1, DIGITS));
        let text = match place {
            0 => [short, digit, first, second],
            1 => [first, digit, short, second],
            2 => [first, short, digit, second],
            3 => [first, second, digit, short],
            _ => [first, second, short, digit],
        };
        let text: Vec<char> = text.concat().chars().collect();
        text.chunks(6).map(|group| group.iter().collect::<String>()).collect::<Vec<_>>().join("-")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn safari_has_one_digit_at_an_edge_and_one_capital() {
        let safari = KINDS.iter().find(|kind| kind.name == "safari_20").unwrap();
        for password in safari.passwords(300, &[], 1).0 {
            let count = |is: fn(&char) -> bool| password.chars().filter(is).count();
            assert_eq!((count(char::is_ascii_digit), count(char::is_ascii_uppercase)), (1, 1), "{password}");
            let digit = password.find(|c: char| c.is_ascii_digit()).unwrap();
            assert!([5, 7, 12, 14, 19].contains(&digit), "{password}");
        }
    }
}
