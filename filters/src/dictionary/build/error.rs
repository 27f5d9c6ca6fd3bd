//! Why a filter cannot be built.

use std::{error::Error, fmt};

use crate::alphabet::MAX_SYMBOLS;

/// Why a filter cannot be built.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum BuildError {
    /// The lists have no entry.
    Empty,
    /// The words have more different characters than a near filter can complete with.
    TooManySymbols {
        /// How many they have.
        got: usize,
    },
    /// No geometry keeps the rate.
    Unreachable {
        /// The rate asked for.
        false_rejection: f64,
    },
    /// The filter to be added to was built by an early nearmiss: it is read, and nothing is added to it.
    FirstVersion,
    /// The filter does not fit into memory.
    Memory {
        /// Its bytes.
        bytes: u64,
    },
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Empty => f.write_str("the lists have no entry; give at least one word"),
            BuildError::TooManySymbols { got } => write!(
                f,
                "the words have {got} different characters, a near filter at most {MAX_SYMBOLS}; use --match \
                 exact"
            ),
            BuildError::Unreachable { false_rejection } => write!(
                f,
                "no filter keeps a false rejection rate of {false_rejection:e}; ask for a higher one"
            ),
            BuildError::FirstVersion => f.write_str(
                "the filter has hash version 1, which is read but not added to; build it again from its \
                 lists with filterctl build",
            ),
            BuildError::Memory { bytes } => {
                write!(f, "the filter of {bytes} bytes does not fit into memory; ask for a higher rate")
            }
        }
    }
}

impl Error for BuildError {}
