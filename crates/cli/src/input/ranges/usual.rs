//! The usual text of a range, read without a look at each digit: upper case, a count on every line, no
//! blanks. A corpus has a billion lines. All bytes are examined at once for being among the few that occur;
//! then a line is known by the position of its colon, if there are no further ones.

use std::num::Wrapping;

use super::{
    fault::RangeFault,
    line::{MAX_COUNT_DIGITS, RangeLine, RangeLines, is_zero},
};

/// Bytes that are examined at once: their marks are counted in a byte.
const AT_ONCE: usize = 128;

/// Passes the lines of a text to `lines`, each with `digits` digits; false if it is not of the usual form,
/// and the lines so far are to be discarded.
///
/// # Errors
/// That of `lines`.
#[inline]
pub(super) fn read(text: &[u8], digits: usize, lines: &mut impl RangeLines) -> Result<bool, RangeFault> {
    let Some(marks) = marks_of(text) else { return Ok(false) };
    let (mut rest, mut before, mut number, mut used) = (text, (0, Default::default()), 0, 0);
    while !rest.is_empty() {
        let Some(line) = split(rest, digits) else { return Ok(false) };
        let FirstLine { text, suffix, count, .. } = line;
        let (is_padding, first) = (is_zero(Some(count)), first_of(suffix));
        let mut is_repeated = false;
        if !is_padding {
            if first <= before.0 && suffix <= before.1 {
                is_repeated = suffix == before.1;
                if !is_repeated {
                    return Ok(false);
                }
            }
            before = (first, suffix);
        }
        (number, used, rest) = (number + 1, used + line.marks, line.next);
        lines.take(number, Some(RangeLine { text, suffix, count: Some(count), is_padding, is_repeated }))?;
    }
    // No mark is among the digits.
    Ok(used == marks && !before.1.is_empty())
}

/// The first line of a text.
struct FirstLine<'t> {
    /// The digits and the count.
    text: &'t [u8],
    suffix: &'t [u8],
    count: &'t [u8],
    /// The number of its marks.
    marks: usize,
    /// The text that follows.
    next: &'t [u8],
}

#[inline]
fn split(text: &[u8], digits: usize) -> Option<FirstLine<'_>> {
    let (suffix, rest) = text.split_at_checked(digits)?;
    let (b':', rest) = rest.split_first()? else { return None };
    let length = digits_of(rest);
    let (count, end) = rest.split_at_checked(length)?;
    let (marks, next) = match end {
        [b'\n', next @ ..] => (2, next),
        [b'\r', b'\n', next @ ..] => (3, next),
        [] => (1, end),
        _ => return None,
    };
    let is_count = (1..=MAX_COUNT_DIGITS).contains(&length);
    let line = text.get(..digits + 1 + length).filter(|_| is_count)?;
    Some(FirstLine { text: line, suffix, count, marks, next })
}

/// The number of decimal digits at the beginning. Eight bytes are examined at once (Warren, *Hacker's
/// Delight*, 2nd ed., section 2-18): there is no carry between them, since all are ASCII.
#[inline]
fn digits_of(text: &[u8]) -> usize {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const TOP: u64 = 0x80 * EACH;
    if let Some(&eight) = text.first_chunk() {
        let digits = u64::from_le_bytes(eight) & !TOP;
        let above = digits.wrapping_add((0x80 - (0x39 + 1)) * EACH);
        let below = !digits.wrapping_add((0x80 - 0x30) * EACH);
        let others = (above | below) & TOP;
        if others != 0 {
            return (others.trailing_zeros() / 8) as usize;
        }
    }
    text.iter().take(MAX_COUNT_DIGITS + 1).take_while(|byte| byte.is_ascii_digit()).count()
}

/// The first digits, for a comparison.
#[inline]
fn first_of(suffix: &[u8]) -> u64 {
    suffix.first_chunk().map_or(0, |&first| u64::from_be_bytes(first))
}

/// The number of marks, that is of colons and the bytes of line ends, if there is nothing else besides digits
/// in upper case.
#[allow(clippy::needless_bitwise_bool, reason = "without branches, many bytes are examined at once")]
fn marks_of(text: &[u8]) -> Option<usize> {
    let mut marks = 0;
    for part in text.chunks(AT_ONCE) {
        let (is_known, found) = part.iter().fold((true, Wrapping(0_u8)), |(known, found), &byte| {
            let is_mark = (byte == b':') | (byte == b'\r') | (byte == b'\n');
            let is_digit = (byte.wrapping_sub(b'0') < 10) | (byte.wrapping_sub(b'A') < 6);
            (known & (is_mark | is_digit), found + Wrapping(u8::from(is_mark)))
        });
        if !is_known {
            return None;
        }
        marks += usize::from(found.0);
    }
    Some(marks)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn digits_and_marks_are_counted_as_each(text in "[0-9A-F:\r\n]{0,300}", digits in "[0-9]{0,30}") {
            let plain = text.bytes().filter(|byte| b":\r\n".contains(byte)).count();
            prop_assert_eq!(marks_of(text.as_bytes()), Some(plain));
            let text = format!("{digits}{text}");
            let plain = text.bytes().take_while(u8::is_ascii_digit).take(MAX_COUNT_DIGITS + 1).count();
            prop_assert_eq!(digits_of(text.as_bytes()), plain);
        }
    }

    #[test]
    fn any_other_byte_is_seen() {
        for byte in 0..=255_u8 {
            let text = [&[b'A'; 200][..], &[byte], &[b'1'; 100]].concat();
            assert_eq!(marks_of(&text).is_some(), b"0123456789ABCDEF:\r\n".contains(&byte), "{byte}");
        }
    }
}
