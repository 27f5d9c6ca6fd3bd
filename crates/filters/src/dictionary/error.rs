//! Errors of dictionary filters.

use std::{
    error::Error,
    fmt, io,
    path::{Path, PathBuf},
};

use crate::{
    format::FormatError,
    keys::{self, Keyed, MessageKey},
    storage::{self, StorageError},
    text::system_reason,
};

/// A filter that cannot be opened, or a page of it that is damaged.
#[derive(Debug)]
pub struct FilterError {
    /// The filter file; none for a filter in memory.
    pub path: Option<PathBuf>,
    /// The error.
    pub problem: Problem,
}

/// An error in a filter.
#[derive(Debug)]
pub enum Problem {
    /// The file cannot be read or is not trusted.
    Storage(StorageError),
    /// The bytes are not a filter of this format.
    Format(FormatError),
    /// The file must be read into private memory but is larger than [`super::MAX_COPIED_BYTES`], or than
    /// [`super::MAX_LOGIN_BYTES`] at a login.
    TooLargeToCopy {
        /// True if the reason is that others may read the file; false if it is the configuration.
        is_public: bool,
    },
    /// A page's checksum is wrong.
    DamagedPage {
        /// Index of the page, from 0.
        index: u64,
    },
    /// A page cannot be read.
    UnreadablePage {
        /// Index of the page, from 0.
        index: u64,
        /// The system's error.
        source: io::Error,
    },
}

impl FilterError {
    pub(super) fn new(path: Option<&Path>, problem: Problem) -> FilterError {
        FilterError { path: path.map(Path::to_owned), problem }
    }

    /// True if this process may not read the filter file.
    pub fn is_denied(&self) -> bool {
        matches!(&self.problem, Problem::Storage(error) if error.is_denied())
    }

    /// True when the caller of a setuid program could have brought the error about.
    pub fn may_be_provoked(&self) -> bool {
        match &self.problem {
            Problem::Storage(error) => error.may_be_provoked(),
            Problem::UnreadablePage { source, .. } => storage::may_be_provoked(source),
            _ => false,
        }
    }

    /// True if the filter file does not exist.
    pub fn is_missing(&self) -> bool {
        matches!(&self.problem, Problem::Storage(error) if error.is_missing())
    }
}

impl fmt::Display for FilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.problem, &self.path) {
            (Problem::Storage(_), _) => {} // names its file
            (_, Some(path)) => write!(f, "{}: ", path.display())?,
            (_, None) => f.write_str("filter in memory: ")?,
        }
        match &self.problem {
            Problem::Storage(error) => write!(f, "{error}"),
            Problem::Format(error) => write!(f, "{error}"),
            Problem::TooLargeToCopy { is_public: true } => f.write_str(
                "any user may read it, so it would be copied into private memory, but it exceeds the limit \
                 for a copy (64 MiB, at a login 1 MiB); build it again without --public",
            ),
            Problem::TooLargeToCopy { is_public: false } => f.write_str(
                "private_copy is set, but it exceeds the limit for a copy (64 MiB, at a login 1 MiB); build \
                 a smaller filter, or set private_copy = false",
            ),
            Problem::DamagedPage { index } => {
                write!(f, "damaged: the checksum of page {index} is wrong; rebuild it with filterctl build")
            }
            Problem::UnreadablePage { index, source } => {
                write!(f, "page {index} cannot be read: {}", system_reason(source))
            }
        }
    }
}

impl Keyed for FilterError {
    fn key(&self) -> MessageKey {
        match &self.problem {
            Problem::Storage(error) => error.key(),
            Problem::Format(error) => error.key(),
            Problem::TooLargeToCopy { .. } => keys::FILTER_TOO_LARGE_TO_COPY,
            Problem::DamagedPage { .. } => keys::FILTER_DAMAGED,
            Problem::UnreadablePage { .. } => keys::FILE_UNREADABLE,
        }
    }
}

impl Error for FilterError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.problem {
            Problem::Storage(error) => Some(error),
            Problem::Format(error) => Some(error),
            Problem::UnreadablePage { source, .. } => Some(source),
            Problem::DamagedPage { .. } | Problem::TooLargeToCopy { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::Act;

    #[test]
    fn a_message_begins_with_the_file_or_says_that_there_is_none() {
        let message =
            |path: Option<&str>, problem| FilterError::new(path.map(Path::new), problem).to_string();
        let damaged = || Problem::DamagedPage { index: 7 };
        assert!(message(Some("/f"), damaged()).starts_with("/f: damaged: the checksum of page 7"));
        assert!(message(None, damaged()).starts_with("filter in memory: damaged"));
        assert!(
            message(None, Problem::Format(FormatError::NotAFilter)).starts_with("filter in memory: is not")
        );
        let missing = StorageError::io(Path::new("/g"), Act::Open, io::ErrorKind::NotFound);
        assert!(message(Some("/f"), Problem::Storage(missing)).starts_with("/g: cannot be opened"));
    }
}
