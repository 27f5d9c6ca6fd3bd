//! One connection to one node: commands and their replies under one deadline and one size limit.
//!
//! The streams of the client crate bound each read from the socket, not a reply: a node that occasionally
//! sends a byte would block a worker forever, and one that does not stop sending would fill the memory. So
//! the crate's protocol code runs here over a stream with both limits.

use std::{
    io::{self, ErrorKind, Read, Write},
    net::{SocketAddr, TcpStream},
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use redis::{Cmd, Parser, RedisError, Value};
use rustix::{
    io::Errno,
    net::{AddressFamily, RecvFlags, SocketAddrUnix, SocketFlags, SocketType, connect, recv, socket_with},
};
use rustls::{ClientConfig, ClientConnection, StreamOwned, pki_types::ServerName};

use super::fault::Fault;
use crate::address::Address;

/// The size limit of the replies to one request, in bytes: a map of a thousand nodes, and more than any
/// function returns.
const MAX_BYTES: usize = 1 << 20;
/// The marker that is read if a node has sent nothing.
const SILENCE: &str = "silence";

/// A connection. After a fault it must not be used any more.
pub struct Connection {
    /// The node, which a redirection to itself need not name.
    node: Address,
    stream: ServerStream,
    parser: Parser,
}

enum ServerStream {
    Plain(BoundedSocket),
    Tls(Box<StreamOwned<ClientConnection, BoundedSocket>>),
}

impl Connection {
    /// Connects to a node at one of these addresses, with encryption if it is configured.
    pub(super) fn open(
        node: &Address,
        addresses: &[SocketAddr],
        tls: Option<&Arc<ClientConfig>>,
        end: Instant,
    ) -> Result<Connection, Fault> {
        let socket =
            BoundedSocket { socket: connected(addresses, end)?, end, left: MAX_BYTES, is_blocking: true };
        let stream = match tls {
            None => ServerStream::Plain(socket),
            Some(config) => {
                let name = ServerName::try_from(node.host.clone()).map_err(down)?;
                let session = ClientConnection::new(Arc::clone(config), name).map_err(down)?;
                ServerStream::Tls(Box::new(StreamOwned::new(session, socket)))
            }
        };
        Ok(Connection { node: node.clone(), stream, parser: Parser::new() })
    }

    /// Connects to a node of this machine by its socket, without waiting: a full queue is an error.
    pub(super) fn open_local(node: &Address, path: &Path, end: Instant) -> Result<Connection, Fault> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).map_err(down)?;
        let address = SocketAddrUnix::new(path).map_err(down)?;
        // A full queue means that the node is busy.
        let queued =
            |error: Errno| if error == Errno::AGAIN { Fault::Late(error.to_string()) } else { down(error) };
        connect(&socket, &address).map_err(queued)?;
        // Only reads and writes with a timeout are used, which are the same for all stream types.
        let socket = TcpStream::from(socket);
        socket.set_nonblocking(false).map_err(down)?;
        let stream = ServerStream::Plain(BoundedSocket { socket, end, left: MAX_BYTES, is_blocking: true });
        Ok(Connection { node: node.clone(), stream, parser: Parser::new() })
    }

    /// Checks that no data is waiting before a request is sent: it would be mistaken for its reply, and all
    /// further replies would be shifted.
    fn expect_silence(&mut self, end: Instant) -> Result<(), Fault> {
        let Connection { stream, parser, .. } = self;
        let there = match stream {
            ServerStream::Plain(socket) => parser.parse_value(Marked::new(socket.looking(end))),
            ServerStream::Tls(stream) => {
                stream.sock.looking(end);
                parser.parse_value(Marked::new(stream.as_mut()))
            }
        };
        match there {
            Ok(Value::SimpleString(text)) if text == SILENCE => Ok(()),
            Ok(_) => Err(down("it sent data that was not requested")),
            Err(error) => Err(unread(error)),
        }
    }

    /// True if it can be used: the node has neither closed it nor sent anything.
    pub(super) fn is_quiet(&mut self, end: Instant) -> bool {
        self.expect_silence(end).is_ok()
    }

    /// The replies to commands that are sent together, in their order.
    ///
    /// # Errors
    /// [`Fault::Late`] if not all of them arrived before `end`; [`Fault::Unreachable`].
    pub fn round_trip(
        &mut self,
        commands: &[&Cmd],
        end: Instant,
    ) -> Result<Vec<Result<Value, Fault>>, Fault> {
        let mut packed = Vec::new();
        for command in commands {
            command.write_packed_command(&mut packed);
        }
        self.expect_silence(end)?;
        let Connection { node, stream, parser } = self;
        match stream {
            ServerStream::Plain(socket) => {
                socket.renew(end);
                exchange(socket, parser, &packed, commands.len(), node)
            }
            ServerStream::Tls(stream) => {
                stream.sock.renew(end);
                exchange(stream.as_mut(), parser, &packed, commands.len(), node)
            }
        }
    }
}

