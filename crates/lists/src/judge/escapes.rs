//! Words with characters in another dress: the escapes of addresses, pages and mail, or text that was decoded
//! from UTF-8 as if it were of an 8-bit charset.

use encoding_rs::WINDOWS_1252;

use crate::{hex, refusal::Refusal};

/// A kind of escapes: how it is known, and the copy that is decoded.
type Kind = (fn(&str) -> bool, &'static str);

/// The copy in which entities are decoded.
const OF_PAGES: &str = "that is decoded (python3 -c \"import sys, html; \
         sys.stdout.write(html.unescape(sys.stdin.read()))\")";

const KINDS: [Kind; 4] = [
    (
        has_percent,
        "that is decoded (python3 -c \"import sys, \
         urllib.parse as u; sys.stdout.write(u.unquote_plus(sys.stdin.read()))\")",
    ),
    (has_entity, OF_PAGES),
    (is_read_twice, "that is mended (iconv -f UTF-8 -t WINDOWS-1252)"),
    (has_other, "in which they are decoded"),
];

/// Refuses words of which more than one in ten have such characters; fewer are a doubt, and so are question
/// marks in the place of letters.
///
/// # Errors
/// The [`Refusal`].
pub(super) fn judge(words: &[String], doubts: &mut Vec<String>) -> Result<(), Refusal> {
    for (is_so, copy) in KINDS {
        let number = words.iter().filter(|word| is_so(word)).count();
        let content = content(number, words.len());
        if super::is_part(number, words.len(), 10) {
            return Err(Refusal::or_copy(content, copy));
        }
        if super::is_part(number, words.len(), super::DOUBTED) {
            doubts.push(format!("has {content}"));
        }
    }
    let lost = words.iter().filter(|word| has_lost_letter(word)).count();
    if super::is_part(lost, words.len(), 10) {
        doubts.push(format!(
            "has words with '?' between letters: {lost} of {} that were looked at; were letters lost?",
            words.len()
        ));
    }
    Ok(())
}

fn content(number: usize, all: usize) -> String {
    format!("words in escapes or of a wrong charset: {number} of {all} that were looked at")
}

/// Refuses lines of which more than one in ten have the entities of pages: their semicolons are no separators
/// of columns.
///
/// # Errors
/// The [`Refusal`].
pub(crate) fn entities(lines: &[&[u8]]) -> Result<(), Refusal> {
    // Most lists have no such line: the sign is looked for first.
    let is_so = |line: &&&[u8]| line.contains(&b'&') && has_entity(&String::from_utf8_lossy(line));
    let number = lines.iter().filter(is_so).count();
    if super::is_part(number, lines.len(), 10) {
        return Err(Refusal::or_copy(content(number, lines.len()), OF_PAGES));
    }
    Ok(())
}

/// `%21`, `%C3%A4`: each per cent sign begins an escape of a sign, or of a character beyond ASCII.
fn has_percent(word: &str) -> bool {
    let mut parts = word.split('%').skip(1).peekable();
    let is_of_sign = |part: &str| {
        escaped(part).is_some_and(|byte| {
            byte == b' ' || byte.is_ascii_punctuation() || !byte.is_ascii() && is_upper(part)
        })
    };
    parts.peek().is_some() && (parts.all(is_of_sign) || has_utf8(word))
}

/// True if the escapes of a word give a character beyond ASCII in UTF-8, in lower or upper case.
fn has_utf8(word: &str) -> bool {
    let bytes: Option<Vec<u8>> = word.split('%').skip(1).map(escaped).collect();
    bytes.is_some_and(|bytes| !bytes.is_ascii() && std::str::from_utf8(&bytes).is_ok())
}

fn is_upper(part: &str) -> bool {
    part.bytes().take(2).all(|byte| !byte.is_ascii_lowercase())
}

/// The byte of two hexadecimal digits at the start of a text.
fn escaped(part: &str) -> Option<u8> {
    hex::bytes(part.as_bytes().get(..2)?)?.first().copied()
}

/// The most characters of the name of a letter: `thetasym` has 8, and names of signs have up to 31.
const LONGEST_ENTITY: usize = 8;

/// `&auml;`, `&frac12;`, `&#228;`.
fn has_entity(word: &str) -> bool {
    word.split('&').skip(1).any(|part| {
        let name = part.split_once(';').map_or("", |(name, _)| name);
        let digits = name.strip_prefix('#').unwrap_or_default();
        let is_name = (2..=LONGEST_ENTITY).contains(&name.len())
            && name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_name || (1..=7).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// `Ã¤`: its bytes in Windows-1252 are the UTF-8 of another text.
fn is_read_twice(word: &str) -> bool {
    if word.is_ascii() {
        return false;
    }
    let (bytes, _, has_unmappable) = WINDOWS_1252.encode(word);
    !has_unmappable && std::str::from_utf8(&bytes).is_ok()
}

/// `=E4` of mail, `\u00e4` of programs, `M-CM-$` of a terminal, `$hex[…]` in lower case.
fn has_other(word: &str) -> bool {
    let is_of_mail = |part: &str| is_upper(part) && escaped(part).is_some_and(|byte| !byte.is_ascii());
    let has = |mark: &str, is_so: &dyn Fn(&str) -> bool| word.split(mark).skip(1).any(is_so);
    let is_of_program =
        |part: &str| part.as_bytes().get(..4).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
    let is_hex = || {
        let lower = word.to_ascii_lowercase();
        let digits = lower.strip_prefix("$hex[").and_then(|rest| rest.strip_suffix(']'));
        digits.is_some_and(|digits| hex::bytes(digits.as_bytes()).is_some())
    };
    has("=", &is_of_mail) || has("\\u", &is_of_program) || word.contains("M-CM-") || is_hex()
}

/// A question mark, or the mark of a character that could not be read, between two letters.
fn has_lost_letter(word: &str) -> bool {
    let letters: Vec<char> = word.chars().collect();
    let is_lost = |three: &[char]| match three {
        [a, '?' | '\u{fffd}', b] => a.is_alphabetic() && b.is_alphabetic(),
        _ => false,
    };
    letters.windows(3).any(is_lost)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_known_and_signs_are_none() {
        assert!(
            has_percent("w%C3%A4g")
                && has_percent("word%21")
                && has_entity("w&auml;g")
                && has_entity("&#228;")
        );
        assert!(
            is_read_twice("wÃ¤g") && has_other("w=E4g") && has_other("w\\u00e4g") && has_other("$hex[6162]")
        );
        let is_known = |word: &str| KINDS.iter().any(|(is_so, _)| is_so(word));
        for word in ["100%", "50%ab", "a&b", "wäg", "a=b4", "M-C", "語", "$HEX"] {
            assert!(!is_known(word), "{word}");
        }
    }
}
