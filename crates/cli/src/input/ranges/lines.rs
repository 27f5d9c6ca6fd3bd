//! The lines of a range: each has the rest of a digest, whose first digits are the range's name, and a count.
//!
//! A range is read as a whole or refused: one that does not have this form is truncated, belongs to another
//! range or comes from another service, and a filter built from it would silently lack digests. What does
//! not change the digests is accepted: a byte order mark, any line ends, blank lines, blanks around a line,
//! repeated digests, and lines with whole digests.

use nearmiss_filters::format::Kind;

use super::{
    fault::RangeFault,
    line::{MAX_COUNT_DIGITS, RangeLine, RangeLines, RangeName, is_zero},
    usual,
};

pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The beginning of a text that shows whether it is a web page, in bytes.
const PAGE_BYTES: usize = 1024;

impl RangeName<'_> {
    /// Passes the lines of a range to `lines`.
    ///
    /// # Errors
    /// The first [`RangeFault`], or that of `lines`, which has been told to discard the lines then.
    #[inline]
    pub fn read(&self, text: &[u8], lines: &mut impl RangeLines) -> Result<(), RangeFault> {
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let rest = whole_digits(self.kind).saturating_sub(self.digits.len());
        if usual::read(text, rest, lines)? {
            return Ok(());
        }
        lines.discard();
        let read = self.read_any(text, rest, lines);
        if read.is_err() {
            lines.discard();
        }
        read
    }

    fn read_any(&self, text: &[u8], rest: usize, lines: &mut impl RangeLines) -> Result<(), RangeFault> {
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        let mut checked = Checked { name: self, text, rest, before: &[], has_counts: None };
        let mut start = 0;
        for (index, end) in memchr::memchr_iter(b'\n', text).chain([text.len()]).enumerate() {
            let line = text.get(std::mem::replace(&mut start, end + 1)..end).unwrap_or_default();
            lines.take(index + 1, checked.take(index + 1, line)?)?;
        }
        if checked.before.is_empty() { Err(RangeFault::Empty) } else { Ok(()) }
    }

    /// The reason why this line is not one of the range.
    #[cold]
    fn fault(&self, number: usize, line: &[u8], text: &[u8]) -> RangeFault {
        if is_page(text) {
            return RangeFault::Page;
        }
        let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        let is_end = line.get(digits).is_none_or(|&byte| byte == b':' || byte == b' ');
        let other = whole_digits(if self.kind == Kind::Ntlm { Kind::Sha1 } else { Kind::Ntlm });
        match digits {
            _ if !is_end => RangeFault::Malformed { line: number },
            _ if digits == whole_digits(self.kind) => RangeFault::OtherRange { line: number },
            _ if digits == other || digits + self.digits.len() == other => {
                RangeFault::OtherKind { line: number }
            }
            _ => RangeFault::Malformed { line: number },
        }
    }
}

/// The digits of a digest of this kind.
fn whole_digits(kind: Kind) -> usize {
    if kind == Kind::Ntlm { 32 } else { 40 }
}

/// The lines that were read.
struct Checked<'n, 't> {
    name: &'n RangeName<'n>,
    text: &'t [u8],
    /// The number of digits on a line.
    rest: usize,
    /// The last digest that is not padding; empty before the first.
    before: &'t [u8],
    /// True if the lines have counts; none before the first.
    has_counts: Option<bool>,
}

impl<'t> Checked<'_, 't> {
    #[inline]
    fn take(&mut self, number: usize, line: &'t [u8]) -> Result<Option<RangeLine<'t>>, RangeFault> {
        let line = trimmed(line);
        if line.is_empty() {
            return Ok(None);
        }
        let parts = parts(line, self.rest).map(|parts| (line, parts)).or_else(|| self.of_whole(line));
        let Some((text, (suffix, count))) = parts else {
            return Err(self.name.fault(number, line, self.text));
        };
        if *self.has_counts.get_or_insert(count.is_some()) != count.is_some() {
            return Err(RangeFault::Malformed { line: number });
        }
        let is_padding = is_zero(count);
        let mut is_repeated = false;
        if !is_padding {
            match order(self.before, suffix) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => is_repeated = true,
                std::cmp::Ordering::Greater => return Err(RangeFault::Unsorted { line: number }),
            }
            self.before = suffix;
        }
        Ok(Some(RangeLine { text, suffix, count, is_padding, is_repeated }))
    }

    /// The parts of a line with a whole digest of this range.
    #[cold]
    fn of_whole(&self, line: &'t [u8]) -> Option<(&'t [u8], Parts<'t>)> {
        let (first, rest) = line.split_at_checked(self.name.digits.len())?;
        let is_own = first.eq_ignore_ascii_case(self.name.digits);
        parts(rest, self.rest).filter(|_| is_own).map(|parts| (rest, parts))
    }
}

/// The digits and the count of a line.
type Parts<'t> = (&'t [u8], Option<&'t [u8]>);

/// The parts of a line with this number of digits.
#[inline]
fn parts(line: &[u8], digits: usize) -> Option<Parts<'_>> {
    let (suffix, rest) = line.split_at_checked(digits)?;
    let count = match rest {
        [] => None,
        [b':', count @ ..] => {
            let count = count.trim_ascii_start();
            let is_count = (1..=MAX_COUNT_DIGITS).contains(&count.len());
            (is_count && count.iter().all(u8::is_ascii_digit)).then_some(Some(count))?
        }
        _ => return None,
    };
    is_hex(suffix).then_some((suffix, count))
}

/// True if all bytes are hexadecimal digits. It has no branches, so that many are examined at once.
#[inline]
fn is_hex(digits: &[u8]) -> bool {
    digits.iter().fold(true, |all, &byte| {
        all & ((byte.wrapping_sub(b'0') < 10) | ((byte | 0x20).wrapping_sub(b'a') < 6))
    })
}

/// The order of two digests of the same range, whatever the case of their digits. The empty one is the
/// smallest.
#[inline]
fn order(a: &[u8], b: &[u8]) -> std::cmp::Ordering {
    for (one, other) in a.iter().zip(b) {
        let (one, other) = (one.to_ascii_lowercase(), other.to_ascii_lowercase());
        if one != other {
            return one.cmp(&other);
        }
    }
    a.len().cmp(&b.len())
}

#[inline]
fn trimmed(line: &[u8]) -> &[u8] {
    match line {
        [rest @ .., b'\r'] if rest.last().is_none_or(u8::is_ascii_graphic) && is_flush(rest) => rest,
        _ if line.last().is_none_or(u8::is_ascii_graphic) && is_flush(line) => line,
        _ => line.trim_ascii(),
    }
}

fn is_flush(line: &[u8]) -> bool {
    line.first().is_none_or(u8::is_ascii_graphic)
}

fn is_page(text: &[u8]) -> bool {
    let start = text.get(..PAGE_BYTES).unwrap_or(text).trim_ascii_start();
    let lower = start.to_ascii_lowercase();
    start.starts_with(b"<") || memchr::memmem::find(&lower, b"<html").is_some()
}
