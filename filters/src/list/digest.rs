//! Lines of lists of leaked passwords: a digest in hexadecimal, and how often it was counted.

use super::counts::Skip;
use crate::chunks::chunks;

/// The digest of a line, counted at least `min_count` times.
///
/// # Errors
/// The reason to skip the line.
#[inline]
pub(super) fn read<const N: usize>(line: &[u8], min_count: u64) -> Result<[u8; N], Skip> {
    let parts = line.split_at_checked(N * 2);
    let Some((digest, rest)) = parts.and_then(|(digits, rest)| Some((decode_hex(digits)?, rest))) else {
        return Err(if line.trim_ascii().is_empty() { Skip::Blank } else { Skip::Malformed });
    };
    if count_of(rest).ok_or(Skip::Malformed)? < min_count { Err(Skip::Rare) } else { Ok(digest) }
}

/// How often the line of a digest of `bytes` bytes says that it was counted; 1 where it does not say.
pub(super) fn count(line: &[u8], bytes: usize) -> Option<u64> {
    line.get(bytes * 2..).and_then(count_of)
}

/// Breach lists have a billion lines of 40 digits: without a branch, the compiler decodes sixteen at once.
#[inline]
#[allow(clippy::needless_bitwise_bool, reason = "a lazy operator would branch")]
fn decode_hex<const N: usize>(digits: &[u8]) -> Option<[u8; N]> {
    let (mut bytes, mut is_wrong) = ([0; N], false);
    let pairs = chunks::<_, _, 2>(digits).0.first_chunk::<N>()?;
    for (byte, pair) in bytes.iter_mut().zip(pairs) {
        let [high, low] = pair.map(|digit| {
            let (decimal, letter) = (digit.wrapping_sub(b'0'), (digit | 0x20).wrapping_sub(b'a'));
            let is_decimal = decimal < 10;
            let value = if is_decimal { decimal } else { letter.wrapping_add(10) };
            is_wrong |= value >= 16 || letter >= 6 && !is_decimal;
            value
        });
        *byte = high << 4 | low & 15;
    }
    (!is_wrong).then_some(bytes)
}

/// The count after a digest: `:N`, or 1 where there is none.
#[inline]
fn count_of(rest: &[u8]) -> Option<u64> {
    match rest {
        [b':', digits @ ..] if (1..=18).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit) => {
            // Eighteen digits are below 2⁶⁰.
            Some(digits.iter().fold(0, |count, digit| count * 10 + u64::from(digit - b'0')))
        }
        _ => odd_count_of(rest),
    }
}

/// A count with spaces around it, with more digits, or none.
#[cold]
fn odd_count_of(rest: &[u8]) -> Option<u64> {
    let rest = rest.trim_ascii();
    if rest.is_empty() {
        return Some(1);
    }
    let digits = rest.strip_prefix(b":")?.trim_ascii();
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_a_digit_or_not() {
        for (byte, at) in (0..=255_u8).flat_map(|byte| (0..4).map(move |at| (byte, at))) {
            let mut digits = *b"09fA";
            digits[at] = byte;
            let expected = std::str::from_utf8(&digits).ok().filter(|text| !text.contains('+'));
            let expected = expected.and_then(|text| u16::from_str_radix(text, 16).ok());
            assert_eq!(decode_hex::<2>(&digits).map(u16::from_be_bytes), expected, "{byte} at {at}");
        }
        assert!(decode_hex::<2>(b"09f").is_none());
    }

    #[test]
    fn counts_are_read_with_spaces_and_refused_when_they_are_too_large() {
        let counts: [(&[u8], Option<u64>); 9] = [
            (b"", Some(1)),
            (b" ", Some(1)),
            (b":7", Some(7)),
            (b" : 70 ", Some(70)),
            (b":999999999999999999", Some(999_999_999_999_999_999)),
            (b":18446744073709551615", Some(u64::MAX)),
            (b":18446744073709551616", None),
            (b":", None),
            (b":7x", None),
        ];
        for (rest, count) in counts {
            assert_eq!(count_of(rest), count, "{}", rest.escape_ascii());
        }
    }
}
