//! Why bytes are no dictionary filter that this library reads.

use std::{error::Error, fmt};

use super::VERSION;

/// What is wrong with a header or a file's length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormatError {
    /// The first bytes are not those of a dictionary filter.
    NotAFilter,
    /// Made by a format this library does not read.
    Version {
        /// The version in the file.
        got: u16,
    },
    /// The file ends before its header does.
    TruncatedHeader {
        /// Bytes of the header.
        expected: u64,
        /// Bytes of the file.
        got: u64,
    },
    /// The header's checksum is not that of its bytes.
    HeaderDamaged,
    /// A field has a value that no writer gives it.
    Field {
        /// The field's name in FORMAT.md.
        name: &'static str,
        /// The value, as far as it fits.
        got: u64,
    },
    /// The file is not as long as its header says.
    Length {
        /// Bytes the header says.
        expected: u64,
        /// Bytes of the file.
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
                "made by format {got}, this program reads format {VERSION}; update nearmiss or rebuild the filter with filterctl build"
            ),
            FormatError::TruncatedHeader { expected, got } => write!(
                f,
                "truncated: the header has {expected} bytes, the file {got}; rebuild it with filterctl build"
            ),
            FormatError::HeaderDamaged => {
                f.write_str("damaged: the header's checksum is wrong; rebuild it with filterctl build")
            }
            FormatError::Field { name, got } => write!(
                f,
                "damaged: the header's field '{name}' has the impossible value {got}; rebuild it with filterctl build"
            ),
            FormatError::Length { expected, got } => write!(
                f,
                "damaged: {got} bytes long where its header says {expected}; rebuild it with filterctl build"
            ),
        }
    }
}

impl Error for FormatError {}
