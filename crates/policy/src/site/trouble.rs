//! The errors of a part of a site, each with a fixed word for logs and monitoring.

use std::path::PathBuf;

use nearmiss_filters::{
    dictionary::{FilterError, Problem},
    format::FormatError,
    ladder::{HeaderError, KeyProblem, LadderError},
    storage::{Act, StorageError},
};

use super::error::OpenError;
use crate::{config::ConfigError, policy::SourceError};

/// The error of a part that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// There is no such file.
    Missing(PathBuf),
    /// This process may not read the file.
    Denied(PathBuf),
    /// The owner, the mode or the kind of the file, or of a folder on the way to it, is not safe.
    Untrusted,
    /// The bytes of the file are not as its format says.
    Damaged,
    /// Another version of this program made the file.
    Version,
    /// The key of a ladder is wrong, or is not the one that the ladder was made with.
    Key,
    /// The file is intact, but does not support its configuration.
    Unfit,
    /// The system failed to read: the disk, the memory, a limit of the process.
    System,
    /// The configuration has an error.
    Mistake,
    /// The program itself failed: a panic was caught.
    Panic,
}

impl Trouble {
    /// The word of each of them, in the order of the enum.
    pub const CODES: [&str; 10] = [
        "missing",
        "denied",
        "untrusted",
        "damaged",
        "version",
        "key",
        "unfit",
        "system",
        "mistake",
        "panic",
    ];

    /// A fixed word without spaces.
    pub fn code(&self) -> &'static str {
        let [missing, denied, untrusted, damaged, version, key, unfit, system, mistake, panic] = Self::CODES;
        match self {
            Trouble::Missing(_) => missing,
            Trouble::Denied(_) => denied,
            Trouble::Untrusted => untrusted,
            Trouble::Damaged => damaged,
            Trouble::Version => version,
            Trouble::Key => key,
            Trouble::Unfit => unfit,
            Trouble::System => system,
            Trouble::Mistake => mistake,
            Trouble::Panic => panic,
        }
    }
}

impl From<&StorageError> for Trouble {
    fn from(error: &StorageError) -> Trouble {
        if error.is_missing() {
            return Trouble::Missing(error.path.clone());
        }
        if error.is_denied() {
            return Trouble::Denied(error.path.clone());
        }
        match error.act {
            Act::NotAbsolute => Trouble::Mistake,
            Act::TooLarge => Trouble::Damaged,
            Act::NotRegular
            | Act::ForeignLink
            | Act::OpenLink
            | Act::TooManyLinks
            | Act::DanglingLink
            | Act::LeadsOut
            | Act::ForeignOwner
            | Act::OthersMayWrite
            | Act::OthersMayRead
            | Act::Occupied
            | Act::Displaced => Trouble::Untrusted,
            _ => Trouble::System,
        }
    }
}

impl From<&FilterError> for Trouble {
    fn from(error: &FilterError) -> Trouble {
        match &error.problem {
            Problem::Storage(error) => error.into(),
            Problem::Format(FormatError::Version { .. }) => Trouble::Version,
            Problem::Format(_) | Problem::DamagedPage { .. } => Trouble::Damaged,
            Problem::TooLargeToCopy { .. } => Trouble::Unfit,
            Problem::UnreadablePage { .. } => Trouble::System,
        }
    }
}

impl From<&OpenError> for Trouble {
    fn from(error: &OpenError) -> Trouble {
        match error {
            OpenError::Filter(error) => error.into(),
            OpenError::NotNear { .. } | OpenError::NotExact { .. } => Trouble::Unfit,
        }
    }
}

impl From<&LadderError> for Trouble {
    fn from(error: &LadderError) -> Trouble {
        match error {
            LadderError::Storage(error) => error.into(),
            LadderError::File { problem, .. } => of_header(problem),
            LadderError::Key { problem: KeyProblem::Version, .. } => Trouble::Version,
            LadderError::Key { .. } | LadderError::OtherKey { .. } => Trouble::Key,
            LadderError::SlowGuesses { .. } | LadderError::Exists { .. } => Trouble::Unfit,
            LadderError::NotSeen { .. } => Trouble::Damaged,
            LadderError::Access { .. } | LadderError::Random(_) | LadderError::SlowHash(_) => Trouble::System,
        }
    }
}

fn of_header(problem: &HeaderError) -> Trouble {
    match problem {
        HeaderError::Version { .. } => Trouble::Version,
        HeaderError::OfAFleet | HeaderError::NotOfAFleet => Trouble::Unfit,
        _ => Trouble::Damaged,
    }
}

impl From<&ConfigError> for Trouble {
    fn from(error: &ConfigError) -> Trouble {
        match error {
            ConfigError::Storage(error) => error.into(),
            ConfigError::NotUtf8 { .. } | ConfigError::Value { .. } => Trouble::Mistake,
        }
    }
}

impl From<&SourceError> for Trouble {
    fn from(error: &SourceError) -> Trouble {
        match error {
            SourceError::Filter(error) => error.into(),
            SourceError::Ladder(error) | SourceError::Guesses(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn each_trouble_has_its_own_word_without_spaces() {
        let all = [
            Trouble::Missing(PathBuf::new()),
            Trouble::Denied(PathBuf::new()),
            Trouble::Untrusted,
            Trouble::Damaged,
            Trouble::Version,
            Trouble::Key,
            Trouble::Unfit,
            Trouble::System,
            Trouble::Mistake,
            Trouble::Panic,
        ];
        assert_eq!(all.map(|trouble| trouble.code()), Trouble::CODES);
        let mut codes = Trouble::CODES.to_vec();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), Trouble::CODES.len());
        assert!(codes.iter().all(|code| code.bytes().all(|byte| byte.is_ascii_lowercase())));
    }

    #[test]
    fn a_rule_of_trust_a_format_and_a_key_are_told_apart() {
        let path = Path::new("/f");
        let rule = |act| Trouble::from(&StorageError::rule(path, act));
        assert_eq!(rule(Act::OthersMayWrite), Trouble::Untrusted);
        assert_eq!(rule(Act::NotAbsolute), Trouble::Mistake);
        assert_eq!(rule(Act::TooLarge), Trouble::Damaged);
        let file = |problem| Trouble::from(&LadderError::File { path: path.to_owned(), problem });
        assert_eq!(file(HeaderError::Version { got: 1, expected: 2 }), Trouble::Version);
        assert_eq!(file(HeaderError::Checksum), Trouble::Damaged);
        assert_eq!(file(HeaderError::OfAFleet), Trouble::Unfit);
        let key = |problem| Trouble::from(&LadderError::Key { path: path.to_owned(), problem });
        assert_eq!((key(KeyProblem::Length), key(KeyProblem::Version)), (Trouble::Key, Trouble::Version));
    }
}
