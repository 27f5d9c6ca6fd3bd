use std::{io::Read, path::PathBuf, sync::Barrier};

use super::*;
use crate::fake_node::{self, FakeNode};

/// An agent for a store without nodes, which remembers this number of elements at the top.
fn agent(hot_elements: usize) -> Agent {
    Agent {
        cluster: fake_node::cluster(&[]),
        far: None,
        saturated: Saturated::new(hot_elements, Duration::from_secs(3600)),
        work: Arc::new(Work::new(1)),
        state: State::default(),
        log: log::Log::default(),
    }
}

fn request(op: Op) -> Request {
    Request { op, tag: [1; 4], log_bits: 29, page: 3, steps: 1, places: vec![7] }
}

/// Everything that was sent to a client until its connection was closed.
fn heard(mut client: UnixStream) -> Vec<u8> {
    let mut heard = Vec::new();
    client.read_to_end(&mut heard).unwrap();
    heard
}

/// The reply to a client that sent this request at this time.
fn told(agent: &Agent, request: &Request, arrived: Instant) -> Vec<u8> {
    let mut shards = Shards::new(&agent.cluster, &agent.state.made);
    let (client, peer) = UnixStream::pair().unwrap();
    agent.element(&mut shards, peer, arrived, request);
    heard(client)
}

#[test]
fn a_request_that_waited_too_long_is_turned_away() {
    let agent = agent(0);
    let long_ago = Instant::now().checked_sub(OF_USE).unwrap();
    let told = told(&agent, &request(Op::Height), long_ago);
    assert_eq!(told, Reply::without(Status::TurnedAway).encode());
    assert_eq!(agent.state.turned_away.load(Relaxed), 1);
}

