//! Success is only reported after it is true: each step of each command is made to fail in turn, and what
//! status, metrics, doctor and the files of state say is compared with what is on the disk.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use serde_json::Value;

use crate::{Folder, content, namespace::private_mounts};

#[path = "../../../crates/cli/tests/common/steps.rs"]
mod steps;

const PROGRAM: &str = env!("CARGO_BIN_EXE_filterctl");

/// A command that leaves a state, in a folder of its own.
struct Case {
    name: &'static str,
    /// Prepares the folder: what was there before.
    prepare: fn(&Path),
    /// The arguments of the run.
    arguments: fn(&Path) -> Vec<String>,
    /// The file that is replaced; a failure afterwards names it.
    target: &'static str,
    /// A report that is not true.
    lie: fn(&Path) -> Option<String>,
}

fn run<A: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = A>) -> Output {
    Command::new(PROGRAM).args(arguments).stdin(Stdio::null()).output().unwrap()
}

fn done<A: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = A>) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn at(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}

fn words(arguments: &[&str]) -> Vec<String> {
    arguments.iter().map(|&argument| argument.to_owned()).collect()
}

/// The JSON in a file; null where there is none.
fn json(path: &str) -> Value {
    fs::read(path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or(Value::Null)
}

const FETCHED: &str = "var/lib/private/nearmiss-fetch/leaked.filter";
const FRESH: u64 = 1_700_000_000;

fn fetch(root: &Path, digests: u32, ended: u64) {
    let others = (0..digests).map(|i| format!("{:08X}{i:032X}", i.wrapping_mul(0x9e37_79b9)));
    let all = content::common_digests(1000).into_iter().chain(others);
    let lines: String = all.take(digests as usize).map(|digest| format!("{digest}:3\n")).collect();
    fs::write(root.join("list"), lines).unwrap();
    done(["build", "-q", "--kind", "sha1", "--output", &at(root, FETCHED), &at(root, "list")]);
    let said = format!("{{\"schema\":1,\"ended\":{ended},\"result\":\"done\"}}");
    fs::write(root.join(format!("{FETCHED}.run")), said).unwrap();
}

fn now() -> u64 {
    std::time::UNIX_EPOCH.elapsed().unwrap().as_secs()
}

/// Leaked passwords of a year ago in place, and today's fetched.
fn prepare_breaches(root: &Path) {
    for folder in
        ["usr/lib/systemd/system", "etc/nearmiss", "etc/security/nearmiss.conf.d", "var/cache/nearmiss"]
    {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    fs::create_dir_all(root.join(FETCHED).parent().unwrap()).unwrap();
    fs::write(root.join("etc/nearmiss-fetch.env"), "OPTIONS=\"--kind sha1\"\n").unwrap();
    let filter = at(root, "var/cache/nearmiss/leaked.filter");
    let rule = format!("packaged = false\n[[dictionary]]\nfile = {filter:?}\nmatch = \"exact\"\n");
    fs::write(root.join("n.conf"), rule).unwrap();
    fetch(root, 2000, FRESH);
    done(["breaches", "install", "--root", root.to_str().unwrap()]);
    fetch(root, 2100, now());
}

fn breaches(root: &Path) -> Vec<String> {
    words(&["breaches", "install", "--root", root.to_str().unwrap()])
}

fn status(root: &Path) -> Value {
    let output = run(["breaches", "status", "--json", "--root", root.to_str().unwrap()]);
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The reports of status, metrics and doctor, compared with the installed filter.
fn lie_of_breaches(root: &Path) -> Option<String> {
    let status = status(root);
    let is_new = status["digests"] == 2100;
    let [conf, place] = [at(root, "n.conf"), at(root, "")];
    let metrics = done(["metrics", "--conf", &conf, "--root", &place]);
    let value = |name: &str| {
        let line = metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.and_then(|value| value.parse::<f64>().ok())
    };
    let doctor = run(["doctor", "--only", "filters", "--conf", &conf, "--root", &place]);
    let doctor = String::from_utf8(doctor.stdout).unwrap();
    let has_failed = status["failed"].is_string();
    let is_fresh = status["age_days"] == 0;
    let all = format!("{status} {metrics} {doctor}");
    if is_fresh && !is_new {
        return Some(format!("fresh, and the filter is that of before: {all}"));
    }
    if !is_new && !has_failed {
        return Some(format!("not installed, and nothing says so: {all}"));
    }
    if value("nearmiss_breaches_run_failed") != Some(f64::from(u8::from(has_failed)))
        || value("nearmiss_breaches_age_seconds").is_none_or(|age| (age < 86_400.0) != is_fresh)
        || doctor.contains("the last run failed") != has_failed
    {
        return Some(format!("they differ: {all}"));
    }
    None
}

/// A filter that an update built, and another that is to be installed.
fn prepare_install(folder: &Path) {
    fs::write(folder.join("list"), "elephant\ngiraffe\n").unwrap();
    fs::write(folder.join("other"), "zebra\n").unwrap();
    let text = format!("[update]\ncommon = false\nfolders = []\nlists = [{:?}]\n", at(folder, "list"));
    fs::write(folder.join("n.conf"), text).unwrap();
    done(["update", "-q", "--conf", &at(folder, "n.conf"), "--output", &at(folder, "f")]);
    fs::copy(folder.join("f"), folder.join("updated")).unwrap();
    done(["build", "-q", "--output", &at(folder, "new"), &at(folder, "other")]);
}

fn install(folder: &Path) -> Vec<String> {
    words(&["install", "-q", &at(folder, "new"), &at(folder, "f")])
}

/// The state of an update beside a filter that is not the update's.
fn lie_of_update_state(folder: &Path) -> Option<String> {
    let state = json(&at(folder, "f.update"));
    let is_its = fs::read(folder.join("f")).unwrap() == fs::read(folder.join("updated")).unwrap();
    (state.is_object() && state["failed"].is_null() && !is_its).then(|| state.to_string())
}

/// The update's filter is put in place of one that was built by hand.
fn prepare_rollback(folder: &Path) {
    prepare_install(folder);
    done(install(folder));
    done(["update", "-q", "--conf", &at(folder, "n.conf"), "--output", &at(folder, "f")]);
    fs::copy(folder.join("f"), folder.join("updated")).unwrap();
}

fn build(folder: &Path) -> Vec<String> {
    words(&["build", "-q", "--output", &at(folder, "f"), &at(folder, "other")])
}

fn rollback(folder: &Path) -> Vec<String> {
    words(&["rollback", "-q", &at(folder, "f")])
}

fn prepare_update(folder: &Path) {
    prepare_install(folder);
    fs::write(folder.join("list"), "elephant\ngiraffe\nzebra\nlion\n").unwrap();
}

fn update(folder: &Path) -> Vec<String> {
    words(&["update", "-q", "--conf", &at(folder, "n.conf"), "--output", &at(folder, "f")])
}

fn lie_of_update(folder: &Path) -> Option<String> {
    let (state, info) = (json(&at(folder, "f.update")), done(["info", "--json", &at(folder, "f")]));
    let info: Value = serde_json::from_str(&info).unwrap();
    let is_said = state["failed"].is_null() && state["lists"][0]["words"] == 4;
    (is_said && info["lines"] != 4 && info["words"] != 4).then(|| format!("{state} {info}"))
}

/// A filter that was found intact, and is damaged since.
fn prepare_verify(folder: &Path) {
    fs::write(folder.join("list"), "elephant\n").unwrap();
    let filter = at(folder, "f");
    done(["build", "-q", "--output", &filter, &at(folder, "list")]);
    fs::write(folder.join("n.conf"), format!("packaged = false\n[[dictionary]]\nfile = {filter:?}\n"))
        .unwrap();
    done(verify(folder));
    let mut bytes = fs::read(&filter).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&filter, bytes).unwrap();
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(100);
    fs::File::options().write(true).open(&filter).unwrap().set_modified(later).unwrap();
}

fn verify(folder: &Path) -> Vec<String> {
    words(&["verify", "--all", "--conf", &at(folder, "n.conf"), "--record", &at(folder, "verified")])
}

fn doctor(folder: &Path) -> Vec<String> {
    let (record, root) = (at(folder, "examined"), at(folder, ""));
    words(&["doctor", "--record", &record, "--root", &root, "--conf", &at(folder, "n.conf")])
}

fn metrics(folder: &Path) -> Vec<String> {
    let (output, root) = (at(folder, "metrics"), at(folder, ""));
    words(&["metrics", "--output", &output, "--root", &root, "--conf", &at(folder, "n.conf")])
}

/// A record of the damaged file that says that nothing is wrong.
fn lie_of_verify(folder: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let record = json(&at(folder, "verified"));
    let is_of_it = record["filters"][0]["modified"] == fs::metadata(folder.join("f")).unwrap().mtime();
    (is_of_it && record["filters"][0]["problem"].is_null()).then(|| record.to_string())
}

fn prepare_join(folder: &Path) {
    done(["fleet", "init", "--guessed", "--bits", "2^26", "--file", &at(folder, "h.ladder")]);
    let bundle = at(folder, "bundle");
    done(["fleet", "export", "--guessed", "--file", &at(folder, "h.ladder"), "--output", &bundle]);
}

fn join(folder: &Path) -> Vec<String> {
    words(&["fleet", "join", &at(folder, "bundle"), "--file", &at(folder, "g.ladder")])
}

/// A descriptor without the key that it needs.
fn lie_of_join(folder: &Path) -> Option<String> {
    let has_key = fs::read(folder.join("g.key")).ok() == fs::read(folder.join("h.key")).ok();
    (folder.join("g.ladder").exists() && !has_key).then(|| "a descriptor without its key".to_owned())
}

/// Ladder and key are in two folders.
fn prepare_ladder(folder: &Path) {
    fs::create_dir(folder.join("keys")).unwrap();
    done(ladder(folder));
}

fn ladder(folder: &Path) -> Vec<String> {
    let (file, key) = (at(folder, "l"), at(folder, "keys/k"));
    let init = ["ladder", "init", "--replace", "--no-slow-hash", "--bits", "32768"];
    [words(&init), words(&["--file", &file, "--key", &key])].concat()
}

fn lie_of_ladder(folder: &Path) -> Option<String> {
    let read = || run(["ladder", "info", "--file", &at(folder, "l"), "--key", &at(folder, "keys/k")]);
    let is_there = folder.join("l").exists();
    (is_there && !read().status.success()).then(|| "a ladder that cannot be used".to_owned())
}

const fn case(
    name: &'static str,
    prepare: fn(&Path),
    arguments: fn(&Path) -> Vec<String>,
    target: &'static str,
    lie: fn(&Path) -> Option<String>,
) -> Case {
    Case { name, prepare, arguments, target, lie }
}

const CASES: [Case; 10] = [
    case("breaches install", prepare_breaches, breaches, "var/cache/nearmiss/leaked.filter", lie_of_breaches),
    case("install", prepare_install, install, "f", lie_of_update_state),
    case("build", prepare_install, build, "f", lie_of_update_state),
    case("rollback", prepare_rollback, rollback, "f", lie_of_update_state),
    case("update", prepare_update, update, "f", lie_of_update),
    case("verify", prepare_verify, verify, "verified", lie_of_verify),
    case("doctor", prepare_verify, doctor, "examined", |_| None),
    case("metrics", prepare_verify, metrics, "metrics", |_| None),
    case("fleet join", prepare_join, join, "g.ladder", lie_of_join),
    case("ladder init", prepare_ladder, ladder, "l", lie_of_ladder),
];

/// A command that fails with its target replaced, and does not say so.
fn silence(case: &Case, stage: &Stage, output: &Output) -> Option<String> {
    let [now, before] =
        ["place", "clean"].map(|name| fs::read(stage.folder.path(name).join(case.target)).ok());
    let said = String::from_utf8_lossy(&output.stderr);
    let is_silent = output.status.code() == Some(2) && now != before && !said.contains("was replaced, but");
    // Standard error may be what failed.
    (is_silent && !said.is_empty()).then(|| format!("{} was replaced: {said}", case.target))
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
        let is_quiet = ["breaches install", "verify", "metrics"].contains(&case.name);
        assert!(is_named || is_quiet, "{}: {output:?}", case.name);
    }
}

/// The last call that may fail is that for the folder of a file that is in its place.
#[test]
fn what_was_replaced_is_named_though_its_folder_cannot_be_synced() {
    if !steps::has_strace() {
        return;
    }
    for case in &CASES {
        let stage = Stage::new(case);
        let trace = stage.folder.path("trace");
        let options = ["-e", "trace=fsync", "-o", trace.to_str().unwrap()];
        traced(&(case.arguments)(&stage.place()), &options);
        let calls = fs::read_to_string(&trace).unwrap().lines().count();
        assert!(calls > 0, "{}", case.name);
        for call in 1..=calls {
            stage.copy("clean", "place");
            let fault = format!("inject=fsync:error=ENOSPC:when={call}");
            let output = traced(&(case.arguments)(&stage.place()), &["-e", &fault, "-o", "/dev/null"]);
            assert_eq!(silence(case, &stage, &output), None, "{}, {fault}", case.name);
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

fn failed_everywhere(case: &Case, step: usize, offset: usize) -> usize {
    let stage = Stage::new(case);
    let trace = stage.folder.path("trace");
    let output =
        traced(&(case.arguments)(&stage.place()), &["-e", &steps::trace(), "-o", trace.to_str().unwrap()]);
    assert_eq!(lie_after(case, &stage), None, "{}: {output:?}", case.name);
    let faults = steps::faults(&fs::read_to_string(&trace).unwrap());
    let mut tried = 0;
    for fault in faults.iter().skip(offset % step).step_by(step) {
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
        let tried: usize = CASES.iter().map(|case| failed_everywhere(case, 31, 7)).sum();
        assert!(tried >= 20, "{tried}");
    }
}

#[test]
#[ignore = "make torture"]
fn no_step_that_fails_leaves_anything_that_says_done() {
    for case in &CASES {
        let tried = failed_everywhere(case, 1, 0);
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
