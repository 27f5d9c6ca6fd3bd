//! `filterctl fleet`: making, handing on and joining a ladder of many hosts; and what is said without an
//! agent.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::PathBuf,
    process::{Command, Stdio},
};

use serde_json::json;

use crate::{Folder, Run, run, run_with};

/// A host: its configuration, and where the two descriptors lie.
struct Host {
    folder: Folder,
    conf: PathBuf,
}

impl Host {
    fn new() -> Host {
        let folder = Folder::new();
        let [guessed, chosen, socket, local] =
            ["etc/g.ladder", "etc/c.ladder", "run/agent.sock", "lib/guessed.ladder"]
                .map(|name| folder.path(name).display().to_string());
        let text = format!(
            "packaged = false\n[fleet]\nguessed = {guessed:?}\nchosen = {chosen:?}\nsocket = {socket:?}\n\
             [guesses]\nfile = {local:?}\n"
        );
        let conf = folder.file("site.conf", text);
        Host { folder, conf }
    }

    fn fleet(&self, arguments: &[&str]) -> Run {
        run([&["fleet"], arguments, &["--conf", self.conf.to_str().unwrap()]].concat())
    }

    fn path(&self, name: &str) -> String {
        self.folder.path(name).display().to_string()
    }
}

#[test]
fn a_ladder_is_made_handed_on_and_joined() {
    let (a, b) = (Host::new(), Host::new());
    let made = a.fleet(&["init", "--guessed", "--bits", "2^26", "--json"]);
    assert_eq!(made.code, 0, "{made:?}");
    let told = &made.json()[0];
    assert_eq!(
        (&told["bits"], &told["rungs"], &told["kind"]),
        (&json!(1 << 26), &json!(48), &json!("guessed"))
    );
    for (name, length) in [("etc/g.ladder", 4096), ("etc/g.key", 56)] {
        let file = fs::metadata(a.folder.path(name)).unwrap();
        assert_eq!((file.len(), file.permissions().mode() & 0o777), (length, 0o600), "{name}");
    }
    let again = a.fleet(&["init", "--guessed"]);
    assert!(again.error_line().contains("never replaces a fleet's key"), "{again:?}");
    let bundle = a.path("bundle");
    assert_eq!(a.fleet(&["export", "--guessed", "--output", &bundle]).code, 0);
    assert_eq!(fs::metadata(&bundle).unwrap().permissions().mode() & 0o777, 0o600);
    for _ in 0..2 {
        let joined = b.fleet(&["join", &bundle, "--json"]);
        assert_eq!(joined.json()[0]["identifier"], told["identifier"]);
    }
    assert_eq!(fs::read(a.folder.path("etc/g.key")).unwrap(), fs::read(b.folder.path("etc/g.key")).unwrap());
    // The same through a pipe, where another ladder is in the way.
    let other = Host::new();
    assert_eq!(other.fleet(&["init", "--guessed"]).code, 0);
    let bytes = fs::read(&bundle).unwrap();
    let conf = other.conf.to_str().unwrap();
    let refused = run_with(["fleet", "join", "-", "--conf", conf], &bytes);
    assert!(refused.error_line().contains("--replace"), "{refused:?}");
    assert_eq!(run_with(["fleet", "join", "-", "--replace", "--conf", conf], &bytes).code, 0);
}

/// The old ladder counts until the new one is there: a limit of open files stops the command at each step.
#[test]
fn a_ladder_that_cannot_be_replaced_stays() {
    let (a, b) = (Host::new(), Host::new());
    let bundle = a.path("bundle");
    for host in [&a, &b] {
        assert_eq!(host.fleet(&["init", "--guessed"]).code, 0);
    }
    assert_eq!(a.fleet(&["export", "--guessed", "--output", &bundle]).code, 0);
    let files = |host: &Host| ["etc/g.ladder", "etc/g.key"].map(|name| fs::read(host.path(name)).unwrap());
    let old = files(&b);
    let script = "ulimit -n \"$1\"; exec \"$0\" fleet join --replace \"$2\" --conf \"$3\"";
    let run = |limit: usize| {
        let mut command = Command::new("sh");
        command.args(["-c", script, env!("CARGO_BIN_EXE_filterctl"), &limit.to_string(), &bundle]);
        command.arg(&b.conf).stdin(Stdio::null()).output().unwrap()
    };
    let stops = (6..64).take_while(|&limit| {
        let told = run(limit);
        let is_done = told.status.success();
        assert!(is_done || files(&b) == old, "{limit}: {told:?}");
        assert!(!is_done || files(&b) == files(&a), "{limit}: {told:?}");
        !is_done
    });
    assert!((2..50).contains(&stops.count()));
}

