//! Requests from the socket. One thread takes connections and reads requests without waiting for any, so
//! that idle ones hold up nobody; workers do them.

mod intake;
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

use nearmiss_filters::ladder::fleet::frame::{Op, Reply, Request, Status};

use self::{
    intake::{Job, Question},
    state::State,
};
use crate::{
    cluster::{Cluster, Connector, Fault},
    config::{Config, ConfigError},
    hot::Hot,
    log,
    shards::{Done, Ladder, Shards},
};

pub use intake::STATUS_BYTES;

/// How long after its request a reply is of use: the client waits 50 ms.
const OF_USE: Duration = Duration::from_millis(45);
/// For what follows a reply, one command.
const AFTERWARDS: Duration = Duration::from_millis(60);
/// Requests that wait for a worker.
const QUEUE: usize = 256;

/// The agent: what its workers share.
struct Agent {
    cluster: Cluster,
    hot: Hot,
    state: State,
    log: log::Log,
}

/// Serves the socket for ever.
///
/// # Errors
/// The configuration's files cannot be read, or the system gives no thread.
pub fn serve(listener: &UnixListener, config: &Config) -> Result<(), ServeError> {
    let connector = Connector::new(config).map_err(ServeError::Config)?;
    let hot = Hot::new(config.hot_elements, Duration::from_secs(config.hot_seconds));
    let cluster = Cluster::new(connector, config.nodes.clone());
    let agent = Arc::new(Agent { cluster, hot, state: State::default(), log: log::Log::default() });
    let (to_workers, jobs) = sync_channel(QUEUE);
    let jobs = Arc::new(Mutex::new(jobs));
    for number in 0..config.workers {
        let (agent, jobs) = (Arc::clone(&agent), Arc::clone(&jobs));
        let work = move || agent.work(&jobs);
        thread::Builder::new().name(format!("worker {number}")).spawn(work).map_err(ServeError::System)?;
    }
    intake::run(listener, &to_workers).map_err(ServeError::System)
}

/// Why the agent cannot go on.
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

impl Agent {
    fn work(&self, jobs: &Mutex<Receiver<Job>>) {
        let mut shards = Shards::new(&self.cluster, &self.state.made);
        loop {
            let job = jobs.lock().ok().and_then(|jobs| jobs.recv().ok());
            let Some(Job { peer, arrived, question }) = job else { return };
            match question {
                Question::Element(request) => self.element(&mut shards, peer, arrived, &request),
                Question::State(ladder) => self.report(&mut shards, peer, ladder),
                Question::Unknown => self.send(peer, Reply::without(Status::Unknown)),
            }
        }
    }

    fn element(&self, shards: &mut Shards<'_>, peer: UnixStream, arrived: Instant, request: &Request) {
        let end = arrived.checked_add(OF_USE).unwrap_or(arrived);
        if Instant::now() >= end {
            // Whoever asked has gone; to do it now would hold up the next ones.
            self.state.late.fetch_add(1, Relaxed);
            return;
        }
        let is_hot = self.hot.has(request, Instant::now());
        let top = u8::try_from(request.places.len()).unwrap_or(u8::MAX);
        let done = if is_hot {
            self.state.hot.fetch_add(1, Relaxed);
            Ok(Done { height: top, is_counted: request.op != Op::Height })
        } else {
            shards.answer(request, end)
        };
        match done {
            Ok(done) => {
                let Done { height, is_counted } = done;
                self.send(peer, Reply { status: Status::Done, height, is_counted });
                if height == top && !is_hot {
                    self.hot.add(request, Instant::now());
                }
                self.finish(shards, request, done);
            }
            Err(fault) => {
                self.send(peer, Reply::without(Status::Unavailable));
                self.note(&fault);
            }
        }
    }

    fn finish(&self, shards: &mut Shards<'_>, request: &Request, done: Done) {
        self.state.answered.fetch_add(1, Relaxed);
        if done.is_counted {
            self.state.counted.fetch_add(1, Relaxed);
            shards.stir(request, done.height, soon);
        }
    }

    fn note(&self, fault: &Fault) {
        self.state.unavailable.fetch_add(1, Relaxed);
        let words = fault.words();
        self.log.warn("unavailable", &format_args!("a request could not be done: {words}"));
    }

    fn report(&self, shards: &mut Shards<'_>, mut peer: UnixStream, ladder: Option<Ladder>) {
        let density = ladder.map(|ladder| shards.density(ladder, &soon));
        let text = self.state.report(&self.cluster, self.hot.len(), density);
        let _ = peer.set_nonblocking(false);
        let _ = peer.set_write_timeout(Some(OF_USE));
        let _ = peer.write_all(text.as_bytes());
    }

    /// Four bytes, for which there is room; where the client has gone, nobody is there to miss them.
    fn send(&self, mut peer: UnixStream, reply: Reply) {
        if reply.status == Status::Unknown {
            self.state.unknown.fetch_add(1, Relaxed);
        }
        let _ = peer.write_all(&reply.encode());
    }
}

fn soon() -> Instant {
    let now = Instant::now();
    now.checked_add(AFTERWARDS).unwrap_or(now)
}
