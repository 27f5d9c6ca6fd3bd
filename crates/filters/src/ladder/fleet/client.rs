//! The module's side of the agent's socket: one request under one deadline.
//!
//! Nothing of it waits for a network: an agent that is not there is known from the connection, one that hangs
//! by the deadline, and then it is left alone for a second. What goes wrong is remembered for the log and is
//! never an error of a user, but for what the user can bring about: a limit on descriptors or memory, an
//! agent that hangs up, as it does on a program that was stopped before it sent its request, and, where a
//! password is changed, a reply that is late: whoever keeps the processors busy makes it late. Such a request
//! is sent again for two seconds.

use std::{
    io,
    os::fd::OwnedFd,
    path::PathBuf,
    sync::atomic::{AtomicI32, AtomicU64, Ordering::Relaxed},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{AtFlags, CWD, Stat, statat},
    io::Errno,
    net::{
        AddressFamily, RecvFlags, SendFlags, SocketAddrUnix, SocketFlags, SocketType, connect, recv, send,
        socket_with,
    },
    process::geteuid,
    time::{ClockId, clock_gettime},
};

use super::frame::{REPLY_BYTES, Reply, Request, Status};
use crate::storage::above_standard;

/// Milliseconds for a reply, from the moment when the request is with the agent.
const DEADLINE: u64 = 50;
/// How often an agent is asked that hangs up.
const ATTEMPTS: usize = 4;
/// Milliseconds for which an agent that failed is not asked again.
const REST: u64 = 1000;
/// Milliseconds for which a change of a password sends its requests again while replies are late.
const CHANGE: u64 = 2000;
/// Milliseconds from one of these requests to the next.
const PAUSE: u64 = 50;
/// What nobody but its owner may do with the socket's folder.
const OTHERS_WRITE: u32 = 0o022;

/// When a reply is acted on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pace {
    /// As soon as it is there.
    Soon,
    /// Not before the deadline.
    Even,
}

/// The agent of this host, behind its socket.
#[derive(Debug)]
pub struct Agent {
    socket: PathBuf,
    /// Milliseconds for a reply.
    patience: u64,
    /// Milliseconds for all requests of a change.
    change: u64,
    /// The number of the last error, 0 for none.
    trouble: AtomicI32,
    /// When the agent may be asked again, by the clock that only goes forward.
    again_at: AtomicU64,
    /// When a change whose replies are late is refused, by the same clock.
    change_ends: AtomicU64,
}

impl Agent {
    /// The agent that listens there.
    pub const fn new(socket: PathBuf) -> Agent {
        Agent {
            socket,
            patience: DEADLINE,
            change: CHANGE,
            trouble: AtomicI32::new(0),
            again_at: AtomicU64::new(0),
            change_ends: AtomicU64::new(0),
        }
    }

    /// Whether somebody listens, without asking anything: what costs much is not computed for nobody. Whose
    /// queue is full listens.
    ///
    /// # Errors
    /// As [`Agent::ask`].
    pub fn listens(&self) -> io::Result<bool> {
        let connected = match self.connected() {
            Ok(_) | Err(Errno::AGAIN) => Ok(Reply::without(Status::Done)),
            Err(error) => Err(error),
        };
        self.judged(connected).map(|reply| reply.is_some())
    }

    /// The reply to a request, within 50 ms; none if there is no agent, no legal reply, or no store behind
    /// it. A reply that is [`Status::Late`] has the height that is known.
    ///
    /// # Errors
    /// What the caller of a setuid program can bring about: no descriptor, no memory, an agent that hung up
    /// each time that it was asked.
    pub fn ask(&self, request: &Request) -> io::Result<Option<Reply>> {
        self.ask_at(request, Pace::Soon)
    }

    /// The same after 50 ms, whatever the reply is and whenever it came: the time says nothing of it.
    ///
    /// # Errors
    /// As [`Agent::ask`].
    pub fn ask_evenly(&self, request: &Request) -> io::Result<Option<Reply>> {
        self.ask_at(request, Pace::Even)
    }

    /// The same for a change of a password. Where the reply is late, or the agent turns the request away, it
    /// is sent again, each time with a fresh deadline, for two seconds in all requests of the change. A
    /// height of `enough` is taken, whatever else is late.
    ///
    /// # Errors
    /// As [`Agent::ask`], and a reply that is late for so long: the caller can keep the processors busy. A
    /// store that is away is no such error.
    pub fn ask_patiently(&self, request: &Request, enough: u32) -> io::Result<Option<Reply>> {
        match self.ask_until_in_time(request, enough) {
            Err(error) if is_late(error) => Err(error.into()),
            answered => self.judged(answered),
        }
    }

    /// What went wrong last, once: for the log.
    pub fn trouble(&self) -> Option<io::Error> {
        match self.trouble.swap(0, Relaxed) {
            0 => None,
            number => Some(io::Error::from_raw_os_error(number)),
        }
    }

    /// Where it listens.
    pub fn socket(&self) -> &PathBuf {
        &self.socket
    }

    fn ask_at(&self, request: &Request, pace: Pace) -> io::Result<Option<Reply>> {
        if self.is_resting() {
            return Ok(None);
        }
        self.judged(self.ask_again(request, pace))
    }

    /// Whether it failed a moment ago.
    pub(super) fn is_resting(&self) -> bool {
        now() < self.again_at.load(Relaxed)
    }

