//! A document to check: its text, and lines and columns in it.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use nearmiss_cli::{failure::Failure, keys};

use super::text::decode;

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
    /// Reads a file, or standard input where it is `-`.
    ///
    /// # Errors
    /// It cannot be read, or is no text.
    pub(crate) fn read(path: &Path) -> Result<Document, Failure> {
        let bytes = bytes(path).map_err(|e| Failure::new(format!("cannot read {}", path.display()), e))?;
        let text = decode(bytes);
        let text =
            text.map_err(|is| Failure::plain(keys::LIST_NOT_WORDS, format!("{}: {is}", path.display())))?;
        Ok(Document::new(path, text))
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

fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    if path.as_os_str() != "-" {
        return fs::read(path);
    }
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
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
}
