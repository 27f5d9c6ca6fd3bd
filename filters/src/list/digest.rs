//! Lines of lists of leaked passwords: a digest in hexadecimal, and how often it was counted.

use super::counts::Skip;

/// The digest of a line, counted at least `min_count` times.
///
/// # Errors
/// The reason to skip the line.
pub(super) fn read<const N: usize>(line: &[u8], min_count: u64) -> Result<[u8; N], Skip> {
    if line.trim_ascii().is_empty() {
        return Err(Skip::Blank);
    }
    let (digits, rest) = line.split_at_checked(N * 2).ok_or(Skip::Malformed)?;
    let digest = decode_hex(digits).ok_or(Skip::Malformed)?;
    if count_of(rest).ok_or(Skip::Malformed)? < min_count { Err(Skip::Rare) } else { Ok(digest) }
}

/// Values of hexadecimal digits; other bytes have [`NO_DIGIT`].
#[allow(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "made by the compiler, below 16"
)]
const HEX_VALUES: [u8; 256] = {
    let (mut values, mut value) = ([NO_DIGIT; 256], 0);
    while value < 16 {
        values[b"0123456789abcdef"[value] as usize] = value as u8;
        values[b"0123456789ABCDEF"[value] as usize] = value as u8;
        value += 1;
    }
    values
};

/// A value with a bit that no digit's value has.
const NO_DIGIT: u8 = 0x80;

/// Breach lists have a billion lines of 40 digits: a table is eight times as fast as asking for each digit.
fn decode_hex<const N: usize>(digits: &[u8]) -> Option<[u8; N]> {
    let (mut bytes, mut all) = ([0; N], 0);
    for (byte, &[high, low]) in bytes.iter_mut().zip(digits.as_chunks::<2>().0) {
        let (high, low) = (hex_value(high), hex_value(low));
        all |= high | low;
        *byte = high << 4 | low;
    }
    (all & NO_DIGIT == 0).then_some(bytes)
}

#[inline]
#[allow(clippy::indexing_slicing, reason = "a byte is below the array's length")]
fn hex_value(digit: u8) -> u8 {
    HEX_VALUES[digit as usize]
}

/// The count after a digest: `:N`, or 1 where there is none.
fn count_of(rest: &[u8]) -> Option<u64> {
    let rest = rest.trim_ascii();
    if rest.is_empty() {
        return Some(1);
    }
    let digits = rest.strip_prefix(b":")?.trim_ascii();
    std::str::from_utf8(digits).ok()?.parse().ok()
}
