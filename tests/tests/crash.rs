//! Faults while a filter or a ladder is being written: killed at every system call, every error at every call
//! that writes, short writes, a full disk, the order that a power cut needs. After each: the old file or the
//! new one, whole.
//!
//! `make test` tries a part of the faults, `make torture` all of them (the ignored tests); each prints cases
//! tried and held.

use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
};

use nearmiss_filters::ladder::{ChosenLadder, LadderFiles};
use nearmiss_tests::{
    artifacts::artifacts,
    faults::{Act, Stage, compile, is_killed, no_strace, system_calls, traced, with_environment, with_fault},
    filters::set_mode,
    report_tried,
    skip::{no_namespace, skipped},
};

/// Kills the act at every `step`-th system call; how often it was really killed.
fn kill_everywhere(act: Act, step: usize) -> usize {
    let stage = Stage::new(act);
    let places: Vec<(String, usize)> = system_calls(&stage)
        .into_iter()
        .filter(|(name, _)| name != "execve" && name != "exit_group" && name != "exit")
        .flat_map(|(name, count)| (1..=count).map(move |number| (name.clone(), number)))
        .collect();
    let mut killed = 0;
    for (name, number) in places.iter().step_by(step) {
        stage.reset();
        let fault = format!("{name}:signal=KILL:when={number}");
        let output = with_fault(&stage, &fault);
        if is_killed(output.status) {
            killed += 1;
            stage.check_killed(&fault);
        } else {
            stage.check_refused(&fault, &output);
        }
    }
    killed
}

#[test]
fn killed_at_some_system_calls_the_old_file_or_the_new_one_is_there() {
    if skipped(no_strace()) {
        return;
    }
    let killed: usize = Act::ALL.into_iter().map(|act| kill_everywhere(act, 23)).sum();
    assert!(killed >= 12, "{killed} kills");
    report_tried("killed at some system calls", killed);
}

#[test]
#[ignore = "make torture"]
fn killed_at_every_system_call_the_old_file_or_the_new_one_is_there() {
    let killed: usize = Act::ALL.into_iter().map(|act| kill_everywhere(act, 1)).sum();
    assert!(killed >= 300, "{killed} kills");
    report_tried("killed at every system call of build and ladder init", killed);
}

/// Calls through which a file comes to be, and what the system may answer to each.
const ERRORS: [(&str, &[&str]); 9] = [
    ("write", &["ENOSPC", "EIO", "EINTR", "EDQUOT", "EFBIG"]),
    ("fsync", &["EIO", "ENOSPC", "EINTR"]),
    ("rename", &["EIO", "ENOSPC", "EXDEV", "EINTR"]),
    ("openat", &["EMFILE", "ENOSPC", "EACCES", "EINTR"]),
    ("ftruncate", &["EIO", "EINTR"]),
    ("fchmod", &["EPERM", "EROFS"]),
    ("flock", &["ENOLCK", "EAGAIN"]),
    ("mkdir", &["ENOSPC", "EROFS"]),
    ("unlink", &["EIO"]),
];

fn fail_everywhere(act: Act, step: usize) -> usize {
    let stage = Stage::new(act);
    let counts = system_calls(&stage);
    let faults: Vec<String> = ERRORS
        .iter()
        .flat_map(|(call, errors)| errors.iter().map(move |error| (*call, *error)))
        .flat_map(|(call, error)| {
            let count = counts.get(call).copied().unwrap_or(0);
            (1..=count).map(move |number| format!("{call}:error={error}:when={number}"))
        })
        .collect();
    for fault in faults.iter().step_by(step) {
        stage.reset();
        let output = with_fault(&stage, fault);
        // Without the loader there is no program; what it says is its own.
        if output.status.code() == Some(127)
            || String::from_utf8_lossy(&output.stderr).contains("error while loading")
        {
            assert!(stage.is_whole(), "{fault}");
            continue;
        }
        stage.check_refused(fault, &output);
        // Without its lock a temporary file may be another writer's, so it is left alone; the next writer
        // takes it over.
        let is_unlocked = fault.starts_with("flock");
        assert!(is_unlocked || stage.left_behind().is_empty(), "{act:?}, {fault}: {:?}", stage.left_behind());
        if fault.contains("ENOLCK") {
            assert!(
                String::from_utf8_lossy(&output.stderr).contains("No locks available"),
                "{fault}: {output:?}"
            );
            assert!(stage.run().status.success() && stage.left_behind().is_empty(), "{fault}, then again");
        }
    }
    faults.len().div_ceil(step)
}

#[test]
fn an_error_of_the_system_changes_nothing_and_leaves_nothing() {
    if skipped(no_strace()) {
        return;
    }
    let tried: usize = Act::ALL.into_iter().map(|act| fail_everywhere(act, 11)).sum();
    report_tried("some errors of the system while writing", tried);
}

#[test]
#[ignore = "make torture"]
fn every_error_at_every_call_changes_nothing_and_leaves_nothing() {
    let tried: usize = Act::ALL.into_iter().map(|act| fail_everywhere(act, 1)).sum();
    assert!(tried >= 150, "{tried} errors");
    report_tried("every error at every call that writes", tried);
}

#[test]
fn short_and_interrupted_writes_make_the_same_file() {
    for act in Act::ALL {
        let stage = Stage::new(act);
        let library = stage.folder().join("shortwrite.so");
        compile("shortwrite.c", &["-shared", "-fPIC"], &library);
        for most in ["7", "1000", "4096", "4097"] {
            stage.reset();
            let mut command = with_environment(&artifacts().filterctl, "LD_PRELOAD", &library);
            let output = stage.run_under(command.env("SHORT", most));
            assert!(output.status.success() && stage.is_done(), "{act:?}, {most} bytes: {output:?}");
        }
    }
    report_tried("short and interrupted writes", 4 * Act::ALL.len());
}

