//! Hosts with their agents before a cluster of three.

use nearmiss_filters::ladder::{
    FailureKey,
    fleet::frame::{Op, Request},
};
use nearmiss_fleet_tests::{Agent, Cluster, Descriptor, no_store};
use nearmiss_tests::skip::skipped;

const WEEK: u64 = 3000 * 604_800;
const PASSWORD: &str = "Summer2026!x";

/// The host's question when this account fails with the password.
fn observation(descriptor: &Descriptor, account: &str) -> Request {
    let failure = FailureKey { account: account.as_bytes(), password: PASSWORD.as_bytes(), network: b"" };
    let ladder = descriptor.open();
    ladder.request(&ladder.element(PASSWORD.as_bytes()).unwrap(), ladder.observation(&failure, WEEK))
}

/// Each account counts once, on whichever hosts it fails.
#[test]
fn what_is_guessed_at_one_host_is_known_at_another() {
    if skipped(no_store()) {
        return;
    }
    let cluster = Cluster::start(3, &[]);
    let descriptor = Descriptor::guessed(26);
    let [a, b] = [(), ()].map(|()| Agent::start(&cluster.addresses(), ""));
    let height = |agent: &Agent| {
        let ladder = descriptor.open();
        let request = ladder.request(&ladder.element(PASSWORD.as_bytes()).unwrap(), Op::Height);
        agent.ask_until_answered(&request).height
    };
    let start = height(&a);
    let mut expected = start;
    for number in 0..40 {
        let request = observation(&descriptor, &format!("account {number}"));
        let [first, again, there] = [&a, &a, &b].map(|agent| agent.ask_until_answered(&request));
        if first.height == 48 {
            // Elements at the top are no longer looked up: see below.
            break;
        }
        // A reply that came too late for its sender has counted, too: the first that is heard is a repeat.
        assert!(!again.is_counted && !there.is_counted, "{number}");
        expected = (expected + 1).min(48);
        assert!(first.height == expected - 1 || first.height == expected, "{number}");
        let now = height(&b);
        assert!(now + 2 >= expected, "{now} of {expected}: a rung or two may have been cleared");
        expected = now;
    }
    assert!(start < 40 && height(&b) >= 44, "{start}");
    assert!((0..50).any(|_| descriptor.host(&b.socket()).is_guessed(PASSWORD.as_bytes()).unwrap()));
    assert!(!descriptor.host(&b.socket()).is_guessed(b"another").unwrap());
    let state = a.state(Some(descriptor.ladder()));
    assert_eq!((&state["unknown"], &state["slots_without_node"]), (&0.into(), &0.into()), "{state}");
    assert_eq!(state["nodes"].as_array().unwrap().len(), 3);
    let density = cluster.density();
    assert!((density - 0.5).abs() < 0.002, "{density}");
}

#[test]
fn what_is_chosen_at_one_host_is_too_common_at_another() {
    if skipped(no_store()) {
        return;
    }
    let cluster = Cluster::start(3, &[]);
    let descriptor = Descriptor::chosen(24);
    let [a, b] = [(), ()].map(|()| Agent::start(&cluster.addresses(), ""));
    let password = b"correct horse battery staple";
    // Of many tries on a busy machine most are answered, and a handful is enough.
    let is_too_common = || (0..3).any(|_| descriptor.host(&b.socket()).is_too_common(password).unwrap());
    let times = (1..60).find(|_| {
        descriptor.host(&a.socket()).count_chosen(password).unwrap();
        is_too_common()
    });
    assert!(times.is_some(), "never too common");
    assert!(!descriptor.host(&b.socket()).is_too_common(b"something else entirely").unwrap());
}

/// One element takes half of all traffic: the agent keeps it, and the others balance as before.
#[test]
fn an_element_at_the_top_is_not_asked_for_again_and_the_density_stays() {
    if skipped(no_store()) {
        return;
    }
    let cluster = Cluster::start(1, &[]);
    let descriptor = Descriptor::guessed(22);
    let agent = Agent::start(&cluster.addresses(), "");
    let ladder = descriptor.open();
    let step = |name: &[u8]| ladder.request(&ladder.element(name).unwrap(), Op::Step);
    let hot = step(b"hot");
    while agent.ask_until_answered(&hot).height < 48 {}
    for number in 0..2000_u32 {
        assert_eq!(agent.ask_until_answered(&hot).height, 48);
        agent.ask_until_answered(&step(&number.to_le_bytes()));
    }
    let state = agent.state(None);
    assert!(state["from_hot_elements"].as_u64().unwrap() >= 1900, "{state}");
    assert_eq!(state["hot_elements"], 1);
    // Ones of 2²² bits: by chance within 0.0013 of one half (five standard deviations); steps balance.
    let density = cluster.density();
    assert!((density - 0.5).abs() < 0.002, "{density}");
}