/// Whoever reads a bundle has the key, and whoever writes it chooses the key.
#[test]
fn a_bundle_of_others_is_refused_with_the_command_that_helps() {
    let (a, b) = (Host::new(), Host::new());
    assert_eq!(a.fleet(&["init", "--guessed"]).code, 0);
    fs::create_dir(a.folder.path("out")).unwrap();
    let (folder, bundle) = (a.path("out"), a.path("out/bundle"));
    assert_eq!(a.fleet(&["export", "--guessed", "--output", &bundle]).code, 0);
    let mode = |path: &str, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let refused = |problem: &str, command: &str| {
        let told = b.fleet(&["join", &bundle]);
        let line = told.error_line();
        assert!(told.code == 2 && line.contains(problem) && line.contains(command), "{told:?}");
        assert!(line.ends_with("[file-open-to-others]") || line.ends_with("[file-owner]"), "{told:?}");
        assert!(!b.folder.path("etc").exists());
    };
    let moved = format!(": install -m 0600 {bundle} /root/ ");
    for (bits, act, command) in [(0o644, "read", "0600"), (0o660, "written", "go-w"), (0o640, "read", "0600")]
    {
        mode(&bundle, bits);
        refused(&format!("can be {act} by others"), &format!(": chmod {command} {bundle} "));
    }
    mode(&bundle, 0o600);
    mode(&folder, 0o777);
    refused("can be written by others", &moved);
    mode(&folder, 0o700);
    if std::os::unix::fs::chown(&bundle, Some(4343), None).is_ok() {
        refused("is not owned by root", &format!(": chown root {bundle} "));
        std::os::unix::fs::chown(&bundle, Some(0), None).unwrap();
        std::os::unix::fs::chown(&folder, Some(4343), None).unwrap();
        refused("is not owned by root", &moved);
        std::os::unix::fs::chown(&folder, Some(0), None).unwrap();
    }
    assert_eq!(b.fleet(&["join", &bundle]).code, 0);
}

#[test]
fn what_is_no_bundle_is_refused_and_changes_nothing() {
    let (a, b) = (Host::new(), Host::new());
    assert_eq!(a.fleet(&["init", "--chosen", "--bits", "2^20", "--slow-hash-ms=1"]).code, 0);
    let bundle = a.path("bundle");
    assert_eq!(a.fleet(&["export", "--chosen", "--output", &bundle]).code, 0);
    let good = fs::read(&bundle).unwrap();
    let mut damaged = good.clone();
    damaged[4100] ^= 1;
    for bytes in [&good[..4151], &[&good[..], b"x"].concat(), &damaged, b"", &[0; 5000]] {
        let wrong = b.folder.file("wrong", bytes);
        fs::set_permissions(&wrong, fs::Permissions::from_mode(0o600)).unwrap();
        let told = b.fleet(&["join", wrong.to_str().unwrap()]);
        assert!(told.error_line().contains("cannot use the bundle"), "{told:?}");
        assert!(!b.folder.path("etc").exists());
    }
    let none = b.fleet(&["export", "--chosen", "--output", &b.path("out")]);
    assert!(none.error_line().contains("has not joined"), "{none:?}");
}

#[test]
fn parameters_of_the_other_kind_are_refused() {
    let host = Host::new();
    for arguments in [
        &["init"][..],
        &["init", "--guessed", "--chosen"],
        &["init", "--guessed", "--preset", "default"],
        &["init", "--chosen", "--preset", "guesses"],
        &["init", "--guessed", "--slow-hash-ms", "5"],
        &["init", "--guessed", "--bits", "2^18"],
        &["init", "--guessed", "--bits", "2^37"],
        &["init", "--functions", "--guessed"],
        &["init", "--functions", "--chosen"],
    ] {
        assert_eq!(host.fleet(arguments).code, 2, "{arguments:?}");
    }
    assert!(!host.folder.path("etc/g.ladder").exists() && !host.folder.path("etc/g.key").exists());
}

