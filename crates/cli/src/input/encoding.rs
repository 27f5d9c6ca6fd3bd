//! The encoding of a list: UTF-8 if all of it is valid UTF-8, Latin-1 otherwise.
//!
//! To know this before the first word is used, the whole list is read once, which is as fast as checking
//! UTF-8 (several GB/s) and needs one block of memory. UTF-8 is checked block by block, since no character
//! contains a line end.

use std::io;

use nearmiss_filters::format::Kind;
use serde::Serialize;

use super::{error::InputError, lines::Lines, origin::Origin};
use crate::progress::Progress;

/// The encoding of a list's characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Encoding {
    /// UTF-8, of which ASCII is a part.
    #[serde(rename = "utf-8")]
    Utf8,
    /// ISO 8859-1, in which every byte is a character.
    #[serde(rename = "latin-1")]
    Latin1,
}

impl Encoding {
    /// The name for reports.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "UTF-8",
            Encoding::Latin1 => "Latin-1",
        }
    }

    /// `text` as UTF-8; `scratch` is used if the bytes must be changed.
    pub(super) fn decode<'a>(self, text: &'a [u8], scratch: &'a mut Vec<u8>) -> &'a [u8] {
        if self == Encoding::Utf8 || text.is_ascii() {
            return text;
        }
        let decoded: String = text.iter().map(|&byte| char::from(byte)).collect();
        *scratch = decoded.into_bytes();
        scratch
    }
}

/// Reads a whole list to find its encoding; hexadecimal digits are the same in all encodings, so the
/// beginning of a list of digests is enough.
///
/// # Errors
/// An [`InputError`] for a list that cannot be read, and for archives and UTF-16.
pub(super) fn find(origin: &Origin, kind: Kind, progress: &Progress) -> Result<Encoding, InputError> {
    if !origin.is_kept() {
        // It was examined when it was opened, and contains digests.
        return Ok(Encoding::Utf8);
    }
    let (text, format) = origin.text(progress)?;
    match format.problem() {
        Some(problem) => Err(origin.error(problem)),
        None if kind != Kind::Words => Ok(Encoding::Utf8),
        None => of_lines(&mut Lines::new(text)).map_err(|e| origin.error(format.read_problem(e))),
    }
}

fn of_lines(lines: &mut Lines<impl io::Read>) -> io::Result<Encoding> {
    while let Some(block) = lines.next_block()? {
        if std::str::from_utf8(block).is_err() {
            return Ok(Encoding::Latin1);
        }
    }
    Ok(Encoding::Utf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &'static [u8]) -> Encoding {
        find(&Origin::memory("list", text), Kind::Words, &Progress::hidden()).unwrap()
    }

    #[test]
    fn is_that_of_the_whole_list() {
        assert_eq!(of("plain\nélan\n".as_bytes()), Encoding::Utf8);
        assert_eq!(of(b"plain\n\xe9lan\n"), Encoding::Latin1);
        assert_eq!(of(b"\xc3\xa9lan\n\xe9lan\n"), Encoding::Latin1);
        assert_eq!(of(b"cut \xc3"), Encoding::Latin1);
        assert_eq!(of(b""), Encoding::Utf8);
    }

    #[test]
    fn one_byte_at_the_end_of_a_large_list_decides() {
        let text: &'static [u8] = ["é\n".repeat(1_000_000).as_bytes(), b"\xe9\n"].concat().leak();
        assert_eq!(of(text), Encoding::Latin1);
        assert_eq!(of(&text[..3_000_000]), Encoding::Utf8);
    }

    #[test]
    fn decoding_changes_only_what_is_not_ascii() {
        let mut scratch = Vec::new();
        assert_eq!(Encoding::Latin1.decode(b"caf\xe9\n", &mut scratch), "café\n".as_bytes());
        assert_eq!(Encoding::Latin1.decode(b"cafe\n", &mut scratch), b"cafe\n");
        assert_eq!(Encoding::Utf8.decode("café\n".as_bytes(), &mut scratch), "café\n".as_bytes());
    }
}
