//! Stable keys of messages: what a sentence is found by in docs/troubleshoot.md, however it is worded.
//!
//! A key belongs to what a person does about a message, so that several sentences share one. This table has
//! the keys of this library's errors and of the lines that the PAM module logs; the tools have their own.
//! Every table is made by `message_keys!`, and a test compares all of them with the page.

use std::{fmt, io};

/// The key of a message: some words in lower case, with hyphens between them.
///
/// It is shown in brackets, as it stands at the end of a message: `[filter-damaged]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageKey(&'static str);

impl MessageKey {
    /// For [`message_keys!`] alone, so that no message has a key that is in no table.
    #[doc(hidden)]
    pub const fn in_table(name: &'static str) -> MessageKey {
        MessageKey(name)
    }

    /// The key without brackets.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for MessageKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}]", self.0)
    }
}

/// What is found by a key: an error, or the key itself.
pub trait Keyed {
    /// The key of its message.
    fn key(&self) -> MessageKey;
}

impl Keyed for MessageKey {
    fn key(&self) -> MessageKey {
        *self
    }
}

impl<K: Keyed> Keyed for &K {
    fn key(&self) -> MessageKey {
        (*self).key()
    }
}

/// What the system answered: about the file or the stream that the message names.
impl Keyed for io::Error {
    fn key(&self) -> MessageKey {
        match self.kind() {
            io::ErrorKind::NotFound => FILE_MISSING,
            io::ErrorKind::PermissionDenied => FILE_DENIED,
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::ReadOnlyFilesystem
            | io::ErrorKind::WriteZero => FILE_UNWRITABLE,
            io::ErrorKind::OutOfMemory => OUT_OF_MEMORY,
            _ => SYSTEM_ERROR,
        }
    }
}

