//! The client against agents that lie, hang, truncate replies and vanish: each time the result is no reply,
//! in time.

use std::{
    io::{Read, Write},
    os::unix::net::{UnixListener, UnixStream},
    path::Path,
    thread,
    time::{Duration, Instant},
};

use super::super::frame::{Op, Request};
use super::*;
use crate::storage::may_be_provoked;

/// Milliseconds after which even a busy machine is given up.
const LONG: u64 = 600_000;

/// An agent with a long deadline: a test's own agent may run late.
fn patient(path: &Path) -> Agent {
    Agent { timeout: LONG, ..Agent::new(path.to_owned()) }
}

fn request() -> Request {
    let places = (0..48).collect();
    Request { op: Op::Step, tag: *b"test", log_bits: 29, page: 7, steps: 1, places }
}

/// The client's result with an agent that serves a connection in this way.
fn against(serve: impl Fn(UnixStream) + Send + 'static) -> (Option<Reply>, Option<io::Error>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agent.sock");
    let listener = UnixListener::bind(&path).unwrap();
    thread::spawn(move || listener.incoming().flatten().for_each(serve));
    asked(&path)
}

fn asked(path: &Path) -> (Option<Reply>, Option<io::Error>) {
    let agent = patient(path);
    let reply = agent.request(&request()).unwrap();
    (reply, agent.trouble())
}

fn read_request(peer: &mut UnixStream) {
    peer.read_exact(&mut [0; 16 + 96]).unwrap();
}

fn replying(bytes: &'static [u8]) -> (Option<Reply>, Option<io::Error>) {
    against(move |mut peer| {
        read_request(&mut peer);
        let _ = peer.write_all(bytes);
    })
}

#[test]
#[cfg_attr(miri, ignore = "miri has no such sockets")]
fn a_legal_reply_is_taken_and_pieces_are_put_together() {
    let done = Reply { status: Status::Done, height: 30, is_counted: true };
    assert_eq!(replying(&[1, 0, 30, 1]).0, Some(done));
    let in_pieces = against(|mut peer| {
        read_request(&mut peer);
        for byte in [1, 0, 30, 1] {
            peer.write_all(&[byte]).unwrap();
            thread::sleep(Duration::from_millis(1));
        }
    });
    assert_eq!(in_pieces.0, Some(done));
}

#[test]
#[cfg_attr(miri, ignore = "miri has no such sockets")]
fn a_lie_is_no_reply() {
    for lie in [&[1, 0, 49, 1][..], &[1, 0, 255, 0], &[2, 0, 3, 0], &[1, 9, 0, 0], &[0; 4], b"+OK\r\n"] {
        let (reply, trouble) = replying(lie);
        assert_eq!(
            (reply, trouble.unwrap().raw_os_error()),
            (None, Some(Errno::PROTO.raw_os_error())),
            "{lie:?}"
        );
    }
}

/// An agent closes the connection of a program that was suspended before it sent its request, so the request
/// is repeated, and a user who keeps suspending the program is refused: `on_error` does not allow an error.
#[test]
#[cfg_attr(miri, ignore = "miri has no such sockets")]
fn an_agent_that_hangs_up_is_asked_again_and_then_refused() {
    use std::sync::{Arc, atomic::AtomicUsize};

    let asked_with = |hang_ups: usize, cut: &'static [u8]| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent.sock");
        let listener = UnixListener::bind(&path).unwrap();
        let count = Arc::new(AtomicUsize::new(0));
        let connections = Arc::clone(&count);
        thread::spawn(move || {
            for mut peer in listener.incoming().flatten() {
                let is_hanging_up = connections.fetch_add(1, Relaxed) < hang_ups;
                // Some close the connection before they read the request, as if it had not been sent.
                if !(is_hanging_up && cut.is_empty()) {
                    read_request(&mut peer);
                }
                let _ = peer.write_all(if is_hanging_up { cut } else { &[1, 0, 48, 1] });
            }
        });
        let reply = patient(&path).request(&request());
        (reply, count.load(Relaxed))
    };
    for cut in [&[][..], &[1], &[1, 0, 30]] {
        for hang_ups in 0..ATTEMPTS {
            let (reply, connections) = asked_with(hang_ups, cut);
            assert_eq!(reply.unwrap().map(|reply| reply.height), Some(48), "{cut:?}");
            assert_eq!(connections, hang_ups + 1, "{cut:?}");
        }
        let (reply, connections) = asked_with(ATTEMPTS, cut);
        assert_eq!(connections, ATTEMPTS);
        assert!(may_be_provoked(&reply.unwrap_err()), "{cut:?}");
    }
}

