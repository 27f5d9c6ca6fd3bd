//! Rights and encryption.

use std::{fs, path::Path, process::Command};

use nearmiss_agent::functions::Function;
use nearmiss_filters::ladder::fleet::frame::Op;
use nearmiss_fleet_tests::{Agent, Descriptor, Server, careful, free_port, no_store, text, wait_for};
use nearmiss_tests::{filters::set_mode, skip::skipped};
use redis::Value;

use crate::examined::doctor;

/// The line of packaging/fleet/users.acl, for a password that the test knows.
pub(super) const PASSWORD: &str = "a password of the store";
const COMMANDS: [&str; 8] =
    ["+function|list", "+cluster|slots", "+asking", "+strlen", "+getrange", "+bitfield", "+append", "+ping"];

/// Calls of these functions alone, and the commands that they run.
fn rights() -> Vec<String> {
    let calls =
        Function::ALL.map(|function| format!("+{}|{}", function.caller().to_lowercase(), function.name()));
    let before = ["on", "~nm1:*", "~nm1r:*", "-@all"].map(ToOwned::to_owned);
    before.into_iter().chain(calls).chain(COMMANDS.map(ToOwned::to_owned)).collect()
}

/// Without encryption a password goes through a socket alone. The agent's user must reach it.
pub(super) const BY_SOCKET: [&str; 4] = ["--unixsocket", "store.sock", "--unixsocketperm", "777"];

pub(super) fn allow_agent(server: &Server) {
    allow(server, "nmagent");
}

/// A user of an agent, by this name.
pub(super) fn allow(server: &Server, user: &str) {
    let password = format!(">{PASSWORD}");
    let rights = rights();
    let rights: Vec<&str> = rights.iter().map(String::as_str).collect();
    server.ask(&[&["ACL", "SETUSER", user][..], &rights, &[&password]].concat());
}

pub(super) fn password_file(agent_file: &Path) -> String {
    fs::write(agent_file, format!("{PASSWORD}\n")).unwrap();
    format!("password_file = {:?}\n", agent_file.display().to_string())
}

#[test]
fn the_packaged_rights_are_those_tested_here() {
    let shipped = include_str!("../../../packaging/fleet/users.acl");
    let line = shipped.lines().find(|line| line.starts_with("user nmagent ")).unwrap();
    let words: Vec<&str> = line.split(' ').skip(2).filter(|word| !word.starts_with('#')).collect();
    assert_eq!(words, rights());
}

