//! The changes, as cargo-mutants lists them.

use std::{path::Path, process::Command};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// A change of the code in one place.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Mutant {
    /// `file:line:column: change`, as cargo-mutants prints it.
    pub(crate) name: String,
    /// Relative to the workspace.
    pub(crate) file: String,
    pub(crate) span: Span,
    /// What stands in the place of the span.
    pub(crate) replacement: String,
    pub(crate) genre: Genre,
}

/// From the first place to the one behind the last.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Span {
    pub(crate) start: Place,
    pub(crate) end: Place,
}

/// Line and column, in characters, both from 1.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq)]
pub(crate) struct Place {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// The kind of a change, which says what its span covers.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq)]
pub(crate) enum Genre {
    /// All statements of a function.
    FnValue,
    /// The operator alone.
    BinaryOperator,
    /// The operator alone.
    UnaryOperator,
    /// The arm with its pattern.
    MatchArm,
    /// The expression behind `if`.
    MatchArmGuard,
    /// The field with its comma.
    StructField,
}

impl Mutant {
    /// The text of its file with the change; nothing if that has no such place.
    pub(crate) fn applied(&self, text: &str) -> Option<String> {
        let offset = |at: Place| {
            let start: usize = text.split_inclusive('\n').take(at.line.checked_sub(1)?).map(str::len).sum();
            let rest = text.get(start..)?;
            let in_line = rest.char_indices().map(|(offset, _)| offset).chain([rest.len()]);
            Some(start + in_line.into_iter().nth(at.column.checked_sub(1)?)?)
        };
        let (start, end) = (offset(self.span.start)?, offset(self.span.end)?);
        text.get(start..end)?;
        Some([text.get(..start)?, &self.replacement, text.get(end..)?].concat())
    }
}

/// What cargo-mutants would change in these files (its own patterns; all files without any).
pub(crate) fn list(workspace: &Path, files: &[String]) -> Result<Vec<Mutant>> {
    let mut command = Command::new("cargo");
    command.current_dir(workspace).args(["mutants", "--list", "--json", "--workspace"]);
    for file in files {
        command.args(["--file", file]);
    }
    let output = command.output().context("cargo cannot be run")?;
    ensure!(output.status.success(), "cargo mutants: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).context("the list of cargo-mutants is not as expected")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_replaces_what_stands_in_its_place() {
        let applied = |(line, column), (last, behind)| {
            let span = Span { start: Place { line, column }, end: Place { line: last, column: behind } };
            let (name, file, replacement) = (String::new(), String::new(), "+".to_owned());
            let mutant = Mutant { name, file, span, replacement, genre: Genre::BinaryOperator };
            mutant.applied("const €: u8 =\n    7 * 9;\n")
        };
        assert_eq!(applied((2, 7), (2, 8)).as_deref(), Some("const €: u8 =\n    7 + 9;\n"));
        assert_eq!(applied((1, 7), (2, 5)).as_deref(), Some("const +7 * 9;\n"));
        assert_eq!(applied((1, 1), (1, 99)), None);
        assert_eq!(applied((2, 1), (1, 1)), None);
    }
}
