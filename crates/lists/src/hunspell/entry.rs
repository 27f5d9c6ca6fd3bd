//! The lines of a `.dic` file.

use std::borrow::Cow;

use super::charset;

/// The stem of a line of a `.dic` file, without its flags and fields, for a file whose rules are not known.
/// Empty for a comment.
pub fn stem(line: &str) -> Cow<'_, str> {
    split(line).0
}

/// Whether the stem of a decoded `line` has bytes that are no text of the dictionary's charset; flags may.
pub fn is_undecoded(line: &str) -> bool {
    charset::has_strange_bytes(&stem(line))
}

/// Whether `line` is the first line of a `.dic` file: the number of its entries, with or without a remark.
pub fn is_count_line(line: &str) -> bool {
    count(line).is_some()
}

/// The number that the first line of a `.dic` file is.
pub(super) fn count(line: &str) -> Option<u64> {
    let line = line.strip_prefix('\u{FEFF}').unwrap_or(line).trim();
    let digits = line.split_whitespace().next()?;
    // The largest known dictionaries have some million entries.
    (digits.len() <= 9 && digits.bytes().all(|b| b.is_ascii_digit())).then(|| digits.parse().ok())?
}

/// The stem and the flags of a line. Flags end at a blank: some files have remarks after it.
pub(super) fn split(line: &str) -> (Cow<'_, str>, Option<&str>) {
    let line = without_fields(line.trim_end());
    if line.starts_with('#') {
        return (Cow::Borrowed(""), None);
    }
    let Some(slash) = separator(line) else { return (unescaped(line.trim()), None) };
    let (stem, rest) = line.split_at_checked(slash).unwrap_or((line, ""));
    let flags = rest.strip_prefix('/').unwrap_or(rest).split_ascii_whitespace().next();
    (unescaped(stem.trim()), flags)
}

/// `line` up to its morphological fields: a tab, or blanks before two letters and a colon (` po:noun`).
fn without_fields(line: &str) -> &str {
    let bytes = line.as_bytes();
    let end = memchr::memchr2_iter(b'\t', b':', bytes).find_map(|at| match bytes.get(at) {
        Some(b'\t') => Some(at),
        _ => at.checked_sub(3).filter(|&blank| bytes.get(blank) == Some(&b' ')),
    });
    end.and_then(|end| line.get(..end)).unwrap_or(line).trim_end()
}

/// Where the slash before the flags is. A slash after a backslash or at the beginning is part of the word.
fn separator(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    memchr::memchr_iter(b'/', bytes)
        .find(|&at| at.checked_sub(1).is_some_and(|before| bytes.get(before) != Some(&b'\\')))
}

fn unescaped(stem: &str) -> Cow<'_, str> {
    if stem.contains("\\/") { Cow::Owned(stem.replace("\\/", "/")) } else { Cow::Borrowed(stem) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_stem_and_flags() {
        for (line, stem, flags) in [
            ("wheelbarrow/SM po:noun", "wheelbarrow", Some("SM")),
            ("wheelbarrow", "wheelbarrow", None),
            ("wheelbarrow/", "wheelbarrow", None),
            ("km\\/h/S\r", "km/h", Some("S")),
            ("km\\/h", "km/h", None),
            ("/etc/S", "/etc", Some("S")),
            ("New York/M", "New York", Some("M")),
            ("a\tpo:noun", "a", None),
            ("a/12\t1456", "a", Some("12")),
            ("a  po:noun is:x", "a", None),
            ("9:30", "9:30", None),
            ("at 9:30/X", "at 9:30", Some("X")),
            ("\tpo:noun", "", None),
            (" po:noun is:x", "", None),
            ("# a comment/S", "", None),
            ("abad/T # remark", "abad", Some("T")),
            ("é:b/X", "é:b", Some("X")),
            ("", "", None),
        ] {
            assert_eq!(split(line), (Cow::Borrowed(stem), flags), "{line:?}");
            assert_eq!(super::stem(line), stem, "{line:?}");
        }
    }

    #[test]
    fn the_first_line_is_a_number() {
        for line in ["1", "52037", "\u{FEFF}96970", "160502 # made by hand", "170812\t1", "4216 words\r\n"] {
            assert!(is_count_line(line), "{line:?}");
        }
        for line in ["", "word", "1a", "-5", "12345678901", "1/2", "1.5"] {
            assert!(!is_count_line(line), "{line:?}");
        }
    }
}
