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

/// The lines of a text with their numbers; those that end in a backslash go on in the next one.
pub(super) fn joined(bytes: &[u8]) -> Vec<Joined> {
    let (mut lines, mut open) = (Vec::<Joined>::new(), false);
    for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let (part, goes_on) = line.strip_suffix(b"\\").map_or((line, false), |part| (part, true));
        let (part, is_utf8) = decoded(part);
        match lines.last_mut().filter(|_| open) {
            Some(last) => {
                last.text.extend([" ", part.as_str()]);
                last.is_utf8 &= is_utf8;
                last.further = last.further.saturating_add(1);
            }
            None => lines.push(Joined { number, further: 0, text: part, is_utf8 }),
        }
        open = goes_on;
    }
    lines
}