#[test]
fn a_host_that_joins_names_its_own_user_of_the_store() {
    let host = Host::new();
    assert_eq!(host.fleet(&["init", "--guessed"]).code, 0);
    let bundle = host.path("bundle");
    assert_eq!(host.fleet(&["export", "--guessed", "--output", &bundle]).code, 0);
    let file = host.folder.file("agent.toml", b"nodes = [\"a:1\"]\n#user = \"nmagent\"\n");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let conf = file.to_str().unwrap();
    for _ in 0..2 {
        let told = host.fleet(&["join", &bundle, "--user", "host1", "--agent-conf", conf]);
        assert_eq!(told.code, 0, "{told:?}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "nodes = [\"a:1\"]\nuser = \"host1\"\n");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o644);
    }
    assert_eq!(host.fleet(&["join", &bundle, "--user", "a\"b", "--agent-conf", conf]).code, 2);
    let none = host.fleet(&["join", &bundle, "--user", "host1", "--agent-conf", "/nonexistent/a.toml"]);
    assert!(none.error_line().contains("cannot write the user into /nonexistent/a.toml"), "{none:?}");
}

/// The agent's program does it; what it prints and how it ends is passed on.
#[test]
fn functions_are_loaded_by_the_agents_program_as_the_named_user() {
    let host = Host::new();
    let agent =
        host.folder.file("agent", b"#!/bin/sh\necho \"$@\"\necho why >&2\nexit $(cat \"${0%agent}code\")\n");
    fs::set_permissions(&agent, fs::Permissions::from_mode(0o755)).unwrap();
    let program = agent.to_str().unwrap();
    for (ended, code) in [("0", 0), ("1", 1), ("2", 2)] {
        host.folder.file("code", ended.as_bytes());
        let told = host.fleet(&[
            "init",
            "--functions",
            "--agent",
            program,
            "--agent-conf",
            "/a.toml",
            "--store-user",
            "loader",
            "--store-password-file",
            "/p",
            "--json",
        ]);
        assert_eq!(told.code, code, "{told:?}");
        let words = "load-functions --conf /a.toml --user loader --json --password-file /p";
        assert_eq!(told.out.trim(), words);
        assert_eq!(told.err.contains("could not load the functions: why"), code == 2, "{told:?}");
    }
    let none = host.fleet(&["init", "--functions", "--agent", "/nonexistent"]);
    assert!(none.error_line().contains("cannot run /nonexistent"), "{none:?}");
    assert!(!host.folder.path("etc/g.ladder").exists(), "no ladder is made");
}

#[test]
fn without_an_agent_status_and_doctor_say_so() {
    let host = Host::new();
    let doctor = |host: &Host| {
        let none = host.path("none.toml");
        let conf = host.conf.to_str().unwrap();
        run(["doctor", "--only", "fleet", "--conf", conf, "--agent-conf", &none])
    };
    let told = doctor(&host);
    let missing = format!("{}: does not exist", host.path("none.toml"));
    let is_named = told.out.contains("has not joined") && told.out.contains(&missing);
    assert!(told.code == 1 && is_named, "a mistyped path is no store that is well: {told:?}");
    let agent_conf = host.folder.file("agent.toml", "");
    let conf = [host.conf.to_str().unwrap(), "--agent-conf", agent_conf.to_str().unwrap()];
    let told =
        run([&["doctor", "--conf"][..], &conf, &["--agent", "/nonexistent"], &["--only=fleet"]].concat());
    assert_eq!(told.code, 1, "{told:?}");
    for part in ["has not joined", "fix: filterctl fleet join BUNDLE", "cannot run /nonexistent"] {
        assert!(told.out.contains(part), "{told:?}");
    }
    assert_eq!(host.fleet(&["init", "--guessed"]).code, 0);
    let told = doctor(&host);
    assert_eq!(told.code, 1, "{told:?}");
    for part in ["this host counts nothing", "no reply", "fix: systemctl start nearmiss-agent.socket"] {
        assert!(told.out.contains(part) && !told.out.contains("has not joined"), "{told:?}");
    }
    let status = host.fleet(&["status", "--json"]);
    assert_eq!((status.code, &status.json()[0]["agent"]), (1, &json!(null)));
    fs::write(host.folder.path("etc/g.key"), b"not a key").unwrap();
    let told = doctor(&host);
    assert!(told.code == 1 && told.out.contains("fix: filterctl fleet join --replace BUNDLE"), "{told:?}");
}