    /// Never rests: an agent that is not there costs nothing, and one that was late is what this waits for.
    fn ask_until_in_time(&self, request: &Request, enough: u32) -> Result<Reply, Errno> {
        let end = self.end_of_change();
        loop {
            let next = now().saturating_add(PAUSE);
            match self.ask_again(request, Pace::Soon) {
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

    /// When the change that is being made is refused: the requests of one change share their time.
    fn end_of_change(&self) -> u64 {
        let (now, known) = (now(), self.change_ends.load(Relaxed));
        if now < known.saturating_add(REST) {
            return known;
        }
        let end = now.saturating_add(self.change);
        self.change_ends.store(end, Relaxed);
        end
    }

    /// What a reply, or the lack of one, means for the caller.
    fn judged(&self, reply: Result<Reply, Errno>) -> io::Result<Option<Reply>> {
        match reply {
            // The agent is well, and counts what it turns away.
            Ok(Reply { status: Status::TurnedAway, .. }) => Ok(None),
            Ok(reply) => Ok(Some(reply)),
            Err(error) if is_of_caller(error) => Err(error.into()),
            // The agent is well, and reports in the log what is wrong with the store.
            Err(Errno::HOSTUNREACH) => Ok(None),
            Err(error) => {
                self.trouble.store(error.raw_os_error(), Relaxed);
                self.again_at.store(now().saturating_add(REST), Relaxed);
                Ok(None)
            }
        }
    }

    /// Asks again, with a fresh deadline, where the agent hung up. It does so where a request does not come,
    /// and whoever starts `passwd` can stop it between connection and request as often as they like. An agent
    /// that was ended has hung up, too: the next connection shows that it is not there.
    fn ask_again(&self, request: &Request, pace: Pace) -> Result<Reply, Errno> {
        let mut replies = (0..ATTEMPTS).map(|_| self.ask_once(request, pace));
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

    /// Root, or this process's own user, made the socket, and nobody else can put another in its place. Who
    /// listens is not asked of the kernel: the safe call for it takes the number of the listener's process
    /// for positive, and there is none if the agent is in another PID namespace, as from a container.
    fn check_owners(&self) -> Result<(), Errno> {
        let folder = self.socket.parent().ok_or(Errno::NOENT)?;
        let [folder, socket] =
            [statat(CWD, folder, AtFlags::empty())?, statat(CWD, &self.socket, AtFlags::SYMLINK_NOFOLLOW)?];
        let is_ours = |of: &Stat| of.st_uid == 0 || of.st_uid == geteuid().as_raw();
        let is_closed = folder.st_mode & OTHERS_WRITE == 0;
        if is_closed && is_ours(&folder) && is_ours(&socket) { Ok(()) } else { Err(Errno::PERM) }
    }

    fn ask_once(&self, request: &Request, pace: Pace) -> Result<Reply, Errno> {
        let socket = self.connected()?;
        let bytes = request.encode();
        // At most 272 bytes, for which an empty buffer has room.
        if send(&socket, &bytes, SendFlags::NOSIGNAL)? != bytes.len() {
            return Err(Errno::PIPE);
        }
        // From here on the agent has all it needs, and time in which this process is stopped is the agent's.
        let end = now().saturating_add(self.patience);
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

/// No reply by the deadline, or nobody took the connection: load can be the cause.
fn is_late(error: Errno) -> bool {
    matches!(error, Errno::TIMEDOUT | Errno::AGAIN)
}

/// All is known that could change what a height means.
fn is_whole(reply: Reply, enough: u32) -> bool {
    match reply.status {
        Status::Late | Status::TurnedAway => {
            reply.status == Status::Late && u32::from(reply.height) >= enough
        }
        Status::Done | Status::Unavailable | Status::Unknown => true,
    }
}

/// What whoever starts a setuid program can bring about: no way past the fleet.
fn is_of_caller(error: Errno) -> bool {
    has_hung_up(error) || matches!(error, Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::NOBUFS)
}

/// Receives a reply until the deadline. It is looked for once more after that: a caller that stops the
/// program meanwhile does not come past the fleet.
fn received(socket: &OwnedFd, end: u64) -> Result<[u8; REPLY_BYTES], Errno> {
    let (mut reply, mut count) = ([0; REPLY_BYTES], 0);
    loop {
        let left = end.saturating_sub(now());
        match wait(socket, left) {
            Err(Errno::INTR) => continue,
            waited => waited?,
        }
        let rest = reply.get_mut(count..).unwrap_or_default();
        match recv(socket, rest, RecvFlags::empty()) {
            Ok((_, 0)) => return Err(Errno::CONNRESET),
            Ok((_, more)) => count = count.saturating_add(more),
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(error) => return Err(error),
        }
        if count >= REPLY_BYTES {
            return Ok(reply);
        }
        if left == 0 {
            return Err(Errno::TIMEDOUT);
        }
    }
}

fn wait(socket: &OwnedFd, milliseconds: u64) -> Result<(), Errno> {
    poll(&mut [PollFd::new(socket, PollFlags::IN)], Some(&time(milliseconds))).map(drop)
}

/// Does nothing until the deadline.
fn rest_until(end: u64) {
    while let left @ 1.. = end.saturating_sub(now()) {
        // A signal ends it early.
        let _ = poll(&mut [], Some(&time(left)));
    }
}

/// At most 50 ms.
fn time(milliseconds: u64) -> Timespec {
    let nanoseconds = milliseconds.min(DEADLINE).saturating_mul(1_000_000);
    Timespec { tv_sec: 0, tv_nsec: nanoseconds.try_into().unwrap_or(0) }
}

/// Milliseconds of a clock that nobody sets.
fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    let [seconds, nanoseconds] = [time.tv_sec, time.tv_nsec].map(|part| u64::try_from(part).unwrap_or(0));
    seconds.saturating_mul(1000).saturating_add(nanoseconds / 1_000_000)
}

#[cfg(test)]
mod tests;
