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
