//! Success is only reported after it is true: each step of each command is made to fail in turn, and what
//! status, metrics, doctor and the files of state say is compared with what is on the disk.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output, Stdio},
};

use crate::{Folder, namespace::private_mounts};

mod cases;
#[path = "../../../crates/cli/tests/common/steps.rs"]
mod steps;

use cases::{CASES, Case, FETCHED, PROGRAM, at, breaches, lie_of_breaches, prepare_breaches, run, status};

/// A command that fails with its target replaced, and does not say so.
fn silence(case: &Case, stage: &Stage, output: &Output) -> Option<String> {
    let [now, before] =
        ["place", "clean"].map(|name| fs::read(stage.folder.path(name).join(case.target)).ok());
    let said = String::from_utf8_lossy(&output.stderr);
    let is_silent = output.status.code() == Some(2) && now != before && !said.contains("was replaced, but");
    // A filter that cannot be opened is what verify records: the record is right, and the run did not fail.
    let is_result = case.name == "verify" && !said.contains("cannot record");
    // Standard error may be what failed.
    (is_silent && !is_result && !said.is_empty()).then(|| format!("{} was replaced: {said}", case.target))
}

/// Each command that replaces a file does so, and cannot print its report.
#[test]
fn what_was_replaced_is_named_though_the_report_cannot_be_printed() {
    for case in &CASES {
        let stage = Stage::new(case);
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let mut arguments = (case.arguments)(&stage.place());
        arguments.retain(|argument| argument != "-q");
        let mut command = Command::new(PROGRAM);
        let output = command.args(arguments).stdin(Stdio::null()).stdout(full).output().unwrap();
        assert_eq!(silence(case, &stage, &output), None, "{}", case.name);
        let said = String::from_utf8_lossy(&output.stderr);
        let is_named = said.contains(&format!("{} was replaced, but", at(&stage.place(), case.target)));
        // It prints nothing, or before it replaces the file.
        let is_quiet = ["breaches install", "breaches enable", "verify", "metrics"].contains(&case.name);
        assert!(is_named || is_quiet, "{}: {output:?}", case.name);
    }
}

/// The last call that may fail is that for the folder of a file that is in its place.
#[test]
fn what_was_replaced_is_named_though_its_folder_cannot_be_synced() {
    if steps::has_strace() {
        for case in &CASES {
            let tried = failed_where(case, |_, fault| fault.starts_with("inject=fsync:error=ENOSPC"));
            assert!(tried > 0, "{}", case.name);
        }
    }
}

/// The limit of open files that a command needs is one at which the target is replaced.
#[test]
fn a_limit_of_open_files_leaves_no_replaced_ladder_without_a_word() {
    let case = CASES.iter().find(|case| case.name == "ladder init").unwrap();
    let stage = Stage::new(case);
    let script = "ulimit -n \"$1\"; shift; exec \"$0\" \"$@\"";
    let stops = (6..64).take_while(|limit: &usize| {
        stage.copy("clean", "place");
        let mut command = Command::new("sh");
        command.args(["-c", script, PROGRAM, &limit.to_string()]).args((case.arguments)(&stage.place()));
        let output = command.stdin(Stdio::null()).output().unwrap();
        assert_eq!(silence(case, &stage, &output), None, "{limit}");
        assert_eq!(lie_after(case, &stage), None, "{limit}: {output:?}");
        !output.status.success()
    });
    assert!((1..50).contains(&stops.count()));
}

/// What nobody can write beside the filter is not recorded, and the filter is replaced.
#[test]
fn an_update_whose_record_cannot_be_written_says_that_the_filter_is_replaced() {
    let case = CASES.iter().find(|case| case.name == "update").unwrap();
    let stage = Stage::new(case);
    let record = stage.place().join("f.update");
    fs::remove_file(&record).unwrap();
    std::os::unix::fs::symlink("list", &record).unwrap();
    let output = run((case.arguments)(&stage.place()));
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr);
    let named = format!("{} was replaced, but", at(&stage.place(), "f"));
    assert!(said.contains(&named), "{said}");
}

fn traced(arguments: &[String], options: &[&str]) -> Output {
    let mut command = Command::new("strace");
    command.args(["-f", "-qq"]).args(options).arg(PROGRAM).args(arguments).stdin(Stdio::null());
    command.output().unwrap()
}

/// The folder as it is before each run: the same path, since paths are in what is written.
struct Stage {
    folder: Folder,
}

impl Stage {
    fn new(case: &Case) -> Stage {
        let stage = Stage { folder: Folder::new() };
        fs::create_dir(stage.place()).unwrap();
        (case.prepare)(&stage.place());
        stage.copy("place", "clean");
        stage
    }

    fn place(&self) -> PathBuf {
        self.folder.path("place")
    }

