//! Errors of building a filter, at once or group by group.

use std::{error::Error, fmt};

use crate::{
    alphabet::MAX_SYMBOLS,
    keys::{self, Keyed, MessageKey},
    storage::StorageError,
};

/// The reason why a filter cannot be built.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum BuildError {
    /// The lists have no entries.
    Empty,
    /// The words have more different characters than a near filter supports.
    TooManySymbols {
        /// Their number.
        got: usize,
    },
    /// No geometry can keep the rate.
    Unreachable {
        /// The requested rate.
        false_rejection: f64,
    },
    /// The filter does not fit into memory.
    Memory {
        /// Its bytes.
        bytes: u64,
        /// What its size follows from.
        by: SizedBy,
    },
}

/// What the size of a filter follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizedBy {
    /// The number of entries and the rate.
    Rate,
    /// The capacity, which is larger than the number of entries.
    Capacity,
    /// The number of bits, chosen by hand.
    Bits,
}

impl BuildError {
    /// The same, where the size of the filter follows from something else.
    #[must_use]
    pub(super) fn sized(self, by: SizedBy) -> BuildError {
        match self {
            BuildError::Memory { bytes, .. } => BuildError::Memory { bytes, by },
            other => other,
        }
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Empty => f.write_str("the lists have no entries; add at least one word"),
            BuildError::TooManySymbols { got } => write!(
                f,
                "the words contain {got} different characters, a near filter at most {MAX_SYMBOLS}; use \
                 --match exact"
            ),
            BuildError::Unreachable { false_rejection } => write!(
                f,
                "no filter can keep a false rejection rate of {false_rejection:e}; choose a higher rate"
            ),
            BuildError::Memory { bytes, by } => {
                let choose = match by {
                    SizedBy::Rate => "a higher false rejection rate",
                    SizedBy::Capacity => "a smaller --capacity",
                    SizedBy::Bits => "fewer --bits",
                };
                write!(f, "the filter of {bytes} bytes does not fit into memory; choose {choose}")
            }
        }
    }
}

impl Keyed for BuildError {
    fn key(&self) -> MessageKey {
        match self {
            BuildError::Empty => keys::LIST_EMPTY,
            BuildError::TooManySymbols { .. } => keys::TOO_MANY_CHARACTERS,
            BuildError::Unreachable { .. } | BuildError::Memory { .. } => keys::RATE_UNREACHABLE,
        }
    }
}

impl Error for BuildError {}

/// The reason why digests cannot be stored in order.
#[derive(Debug)]
#[non_exhaustive]
pub enum OrderError {
    /// A digest belongs to a group that was written before.
    Unsorted,
    /// A group contains more digests than chance explains.
    Crowded {
        /// Its first and its last range: the first digits of its digests.
        ranges: (u32, u32),
        /// Digests in it.
        got: u64,
        /// The mean of all groups.
        mean: u64,
    },
    /// The pages cannot be written.
    Write(StorageError),
}

impl fmt::Display for OrderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OrderError::Unsorted => f.write_str(
                "the digests are not in ascending order; sort them, or build with --group-bits 0, which \
                 holds the whole filter in memory",
            ),
            OrderError::Crowded { ranges: (first, last), got, mean } => write!(
                f,
                "the group of digests that begin with {first:05X} to {last:05X} contains {got} digests, but \
                 {mean} are expected: the digests were chosen to fill it, or the list is only a part; build \
                 with --group-bits 0"
            ),
            OrderError::Write(error) => write!(f, "{error}"),
        }
    }
}

impl Keyed for OrderError {
    fn key(&self) -> MessageKey {
        match self {
            OrderError::Unsorted => keys::DIGESTS_UNSORTED,
            OrderError::Crowded { .. } => keys::DIGESTS_CROWDED,
            OrderError::Write(error) => error.key(),
        }
    }
}

impl Error for OrderError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            OrderError::Write(error) => Some(error),
            OrderError::Unsorted | OrderError::Crowded { .. } => None,
        }
    }
}
