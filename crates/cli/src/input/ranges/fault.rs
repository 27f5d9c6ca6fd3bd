//! The reason why the text of a range is refused.

use std::fmt;

/// The highest number of digests in a range: thirty times the current one.
pub const MAX_RANGE_DIGESTS: usize = u16::MAX as usize;

/// More digests than any corpus has: four times the number in the largest one.
pub const MOST_DIGESTS: u64 = 8_000_000_000;

/// The reason why the text of a range is refused. Lines are counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeFault {
    /// It has no digests, or only padding.
    Empty,
    /// It is a web page: the answer of a server or a proxy that had no range.
    Page,
    /// A digest has the length of another kind.
    OtherKind {
        /// Its line.
        line: usize,
    },
    /// A line is not a digest with a count, or has a count where the others have none, or reverse.
    Malformed {
        /// That line.
        line: usize,
    },
    /// A digest is smaller than the one before.
    Unsorted {
        /// Its line.
        line: usize,
    },
    /// A whole digest begins with other digits.
    OtherRange {
        /// Its line.
        line: usize,
    },
    /// It has more digests than any range.
    TooMany,
    /// Its compressed data is damaged or cut short.
    Damaged,
}

impl RangeFault {
    /// The line that shows it, if it is one of a line.
    pub fn line(self) -> Option<usize> {
        match self {
            RangeFault::OtherKind { line }
            | RangeFault::Malformed { line }
            | RangeFault::Unsorted { line }
            | RangeFault::OtherRange { line } => Some(line),
            RangeFault::Empty | RangeFault::Page | RangeFault::TooMany | RangeFault::Damaged => None,
        }
    }
}

impl fmt::Display for RangeFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RangeFault::Empty => f.write_str("contains no digest"),
            RangeFault::Page => f.write_str("is a web page, not a range"),
            RangeFault::OtherKind { line } => write!(f, "line {line} is a digest of another kind"),
            RangeFault::Malformed { line } => {
                write!(
                    f,
                    "line {line} is not a digest suffix and a count: the range is truncated or not a range"
                )
            }
            RangeFault::Unsorted { line } => write!(f, "line {line} is not in ascending order"),
            RangeFault::OtherRange { line } => write!(f, "line {line} belongs to another range"),
            RangeFault::TooMany => write!(f, "contains more than {MAX_RANGE_DIGESTS} digests"),
            RangeFault::Damaged => f.write_str("is damaged or cut short in its compressed data"),
        }
    }
}
