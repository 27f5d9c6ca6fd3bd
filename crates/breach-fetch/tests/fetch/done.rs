//! The report of a run is true: each step of a refresh is failed or killed in turn, and the exit status, the
//! messages and the files next to the filter are compared with the filter itself.
#![allow(clippy::print_stderr, reason = "a skipped test says so")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use serde_json::Value;

use crate::{Scene, cut_off::changed};

#[path = "../../../cli/tests/common/steps.rs"]
mod steps;

/// The end of the run before the tested one.
const EARLIER: u64 = 1_700_000_000;

/// A filter of an earlier corpus, and its refreshed state.
struct Stage {
    scene: Scene,
    before: Vec<u8>,
    after: Vec<u8>,
}

impl Stage {
    fn new() -> Stage {
        let (scene, before, after) = changed();
        let said = format!("{{\"schema\":1,\"ended\":{EARLIER},\"result\":\"done\"}}");
        fs::write(scene.path("f/leaked.filter.run"), said).unwrap();
        let stage = Stage { scene, before, after };
        stage.copy("f", "clean");
        stage
    }

    fn copy(&self, from: &str, to: &str) {
        let [from, to] = [from, to].map(|name| self.scene.path(name));
        let _ = fs::remove_dir_all(&to);
        assert!(Command::new("cp").arg("-a").args([from, to]).status().unwrap().success());
    }

    /// A refresh under strace, which traces the file operations.
    fn refreshed(&self, options: &[&str]) -> Output {
        let mut command = Command::new("timeout");
        command.args(["--signal", "KILL", "60", "strace", "-f", "-qq"]).args(options);
        for path in self.places() {
            command.arg("-P").arg(path);
        }
        let inner = self.scene.command(&[]);
        command.arg(inner.get_program()).args(inner.get_args()).stdin(Stdio::null());
        command.output().unwrap()
    }

    /// The folder, and its possible files.
    fn places(&self) -> Vec<PathBuf> {
        let files = ["", ".ranges", ".run"].map(|ending| format!("leaked.filter{ending}"));
        let temporary = files.iter().map(|name| format!(".{name}.new"));
        let names = files.iter().cloned().chain(temporary).chain([".leaked.filter.part".to_owned()]);
        let names: Vec<String> = names.collect();
        let paths = names.iter().map(|name| self.scene.path("f").join(name));
        paths.chain([self.scene.path("f")]).collect()
    }

    /// A false statement in the report, if there is one.
    fn lie(&self, output: &Output) -> Option<String> {
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let now = fs::read(self.scene.filter()).unwrap_or_default();
        let (is_old, is_new) = (now == self.before, now == self.after);
        let run = last_run(&self.scene.path("f/leaked.filter.run"));
        let says_done = run["result"] == "done" && run["ended"].as_u64() > Some(EARLIER);
        if !is_old && !is_new {
            return Some("neither the old filter nor the new one".to_owned());
        }
        match output.status.code() {
            Some(0) if !is_new => Some("ends with 0 beside the old filter".to_owned()),
            Some(1 | 2) if text.is_empty() => Some("fails without a word".to_owned()),
            Some(1 | 2) if says_done => Some(format!("failed, and says done: {text} {run}")),
            _ if says_done && !is_new => Some(format!("done, with the old filter: {run}")),
            Some(0..=2 | 137) | None => None,
            Some(code) => Some(format!("ends with {code}: {text}")),
        }
    }
}

/// The result of the last run; null if there is none.
fn last_run(path: &Path) -> Value {
    fs::read(path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or(Value::Null)
}

/// Every fault of every system call of a refresh.
fn faults(stage: &Stage) -> Vec<String> {
    let trace = stage.scene.path("trace");
    let output = stage.refreshed(&["-e", &steps::trace(), "-o", trace.to_str().unwrap()]);
    assert!(output.status.success() && stage.lie(&output).is_none(), "{output:?}");
    assert_eq!(last_run(&stage.scene.path("f/leaked.filter.run"))["result"], "done");
    steps::faults(&fs::read_to_string(&trace).unwrap())
}

fn failed_everywhere(step: usize, offset: usize) -> Option<usize> {
    if !steps::has_strace() {
        return None;
    }
    let stage = Stage::new();
    let faults = faults(&stage);
    let tried = faults.iter().skip(offset).step_by(step).map(|fault| {
        stage.copy("clean", "f");
        let output = stage.refreshed(&["-e", fault, "-o", "/dev/null"]);
        assert_eq!(stage.lie(&output), None, "{fault}: {output:?}");
        stage.scene.done(&[]);
        assert!(stage.scene.bytes() == stage.after, "{fault}: the next run does not end it");
    });
    Some(tried.count())
}

#[test]
fn some_steps_that_fail_leave_nothing_that_says_done() {
    if let Some(tried) = failed_everywhere(17, 5) {
        assert!(tried >= 3, "{tried}");
    }
}

#[test]
#[ignore = "make torture"]
fn no_step_that_fails_leaves_anything_that_says_done() {
    if let Some(tried) = failed_everywhere(1, 0) {
        println!("torture: nearmiss-fetch: {tried} steps failed or killed: nothing says done that is not");
        assert!(tried >= 30, "{tried}");
    }
}