/// The heights and statuses of an agent, one for each connection and the last for all others.
fn speaking(path: &Path, replies: &'static [[u8; 4]]) -> std::sync::mpsc::Receiver<()> {
    let listener = UnixListener::bind(path).unwrap();
    let (note, asked) = std::sync::mpsc::channel();
    thread::spawn(move || {
        let replies = replies.iter().chain(std::iter::repeat(&replies[replies.len() - 1]));
        for (mut peer, reply) in listener.incoming().flatten().zip(replies) {
            read_request(&mut peer);
            let _ = note.send(());
            let _ = peer.write_all(reply);
        }
    });
    asked
}

/// Load on the processors makes the agent late: a change waits for it to end.
#[test]
#[cfg_attr(miri, ignore = "miri has no such sockets")]
fn a_change_is_sent_again_until_it_is_replied_to_in_time() {
    const LATE: [u8; 4] = [1, 3, 0, 0];
    const TURNED_AWAY: [u8; 4] = [1, 4, 0, 0];
    for (replies, height, requests) in [
        (&[[1, 0, 30, 0]][..], Some(30), 1),
        (&[LATE, TURNED_AWAY, LATE, [1, 0, 30, 0]], Some(30), 4),
        // One of two sites was late, and the height of the other is sufficient, or not.
        (&[[1, 3, 44, 0]], Some(44), 1),
        (&[[1, 3, 43, 0], [1, 0, 12, 0]], Some(12), 2),
        (&[LATE, [1, 1, 0, 0]], None, 2),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent.sock");
        let asked = speaking(&path, replies);
        let agent = Agent { change: LONG, ..patient(&path) };
        let reply = agent.request_until_in_time(&request(), 44).unwrap();
        assert_eq!(reply.map(|reply| reply.height), height, "{replies:?}");
        assert_eq!(asked.try_iter().count(), requests, "{replies:?}");
        assert!(agent.trouble().is_none());
    }
}

/// If no reply arrives in time, the caller may be the cause, so `on_error` does not allow it. A login does
/// not wait, and gets the known height.
#[test]
#[cfg_attr(miri, ignore = "miri has no such sockets")]
fn a_change_whose_replies_stay_late_is_refused_and_a_login_goes_on() {
    for reply in [&[[1, 3, 43, 1]], &[[1, 4, 0, 0]]] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent.sock");
        let asked = speaking(&path, reply);
        let agent = Agent { change: 0, ..patient(&path) };
        for count in 1..=2 {
            let error = agent.request_until_in_time(&request(), 44).unwrap_err();
            assert!(may_be_provoked(&error) && error.kind() == io::ErrorKind::TimedOut, "{error}");
            assert_eq!(asked.try_iter().count(), 1, "{count}");
        }
        let told = agent.request(&request()).unwrap().map(|reply| reply.height);
        assert_eq!(told, (reply[0][1] == 3).then_some(43));
        assert!(agent.trouble().is_none() && !agent.is_resting());
    }
    // No process accepts the connection.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agent.sock");
    let _listener = UnixListener::bind(&path).unwrap();
    let agent = Agent { change: 0, timeout: 1, ..Agent::new(path) };
    assert!(agent.request(&request()).unwrap().is_none() && agent.is_resting(), "a login leaves it alone");
    for _ in 0..2 {
        assert!(
            may_be_provoked(&agent.request_until_in_time(&request(), 44).unwrap_err()),
            "and a change does not"
        );
    }
}

