//! Changes are logged, as AUTHPRIV: a filter that decides on passwords was built or replaced, could not be,
//! or is damaged.
//!
//! A command does not fail if the system has no log, and does not wait if the log is full.

use std::{
    io::{self, Write},
    os::unix::net::UnixDatagram,
};

use syslog::{Error, Facility, LogFormat, Logger, LoggerBackend, Severity};

/// The socket of every system log (syslog(3)).
const LOG: &str = "/dev/log";

/// Logs a change.
pub(crate) fn changed(message: &str) {
    let _ = open().and_then(|mut log| log.notice(message));
}

/// Logs a problem.
pub(crate) fn warning(message: &str) {
    let _ = open().and_then(|mut log| log.warning(message));
}

fn open() -> Result<Logger<LoggerBackend, Untimed>, Error> {
    let connected = || -> io::Result<UnixDatagram> {
        let socket = UnixDatagram::unbound()?;
        socket.set_nonblocking(true)?;
        socket.connect(LOG)?;
        Ok(socket)
    };
    connected().map(|socket| Logger::new(LoggerBackend::Unix(socket), Untimed)).map_err(Error::Write)
}

/// The form of syslog(3) without a time: the log has the time itself, and the crate knows that of UTC alone,
/// which some logs would take for the local one.
struct Untimed;

impl LogFormat<&str> for Untimed {
    fn format<W: Write>(&self, out: &mut W, severity: Severity, message: &str) -> Result<(), Error> {
        let priority = Facility::LOG_AUTHPRIV as u8 | severity as u8;
        write!(out, "<{priority}>filterctl[{}]: {message}", std::process::id()).map_err(Error::Write)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_facility_severity_program_and_text() {
        for (severity, priority) in [(Severity::LOG_NOTICE, 85), (Severity::LOG_WARNING, 84)] {
            let mut line = Vec::new();
            Untimed.format(&mut line, severity, "updated /f: 3 words").unwrap();
            let wanted = format!("<{priority}>filterctl[{}]: updated /f: 3 words", std::process::id());
            assert_eq!(String::from_utf8(line).unwrap(), wanted);
        }
    }

    #[test]
    fn a_line_is_one_datagram() {
        let (sender, receiver) = UnixDatagram::pair().unwrap();
        Logger::new(LoggerBackend::Unix(sender), Untimed).notice("a line").unwrap();
        let mut line = [0; 100];
        let length = receiver.recv(&mut line).unwrap();
        assert!(line[..length].ends_with(b"]: a line"), "{line:?}");
    }
}
