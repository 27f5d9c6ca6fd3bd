//! The users that may query an agent, the interference of others, and frames of another version.

use std::{
    fs,
    io::{Read, Write},
    net::Shutdown,
    os::unix::{fs::PermissionsExt, net::UnixStream},
    process::Command,
};

use nearmiss_filters::ladder::fleet::frame::{Op, Request};
use nearmiss_fleet_tests::{Agent, Cluster, Descriptor, lateness::Control, no_store, wait_for};
use nearmiss_tests::{filters::set_mode, skip::skipped};

/// An agent that has replied to this request, and the cluster that it queries.
fn answering(log_bits: u8, op: Op) -> (Cluster, Agent, Request) {
    let cluster = Cluster::start(1, &[]);
    let agent = Agent::start(&cluster.addresses(), "");
    let ladder = Descriptor::guessed(log_bits).open();
    let request = ladder.request(&ladder.element(b"x").unwrap(), op);
    agent.ask_until_answered(&request);
    (cluster, agent, request)
}

fn counted(agent: &Agent) -> u64 {
    agent.state(None)["counted"].as_u64().unwrap()
}

/// A process that sends these bytes to a socket and prints what comes back, in hexadecimal.
const ASK: &str = "
import socket, sys
peer = socket.socket(socket.AF_UNIX)
peer.settimeout(5)
try:
    peer.connect(sys.argv[1])
    peer.sendall(bytes.fromhex(sys.argv[2]))
    print('got', peer.recv(64).hex())
except OSError as error:
    print('got', type(error).__name__)
";

fn asked_as(uid: u32, agent: &Agent, request: &Request) -> String {
    let bytes: String = request.encode().iter().map(|byte| format!("{byte:02x}")).collect();
    let (uid, socket) = (uid.to_string(), agent.socket());
    let identity = ["--reuid", &uid, "--regid", &uid, "--clear-groups", "/usr/bin/python3", "-c", ASK];
    let output = Command::new("setpriv").args(identity).arg(socket).arg(bytes).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// The mode of the socket keeps others away; and where it is opened to all, the agent itself does.
#[test]
fn nobody_but_root_is_answered() {
    if skipped(no_store()) {
        return;
    }
    let (_cluster, agent, step) = answering(19, Op::Step);
    let mode = fs::metadata(agent.socket()).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
    assert_eq!(asked_as(65_534, &agent, &step), "got PermissionError");
    set_mode(&agent.socket(), 0o666);
    let before = counted(&agent);
    for uid in [65_534, 4242, 1] {
        let told = asked_as(uid, &agent, &step);
        assert!(
            told == "got" || told.starts_with("got Conn") || told.starts_with("got Broken"),
            "{uid}: {told}"
        );
    }
    assert_eq!(counted(&agent), before, "nothing was counted for them");
    // Root, by the same way, is answered.
    assert!((0..20).any(|_| asked_as(0, &agent, &step).starts_with("got 0100")));
}

/// Root binds the socket; what speaks to the store is a user without rights, and in none of root's groups.
#[test]
fn the_agent_is_not_root_once_it_serves() {
    if skipped(no_store()) {
        return;
    }
    let (_cluster, agent, _) = answering(19, Op::Height);
    let number = |option: &str| {
        let told = Command::new("id").args([option, "nobody"]).output().unwrap();
        String::from_utf8(told.stdout).unwrap().trim().to_owned()
    };
    let all = |name: &str, number: &str| format!("{name}: {number} {number} {number} {number}");
    let expected = [all("Uid", &number("-u")), all("Gid", &number("-g")), "Groups:".to_owned()];
    assert_eq!(agent.identity(), expected);
    assert!(agent.log().contains("serving requests; 1 nodes are configured"), "{}", agent.log());
}

#[test]
fn a_thousand_idle_connections_are_in_nobodys_way() {
    if skipped(no_store()) {
        return;
    }
    let (_cluster, agent, look) = answering(22, Op::Height);
    // A round in which the machine was late is done again.
    wait_for("an agent that nobody holds up", || {
        let (mut answered, control) = (0_u32, Control::start());
        for _ in 0..3 {
            let connect = |_| UnixStream::connect(agent.socket()).unwrap();
            let idle: Vec<UnixStream> = (0..1000).map(connect).collect();
            // Some have sent a part of a request, and wait with the rest.
            for (mut peer, length) in idle.iter().step_by(10).zip((1..100).cycle()) {
                let _ = peer.write_all(&look.encode()[..length]);
            }
            answered += (0..100).map(|_| u32::from(agent.ask(&look).is_some())).sum::<u32>();
        }
        let lateness = control.end();
        assert!(answered >= 297 || lateness.is_late(), "{answered} of 300, {lateness:?}");
        answered >= 297
    });
}

/// A module of another version beside this agent: it learns that it is not understood, decides alone, and
/// nothing is counted; one of this version is understood and counted once.
#[test]
fn a_frame_of_another_version_is_answered_as_unknown_and_counts_nothing() {
    if skipped(no_store()) {
        return;
    }
    let (_cluster, agent, step) = answering(19, Op::Step);
    let start = counted(&agent);
    for version in [0, 2, 255] {
        let mut bytes = step.encode();
        bytes[0] = version;
        let mut peer = UnixStream::connect(agent.socket()).unwrap();
        peer.write_all(&bytes).unwrap();
        peer.shutdown(Shutdown::Write).unwrap();
        let mut reply = Vec::new();
        peer.read_to_end(&mut reply).unwrap();
        assert_eq!(reply, [1, 2, 0, 0], "version {version}");
    }
    assert_eq!(counted(&agent), start, "a step was taken");
    // Each request counts once, even if the machine is too busy to reply in time.
    let mut asked = 0;
    wait_for("an answer", || {
        asked += 1;
        agent.ask(&step).is_some()
    });
    assert!((start + 1..=start + asked).contains(&counted(&agent)), "{asked} asked");
}
