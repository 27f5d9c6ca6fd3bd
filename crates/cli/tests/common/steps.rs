//! The steps of a program that writes: each call that changes what is on the disk, or opens what is to be
//! changed, is killed or failed in turn by strace.

use std::{collections::BTreeMap, process::Command};

const CALLS: [&str; 15] = [
    "openat",
    "write",
    "pwrite64",
    "pwritev",
    "fsync",
    "fallocate",
    "rename",
    "renameat",
    "renameat2",
    "linkat",
    "unlinkat",
    "mkdirat",
    "fchmod",
    "ftruncate",
    "flock",
];

const FAULTS: [&str; 3] = ["signal=KILL", "error=ENOSPC", "error=EROFS"];

/// Whether strace is here; reports a skipped test if it is not.
pub(super) fn has_strace() -> bool {
    let has = Command::new("strace").arg("-V").output().is_ok_and(|output| output.status.success());
    if !has {
        eprintln!("SKIPPED: needs strace");
    }
    has
}

/// What strace is to trace.
pub(super) fn trace() -> String {
    format!("trace={}", CALLS.join(","))
}

/// What strace is to inject, one after the other: every fault of every call in a trace.
pub(super) fn faults(trace: &str) -> Vec<String> {
    let mut counts = BTreeMap::new();
    for line in trace.lines() {
        let call = line.split_whitespace().nth(1).and_then(|call| call.split('(').next()).unwrap_or_default();
        *counts.entry(CALLS.iter().find(|known| **known == call).copied()).or_insert(0_usize) += 1;
    }
    let steps = counts.into_iter().filter_map(|(call, count)| Some((call?, count)));
    let steps = steps.flat_map(|(call, count)| (1..=count).map(move |when| (call, when)));
    steps.flat_map(|(call, when)| FAULTS.map(|fault| format!("inject={call}:{fault}:when={when}"))).collect()
}
