//! Why the text of a range is refused.

use std::fmt;

/// The most digests that are taken from a range: thirty times as many as there are.
pub(super) const MAX_ENTRIES: usize = u16::MAX as usize;

/// Why the text of a range is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RangeFault {
    /// It has no digest, or padding alone.
    Empty,
    /// A line is none of a range.
    Malformed { line: usize },
    /// A digest is not behind the one before.
    Unsorted { line: usize },
    /// A whole digest begins with other digits.
    OtherRange { line: usize },
    /// It has more digests than any range.
    TooMany,
}

impl fmt::Display for RangeFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RangeFault::Empty => f.write_str("contains no digest"),
            RangeFault::Malformed { line } => {
                write!(
                    f,
                    "line {line} is not a digest suffix and a count: the range is truncated or not a range"
                )
            }
            RangeFault::Unsorted { line } => write!(f, "line {line} is not in ascending order"),
            RangeFault::OtherRange { line } => write!(f, "line {line} belongs to another range"),
            RangeFault::TooMany => write!(f, "contains more than {MAX_ENTRIES} digests"),
        }
    }
}
