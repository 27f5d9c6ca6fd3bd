//! What changes is logged, as AUTHPRIV: a filter that decides over passwords was built or replaced.

use std::os::unix::net::UnixDatagram;

/// Where every system log listens (syslog(3)).
const LOG: &str = "/dev/log";

/// Facility AUTHPRIV (10), severity notice (5): RFC 3164, section 4.1.1.
const PRIORITY: u8 = 10 * 8 + 5;

/// Logs one line. A system without a log does not make the change fail, and one whose log is full does not
/// make it wait.
pub(crate) fn changed(message: &str) {
    let line = format!("<{PRIORITY}>filterctl[{}]: {message}", std::process::id());
    if let Ok(socket) = UnixDatagram::unbound() {
        let _ = socket.set_nonblocking(true).and_then(|()| socket.send_to(line.as_bytes(), LOG));
    }
}
