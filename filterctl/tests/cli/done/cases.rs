//! The commands that leave a state: what is there before, what is run, and which report would not be true.

use std::{
    fs,
    path::Path,
    process::{Command, Output, Stdio},
};

use serde_json::Value;

use crate::content;

pub(super) const PROGRAM: &str = env!("CARGO_BIN_EXE_filterctl");

/// A command that leaves a state, in a folder of its own.
pub(super) struct Case {
    pub(super) name: &'static str,
    /// Prepares the folder: what was there before.
    pub(super) prepare: fn(&Path),
    /// The arguments of the run.
    pub(super) arguments: fn(&Path) -> Vec<String>,
    /// The file that is replaced; a failure afterwards names it.
    pub(super) target: &'static str,
    /// A report that is not true.
    pub(super) lie: fn(&Path) -> Option<String>,
}

pub(super) fn run<A: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = A>) -> Output {
    Command::new(PROGRAM).args(arguments).stdin(Stdio::null()).output().unwrap()
}

fn done<A: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = A>) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

pub(super) fn at(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}

fn words(arguments: &[&str]) -> Vec<String> {
    arguments.iter().map(|&argument| argument.to_owned()).collect()
}

/// The JSON in a file; null where there is none.
fn json(path: &str) -> Value {
    fs::read(path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or(Value::Null)
}

pub(super) const FETCHED: &str = "var/lib/private/nearmiss-fetch/leaked.filter";
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
pub(super) fn prepare_breaches(root: &Path) {
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

pub(super) fn breaches(root: &Path) -> Vec<String> {
    words(&["breaches", "install", "--root", root.to_str().unwrap()])
}

/// Other options are in force.
fn prepare_enable(root: &Path) {
    prepare_breaches(root);
    fs::create_dir_all(root.join("usr/sbin")).unwrap();
    for name in ["usr/sbin/nearmiss-fetch", "usr/lib/systemd/system/nearmiss-fetch.timer"] {
        fs::write(root.join(name), "").unwrap();
    }
}

fn enable(root: &Path) -> Vec<String> {
    words(&["breaches", "enable", "--yes", "--min-count", "7", "--root", root.to_str().unwrap()])
}

pub(super) fn status(root: &Path) -> Value {
    let output = run(["breaches", "status", "--json", "--root", root.to_str().unwrap()]);
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The reports of status, metrics and doctor, compared with the installed filter.
pub(super) fn lie_of_breaches(root: &Path) -> Option<String> {
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

fn prepare_join_of_user(folder: &Path) {
    prepare_join(folder);
    fs::write(folder.join("agent.toml"), "nodes = []\n").unwrap();
}

fn join_of_user(folder: &Path) -> Vec<String> {
    [join(folder), words(&["--user", "host1", "--agent-conf", &at(folder, "agent.toml")])].concat()
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

pub(super) const CASES: [Case; 12] = [
    case("breaches install", prepare_breaches, breaches, "var/cache/nearmiss/leaked.filter", lie_of_breaches),
    case("breaches enable", prepare_enable, enable, "etc/nearmiss-fetch.env", |_| None),
    case("install", prepare_install, install, "f", lie_of_update_state),
    case("build", prepare_install, build, "f", lie_of_update_state),
    case("rollback", prepare_rollback, rollback, "f", lie_of_update_state),
    case("update", prepare_update, update, "f", lie_of_update),
    case("verify", prepare_verify, verify, "verified", lie_of_verify),
    case("doctor", prepare_verify, doctor, "examined", |_| None),
    case("metrics", prepare_verify, metrics, "metrics", |_| None),
    case("fleet join", prepare_join, join, "g.ladder", lie_of_join),
    case("fleet join --user", prepare_join_of_user, join_of_user, "agent.toml", lie_of_join),
    case("ladder init", prepare_ladder, ladder, "l", lie_of_ladder),
];
