//! Requests from the socket. One thread accepts connections and reads requests without waiting for any, so
//! that idle ones block no other; workers process them.

mod clusters;
mod connections;
mod job;
mod queue;
mod state;

use std::{
    io::{self, Write},
    os::unix::net::{UnixListener, UnixStream},
    sync::{
        Arc, Mutex,
        atomic::Ordering::Relaxed,
        mpsc::{Receiver, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use nearmiss_cli::keys::{Keyed, MessageKey};
use nearmiss_filters::ladder::fleet::frame::{Op, Reply, Request, STATUS_TIME, Status};

use self::{
    clusters::{Far, FarJob, Half, To, Whole},
    job::{AgentRequest, Job},
    queue::{Queue, Work},
    state::{Site, State},
};
use crate::{
    cluster::{Address, Cluster, Connector, Fault},
    config::{Config, ConfigError},
    log,
    saturated::Saturated,
    shards::{Done, Ladder, Shards},
};

pub use nearmiss_filters::ladder::fleet::frame::STATUS_BYTES;

/// The time after a request in which a reply is useful: the client waits 50 ms.
const OF_USE: Duration = Duration::from_millis(45);
/// The time for the one command that follows a reply.
const AFTERWARDS: Duration = Duration::from_millis(60);
/// The length of the queue of requests.
const QUEUE: usize = 256;

/// The agent: the state that its workers share.
struct Agent {
    cluster: Cluster,
    far: Option<Far>,
    saturated: Saturated,
    work: Arc<Work>,
    state: State,
    log: log::Log,
}

/// Serves the socket forever.
///
/// # Errors
/// The configuration's files cannot be read, or a thread cannot be started.
pub fn serve(listener: &UnixListener, config: &Config) -> Result<(), ServeError> {
    let cluster = |nodes: &Vec<Address>| {
        let connector = Connector::new(config).map_err(ServeError::Config)?;
        Ok(Cluster::new(connector, nodes.clone()))
    };
    let (to_far, far_jobs) = sync_channel(QUEUE);
    let timeout = Duration::from_millis(config.timeout_ms);
    let far = |cluster| Far::new(cluster, timeout, config.workers, to_far);
    let is_alone = config.far_nodes.is_empty();
    let agent = Arc::new(Agent {
        cluster: cluster(&config.nodes)?,
        far: if is_alone { None } else { Some(far(cluster(&config.far_nodes)?)) },
        saturated: Saturated::new(config.hot_elements, Duration::from_secs(config.hot_seconds)),
        work: Arc::new(Work::new(config.workers)),
        state: State::default(),
        log: log::Log::default(),
    });
    let (queue, jobs) = Queue::new(Arc::clone(&agent.work));
    agent.start("worker", config.workers, jobs, Agent::work)?;
    agent.start("far", if is_alone { 0 } else { config.workers }, far_jobs, Agent::work_far)?;
    connections::run(listener, &queue, &agent.state.turned_away, &agent.log).map_err(ServeError::System)
}

/// The reason why the agent cannot continue.
#[derive(Debug)]
pub enum ServeError {
    /// A file that the configuration names.
    Config(ConfigError),
    /// The system.
    System(io::Error),
}

impl std::fmt::Display for ServeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ServeError::Config(error) => error.fmt(f),
            ServeError::System(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ServeError {}

impl Keyed for ServeError {
    fn key(&self) -> MessageKey {
        match self {
            ServeError::Config(error) => error.key(),
            ServeError::System(error) => error.key(),
        }
    }
}

impl Agent {
    fn start<J: Send + 'static>(
        self: &Arc<Agent>,
        name: &str,
        count: usize,
        jobs: Receiver<J>,
        work: fn(&Agent, &Mutex<Receiver<J>>),
    ) -> Result<(), ServeError> {
        let jobs = Arc::new(Mutex::new(jobs));
        for number in 0..count {
            let (agent, jobs) = (Arc::clone(self), Arc::clone(&jobs));
            let thread = thread::Builder::new().name(format!("{name} {number}"));
            thread.spawn(move || work(&agent, &jobs)).map_err(ServeError::System)?;
        }
        Ok(())
    }

    fn work(&self, jobs: &Mutex<Receiver<Job>>) {
        let mut shards = Shards::new(&self.cluster, &self.state.made);
        loop {
            let Some(Job { peer, arrived, question }) = next(jobs) else { return };
            let begin = Instant::now();
            match question {
                AgentRequest::Element(request) => self.element(&mut shards, peer, arrived, &request),
                AgentRequest::State(ladder) => self.report(&mut shards, peer, ladder),
                AgentRequest::Unknown => self.send(&peer, Reply::without(Status::Unknown)),
            }
            self.work.done(begin.elapsed());
        }
    }

    fn element(&self, shards: &mut Shards<'_>, peer: UnixStream, arrived: Instant, request: &Request) {
        let end = arrived.checked_add(OF_USE).unwrap_or(arrived);
        if Instant::now() >= end {
            // The client has given up, or will soon; processing it now would delay the next ones.
            self.state.turned_away.fetch_add(1, Relaxed);
            return connections::turn_away(&peer);
        }
        if self.saturated.has(request, Instant::now()) {
            self.state.hot.fetch_add(1, Relaxed);
            let half = Ok(Done { height: top(request), is_counted: request.op != Op::Height });
            return self.finish(shards, request, To::One(peer), half);
        }
        let to = match &self.far {
            Some(far) => far.hand_over(request, arrived, peer),
            None => To::One(peer),
        };
        let half = shards.answer(request, end);
        self.finish(shards, request, to, half);
    }

    /// The far site's part of each request.
    fn work_far(&self, jobs: &Mutex<Receiver<FarJob>>) {
        let Some(far) = &self.far else { return };
        let mut shards = Shards::new(&far.cluster, &self.state.made);
        while let Some(FarJob { request, end, to }) = next(jobs) {
            let is_late = Instant::now() >= end;
            let half = if is_late { Err(Fault::Timeout) } else { shards.answer(&request, end) };
            self.finish(&mut shards, &request, to, half);
            far.done();
        }
    }

    /// Sends the reply if this site is the last to finish, and then rebalances after a step.
    fn finish(&self, shards: &mut Shards<'_>, request: &Request, to: To, half: Half) {
        let counted = half.as_ref().ok().filter(|done| done.is_counted).map(|done| done.height);
        match to {
            To::One(peer) => self.settle(&peer, request, Whole::of(half)),
            To::Half(peer) => self.settle(&peer, request, Whole { half, is_late: true }),
            To::Both(both) => {
                if let Some(whole) = both.join(half) {
                    self.settle(&both.peer, request, whole);
                }
            }
            To::Nobody => {}
        }
        if let Some(height) = counted {
            shards.rebalance(request, height, soon);
        }
    }

    fn settle(&self, peer: &UnixStream, request: &Request, whole: Whole) {
        self.state.late.fetch_add(u64::from(whole.is_late), Relaxed);
        let in_time = |status| if whole.is_late { Status::Late } else { status };
        match whole.half {
            Ok(Done { height, is_counted }) => {
                self.state.answered.fetch_add(1, Relaxed);
                self.state.counted.fetch_add(u64::from(is_counted), Relaxed);
                self.send(peer, Reply { status: in_time(Status::Done), height, is_counted });
                if height == top(request) {
                    self.saturated.add(request, Instant::now());
                }
            }
            Err(fault) => {
                self.send(peer, Reply::without(in_time(Status::Unavailable)));
                self.note(&fault);
            }
        }
    }

    fn note(&self, fault: &Fault) {
        self.state.unavailable.fetch_add(1, Relaxed);
        if !fault.is_of_node() {
            self.log.warn("unavailable", fault.key(), &format_args!("a request failed: {fault}"));
        }
    }

    fn report(&self, shards: &mut Shards<'_>, mut peer: UnixStream, ladder: Option<Ladder>) {
        let now = Instant::now();
        let until = now.checked_add(STATUS_TIME).unwrap_or(now);
        let near = Site { nodes: shards.states(ladder, &soon), cluster: &self.cluster };
        let far = self.far.as_ref().map(|Far { cluster, .. }| {
            let mut shards = Shards::new(cluster, &self.state.made);
            Site { nodes: shards.states(ladder, &soon), cluster }
        });
        let density = ladder.map(|ladder| shards.density(ladder, until, &soon));
        let text = self.state.report(&near, far.as_ref(), self.saturated.len(), density);
        let _ = peer.set_nonblocking(false);
        let _ = peer.set_write_timeout(Some(OF_USE));
        let _ = peer.write_all(text.as_bytes());
    }

    /// Four bytes, for which there is room; a client that has disconnected does not need them.
    fn send(&self, mut peer: &UnixStream, reply: Reply) {
        if reply.status == Status::Unknown {
            self.state.unknown.fetch_add(1, Relaxed);
        }
        let _ = peer.write_all(&reply.encode());
    }
}

/// Waits for the next job.
fn next<J>(jobs: &Mutex<Receiver<J>>) -> Option<J> {
    jobs.lock().ok()?.recv().ok()
}

/// The height of an element whose rungs are all set.
fn top(request: &Request) -> u8 {
    u8::try_from(request.places.len()).unwrap_or(u8::MAX)
}

fn soon() -> Instant {
    let now = Instant::now();
    now.checked_add(AFTERWARDS).unwrap_or(now)
}

#[cfg(test)]
mod tests;
