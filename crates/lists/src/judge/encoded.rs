//! Words that nearly all are texts in another encoding: base64, hexadecimal digits, escapes.

use crate::{hex, line::nine_in_ten, refusal::Refusal};

/// Shorter words decode to a text by chance.
const FEWEST_BYTES: usize = 4;

/// Refuses words of which nine in ten decode to texts.
///
/// # Errors
/// The [`Refusal`].
pub(super) fn judge(words: &[String]) -> Result<(), Refusal> {
    for (is_so, content) in [
        (is_escaped as fn(&str) -> bool, "texts in escapes (%70 or \\x70), which are to be decoded first"),
        (is_hex, "texts in hexadecimal digits, which are to be decoded first"),
        (is_base64, "texts in base64, which are to be decoded first (base64 -d)"),
        (is_digest, "digests in base64, which are to be written in hexadecimal digits first"),
    ] {
        let so = words.iter().filter(|word| is_so(word)).count();
        if nine_in_ten(so, words.len()) {
            return Err(Refusal::useless(content));
        }
    }
    Ok(())
}

/// Escapes alone: `%70%61`, `\x70\x61`.
fn is_escaped(word: &str) -> bool {
    [("%", 3), ("\\x", 4), ("\\u", 6), ("=", 3)].into_iter().any(|(mark, length)| {
        let escapes = word.matches(mark).count();
        escapes >= 3 && escapes.saturating_mul(length).saturating_mul(10) >= word.len().saturating_mul(8)
    })
}

/// The digits of a text: words have letters after `f`, and a number seldom has the digits
/// of letters.
fn is_hex(word: &str) -> bool {
    let word = word.strip_prefix("0x").unwrap_or(word);
    let Some(bytes) = hex::bytes(word.as_bytes()) else { return false };
    let lower = bytes.iter().filter(|byte| byte.is_ascii_lowercase()).count();
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    is_text(&bytes) && (!is_number || lower.saturating_mul(2) >= bytes.len())
}

fn is_base64(word: &str) -> bool {
    decoded(word).is_some_and(|bytes| is_text(&bytes))
}

/// 16, 20 or 32 bytes with their sign of padding.
fn is_digest(word: &str) -> bool {
    word.ends_with('=') && decoded(word).is_some_and(|bytes| matches!(bytes.len(), 16 | 20 | 32 | 64))
}

/// Printable ASCII, but for a character that was cut, and line ends.
fn is_text(bytes: &[u8]) -> bool {
    let is_printed = |byte: &&u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    let printed = bytes.iter().filter(is_printed).count();
    let is_signs = bytes.iter().filter(|byte| byte.is_ascii_alphanumeric()).count().saturating_mul(2);
    bytes.len() >= FEWEST_BYTES
        && printed.saturating_mul(20) >= bytes.len().saturating_mul(19)
        && is_signs >= bytes.len()
}

/// The bytes of base64 (RFC 4648), with or without its padding.
fn decoded(word: &str) -> Option<Vec<u8>> {
    let digits = word.trim_end_matches('=');
    if digits.len() % 4 == 1 || word.len().saturating_sub(digits.len()) > 2 {
        return None;
    }
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0_u32, 0_u32);
    for byte in digits.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte.checked_sub(b'A'),
            b'a'..=b'z' => byte.checked_sub(b'a' - 26),
            b'0'..=b'9' => byte.checked_add(4),
            b'+' | b'-' => Some(62),
            b'/' | b'_' => Some(63),
            _ => None,
        }?;
        bits = (bits << 6 | u32::from(value)) & 0xffff;
        held = held.checked_add(6)?;
        if held >= 8 {
            held = held.checked_sub(8)?;
            bytes.push(u8::try_from(bits >> held & 0xff).ok()?);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_decoded_and_words_are_not() {
        assert_eq!(decoded("cGFzc3dvcmQ=").as_deref(), Some(&b"password"[..]));
        assert_eq!(decoded("cGFzc3dvcmQ").as_deref(), Some(&b"password"[..]));
        assert!(is_base64("cGFzc3dvcmQ=") && is_base64("ZWxlcGhhbnQ"));
        assert!(is_hex("70617373776f7264") && is_escaped("%70%61%73%73") && is_escaped("\\x70\\x61\\x73"));
        assert!(is_digest("W6ph5Mm5Pz8GgiULbPgzG37mj9g="));
        for word in ["password", "elephant", "deadbeef", "4155552671", "Summer2024", "100%"] {
            assert!(!is_base64(word) && !is_hex(word) && !is_escaped(word) && !is_digest(word), "{word}");
        }
    }
}
