//! Texts wrapped to the width of a terminal.

use std::{
    io::{self, Write},
    os::fd::AsFd,
};

/// The usual number of columns of a terminal.
pub const COLUMNS: usize = 80;

/// The widths that text is wrapped to: in narrower columns every word has a line of its own, and longer lines
/// are hard to read.
const WIDTHS: (usize, usize) = (40, 120);

/// The number of columns to wrap text to on this terminal; [`COLUMNS`] if its size is not known.
pub fn columns(terminal: impl AsFd) -> usize {
    let size = rustix::termios::tcgetwinsize(terminal).map_or(0, |size| usize::from(size.ws_col));
    if size == 0 { COLUMNS } else { size.clamp(WIDTHS.0, WIDTHS.1) }
}

/// Writes a text in lines of at most [`COLUMNS`] characters, unless a word is longer: the first line begins
/// with `first`, the others with `other`.
///
/// # Errors
/// The errors of `out`.
pub fn wrapped(text: &str, first: &str, other: &str, out: &mut dyn Write) -> io::Result<()> {
    wrapped_to(COLUMNS, text, (first, other), out)
}

/// The same with this number of columns.
///
/// # Errors
/// The errors of `out`.
pub fn wrapped_to(
    most: usize,
    text: &str,
    (first, other): (&str, &str),
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut line = first.to_owned();
    let (mut columns, mut is_empty) = (first.chars().count(), true);
    for word in text.split(' ') {
        let more = word.chars().count();
        if !is_empty && columns.saturating_add(more) >= most {
            writeln!(out, "{line}")?;
            (line, columns, is_empty) = (other.to_owned(), other.chars().count(), true);
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        columns = columns.saturating_add(more).saturating_add(usize::from(!is_empty));
        is_empty = false;
    }
    writeln!(out, "{line}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_go_on_in_the_next_line() {
        let mut out = Vec::new();
        wrapped(&"four ".repeat(40), "# - ", "#   ", &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<_> = text.lines().collect();
        assert!(lines.iter().all(|line| line.chars().count() <= COLUMNS), "{text}");
        assert!(
            lines.len() == 3 && lines[0].starts_with("# - four") && lines[1].starts_with("#   four"),
            "{text}"
        );
        assert!(lines[0].chars().count() > COLUMNS - 6, "{text}");
        let mut out = Vec::new();
        wrapped(&"x".repeat(100), "", "", &mut out).unwrap();
        assert_eq!(out.len(), 101, "a word is not cut");
        let mut out = Vec::new();
        wrapped_to(40, &"four ".repeat(40), ("", ""), &mut out).unwrap();
        assert!(String::from_utf8(out).unwrap().lines().all(|line| (30..=40).contains(&line.len())));
    }

    #[test]
    fn what_is_no_terminal_has_the_usual_width() {
        assert_eq!(columns(tempfile::tempfile().unwrap()), COLUMNS);
    }
}
