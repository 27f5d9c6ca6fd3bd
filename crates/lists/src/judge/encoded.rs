//! Words that are texts in another encoding: base64, hexadecimal digits, escapes.

use data_encoding::{BASE64_NOPAD, BASE64URL_NOPAD};

use crate::{
    hex,
    line::nine_in_ten,
    refusal::{Refusal, Way},
};

/// Shorter words decode to a text by chance.
const FEWEST_BYTES: usize = 4;

/// The bytes of SHA-1 digests and of NTLM digests (or MD5), which filters have.
const SHA1_BYTES: usize = 20;
const NTLM_BYTES: usize = 16;

/// An encoding: how its texts are known, its name, and the program in Python that decodes `l`, a line.
struct Encoding {
    is_of: fn(&str) -> bool,
    name: &'static str,
    modules: &'static str,
    text: &'static str,
}

const ENCODINGS: [Encoding; 5] = [
    Encoding {
        is_of: |word| are_escapes(word.as_bytes(), b"%", 3),
        name: "escapes (%70)",
        modules: "sys, urllib.parse",
        text: "urllib.parse.unquote(l.strip())",
    },
    Encoding {
        is_of: |word| are_escapes(word.as_bytes(), b"\\x", 4) || are_escapes(word.as_bytes(), b"\\u", 6),
        name: "escapes (\\x70, \\u0070)",
        modules: "sys",
        text: "l.strip().encode().decode('unicode_escape')",
    },
    Encoding {
        is_of: |word| are_escapes(word.as_bytes(), b"=", 3),
        name: "escapes (=70)",
        modules: "sys, quopri",
        text: "quopri.decodestring(l.strip()).decode()",
    },
    Encoding {
        is_of: is_hex,
        name: "hexadecimal digits",
        modules: "sys",
        text: "bytes.fromhex(l.strip().removeprefix('0x')).decode(errors='replace')",
    },
    Encoding {
        is_of: is_base64,
        name: "base64",
        modules: "sys, base64",
        text: "base64.b64decode(l.strip() + '==', '-_' if set('-_') & set(l) else None)\
               .decode(errors='replace')",
    },
];

/// Refuses words of which more than one in ten decode to texts or are digests in base64: of the built-in
/// lists and of leaked passwords, at most one in 400 do so by chance, in base64.
///
/// # Errors
/// The [`Refusal`].
pub(super) fn judge(words: &[String]) -> Result<(), Refusal> {
    for encoding in ENCODINGS {
        let so = words.iter().filter(|word| (encoding.is_of)(word)).count();
        let in_part = words.iter().filter(|word| (encoding.is_of)(word) && !is_number(word)).count();
        if nine_in_ten(so, words.len()) || super::is_part(in_part, words.len(), 10) {
            return Err(encoding.refusal(so, words.len()));
        }
    }
    let digests: Vec<usize> = words.iter().filter_map(|word| digest(word)).collect();
    if super::is_part(digests.len(), words.len(), 10) {
        return Err(of_digests(&digests));
    }
    Ok(())
}

impl Encoding {
    fn refusal(&self, so: usize, all: usize) -> Refusal {
        let content = format!("texts in {}: {so} of {all} that were looked at", self.name);
        let program = format!("import {}; [print({}) for l in sys.stdin]", self.modules, self.text);
        let of_all = Way::Copy(format!("that is decoded (python3 -c \"{program}\")"));
        if nine_in_ten(so, all) {
            return Refusal::new(content, of_all);
        }
        Refusal::or_plain(content, Way::Other("two lists of it, one of which is decoded".to_owned()))
    }
}

/// The refusal of lines that are digests in base64; none for others.
pub(crate) fn refused_digests(lines: &[&[u8]]) -> Option<Refusal> {
    let length = |line: &[u8]| std::str::from_utf8(line).ok().and_then(digest);
    let lengths: Vec<usize> = lines.iter().filter_map(|line| length(line)).collect();
    nine_in_ten(lengths.len(), lines.len()).then(|| of_digests(&lengths))
}

/// The refusal of digests of these lengths in base64.
fn of_digests(lengths: &[usize]) -> Refusal {
    let content = "digests in base64";
    let kind = match lengths.first() {
        Some(&SHA1_BYTES) => "sha1",
        Some(&NTLM_BYTES) => "ntlm",
        _ => return Refusal::useless(content),
    };
    Refusal::of_base64(content, kind)
}

/// True for escapes of characters, and little else: `%70%61`, `\x70\x61`, `\u0070\u0061`. Nothing is copied.
pub fn is_escaped(text: &[u8]) -> bool {
    are_escapes(text, b"%", 3) || are_escapes(text, b"\\x", 4) || are_escapes(text, b"\\u", 6)
}

/// Escapes that begin with this mark and have so many characters.
fn are_escapes(text: &[u8], mark: &[u8], length: usize) -> bool {
    let escapes = memchr::memmem::find_iter(text, mark).count();
    escapes >= 3 && escapes.saturating_mul(length).saturating_mul(10) >= text.len().saturating_mul(8)
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

/// The digits of a text: words have letters after `f`, and a number seldom has the digits
/// of letters.
fn is_hex(word: &str) -> bool {
    let digits = word.strip_prefix("0x").unwrap_or(word);
    let Some(bytes) = hex::bytes(digits.as_bytes()) else { return false };
    let lower = bytes.iter().filter(|byte| byte.is_ascii_lowercase()).count();
    is_text(&bytes) && (!is_number(digits) || lower.saturating_mul(2) >= bytes.len())
}

fn is_base64(word: &str) -> bool {
    decoded(word).is_some_and(|bytes| is_text(&bytes))
}

/// The number of bytes of a digest in base64, with its sign of padding.
fn digest(word: &str) -> Option<usize> {
    let bytes = word.ends_with('=').then(|| decoded(word))??;
    matches!(bytes.len(), NTLM_BYTES | SHA1_BYTES | 32 | 64).then_some(bytes.len())
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

/// The bytes of base64 (RFC 4648, also for addresses), with or without its padding.
fn decoded(word: &str) -> Option<Vec<u8>> {
    let digits = word.trim_end_matches('=');
    if word.len().saturating_sub(digits.len()) > 2 {
        return None;
    }
    let encoding = if digits.contains(['-', '_']) { BASE64URL_NOPAD } else { BASE64_NOPAD };
    encoding.decode(digits.as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_decoded_and_words_are_not() {
        assert_eq!(decoded("cGFzc3dvcmQ=").as_deref(), Some(&b"password"[..]));
        assert_eq!(decoded("cGFzc3dvcmQ").as_deref(), Some(&b"password"[..]));
        assert!(is_base64("cGFzc3dvcmQ=") && is_base64("ZWxlcGhhbnQ") && is_base64("fn5-fjEyM2E"));
        assert!(is_hex("70617373776f7264") && is_hex("0x70617373776f7264"));
        let is_known = |word: &str| ENCODINGS.iter().any(|encoding| (encoding.is_of)(word));
        assert!(
            ["%70%61%73%73", "\\x70\\x61\\x73", "\\u0070\\u0061\\u0073", "=70=61=73"]
                .into_iter()
                .all(is_known)
        );
        assert_eq!(digest("W6ph5Mm5Pz8GgiULbPgzG37mj9g="), Some(20));
        for word in ["password", "elephant", "deadbeef", "4155552671", "Summer2024", "100%"] {
            assert!(!is_known(word) && digest(word).is_none(), "{word}");
        }
    }
}
