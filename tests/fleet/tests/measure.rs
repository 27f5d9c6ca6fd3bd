//! The cost of a step through the agent: printed, for `make bench` and docs/fleet.md, without a verdict.

use std::{
    fs,
    os::unix::net::UnixStream,
    path::Path,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};

use nearmiss_filters::ladder::fleet::frame::{Op, Request};
use nearmiss_fleet_tests::{Agent, Cluster, Descriptor, Server, ask, no_store, text};
use nearmiss_tests::skip::skipped;
use rustix::time::{ClockId, clock_gettime};

const SECONDS: f64 = 4.0;

/// The duration of each step, in microseconds, and the number that failed.
#[derive(Default)]
struct Times {
    taken: Vec<u64>,
    failed: u64,
}

/// Steps of one caller, each through a connection of its own as the module makes them.
fn caller(descriptor: &Descriptor, socket: &Path, number: u64, rate: Option<f64>, hot: u64) -> Times {
    let ladder = descriptor.open();
    let request = |element: u64| -> Request {
        ladder.request(&ladder.element(&element.to_le_bytes()).unwrap(), Op::Step)
    };
    let (begin, mut times, mut turn) = (Instant::now(), Times::default(), 0_u64);
    let mut next = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    while begin.elapsed().as_secs_f64() < SECONDS {
        if let Some(rate) = rate {
            let due = Duration::from_secs_f64(turn as f64 / rate);
            thread::sleep(due.saturating_sub(begin.elapsed()));
        }
        turn += 1;
        next = next.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let request = request(if turn % 100 < hot { 0 } else { next });
        let start = Instant::now();
        let is_answered = ask(socket, &request).is_some();
        times.taken.push(u64::try_from(start.elapsed().as_micros()).unwrap());
        times.failed += u64::from(!is_answered);
    }
    times
}

fn all(descriptor: &Descriptor, socket: &Path, callers: u64, rate: Option<f64>, hot: u64) -> Times {
    thread::scope(|scope| {
        let start = |number| scope.spawn(move || caller(descriptor, socket, number, rate, hot));
        let started: Vec<_> = (1..=callers).map(start).collect();
        started.into_iter().map(|caller| caller.join().unwrap()).fold(Times::default(), |mut all, one| {
            all.taken.extend(one.taken);
            all.failed += one.failed;
            all
        })
    })
}

/// The processor time of callers, agent and servers.
struct Used([Duration; 3]);

impl Used {
    fn now(agent: &Agent, cluster: &Cluster) -> Used {
        let own = clock_gettime(ClockId::ProcessCPUTime);
        let nanoseconds = own.tv_sec * 1_000_000_000 + own.tv_nsec;
        let callers = Duration::from_nanos(nanoseconds.try_into().unwrap());
        let servers = cluster.servers.iter().map(Server::processor_time).sum();
        Used([callers, agent.processor_time(), servers])
    }

    /// Microseconds a step since then.
    fn since(self, before: &Used, steps: usize) -> [f64; 3] {
        let part = |part: usize| self.0[part].saturating_sub(before.0[part]).as_secs_f64() * 1e6;
        [0, 1, 2].map(|number| part(number) / steps as f64)
    }
}

/// Steps by so many callers, and what they cost.
fn measure(what: &str, place: &(Descriptor, Cluster, Agent), callers: u64, rate: Option<f64>, hot: u64) {
    let (descriptor, cluster, agent) = place;
    let before = Used::now(agent, cluster);
    let mut times = all(descriptor, &agent.socket(), callers, rate, hot);
    let [own, agents, servers] = Used::now(agent, cluster).since(&before, times.taken.len());
    times.taken.sort_unstable();
    let at = |per_thousand: usize| times.taken[(times.taken.len() - 1) * per_thousand / 1000] as f64 / 1000.0;
    println!(
        "{what}: {:.0} steps/s, p50 {:.2} ms, p99 {:.2} ms, longest {:.1} ms, not answered {}; processor \
         time a step: callers {own:.0} µs, agent {agents:.0} µs, servers {servers:.0} µs",
        times.taken.len() as f64 / SECONDS,
        at(500),
        at(990),
        at(1000),
        times.failed
    );
}

/// A thousand connections that send nothing, made again each second since the agent closes them after 30 ms.
fn with_idle_connections(socket: &Path, act: impl FnOnce()) {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Relaxed) {
                let idle: Vec<_> = (0..1000).filter_map(|_| UnixStream::connect(socket).ok()).collect();
                thread::sleep(Duration::from_secs(1));
                drop(idle);
            }
        });
        act();
        is_over.store(true, Relaxed);
    });
}

#[test]
#[ignore = "a measurement: make bench"]
fn rate_and_latency_through_the_agent() {
    if skipped(no_store()) {
        return;
    }
    let load = || fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("load before: {}", load().trim());
    for servers in [1, 3] {
        let cluster = Cluster::start(servers, &[]);
        let descriptor = Descriptor::guessed(29);
        let agent = Agent::start(&cluster.addresses(), "");
        let ladder = descriptor.open();
        agent.ask_until_answered(&ladder.request(&ladder.element(b"x").unwrap(), Op::Step));
        // Until each shard is made.
        while cluster.keys() < 1024 {
            all(&descriptor, &agent.socket(), 8, None, 0);
        }
        for server in &cluster.servers {
            server.ask(&["CONFIG", "RESETSTAT"]);
        }
        let place = (descriptor, cluster, agent);
        measure(&format!("{servers} nodes, 1,000/s"), &place, 4, Some(250.0), 0);
        with_idle_connections(&place.2.socket(), || {
            measure(&format!("{servers} nodes, 1,000/s, 1,000 idle connections"), &place, 4, Some(250.0), 0);
        });
        measure(&format!("{servers} nodes, 8 callers at full speed"), &place, 8, None, 0);
        measure(&format!("{servers} nodes, the same, half of it one element"), &place, 8, None, 50);
        let (descriptor, cluster, agent) = place;
        for server in &cluster.servers {
            let stats = text(&server.ask(&["INFO", "commandstats"]));
            let calls: Vec<&str> = stats.lines().filter(|line| line.starts_with("cmdstat_fcall")).collect();
            println!("  server: {}", calls.join(" "));
        }
        println!("  agent: {}", agent.state(Some(descriptor.ladder())));
    }
    println!("load after: {}", load().trim());
}
