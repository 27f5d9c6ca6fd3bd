//! Errors of ladders on disk.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;

use super::slow_hash::SlowHashError;
use crate::keys::{self, Keyed, MessageKey};
use crate::ladder::structure::params::ParamsError;
use crate::storage::{self, StorageError};
use crate::text::system_reason;

/// An error in the header of a ladder file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeaderError {
    /// Not a ladder file at all.
    Magic,
    /// Another format.
    Version {
        /// The version found.
        got: u32,
        /// The newest version that is read.
        expected: u32,
    },
    /// Another hash.
    Hash,
    /// Parameters outside their limits.
    Params(ParamsError),
    /// Another page size.
    PageBytes {
        /// Bytes that a page must have.
        expected: u32,
    },
    /// An invalid number of stamps.
    Stamps,
    /// A slow hash outside its limits.
    SlowHash,
    /// Reserved bytes are not zero.
    Reserved,
    /// The bits are in the store of a fleet, but should be here.
    OfAFleet,
    /// The bits are here, or have a form that a fleet does not support, but should be in the store of a
    /// fleet.
    NotOfAFleet,
    /// The header was damaged.
    Checksum,
    /// The length of the file differs from the one in its header.
    Length {
        /// The length in the header, in bytes.
        expected: u64,
        /// The file's length in bytes.
        got: u64,
    },
}

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Magic => f.write_str("not a ladder file"),
            Self::Version { got, expected } if got < expected => write!(
                f,
                "written in format {got} by an older nearmiss, which this program does not read; filterctl \
                 ladder init --fix keeps it aside and creates a new one"
            ),
            Self::Version { got, expected } => {
                write!(
                    f,
                    "written in format {got} by a newer nearmiss; this program reads formats up to \
                     {expected}: upgrade libpam-nearmiss and nearmiss-tools together"
                )
            }
            Self::Hash => f.write_str("uses a hash that this program does not know; create a new ladder"),
            Self::Params(error) => write!(f, "the header is damaged: {error}"),
            Self::PageBytes { expected } => {
                write!(f, "the header is damaged: its page size is not {expected} bytes")
            }
            Self::Stamps => f.write_str("the header is damaged: its number of stamps is invalid"),
            Self::SlowHash => {
                f.write_str("the header is damaged: the costs of the slow hash are outside their limits")
            }
            Self::Reserved => f.write_str("the header is damaged: reserved bytes are not zero"),
            Self::OfAFleet => f.write_str("the descriptor of a fleet's ladder; name it in [fleet]"),
            Self::NotOfAFleet => f.write_str("not the descriptor of a fleet's ladder; see filterctl fleet"),
            Self::Checksum => f.write_str("the header is damaged: its checksum does not match"),
            Self::Length { expected, got } => {
                write!(f, "{got} bytes long instead of {expected}; create a new ladder")
            }
        }
    }
}

impl Keyed for HeaderError {
    fn key(&self) -> MessageKey {
        match self {
            Self::Magic => keys::NOT_A_LADDER,
            Self::Version { got, expected } if got < expected => keys::LADDER_OLD_FORMAT,
            Self::Version { .. } | Self::Hash => keys::LADDER_VERSION,
            Self::OfAFleet | Self::NotOfAFleet => keys::LADDER_DESCRIPTOR,
            Self::Params(_)
            | Self::PageBytes { .. }
            | Self::Stamps
            | Self::SlowHash
            | Self::Reserved
            | Self::Checksum
            | Self::Length { .. } => keys::LADDER_DAMAGED,
        }
    }
}

impl Error for HeaderError {}

/// An error in a key file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyProblem {
    /// Not 56 bytes.
    Length,
    /// Not a key file.
    Magic,
    /// Another format.
    Version,
    /// The checksum, reserved bytes or the key itself are invalid.
    Damaged,
}

impl fmt::Display for KeyProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Length => "does not have the length of a ladder key",
            Self::Magic => "not a ladder key",
            Self::Version => "a ladder key of a format this program does not read",
            Self::Damaged => "damaged; restore it, or create a new key and a new ladder",
        })
    }
}

