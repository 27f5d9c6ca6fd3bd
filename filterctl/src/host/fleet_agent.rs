//! The reply of this host's agent on its socket.

use std::{
    fmt,
    io::{self, Read, Write},
    os::unix::net::UnixStream,
    path::Path,
    time::{Duration, Instant},
};

use nearmiss_cli::failure::printable;
use nearmiss_filters::{
    keys::{Keyed, MessageKey},
    ladder::{
        Header,
        fleet::{
            frame::{HEAD_BYTES, STATUS_BYTES, STATUS_TIME},
            untrusted,
        },
    },
    storage::{Act, StorageError},
    text::system_reason,
};
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with,
    sockopt::{Timeout, set_socket_timeout},
};
use serde_json::Value;

/// The timeout of a request: what the agent needs at most to ask the store, and a second for its queue.
const TIMEOUT: Duration = STATUS_TIME.saturating_add(Duration::from_secs(1));
/// The longest reply.
const MAX_BYTES: usize = 1 << 20;

/// The reason why there is no report of an agent, by what it means to the module.
#[derive(Debug)]
pub(crate) enum NoReport {
    /// The module does not use this socket: its owner or its folder is not trusted.
    Untrusted(StorageError),
    /// Something takes requests and replies to none: a change of a password is refused.
    Hung(io::Error),
    /// No agent: this host's own ladders decide alone.
    Absent(io::Error),
}

impl fmt::Display for NoReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The module would trust who listens there, if its owner were root.
            NoReport::Untrusted(StorageError { path, act: Act::ForeignOwner, .. }) => {
                write!(f, "not trusted: {} is not owned by root", path.display())
            }
            NoReport::Untrusted(StorageError { path, .. }) => {
                write!(f, "not trusted: {} can be written by others", path.display())
            }
            NoReport::Hung(error) | NoReport::Absent(error) => {
                write!(f, "no reply: {}", system_reason(error))
            }
        }
    }
}

impl std::error::Error for NoReport {}

impl Keyed for NoReport {
    fn key(&self) -> MessageKey {
        match self {
            NoReport::Untrusted(error) => error.key(),
            NoReport::Hung(error) | NoReport::Absent(error) => error.key(),
        }
    }
}

impl From<io::Error> for NoReport {
    /// As the module judges the errors of a connection that it makes for a change of a password.
    fn from(error: io::Error) -> NoReport {
        match error.kind() {
            // What the timeout of a socket says.
            io::ErrorKind::WouldBlock => NoReport::Hung(io::ErrorKind::TimedOut.into()),
            io::ErrorKind::TimedOut
            | io::ErrorKind::UnexpectedEof
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::BrokenPipe => NoReport::Hung(error),
            _ => NoReport::Absent(error),
        }
    }
}

/// The agent's report on itself and one ladder: an object with its counters and at least one node.
///
/// # Errors
/// [`NoReport`].
pub(crate) fn ask(socket: &Path, ladder: Option<&Header>) -> Result<Value, NoReport> {
    ask_within(socket, ladder, TIMEOUT)
}

fn ask_within(socket: &Path, ladder: Option<&Header>, timeout: Duration) -> Result<Value, NoReport> {
    if let Some(rule) = untrusted(socket)? {
        return Err(NoReport::Untrusted(rule));
    }
    let log_bits = ladder.map_or(0, |ladder| ladder.params.bits().trailing_zeros());
    let [a, b, c, d, ..] = ladder.map_or([0; 16], |ladder| ladder.id);
    let [version, act] = STATUS_BYTES;
    let mut request = vec![version, act, 0, u8::try_from(log_bits).unwrap_or(0), a, b, c, d];
    request.resize(HEAD_BYTES, 0);
    let told = replied(socket, &request, timeout)?;
    if told.is_empty() {
        return Err(NoReport::Hung(io::ErrorKind::UnexpectedEof.into()));
    }
    let report = serde_json::from_slice(&told).ok().filter(is_report);
    report.ok_or_else(|| NoReport::Absent(io::Error::other("not a reply of an agent")))
}

/// Every agent has counted its requests, and has a node.
fn is_report(told: &Value) -> bool {
    let has_nodes = told.get("nodes").and_then(Value::as_array).is_some_and(|nodes| !nodes.is_empty());
    has_nodes && told.get("answered").is_some_and(Value::is_u64)
}