    fn copy(&self, from: &str, to: &str) {
        let _ = fs::remove_dir_all(self.folder.path(to));
        let status =
            Command::new("cp").arg("-a").args([from, to].map(|name| self.folder.path(name))).status();
        assert!(status.unwrap().success());
    }
}

/// Fails the command in turn by each fault that is chosen, by its number and itself. Returns their number.
fn failed_where(case: &Case, is_chosen: impl Fn(usize, &str) -> bool) -> usize {
    let stage = Stage::new(case);
    let trace = stage.folder.path("trace");
    let output =
        traced(&(case.arguments)(&stage.place()), &["-e", &steps::trace(), "-o", trace.to_str().unwrap()]);
    assert_eq!(lie_after(case, &stage), None, "{}: {output:?}", case.name);
    let faults = steps::faults(&fs::read_to_string(&trace).unwrap());
    let mut tried = 0;
    for (_, fault) in faults.iter().enumerate().filter(|(number, fault)| is_chosen(*number, fault)) {
        stage.copy("clean", "place");
        let arguments = (case.arguments)(&stage.place());
        let output = traced(&arguments, &["-e", fault, "-o", "/dev/null"]);
        let lie = lie_after(case, &stage);
        assert_eq!(lie, None, "{}, {fault}: {output:?}", case.name);
        assert_eq!(silence(case, &stage, &output), None, "{}, {fault}", case.name);
        tried += 1;
    }
    tried
}

fn lie_after(case: &Case, stage: &Stage) -> Option<String> {
    (case.lie)(&stage.place())
}

#[test]
fn some_steps_that_fail_leave_nothing_that_says_done() {
    if steps::has_strace() {
        let tried: usize = CASES.iter().map(|case| failed_where(case, |number, _| number % 31 == 7)).sum();
        assert!(tried >= 20, "{tried}");
    }
}

#[test]
#[ignore = "make torture"]
fn no_step_that_fails_leaves_anything_that_says_done() {
    for case in &CASES {
        let tried = failed_where(case, |_, _| true);
        println!("torture: {}: {tried} steps failed or killed, and nothing says done that is not", case.name);
        assert!(tried >= 30, "{tried}");
    }
}

/// The run on a disk that has no byte left, in a mount namespace of its own; then what it left is there.
fn run_on_a_full_disk(case: &Case, stage: &Stage) -> Option<Output> {
    const SCRIPT: &str = r#"mount -t tmpfs -o mode=0755,size=4m tmpfs "$place"
        cp -a "$clean/." "$place/"
        dd if=/dev/zero of="$place/.full" bs=4096 2>/dev/null || true
        code=0; "$@" || code=$?
        rm "$place/.full"
        cp -a "$place/." "$after/"
        exit $code"#;
    let mut command = private_mounts(SCRIPT)?;
    let after = stage.folder.path("after");
    fs::create_dir(&after).unwrap();
    command.arg(PROGRAM).args((case.arguments)(&stage.place())).stdin(Stdio::null());
    command.env("place", stage.place()).env("clean", stage.folder.path("clean")).env("after", &after);
    let output = command.output().unwrap();
    fs::remove_dir_all(stage.place()).unwrap();
    fs::rename(after, stage.place()).unwrap();
    Some(output)
}

#[test]
fn a_full_disk_leaves_nothing_that_says_done() {
    for case in &CASES {
        let stage = Stage::new(case);
        let Some(output) = run_on_a_full_disk(case, &stage) else { return };
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(lie_after(case, &stage), None, "{}: {output:?}", case.name);
        // The command that builds a filter fails, and the earlier files are still there.
        if ["breaches install", "install", "build", "update"].contains(&case.name) {
            assert_eq!(output.status.code(), Some(2), "{}: {output:?}", case.name);
            let has_said = ["No space left on device", "free"].iter().any(|words| said.contains(words));
            assert!(has_said, "{}: {said}", case.name);
            let filter =
                if case.name == "breaches install" { "var/cache/nearmiss/leaked.filter" } else { "f" };
            let [now, before] = ["place", "clean"].map(|name| fs::read(stage.folder.path(name).join(filter)));
            assert!(now.unwrap() == before.unwrap(), "{}: another filter", case.name);
        }
    }
}

#[test]
fn a_damaged_filter_that_was_fetched_is_a_failure_and_no_fresh_corpus() {
    let folder = Folder::new();
    prepare_breaches(folder.0.path());
    let file = folder.path(FETCHED);
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    fs::write(&file, bytes).unwrap();
    let output = run(breaches(folder.0.path()));
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let status = status(folder.0.path());
    assert!(status["failed"].as_str().unwrap().contains("refused"), "{status}");
    assert!(status["age_days"].as_u64().unwrap() > 300 && status["digests"] == 2000, "{status}");
    assert_eq!(lie_of_breaches(folder.0.path()), None);
}