/// Makes a table of keys: a constant for each, and `ALL`.
#[macro_export]
macro_rules! message_keys {
    ($($(#[$doc:meta])* $name:ident = $key:literal;)*) => {
        $($(#[$doc])* pub const $name: $crate::keys::MessageKey = $crate::keys::MessageKey::in_table($key);)*

        /// Each key of this table once.
        pub const ALL: &[$crate::keys::MessageKey] = &[$($name),*];
    };
}

message_keys! {
    /// The configuration has a mistake.
    CONFIGURATION_MISTAKE = "configuration-mistake";
    /// The configuration cannot be used, so that passwords are not checked or not changed.
    CONFIGURATION_UNUSABLE = "configuration-unusable";
    /// The counts of a filter are damaged, or are no counts.
    COUNTS_DAMAGED = "counts-damaged";
    /// One group of the digests has more than chance gives it.
    DIGESTS_CROWDED = "digests-crowded";
    /// The digests are not in ascending order.
    DIGESTS_UNSORTED = "digests-unsorted";
    /// Another process is replacing the file.
    FILE_BUSY = "file-busy";
    /// This process has no right to the file.
    FILE_DENIED = "file-denied";
    /// Another process moved the new file while it was written.
    FILE_DISPLACED = "file-displaced";
    /// The file is not there.
    FILE_MISSING = "file-missing";
    /// The file, or a folder on the way to it, is not a real one.
    FILE_NOT_REGULAR = "file-not-regular";
    /// Something that is not ours lies where the new file is written.
    FILE_OCCUPIED = "file-occupied";
    /// Others may write the file, or read a secret in it.
    FILE_OPEN_TO_OTHERS = "file-open-to-others";
    /// The file belongs to a user who is not trusted.
    FILE_OWNER = "file-owner";
    /// The file is larger than its kind can be.
    FILE_TOO_LARGE = "file-too-large";
    /// The system cannot read the file.
    FILE_UNREADABLE = "file-unreadable";
    /// The system cannot write the file.
    FILE_UNWRITABLE = "file-unwritable";
    /// The bytes of a filter are not as they were written.
    FILTER_DAMAGED = "filter-damaged";
    /// A filter was built for other matches than are configured.
    FILTER_MATCH = "filter-match";
    /// Any user may read a filter.
    FILTER_PUBLIC = "filter-public";
    /// A filter has to be copied and is too large for that.
    FILTER_TOO_LARGE_TO_COPY = "filter-too-large-to-copy";
    /// A filter cannot be used, so that passwords are not checked or not changed.
    FILTER_UNUSABLE = "filter-unusable";
    /// A newer or older nearmiss made the filter.
    FILTER_VERSION = "filter-version";
    /// Two filters have no union.
    FILTERS_DIFFER = "filters-differ";
    /// The agent or the store of a fleet does not reply.
    FLEET_UNREACHABLE = "fleet-unreachable";
    /// The ladder of guessed passwords has a slow hash.
    GUESSES_SLOW_HASH = "guesses-slow-hash";
    /// The ladder of guessed passwords cannot be used.
    GUESSES_UNUSABLE = "guesses-unusable";
    /// The program did not say whose password it is, or which call it is, or asked the library wrongly.
    HOST_PROGRAM = "host-program";
    /// The program itself failed.
    INTERNAL_ERROR = "internal-error";
    /// The header of a ladder, or its length, is damaged.
    LADDER_DAMAGED = "ladder-damaged";
    /// A ladder of a fleet is named for this host, or the other way round.
    LADDER_DESCRIPTOR = "ladder-descriptor";
    /// There is a ladder already.
    LADDER_EXISTS = "ladder-exists";
    /// The key of a ladder is damaged.
    LADDER_KEY_DAMAGED = "ladder-key-damaged";
    /// The ladder was made with another key.
    LADDER_KEY_OTHER = "ladder-key-other";
    /// The ladder has no room for a stamp of an account.
    LADDER_NO_ROOM = "ladder-no-room";
    /// Only root can look a password up in the ladder.
    LADDER_NOT_ASKED = "ladder-not-asked";
    /// The ladder is of an earlier format, which is not read.
    LADDER_OLD_FORMAT = "ladder-old-format";
    /// Numbers of a ladder are outside their limits.
    LADDER_PARAMETERS = "ladder-parameters";
    /// The ladder of chosen passwords cannot be used.
    LADDER_UNUSABLE = "ladder-unusable";
    /// A newer nearmiss made the ladder or its key.
    LADDER_VERSION = "ladder-version";
    /// A list has no word.
    LIST_EMPTY = "list-empty";
    /// Passwords of logins are not compared with lists or guesses.
    LOGIN_NOT_COMPARED = "login-not-compared";
    /// A module before this one had to give the password.
    NO_PASSWORD_BEFORE = "no-password-before";
    /// The file is no counts file.
    NOT_COUNTS = "not-counts";
    /// The file is no dictionary filter.
    NOT_A_FILTER = "not-a-filter";
    /// The file is no ladder.
    NOT_A_LADDER = "not-a-ladder";
    /// An option of the PAM line is not known, or has no such value.
    OPTION_IGNORED = "option-ignored";
    /// A password that was set, or that of a login, is not recorded.
    NOT_RECORDED = "not-recorded";
    /// The machine has no memory or no random bytes.
    OUT_OF_MEMORY = "out-of-memory";
    /// A server was given a password that had been hashed before.
    PASSWORD_HASHED = "password-hashed";
    /// A path is not absolute.
    PATH_NOT_ABSOLUTE = "path-not-absolute";
    /// No filter keeps the rate that is asked for.
    RATE_UNREACHABLE = "rate-unreachable";
    /// The ranks beside a filter cannot be used.
    RANKS_UNUSABLE = "ranks-unusable";
    /// The file of the failed logins that were seen is something else.
    SEEN_FILE = "seen-file";
    /// The words that passphrases are made of cannot be used.
    SUGGEST_WORDS = "suggest-words";
    /// The system answered with another error.
    SYSTEM_ERROR = "system-error";
    /// The words have more different characters than a near filter can have.
    TOO_MANY_CHARACTERS = "too-many-characters";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_ends_its_message_in_brackets() {
        assert_eq!(format!("/f: damaged {FILTER_DAMAGED}"), "/f: damaged [filter-damaged]");
        assert_eq!(FILTER_DAMAGED.as_str(), "filter-damaged");
    }
}