/// The numbers of the trace's lines that contain all of these.
fn lines_with(trace: &str, parts: &[&str]) -> Vec<usize> {
    let has = |line: &str| parts.iter().all(|part| line.contains(part));
    trace.lines().enumerate().filter(|(_, line)| has(line)).map(|(number, _)| number).collect()
}

/// The order that a power cut needs: the new file's bytes are on the disk before its name is, and the name
/// before the end.
#[test]
fn the_file_is_synced_before_it_is_renamed_and_the_folder_after() {
    if skipped(no_strace()) {
        return;
    }
    for (act, names) in [(Act::BuildOver, &["words.filter"][..]), (Act::LadderNew, &["l.key", "l.ladder"])] {
        let trace = traced(&Stage::new(act));
        for name in names {
            let temporary = format!(".{name}.new");
            let written = lines_with(&trace, &["write(", &temporary]);
            // The act succeeded, so each of these did; a call may be "unfinished" on its line when a thread
            // ends meanwhile.
            let synced = lines_with(&trace, &["fsync(", &temporary]);
            let renamed = lines_with(&trace, &["rename", &temporary]);
            assert_eq!((synced.len(), renamed.len()), (1, 1), "{act:?}, {name}: one sync, one rename");
            let folder = lines_with(&trace, &["fsync("]).into_iter().find(|line| *line > renamed[0]);
            let line =
                trace.lines().nth(folder.expect("a sync after the rename")).expect("a line of the trace");
            assert!(!line.contains(".new") && !line.contains(name), "the folder is synced, not {line}");
            assert!(
                written.iter().all(|line| *line < synced[0]) && synced[0] < renamed[0],
                "{act:?}, {name}"
            );
        }
    }
    report_tried("order of write, sync, rename, sync of the folder", 3);
}

/// A disk that has this much room; nothing of it is seen outside.
fn on_a_small_disk(stage: &Stage, kib: usize) -> std::process::Output {
    let script = format!(
        "mount -t tmpfs -o size={kib}k,mode=0755 small place && \"$@\"; status=$?; \
         ls -A place/state place/etc place 2>/dev/null | grep '[.]new$' && exit 99; exit $status"
    );
    let mut command = Command::new("unshare");
    command.args(["-m", "--propagation", "private", "sh", "-c", &script, "sh"]).arg(&artifacts().filterctl);
    stage.run_under(&command)
}

#[test]
fn a_full_disk_is_told_and_nothing_is_left_on_it() {
    if skipped(no_namespace()) {
        return;
    }
    let (mut tried, mut full) = (0, 0);
    for act in [Act::BuildNew, Act::LadderNew] {
        let stage = Stage::new(act);
        stage.reset();
        set_mode(stage.folder(), 0o755);
        for kib in (4..=120).step_by(4) {
            let output = on_a_small_disk(&stage, kib);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            match output.status.code() {
                Some(0) => {}
                Some(2) => {
                    full += 1;
                    assert!(said.contains("No space left on device"), "{act:?}, {kib} KiB: {said}");
                }
                other => panic!("{act:?}, {kib} KiB: {other:?}, {said}"),
            }
            tried += 1;
        }
        assert!(fs::read_dir(stage.place()).is_ok_and(|mut entries| entries.next().is_none()));
    }
    assert!(full >= 6, "{full} of {tried} disks were too small");
    report_tried("full disks", tried);
}

/// `ladder init` where there is neither ladder nor key, held up before it creates each of these temporary
/// files.
fn slow_init(place: &Path, microseconds: u32, held_up: &[&str]) -> Child {
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-o", "/dev/null", "-e", "trace=openat"]);
    strace.args(["-e", &format!("inject=openat:delay_enter={microseconds}")]);
    for name in held_up {
        strace.arg("-P").arg(place.join(name));
    }
    strace.arg(&artifacts().filterctl).args(["ladder", "init", "--no-slow-hash", "--bits", "32768"]);
    strace.arg("--file").arg(place.join("state/l")).arg("--key").arg(place.join("etc/k"));
    strace.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("strace can be run")
}

/// Both find no key. One makes its key and is slow to write its ladder; the other is slow to write its key,
/// which would replace the first one's between the two.
#[test]
fn of_two_ladders_made_at_once_the_one_that_is_there_has_the_key_that_is_there() {
    if skipped(no_strace()) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    let place = folder.path();
    for name in ["state", "etc"] {
        fs::create_dir(place.join(name)).expect("a folder can be made");
    }
    let mut pair = [
        slow_init(place, 400_000, &["etc/.k.new", "state/.l.new"]),
        slow_init(place, 600_000, &["etc/.k.new"]),
    ];
    let done = pair.each_mut().map(|child| child.wait().expect("it ends").code());
    assert!(done == [Some(0), Some(2)] || done == [Some(2), Some(0)], "one makes it: {done:?}");
    let files = LadderFiles { file: place.join("state/l"), key: place.join("etc/k") };
    assert!(ChosenLadder::open(&files).is_ok_and(|ladder| ladder.is_some()), "the ladder has its key");
}

/// A target that cannot be written at all is reported and stays as it was.
#[test]
fn a_read_only_folder_is_told() {
    if skipped(no_namespace()) {
        return;
    }
    let stage = Stage::new(Act::BuildOver);
    stage.reset();
    let script = "mount --bind place place && mount -o remount,bind,ro place && \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["-m", "--propagation", "private", "sh", "-c", script, "sh"]).arg(&artifacts().filterctl);
    let output = stage.run_under(&command);
    stage.check_refused("a read-only folder", &output);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("Read-only file system"), "{output:?}");
    assert!(Path::new(&stage.place().join("words.filter")).exists());
}
