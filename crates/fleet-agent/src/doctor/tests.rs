use nearmiss_cli::{exit::Exit, finding::State};

use super::*;
use crate::{
    fake_node::{self, FakeNode, REFUSED, connector, late, libraries},
    functions::Function,
};

#[test]
fn a_file_that_cannot_be_used_is_named() {
    let config = Config { ca: "/nonexistent/ca.pem".into(), ..Config::default() };
    assert!(check_files(&config).unwrap_err().to_string().contains("/nonexistent/ca.pem"));
    assert!(check_files(&Config { tls: false, ..config }).is_ok());
}

/// Another user could listen there before the agent does.
#[test]
fn a_socket_in_a_folder_of_everybody_is_refused() {
    use std::{fs, os::unix::fs::PermissionsExt};
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("agent.sock");
    let config = Config { tls: false, socket, ..Config::default() };
    for (mode, is_used) in [(0o755, true), (0o700, true), (0o1777, false), (0o770, false)] {
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(check_files(&config).is_ok(), is_used, "{mode:o}");
    }
    let later = Config { socket: folder.path().join("later/agent.sock"), ..config };
    assert!(check_files(&later).is_ok(), "its folder is made when the agent starts");
}

/// The folder of a store's socket is often made when the store starts.
#[test]
fn a_store_that_does_not_run_is_no_fault_of_the_configuration() {
    let folder = tempfile::tempdir().unwrap();
    for socket in ["store.sock", "made-by-the-store/store.sock"] {
        let host = folder.path().join(socket).to_str().unwrap().to_owned();
        let config = Config { tls: false, nodes: vec![Address { host, port: 0 }], ..Config::default() };
        let fault = check_files(&config).map_err(|failure| failure.to_string());
        assert_eq!(fault, Ok(()), "{socket}");
    }
}

#[test]
fn every_kind_of_text_is_a_text() {
    let [bulk, simple] = ["+@read", "on"].map(str::to_owned);
    let parts = [Value::BulkString(bulk.into()), Value::SimpleString(simple), Value::Int(7)];
    let value = Value::Array(vec![Value::Array(parts.to_vec()), Value::Okay]);
    assert_eq!(texts(&value), ["+@read", "on", "OK"]);
}

const OK: &[u8] = b"+OK\r\n";

/// What a node says of itself that has room and takes writes.
const INFO: &[u8] = b"$31\r\nused_memory:1\r\nmaxmemory:1000\r\n\r\n";

/// What the agent's user may run in a store as it ought to be.
fn agent_may(act: &[&str]) -> bool {
    match act {
        ["FCALL" | "FCALL_RO", name, ..] => Function::ALL.iter().any(|one| one.name() == *name),
        ["FUNCTION", "LIST"] | ["CLUSTER", "SLOTS"] | ["ASKING"] => true,
        ["STRLEN" | "GETRANGE" | "BITFIELD" | "APPEND", key, ..] => key.starts_with("nm1:"),
        _ => false,
    }
}

/// The replies of such a store to the user `admin`, who may do everything.
fn well(words: &[&str]) -> Vec<u8> {
    match words {
        ["CONFIG", "GET", "*"] => fake_node::texts(&["save", "", "crash-log-enabled", "no"]),
        ["INFO", "everything"] => INFO.to_vec(),
        ["FUNCTION", "LIST", "LIBRARYNAME", name, "WITHCODE"] if *name == functions::library() => {
            libraries(Some(functions::text()))
        }
        ["ACL", "USERS"] => fake_node::texts(&["admin", "other", "nmagent"]),
        ["ACL", "WHOAMI"] => b"$5\r\nadmin\r\n".to_vec(),
        ["ACL", "GETUSER", _] => fake_node::texts(&["flags", "on", "sanitize-payload"]),
        ["ACL", "DRYRUN", "admin", ..] => OK.to_vec(),
        ["ACL", "DRYRUN", "nmagent", act @ ..] if agent_may(act) => OK.to_vec(),
        ["ACL", "DRYRUN", ..] => b"$2\r\nno\r\n".to_vec(),
        _ => REFUSED.to_vec(),
    }
}

/// A store that is well but for the reply to the command that begins with these words.
fn store(command: &'static [&'static str], reply: &[u8]) -> FakeNode {
    let reply = reply.to_vec();
    FakeNode::alone(move |words| if words.starts_with(command) { reply.clone() } else { well(words) })
}

/// The findings there.
fn found(command: &'static [&'static str], reply: &[u8]) -> Vec<(State, String, Option<String>)> {
    let node = store(command, reply);
    let connection = connector().connect(&node.address, late()).unwrap();
    let findings = Node(connection).examine(&fake_node::config(&[&node]));
    findings.into_iter().map(|finding| (finding.state, finding.message, finding.fix)).collect()
}

