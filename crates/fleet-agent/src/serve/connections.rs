//! Connections to the socket: the check of their user, and their requests, read without waiting.

use std::{
    io::{self, ErrorKind, Read, Write},
    iter,
    os::unix::net::{SocketAddr, UnixListener, UnixStream},
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};

use nearmiss_cli::keys;
use nearmiss_filters::ladder::fleet::frame::{
    HEAD_BYTES, MAX_BYTES, MAX_LOG_BITS, MIN_LOG_BITS, Reply, Request, STATUS_BYTES, Status,
};
use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
};

use super::{
    job::{AgentRequest, Job},
    queue::{Queue, Refusal},
};
use crate::{log::Log, shards::Ladder};

/// The timeout for the request of a connection.
const TIMEOUT: Duration = Duration::from_millis(30);
/// The time for workers to close connections while no more can be opened.
const PAUSE: Duration = Duration::from_millis(10);
/// The highest number of connections without a complete request; the oldest is closed.
const MAX_WAITING: usize = 256;

/// A connection whose request is not complete yet.
struct Waiting {
    peer: UnixStream,
    arrived: Instant,
    bytes: Vec<u8>,
}

/// Accepts connections and passes on complete requests, forever. If the workers are overloaded, a request is
/// turned away, and counted.
pub(super) fn run(
    listener: &UnixListener,
    workers: &Queue,
    turned_away: &AtomicU64,
    log: &Log,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let mut waiting: Vec<Waiting> = Vec::new();
    loop {
        let (is_called, is_ready) = wait(listener, &waiting)?;
        let known = waiting.into_iter().zip(is_ready);
        let (new, lack) = if is_called { accepted(|| listener.accept()) } else { (Vec::new(), None) };
        let now = Instant::now();
        let mut left = Vec::with_capacity(known.len());
        for (connection, is_ready) in known.chain(new.into_iter().map(|connection| (connection, true))) {
            match if is_ready { connection.read(now) } else { connection.unread(now) } {
                ReadProgress::Whole(job) => match workers.add(job) {
                    Ok(()) => {}
                    Err(Refusal::Full(job)) => {
                        turned_away.fetch_add(1, Relaxed);
                        turn_away(&job.peer);
                    }
                    Err(Refusal::Over) => return Err(io::Error::other("every worker has ended")),
                },
                ReadProgress::Part(connection) => left.push(connection),
                ReadProgress::Over => {}
            }
        }
        waiting = newest(left);
        if let Some(lack) = lack {
            make_room(&mut waiting, turned_away);
            let words = format!("a connection cannot be accepted: {lack}");
            log.warn("descriptors", keys::FILE_UNREADABLE, &words);
            thread::sleep(PAUSE);
        }
    }
}

/// Closes the connection that has been idle for longest, for one that waits while no more can be opened. Such
/// a connection stays on the listener, which would be ready at once, again and again.
fn make_room(waiting: &mut Vec<Waiting>, turned_away: &AtomicU64) {
    if !waiting.is_empty() {
        turned_away.fetch_add(1, Relaxed);
        turn_away(&waiting.remove(0).peer);
    }
}

/// What is lacking after a failure of accept(2) that leaves the connection on the listener; none after any
/// other.
fn lack(number: Errno) -> Option<&'static str> {
    match number {
        Errno::MFILE => Some("this process has too many open files; raise LimitNOFILE"),
        Errno::NFILE => Some("the system has too many open files"),
        Errno::NOBUFS | Errno::NOMEM => Some("the system has too little memory"),
        _ => None,
    }
}

/// Replies that the agent is overloaded. Closing the connection would mean that no request arrived.
pub(super) fn turn_away(mut peer: &UnixStream) {
    let _ = peer.write_all(&Reply::without(Status::TurnedAway).encode());
}

/// The newest ones up to the limit, sorted from the oldest. The connection that has been idle for longest is
/// dropped, so that a flood of idle connections does not lock out later ones.
fn newest<T>(mut waiting: Vec<T>) -> Vec<T> {
    waiting.split_off(waiting.len().saturating_sub(MAX_WAITING))
}

