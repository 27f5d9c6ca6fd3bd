//! The module's side of the agent's socket: one request under one deadline.
//!
//! It never waits for a network: a missing agent is detected by the connection, one that hangs by the
//! deadline, and then it is not queried for a second. A failure is stored for the log and never affects a
//! user, except for failures that the user can provoke: a limit on descriptors or memory, an agent that
//! closes the connection, as it does if the program was suspended before it sent its request, and, for a
//! password change, a late reply, which a user can cause by load on the processors. Such a request is sent
//! again for two seconds.

mod deadline;
mod trust;

use std::{
    io,
    os::fd::OwnedFd,
    path::PathBuf,
    sync::atomic::{AtomicI32, AtomicU64, Ordering::Relaxed},
};

use rustix::{
    io::Errno,
    net::{AddressFamily, SendFlags, SocketAddrUnix, SocketFlags, SocketType, connect, send, socket_with},
};

pub use self::trust::{untrusted, untrusted_folder};
use self::{
    deadline::{DEADLINE, now, received, rest_until},
    trust::broken_rule,
};
use super::frame::{Reply, Request, Status};
use crate::storage::above_standard;

/// The number of attempts if the agent closes the connection.
const ATTEMPTS: usize = 4;
/// Milliseconds for which an agent that failed is not queried again.
const REST: u64 = 1000;
/// Milliseconds for which a change of a password sends its requests again while replies are late.
const CHANGE: u64 = 2000;
/// Milliseconds from one of these requests to the next.
const PAUSE: u64 = 50;

/// The time at which a reply is returned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pace {
    /// As soon as it arrives.
    Soon,
    /// Not before the deadline.
    Even,
}

/// The agent of this host, by its socket.
#[derive(Debug)]
pub struct Agent {
    socket: PathBuf,
    /// Milliseconds for a reply.
    timeout: u64,
    /// Milliseconds for all requests of a change.
    change: u64,
    /// The number of the last error, 0 for none.
    trouble: AtomicI32,
    /// The time from which the agent may be queried again, by the monotonic clock.
    again_at: AtomicU64,
    /// The time at which a change with late replies is refused, by the same clock.
    change_ends: AtomicU64,
}

impl Agent {
    /// The agent that listens on this socket.
    pub const fn new(socket: PathBuf) -> Agent {
        Agent {
            socket,
            timeout: DEADLINE,
            change: CHANGE,
            trouble: AtomicI32::new(0),
            again_at: AtomicU64::new(0),
            change_ends: AtomicU64::new(0),
        }
    }

    /// True if an agent is listening, without a request: a slow hash is not computed in vain. An agent with a
    /// full queue counts as listening.
    ///
    /// # Errors
    /// As [`Agent::request`].
    pub fn listens(&self) -> io::Result<bool> {
        let connected = match self.connected() {
            Ok(_) | Err(Errno::AGAIN) => Ok(Reply::without(Status::Done)),
            Err(error) => Err(error),
        };
        self.judged(connected).map(|reply| reply.is_some())
    }

    /// The reply to a request, within 50 ms; none without an agent, a valid reply, or a store behind it. A
    /// reply that is [`Status::Late`] contains the known height.
    ///
    /// # Errors
    /// Failures that the caller of a setuid program can provoke: no descriptor, no memory, an agent that
    /// closed the connection at every attempt.
    pub fn request(&self, request: &Request) -> io::Result<Option<Reply>> {
        self.with_backoff(request, Pace::Soon)
    }

    /// The same, but always after 50 ms: the time reveals nothing about the reply.
    ///
    /// # Errors
    /// As [`Agent::request`].
    pub fn request_padded(&self, request: &Request) -> io::Result<Option<Reply>> {
        self.with_backoff(request, Pace::Even)
    }

    /// The same for a change of a password. If the reply is late, or the agent is overloaded, the request is
    /// sent again, each time with a fresh deadline, for two seconds in all requests of the change. A height
    /// of `enough` is accepted even if another reply is late.
    ///
    /// # Errors
    /// As [`Agent::request`], and a reply that is later than that: the caller can keep the processors busy.
    /// An unreachable store is not such an error.
    pub fn request_until_in_time(&self, request: &Request, enough: u32) -> io::Result<Option<Reply>> {
        match self.with_renewed_deadlines(request, enough) {
            Err(error) if is_late(error) => Err(error.into()),
            answered => self.judged(answered),
        }
    }

    /// The last failure, once, for the log.
    pub fn trouble(&self) -> Option<io::Error> {
        match self.trouble.swap(0, Relaxed) {
            0 => None,
            number => Some(io::Error::from_raw_os_error(number)),
        }
    }

    /// The path of its socket.
    pub fn socket(&self) -> &PathBuf {
        &self.socket
    }

    fn with_backoff(&self, request: &Request, pace: Pace) -> io::Result<Option<Reply>> {
        if self.is_resting() {
            return Ok(None);
        }
        self.judged(self.with_retry(request, pace))
    }

    /// True if it failed recently.
    pub(super) fn is_resting(&self) -> bool {
        now() < self.again_at.load(Relaxed)
    }

