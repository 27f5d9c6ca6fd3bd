//! The agent's doctor before real servers: each careless setting and each right to watch, with what mends it.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use nearmiss_fleet_tests::{Server, careful, free_port, no_store};
use nearmiss_tests::{
    artifacts::{artifacts, program},
    skip::skipped,
};

use crate::secrets::{BY_SOCKET, allow, allow_agent};

pub(super) fn doctor(folder: &Path, text: &str) -> Output {
    let file = folder.join("agent.toml");
    fs::write(&file, text).unwrap();
    Command::new(program("nearmiss-agent")).arg("doctor").arg("--conf").arg(&file).output().unwrap()
}

#[test]
fn the_doctor_names_each_careless_setting_with_its_line() {
    if skipped(no_store()) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let careless = Server::start(&["--appendonly", "yes", "--save", "3600 1"]);
    // One that hides what clients send, as Valkey does unless it is set otherwise, may write a crash down.
    let hides = careless.has_setting("hide-user-data-from-log");
    if hides {
        careless.ask(&["CONFIG", "SET", "hide-user-data-from-log", "no"]);
    }
    let crash = if hides { "fix: hide-user-data-from-log yes" } else { "fix: crash-log-enabled no" };
    careless.ask(&["ACL", "SETUSER", "watcher", "on", ">x", "+monitor", "+slowlog"]);
    careless.ask(&["ACL", "SETUSER", "nmagent", "on", ">x", "~*", "+@all"]);
    let text_at = |node: &str| format!("tls = false\nnodes = [\"{node}\"]\n");
    let text_of = |server: &Server| text_at(&server.address());
    let told = doctor(folder.path(), &text_of(&careless));
    let shown = String::from_utf8(told.stdout).unwrap();
    assert_eq!(told.status.code(), Some(1), "{shown}");
    for line in [
        "fix: appendonly no",
        "fix: save \"\"",
        "fix: slowlog-log-slower-than -1",
        crash,
        "fix: maxmemory 256mb",
        "fix: proto-max-bulk-len 1mb",
        "fix: busy-reply-threshold 100",
        "fix: user default off",
        "user watcher may run MONITOR",
        "user nmagent may run GET nm1:{0.0}, which the agent does not need",
    ] {
        assert!(shown.contains(line), "{line:?} is not in {shown}");
    }
    let careful = Server::with_functions(&[&careful()[..], &BY_SOCKET].concat());
    allow_agent(&careful);
    careful.ask(&["ACL", "SETUSER", "default", "resetpass", ">admin"]);
    fs::write(folder.path().join("admin"), "admin\n").unwrap();
    fs::write(folder.path().join("agent.toml"), text_at(&careful.socket())).unwrap();
    let well = Command::new(program("nearmiss-agent"))
        .args(["doctor", "--conf"])
        .arg(folder.path().join("agent.toml"))
        .arg("--password-file")
        .arg(folder.path().join("admin"))
        .output()
        .unwrap();
    let shown = String::from_utf8(well.stdout).unwrap();
    assert_eq!(
        (well.status.code(), shown.trim()),
        (Some(0), &*format!("ok       store        {}: well", careful.socket())),
        "{shown}"
    );
    // The tool prints the agent's findings among its own.
    let told = Command::new(&artifacts().filterctl)
        .args(["doctor", "--only", "fleet", "--agent-conf"])
        .arg(folder.path().join("agent.toml"))
        .arg("--agent")
        .arg(program("nearmiss-agent"))
        .arg("--store-password-file")
        .arg(folder.path().join("admin"))
        .output()
        .unwrap();
    let shown = String::from_utf8(told.stdout).unwrap();
    assert!(shown.contains(&format!("ok       store        {}: well", careful.socket())), "{shown}");
    assert_eq!(told.status.code(), Some(3), "an agent, and this host has not joined: {shown}");
    let away = doctor(folder.path(), &format!("tls = false\nnodes = [\"127.0.0.1:{}\"]\n", free_port()));
    let shown = String::from_utf8(away.stdout).unwrap();
    assert!(away.status.code() == Some(1) && shown.contains("cannot be reached"), "{shown}");
}

/// Without the commands that show steps, a user may still switch them on, or read the array again and again.
#[test]
fn what_the_doctor_prints_ends_every_way_to_watch() {
    if skipped(no_store()) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&[]);
    server.ask(&["ACL", "SETUSER", "spy", "on", ">x", "~*", "&*", "+@all", "-monitor", "-slowlog"]);
    let text = || format!("tls = false\nnodes = [\"{}\"]\n", server.address());
    let of_spy = || {
        let told = String::from_utf8(doctor(folder.path(), &text()).stdout).unwrap();
        let lines = told.split_once("user spy may run ").map(|(_, rest)| rest.to_owned());
        lines.map(|rest| {
            let fix = rest.split_once("fix: ACL SETUSER spy ").expect("a fix").1.lines().next().unwrap();
            (rest.clone(), fix.replace("PREFIX-OF-ITS-OWN-KEYS", "app"))
        })
    };
    for way in ["CONFIG SET", "GETBIT nm1:{0.0}"] {
        let (found, fix) = of_spy().expect("a finding");
        assert!(found.starts_with(way), "{found}");
        server.ask(&[&["ACL", "SETUSER", "spy"], &fix.split(' ').collect::<Vec<_>>()[..]].concat());
    }
    assert_eq!(of_spy(), None);
    allow(&server, "host2");
    let told = doctor(folder.path(), &text());
    let told = String::from_utf8(told.stdout).unwrap();
    assert!(told.contains("[store-rights]") && !told.contains("host2"), "{told}");
}
