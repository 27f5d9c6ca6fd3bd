use std::{io::Read, path::PathBuf};

use super::*;
use crate::fake_node;

/// An agent before a store without nodes, which remembers so many elements at the top.
fn agent(hot_elements: usize) -> Agent {
    Agent {
        cluster: fake_node::cluster(&[]),
        far: None,
        saturated: Saturated::new(hot_elements, Duration::from_secs(3600)),
        state: State::default(),
        log: log::Log::default(),
    }
}

fn request(op: Op) -> Request {
    Request { op, tag: [1; 4], log_bits: 29, page: 3, steps: 1, places: vec![7] }
}

/// What a client hears that sent this request at that moment.
fn told(agent: &Agent, request: &Request, arrived: Instant) -> Vec<u8> {
    let mut shards = Shards::new(&agent.cluster, &agent.state.made);
    let (mut client, peer) = UnixStream::pair().unwrap();
    agent.element(&mut shards, peer, arrived, request);
    let mut told = Vec::new();
    client.read_to_end(&mut told).unwrap();
    told
}

#[test]
fn a_request_that_waited_too_long_is_turned_away() {
    let agent = agent(0);
    let long_ago = Instant::now().checked_sub(OF_USE).unwrap();
    let told = told(&agent, &request(Op::Height), long_ago);
    assert_eq!(told, Reply::without(Status::Unavailable).encode());
    assert_eq!(agent.state.late.load(Relaxed), 1);
}

/// The store is not asked, and who only looks has taken no step.
#[test]
fn an_element_at_the_top_is_answered_without_the_store() {
    let agent = agent(8);
    // Not too late on any machine.
    let arrived = Instant::now() + fake_node::LONG;
    let observe = Op::Observe { bucket: 1, fingerprint: 2 };
    for (op, is_counted) in [(Op::Height, false), (Op::Step, true), (observe, true)] {
        agent.saturated.add(&request(op), Instant::now());
        let expected = Reply { status: Status::Done, height: 1, is_counted };
        assert_eq!(told(&agent, &request(op), arrived), expected.encode(), "{op:?}");
    }
    let counted = [&agent.state.hot, &agent.state.answered, &agent.state.counted];
    assert_eq!(counted.map(|counter| counter.load(Relaxed)), [3, 3, 2]);
}

/// A node's fault is logged with the node's name when it comes.
#[test]
fn a_request_that_could_not_be_done_is_counted_and_logged_unless_its_node_was() {
    for (fault, is_logged) in [(Fault::NoOwner, true), (Fault::Timeout, true), (Fault::NoFunctions, false)] {
        let (agent, now) = (agent(0), Instant::now());
        agent.note(&fault);
        assert_eq!(agent.state.unavailable.load(Relaxed), 1);
        assert_eq!(agent.log.is_due("unavailable", now), !is_logged, "{fault:?}");
    }
}

#[test]
fn what_ends_the_agent_is_said_in_its_own_words() {
    let path = PathBuf::from("/etc/agent.toml");
    let config = ConfigError::Text { path, message: "is not UTF-8 text".to_owned() };
    assert_eq!(ServeError::Config(config).to_string(), "/etc/agent.toml: is not UTF-8 text");
    assert_eq!(ServeError::System(io::Error::other("no thread")).to_string(), "no thread");
}
