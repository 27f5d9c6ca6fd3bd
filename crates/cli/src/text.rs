//! Texts wrapped to a terminal's usual width.

use std::io::{self, Write};

/// The usual number of columns of a terminal.
pub const COLUMNS: usize = 80;

/// Writes a text in lines of at most [`COLUMNS`] characters, unless a word is longer: the first line begins
/// with `first`, the others with `other`.
///
/// # Errors
/// The errors of `out`.
pub fn wrapped(text: &str, first: &str, other: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut line = first.to_owned();
    let (mut columns, mut is_empty) = (first.chars().count(), true);
    for word in text.split(' ') {
        let more = word.chars().count();
        if !is_empty && columns.saturating_add(more) >= COLUMNS {
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
    }
}
