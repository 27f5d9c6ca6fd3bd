//! Whether standard output is open before Rust's runtime starts: the runtime opens `/dev/null` in place of
//! one that is closed, so that every report would be written there with success.
#![allow(unsafe_code, reason = "this is the boundary to what runs before main")]

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use nix::libc;

static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// True if this program was started without standard output.
pub(crate) fn was_output_closed() -> bool {
    WAS_CLOSED.load(Relaxed)
}

extern "C" fn look() {
    // SAFETY: with this command, fcntl(2) takes two numbers and changes nothing.
    let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
    WAS_CLOSED.store(flags == -1, Relaxed);
}

// SAFETY: this section has pointers to functions that libc calls once, before main and with C's convention.
// The function uses nothing of the runtime, which has not started.
#[used]
#[unsafe(link_section = ".init_array")]
static AT_START: extern "C" fn() = look;
