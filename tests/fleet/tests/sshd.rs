//! The real `sshd` on a host whose agent answers, lies, hangs or is not there: logins fail and succeed as
//! they would without a fleet.

use std::os::unix::net::UnixListener;

use nearmiss_fleet_tests::{Agent, Cluster, Descriptor, no_store};
use nearmiss_tests::{
    ladder::height,
    scenario::{OLD, Run, Scenario},
    skip::{no_namespace, skipped},
    sshd::{ACCOUNT, AUTH, no_server, scenario},
};

use super::host::{Joining, WARNING, look_at, lying, speaking_to, until_heard};

const GUESS: &str = "Wq7-guessed-Pa55";
const ATTACKER: &str = "127.0.0.7";
const OFTEN: &str = "a password that is guessed often here";
const SHOWN: &str = "guessing the password you just used";

fn cannot_run() -> bool {
    skipped(no_store().or_else(no_namespace).or_else(no_server))
}

/// A host that has joined, before an agent at this socket.
fn host(joining: &Joining, socket: &std::path::Path, users: u32) -> Scenario {
    scenario(&AUTH, &ACCOUNT, users, &[joining.command()]).configuration(&speaking_to(socket))
}

/// A wrong password, and then the right one: the height of the wrong one in this host's own ladder before
/// and after, and both logins.
fn two_logins(host: Scenario) -> [Run; 4] {
    let runs = host
        .guessed_height(GUESS)
        .log_in("u0", GUESS, ATTACKER)
        .guessed_height(GUESS)
        .log_in("u1", OLD, "127.0.0.8")
        .play();
    runs.try_into().unwrap_or_else(|runs| panic!("{runs:#?}"))
}

fn shows(run: &Run) -> bool {
    run.transcript.contains(SHOWN)
}

fn is_logged(run: &Run, part: &str) -> bool {
    run.log.iter().any(|line| line.contains(part))
}

/// The local ladder counts, no user is named, every user with the right password gets in, and the log reports
/// once why the fleet was not used.
fn expect_local_verdict(name: &str, [before, failed, after, logged_in]: &[Run; 4]) {
    assert_eq!(height(after), height(before) + 1, "{name}");
    assert!(failed.transcript.contains("Permission denied"), "{name}: {failed:#?}");
    assert!(!is_logged(failed, OFTEN), "{name}: {failed:#?}");
    assert!(logged_in.transcript.contains("logged in"), "{name}: {logged_in:#?}");
    assert!(!shows(logged_in), "{name}: {logged_in:#?}");
    let warnings =
        [failed, logged_in].map(|run| run.log.iter().filter(|line| line.contains(WARNING)).count());
    assert_eq!(warnings.iter().sum::<usize>(), 1, "{name}, one line a minute: {failed:#?} {logged_in:#?}");
}

#[test]
fn an_agent_that_is_away_hangs_or_lies_keeps_nobody_out() {
    if cannot_run() {
        return;
    }
    let descriptor = Descriptor::guessed(24);
    let joining = Joining::new(&descriptor);
    let [none, hanging, lie] = ["none", "hanging", "lie"].map(|name| joining.path(name));
    let _listener = UnixListener::bind(&hanging).unwrap();
    lying(&lie, vec![1, 0, 255, 1]);
    for (name, socket) in [("away", none), ("hanging", hanging), ("height 255", lie)] {
        expect_local_verdict(name, &two_logins(host(&joining, &socket, 2)));
    }
}

/// A reply within the rungs is believed, from the threshold on, and even then no user is locked out.
#[test]
fn a_height_within_the_rungs_counts_from_the_threshold_on() {
    if cannot_run() {
        return;
    }
    let descriptor = Descriptor::guessed(24);
    let joining = Joining::new(&descriptor);
    for (height, is_often) in [(43, false), (44, true)] {
        let socket = joining.path(&format!("height {height}"));
        lying(&socket, vec![1, 0, height, 1]);
        let is_heard = |runs: &[Run]| is_logged(&runs[1], OFTEN) == is_often && shows(&runs[3]) == is_often;
        let runs = until_heard(is_heard, || two_logins(host(&joining, &socket, 2)).into());
        let [_, failed, _, logged_in] = &runs[..] else { panic!("{runs:#?}") };
        assert_eq!(is_logged(failed, OFTEN), is_often, "{failed:#?}");
        assert!(logged_in.transcript.contains("logged in"), "{logged_in:#?}");
        assert_eq!(shows(logged_in), is_often, "{logged_in:#?}");
    }
}

/// Each account once, on whichever host it fails: hosts whose processes have numbers of their own, and an
/// agent that is outside.
#[test]
fn what_fails_at_two_hosts_is_counted_once_for_each_account() {
    if cannot_run() {
        return;
    }
    let cluster = Cluster::start(1, &[]);
    let descriptor = Descriptor::guessed(24);
    let joining = Joining::new(&descriptor);
    let agents = [(), ()].map(|()| Agent::start(&cluster.addresses(), ""));
    for agent in &agents {
        agent.ask_until_answered(&look_at(&descriptor, GUESS));
    }
    let counted = |agent: &Agent| agent.state(None)["counted"].as_u64().unwrap();
    for (agent, user) in agents.iter().zip(["u0", "u1"]) {
        let runs = host(&joining, &agent.socket(), 2)
            .log_in(user, GUESS, ATTACKER)
            .log_in(user, GUESS, ATTACKER)
            .play();
        assert!(runs.iter().all(|run| run.transcript.contains("Permission denied")), "{runs:#?}");
        assert!(counted(agent) <= 1, "a repeat is not counted: {}", agent.state(None));
    }
    assert!(agents.iter().map(counted).sum::<u64>() >= 1, "neither was heard of");
    // The account that failed at the first host fails at the second: that is a repeat for the fleet.
    let again = host(&joining, &agents[1].socket(), 2).log_in("u0", GUESS, ATTACKER).play();
    assert!(again[0].transcript.contains("Permission denied"));
    let total: u64 = agents.iter().map(counted).sum();
    assert!(total <= 2, "{total}");
}
