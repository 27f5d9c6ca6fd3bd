//! Password managers, with the settings that they have when they are installed and the nearest others.
//!
//! Sources: bitwarden-generators 3.0.0 (`password.rs`, `passphrase.rs`); `KeePassXC`'s table of settings. The
//! lengths and signs of the others are not verified. Phrases of managers are in `words.rs`.

use super::{
    Kind,
    source::{CONSONANTS, DIGITS, HEX, LOWER, PRINTABLE, READABLE, SIGNS, Source, UPPER, has_each},
};

/// Signs of Bitwarden and `LastPass`.
const ABOVE_DIGITS: &str = "!@#$%^&*";
const LETTERS_AND_DIGITS: [(usize, &str); 3] = [(1, LOWER), (1, UPPER), (1, DIGITS)];
/// Bitwarden's without ambiguous characters: no `l`, `I`, `O`, `0`, `1`.
const BITWARDEN: [(usize, &str); 3] =
    [(1, "abcdefghijkmnopqrstuvwxyz"), (1, "ABCDEFGHJKLMNPQRSTUVWXYZ"), (1, "23456789")];
/// `KeePassXC` without look-alike characters: `0 1 l I O | B 8 G 6` and some signs of the same shape.
const KEEPASSXC: [(usize, &str); 4] = [
    (1, "abcdefghijkmnopqrstuvwxyz"),
    (1, "ACDEFHJKLMNPQRSTUVWXYZ"),
    (1, "234579"),
    (1, "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{}~"),
];

pub(super) const KINDS: &[Kind] = &[
    Kind::new("bitwarden_default_14", |s| s.mixed(14, &LETTERS_AND_DIGITS)),
    Kind::new("bitwarden_signs_14", |s| s.all_four(14, (1, ABOVE_DIGITS))),
    Kind::new("bitwarden_min3_14", |s| {
        s.mixed(14, &[(1, LOWER), (1, UPPER), (3, DIGITS), (3, ABOVE_DIGITS)])
    }),
    Kind::new("bitwarden_min5_16", |s| {
        s.mixed(16, &[(1, LOWER), (1, UPPER), (5, DIGITS), (0, ABOVE_DIGITS)])
    }),
    Kind::new("bitwarden_readable_14", |s| s.mixed(14, &BITWARDEN)),
    Kind::new("bitwarden_lower_14", |s| s.mixed(14, &[(0, LOWER), (1, DIGITS)])),
    Kind::new("bitwarden_8", |s| s.mixed(8, &LETTERS_AND_DIGITS)),
    Kind::new("1password_20", |s| s.all_four(20, (1, "!@.-_*"))),
    Kind::new("1password_letters_20", |s| s.some(20, &format!("{LOWER}{UPPER}"))),
    Kind::new("1password_pin_8", |s| s.some(8, DIGITS)),
    Kind::new("1password_pin_12", |s| s.some(12, DIGITS)),
    Kind::new("lastpass_12", |s| s.all_four(12, (1, ABOVE_DIGITS))),
    Kind::new("lastpass_16", |s| s.all_four(16, (1, ABOVE_DIGITS))),
    Kind::new("lastpass_read_12", |s| s.some(12, READABLE)),
    Kind::new("lastpass_say_12", |s| s.easy_to_say(12)),
    Kind::new("lastpass_say_16", |s| s.easy_to_say(16)),
    Kind::new("dashlane_12", |s| s.all_four(12, (1, "!@#$%&*()_+-=?"))),
    Kind::new("dashlane_16", |s| s.all_four(16, (1, "!@#$%&*()_+-=?"))),
    Kind::new("dashlane_readable_16", |s| s.some(16, &READABLE.replace(['S', '5', 'Z', '2'], ""))),
    Kind::new("keepassxc_20", |s| s.mixed(20, &KEEPASSXC)),
    Kind::new("keepassxc_letters_20", |s| s.mixed(20, &LETTERS_AND_DIGITS)),
    Kind::new("keepassxc_extended_20", |s| {
        let extended: String = ('\u{a1}'..='\u{ff}').filter(|&c| c != '\u{ad}').collect();
        s.some(20, &format!("{PRINTABLE}{extended}"))
    }),
    Kind::new("keepassxc_hex_32", |s| s.some(32, &HEX.to_uppercase())),
    Kind::new("keepassxc_hex_40", |s| s.some(40, HEX)),
    Kind::new("keepass_hex_10", |s| s.some(10, HEX)),
    Kind::new("keepass_hex_64", |s| s.some(64, HEX)),
    Kind::new("keepass_mac_address", |s| s.groups(6, 2, &HEX.to_uppercase(), "-")),
    Kind::new("proton_16", |s| s.all_four(16, (1, "!@#$%^&*"))),
    Kind::new("proton_letters_12", |s| s.some(12, &format!("{LOWER}{UPPER}"))),
    Kind::new("nordpass_12", |s| s.all_four(12, (1, "!@#$%^&*-_=+?"))),
    Kind::new("nordpass_20", |s| s.all_four(20, (1, "!@#$%^&*-_=+?"))),
    Kind::new("keeper_20", |s| s.all_four(20, (1, "!@#$%()+;<>=?[]{}^.,"))),
    Kind::new("enpass_18", |s| s.all_four(18, (1, SIGNS))),
    Kind::new("enpass_pronounceable", |s| {
        (0..5).map(|_| s.each(&[CONSONANTS, "aeiou", CONSONANTS])).collect()
    }),
    Kind::new("roboform_16", |s| s.all_four(16, (1, "!@#$%^&*"))),
];

impl Source<'_> {
    /// At least a small letter, a capital and a digit, and so many of these signs.
    pub(super) fn all_four(&mut self, length: usize, signs: (usize, &str)) -> String {
        let [lower, upper, digit] = LETTERS_AND_DIGITS;
        self.mixed(length, &[lower, upper, digit, signs])
    }

    /// Letters, of which consonants and vowels take turns, with at least one capital.
    fn easy_to_say(&mut self, length: usize) -> String {
        let letter = |s: &mut Self, at: usize| {
            let letter = s.some(1, if at % 2 == 0 { CONSONANTS } else { "aeiou" });
            if s.chance(5) { letter.to_uppercase() } else { letter }
        };
        let make = |s: &mut Self| (0..length).map(|at| letter(s, at)).collect();
        self.until(make, |text| has_each(text, &[LOWER, UPPER]))
    }
}
