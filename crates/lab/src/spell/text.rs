//! The text in the bytes of a document, or what it is instead of text: without words it would have no unknown
//! ones.

use nearmiss_cli::input::{packed, unmarked};

/// More than one control character in so many bytes are no text.
const CONTROLS: usize = 50;

/// UTF-8, the text of UTF-16 or UTF-32 with a byte order mark, or else Latin-1.
///
/// # Errors
/// What the document is, and what to do.
pub(super) fn decode(bytes: Vec<u8>) -> Result<String, String> {
    if let Some((name, command)) = packed(&bytes) {
        let unpack = piped(&format!("{command} FILE"));
        let office = if name == "zip" { ", or save an office document as text" } else { "" };
        return Err(format!("is packed ({name}); unpack it: {unpack}{office}"));
    }
    if bytes.starts_with(b"%PDF-") {
        return Err(format!("is a PDF document; take its text: {}", piped("pdftotext FILE -")));
    }
    let bytes = unmarked(bytes);
    if let Some(charset) = wide(&bytes) {
        let convert = piped(&format!("iconv -f {charset} -t UTF-8 FILE"));
        return Err(format!("is in UTF-16 without a byte order mark; convert it: {convert}"));
    }
    if is_binary(&bytes) {
        return Err("is a binary file; name a text, or a text that a program takes from it".to_owned());
    }
    Ok(match String::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned),
        Err(error) => error.into_bytes().into_iter().map(char::from).collect(),
    })
}

fn piped(command: &str) -> String {
    format!("{command} | filterlab spell")
}

/// UTF-16, if a third of the bytes are zero, and nine in ten of these are the same half of a character.
fn wide(bytes: &[u8]) -> Option<&'static str> {
    let zeros = |from: usize| bytes.iter().skip(from).step_by(2).filter(|byte| **byte == 0).count();
    let (high, low) = (zeros(0), zeros(1));
    let all = high.saturating_add(low);
    if all.saturating_mul(3) < bytes.len() {
        None
    } else if low.saturating_mul(10) > all.saturating_mul(9) {
        Some("UTF-16LE")
    } else if high.saturating_mul(10) > all.saturating_mul(9) {
        Some("UTF-16BE")
    } else {
        None
    }
}

/// True for a byte of zero, or many control characters other than the ones of terminals and printers.
fn is_binary(bytes: &[u8]) -> bool {
    let is_control =
        |byte: &&u8| byte.is_ascii_control() && !matches!(byte, 8 | b'\t' | b'\n' | 12 | b'\r' | 0x1b);
    bytes.contains(&0) || bytes.iter().filter(is_control).count().saturating_mul(CONTROLS) > bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_utf8_is_latin_1() {
        assert_eq!(decode(b"caf\xe9".to_vec()).as_deref(), Ok("café"));
        assert_eq!(decode("\u{feff}café".as_bytes().to_vec()).as_deref(), Ok("café"));
        assert_eq!(decode(Vec::new()).as_deref(), Ok(""));
    }

    #[test]
    fn texts_for_printers_and_terminals_are_texts() {
        for text in ["N\u{8}NA\u{8}AM\u{8}M", "\u{1b}[1mword\u{1b}[0m", "one\r\ntwo\u{c}three\tfour"] {
            assert_eq!(decode(text.as_bytes().to_vec()).as_deref(), Ok(text));
        }
    }
}
