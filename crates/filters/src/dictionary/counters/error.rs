//! Errors of counts files.

use std::{error::Error, fmt, path::PathBuf};

use crate::{
    dictionary::builder::BuildError,
    format::FormatError,
    keys::{self, Keyed, MessageKey},
    storage::StorageError,
};

/// A counts file that cannot be used, with the reason.
#[derive(Debug)]
pub struct CountsError {
    /// The file.
    pub path: PathBuf,
    /// The error.
    pub problem: CountsProblem,
}

/// An error in a counts file.
#[derive(Debug)]
#[non_exhaustive]
pub enum CountsProblem {
    /// It cannot be read or is not trusted.
    Storage(StorageError),
    /// It does not begin like a counts file.
    NotCounts,
    /// It has another format.
    Version {
        /// The version in the file.
        got: u16,
        /// The supported version.
        expected: u16,
    },
    /// Its header is damaged.
    HeadDamaged,
    /// The filter's header in it is damaged.
    Header(FormatError),
    /// Its length differs from the one in its header.
    Length {
        /// The length in the header, in bytes.
        expected: u64,
        /// The length of the file, in bytes.
        got: u64,
    },
    /// The checksum of a page of counters is wrong.
    DamagedPage {
        /// Index of the page, from 0.
        index: u64,
    },
    /// The hashes of its words are damaged.
    DamagedWords,
    /// It does not fit into memory.
    Memory(BuildError),
}

impl fmt::Display for CountsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        let damaged = "damaged; build the filter and its counts again with filterctl build --counts";
        match &self.problem {
            CountsProblem::Storage(error) => write!(f, "{error}"),
            CountsProblem::NotCounts => {
                write!(f, "{path}: is not a counts file; make one with filterctl build --counts")
            }
            CountsProblem::Version { got, expected } => write!(
                f,
                "{path}: written in format {got}, but this program reads format {expected}; build the filter \
                 and its counts again"
            ),
            CountsProblem::HeadDamaged => write!(f, "{path}: the header is {damaged}"),
            CountsProblem::Header(error) => write!(f, "{path}: the filter's header in it: {error}"),
            CountsProblem::Length { expected, got } => {
                write!(f, "{path}: {got} bytes long, but its header says {expected}: {damaged}")
            }
            CountsProblem::DamagedPage { index } => {
                write!(f, "{path}: page {index} of counters is {damaged}")
            }
            CountsProblem::DamagedWords => write!(f, "{path}: the list of words is {damaged}"),
            CountsProblem::Memory(error) => write!(f, "{path}: {error}"),
        }
    }
}

impl Keyed for CountsError {
    fn key(&self) -> MessageKey {
        match &self.problem {
            CountsProblem::Storage(error) => error.key(),
            CountsProblem::NotCounts => keys::NOT_COUNTS,
            CountsProblem::Version { .. }
            | CountsProblem::HeadDamaged
            | CountsProblem::Header(_)
            | CountsProblem::Length { .. }
            | CountsProblem::DamagedPage { .. }
            | CountsProblem::DamagedWords => keys::COUNTS_DAMAGED,
            CountsProblem::Memory(error) => error.key(),
        }
    }
}

impl Error for CountsError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.problem {
            CountsProblem::Storage(error) => Some(error),
            CountsProblem::Header(error) => Some(error),
            CountsProblem::Memory(error) => Some(error),
            _ => None,
        }
    }
}
