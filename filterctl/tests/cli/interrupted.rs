//! Ctrl-C, a kill and a terminal that is closed in the middle of a build: no files are left, the old
//! filter stays.

use std::{
    fs,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

use crate::{Folder, build_arguments, run};

/// A list that takes a second or more to build from.
fn long_list(folder: &Folder) -> PathBuf {
    let words: String =
        (0..1_500_000_u32).map(|n| format!("word{}\n", n.wrapping_mul(2_654_435_761))).collect();
    folder.file("list", words)
}

/// An update that is killed leaves the earlier filter, and that it did not finish.
#[test]
fn a_killed_update_is_remembered() {
    let folder = Folder::new();
    folder.file("list", "elephant\n");
    let conf = format!("[update]\ncommon = false\nfolders = []\nlists = [{:?}]\n", folder.path("list"));
    let [conf, filter] = [folder.file("n.conf", conf), folder.path("words.filter")];
    let arguments =
        ["update".as_ref(), "--conf".as_ref(), conf.as_os_str(), "-o".as_ref(), filter.as_os_str()];
    assert_eq!(run(arguments).code, 0);
    let before = fs::read(&filter).unwrap();
    long_list(&folder);
    let mut command = Command::new(env!("CARGO_BIN_EXE_filterctl"));
    let child = command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let failed = || {
        let state = fs::read(folder.path("words.filter.update")).unwrap();
        serde_json::from_slice::<serde_json::Value>(&state).unwrap()["failed"]["reason"].clone()
    };
    wait_until("the update does not begin", || failed().is_string());
    send(child, Signal::KILL);
    assert!(fs::read(&filter).unwrap() == before);
    assert!(failed().as_str().unwrap().contains("did not finish"), "{}", failed());
    folder.file("list", "elephant\n");
    assert_eq!(run(arguments).code, 0);
    assert!(failed().is_null(), "fixed, though nothing was to be built");
}

/// Starts a build under `env` with what it does about signals, since the tests may run where some are
/// ignored, and waits until it writes.
fn start(folder: &Folder, list: &Path, signals: &[&str]) -> Child {
    let mut command = Command::new("env");
    command.args(signals).arg(env!("CARGO_BIN_EXE_filterctl"));
    command.args(build_arguments(&folder.path("words.filter"), &[list])).args(["--jobs", "1"]);
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let temporary = folder.path(".words.filter.new");
    wait_until("the build does not begin to write", || temporary.exists());
    child
}

fn wait_until(not_yet: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(300), "{not_yet}");
        thread::sleep(Duration::from_millis(1));
    }
}

fn send(child: Child, signal: Signal) -> Output {
    kill_process(Pid::from_child(&child), signal).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn a_signal_leaves_nothing_but_the_old_filter() {
    let folder = Folder::new();
    let list = long_list(&folder);
    folder.file("words.filter", crate::OLD_FILTER);
    for (signal, said) in [
        (Signal::INT, "filterctl: interrupted\n"),
        (Signal::TERM, "filterctl: terminated\n"),
        (Signal::HUP, "filterctl: hung up\n"),
    ] {
        let output = send(start(&folder, &list, &["--default-signal=INT,TERM,HUP"]), signal);
        // A shell makes 128 + number of it.
        assert_eq!(output.status.signal(), Some(signal.as_raw()), "{output:?}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), said);
        assert_eq!(folder.names(), ["list", "words.filter"]);
        assert_eq!(fs::read(folder.path("words.filter")).unwrap(), crate::OLD_FILTER);
    }
}

#[test]
fn a_signal_that_the_caller_ignores_is_ignored() {
    let folder = Folder::new();
    let list = long_list(&folder);
    let output = send(start(&folder, &list, &["--ignore-signal=HUP"]), Signal::HUP);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(told.lines().all(|line| line.contains("a near filter of ")), "{told}");
    assert_eq!(folder.names(), ["list", "words.filter"]);
    assert_eq!(run(["verify".as_ref(), folder.path("words.filter").as_os_str()]).code, 0);
}