/// A ladder that cannot be created, opened or used: the file, the reason, and the remedy.
#[derive(Debug)]
pub enum LadderError {
    /// A file cannot be opened, read or written, or is not trusted.
    Storage(StorageError),
    /// The ladder file violates its format.
    File {
        /// The ladder file.
        path: PathBuf,
        /// The error.
        problem: HeaderError,
    },
    /// The key file violates its format.
    Key {
        /// The key file.
        path: PathBuf,
        /// The error.
        problem: KeyProblem,
    },
    /// The ladder was created with another key.
    OtherKey {
        /// The ladder file.
        path: PathBuf,
        /// The key file.
        key: PathBuf,
    },
    /// A ladder exists already.
    Exists {
        /// The ladder file.
        path: PathBuf,
    },
    /// The ladder of guessed passwords has a slow hash.
    SlowGuesses {
        /// The ladder file.
        path: PathBuf,
    },
    /// The file of recent failures is another file.
    NotSeen {
        /// The file.
        path: PathBuf,
    },
    /// A page of the array cannot be read or written.
    Access {
        /// The ladder file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The system provides no random bytes.
    Random(io::Error),
    /// The slow hash failed.
    SlowHash(SlowHashError),
}

impl LadderError {
    /// True if a newer program wrote the ladder or its key: it is intact, and usable by that program.
    pub fn is_newer(&self) -> bool {
        match self {
            Self::File { problem: HeaderError::Version { got, expected }, .. } => got > expected,
            // The first format of keys is the one that is read.
            Self::Key { problem, .. } => matches!(problem, KeyProblem::Version),
            _ => false,
        }
    }

    /// True if this process may not open the ladder or its key.
    pub fn is_denied(&self) -> bool {
        matches!(self, Self::Storage(error) if error.is_denied())
    }

    /// True if the caller of a setuid program could have provoked the error: the slow hash needs much memory,
    /// and random bytes come from a system call.
    pub fn may_be_provoked(&self) -> bool {
        match self {
            Self::Storage(error) => error.may_be_provoked(),
            Self::Access { source, .. } => storage::may_be_provoked(source),
            Self::Random(_) | Self::SlowHash(_) => true,
            Self::File { .. }
            | Self::Key { .. }
            | Self::OtherKey { .. }
            | Self::Exists { .. }
            | Self::SlowGuesses { .. }
            | Self::NotSeen { .. } => false,
        }
    }
}

impl fmt::Display for LadderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Storage(error) => error.fmt(f),
            Self::File { path, problem } => write!(f, "{}: {problem}", path.display()),
            Self::Key { path, problem } => write!(f, "{}: {}", path.display(), problem),
            Self::OtherKey { path, key } => {
                write!(
                    f,
                    "{}: the ladder was created with another key than {}",
                    path.display(),
                    key.display()
                )
            }
            Self::Exists { path } => write!(f, "{}: already exists", path.display()),
            Self::SlowGuesses { path } => write!(
                f,
                "{}: has a slow hash, which would delay failed logins; create a new ladder with filterctl \
                 ladder init --guessed --replace",
                path.display()
            ),
            Self::NotSeen { path } => write!(
                f,
                "{}: is not a file of recent failed logins; remove it, and the next failed login creates it",
                path.display()
            ),
            Self::Access { path, source } => {
                write!(f, "{}: cannot be accessed: {}", path.display(), system_reason(source))
            }
            Self::Random(source) => write!(f, "no random bytes: {}", system_reason(source)),
            Self::SlowHash(error) => error.fmt(f),
        }
    }
}

impl Keyed for LadderError {
    fn key(&self) -> MessageKey {
        match self {
            Self::Storage(error) => error.key(),
            Self::File { problem, .. } => problem.key(),
            Self::Key { problem: KeyProblem::Version, .. } => keys::LADDER_VERSION,
            Self::Key { .. } => keys::LADDER_KEY_DAMAGED,
            Self::OtherKey { .. } => keys::LADDER_KEY_OTHER,
            Self::Exists { .. } => keys::LADDER_EXISTS,
            Self::SlowGuesses { .. } => keys::GUESSES_SLOW_HASH,
            Self::NotSeen { .. } => keys::SEEN_FILE,
            Self::Access { .. } => keys::FILE_UNREADABLE,
            Self::Random(_) => keys::OUT_OF_MEMORY,
            Self::SlowHash(error) => error.key(),
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

#[cfg(test)]
mod tests;
