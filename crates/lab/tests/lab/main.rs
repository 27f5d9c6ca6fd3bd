//! The laboratory as a program: arguments in, exit code, output and files out.
#![forbid(unsafe_code)]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "a test stops at the first thing that is wrong"
)]

mod documents;
mod frame;
mod guessing;
mod ladder;
mod outputs;
mod papers;
#[path = "../../../cli/tests/common/plantings.rs"]
#[allow(dead_code, reason = "shared")]
mod plantings;
mod render;
mod spell;
mod study;
mod theory;

use std::{
    ffi::OsStr,
    fs,
    io::Write,
    path::PathBuf,
    process::{Command, Stdio},
};

use nearmiss_cli::{
    input::{self, Expected, ListName},
    progress::Progress,
};
use nearmiss_filters::{
    dictionary::{Build, Spec},
    format::{Kind, Match},
    hash::Key,
};

/// The result of a run of the program.
#[derive(Debug)]
struct Run {
    code: i32,
    out: String,
    err: String,
}

/// Runs the program with this standard input.
fn run_with<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>, input: &[u8]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_filterlab"));
    // The width of help, where it is not a terminal's.
    command.env_remove("COLUMNS");
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // The program may end without reading all of it.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}

/// Runs the program with nothing on standard input.
fn run<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Run {
    run_with(arguments, b"")
}

/// A folder of a test's own.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    /// A path in it.
    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    /// A file in it.
    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        fs::write(self.path(name), bytes).unwrap();
        self.path(name)
    }

    /// A near filter of this list.
    fn filter(&self, name: &str, list: &str) -> String {
        self.file(name, filter(ListName::Path(list.into()), Match::Near))
    }
}

/// The bytes of a filter of this list with the default rate.
fn filter(list: ListName, matching: Match) -> Vec<u8> {
    let progress = Progress::hidden();
    let lists = input::open(&[list], &Expected::of(Kind::Words), &progress).unwrap();
    let (mut reading, mut text) = (lists[0].read(&progress).unwrap(), Vec::new());
    while let Some(block) = reading.next_block().unwrap() {
        text.extend_from_slice(block);
    }
    let build = Build::new(Spec { matching, ..Spec::default() }, Key::new([7; 16]));
    build.in_memory(&[&text]).unwrap()
}

/// A file of this crate or, with `..`, of the repository.
fn repository(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}