/// The requests of one change share two seconds; the next change has two seconds again.
#[test]
fn the_requests_of_a_change_share_their_time() {
    let agent = Agent::new("/nonexistent".into());
    let begin = now();
    let end = agent.end_of_change();
    assert!(end >= begin + CHANGE && end <= now() + CHANGE);
    assert_eq!(agent.end_of_change(), end);
    agent.change_ends.store(begin - REST, Relaxed);
    assert!(agent.end_of_change() >= begin + CHANGE, "long over");
}

/// No user is locked out without an agent, or without a store behind it.
#[test]
#[cfg_attr(miri, ignore = "miri has no such sockets")]
fn a_change_without_an_agent_or_a_store_is_not_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agent.sock");
    let ask = || Agent { change: LONG, ..patient(&path) }.request_until_in_time(&request(), 44).unwrap();
    assert!(ask().is_none(), "no agent");
    drop(UnixListener::bind(&path).unwrap());
    assert!(ask().is_none(), "none any more");
    std::fs::remove_file(&path).unwrap();
    let _asked = speaking(&path, &[[1, 1, 0, 0]]);
    assert!(ask().is_none(), "no store");
}

/// An agent with a full queue is listening: a user fills it with programs that are about to send requests.
#[test]
#[cfg_attr(miri, ignore = "miri has no such sockets")]
fn a_full_queue_is_late_and_not_away() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agent.sock");
    let listener = UnixListener::bind(&path).unwrap();
    rustix::net::listen(&listener, 1).unwrap();
    let agent = Agent { change: 0, ..Agent::new(path) };
    let queued: Vec<OwnedFd> = std::iter::from_fn(|| agent.connected().ok()).take(100).collect();
    assert!(queued.len() < 100 && agent.listens().unwrap());
    assert!(may_be_provoked(&agent.request_until_in_time(&request(), 44).unwrap_err()));
}

/// An error that a caller can provoke must not become a bypass, and an error of the agent must not refuse
/// users.
#[test]
fn a_lack_that_the_caller_can_bring_about_is_an_error() {
    let agent = Agent::new("/nonexistent".into());
    for lack in [Errno::MFILE, Errno::NFILE, Errno::NOMEM, Errno::NOBUFS, Errno::CONNRESET, Errno::PIPE] {
        let error = agent.judged(Err(lack)).unwrap_err();
        assert!(error.raw_os_error() == Some(lack.raw_os_error()) && may_be_provoked(&error), "{lack:?}");
        assert!(agent.trouble().is_none() && !agent.is_resting());
    }
    for other in [Errno::NOENT, Errno::CONNREFUSED, Errno::AGAIN, Errno::TIMEDOUT, Errno::PROTO, Errno::PERM]
    {
        let agent = Agent::new("/nonexistent".into());
        assert!(agent.judged(Err(other)).unwrap().is_none(), "{other:?}");
        assert!(agent.trouble().is_some() && agent.is_resting(), "{other:?}");
    }
    assert!(agent.judged(Err(Errno::HOSTUNREACH)).unwrap().is_none() && !agent.is_resting());
}

