//! An unknown word as it is printed: `file:line:column: word`, with suggestions where they were asked for.

use std::{
    io::{self, Write},
    path::Path,
};

use anstyle::{AnsiColor, Style};
use nearmiss_cli::{failure::printable, report::Report};
use serde::Serialize;

use super::{Place, Spelling};

/// The colours grep gives to the same things.
const FILE: Style = AnsiColor::Magenta.on_default();
const NUMBER: Style = AnsiColor::Green.on_default();
const WORD: Style = AnsiColor::Red.on_default().bold();

/// An unknown word in its place. Text is written with colours; the stream takes them out where none are
/// wanted.
#[derive(Serialize)]
pub(crate) struct Finding<'d> {
    file: String,
    line: usize,
    column: usize,
    word: &'d str,
    #[serde(skip_serializing_if = "Option::is_none")]
    near: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestions: Option<Vec<String>>,
}

impl<'d> Finding<'d> {
    /// `word`, unknown, at this place; `most` suggestions are printed, or none at all.
    pub(crate) fn new(
        file: &Path,
        place: Place,
        word: &'d str,
        spelling: Spelling,
        most: Option<usize>,
    ) -> Finding<'d> {
        let suggestions = most.map(|most| spelling.suggestions.into_iter().take(most).collect());
        let file = file.display().to_string();
        Finding { file, line: place.line, column: place.column, word, near: spelling.is_near, suggestions }
    }
}

impl Report for Finding<'_> {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let (file, line, column) = (printable(&self.file), self.line, self.column);
        write!(out, "{FILE}{file}{FILE:#}:{NUMBER}{line}{NUMBER:#}:{NUMBER}{column}{NUMBER:#}: ")?;
        write!(out, "{WORD}{}{WORD:#}", printable(self.word))?;
        match self.suggestions.as_deref() {
            None | Some([]) => writeln!(out),
            Some(words) => writeln!(out, ": {}", printable(&words.join(", "))),
        }
    }
}
