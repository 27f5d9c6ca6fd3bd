//! Lines that stand for themselves in any form: comments, and words in quotes.

use std::borrow::Cow;

/// The comments of john's lists, and the first line of aspell's personal dictionaries, of PowerShell's tables
/// and of Excel's.
pub(crate) fn is_comment(line: &[u8]) -> bool {
    let is_separator =
        line.strip_prefix(b"sep=").is_some_and(|sign| matches!(sign.trim_ascii_end(), [_] | []));
    is_separator || COMMENTS.iter().any(|start| line.starts_with(start))
}

/// The beginnings of comments.
const COMMENTS: [&[u8]; 3] = [b"#!comment:", b"personal_ws-1.", b"#TYPE "];

/// True if nine in ten of these texts are so; false for none.
pub(crate) fn is_most<'a>(
    texts: impl Iterator<Item = &'a [u8]> + Clone,
    is_so: impl Fn(&[u8]) -> bool,
) -> bool {
    let all = texts.clone().count();
    nine_in_ten(texts.filter(|text| is_so(text)).count(), all)
}

/// True if nine in ten are so; false for none.
pub(crate) fn nine_in_ten(so: usize, all: usize) -> bool {
    all > 0 && so.saturating_mul(10) >= all.saturating_mul(9)
}

/// The word in quotes, perhaps with the point of a list before it and a comma or a semicolon after it.
pub(crate) fn unquoted(line: &[u8]) -> Option<Cow<'_, [u8]>> {
    let line = without_point(line.trim_ascii());
    let line = line.strip_suffix(b",").or_else(|| line.strip_suffix(b";")).unwrap_or(line).trim_ascii_end();
    let quote = *line.first().filter(|first| matches!(first, b'"' | b'\'' | b'`'))?;
    let word = line.strip_prefix(&[quote])?.strip_suffix(&[quote])?;
    inner(word, quote).filter(|word| !word.is_empty())
}

/// A line without `- `, `* `, `+ ` or a number with a point before it.
fn without_point(line: &[u8]) -> &[u8] {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = match (line.first(), digits) {
        (Some(b'-' | b'*' | b'+'), _) => line.get(1..),
        (_, 1..) => line.get(digits..).and_then(|rest| rest.strip_prefix(b".").or(rest.strip_prefix(b")"))),
        _ => None,
    };
    rest.filter(|rest| rest.starts_with(b" ")).map_or(line, <[u8]>::trim_ascii)
}

/// What is meant between quotes: one that is doubled (CSV, SQL), with a backslash (JSON, programs), or
/// outside the others (`'\''` of a shell) is a part of the word; none with any other inside.
fn inner(word: &[u8], quote: u8) -> Option<Cow<'_, [u8]>> {
    let is_json =
        || [&b"\\\""[..], b"\\\\", b"\\u"].iter().any(|mark| memchr::memmem::find(word, mark).is_some());
    if quote == b'"' && is_json() {
        if let Ok(text) = serde_json::from_slice::<String>(&[b"\"", word, b"\""].concat()) {
            return Some(Cow::Owned(text.into_bytes()));
        }
    }
    if !word.contains(&quote) {
        return Some(Cow::Borrowed(word));
    }
    let (mut rest, mut text) = (word, Vec::new());
    while let Some(&first) = rest.first() {
        let outside = [quote, b'\\', quote, quote];
        let marks = [&outside[..], &[b'\\', quote], &[quote, quote]];
        let after = marks.into_iter().find_map(|mark| rest.strip_prefix(mark));
        if after.is_none() && first == quote {
            return None;
        }
        text.push(if after.is_some() { quote } else { first });
        rest = after.or_else(|| rest.get(1..))?;
    }
    Some(Cow::Owned(text))
}

/// True if a line of these may be a comment, may have blanks at its ends, or `$HEX[…]`. It may be so for
/// lines that have none of these, and never the other way.
pub(crate) fn needs_a_look(lines: &[u8]) -> bool {
    let has = |text: &[u8]| memchr::memmem::find(lines, text).is_some();
    let is_blank = |byte: Option<&u8>| byte.is_some_and(|byte| !byte.is_ascii_graphic() && byte.is_ascii());
    let is_end = |byte: Option<&u8>| matches!(byte, Some(b'\r' | b'\n'));
    let last = lines.last();
    if is_blank(lines.first()) && !is_end(lines.first()) || is_blank(last) && !is_end(last) {
        return true;
    }
    if [&b"$HEX["[..], b"sep="].into_iter().chain(COMMENTS).any(has) {
        return true;
    }
    // Spaces, tabs and the rarer ones of ASCII.
    let has_blanks = memchr::memchr3(b' ', b'\t', 0x0c, lines).is_some();
    let at_ends = [&b" \n"[..], b"\n ", b" \r", b"\t\n", b"\n\t", b"\t\r", b"\x0c"];
    if has_blanks && at_ends.into_iter().any(has) {
        return true;
    }
    // Blanks beyond ASCII: no-break, ogham, of typography, and ideographic ones; characters that are not
    // seen, and quotes.
    !lines.is_ascii()
        && [
            &b"\xc2\xa0"[..],
            b"\xc2\x85",
            b"\x0b",
            b"\xe1\x9a\x80",
            b"\xe2\x80",
            b"\xe2\x81",
            b"\xe3\x80",
            b"\xc2\xab",
            b"\xc2\xad",
            b"\xc2\xbb",
            b"\xcd\x8f",
            b"\xd8\x9c",
            b"\xe1\xa0\x8e",
            b"\xef\xbb\xbf",
        ]
        .into_iter()
        .any(has)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::{Block, Charsets, Form, Reader, Reading};

    /// Words with what needs a look.
    const LINES: &str = concat!(
        "((a|é|語| |“|”|«|»|「|」|\u{ad}|\u{34f}|\u{61c}|\u{180e}|\u{200b}|\u{2060}|\u{feff}|",
        "\t|\x0b|\x0c|\u{a0}|\u{3000}|\u{2003}|\u{85}|",
        "#!comment:|sep=;|#TYPE a|personal_ws-1\\.|\\$HEX\\[61\\]){0,3}\r?\n){0,4}a?"
    );

    proptest! {
        /// Lines that are passed on without a look are what a look at each gives.
        #[test]
        fn lines_without_a_look_are_their_words(
            lines in LINES
        ) {
            let (form, charsets) = (Form::Plain, Charsets::default());
            let reading = Reading { form, charsets, affixes: None, is_plain: false };
            let mut reader = Reader::new(reading);
            let mut block = Block::default();
            reader.read_block(lines.as_bytes(), &mut block);
            if reader.is_plain(lines.as_bytes()) {
                let mut plain = lines.replace("\r\n", "\n");
                if !plain.is_empty() && !plain.ends_with('\n') {
                    plain.push('\n');
                }
                prop_assert_eq!(String::from_utf8(block.text).unwrap(), plain);
            }
        }
    }
}