/// The duration of a failed login reveals neither the reply nor its existence.
#[test]
#[cfg_attr(miri, ignore = "miri has no such sockets")]
fn at_an_even_pace_no_reply_is_acted_on_before_the_deadline() {
    for reply in [&[1, 0, 30, 1][..], &[1, 1, 0, 0], &[9; 4]] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent.sock");
        let listener = UnixListener::bind(&path).unwrap();
        thread::spawn(move || {
            for mut peer in listener.incoming().flatten() {
                read_request(&mut peer);
                let _ = peer.write_all(reply);
            }
        });
        let height = || {
            let begin = Instant::now();
            let height =
                Agent::new(path.clone()).request_padded(&request()).unwrap().map(|reply| reply.height);
            assert!(begin.elapsed() >= Duration::from_millis(DEADLINE - 1), "{reply:?}");
            height
        };
        // The agent of this test may reply too late.
        while reply[..2] == [1, 0] && height() != Some(30) {}
        assert!(reply[..2] == [1, 0] || height().is_none(), "{reply:?}");
    }
}

/// An agent whose store is away reports that itself.
#[test]
#[cfg_attr(miri, ignore = "miri has no such sockets")]
fn an_agent_without_its_store_is_no_trouble_of_this_host() {
    let (reply, trouble) = replying(&[1, 1, 0, 0]);
    assert!(reply.is_none() && trouble.is_none());
    let (_, trouble) = replying(&[1, 2, 0, 0]);
    assert_eq!(trouble.unwrap().raw_os_error(), Some(Errno::PROTONOSUPPORT.raw_os_error()));
}

#[test]
#[cfg_attr(miri, ignore = "miri has no such sockets")]
fn an_agent_that_hangs_is_waited_for_until_the_deadline_and_then_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agent.sock");
    // No process accepts; the system queues the connection and the request.
    let _listener = UnixListener::bind(&path).unwrap();
    let agent = Agent::new(path);
    let begin = Instant::now();
    assert!(agent.request(&request()).unwrap().is_none());
    assert!(begin.elapsed() >= Duration::from_millis(DEADLINE - 1));
    assert_eq!(agent.trouble().unwrap().kind(), io::ErrorKind::TimedOut);
    assert!(agent.trouble().is_none(), "it is reported once");
    let resting = Instant::now();
    (0..50).for_each(|_| assert!(agent.request(&request()).unwrap().is_none()));
    assert!(resting.elapsed() < Duration::from_millis(DEADLINE * 10), "it was waited for again");
}

#[test]
#[cfg_attr(miri, ignore = "miri has no such sockets")]
fn an_agent_that_is_not_there_is_known_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agent.sock");
    assert_eq!(asked(&path).1.unwrap().kind(), io::ErrorKind::NotFound);
    drop(UnixListener::bind(&path).unwrap());
    assert_eq!(asked(&path).1.unwrap().kind(), io::ErrorKind::ConnectionRefused);
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, b"no socket").unwrap();
    assert!(asked(&path).0.is_none());
    let long = path.with_file_name("x".repeat(200));
    assert!(asked(&long).0.is_none() && !Agent::new(path).listens().unwrap());
}

/// A reply that arrived while the caller had suspended the program counts.
#[test]
#[cfg_attr(miri, ignore = "miri has no such sockets")]
fn a_reply_that_is_there_counts_after_the_deadline() {
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    ours.set_nonblocking(true).unwrap();
    theirs.write_all(&[1, 0, 9, 0]).unwrap();
    assert_eq!(received(&ours.into(), 0), Ok([1, 0, 9, 0]));
}

/// Another user could replace it by their own socket, or has done so.
#[test]
#[cfg_attr(miri, ignore = "miri has no such sockets")]
fn a_socket_that_others_can_replace_is_not_spoken_to() {
    use std::{fs, os::unix::fs::PermissionsExt};

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agent.sock");
    let listener = UnixListener::bind(&path).unwrap();
    let refused = || asked(&path).1.unwrap().raw_os_error() == Some(Errno::PERM.raw_os_error());
    for mode in [0o770, 0o757, 0o1777] {
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).unwrap();
        assert!(refused(), "{mode:o}");
    }
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    assert!(Agent::new(path.clone()).listens().unwrap());
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(&path, Some(65_534), None).unwrap();
        assert!(refused(), "it belongs to somebody else");
    }
    drop(listener);
}