fn exchange(
    stream: &mut (impl Read + Write),
    parser: &mut Parser,
    packed: &[u8],
    count: usize,
    node: &Address,
) -> Result<Vec<Result<Value, Fault>>, Fault> {
    stream.write_all(packed).and_then(|()| stream.flush()).map_err(broken)?;
    let reply = |_| match parser.parse_value(&mut *stream) {
        Ok(Value::ServerError(error)) => Ok(Err(Fault::of(&RedisError::from(error), node))),
        Ok(value) => Ok(Ok(value)),
        Err(error) => Err(unread(error)),
    };
    (0..count).map(reply).collect()
}

/// The data that was received already, followed by [`SILENCE`] as if it were a reply. A partial reply before
/// it changes its text, so that no part is left for the next reply.
struct Marked<R> {
    said: R,
    mark: io::Cursor<String>,
}

impl<R: Read> Marked<R> {
    fn new(said: R) -> Marked<R> {
        Marked { said, mark: io::Cursor::new(format!("+{SILENCE}\r\n")) }
    }
}

impl<R: Read> Read for Marked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.said.read(buffer) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => self.mark.read(buffer),
            read => read,
        }
    }
}

/// A socket with a deadline and a limit on the number of bytes read.
struct BoundedSocket {
    socket: TcpStream,
    end: Instant,
    left: usize,
    /// True if reads wait for data.
    is_blocking: bool,
}

impl BoundedSocket {
    fn renew(&mut self, end: Instant) {
        (self.end, self.left, self.is_blocking) = (end, MAX_BYTES, true);
    }

    /// The same, to test if data is waiting.
    fn looking(&mut self, end: Instant) -> &mut BoundedSocket {
        self.renew(end);
        self.is_blocking = false;
        self
    }

    fn time(&self) -> io::Result<Duration> {
        time_until(self.end)
    }
}

impl Read for BoundedSocket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let room = buffer.len().min(self.left);
        if room == 0 && !buffer.is_empty() {
            return Err(io::Error::other("a reply of more than 1 MiB"));
        }
        // A read that does not wait has both limits, too: the node may send faster than it is read.
        let left = self.time()?;
        let part = buffer.get_mut(..room).unwrap_or_default();
        let count = if self.is_blocking {
            self.socket.set_read_timeout(Some(left))?;
            in_time(self.socket.read(part))?
        } else {
            recv(&self.socket, part, RecvFlags::DONTWAIT)?.1
        };
        self.left = self.left.saturating_sub(count);
        Ok(count)
    }
}

impl Write for BoundedSocket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // The data fits into the buffers of a working connection.
        self.socket.set_write_timeout(Some(self.time()?))?;
        in_time(self.socket.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.socket.flush()
    }
}

/// The system reports a read that timed out as one that would block.
fn in_time<T>(done: io::Result<T>) -> io::Result<T> {
    done.map_err(|error| if error.kind() == ErrorKind::WouldBlock { late() } else { error })
}

fn late() -> io::Error {
    io::Error::new(ErrorKind::TimedOut, "no reply in time")
}

fn time_until(end: Instant) -> io::Result<Duration> {
    Some(end.saturating_duration_since(Instant::now())).filter(|left| !left.is_zero()).ok_or_else(late)
}

fn connected(addresses: &[SocketAddr], end: Instant) -> Result<TcpStream, Fault> {
    let mut last = late();
    for address in addresses {
        match time_until(end).and_then(|left| TcpStream::connect_timeout(address, left)) {
            Ok(socket) => return socket.set_nodelay(true).map(|()| socket).map_err(down),
            Err(error) => last = error,
        }
    }
    Err(broken(last))
}

#[allow(clippy::needless_pass_by_value, reason = "what `map_err` passes")]
fn down(error: impl ToString) -> Fault {
    Fault::Unreachable(error.to_string())
}

#[allow(clippy::needless_pass_by_value, reason = "what `map_err` passes")]
fn broken(error: io::Error) -> Fault {
    if error.kind() == ErrorKind::TimedOut { Fault::Late(error.to_string()) } else { down(error) }
}

#[allow(clippy::needless_pass_by_value, reason = "what `map_err` passes")]
fn unread(error: RedisError) -> Fault {
    if error.is_timeout() { Fault::Late(error.to_string()) } else { down(error) }
}

#[cfg(test)]
mod tests;