/// Each is found where it is, and nothing else is.
#[test]
fn what_is_wrong_with_a_node_is_one_finding_with_what_mends_it() {
    let texts = fake_node::texts;
    let (settings, library) = (&["CONFIG", "GET"][..], &["FUNCTION", "LIST"][..]);
    let setting = |name, value| texts(&["crash-log-enabled", "no", name, value]);
    let flags = texts(&["flags", "on", "nopass"]);
    for (command, reply, message, fix) in [
        (settings, b"*0\r\n".to_vec(), "its settings are empty", "allow the user to run CONFIG GET *"),
        (settings, REFUSED.to_vec(), "its settings cannot be read: ", "CONFIG GET with --user"),
        (settings, setting("appendonly", "yes"), "the append-only file", "appendonly no"),
        (&["INFO"], REFUSED.to_vec(), "its state cannot be read: ", "may run INFO"),
        (
            &["INFO"],
            b"$31\r\nused_memory:950\r\nmaxmemory:1000\r\n".to_vec(),
            "its memory is full",
            "maxmemory",
        ),
        (library, libraries(None), "are missing", "filterctl fleet init --functions"),
        (library, libraries(Some("others")), "differ from this agent's", "filterctl fleet init --functions"),
        (library, REFUSED.to_vec(), "its functions cannot be listed: ", "may run FUNCTION LIST"),
        (&["ACL", "USERS"], REFUSED.to_vec(), "its users cannot be read: ", "may run ACL with --user"),
        (&["ACL", "WHOAMI"], REFUSED.to_vec(), "its users cannot be read: ", "may run ACL with --user"),
        (&["ACL", "USERS"], texts(&["admin"]), "there is no user nmagent", "user nmagent on #"),
        (&["ACL", "GETUSER", "default"], flags.clone(), "user default has no password", "user default off"),
        (&["ACL", "GETUSER", "nmagent"], flags, "user nmagent has no password", "user nmagent on #"),
        (
            &["ACL", "DRYRUN", "nmagent", "APPEND"],
            REFUSED.to_vec(),
            "user nmagent may not run APPEND nm1:{0.0} x, which the agent needs",
            "user nmagent on #",
        ),
        (
            &["ACL", "DRYRUN", "nmagent", "DEL"],
            OK.to_vec(),
            "user nmagent may run DEL nm1:{0.0}, which the agent does not need",
            "user nmagent on #",
        ),
        (
            &["ACL", "DRYRUN", "other", "SLOWLOG"],
            OK.to_vec(),
            "user other may run SLOWLOG GET, by which the array positions of steps can be watched",
            "ACL SETUSER other -@admin",
        ),
        (
            &["ACL", "DRYRUN", "other", "DUMP"],
            OK.to_vec(),
            "user other may run DUMP nm1:{0.0}, by which",
            "ACL SETUSER other resetkeys ~",
        ),
    ] {
        let found = found(command, &reply);
        let [(State::Wrong, words, Some(mend))] = &found[..] else { panic!("{command:?}: {found:?}") };
        assert!(words.contains(message) && mend.contains(fix), "{command:?}: {found:?}");
    }
    assert_eq!(found(&["no command"], OK), []);
}

/// The exit status, and what is printed.
fn run(config: &Config) -> (Exit, String) {
    let mut out = Vec::new();
    let worst = Args { account: Account::sample(false) }.run(config, &mut out).unwrap();
    (worst, String::from_utf8(out).unwrap())
}

/// The node's address stands before each finding.
#[test]
fn the_worst_finding_of_all_nodes_is_the_result() {
    let run = |nodes: &[&FakeNode]| run(&fake_node::config(nodes));
    let well = store(&["no command"], OK);
    let fine = format!("ok       store        {}: well\n", well.address);
    assert_eq!(run(&[&well]), (Exit::Done, fine.clone()));
    let unbounded = fake_node::texts(&["crash-log-enabled", "no", "maxmemory", "0"]);
    let weak = store(&["CONFIG", "GET"], &unbounded);
    let (worst, printed) = run(&[&well, &weak]);
    let warning = format!("{fine}WARNING  store        {}: its memory is unlimited", weak.address);
    assert!(worst == Exit::Weaker && printed.starts_with(&warning), "{printed}");
    let wrong = store(&["ACL", "USERS"], REFUSED);
    let (worst, printed) = run(&[&wrong, &weak]);
    let first = format!("WRONG    store        {}: its users cannot be read", wrong.address);
    assert!(worst == Exit::No && printed.starts_with(&first), "{printed}");
}

/// Such a node is a finding as well, not the end of the examination.
#[test]
fn a_node_that_is_not_there_is_named_beside_the_others() {
    let well = store(&["no command"], OK);
    let far_nodes = vec!["/nonexistent/store.sock".parse().unwrap()];
    let (worst, printed) = run(&Config { far_nodes, ..fake_node::config(&[&well]) });
    assert!(worst == Exit::No && printed.starts_with("ok "), "{printed}");
    assert!(printed.contains("/nonexistent/store.sock: cannot be reached: "), "{printed}");
}

/// `filterctl` reads the same file in a test of its own.
#[test]
fn findings_are_written_as_filterctl_reads_them() {
    let careless =
        store(&["CONFIG", "GET"], &fake_node::texts(&["crash-log-enabled", "no", "appendonly", "yes"]));
    let well = store(&["no command"], OK);
    let mut out = Vec::new();
    Args { account: Account::sample(true) }.run(&fake_node::config(&[&careless, &well]), &mut out).unwrap();
    let [careless, well] = [careless, well].map(|node| node.address.to_string());
    let written = String::from_utf8(out).unwrap();
    let written = written.replace(&careless, "127.0.0.1:6379").replace(&well, "127.0.0.1:6380");
    assert_eq!(written, include_str!("../../tests/fixtures/findings.json"));
}
