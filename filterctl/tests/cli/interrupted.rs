//! Ctrl-C, a kill and a terminal that is closed in the middle of a build: nothing is left behind, the old
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

/// Starts a build under `env` with what it does about signals, since the tests may run where some are
/// ignored, and waits until it writes.
fn start(folder: &Folder, list: &Path, signals: &[&str]) -> Child {
    let mut command = Command::new("env");
    command.args(signals).arg(env!("CARGO_BIN_EXE_filterctl"));
    command.args(build_arguments(&folder.path("words.filter"), &[list])).args(["--jobs", "1"]);
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let (begun, temporary) = (Instant::now(), folder.path(".words.filter.new"));
    while !temporary.exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "the build does not begin to write");
        thread::sleep(Duration::from_millis(1));
    }
    child
}

fn send(child: Child, signal: Signal) -> Output {
    kill_process(Pid::from_child(&child), signal).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn a_signal_leaves_nothing_but_the_old_filter() {
    let folder = Folder::new();
    let list = long_list(&folder);
    folder.file("words.filter", "the old file");
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
        assert_eq!(fs::read(folder.path("words.filter")).unwrap(), b"the old file");
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
