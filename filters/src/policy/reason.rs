//! Verdicts and reasons: stable codes for logs and `--json`, plain words for people.

use std::borrow::Cow;

/// Bytes of a password that are looked at; a longer one is rejected.
pub const MAX_PASSWORD_BYTES: usize = 512;

/// The policy's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing speaks against the password.
    Accept,
    /// The password must not be set.
    Reject(Reason),
}

/// Why a password is rejected: the class only, nothing of the password or of the word it is near to.
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
    /// In a dictionary.
    Dictionary,
    /// Within distance 1 of a dictionary word.
    NearDictionary,
    /// In a list of leaked passwords, by its digest.
    Breached,
    /// Too frequent on this system by the ladder.
    TooCommonHere,
}

impl Reason {
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
            Reason::Dictionary => "dictionary",
            Reason::NearDictionary => "near-dictionary",
            Reason::Breached => "breached",
            Reason::TooCommonHere => "too-common-here",
        }
    }

    /// The reason for the person who typed the password, with what to do about it (NIST SP 800-63B-4 §3.1.1.2:
    /// verifiers provide the reason and offer guidance).
    pub fn sentence(self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Reason::Empty => "it is empty",
            Reason::TooLong => {
                return Cow::Owned(format!(
                    "it is longer than {MAX_PASSWORD_BYTES} bytes; choose a shorter one"
                ));
            }
            Reason::TooShort { min_length } => {
                return Cow::Owned(format!(
                    "it is shorter than {min_length} characters; choose a longer one, several words for example"
                ));
            }
            Reason::NearUserName => "it is too close to the user name; choose one that is not made from it",
            Reason::NearRealName => {
                "it is too close to the user's real name; choose one that is not made from it"
            }
            Reason::NearHostName => {
                "it is too close to this computer's name; choose one that is not made from it"
            }
            Reason::NearOldPassword => "it is too close to the old password; choose a new one",
            Reason::Dictionary => {
                "it is a dictionary word or a common password, perhaps disguised; choose several unrelated words"
            }
            Reason::NearDictionary => {
                "it is one character away from a dictionary word or common password; choose several unrelated words"
            }
            Reason::Breached => {
                "it is in a list of leaked passwords, perhaps disguised; choose one that was never used anywhere"
            }
            Reason::TooCommonHere => "too many people on this system chose it already; choose another one",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [(Reason, &str, &str); 11] = [
        (Reason::Empty, "empty", "is empty"),
        (Reason::TooLong, "too-long", "longer than 512 bytes"),
        (Reason::TooShort { min_length: 9 }, "too-short", "shorter than 9 characters"),
        (Reason::NearUserName, "near-user-name", "the user name"),
        (Reason::NearRealName, "near-real-name", "real name"),
        (Reason::NearHostName, "near-host-name", "this computer's name"),
        (Reason::NearOldPassword, "near-old-password", "the old password"),
        (Reason::Dictionary, "dictionary", "is a dictionary word"),
        (Reason::NearDictionary, "near-dictionary", "one character away"),
        (Reason::Breached, "breached", "list of leaked passwords"),
        (Reason::TooCommonHere, "too-common-here", "too many people"),
    ];

    #[test]
    fn codes_are_stable_and_sentences_say_why() {
        for (reason, code, why) in ALL {
            assert_eq!(reason.code(), code);
            let sentence = reason.sentence();
            assert!(sentence.contains(why), "{code}: {sentence}");
        }
    }
}
