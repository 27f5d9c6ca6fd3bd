//! Lines of lists of leaked passwords: a digest in hexadecimal, and its count.

use super::counts::Skip;
use crate::chunks::{chunks, chunks_mut};

/// Reads the digest of a line with a count of at least `min_count` into `digest`, where it is then hashed:
/// copying the whole would wait for the partial writes.
///
/// # Errors
/// The reason to skip the line.
#[inline]
pub(super) fn read<const N: usize>(line: &[u8], min_count: u64, digest: &mut [u8; N]) -> Result<(), Skip> {
    let parts = line.split_at_checked(N * 2);
    let Some((_, rest)) = parts.filter(|(digits, _)| decode_hex(digits, digest)) else {
        return Err(if line.trim_ascii().is_empty() { Skip::Blank } else { Skip::Malformed });
    };
    if count_of(rest).ok_or(Skip::Malformed)? < min_count { Err(Skip::Rare) } else { Ok(()) }
}

/// The count in the line of a digest of `bytes` bytes; 1 if it has none.
pub(super) fn count(line: &[u8], bytes: usize) -> Option<u64> {
    line.get(bytes * 2..).and_then(count_of)
}

/// The bytes of 2`N` digits, `N` a multiple of 4; false if one is not a digit. Breach lists have a billion
/// lines of 40 digits: eight are decoded at once, and the bytes are written in the word size in which they
/// are hashed.
#[inline]
fn decode_hex<const N: usize>(digits: &[u8], bytes: &mut [u8; N]) -> bool {
    const { assert!(N % 4 == 0) };
    let mut strange = 0;
    let mut decode = |eight: [u8; 8]| {
        let (value, others) = decode_eight(eight);
        strange |= others;
        value
    };
    let (wholes, rest) = chunks_mut::<_, _, 8>(bytes);
    let (sixteens, others) = chunks::<_, _, 16>(digits);
    for (whole, sixteen) in wholes.iter_mut().zip(sixteens) {
        if let [first, second] = *chunks(sixteen).0 {
            *whole = (u64::from(decode(first)) << 32 | u64::from(decode(second))).to_be_bytes();
        }
    }
    for (four, &eight) in chunks_mut::<_, _, 4>(rest).0.iter_mut().zip(chunks(others).0) {
        *four = decode(eight).to_be_bytes();
    }
    strange == 0 && digits.len() == 2 * N
}

/// The value of eight digits, and a bit for each that is not a digit. The bytes are computed in parallel
/// (Warren, *Hacker's Delight*, 2nd ed., section 2-18): there is no carry between them, since all are below
/// 0x80.
#[inline]
fn decode_eight(digits: [u8; 8]) -> (u32, u64) {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const TOP: u64 = 0x80 * EACH;
    let digits = u64::from_be_bytes(digits);
    let ascii = digits & !TOP;
    // The top bit of each byte that is `first` or above and below `end`.
    let limit = |byte: u8| u64::from(0x80 - byte) * EACH;
    let within = |bytes: u64, first: u8, end: u8| {
        bytes.wrapping_add(limit(first)) & !bytes.wrapping_add(limit(end)) & TOP
    };
    let letters = within(ascii | (0x20 * EACH), b'a', b'f' + 1);
    let known = within(ascii, b'0', b'9' + 1) | letters;
    let nibbles = (ascii & (0x0f * EACH)).wrapping_add((letters >> 7).wrapping_mul(9));
    let bytes = (nibbles | nibbles >> 4) & 0x00ff_00ff_00ff_00ff;
    let pairs = (bytes | bytes >> 8) & 0x0000_ffff_0000_ffff;
    let [.., a, b, c, d] = (pairs | pairs >> 16).to_be_bytes();
    (u32::from_be_bytes([a, b, c, d]), known ^ TOP | digits & TOP)
}

/// The count after a digest: `:N`, or 1 if there is none.
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
        for (byte, at) in (0..=255_u8).flat_map(|byte| (0..16).map(move |at| (byte, at))) {
            let mut digits = *b"09fAbC7dE2518630";
            digits[at] = byte;
            let expected = std::str::from_utf8(&digits).ok().filter(|text| !text.contains('+'));
            let expected = expected.and_then(|text| u64::from_str_radix(text, 16).ok());
            let mut bytes = [0; 8];
            let is_read = decode_hex(&digits, &mut bytes);
            assert_eq!(is_read.then_some(u64::from_be_bytes(bytes)), expected, "{byte} at {at}");
        }
        assert!(!decode_hex(b"09fAbC7", &mut [0; 4]) && !decode_hex(b"09fAbC7d0", &mut [0; 4]));
        let mut twelve = [0; 12];
        assert!(decode_hex(b"00112233445566778899aaBB", &mut twelve));
        assert_eq!(twelve, [0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb]);
        assert!(!decode_hex(b"00112233445566778899aaBx", &mut twelve));
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
