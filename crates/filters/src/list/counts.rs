//! Counts of the lines of a list: accepted, and skipped for each reason.

use std::fmt;

/// The reason why a line has no entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Skip {
    /// It is empty, or only has white space.
    Blank,
    /// More than [`MAX_DICTIONARY_CHARACTERS`](crate::word::MAX_DICTIONARY_CHARACTERS) characters.
    TooLong,
    /// It has a control character: binary data, a tab-separated table.
    Control,
    /// It is not a digest of the requested kind with an optional count.
    Malformed,
    /// Its count is below the requested minimum.
    Rare,
}

impl Skip {
    /// All reasons, in the order of [`LineCounts::skipped`].
    pub const ALL: [Skip; 5] = [Skip::Blank, Skip::TooLong, Skip::Control, Skip::Malformed, Skip::Rare];
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Skip::Blank => "blank",
            Skip::TooLong => "longer than 255 characters",
            Skip::Control => "with control characters",
            Skip::Malformed => "malformed",
            Skip::Rare => "below the minimum count",
        })
    }
}

/// Lines skipped for one reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Their number.
    pub lines: u64,
    /// The first of them, counted from 1; 0 if there is none.
    pub first: u64,
}

/// The counts of a list's lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineCounts {
    /// All lines.
    pub read: u64,
    /// Lines that gave an entry.
    pub accepted: u64,
    /// The others, by reason, as [`Skip::ALL`].
    pub skipped: [Skipped; 5],
}

impl LineCounts {
    /// The lines skipped for `reason`.
    pub fn skipped_for(&self, reason: Skip) -> Skipped {
        self.skipped.get(reason as usize).copied().unwrap_or_default()
    }

    pub(super) fn count(&mut self, outcome: Result<(), Skip>) {
        self.read += 1;
        match outcome {
            Ok(()) => self.accepted += 1,
            Err(reason) => {
                if let Some(skipped) = self.skipped.get_mut(reason as usize) {
                    skipped.lines += 1;
                    if skipped.first == 0 {
                        skipped.first = self.read;
                    }
                }
            }
        }
    }

    /// Appends the counts of the lines that follow.
    pub fn append(&mut self, next: &LineCounts) {
        for (sum, more) in self.skipped.iter_mut().zip(next.skipped) {
            if sum.first == 0 && more.first > 0 {
                sum.first = self.read + more.first;
            }
            sum.lines += more.lines;
        }
        self.read += next.read;
        self.accepted += next.accepted;
    }
}
