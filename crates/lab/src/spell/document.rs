//! A document to check: its text, and lines and columns in it.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

/// A document that was read.
pub(crate) struct Document {
    name: PathBuf,
    text: String,
    line_starts: Vec<usize>,
}

/// A place in a document, as editors count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The line, from 1.
    pub(crate) line: usize,
    /// The column in characters, from 1.
    pub(crate) column: usize,
}

impl Document {
    /// Reads a file, or standard input where it is `-`. What is not UTF-8 is Latin-1.
    ///
    /// # Errors
    /// The system's answer.
    pub(crate) fn read(path: &Path) -> io::Result<Document> {
        let mut bytes = Vec::new();
        if path.as_os_str() == "-" {
            io::stdin().lock().read_to_end(&mut bytes)?;
        } else {
            bytes = fs::read(path)?;
        }
        Ok(Document::new(path, decode(bytes)))
    }

    fn new(name: &Path, text: String) -> Document {
        let after_breaks = text.match_indices('\n').map(|(at, _)| at.saturating_add(1));
        let line_starts = [0].into_iter().chain(after_breaks).collect();
        Document { name: name.to_owned(), text, line_starts }
    }

    /// Its name on the command line.
    pub(crate) fn name(&self) -> &Path {
        &self.name
    }

    /// Its text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The place of byte `at`.
    pub(crate) fn place(&self, at: usize) -> Place {
        let line = self.line_starts.partition_point(|&start| start <= at);
        let start = line.checked_sub(1).and_then(|index| self.line_starts.get(index)).copied().unwrap_or(0);
        let before = self.text.get(start..at).unwrap_or_default();
        Place { line, column: before.chars().count().saturating_add(1) }
    }
}

/// UTF-8, without a byte order mark, or else Latin-1.
fn decode(bytes: Vec<u8>) -> String {
    match String::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned),
        Err(error) => error.into_bytes().into_iter().map(char::from).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters() {
        let document = Document::new(Path::new("x"), "één\nδύο tri\n".to_owned());
        assert_eq!(document.place(0), Place { line: 1, column: 1 });
        assert_eq!(document.place("één\nδύο ".len()), Place { line: 2, column: 5 });
        assert_eq!(document.place("één\n".len()), Place { line: 2, column: 1 });
    }

    #[test]
    fn what_is_not_utf8_is_latin_1() {
        assert_eq!(decode(b"caf\xe9".to_vec()), "café");
        assert_eq!(decode("\u{feff}café".as_bytes().to_vec()), "café");
    }
}
