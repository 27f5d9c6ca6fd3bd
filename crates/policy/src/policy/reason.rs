//! Reasons to reject a password, one row each: a number for programs, a stable code for logs and `--json`,
//! and a sentence for people.

use std::{ffi::CStr, fmt};

/// The highest number of bytes of a password; a longer one is rejected. crypt(3) and `pam_unix` refuse 512.
pub const MAX_PASSWORD_BYTES: usize = 511;

/// The reason why a password is rejected: the class only, without any part of the password or of the word
/// near it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// It has no characters.
    Empty,
    /// It has more than [`MAX_PASSWORD_BYTES`] bytes.
    TooLong,
    /// It has fewer characters than the policy requires.
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
    /// A number and a few letters.
    FewLetters,
    /// A repeated short text, or runs of the alphabet, of digits, of keys or of one character.
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

/// The texts of a reason.
struct ReasonRow {
    /// In nearmiss.h; never used twice.
    number: i32,
    /// In logs, never changed.
    code: &'static CStr,
    /// On the screen; `make pot` finds it here.
    sentence: &'static str,
}

impl Reason {
    /// Every reason, in the order of the checks; the number in [`Reason::TooShort`] is an example.
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

    /// The texts of this reason.
    #[allow(clippy::too_many_lines, reason = "a table")]
    fn row(self) -> ReasonRow {
        match self {
            Reason::Empty => ReasonRow {
                number: 1,
                code: c"empty",
                sentence: "BAD PASSWORD: it is too short: it is empty",
            },
            Reason::TooLong => ReasonRow {
                number: 2,
                code: c"too-long",
                sentence: "BAD PASSWORD: it has more than {most_bytes} bytes, and not all \
                can be recovered; choose one with fewer",
            },
            Reason::TooShort { .. } => ReasonRow {
                number: 3,
                code: c"too-short",
                sentence: "BAD PASSWORD: it is shorter than {min_length} characters; choose a longer one, \
                several words for example",
            },
            Reason::NearUserName => ReasonRow {
                number: 4,
                code: c"near-user-name",
                sentence: "BAD PASSWORD: it is too simple: it is too close to the user name; choose one \
                that is not made from it",
            },
            Reason::NearRealName => ReasonRow {
                number: 5,
                code: c"near-real-name",
                sentence: "BAD PASSWORD: it is too simple: it is near the account's name, room or phone; \
                choose one that is not made from them",
            },
            Reason::NearHostName => ReasonRow {
                number: 6,
                code: c"near-host-name",
                sentence: "BAD PASSWORD: it is too simple: it is too close to this computer's name; \
                choose one that is not made from it",
            },
            Reason::NearOldPassword => ReasonRow {
                number: 7,
                code: c"near-old-password",
                sentence: "BAD PASSWORD: it is too similar to the old password; choose a new one",
            },
            Reason::ForbiddenWord => ReasonRow {
                number: 17,
                code: c"forbidden-word",
                sentence: "BAD PASSWORD: it is too simple: it contains a word that is not allowed here; \
                choose one without it",
            },
            Reason::Dictionary => ReasonRow {
                number: 8,
                code: c"dictionary",
                sentence: "BAD PASSWORD: it is a dictionary word or a common password, perhaps disguised; \
                choose several unrelated words",
            },
            Reason::Breached => ReasonRow {
                number: 10,
                code: c"breached",
                sentence: "BAD PASSWORD: it is in a dictionary of leaked passwords, perhaps disguised; \
                choose one that was never used anywhere",
            },
            Reason::NearDictionary => ReasonRow {
                number: 9,
                code: c"near-dictionary",
                sentence: "BAD PASSWORD: it is one or two characters away from a dictionary word; \
                choose several unrelated words",
            },
            Reason::Digits => ReasonRow {
                number: 13,
                code: c"digits",
                sentence: "BAD PASSWORD: it is too simple: it has only digits; choose several unrelated \
                words",
            },
            Reason::FewLetters => ReasonRow {
                number: 18,
                code: c"few-letters",
                sentence: "BAD PASSWORD: it is too simple: it is a number and a few letters; choose \
                several unrelated words",
            },
            Reason::Pattern => ReasonRow {
                number: 14,
                code: c"pattern",
                sentence: "BAD PASSWORD: it is too simple: it is a repetition or a run of letters or \
                keys; choose several unrelated words",
            },
            Reason::TwoWords => ReasonRow {
                number: 15,
                code: c"two-words",
                sentence: "BAD PASSWORD: it is two dictionary words or common passwords; choose three or \
                more unrelated words",
            },
            Reason::MostlyWord => ReasonRow {
                number: 16,
                code: c"mostly-word",
                sentence: "BAD PASSWORD: most of it is a dictionary word or common password; choose \
                several unrelated words",
            },
            Reason::GuessedHere => ReasonRow {
                number: 12,
                code: c"guessed-here",
                sentence: "BAD PASSWORD: it is too simple: attackers are guessing it on this system; \
                choose another one",
            },
            Reason::TooCommonHere => ReasonRow {
                number: 11,
                code: c"too-common-here",
                sentence: "BAD PASSWORD: it is too simple: too many people here chose it already; choose \
                another one",
            },
        }
    }

