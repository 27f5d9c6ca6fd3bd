//! Waiting for a reply until a deadline, in milliseconds of the monotonic clock.

use std::os::fd::OwnedFd;

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    net::{RecvFlags, recv},
    time::{ClockId, clock_gettime},
};

use crate::ladder::fleet::frame::REPLY_BYTES;

/// Milliseconds for a reply, after the agent has received the request.
pub(super) const DEADLINE: u64 = 50;

/// Receives a reply until the deadline. It is read once more after that, so that suspending the program
/// meanwhile does not bypass the fleet.
pub(super) fn received(socket: &OwnedFd, end: u64) -> Result<[u8; REPLY_BYTES], Errno> {
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

/// Waits until the deadline.
pub(super) fn rest_until(end: u64) {
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

/// Milliseconds of the monotonic clock.
pub(super) fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    let [seconds, nanoseconds] = [time.tv_sec, time.tv_nsec].map(|part| u64::try_from(part).unwrap_or(0));
    seconds.saturating_mul(1000).saturating_add(nanoseconds / 1_000_000)
}
