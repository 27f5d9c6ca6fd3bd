//! Errors of bytes that are not a dictionary filter of a supported format.

use std::{error::Error, fmt};

use super::VERSION;
use crate::keys::{self, Keyed, MessageKey};

/// An error in a header or in a file's length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormatError {
    /// The file does not begin like a dictionary filter.
    NotAFilter,
    /// It has a format that this library does not read.
    Version {
        /// The version in the file.
        got: u16,
    },
    /// Written by a newer program, with the same layout but a value that this library does not know.
    Newer {
        /// The name of that field in FORMAT.md.
        name: &'static str,
        /// Its value.
        got: u8,
    },
    /// The file ends before its header does.
    TruncatedHeader {
        /// The length of the header, in bytes.
        expected: u64,
        /// The length of the file, in bytes.
        got: u64,
    },
    /// The header's checksum is wrong.
    HeaderDamaged,
    /// A field has a value that no writer stores.
    Field {
        /// The field's name in FORMAT.md.
        name: &'static str,
        /// The value, as far as it fits.
        got: u64,
    },
    /// The length of the file differs from the one in its header.
    Length {
        /// The length in the header, in bytes.
        expected: u64,
        /// The length of the file, in bytes.
        got: u64,
    },
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FormatError::NotAFilter => {
                f.write_str("is not a dictionary filter; make one with filterctl build")
            }
            FormatError::Version { got } => write!(
                f,
                "written in format {got}, but this program reads format {VERSION}; upgrade libpam-nearmiss \
                 and nearmiss-tools together, or rebuild it with filterctl build"
            ),
            FormatError::Newer { name, got } => write!(
                f,
                "written by a newer nearmiss ({name} {got}); upgrade libpam-nearmiss and nearmiss-tools \
                 together, or rebuild it with filterctl build"
            ),
            FormatError::TruncatedHeader { expected, got } => write!(
                f,
                "truncated: the header needs {expected} bytes, the file has {got}; rebuild it with filterctl \
                 build"
            ),
            FormatError::HeaderDamaged => {
                f.write_str("damaged: the header's checksum is wrong; rebuild it with filterctl build")
            }
            FormatError::Field { name, got } => write!(
                f,
                "damaged: the header field '{name}' has the invalid value {got}; rebuild it with filterctl \
                 build"
            ),
            FormatError::Length { expected, got } => write!(
                f,
                "damaged: {got} bytes long, but its header says {expected}; rebuild it with filterctl build"
            ),
        }
    }
}

impl Keyed for FormatError {
    fn key(&self) -> MessageKey {
        match self {
            FormatError::NotAFilter => keys::NOT_A_FILTER,
            FormatError::Version { .. } | FormatError::Newer { .. } => keys::FILTER_VERSION,
            FormatError::TruncatedHeader { .. }
            | FormatError::HeaderDamaged
            | FormatError::Field { .. }
            | FormatError::Length { .. } => keys::FILTER_DAMAGED,
        }
    }
}

impl Error for FormatError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_says_what_is_wrong_and_what_to_do() {
        let errors = [
            (FormatError::NotAFilter, "not a dictionary filter"),
            (FormatError::Version { got: 7 }, "format 7"),
            (FormatError::Newer { name: "hash version", got: 3 }, "newer nearmiss (hash version 3)"),
            (FormatError::TruncatedHeader { expected: 4096, got: 9 }, "4096 bytes, the file has 9"),
            (FormatError::HeaderDamaged, "checksum"),
            (FormatError::Field { name: "pages", got: 0 }, "'pages' has the invalid value 0"),
            (FormatError::Length { expected: 8192, got: 8191 }, "8191 bytes long, but its header says 8192"),
        ];
        for (error, part) in errors {
            let message = error.to_string();
            assert!(message.contains(part) && message.ends_with("filterctl build"), "{message}");
        }
    }
}
