//! The text of a stack's file as lines, some of which go on in the next.

use std::path::Path;

use super::StackEntry;

/// A text, and true if it is UTF-8; else each byte is a character, as in Latin-1, so that none is lost.
pub(crate) fn decoded(bytes: &[u8]) -> (String, bool) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), true),
        Err(_) => (bytes.iter().copied().map(char::from).collect(), false),
    }
}

/// A line of a file, which may be several of its lines.
pub(super) struct Joined {
    /// The number of the first one.
    pub(super) number: usize,
    /// The number of the others.
    pub(super) further: usize,
    pub(super) text: String,
    pub(super) is_utf8: bool,
}

impl Joined {
    /// The line of a stack that it is, if it is one.
    pub(super) fn parse(&self, file: &Path) -> Option<StackEntry> {
        let Joined { number, further, is_utf8, .. } = *self;
        Some(StackEntry { file: file.to_owned(), number, further, is_utf8, ..StackEntry::parse(&self.text)? })
    }
}

/// The bytes of a line that fit into the buffer of libpam before version 1.6.
const BUFFER: usize = 1023;

/// The lines of a text with their numbers, as libpam assembles them (`_pam_assemble_line`, `pam_handlers.c`):
/// what is before a comment, and goes on in the next line behind a backslash. Blank lines and comments do not
/// end it; newer versions end it there, and refuse what is left.
pub(super) fn joined(bytes: &[u8]) -> Vec<Joined> {
    let (mut lines, mut open) = (Vec::<Joined>::new(), false);
    for (number, line) in (1_usize..).zip(bytes.split(|byte| *byte == b'\n')) {
        for part in parts(line) {
            let content = part.split(|byte| *byte == b'#').next().unwrap_or_default();
            let (content, has_comment) = (content.trim_ascii_end(), content.len() < part.len());
            if content.trim_ascii_start().is_empty() {
                continue;
            }
            let more = part.strip_suffix(b"\r").is_none().then(|| content.strip_suffix(b"\\")).flatten();
            let more = more.filter(|_| !has_comment);
            let (text, is_utf8) = decoded(more.unwrap_or(content));
            match lines.last_mut().filter(|_| open) {
                Some(last) => {
                    last.text.extend([" ", text.as_str()]);
                    last.is_utf8 &= is_utf8;
                    last.further = number.saturating_sub(last.number);
                }
                None => lines.push(Joined { number, further: 0, text, is_utf8 }),
            }
            open = more.is_some();
        }
    }
    lines
}

/// A line, or the parts of a long comment that older versions of libpam take for lines.
fn parts(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_comment = line.trim_ascii_start().starts_with(b"#");
    let longest = if is_comment { BUFFER } else { line.len() };
    line.chunks(longest.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines that are found, with the number of the first and of further ones.
    fn lines(text: &str) -> Vec<(usize, usize, String)> {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let of = |line: Joined| (line.number, line.further, words(&line.text));
        joined(text.as_bytes()).into_iter().map(of).collect()
    }

    #[test]
    fn a_line_is_what_libpam_assembles() {
        let long = format!("# {}auth required x", "x".repeat(BUFFER - 2));
        for (text, expected) in [
            ("auth \\\n required x\naccount y\n", vec![(1, 1, "auth required x"), (3, 0, "account y")]),
            ("auth required x \\ \t\ny", vec![(1, 1, "auth required x y")]),
            ("# C:\\temp\\\nauth required x\n", vec![(2, 0, "auth required x")]),
            ("auth required x # a\\\nauth y z\n", vec![(1, 0, "auth required x"), (2, 0, "auth y z")]),
            ("auth required \\\n# remark\n\nx y\n", vec![(1, 3, "auth required x y")]),
            ("auth required x\\\r\nauth y z\r\n", vec![(1, 0, "auth required x\\"), (2, 0, "auth y z")]),
            (long.as_str(), vec![(1, 0, "auth required x")]),
            ("# comment\n\n  \n", vec![]),
        ] {
            let expected: Vec<_> = expected
                .into_iter()
                .map(|(number, further, text)| (number, further, text.to_owned()))
                .collect();
            assert_eq!(lines(text), expected, "{text:?}");
        }
    }
}
