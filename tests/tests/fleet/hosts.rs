//! Hosts with their agents before a cluster of three.

use nearmiss_filters::ladder::{Failure, fleet::frame::Op};
use nearmiss_tests::{
    fleet::{Agent, Cluster, Descriptor, no_store, wait_for},
    skip::skipped,
};

const WEEK: u64 = 3000 * 604_800;

fn failure<'a>(account: &'a str, password: &'a str) -> Failure<'a> {
    Failure { account: account.as_bytes(), password: password.as_bytes(), network: b"" }
}

#[test]
fn what_is_guessed_at_one_host_is_known_at_another() {
    if skipped(no_store()) {
        return;
    }
    let cluster = Cluster::start(3, &[]);
    let descriptor = Descriptor::guessed(26);
    let agents = [(), ()].map(|()| Agent::start(&cluster.addresses(), ""));
    let [a, b] = agents.each_ref().map(|agent| descriptor.host(&agent.socket()));
    wait_for("the store", || {
        a.agent()
            .ask(&descriptor.open().request(&descriptor.open().element(b"x").unwrap(), Op::Height))
            .unwrap()
            .is_some()
    });
    const PASSWORD: &str = "Summer2026!x";
    // Each account counts once, on whichever host it fails; so that as many accounts are needed as for one.
    let mut accounts = 0;
    while !b.is_guessed(PASSWORD.as_bytes()).unwrap() {
        accounts += 1;
        assert!(accounts < 60, "never guessed often");
        let name = format!("account {accounts}");
        for host in [&a, &b, &a] {
            host.count_guess(&failure(&name, PASSWORD), WEEK).unwrap();
        }
    }
    assert!((10..45).contains(&accounts), "{accounts} accounts");
    assert!(a.is_guessed(PASSWORD.as_bytes()).unwrap() && !a.is_guessed(b"another").unwrap());
    let state = agents[0].state(Some(descriptor.ladder()));
    assert_eq!(
        (&state["unavailable"], &state["unknown"], &state["slots_without_node"]),
        (&0.into(), &0.into(), &0.into()),
        "{state}"
    );
    assert!((0.49..0.51).contains(&state["density"].as_f64().unwrap_or(0.5)), "{state}");
    assert_eq!(state["nodes"].as_array().unwrap().len(), 3);
    // One trouble at most: nothing was refused.
    assert!(a.agent().trouble().is_none() && b.agent().trouble().is_none());
}

#[test]
fn what_is_chosen_at_one_host_is_too_common_at_another() {
    if skipped(no_store()) {
        return;
    }
    let cluster = Cluster::start(3, &[]);
    let descriptor = Descriptor::chosen(24);
    let agents = [(), ()].map(|()| Agent::start(&cluster.addresses(), ""));
    let [a, b] = agents.each_ref().map(|agent| descriptor.host(&agent.socket()));
    let password = b"correct horse battery staple";
    let mut times = 0;
    while !b.is_too_common(password).unwrap() {
        times += 1;
        assert!(times < 20, "never too common");
        a.count_chosen(password).unwrap();
    }
    assert!((1..=7).contains(&times), "{times} times, 16 rungs, three steps each");
    assert!(!b.is_too_common(b"something else entirely").unwrap());
}
