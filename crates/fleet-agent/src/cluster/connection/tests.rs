use std::{net::TcpListener, os::unix::net::UnixListener, sync::mpsc::channel, thread};

use rustix::{
    io::{FdFlags, fcntl_getfd},
    net::listen,
};

use super::*;
use crate::fake_node::LONG;

const PING: &[u8] = b"*1\r\n$4\r\nPING\r\n";

/// A connection to a node that speaks so to its first peer.
fn to_a_node(speak: impl FnOnce(&mut TcpStream) + Send + 'static) -> Connection {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let node = Address { host: address.ip().to_string(), port: address.port() };
    thread::spawn(move || speak(&mut listener.accept().unwrap().0));
    Connection::open(&node, &[address], None, Instant::now() + LONG).unwrap()
}

/// What a connection makes of a node that says this, `pause` between its pieces, to whoever connects.
fn told(pieces: Vec<Vec<u8>>, pause: Duration, timeout: Duration) -> Result<Value, Fault> {
    let mut connection = to_a_node(move |peer| {
        peer.read_exact(&mut [0; PING.len()]).unwrap();
        // A connection that has had enough hangs up.
        for _ in pieces.iter().take_while(|piece| peer.write_all(piece).is_ok()) {
            thread::sleep(pause);
        }
        let _ = peer.read(&mut [0; 1]);
    });
    let ping = redis::cmd("PING");
    connection.round_trip(&[&ping], Instant::now() + timeout)?.pop().unwrap()
}

/// Two replies to one question: the second is not taken for the answer to the next one, and what is asked of
/// such a node is asked for nothing.
#[test]
fn a_node_that_says_more_than_it_was_asked_is_hung_up_on() {
    for surplus in [&b":9\r\n"[..], b"+x\r\n", b":", b"+", b"$9\r\n", b"\0\r\n", b""] {
        let (asked, was_asked) = channel();
        let mut connection = to_a_node(move |peer| {
            peer.read_exact(&mut [0; PING.len()]).unwrap();
            peer.write_all(b":1\r\n").unwrap();
            peer.read_exact(&mut [0; PING.len()]).unwrap();
            peer.write_all(&[b":2\r\n", surplus].concat()).unwrap();
            asked.send(peer.read_exact(&mut [0; PING.len()]).is_ok()).unwrap();
            let _ = peer.write_all(b":3\r\n");
        });
        let ping = redis::cmd("PING");
        let mut ask = || {
            connection.round_trip(&[&ping], Instant::now() + LONG).map(|replies| replies[0].clone().unwrap())
        };
        assert_eq!([ask(), ask()], [Ok(Value::Int(1)), Ok(Value::Int(2))]);
        let third = ask();
        drop(connection);
        let is_asked = was_asked.recv().unwrap();
        if surplus.is_empty() {
            assert_eq!((third, is_asked), (Ok(Value::Int(3)), true));
        } else {
            assert!(matches!(third, Err(Fault::Unreachable(_))) && !is_asked, "{surplus:?}: {third:?}");
        }
    }
}

/// A connection that broke is not taken for a node that has nothing to say.
#[test]
fn nothing_but_silence_is_silence() {
    struct Broken(ErrorKind);
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(self.0.into())
        }
    }
    let read = |kind| Marked::new(Broken(kind)).read(&mut [0; 64]).map_err(|error| error.kind());
    assert_eq!(read(ErrorKind::WouldBlock), Ok("+silence\r\n".len()));
    for kind in [ErrorKind::ConnectionReset, ErrorKind::InvalidData, ErrorKind::TimedOut] {
        assert_eq!(read(kind), Err(kind));
    }
}

#[test]
fn a_reply_is_read_up_to_a_length() {
    let of = |length: usize| {
        let head = format!("${length}\r\n").into_bytes();
        vec![head, vec![b'x'; length], b"\r\n".to_vec()]
    };
    let whole = told(of(MAX_BYTES - 100), Duration::ZERO, LONG);
    assert!(matches!(whole, Ok(Value::BulkString(text)) if text.len() == MAX_BYTES - 100));
    let fault = told(of(2 * MAX_BYTES), Duration::ZERO, LONG).unwrap_err();
    assert!(matches!(&fault, Fault::Unreachable(words) if words.contains("more than 1 MiB")), "{fault:?}");
}

/// A node that does not stop sending what nobody requested is read up to the same length and deadline when
/// the agent only looks whether data is waiting.
#[test]
fn a_flood_that_nobody_asked_for_is_read_up_to_a_length_and_a_deadline() {
    let node = || {
        to_a_node(|peer| {
            let _ = peer.write_all(&[b"*100000000\r\n", b":1\r\n".repeat(MAX_BYTES).as_slice()].concat());
        })
    };
    let read = |connection: &mut Connection, end: Instant| {
        let ServerStream::Plain(socket) = &mut connection.stream else { panic!() };
        let socket = socket.looking(end);
        let mut all = 0;
        loop {
            match socket.read(&mut [0; 4096]) {
                Ok(0) => return (all, "the end".to_owned()),
                Ok(count) => all += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => thread::yield_now(),
                Err(error) => return (all, error.to_string()),
            }
        }
    };
    let late = Instant::now() + LONG;
    assert_eq!(read(&mut node(), late), (MAX_BYTES, "a reply of more than 1 MiB".to_owned()));
    assert_eq!(read(&mut node(), Instant::now()), (0, "no reply in time".to_owned()));
    let ping = redis::cmd("PING");
    let mut connection = node();
    assert!(connection.round_trip(&[&ping], late).is_err());
}

/// The pieces come in far less time than the timeout each, and all of them in far more.
#[test]
fn all_reads_of_a_reply_have_one_deadline() {
    let pieces = vec![b"+".to_vec()].into_iter().chain(vec![b"x".to_vec(); 200]);
    let pieces = pieces.chain([b"\r\n".to_vec()]).collect();
    let fault = told(pieces, Duration::from_millis(5), Duration::from_millis(200)).unwrap_err();
    assert!(matches!(&fault, Fault::Late(words) if words.contains("no reply in time")), "{fault:?}");
}

/// Only what comes too late is called late: what else goes wrong keeps its own words.
#[test]
fn a_read_that_would_block_is_late_and_no_other_error_is() {
    let kind = |kind: ErrorKind| in_time::<()>(Err(kind.into())).unwrap_err().kind();
    assert_eq!(kind(ErrorKind::WouldBlock), ErrorKind::TimedOut);
    for other in [ErrorKind::ConnectionReset, ErrorKind::BrokenPipe, ErrorKind::Interrupted] {
        assert_eq!(kind(other), other);
    }
    assert_eq!(in_time(Ok(3)).unwrap(), 3);
}

#[test]
fn a_socket_of_this_machine_is_not_waited_for_and_no_program_inherits_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sock");
    let listener = UnixListener::bind(&path).unwrap();
    let node: Address = path.display().to_string().parse().unwrap();
    let open = || Connection::open_local(&node, &path, Instant::now() + LONG);
    let first = open().unwrap();
    let ServerStream::Plain(BoundedSocket { socket, .. }) = &first.stream else { panic!() };
    assert!(fcntl_getfd(socket).unwrap().contains(FdFlags::CLOEXEC));
    // Nobody accepts, and there is no room for many.
    listen(&listener, 1).unwrap();
    let all: Vec<_> = (0..8).map(|_| open()).collect();
    assert!(all.iter().any(|one| matches!(one, Err(Fault::Late(_)))));
    drop(listener);
    assert!(matches!(open(), Err(Fault::Unreachable(_))), "nobody listens");
}
