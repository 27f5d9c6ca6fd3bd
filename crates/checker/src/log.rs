//! Lines of a plugin in the system log, as AUTHPRIV.
//!
//! syslog(3) holds a lock of libc, which is held forever in a child that is forked while another thread logs.
//! Nothing here takes a lock: each line uses its own socket.

use std::{
    env,
    io::{self, Write},
    os::unix::net::UnixDatagram,
    process,
    time::Duration,
};

use nearmiss_filters::storage::StandardTaken;
use syslog::{Error, Facility, LogFormat, Logger, LoggerBackend, Severity};

/// The socket of every system log (syslog(3)).
const LOG: &str = "/dev/log";
/// The longest wait for a log that is full.
const LONGEST: Duration = Duration::from_secs(1);
/// The number of characters of the program's name.
const NAME: usize = 48;

/// Logs an error that needs attention.
pub fn critical(line: &str) {
    let _ = sent(|log| log.crit(line));
}

/// Logs a notice.
pub fn notice(line: &str) {
    let _ = sent(|log| log.notice(line));
}

fn sent(send: impl FnOnce(&mut Logger<LoggerBackend, LoggedName>) -> Result<(), Error>) -> Result<(), Error> {
    // A program may have closed its descriptors 0 to 2; output of others to them must not go to the log.
    let _taken = StandardTaken::take();
    let connected = || -> io::Result<UnixDatagram> {
        let socket = UnixDatagram::unbound()?;
        socket.set_write_timeout(Some(LONGEST))?;
        socket.connect(LOG)?;
        Ok(socket)
    };
    let socket = connected().map_err(Error::Write)?;
    send(&mut Logger::new(LoggerBackend::Unix(socket), LoggedName))
}

/// The format of syslog(3) without a time, which the log adds itself.
struct LoggedName;

impl LogFormat<&str> for LoggedName {
    fn format<W: Write>(&self, out: &mut W, severity: Severity, line: &str) -> Result<(), Error> {
        let priority = Facility::LOG_AUTHPRIV as u8 | severity as u8;
        write!(out, "<{priority}>{}[{}]: {line}", program(), process::id()).map_err(Error::Write)
    }
}

/// The name of the program that loaded the plugin.
fn program() -> String {
    let path = env::current_exe().unwrap_or_default();
    let name = path.file_name().unwrap_or("nearmiss".as_ref()).to_string_lossy();
    name.chars().take(NAME).map(|letter| if letter.is_ascii_graphic() { letter } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_datagram_with_facility_severity_program_and_text() {
        let (sender, receiver) = UnixDatagram::pair().unwrap();
        let mut log = Logger::new(LoggerBackend::Unix(sender), LoggedName);
        log.notice("one").unwrap();
        log.crit("two").unwrap();
        for (priority, text) in [(85, "one"), (82, "two")] {
            let mut line = [0; 200];
            let length = receiver.recv(&mut line).unwrap();
            let wanted = format!("<{priority}>{}[{}]: {text}", program(), process::id());
            assert_eq!(String::from_utf8_lossy(&line[..length]), wanted);
        }
        assert!(program().starts_with("nearmiss_checker"), "{}", program());
    }
}
