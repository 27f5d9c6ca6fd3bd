//! Loss of parts of the store, or of the agent: others continue, and a part that returns is whole.

use std::{
    collections::HashMap,
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

use nearmiss_agent::cluster::slot_of;
use nearmiss_filters::ladder::{
    FleetLadder,
    fleet::frame::{Op, Request},
};
use nearmiss_fleet_tests::{
    Agent, Cluster, Descriptor, Server, ask, careful, lateness::Control, no_store, text, wait_for,
};
use nearmiss_tests::{HANGS, skip::skipped};
use rustix::process::Signal;

/// A busy machine may let a process wait; the deadline itself is tested with the client.
pub(super) const TIMEOUT: Duration = Duration::from_millis(250);

/// Elements, and how the questions about them went.
pub(super) struct Load {
    ladder: FleetLadder,
    socket: PathBuf,
    next: u64,
    pub(super) longest: Duration,
}

impl Load {
    pub(super) fn new(descriptor: &Descriptor, agent: &Agent) -> Load {
        Load { ladder: descriptor.open(), socket: agent.socket(), next: 0, longest: Duration::ZERO }
    }

    fn request(&self, number: u64) -> Request {
        self.ladder.request(&self.ladder.element(&number.to_le_bytes()).unwrap(), Op::Step)
    }

    fn ask(&mut self, request: &Request) -> bool {
        let begin = Instant::now();
        let is_answered = ask(&self.socket, request).is_some();
        self.longest = self.longest.max(begin.elapsed());
        is_answered
    }

    /// Steps of new elements: how many were answered and how many not, by the server that has them.
    pub(super) fn run(
        &mut self,
        count: u64,
        server_of: impl Fn(&Request) -> usize,
    ) -> HashMap<usize, (u32, u32)> {
        let mut went: HashMap<usize, (u32, u32)> = HashMap::new();
        for _ in 0..count {
            self.next += 1;
            let request = self.request(self.next);
            let entry = went.entry(server_of(&request)).or_default();
            if self.ask(&request) { entry.0 += 1 } else { entry.1 += 1 }
        }
        went
    }

    /// Steps until the cluster has `shards`; its content then.
    fn fill(&mut self, cluster: &Cluster, shards: usize) -> Content {
        while cluster.keys() < shards {
            self.run(200, |_| 0);
        }
        Content(cluster.shards().into_iter().collect())
    }

    pub(super) fn wait_until_answered(&mut self) {
        let end = Instant::now() + HANGS;
        while !(0..20).all(|number| {
            let request = self.request(number);
            self.ask(&request)
        }) {
            assert!(Instant::now() < end, "the store is not answered for");
            thread::sleep(Duration::from_millis(50));
        }
        self.longest = Duration::ZERO;
    }
}

/// The shards of a cluster at a time, by their keys.
struct Content(HashMap<String, Vec<u8>>);

impl Content {
    /// In how many bits the shard of this key differs now; none if there was none.
    fn bits_changed(&self, key: &str, now: &[u8]) -> Option<u32> {
        Some(self.0.get(key)?.iter().zip(now).map(|(a, b)| (a ^ b).count_ones()).sum())
    }
}

/// The server of three that has an element, as `Cluster::start` assigned the slots.
pub(super) fn server_of(descriptor: &Descriptor) -> impl Fn(&Request) -> usize {
    let ladder = descriptor.ladder();
    move |request| {
        let slot = u32::from(slot_of(ladder.hash_tag(request.page / 16).as_bytes()));
        (0..3).find(|server| slot < 16_384 * (server + 1) / 3).unwrap() as usize
    }
}

fn share_answered(went: &HashMap<usize, (u32, u32)>, servers: &[usize]) -> f64 {
    let (done, failed) = servers
        .iter()
        .filter_map(|server| went.get(server))
        .fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
    f64::from(done) / f64::from(done + failed)
}

/// At least this share of what these servers have is answered. A run in which the machine was late is done
/// again.
fn check_share(
    what: &str,
    least: f64,
    servers: &[usize],
    mut run: impl FnMut() -> HashMap<usize, (u32, u32)>,
) -> HashMap<usize, (u32, u32)> {
    let end = Instant::now() + HANGS;
    loop {
        let control = Control::start();
        let went = run();
        let lateness = control.end();
        let share = share_answered(&went, servers);
        if share >= least {
            return went;
        }
        let is_excused = lateness.is_late() && Instant::now() < end;
        assert!(is_excused, "{what}: {share}: {went:?}, {lateness:?}");
    }
}

#[test]
fn a_node_that_is_killed_frozen_or_comes_back_empty_takes_its_own_share_alone() {
    if skipped(no_store()) {
        return;
    }
    let mut cluster = Cluster::start(3, &[]);
    let descriptor = Descriptor::guessed(26);
    let agent = Agent::start(&cluster.addresses(), "");
    let server_of = server_of(&descriptor);
    let mut load = Load::new(&descriptor, &agent);
    load.wait_until_answered();
    check_share("at first", 0.99, &[0, 1, 2], || load.run(300, &server_of));
    let before = Content(cluster.shards().into_iter().collect());

    cluster.servers[1].kill();
    let went = check_share("killed", 0.99, &[0, 2], || load.run(900, &server_of));
    assert_eq!(went.get(&1).map(|one| one.0), Some(0), "nobody has these: {went:?}");

    cluster.servers[1].restart();
    load.wait_until_answered();
    check_share("back", 0.99, &[0, 1, 2], || load.run(900, &server_of));

    cluster.servers[0].signal(Signal::STOP);
    let control = Control::start();
    // Requests that meet the freeze first wait for it; the breaker spares the others.
    check_share("frozen", 0.97, &[1, 2], || load.run(600, &server_of));
    let most = TIMEOUT + control.end().delay();
    assert!(load.longest < most, "{:?} of {most:?}", load.longest);
    cluster.servers[0].signal(Signal::CONT);
    load.wait_until_answered();

    let density = cluster.density();
    assert!((density - 0.5).abs() < 0.002, "{density}");
    // The data of the other nodes were changed only by steps: never recreated.
    let changed = |(key, bytes): &(String, Vec<u8>)| before.bits_changed(key, bytes);
    let on_others = |server: usize| cluster.servers[server].ask(&["KEYS", "nm1:*"]);
    assert!(matches!(on_others(2), redis::Value::Array(keys) if !keys.is_empty()));
    let most =
        cluster.shards().iter().filter(|(key, _)| slot_of(tag(key)) >= 10_922).filter_map(changed).max();
    assert!(most.is_some_and(|bits| bits < 500), "{most:?} bits of a shard that was never away");
}

fn tag(key: &str) -> &[u8] {
    key.split(['{', '}']).nth(1).unwrap().as_bytes()
}

#[test]
fn shards_that_are_lost_come_back_as_they_are_touched_and_the_others_stay() {
    if skipped(no_store()) {
        return;
    }
    let cluster = Cluster::start(1, &[]);
    // 128 shards.
    let descriptor = Descriptor::guessed(26);
    let agent = Agent::start(&cluster.addresses(), "");
    let mut load = Load::new(&descriptor, &agent);
    load.wait_until_answered();
    let before = load.fill(&cluster, 128);
    let lost: Vec<String> = (0..32).map(|shard| descriptor.ladder().key(shard * 4)).collect();
    for key in &lost {
        cluster.servers[0].ask(&["DEL", key]);
    }
    check_share("lost", 0.99, &[0], || load.run(2000, |_| 0));
    let after = cluster.shards();
    assert_eq!(after.len(), 128);
    for (key, bytes) in &after {
        let differ = before.bits_changed(key, bytes).unwrap();
        let is_new = differ > 200_000;
        assert_eq!(is_new, lost.contains(key), "{key}: {differ} bits");
        assert!(is_new || differ < 500, "{key}: {differ} bits");
        let ones: u32 = bytes.iter().map(|byte| byte.count_ones()).sum();
        assert!((259_000..266_000).contains(&ones), "{key}: {ones} ones of 524288");
    }
}

#[test]
fn an_agent_that_is_killed_or_stopped_leaves_the_host_to_itself() {
    if skipped(no_store()) {
        return;
    }
    let cluster = Cluster::start(1, &[]);
    let descriptor = Descriptor::guessed(26);
    let mut agent = Agent::start(&cluster.addresses(), "");
    let mut load = Load::new(&descriptor, &agent);
    load.wait_until_answered();
    agent.signal(Signal::STOP);
    let request = load.request(1);
    let control = Control::start();
    assert!(!load.ask(&request) && !load.ask(&request));
    let most = TIMEOUT + control.end().delay();
    assert!(load.longest < most, "{:?} of {most:?}", load.longest);
    let host = descriptor.host(&agent.socket());
    assert!(!host.is_guessed(b"x").unwrap());
    assert_eq!(host.agent().trouble().unwrap().kind(), std::io::ErrorKind::TimedOut);
    agent.signal(Signal::CONT);
    load.wait_until_answered();
    agent.kill();
    assert!(!load.ask(&request));
    agent.restart();
    wait_for("the agent again", || load.ask(&request));
}

/// Slots move to another node under load: at least 99 % is answered, the rest being what a busy machine is
/// too late for, and no shard is recreated.
#[test]
fn slots_that_move_take_their_shards_along() {
    if skipped(no_store()) {
        return;
    }
    let cluster = Cluster::start(2, &[]);
    let descriptor = Descriptor::guessed(24);
    let agent = Agent::start(&cluster.addresses(), "");
    let mut load = Load::new(&descriptor, &agent);
    load.wait_until_answered();
    let before = load.fill(&cluster, 32);
    let [from, to] = [&cluster.servers[0], &cluster.servers[1]];
    let names: Vec<String> = [from, to].map(|server| text(&server.ask(&["CLUSTER", "MYID"]))).into();
    let (mut moved, mut unanswered) = (0, 0);
    let control = Control::start();
    for shard in 0..32 {
        let ladder = descriptor.ladder();
        let slot = slot_of(ladder.hash_tag(shard).as_bytes());
        if slot >= 8192 {
            continue;
        }
        let text = slot.to_string();
        to.ask(&["CLUSTER", "SETSLOT", &text, "IMPORTING", &names[0]]);
        from.ask(&["CLUSTER", "SETSLOT", &text, "MIGRATING", &names[1]]);
        unanswered += load.run(20, |_| 0).values().map(|one| one.1).sum::<u32>();
        from.ask(&["MIGRATE", "127.0.0.1", &to.port.to_string(), &ladder.key(shard), "0", "300000"]);
        unanswered += load.run(20, |_| 0).values().map(|one| one.1).sum::<u32>();
        for server in [to, from] {
            server.ask(&["CLUSTER", "SETSLOT", &text, "NODE", &names[1]]);
        }
        unanswered += load.run(20, |_| 0).values().map(|one| one.1).sum::<u32>();
        moved += 1;
    }
    assert!(moved > 5, "{moved} moved");
    let most = (0.01 + control.end().excused()) * f64::from(moved * 60);
    assert!(f64::from(unanswered) <= most, "{unanswered} of {} not answered", moved * 60);
    let after = cluster.shards();
    assert_eq!(after.len(), 32);
    let is_same = |(key, bytes): &(String, Vec<u8>)| before.bits_changed(key, bytes).unwrap() < 5000;
    assert!(after.iter().all(is_same), "a shard was made again");
}

/// Nodes are killed, come back empty, freeze and thaw, and the agent is stopped and killed, while logins fail
/// at a steady rate: no call takes longer than the deadline allows, and what is not hit is answered.
#[test]
#[ignore = "minutes: make torture"]
fn a_minute_of_chaos() {
    if skipped(no_store()) {
        return;
    }
    let mut cluster = Cluster::start(3, &[]);
    let descriptor = Descriptor::guessed(26);
    let mut agent = Agent::start(&cluster.addresses(), "");
    let server_of = server_of(&descriptor);
    let mut load = Load::new(&descriptor, &agent);
    load.wait_until_answered();
    let control = Control::start();
    let (mut calls, mut waited, mut late) = (0_u32, 0_u32, 0_u32);
    let (mut of_others, mut answered, mut missed) = (0_u32, 0_u32, [0_u32; 2]);
    let mut longest = Duration::ZERO;
    let (begin, mut turn) = (Instant::now(), 0_usize);
    while begin.elapsed() < Duration::from_secs(60) {
        turn += 1;
        let hit = turn % 3;
        let act = turn % 4;
        match act {
            0 => cluster.servers[hit].kill(),
            1 => cluster.servers[hit].signal(Signal::STOP),
            2 => agent.signal(Signal::STOP),
            _ => agent.kill(),
        }
        let until = Instant::now() + Duration::from_secs(2);
        // The first requests find out; the breaker then spares the others.
        let mut since = 0;
        while Instant::now() < until {
            load.next += 1;
            let request = load.request(load.next);
            let is_other = act < 2 && server_of(&request) != hit;
            load.longest = Duration::ZERO;
            let is_answered = load.ask(&request);
            calls += 1;
            since += 1;
            waited += u32::from(load.longest >= Duration::from_millis(50));
            late += u32::from(load.longest > Duration::from_millis(60));
            longest = longest.max(load.longest);
            if is_other && since > 50 {
                of_others += 1;
                answered += u32::from(is_answered);
                missed[act] += u32::from(!is_answered);
            }
            thread::sleep(Duration::from_millis(3));
        }
        match act {
            0 => cluster.servers[hit].restart(),
            1 => cluster.servers[hit].signal(Signal::CONT),
            2 => agent.signal(Signal::CONT),
            _ => agent.restart(),
        }
        // One at a time: two nodes of three that are away are a cluster that is down.
        cluster.wait_until_whole();
        load.wait_until_answered();
    }
    let density = cluster.density();
    let busy = control.end().share();
    println!(
        "torture: {calls} steps in chaos, {late} over 60 ms (longest {longest:?}), of {waited} that waited \
         for the deadline, as {busy:.4} of all short sleeps on this machine; of the share of other nodes \
         {answered} of {of_others} answered (not when killed, frozen: {missed:?}); density {density:.4}"
    );
    // A busy machine also wakes sleepers late; 5 are chance.
    let most = f64::from(calls) / 1000.0 + 3.0 * busy * f64::from(waited) + 5.0;
    assert!(f64::from(late) <= most, "{late} of {calls} over 60 ms, at most {most}, longest {longest:?}");
    let least = (0.99 - 5.0 * busy).max(0.0) * f64::from(of_others);
    assert!(f64::from(answered) >= least, "{answered} of {of_others}");
    assert!((density - 0.5).abs() < 0.002, "{density}");
}

/// The wait while another node takes over: a refused connection is an error, and no panic.
#[test]
fn a_server_that_is_away_can_be_asked_again() {
    if skipped(no_store()) {
        return;
    }
    let mut server = Server::start(&careful());
    server.kill();
    assert!(server.try_ask(&["PING"]).is_err());
    server.restart();
    assert!(server.try_ask(&["PING"]).is_ok());
}

/// With replicas a master that is killed costs nothing but the seconds until its replica takes over.
#[test]
#[ignore = "minutes: make torture"]
fn a_replica_takes_over_with_the_shards() {
    if skipped(no_store()) {
        return;
    }
    let mut cluster = Cluster::start(3, &[]);
    let replicas: Vec<_> = (0..3).map(|_| Server::of_cluster(&[])).collect();
    for (replica, master) in replicas.iter().zip(&cluster.servers) {
        cluster.introduce(replica);
        let name = text(&master.ask(&["CLUSTER", "MYID"]));
        wait_for("a replica", || replica.try_ask(&["CLUSTER", "REPLICATE", &name]).is_ok());
    }
    let descriptor = Descriptor::guessed(24);
    let agent = Agent::start(&cluster.addresses(), "");
    let mut load = Load::new(&descriptor, &agent);
    load.wait_until_answered();
    load.fill(&cluster, 32);
    let keys =
        |server: &Server| server.try_ask(&["DBSIZE"]).ok().filter(|count| *count != redis::Value::Int(0));
    let is_fed = |(replica, master)| keys(replica).is_some_and(|count| Some(count) == keys(master));
    wait_for("replicas that are fed", || replicas.iter().zip(&cluster.servers).all(is_fed));
    let before = Content(cluster.shards().into_iter().collect());
    cluster.servers[0].kill();
    let begin = Instant::now();
    load.wait_until_answered();
    println!("torture: a replica took over after {:?}", begin.elapsed());
    let state = agent.state(None);
    assert_eq!(state["shards_made"], 32, "no shard is made anew: {state}");
    let shards = replicas[0].shards();
    assert!(!shards.is_empty());
    for (key, bytes) in shards {
        let differ = before.bits_changed(&key, &bytes).unwrap();
        assert!(differ < 5000, "{key}: {differ} bits");
    }
}