    /// The stable code for logs and `--json`.
    pub fn code(self) -> &'static str {
        self.c_code().to_str().unwrap_or_default()
    }

    /// The same for programs in C.
    pub fn c_code(self) -> &'static CStr {
        self.row().code
    }

    /// Its number in nearmiss.h.
    pub fn number(self) -> i32 {
        self.row().number
    }

    /// The sentence that the module shows, which is translated: a heading, for dialogs that read the output
    /// of `passwd` a word that `pam_cracklib` uses for the same, what is wrong with the password, and after a
    /// semicolon what to do (NIST SP 800-63B-4 §3.1.1.2: verifiers provide the reason and offer
    /// guidance). It may have a [hole](Reason::hole).
    pub fn sentence(self) -> &'static str {
        self.row().sentence
    }

    /// The placeholder for a number in the sentence, and the number.
    pub fn hole(self) -> Option<(&'static str, usize)> {
        match self {
            Reason::TooLong => Some(("most_bytes", MAX_PASSWORD_BYTES)),
            Reason::TooShort { min_length } => Some(("min_length", min_length)),
            _ => None,
        }
    }

    /// A text with its hole filled by the number.
    pub fn filled(self, text: &str) -> String {
        let filled =
            |(name, number): (&str, usize)| text.replace(&format!("{{{name}}}"), &number.to_string());
        self.hole().map_or_else(|| text.to_owned(), filled)
    }

    /// The advice, as a clause after the reason; none for an empty password.
    pub fn advice(self) -> Option<&'static str> {
        self.sentence().split_once("; ").map(|(_, advice)| advice)
    }
}

/// The reason in English, for administrators: a clause about the password.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (clause, _) = self.sentence().split_once("; ").unwrap_or((self.sentence(), ""));
        f.write_str(&self.filled(clause.rsplit_once(": ").map_or(clause, |(_, clause)| clause)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_english_names_what_is_counted() {
        assert_eq!(Reason::TooShort { min_length: 9 }.to_string(), "it is shorter than 9 characters");
        assert_eq!(Reason::TooLong.to_string(), "it has more than 511 bytes, and not all can be recovered");
        let all: std::collections::HashSet<String> = Reason::ALL.iter().map(ToString::to_string).collect();
        assert_eq!(all.len(), Reason::ALL.len());
    }

    /// The manual lists each code, in this order, and no other.
    #[test]
    fn the_manual_lists_every_code() {
        let man = include_str!("../../../../packaging/man/nearmiss.conf.5");
        let (_, after) = man.split_once("The reasons are\n").unwrap();
        let listed = after.split_once(".TP").unwrap().0.replace(".BR", "");
        let is_other = |c: char| !c.is_ascii_lowercase() && c != '-';
        let listed: Vec<_> = listed.split(is_other).filter(|word| !word.is_empty()).collect();
        assert_eq!(listed, Reason::ALL.map(Reason::code));
    }
}
