//! The tool as a program: arguments in, exit code, output and files out.
#![forbid(unsafe_code)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "tests"
)]
#![allow(clippy::print_stderr, reason = "a skipped test says so")]

mod accents;
mod access;
mod advice;
mod advice_of_update;
mod at_once;
mod authselect;
mod bad_input;
mod breach;
mod breaches;
mod build;
mod by_hand;
mod changed_lists;
mod check;
mod chosen;
mod closed_output;
mod config;
mod confirmed;
mod content;
mod doctor;
mod doctor_servers;
mod documents;
mod done;
mod exact_filter;
mod few_threads;
mod fleet;
mod forms;
mod frame;
mod full_disk;
mod groups;
mod hook;
mod inspect;
mod install;
mod interrupted;
mod json_lists;
#[path = "../../../crates/cli/tests/common/json_reference.rs"]
mod json_reference;
mod ladder;
mod ladder_storm;
mod links;
mod lists;
mod logins;
mod lost_lists;
mod metrics;
mod migrate;
mod namespace;
mod not_passwords;
mod other_root;
mod others_folder;
mod outputs;
mod overwriting;
mod pam_stacks;
mod plan;
#[path = "../../../crates/cli/tests/common/plantings.rs"]
#[allow(dead_code, reason = "shared")]
mod plantings;
mod ranked;
mod rates;
mod readme;
mod remembered;
mod site_words;
mod stack_line;
mod stored_hashes;
mod suggest;
mod system_update;
mod units;
mod updates;
mod usage;
mod useless_options;
mod verify_all;

use std::{
    ffi::{OsStr, OsString},
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
};

use nearmiss_filters::keys::MessageKey;

/// The key of all filters that need not be random.
const KEY: &str = "000102030405060708090a0b0c0d0e0f";

/// A file that is replaced as a filter, and differs from every other.
const OLD_FILTER: &[u8] = b"\x89NMF\r\n\x1a\n the old file";

/// The result of a run of the program.
#[derive(Debug)]
struct Run {
    code: i32,
    out: String,
    err: String,
}

impl Run {
    /// The only line on stderr, which an error is; it ends with the key of its row in docs/troubleshoot.md.
    fn error_line(&self) -> &str {
        assert_eq!(self.code, 2, "{self:?}");
        assert_eq!(self.out, "", "{self:?}");
        assert!(self.err.starts_with("filterctl: ") && self.err.ends_with('\n'), "{self:?}");
        assert_eq!(self.err.lines().count(), 1, "{self:?}");
        let line = self.err.trim_end();
        let has = |keys: &[MessageKey]| keys.iter().any(|key| line.ends_with(&format!(" {key}")));
        assert!(has(nearmiss_filters::keys::ALL) || has(nearmiss_cli::keys::ALL), "{self:?}");
        line
    }

    /// The JSON objects on stdout, one a line.
    fn json(&self) -> Vec<serde_json::Value> {
        let parse = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
        let objects: Vec<_> = self.out.lines().map(parse).collect();
        assert!(objects.iter().all(|object| object["schema"] == 1), "{self:?}");
        objects
    }
}

/// Runs the program with this standard input.
fn run_with<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>, input: &[u8]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_filterctl"));
    // The width of help, where it is not a terminal's.
    command.env_remove("COLUMNS");
    let arguments: Vec<_> = arguments.into_iter().map(|it| it.as_ref().to_owned()).collect();
    command.args(&arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // Written from a thread of its own, since the program answers while it reads; it may also end before.
    let output = thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output().unwrap()
    });
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    // The reason in words is enough: no message of a command contains an error number of the system.
    assert!(!out.contains("(os error ") && !err.contains("(os error "), "{out}{err}");
    assert_is_described(&arguments, &out);
    Run { code: output.status.code().unwrap(), out, err }
}

/// Fails unless docs/json.md describes the JSON that was printed.
fn assert_is_described(arguments: &[OsString], out: &str) {
    if arguments.iter().any(|argument| argument == "--json") {
        let words: Vec<String> = arguments.iter().map(|it| it.to_string_lossy().into_owned()).collect();
        // A program that a command hands on to may print lines of its own.
        for printed in out.lines().filter(|line| line.starts_with('{')) {
            json_reference::assert_described("filterctl", &words, &serde_json::from_str(printed).unwrap());
        }
    }
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

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    /// A filter of these words.
    fn filter(&self, words: &str) -> PathBuf {
        let (list, filter) = (self.file("words.txt", words), self.path("words.filter"));
        let done = run(build_arguments(&filter, &[&list]));
        assert_eq!(done.code, 0, "{done:?}");
        filter
    }

    /// Names of all files, hidden ones too.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// Arguments of a reproducible build.
fn build_arguments(output: &Path, lists: &[&Path]) -> Vec<PathBuf> {
    let fixed = ["build", "--key", KEY, "--output"].map(PathBuf::from);
    fixed.into_iter().chain([output.to_owned()]).chain(lists.iter().map(|&list| list.to_owned())).collect()
}
