//! The real `passwd` on a host whose agent answers, lies, hangs or is not there.

use std::{cell::Cell, os::unix::net::UnixListener, sync::atomic::Ordering::Relaxed};

use nearmiss_filters::ladder::fleet::frame::Op;
use nearmiss_fleet_tests::{Agent, Cluster, Descriptor, no_store, wait_for};
use nearmiss_tests::{
    filters::GOOD,
    ladder::{FIRST_UID, height},
    scenario::{OLD, Run, Scenario},
    skip::{no_namespace, skipped},
};

use super::host::{Joining, WARNING, lying, until_heard};

const PASSWD: &[&str] = &["/usr/bin/passwd"];
const USERS: u32 = 10;

fn change(scenario: Scenario, user: u32) -> Scenario {
    scenario.pipe(Some(FIRST_UID + user), PASSWD, &format!("{OLD}\n{GOOD}\n{GOOD}\n"))
}

fn is_refused(run: &Run) -> bool {
    run.transcript.contains("[too-common-here]")
}

fn taken_in_time(run: &Run) {
    run.expect_status(0).expect_shadow_changed(true).expect_nowhere(GOOD);
}

/// Lets agents connect to their nodes, so that the first request that counts does not wait for that.
fn warm(descriptor: &Descriptor, agents: &[Agent]) {
    let ladder = descriptor.open();
    for number in 0..40_u8 {
        let request = ladder.request(&ladder.element(&[number]).unwrap(), Op::Height);
        for agent in agents {
            agent.ask_until_answered(&request);
        }
    }
}

#[test]
fn a_password_that_is_too_common_at_one_host_is_refused_at_another() {
    if skipped(no_store()) || skipped(no_namespace()) {
        return;
    }
    let cluster = Cluster::start(3, &[]);
    let descriptor = Descriptor::chosen(24);
    let joining = Joining::new(&descriptor);
    let agents = [(), ()].map(|()| Agent::start(&cluster.addresses(), ""));
    let [a, b] = agents.each_ref().map(Agent::socket);
    warm(&descriptor, &agents);
    // Five at most are needed; on a busy machine some are not heard of.
    let is_heard = |runs: &[Run]| runs.iter().any(is_refused);
    let is_first = Cell::new(true);
    let runs = until_heard(is_heard, || {
        let runs = (0..USERS).fold(joining.tall_host(&a, USERS), change).play();
        assert!(!is_first.replace(false) || !is_refused(&runs[0]), "{runs:#?}");
        runs
    });
    assert!(runs.iter().any(is_refused), "{runs:#?}");
    for run in runs.iter().filter(|run| !is_refused(run)) {
        taken_in_time(run);
    }
    let there = until_heard(is_heard, || (0..3).fold(joining.tall_host(&b, 3).height(GOOD), change).play());
    assert!(there.iter().any(is_refused), "{there:#?}");
}

/// A host without its fleet works as it does alone: it counts in its own ladder, and logs that once.
#[test]
fn an_agent_that_is_away_costs_nobody_a_password() {
    if skipped(no_store()) || skipped(no_namespace()) {
        return;
    }
    let descriptor = Descriptor::chosen(24);
    let joining = Joining::new(&descriptor);
    let refused = joining.path("refused.sock");
    drop(UnixListener::bind(&refused).unwrap());
    for socket in [joining.path("none.sock"), refused] {
        let runs = change(change(joining.tall_host(&socket, 2).height(GOOD), 0).height(GOOD), 1).play();
        taken_in_time(&runs[1]);
        assert_eq!(height(&runs[2]), height(&runs[0]) + 1);
        taken_in_time(&runs[3]);
        let lines = runs.iter().flat_map(|run| &run.log).filter(|line| line.contains(WARNING)).count();
        assert_eq!(lines, 1, "one line a minute: {runs:#?}");
    }
}

