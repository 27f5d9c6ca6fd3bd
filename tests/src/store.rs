//! The server program, and the options by which it writes nothing down.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use crate::{
    artifacts::variable,
    process::bound_to_this_test,
    skip::is_root,
    sshd::{libraries, program},
};

/// Settings with limits and without any record on disk, for every server.
const CAREFUL: [&str; 14] = [
    "--appendonly",
    "no",
    "--save",
    "",
    "--slowlog-log-slower-than",
    "-1",
    "--crash-log-enabled",
    "no",
    "--maxmemory",
    "256mb",
    "--proto-max-bulk-len",
    "1mb",
    "--busy-reply-threshold",
    "100",
];
/// The careful settings of Valkey 8.1 and later.
const CAREFUL_VALKEY: [&str; 4] =
    ["--commandlog-request-larger-than", "-1", "--commandlog-reply-larger-than", "-1"];

/// The options of every server, except its ports: nothing is written to disk.
pub fn careful() -> Vec<&'static str> {
    static SETTINGS: OnceLock<Vec<&'static str>> = OnceLock::new();
    let look = || {
        let told = server_program().and_then(|program| server(&program).arg("--version").output().ok());
        let version = told.map(|told| String::from_utf8_lossy(&told.stdout).into_owned()).unwrap_or_default();
        let is_before = ["v=7.", "v=8.0"].iter().any(|old| version.contains(old));
        let more: &[&str] = if version.starts_with("Valkey") && !is_before { &CAREFUL_VALKEY } else { &[] };
        [&CAREFUL, more].concat()
    };
    SETTINGS.get_or_init(look).clone()
}

/// The server that `NEARMISS_STORE_SERVER` names; else this machine's, or the one unpacked beside the build.
pub fn server_program() -> Option<PathBuf> {
    match variable("NEARMISS_STORE_SERVER") {
        Some(named) => Some(PathBuf::from(named)),
        None => ["/usr/bin/valkey-server", "/usr/bin/redis-server"].into_iter().find_map(program),
    }
}

/// The command that starts this server, which ends with the test.
pub fn server(program: &Path) -> Command {
    let mut command = bound_to_this_test(program);
    command.env("LD_LIBRARY_PATH", libraries());
    command
}

/// The reason why there is no store, if there is none.
pub fn no_store() -> Option<&'static str> {
    if !is_root() {
        return Some("needs root: the agent's socket is for root alone");
    }
    let runs =
        |program: PathBuf| server(&program).arg("--version").output().is_ok_and(|told| told.status.success());
    (!server_program().is_some_and(runs)).then_some("needs redis-server (tests/tools/unpack.sh fetches it)")
}
