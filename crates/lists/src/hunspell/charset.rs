//! The charset that a `SET` line names.

use super::AffixError;
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use std::borrow::Cow;

/// The mark of UTF-8 that some files begin with.
pub(super) const BOM: &[u8] = b"\xEF\xBB\xBF";

/// The charset of the `.aff` file `aff` (without its mark). A file that names none is in ISO-8859-1, unless
/// it was `marked` as UTF-8.
pub(super) fn of_affixes(aff: &[u8], marked: bool) -> Result<&'static Encoding, AffixError> {
    match aff.split(|&b| b == b'\n').find_map(named) {
        Some(label) => of_label(label).ok_or_else(|| AffixError::Charset(shown(label))),
        None if marked => Ok(UTF_8),
        None => Ok(WINDOWS_1252),
    }
}

/// Where the characters begin that stand for bytes which are no UTF-8: the end of the last private plane.
const BYTES: u32 = 0x10_FF00;

/// `bytes` in `charset`. In UTF-8, each byte that is no text is kept as a character of its own, because some
/// files have such flags.
pub(super) fn decode<'a>(charset: &'static Encoding, bytes: &'a [u8]) -> Cow<'a, str> {
    if charset != UTF_8 {
        return charset.decode_without_bom_handling(bytes).0;
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().filter_map(|&byte| char::from_u32(BYTES | u32::from(byte))));
    }
    Cow::Owned(text)
}

/// The byte that `c` stands for, if it stands for one.
pub(super) fn byte(c: char) -> Option<u8> {
    u8::try_from(u32::from(c).checked_sub(BYTES)?).ok()
}

/// True if `text`, a decoded word, has bytes that are no text of its charset.
pub(super) fn has_strange_bytes(text: &str) -> bool {
    text.chars().any(|c| c == char::REPLACEMENT_CHARACTER || byte(c).is_some())
}

/// The label in `line` if it is a `SET` line.
fn named(line: &[u8]) -> Option<&[u8]> {
    let mut fields = line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
    (fields.next() == Some(b"SET")).then(|| fields.next())?
}

/// The charset of `label`, in the spellings that dictionaries have. None of them is in UTF-16: the rules are
/// read as bytes.
pub(super) fn of_label(label: &[u8]) -> Option<&'static Encoding> {
    let known = Encoding::for_label_no_replacement(label).or_else(|| {
        let text = std::str::from_utf8(label).ok()?.to_ascii_lowercase();
        let name = match text.as_str() {
            "tis620-2533" | "tis620" => "windows-874".to_owned(),
            _ => {
                let spellings = [("microsoft-cp", "windows-"), ("iso8859-", "iso-8859-"), ("cp", "windows-")];
                spellings.iter().find_map(|(is, means)| Some(format!("{means}{}", text.strip_prefix(is)?)))?
            }
        };
        Encoding::for_label_no_replacement(name.as_bytes())
    });
    known.filter(|charset| charset.output_encoding() == *charset)
}

/// `label` as a message can show it.
fn shown(label: &[u8]) -> String {
    let start = label.get(..label.len().min(40)).unwrap_or(label);
    start.escape_ascii().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_labels_of_dictionaries_name_charsets() {
        for (label, name) in [
            ("UTF-8", "UTF-8"),
            ("ISO8859-1", "windows-1252"),
            ("ISO8859-2", "ISO-8859-2"),
            ("ISO8859-7", "ISO-8859-7"),
            ("ISO8859-9", "windows-1254"),
            ("ISO8859-10", "ISO-8859-10"),
            ("ISO8859-13", "ISO-8859-13"),
            ("ISO8859-14", "ISO-8859-14"),
            ("ISO8859-15", "ISO-8859-15"),
            ("ISO8859-16", "ISO-8859-16"),
            ("KOI8-R", "KOI8-R"),
            ("KOI8-U", "KOI8-U"),
            ("cp1251", "windows-1251"),
            ("microsoft-cp1251", "windows-1251"),
            ("microsoft-cp1257", "windows-1257"),
            ("TIS620-2533", "windows-874"),
        ] {
            assert_eq!(of_label(label.as_bytes()).map(Encoding::name), Some(name), "{label}");
        }
        for label in ["ISCII-DEVANAGARI", "UTF-16", "microsoft-cp", "replacement", "", "\u{e9}"] {
            assert_eq!(of_label(label.as_bytes()).map(Encoding::name), None, "{label}");
        }
    }

    #[test]
    fn a_file_without_a_charset_is_latin_unless_it_is_marked() {
        assert_eq!(of_affixes(b"TRY abc\n", false).unwrap().name(), "windows-1252");
        assert_eq!(of_affixes(b"TRY abc\n", true).unwrap().name(), "UTF-8");
        assert_eq!(of_affixes(b"# SET x\r\nSET\tKOI8-R \r\n", true).unwrap().name(), "KOI8-R");
        assert_eq!(of_affixes(b"SET x\x01y\n", false), Err(AffixError::Charset("x\\x01y".into())));
    }
}
