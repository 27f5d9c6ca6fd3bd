//! The reason why the text of a range is refused.

use std::fmt;

/// The highest number of digests in a range: thirty times the current one.
pub(super) const MAX_ENTRIES: usize = u16::MAX as usize;

/// The reason why the text of a range is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RangeFault {
    /// It has no digests, or only padding.
    Empty,
    /// A line does not belong to a range.
    Malformed { line: usize },
    /// A digest does not follow the one before.
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