/// Waits for events: returns true for new connections, and the others that have sent data, so that idle ones
/// only cost their slot.
fn wait(listener: &UnixListener, waiting: &[Waiting]) -> io::Result<(bool, Vec<bool>)> {
    let peers = waiting.iter().map(|connection| PollFd::new(&connection.peer, PollFlags::IN));
    let mut all: Vec<PollFd<'_>> = peers.chain([PollFd::new(listener, PollFlags::IN)]).collect();
    let oldest = waiting.iter().map(|connection| connection.arrived).min();
    let left = oldest.map(|arrived| TIMEOUT.saturating_sub(arrived.elapsed()));
    // At most 30 ms.
    let timeout = left.map(|left| Timespec { tv_sec: 0, tv_nsec: left.subsec_nanos().into() });
    match poll(&mut all, timeout.as_ref()) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    let mut is_ready: Vec<bool> = all.iter().map(|fd| !fd.revents().is_empty()).collect();
    Ok((is_ready.pop().unwrap_or(false), is_ready))
}

/// New connections of root: a few at a time, so that existing ones are read in between.
/// With what the system or this process lacks for another.
fn accepted(
    mut accept: impl FnMut() -> io::Result<(UnixStream, SocketAddr)>,
) -> (Vec<Waiting>, Option<&'static str>) {
    let is_of_root = |peer: &UnixStream| getsockopt(peer, PeerCredentials).is_ok_and(|peer| peer.uid() == 0);
    let mut lacks = None;
    let next = || match accept() {
        Ok((peer, _)) => Some(peer),
        Err(error) => {
            lacks = Errno::from_io_error(&error).and_then(lack);
            None
        }
    };
    let new = iter::from_fn(next).take(MAX_WAITING);
    let new = new.filter(|peer| is_of_root(peer) && peer.set_nonblocking(true).is_ok());
    (new.map(Waiting::new).collect(), lacks)
}

/// The result of reading from a connection.
enum ReadProgress {
    Whole(Job),
    Part(Waiting),
    Over,
}

impl Waiting {
    fn new(peer: UnixStream) -> Waiting {
        Waiting { peer, arrived: Instant::now(), bytes: Vec::new() }
    }

    fn unread(self, now: Instant) -> ReadProgress {
        let is_over = now.duration_since(self.arrived) >= TIMEOUT;
        if is_over { ReadProgress::Over } else { ReadProgress::Part(self) }
    }

    fn read(mut self, now: Instant) -> ReadProgress {
        let mut buffer = [0; MAX_BYTES + 1];
        match self.peer.read(&mut buffer) {
            Ok(0) => return ReadProgress::Over,
            Ok(count) => self.bytes.extend_from_slice(buffer.get(..count).unwrap_or_default()),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(_) => return ReadProgress::Over,
        }
        match question(&self.bytes) {
            Some(question) => ReadProgress::Whole(Job { peer: self.peer, arrived: self.arrived, question }),
            None => self.unread(now),
        }
    }
}

/// The request in these bytes; none while it is incomplete.
fn question(bytes: &[u8]) -> Option<AgentRequest> {
    let (head, _) = bytes.split_first_chunk::<HEAD_BYTES>()?;
    if head.starts_with(&STATUS_BYTES) {
        return Some(about_state(bytes, head));
    }
    match Request::length(head) {
        Some(length) if bytes.len() < length => None,
        _ => Some(Request::decode(bytes).map_or(AgentRequest::Unknown, AgentRequest::Element)),
    }
}

fn about_state(bytes: &[u8], head: &[u8; HEAD_BYTES]) -> AgentRequest {
    let [_, _, reserved, log_bits, a, b, c, d, rest @ ..] = *head;
    let is_legal = bytes.len() == HEAD_BYTES && reserved == 0 && rest.iter().all(|byte| *byte == 0);
    match log_bits {
        0 if is_legal => AgentRequest::State(None),
        MIN_LOG_BITS..=MAX_LOG_BITS if is_legal => {
            AgentRequest::State(Some(Ladder { tag: [a, b, c, d], log_bits }))
        }
        _ => AgentRequest::Unknown,
    }
}

#[cfg(test)]
mod tests;