    /// Never pauses after a failure: a missing agent costs nothing, and a late one is worth waiting for.
    fn with_renewed_deadlines(&self, request: &Request, enough: u32) -> Result<Reply, Errno> {
        let end = self.end_of_change();
        loop {
            let next = now().saturating_add(PAUSE);
            match self.with_retry(request, Pace::Soon) {
                Ok(reply) if is_whole(reply, enough) => return Ok(reply),
                Err(error) if !is_late(error) => return Err(error),
                _ => {}
            }
            if now() >= end {
                return Err(Errno::TIMEDOUT);
            }
            rest_until(next.min(end));
        }
    }

    /// The time at which the current change is refused: the requests of one change share it.
    fn end_of_change(&self) -> u64 {
        let (now, known) = (now(), self.change_ends.load(Relaxed));
        if now < known.saturating_add(REST) {
            return known;
        }
        let end = now.saturating_add(self.change);
        self.change_ends.store(end, Relaxed);
        end
    }

    /// The result for the caller of a reply, or of its absence.
    fn judged(&self, reply: Result<Reply, Errno>) -> io::Result<Option<Reply>> {
        match reply {
            // The agent works, and counts the requests that it turns away.
            Ok(Reply { status: Status::TurnedAway, .. }) => Ok(None),
            Ok(reply) => Ok(Some(reply)),
            Err(error) if is_of_caller(error) => Err(error.into()),
            // The agent works, and logs the errors of the store.
            Err(Errno::HOSTUNREACH) => Ok(None),
            Err(error) => {
                self.trouble.store(error.raw_os_error(), Relaxed);
                self.again_at.store(now().saturating_add(REST), Relaxed);
                Ok(None)
            }
        }
    }

    /// Repeats the request with a fresh deadline if the agent closed the connection. It does so if no request
    /// arrives, and a user who starts `passwd` can suspend it between connection and request any number of
    /// times. An agent that was terminated has closed the connection, too: the next attempt shows that it is
    /// gone.
    fn with_retry(&self, request: &Request, pace: Pace) -> Result<Reply, Errno> {
        let mut replies = (0..ATTEMPTS).map(|_| self.round_trip(request, pace));
        let is_heard = |reply: &Result<Reply, Errno>| !reply.is_err_and(has_hung_up);
        replies.find(is_heard).unwrap_or(Err(Errno::CONNRESET))
    }

    /// A connection to the socket. Nothing waits here: a queue that is full is an error.
    fn connected(&self) -> Result<OwnedFd, Errno> {
        self.check_owners()?;
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        let socket = above_standard(socket).map_err(|_| Errno::MFILE)?;
        connect(&socket, &SocketAddrUnix::new(&self.socket)?)?;
        Ok(socket)
    }

    /// The kernel is not queried for the listening process: the safe call for that assumes a positive process
    /// number, and there is none if the agent is in another PID namespace, for instance that of a container.
    fn check_owners(&self) -> Result<(), Errno> {
        if broken_rule(&self.socket)?.is_some() { Err(Errno::PERM) } else { Ok(()) }
    }

    fn round_trip(&self, request: &Request, pace: Pace) -> Result<Reply, Errno> {
        let socket = self.connected()?;
        let bytes = request.encode();
        // At most 272 bytes, for which an empty buffer has room.
        if send(&socket, &bytes, SendFlags::NOSIGNAL)? != bytes.len() {
            return Err(Errno::PIPE);
        }
        // From here on the agent has the whole request, and time during which this process is suspended
        // counts for the agent.
        let end = now().saturating_add(self.timeout);
        let reply = received(&socket, end);
        if pace == Pace::Even {
            rest_until(end);
        }
        let rungs = u32::try_from(request.places.len()).unwrap_or(0);
        let reply = Reply::decode(reply?, rungs).ok_or(Errno::PROTO)?;
        match reply.status {
            Status::Done | Status::Late | Status::TurnedAway => Ok(reply),
            Status::Unavailable => Err(Errno::HOSTUNREACH),
            Status::Unknown => Err(Errno::PROTONOSUPPORT),
        }
    }
}

/// The agent closed the connection before it replied.
fn has_hung_up(error: Errno) -> bool {
    matches!(error, Errno::CONNRESET | Errno::PIPE)
}

/// No reply by the deadline, or the connection was not accepted: load can be the cause.
fn is_late(error: Errno) -> bool {
    matches!(error, Errno::TIMEDOUT | Errno::AGAIN)
}

/// True if no outstanding reply could change the meaning of the height.
fn is_whole(reply: Reply, enough: u32) -> bool {
    match reply.status {
        Status::Late | Status::TurnedAway => {
            reply.status == Status::Late && u32::from(reply.height) >= enough
        }
        Status::Done | Status::Unavailable | Status::Unknown => true,
    }
}

/// Errors that a user who starts a setuid program can provoke: they must not bypass the fleet.
fn is_of_caller(error: Errno) -> bool {
    has_hung_up(error) || matches!(error, Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::NOBUFS)
}

#[cfg(test)]
mod tests;
