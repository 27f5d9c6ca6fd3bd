//! A hash key on a command line.

use nearmiss_filters::{
    chunks::chunks,
    hash::{KEY_BYTES, Key},
};

/// The key in 32 hexadecimal digits.
///
/// # Errors
/// The number of digits is wrong, or other characters are given.
pub fn parse(text: &str) -> Result<Key, String> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect();
    let bytes = digits.map(|digits| chunks(&digits).0.iter().map(|[a, b]| a << 4 | b).collect::<Vec<u8>>());
    let bytes = bytes.and_then(|bytes| <[u8; KEY_BYTES]>::try_from(bytes).ok());
    let bytes = bytes.filter(|_| text.len() == 2 * KEY_BYTES);
    bytes.map(Key::new).ok_or_else(|| format!("expected {} hexadecimal digits", 2 * KEY_BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_32_hexadecimal_digits() {
        let parsed = parse("000102030405060708090a0b0c0d0eFF").unwrap();
        assert_eq!(parsed.bytes(), &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255]);
        for wrong in ["", "00", "000102030405060708090a0b0c0d0e0g", "000102030405060708090a0b0c0d0e0f0"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
