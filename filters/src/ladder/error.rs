//! Why a ladder on disk cannot be used.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;

use super::header::HeaderError;
use super::slow_hash::SlowHashError;
use crate::storage::StorageError;

/// What is wrong with a key file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyProblem {
    /// Not 56 bytes.
    Length,
    /// Not a key file.
    Magic,
    /// Another format.
    Version,
    /// Checksum, reserved bytes or the key itself are not as they can be.
    Damaged,
}

impl KeyProblem {
    const fn words(self) -> &'static str {
        match self {
            Self::Length => "not as long as a ladder key",
            Self::Magic => "not a ladder key",
            Self::Version => "a ladder key of a format this program does not read",
            Self::Damaged => "damaged; restore it, or make key and ladder anew",
        }
    }
}

/// A ladder that cannot be made, opened or used: which file, why, and what to do.
#[derive(Debug)]
#[non_exhaustive]
pub enum LadderError {
    /// A file cannot be opened, read, written, or is not to be trusted.
    Storage(StorageError),
    /// The ladder file is not as the format says.
    File {
        /// The ladder file.
        path: PathBuf,
        /// What is wrong.
        problem: HeaderError,
    },
    /// The key file is not as the format says.
    Key {
        /// The key file.
        path: PathBuf,
        /// What is wrong.
        problem: KeyProblem,
    },
    /// The ladder was made with another key.
    OtherKey {
        /// The ladder file.
        path: PathBuf,
        /// The key file.
        key: PathBuf,
    },
    /// There is a ladder already.
    Exists {
        /// The ladder file.
        path: PathBuf,
    },
    /// A page of the array cannot be read or written.
    Access {
        /// The ladder file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// The system gives no random bytes.
    Random(io::Error),
    /// The slow hash failed.
    SlowHash(SlowHashError),
}

impl fmt::Display for LadderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Storage(error) => error.fmt(f),
            Self::File { path, problem } => write!(f, "{}: {problem}", path.display()),
            Self::Key { path, problem } => write!(f, "{}: {}", path.display(), problem.words()),
            Self::OtherKey { path, key } => {
                write!(f, "{}: made with another key than {}", path.display(), key.display())
            }
            Self::Exists { path } => write!(f, "{}: exists already", path.display()),
            Self::Access { path, source } => {
                write!(f, "{}: a page cannot be accessed: {source}", path.display())
            }
            Self::Random(source) => write!(f, "no random bytes: {source}"),
            Self::SlowHash(error) => error.fmt(f),
        }
    }
}

impl Error for LadderError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Storage(error) => Some(error),
            Self::File { problem, .. } => Some(problem),
            Self::Access { source, .. } | Self::Random(source) => Some(source),
            Self::SlowHash(error) => Some(error),
            _ => None,
        }
    }
}

impl From<StorageError> for LadderError {
    fn from(error: StorageError) -> Self {
        Self::Storage(error)
    }
}

impl From<SlowHashError> for LadderError {
    fn from(error: SlowHashError) -> Self {
        Self::SlowHash(error)
    }
}