/// Every command of the server, tried as the agent's user.
#[test]
fn the_agents_user_may_do_its_work_and_nothing_else() {
    if skipped(no_store()) {
        return;
    }
    let server = Server::start(&careful());
    allow_agent(&server);
    let Value::Array(commands) = server.ask(&["COMMAND", "LIST"]) else { panic!() };
    let mut connection = server.connect();
    let mut allowed = Vec::new();
    for command in commands.iter().map(text) {
        let info: Value = redis::cmd("COMMAND").arg("INFO").arg(&command).query(&mut connection).unwrap();
        let Value::Array(infos) = info else { panic!() };
        let Value::Array(parts) = &infos[0] else { continue };
        let subcommands: Vec<String> = match parts.get(9) {
            Some(Value::Array(all)) => all
                .iter()
                .filter_map(|one| match one {
                    Value::Array(parts) => Some(text(&parts[0])),
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        };
        let names = if subcommands.is_empty() { vec![command.clone()] } else { subcommands };
        for name in names {
            // As many arguments as it needs, and some more: one of these forms is legal.
            let is_allowed = (0..8).any(|count| {
                let words: Vec<&str> = name.split('|').collect();
                let mut dry = redis::cmd("ACL");
                dry.arg("DRYRUN").arg("nmagent").arg(&words);
                for number in 0..count {
                    dry.arg(match (number, name.as_str()) {
                        (0, "fcall") => Function::Step.name(),
                        (0, "fcall_ro") => Function::Height.name(),
                        (1, "fcall" | "fcall_ro") => "0",
                        _ => "nm1:{0.0}",
                    });
                }
                matches!(dry.query::<Value>(&mut connection), Ok(Value::Okay))
            });
            if is_allowed {
                allowed.push(name.to_lowercase());
            }
        }
    }
    allowed.sort();
    let mut expected: Vec<String> =
        COMMANDS.iter().filter_map(|word| word.strip_prefix('+')).map(ToOwned::to_owned).collect();
    expected.extend(["fcall", "fcall_ro"].map(ToOwned::to_owned));
    // The commands that every connection may run before it has authenticated.
    expected.extend(["auth", "hello", "quit", "reset"].map(ToOwned::to_owned));
    expected.sort();
    let unexpected: Vec<&String> = allowed.iter().filter(|name| !expected.contains(name)).collect();
    assert!(unexpected.is_empty(), "{unexpected:?}");
    let missing: Vec<&String> = expected[..]
        .iter()
        .filter(|name| {
            !allowed.contains(name) && !["auth", "hello", "quit", "reset"].contains(&name.as_str())
        })
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
    let may =
        |act: &[&str]| server.try_ask(&[&["ACL", "DRYRUN", "nmagent"], act].concat()).unwrap() == Value::Okay;
    assert!(may(&["BITFIELD", "nm1:{0.0}", "SET", "u1", "0", "1"]), "the control");
    assert!(!may(&["BITFIELD", "other", "SET", "u1", "0", "1"]), "keys of others");
    assert!(!may(&["FCALL", "another", "1", "nm1:{0.0}"]), "functions of others");
}

/// The agent works with these rights, and its user's password is in no log.
#[test]
fn the_rights_are_enough() {
    if skipped(no_store()) {
        return;
    }
    let server = Server::with_functions(&[&careful()[..], &BY_SOCKET].concat());
    allow_agent(&server);
    let folder = tempfile::tempdir().unwrap();
    set_mode(folder.path(), 0o755);
    let file = folder.path().join("password");
    let more = password_file(&file);
    set_mode(&file, 0o644);
    let agent = Agent::start(&[server.socket()], &more);
    let descriptor = Descriptor::guessed(22);
    let ladder = descriptor.open();
    let ask = |op, name: &[u8]| {
        agent.ask_until_answered(&ladder.request(&ladder.element(name).unwrap(), op)).is_counted
    };
    for name in 0..20_u8 {
        assert!(ask(Op::Step, &[name]) && !ask(Op::Height, &[name]));
    }
    // The second is a repeat, whichever of them the host heard of.
    let op = Op::Observe { bucket: 3, fingerprint: 70 };
    ask(op, b"y");
    assert!(!ask(op, b"y"));
    assert!(!agent.log().contains(PASSWORD) && !agent.state(None).to_string().contains(PASSWORD));
    // A wrong password: no verdict of the fleet, and the log says why without it.
    fs::write(&file, "another\n").unwrap();
    let wrong = Agent::start(&[server.socket()], &more);
    assert!(wrong.ask(&ladder.request(&ladder.element(b"x").unwrap(), Op::Step)).is_none());
    let says = |log: String| log.contains("WRONGPASS") || log.contains("uthenticat");
    wait_for("a line in the log", || says(wrong.log()));
    assert!(!wrong.log().contains("another"), "{}", wrong.log());
}

fn openssl(folder: &Path, arguments: &[&str]) {
    let output = Command::new("openssl").args(arguments).current_dir(folder).output().expect("openssl");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// An authority of this name, and a certificate of a server at an address, in a folder.
fn certificates(folder: &Path, authority: &str, address: &str) {
    let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
    let subject = format!("/CN={authority}");
    let own = ["req", "-x509", "-keyout", "ca.key", "-out", "ca.pem", "-subj", &subject];
    openssl(folder, &[&own[..], &curve].concat());
    let names = format!("subjectAltName=IP:{address}");
    let request =
        ["req", "-x509", "-CA", "ca.pem", "-CAkey", "ca.key", "-keyout", "node.key", "-out", "node.pem"];
    let rest = ["-subj", "/CN=node", "-addext", &names, "-addext", "basicConstraints=critical,CA:FALSE"];
    openssl(folder, &[&request[..], &rest, &curve].concat());
    for name in ["ca.pem", "node.pem", "node.key"] {
        set_mode(&folder.join(name), 0o644);
    }
}

#[test]
fn a_node_with_a_wrong_certificate_is_not_spoken_to() {
    if skipped(no_store()) {
        return;
    }
    let [good, strange, elsewhere] = [(), (), ()].map(|()| tempfile::tempdir().unwrap());
    for folder in [&good, &strange, &elsewhere] {
        set_mode(folder.path(), 0o755);
    }
    certificates(good.path(), "good", "127.0.0.1");
    certificates(strange.path(), "strange", "127.0.0.1");
    certificates(elsewhere.path(), "elsewhere", "192.0.2.1");
    let port = free_port().to_string();
    let path = |folder: &tempfile::TempDir, name: &str| folder.path().join(name).display().to_string();
    let start = |folder: &tempfile::TempDir| {
        let (certificate, key) = (path(folder, "node.pem"), path(folder, "node.key"));
        let ca = path(folder, "ca.pem");
        let tls = [
            "--tls-port",
            &port,
            "--tls-cert-file",
            &certificate,
            "--tls-key-file",
            &key,
            "--tls-ca-cert-file",
            &ca,
        ];
        let rest = ["--tls-auth-clients", "no", "--unixsocket", "control.sock"];
        Server::with_functions(&[&careful()[..], &tls, &rest].concat())
    };
    let descriptor = Descriptor::guessed(19);
    let ladder = descriptor.open();
    let request = ladder.request(&ladder.element(b"x").unwrap(), Op::Step);
    for (server_has, agent_trusts, is_spoken_to) in
        [(&good, &good, true), (&strange, &good, false), (&elsewhere, &elsewhere, false)]
    {
        let server = start(server_has);
        let text = format!("nodes = [\"127.0.0.1:{port}\"]\nca = {:?}\n", path(agent_trusts, "ca.pem"));
        let agent = Agent::configured(&text);
        if is_spoken_to {
            agent.ask_until_answered(&request);
        } else {
            assert!((0..10).all(|_| agent.ask(&request).is_none()));
            let told = doctor(elsewhere.path(), &text);
            let shown = String::from_utf8(told.stdout).unwrap();
            assert_eq!(told.status.code(), Some(1), "{shown}");
            assert!(shown.contains("certificate") && shown.contains(&port), "{shown}");
        }
        drop(server);
    }
}
