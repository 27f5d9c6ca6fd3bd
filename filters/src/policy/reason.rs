//! Reasons to reject a password: stable codes for logs and `--json`, and English for administrators. What
//! users read is the business of each shell.

use std::fmt;

/// Bytes of a password that are looked at; a longer one is rejected.
pub const MAX_PASSWORD_BYTES: usize = 512;

/// Why a password is rejected: the class only, without a part of the password or of the word it is near to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// It has no character.
    Empty,
    /// It has more than [`MAX_PASSWORD_BYTES`] bytes.
    TooLong,
    /// It has fewer characters than the policy asks for.
    TooShort {
        /// The least number of characters.
        min_length: usize,
    },
    /// The user name, or within distance 1 of it.
    NearUserName,
    /// A word of the GECOS field, or within distance 1 of one.
    NearRealName,
    /// The host name, or within distance 1 of it.
    NearHostName,
    /// The old password, or within distance 1 of it.
    NearOldPassword,
    /// It contains a word that the site forbids, or one edit away from one.
    ForbiddenWord,
    /// In a dictionary.
    Dictionary,
    /// Within distance 1 of a dictionary word, or distance 2 of a long one.
    NearDictionary,
    /// Digits only.
    Digits,
    /// A number and one to three letters.
    FewLetters,
    /// A short text again and again, or runs of the alphabet, of digits, of keys or of one character.
    Pattern,
    /// Two dictionary words.
    TwoWords,
    /// A dictionary word and a few characters more.
    MostlyWord,
    /// In a list of leaked passwords, by its digest.
    Breached,
    /// Often tried on this system by failed logins.
    GuessedHere,
    /// Too frequent on this system by the ladder.
    TooCommonHere,
}

impl Reason {
    /// Every reason, in the order in which they are looked for; the number in [`Reason::TooShort`] is an
    /// example.
    pub const ALL: [Reason; 18] = [
        Reason::Empty,
        Reason::TooLong,
        Reason::TooShort { min_length: 8 },
        Reason::NearUserName,
        Reason::NearRealName,
        Reason::NearHostName,
        Reason::NearOldPassword,
        Reason::ForbiddenWord,
        Reason::Dictionary,
        Reason::Breached,
        Reason::NearDictionary,
        Reason::Digits,
        Reason::FewLetters,
        Reason::Pattern,
        Reason::TwoWords,
        Reason::MostlyWord,
        Reason::GuessedHere,
        Reason::TooCommonHere,
    ];

    /// The stable code for logs and `--json`.
    pub fn code(self) -> &'static str {
        match self {
            Reason::Empty => "empty",
            Reason::TooLong => "too-long",
            Reason::TooShort { .. } => "too-short",
            Reason::NearUserName => "near-user-name",
            Reason::NearRealName => "near-real-name",
            Reason::NearHostName => "near-host-name",
            Reason::NearOldPassword => "near-old-password",
            Reason::ForbiddenWord => "forbidden-word",
            Reason::Dictionary => "dictionary",
            Reason::NearDictionary => "near-dictionary",
            Reason::Digits => "digits",
            Reason::FewLetters => "few-letters",
            Reason::Pattern => "pattern",
            Reason::TwoWords => "two-words",
            Reason::MostlyWord => "mostly-word",
            Reason::Breached => "breached",
            Reason::GuessedHere => "guessed-here",
            Reason::TooCommonHere => "too-common-here",
        }
    }

    /// What to do about it, as a clause behind the reason (NIST SP 800-63B-4 §3.1.1.2: verifiers provide the
    /// reason and offer guidance); none for an empty password.
    pub fn advice(self) -> Option<&'static str> {
        Some(match self {
            Reason::Empty => return None,
            Reason::TooLong => "choose a shorter one",
            Reason::TooShort { .. } => "choose a longer one, several words for example",
            Reason::NearUserName | Reason::NearRealName | Reason::NearHostName => {
                "choose one that is not made from it"
            }
            Reason::NearOldPassword => "choose a new one",
            Reason::ForbiddenWord => "choose one without it",
            Reason::Dictionary
            | Reason::NearDictionary
            | Reason::Digits
            | Reason::FewLetters
            | Reason::Pattern
            | Reason::MostlyWord => "choose several unrelated words",
            Reason::TwoWords => "choose three or more unrelated words",
            Reason::Breached => "choose one that was never used anywhere",
            Reason::GuessedHere | Reason::TooCommonHere => "choose another one",
        })
    }
}

/// The reason in English, for administrators: a clause about the password.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Empty => "it is empty",
            Reason::TooLong => return write!(f, "it is longer than {MAX_PASSWORD_BYTES} bytes"),
            Reason::TooShort { min_length } => {
                return write!(f, "it is shorter than {min_length} characters");
            }
            Reason::NearUserName => "it is too close to the user name",
            Reason::NearRealName => "it is too close to the user's real name",
            Reason::NearHostName => "it is too close to this computer's name",
            Reason::NearOldPassword => "it is too close to the old password",
            Reason::ForbiddenWord => "it contains a word that is not allowed here",
            Reason::Dictionary => "it is a dictionary word or a common password, perhaps disguised",
            Reason::NearDictionary => {
                "it is one or two characters away from a dictionary word or common password"
            }
            Reason::Digits => "it has only digits",
            Reason::FewLetters => "it is a number and a few letters",
            Reason::Pattern => "it is a repetition, or a run of neighbouring letters, digits or keys",
            Reason::TwoWords => "it is two dictionary words or common passwords",
            Reason::MostlyWord => "most of it is a dictionary word or common password",
            Reason::Breached => "it is in a list of leaked passwords, perhaps disguised",
            Reason::GuessedHere => "attackers are guessing it on this system",
            Reason::TooCommonHere => "too many people here chose it already",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_stable() {
        let codes = [
            "empty",
            "too-long",
            "too-short",
            "near-user-name",
            "near-real-name",
            "near-host-name",
            "near-old-password",
            "forbidden-word",
            "dictionary",
            "breached",
            "near-dictionary",
            "digits",
            "few-letters",
            "pattern",
            "two-words",
            "mostly-word",
            "guessed-here",
            "too-common-here",
        ];
        assert_eq!(Reason::ALL.map(Reason::code), codes);
    }

    #[test]
    fn the_english_names_what_is_counted() {
        assert_eq!(Reason::TooShort { min_length: 9 }.to_string(), "it is shorter than 9 characters");
        assert_eq!(Reason::TooLong.to_string(), "it is longer than 512 bytes");
        let all: std::collections::HashSet<String> = Reason::ALL.iter().map(ToString::to_string).collect();
        assert_eq!(all.len(), Reason::ALL.len());
    }

    /// The texts that list the codes list each of them in this order, and no other.
    #[test]
    fn every_list_of_codes_is_complete() {
        let man = include_str!("../../../packaging/man/pam_nearmiss.8");
        let readme = include_str!("../../../README.md");
        // In one line, wherever the text is broken into lines.
        let between = |text: &str, start: &str, end: &str| {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let (_, after) = text.split_once(start).unwrap();
            after.split_once(end).unwrap().0.replace(".BR", "")
        };
        let is_other = |c: char| !c.is_ascii_lowercase() && c != '-';
        let codes = Reason::ALL.map(Reason::code);
        for listed in [
            between(man, "behind each reason shown: .BR ", ".TP"),
            between(readme, "each decision in the log:", ". "),
        ] {
            assert_eq!(listed.split(is_other).filter(|word| !word.is_empty()).collect::<Vec<_>>(), codes);
        }
    }
}
