//! The reply of this host's agent on its socket.

use std::{
    io::{self, Read, Write},
    os::unix::net::UnixStream,
    path::Path,
    time::{Duration, Instant},
};

use nearmiss_filters::ladder::{
    Header,
    fleet::frame::{HEAD_BYTES, STATUS_BYTES},
};
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with,
    sockopt::{Timeout, set_socket_timeout},
};
use serde_json::Value;

/// The agent's timeout: it reads 16 pages of the store.
const TIMEOUT: Duration = Duration::from_secs(3);
/// The longest reply.
const MAX_BYTES: usize = 1 << 20;

/// The agent's report on itself and one ladder.
pub(crate) fn ask(socket: &Path, ladder: Option<&Header>) -> io::Result<Value> {
    let log_bits = ladder.map_or(0, |ladder| ladder.params.bits().trailing_zeros());
    let [a, b, c, d, ..] = ladder.map_or([0; 16], |ladder| ladder.id);
    let [version, act] = STATUS_BYTES;
    let mut request = vec![version, act, 0, u8::try_from(log_bits).unwrap_or(0), a, b, c, d];
    request.resize(HEAD_BYTES, 0);
    let told = replied(socket, &request).map_err(|error| match error.kind() {
        // What the timeout of a socket says.
        io::ErrorKind::WouldBlock => io::Error::from(io::ErrorKind::TimedOut),
        _ => error,
    })?;
    serde_json::from_slice(&told).map_err(|_| io::Error::other("not a reply of an agent"))
}

/// All that the agent sends within the timeout, or the most bytes.
fn replied(path: &Path, request: &[u8]) -> io::Result<Vec<u8>> {
    let until = Instant::now().checked_add(TIMEOUT).ok_or(io::ErrorKind::TimedOut)?;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    // A connection waits where more than the agent can accept do, too.
    set_socket_timeout(&socket, Timeout::Send, Some(TIMEOUT))?;
    connect(&socket, &SocketAddrUnix::new(path)?)?;
    let mut agent = UnixStream::from(socket);
    agent.write_all(request)?;
    let (mut told, mut buffer) = (Vec::new(), [0; 4096]);
    while told.len() < MAX_BYTES {
        let left = until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        agent.set_read_timeout(Some(left))?;
        match agent.read(&mut buffer) {
            Ok(0) => break,
            Ok(_) if Instant::now() > until => return Err(io::ErrorKind::TimedOut.into()),
            Ok(count) => told.extend_from_slice(buffer.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(told)
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn a_reply_is_read_to_its_end_and_no_agent_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent.sock");
        assert_eq!(ask(&path, None).unwrap_err().kind(), io::ErrorKind::NotFound);
        let listener = UnixListener::bind(&path).unwrap();
        let agent = std::thread::spawn(move || {
            let (mut client, _) = listener.accept().unwrap();
            client.read_exact(&mut [0; 16]).unwrap();
            client.write_all(b"{\"seconds\"").unwrap();
            client.write_all(b": 7}").unwrap();
        });
        assert_eq!(ask(&path, None).unwrap()["seconds"], 7);
        agent.join().unwrap();
    }
}
