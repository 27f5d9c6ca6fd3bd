//! `$HEX[…]`, in which crackers write a word that has a line end, a separator or bytes of another charset:
//! two hexadecimal digits a byte (hashcat's potfile and outfile formats).

/// True if this text may have such a word.
pub(crate) fn may_be_in(text: &[u8]) -> bool {
    memchr::memmem::find(text, b"$HEX[").is_some()
}

/// The bytes of a word of this form; none for any other word, which means itself.
pub fn decoded(word: &[u8]) -> Option<Vec<u8>> {
    bytes(word.strip_prefix(b"$HEX[")?.strip_suffix(b"]")?)
}

/// The bytes of hexadecimal digits, two of each; none for any other text.
pub(crate) fn bytes(digits: &[u8]) -> Option<Vec<u8>> {
    if digits.is_empty() || digits.len() % 2 != 0 {
        return None;
    }
    digits.chunks_exact(2).map(byte).collect()
}

fn byte(digits: &[u8]) -> Option<u8> {
    let [high, low] = *digits else { return None };
    let value = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    Some(value(high)? << 4 | value(low)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_bytes_and_anything_else_is_itself() {
        assert_eq!(decoded(b"$HEX[6162633a]").as_deref(), Some(&b"abc:"[..]));
        assert_eq!(decoded(b"$HEX[E9FF00]").as_deref(), Some(&[0xe9, 0xff, 0][..]));
        for word in
            ["$HEX[]", "$HEX[6]", "$HEX[6g]", "$HEX[+1]", "$HEX[61", "HEX[61]", "$hex[61]", "a$HEX[61]"]
        {
            assert_eq!(decoded(word.as_bytes()), None, "{word}");
        }
        assert!(may_be_in(b"a\n$HEX[61]\n") && !may_be_in(b"HEX[61]"));
    }
}