/// Whoever keeps the processors busy has the agent reply late or turn requests away: no password is set while
/// that lasts, and nobody who waits for its end is refused.
#[test]
fn an_agent_that_is_late_or_turns_away_is_asked_again_and_then_nothing_is_set() {
    if skipped(no_store()) || skipped(no_namespace()) {
        return;
    }
    let descriptor = Descriptor::chosen(24);
    let joining = Joining::new(&descriptor);
    let hanging = joining.path("hanging.sock");
    let _listener = UnixListener::bind(&hanging).unwrap();
    let [late, turned_away] = [("late", [1, 3, 0, 0]), ("turned away", [1, 4, 0, 0])].map(|(name, reply)| {
        let socket = joining.path(name);
        lying(&socket, reply.to_vec());
        socket
    });
    for socket in [&hanging, &late, &turned_away] {
        let run = change(joining.tall_host(socket, 1), 0).play().remove(0);
        assert!(run.has_failed_by_itself(), "{run:#?}");
        let name = socket.file_name().unwrap().to_str().unwrap();
        run.expect_shadow_changed(false).expect_log(name).expect_nowhere(GOOD);
    }
    // Of two sites one is late, and the other finds the password at the top: that is enough.
    let socket = joining.path("half");
    lying(&socket, vec![1, 3, 16, 0]);
    let run = change(joining.tall_host(&socket, 1), 0).play().remove(0);
    assert!(is_refused(&run), "{run:#?}");
}

#[test]
fn a_lying_agent_is_not_believed_beyond_the_rungs() {
    if skipped(no_store()) || skipped(no_namespace()) {
        return;
    }
    let descriptor = Descriptor::chosen(24);
    let joining = Joining::new(&descriptor);
    let lies: [(&str, &[u8]); 3] =
        [("height", &[1, 0, 255, 0]), ("version", &[9, 0, 16, 0]), ("zeros", &[0; 64])];
    for (name, reply) in lies {
        let socket = joining.path(name);
        let asked = lying(&socket, reply.to_vec());
        let runs = change(joining.host(&socket, 1), 0).play();
        taken_in_time(&runs[0]);
        assert!(asked.load(Relaxed) > 0, "{name}: the agent was asked");
    }
    // One that hangs up each time does so on a user who stops the own program, too.
    let socket = joining.path("cut");
    let asked = lying(&socket, vec![1, 0]);
    let runs = change(joining.host(&socket, 1), 0).play();
    runs[0].expect_shadow_changed(false).expect_log("cut").expect_nowhere(GOOD);
    assert_eq!(asked.load(Relaxed), 4);
    // Within the rungs it is believed: a password is refused at the top, and at no height below.
    for (height, refuses) in [(16, true), (15, false)] {
        let socket = joining.path(&format!("height {height}"));
        lying(&socket, vec![1, 0, height, 1]);
        let is_heard = |runs: &[Run]| is_refused(&runs[0]) == refuses;
        let runs = until_heard(is_heard, || change(joining.host(&socket, 1), 0).play());
        assert_eq!(is_refused(&runs[0]), refuses, "{runs:#?}");
    }
}

/// Two ladders while one replaces the other: both are queried, and both take steps.
#[test]
fn two_ladders_take_turns() {
    if skipped(no_store()) {
        return;
    }
    let cluster = Cluster::start(1, &[]);
    let agent = Agent::start(&cluster.addresses(), "");
    let [old, new] = [Descriptor::chosen(22), Descriptor::chosen(23)];
    let password = b"correct horse battery staple";
    let only_old = old.host(&agent.socket());
    warm(&old, std::slice::from_ref(&agent));
    let both = || {
        let mut fleet = old.host(&agent.socket());
        fleet.add(new.open());
        fleet
    };
    wait_for("the old one's word", || {
        only_old.count_chosen(password).unwrap();
        both().is_too_common(password).unwrap()
    });
    let only_new = new.host(&agent.socket());
    assert!(!only_new.is_too_common(password).unwrap());
    wait_for("the new one's word, too", || {
        both().count_chosen(b"another password, chosen since").unwrap();
        only_new.is_too_common(b"another password, chosen since").unwrap()
    });
}
