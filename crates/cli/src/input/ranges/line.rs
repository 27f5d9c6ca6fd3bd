//! A line of a range, as it is passed on.

use nearmiss_filters::format::Kind;

use super::fault::RangeFault;

/// The highest number of digits of a count.
pub(super) const MAX_COUNT_DIGITS: usize = 18;

/// A line of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RangeLine<'t> {
    /// The line from the first of those digits on.
    pub text: &'t [u8],
    /// The digits of the digest after the range's.
    pub suffix: &'t [u8],
    /// The digits of its count; none if it has no count.
    pub count: Option<&'t [u8]>,
    /// True if the count is 0: the line pads the range.
    pub is_padding: bool,
    /// True if the digest is that of the line before that is not padding.
    pub is_repeated: bool,
}

impl RangeLine<'_> {
    /// The count as a number, 1 if there is none.
    pub fn number(&self) -> u64 {
        // Eighteen digits are below 2⁶⁰.
        self.count.map_or(1, |digits| digits.iter().fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0')))
    }
}

/// The kind and the name of a range.
#[derive(Clone, Copy, Debug)]
pub struct RangeName<'n> {
    /// The kind of its digests.
    pub kind: Kind,
    /// Their first digits.
    pub digits: &'n [u8],
}

/// A receiver of the lines of a range.
pub trait RangeLines {
    /// Takes the next line, with its number; none for a blank line.
    ///
    /// # Errors
    /// The reason why the range is refused.
    fn take(&mut self, number: usize, line: Option<RangeLine<'_>>) -> Result<(), RangeFault>;

    /// Discards the lines so far: they are read again, or the range has a fault.
    fn discard(&mut self);
}

/// True for the count of a line that pads its range.
#[inline]
pub(super) fn is_zero(count: Option<&[u8]>) -> bool {
    count.is_some_and(|count| count.first() == Some(&b'0') && count.iter().all(|&digit| digit == b'0'))
}
