//! The module's side of the agent's socket: one request under one deadline.
//!
//! Nothing of it waits for a network: an agent that is not there is known from the connection, one that hangs
//! by the deadline, and then it is left alone for a second. What goes wrong is remembered for the log and is
//! never an error of a user, but for what the user can bring about: a limit on descriptors or memory.

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

/// Milliseconds for connection, request and reply together.
const DEADLINE: u64 = 50;
/// Milliseconds for which an agent that failed is not asked again.
const REST: u64 = 1000;
/// What nobody but its owner may do with the socket's folder.
const OTHERS_WRITE: u32 = 0o022;

/// The agent of this host, behind its socket.
#[derive(Debug)]
pub struct Agent {
    socket: PathBuf,
    /// The number of the last error, 0 for none.
    trouble: AtomicI32,
    /// When the agent may be asked again, by the clock that only goes forward.
    again_at: AtomicU64,
}

impl Agent {
    /// The agent that listens there.
    pub const fn new(socket: PathBuf) -> Agent {
        Agent { socket, trouble: AtomicI32::new(0), again_at: AtomicU64::new(0) }
    }

    /// Whether somebody listens, without asking anything: what costs much is not computed for nobody.
    ///
    /// # Errors
    /// As [`Agent::ask`].
    pub fn listens(&self) -> io::Result<bool> {
        self.reply(None).map(|reply| reply.is_some())
    }

    /// The reply to a request, within 50 ms; none if there is no agent, no legal reply, or no store behind
    /// it.
    ///
    /// # Errors
    /// What the caller of a setuid program can bring about: no descriptor, no memory.
    pub fn ask(&self, request: &Request) -> io::Result<Option<Reply>> {
        self.reply(Some(request))
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

    fn reply(&self, request: Option<&Request>) -> io::Result<Option<Reply>> {
        if now() < self.again_at.load(Relaxed) {
            return Ok(None);
        }
        match self.try_ask(request) {
            Ok(reply) => Ok(Some(reply)),
            Err(error @ (Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::NOBUFS)) => Err(error.into()),
            // The agent is well, and reports in the log what is wrong with the store.
            Err(Errno::HOSTUNREACH) => Ok(None),
            Err(error) => {
                self.trouble.store(error.raw_os_error(), Relaxed);
                self.again_at.store(now().saturating_add(REST), Relaxed);
                Ok(None)
            }
        }
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

    fn try_ask(&self, request: Option<&Request>) -> Result<Reply, Errno> {
        let end = now().saturating_add(DEADLINE);
        let socket = self.connected()?;
        let Some(request) = request else { return Ok(Reply::without(Status::Done)) };
        let bytes = request.encode();
        // At most 272 bytes, for which an empty buffer has room.
        if send(&socket, &bytes, SendFlags::NOSIGNAL)? != bytes.len() {
            return Err(Errno::PIPE);
        }
        let reply = received(&socket, end)?;
        let rungs = u32::try_from(request.places.len()).unwrap_or(0);
        let reply = Reply::decode(reply, rungs).ok_or(Errno::PROTO)?;
        match reply.status {
            Status::Done => Ok(reply),
            Status::Unavailable => Err(Errno::HOSTUNREACH),
            Status::Unknown => Err(Errno::PROTONOSUPPORT),
        }
    }
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
    // At most the deadline: 50.
    let nanoseconds = milliseconds.saturating_mul(1_000_000).try_into().unwrap_or(0);
    let timeout = Timespec { tv_sec: 0, tv_nsec: nanoseconds };
    poll(&mut [PollFd::new(socket, PollFlags::IN)], Some(&timeout)).map(drop)
}

/// Milliseconds of a clock that nobody sets.
fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    let [seconds, nanoseconds] = [time.tv_sec, time.tv_nsec].map(|part| u64::try_from(part).unwrap_or(0));
    seconds.saturating_mul(1000).saturating_add(nanoseconds / 1_000_000)
}

#[cfg(test)]
mod tests;