/// The nodes of both clusters, with a label for each.
pub(crate) fn nodes(agent: &Value) -> impl Iterator<Item = (&'static str, &Value)> {
    [("node", "nodes"), ("far node", "far_nodes")].into_iter().flat_map(|(site, key)| {
        agent.get(key).and_then(Value::as_array).into_iter().flatten().map(move |node| (site, node))
    })
}

/// The address of a node.
pub(crate) fn name(node: &Value) -> String {
    printable(node.get("node").and_then(Value::as_str).unwrap_or("?"))
}

/// Whether a node did its part when the agent asked it for this report; none if it had no time to ask.
pub(crate) fn serves(node: &Value) -> Option<bool> {
    node.get("serves")?.as_bool()
}

/// Why a node does not do its part, in its own words.
pub(crate) fn trouble(node: &Value) -> String {
    let words = node.get("trouble").and_then(Value::as_str).unwrap_or("no reason given");
    printable(words.trim_end_matches('.'))
}

/// All that the agent sends within the timeout, or the most bytes.
fn replied(path: &Path, request: &[u8], timeout: Duration) -> io::Result<Vec<u8>> {
    let until = Instant::now().checked_add(timeout).ok_or(io::ErrorKind::TimedOut)?;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    // A connection waits where more than the agent can accept do, too.
    set_socket_timeout(&socket, Timeout::Send, Some(timeout))?;
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
    use std::{fs, os::unix::fs::PermissionsExt, os::unix::net::UnixListener, path::PathBuf, thread};

    use super::*;

    /// A socket whose listener serves one connection so, once it has read the request.
    fn socket(serve: impl FnOnce(UnixStream) + Send + 'static) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent.sock");
        let listener = UnixListener::bind(&path).unwrap();
        thread::spawn(move || {
            let (mut client, _) = listener.accept().unwrap();
            client.read_exact(&mut [0; 16]).unwrap();
            serve(client);
        });
        (folder, path)
    }

    #[test]
    fn a_reply_is_read_to_its_end_and_no_agent_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let none = ask(&folder.path().join("agent.sock"), None).unwrap_err();
        assert!(
            matches!(&none, NoReport::Absent(error) if error.kind() == io::ErrorKind::NotFound),
            "{none:?}"
        );
        let (_folder, path) = socket(|mut client| {
            client.write_all(b"{\"answered\"").unwrap();
            client.write_all(b": 7, \"nodes\": [{}]}").unwrap();
        });
        assert_eq!(ask(&path, None).unwrap()["answered"], 7);
    }

    /// The module takes nothing of this for an agent's reply either, and its user can change the password.
    #[test]
    fn what_is_no_report_is_no_agent() {
        for told in
            ["7", "null", "{", "{\"error\":\"x\"}", "{\"answered\":1,\"nodes\":[]}", "{\"nodes\":[1]}"]
        {
            let (_folder, path) = socket(move |mut client| client.write_all(told.as_bytes()).unwrap());
            let none = ask(&path, None).unwrap_err();
            assert!(matches!(none, NoReport::Absent(_)), "{told}: {none:?}");
        }
    }

    /// The module refuses a change of a password in both cases.
    #[test]
    fn who_takes_requests_and_replies_to_none_hangs() {
        let (_folder, path) = socket(drop);
        let none = ask(&path, None).unwrap_err();
        assert!(matches!(none, NoReport::Hung(_)), "it closes the connection: {none:?}");
        let (_folder, path) = socket(|client| {
            loop {
                thread::park();
                drop(client.peer_addr());
            }
        });
        let none = ask_within(&path, None, Duration::from_millis(1)).unwrap_err();
        assert!(matches!(none, NoReport::Hung(_)), "it keeps the connection open: {none:?}");
    }

    #[test]
    fn a_socket_that_the_module_does_not_use_is_not_asked() {
        let (folder, path) =
            socket(|mut client| client.write_all(b"{\"answered\":1,\"nodes\":[1]}").unwrap());
        for mode in [0o777, 0o1777, 0o720] {
            fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).unwrap();
            let none = ask(&path, None).unwrap_err();
            let rule = matches!(&none, NoReport::Untrusted(error) if error.act == Act::OthersMayWrite);
            assert!(rule && none.to_string().contains("can be written by others"), "{mode:o}: {none:?}");
        }
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        assert!(ask(&path, None).is_ok());
    }
}