/// The store is not queried, and a lookup takes no step.
#[test]
fn an_element_at_the_top_is_answered_without_the_store() {
    let agent = agent(8);
    // Never late on any machine.
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

/// The reply to a request that a worker processes alone.
fn worked(agent: &Agent, question: AgentRequest) -> Vec<u8> {
    let (to_worker, jobs) = sync_channel(1);
    let (client, peer) = UnixStream::pair().unwrap();
    to_worker.send(Job { peer, arrived: Instant::now() + fake_node::LONG, question }).unwrap();
    drop(to_worker);
    agent.work(&Mutex::new(jobs));
    heard(client)
}

/// A delay that the caller's load can cause has another status than an unreachable store.
#[test]
fn a_store_that_is_late_is_told_from_one_that_is_away() {
    let agent = agent(0);
    let done = Done { height: 1, is_counted: false };
    for (whole, status, height) in [
        (Whole::of(Err(Fault::Timeout)), Status::Late, 0),
        (Whole::of(Err(Fault::Late(String::new()))), Status::Late, 0),
        (Whole::of(Err(Fault::NoOwner)), Status::Unavailable, 0),
        (Whole::of(Err(Fault::Unreachable(String::new()))), Status::Unavailable, 0),
        (Whole { half: Err(Fault::NoOwner), is_late: true }, Status::Late, 0),
        (Whole { half: Ok(done), is_late: true }, Status::Late, 1),
        (Whole::of(Ok(done)), Status::Done, 1),
    ] {
        let (client, peer) = UnixStream::pair().unwrap();
        agent.settle(&peer, &request(Op::Height), whole);
        drop(peer);
        assert_eq!(heard(client), Reply { status, height, is_counted: false }.encode());
    }
    assert_eq!(agent.state.late.load(Relaxed), 4);
}

/// A worker runs until the queue is closed.
#[test]
fn a_worker_answers_each_kind_of_question() {
    let node = FakeNode::alone(|_| b":1\r\n".to_vec());
    let agent = Agent { cluster: fake_node::cluster(&[&node]), ..agent(0) };
    let unknown = Reply::without(Status::Unknown).encode();
    assert_eq!(worked(&agent, AgentRequest::Unknown), unknown);
    let done = Reply { status: Status::Done, height: 1, is_counted: false }.encode();
    assert_eq!(worked(&agent, AgentRequest::Element(request(Op::Height))), done);
    let report = String::from_utf8(worked(&agent, AgentRequest::State(None))).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let counters = ["unknown", "answered", "counted", "unavailable", "slots_without_node"];
    assert_eq!(counters.map(|name| report[name].as_u64().unwrap()), [1, 1, 0, 0, 0]);
    assert_eq!(report["nodes"][0]["node"], node.address.to_string());
    assert_eq!(report["far_nodes"], serde_json::Value::Null);
}

/// An element of two rungs, of which this number are set: true if the store is queried again for it.
#[test]
fn an_element_is_remembered_once_every_rung_is_set() {
    for (height, is_remembered) in [(0, false), (1, false), (2, true)] {
        let agent = agent(8);
        let request = Request { places: vec![7, 8], ..request(Op::Height) };
        let (client, peer) = UnixStream::pair().unwrap();
        agent.settle(&peer, &request, Whole::of(Ok(Done { height, is_counted: false })));
        drop(peer);
        assert_eq!(heard(client), Reply { status: Status::Done, height, is_counted: false }.encode());
        assert_eq!(agent.saturated.has(&request, Instant::now()), is_remembered, "{height}");
        assert_eq!(agent.state.unknown.load(Relaxed), 0);
    }
}

/// Both sites are stepped, in any order of finishing, and the far one is not queried too late.
#[test]
fn the_far_site_does_its_part_and_is_free_again() {
    let far_node = FakeNode::alone(|_| b"*2\r\n:1\r\n:1\r\n".to_vec());
    for (is_late, height) in [(false, 1), (true, 0)] {
        let (to_far, jobs) = sync_channel(8);
        let timeout = if is_late { Duration::ZERO } else { fake_node::LONG };
        let far = Far::new(fake_node::cluster(&[&far_node]), timeout, 1, to_far);
        let agent = Agent { far: Some(far), ..agent(0) };
        let far = agent.far.as_ref().unwrap();
        let (client, peer) = UnixStream::pair().unwrap();
        let now = Instant::now();
        let To::Both(both) = far.hand_over(&request(Op::Step), now, peer) else { panic!("no worker") };
        assert_eq!(both.join(Ok(Done { height: 0, is_counted: true })), None);
        // While its only worker is busy, it only receives steps.
        let stranger = UnixStream::pair().unwrap().0;
        assert!(matches!(far.hand_over(&request(Op::Height), now, stranger), To::Half(_)));
        let (to_far, one_job) = sync_channel(1);
        to_far.send(jobs.recv().unwrap()).unwrap();
        drop((to_far, both));
        agent.work_far(&Mutex::new(one_job));
        let status = if is_late { Status::Late } else { Status::Done };
        assert_eq!(heard(client), Reply { status, height, is_counted: true }.encode(), "{is_late}");
        let stranger = UnixStream::pair().unwrap().0;
        assert!(matches!(far.hand_over(&request(Op::Height), now, stranger), To::Both(_)), "free again");
    }
}

/// Two jobs that wait for each other need two threads.
static MEETING: Barrier = Barrier::new(2);

#[test]
fn each_worker_has_a_thread_of_its_own() {
    let agent = Arc::new(agent(0));
    let (to_workers, jobs) = sync_channel(2);
    agent
        .start("worker", 2, jobs, |_, jobs| {
            let mut peer: UnixStream = next(jobs).unwrap();
            MEETING.wait();
            peer.write_all(&[1]).unwrap();
        })
        .unwrap();
    let clients = [(); 2].map(|()| {
        let (client, peer) = UnixStream::pair().unwrap();
        to_workers.send(peer).unwrap();
        client
    });
    assert_eq!(clients.map(heard), [[1], [1]]);
}
