//! The reply of this host's agent on its socket.

use std::{
    io::{self, Read, Write},
    os::unix::net::UnixStream,
    path::Path,
    time::Duration,
};

use nearmiss_filters::ladder::{
    Header,
    fleet::frame::{HEAD_BYTES, STATUS_BYTES},
};
use serde_json::Value;

/// The agent's timeout: it reads 16 pages of the store.
const TIMEOUT: Duration = Duration::from_secs(3);
/// The longest reply.
const MAX_BYTES: u64 = 1 << 20;

/// The agent's report on itself and one ladder.
pub(crate) fn ask(socket: &Path, ladder: Option<&Header>) -> io::Result<Value> {
    let log_bits = ladder.map_or(0, |ladder| ladder.params.bits().trailing_zeros());
    let [a, b, c, d, ..] = ladder.map_or([0; 16], |ladder| ladder.id);
    let [version, act] = STATUS_BYTES;
    let mut request = vec![version, act, 0, u8::try_from(log_bits).unwrap_or(0), a, b, c, d];
    request.resize(HEAD_BYTES, 0);
    let mut agent = UnixStream::connect(socket)?;
    agent.set_read_timeout(Some(TIMEOUT))?;
    agent.set_write_timeout(Some(TIMEOUT))?;
    agent.write_all(&request)?;
    let mut told = Vec::new();
    agent.take(MAX_BYTES).read_to_end(&mut told)?;
    serde_json::from_slice(&told).map_err(|_| io::Error::other("not a reply of an agent"))
}
