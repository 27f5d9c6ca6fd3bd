use std::{sync::Arc, thread};

use nearmiss_filters::ladder::fleet::frame::Op;
use proptest::prelude::*;

use super::{super::queue::Work, *};

fn request() -> Request {
    Request { op: Op::Step, tag: [1; 4], log_bits: 29, page: 3, steps: 1, places: vec![7; 48] }
}

#[test]
fn a_request_is_known_once_it_is_whole() {
    let bytes = request().encode();
    assert!((0..bytes.len()).all(|length| question(&bytes[..length]).is_none()));
    assert!(matches!(question(&bytes), Some(AgentRequest::Element(read)) if read == request()));
    assert!(matches!(question(&[&bytes[..], b"x"].concat()), Some(AgentRequest::Unknown)));
    assert!(matches!(question(&[9; 16]), Some(AgentRequest::Unknown)));
    let mut state = [0; 16];
    state[..2].copy_from_slice(&STATUS_BYTES);
    assert!(matches!(question(&state), Some(AgentRequest::State(None))));
    for at in [2, 15] {
        let mut odd = state;
        odd[at] = 1;
        assert!(matches!(question(&odd), Some(AgentRequest::Unknown)), "{at}");
    }
    assert!(matches!(question(&[&state[..], b"x"].concat()), Some(AgentRequest::Unknown)));
    state[3..8].copy_from_slice(&[29, 1, 2, 3, 4]);
    let ladder = Ladder { tag: [1, 2, 3, 4], log_bits: 29 };
    assert!(matches!(question(&state), Some(AgentRequest::State(Some(read))) if read == ladder));
    state[15] = 1;
    assert!(matches!(question(&state), Some(AgentRequest::Unknown)));
}

/// Idle connections cost nothing but their place, and nobody is taken for one who called.
#[test]
fn only_connections_with_something_to_read_are_ready() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agent.sock");
    let listener = UnixListener::bind(&path).unwrap();
    let (mut clients, waiting): (Vec<_>, Vec<_>) = (0..3)
        .map(|_| UnixStream::pair().unwrap())
        .map(|(client, peer)| (client, Waiting::new(peer)))
        .unzip();
    clients[1].write_all(b"x").unwrap();
    assert_eq!(wait(&listener, &waiting).unwrap(), (false, vec![false, true, false]));
    let _new = UnixStream::connect(&path).unwrap();
    assert_eq!(wait(&listener, &waiting).unwrap(), (true, vec![false, true, false]));
    assert_eq!(wait(&listener, &[]).unwrap(), (true, Vec::new()));
}

/// Without a descriptor for the next connection, the listener stays ready: the oldest idle connection makes
/// room, and its client gets the reply of an overload. Every other failure leaves the idle ones alone.
#[test]
fn the_oldest_makes_room_if_no_more_can_be_opened() {
    let of = |number: Errno| {
        let mut calls = [Err(number.into()), Ok(UnixStream::pair().unwrap().1)];
        accepted(|| {
            calls.reverse();
            let call = std::mem::replace(&mut calls[0], Err(number.into()));
            call.map(|peer: UnixStream| (peer.try_clone().unwrap(), peer.peer_addr().unwrap()))
        })
    };
    let is_root = rustix::process::geteuid().is_root();
    for (number, lacking) in [
        (Errno::MFILE, Some("this process has too many open files; raise LimitNOFILE")),
        (Errno::NFILE, Some("the system has too many open files")),
        (Errno::NOBUFS, Some("the system has too little memory")),
        (Errno::NOMEM, Some("the system has too little memory")),
        (Errno::AGAIN, None),
        (Errno::CONNABORTED, None),
    ] {
        let (new, lacks) = of(number);
        assert_eq!((new.len(), lacks), (usize::from(is_root), lacking), "{number}");
    }
    let (mut clients, mut waiting): (Vec<_>, Vec<_>) = (0..2)
        .map(|_| UnixStream::pair().unwrap())
        .map(|(client, peer)| (client, Waiting::new(peer)))
        .unzip();
    let turned_away = AtomicU64::new(0);
    make_room(&mut waiting, &turned_away);
    assert_eq!((waiting.len(), turned_away.load(Relaxed)), (1, 1));
    let mut said = Vec::new();
    clients.remove(0).read_to_end(&mut said).unwrap();
    assert_eq!(said, Reply::without(Status::TurnedAway).encode());
    waiting.clear();
    make_room(&mut waiting, &turned_away);
    assert_eq!(turned_away.load(Relaxed), 1);
}

/// A connection that cannot be read is given up at once, and one that has not said all is not.
#[test]
fn a_connection_that_breaks_is_over() {
    let pair = || {
        let (client, peer) = UnixStream::pair().unwrap();
        peer.set_nonblocking(true).unwrap();
        (client, Waiting::new(peer))
    };
    let read = |waiting: Waiting| {
        let arrived = waiting.arrived;
        waiting.read(arrived)
    };
    let (_client, waiting) = pair();
    assert!(matches!(read(waiting), ReadProgress::Part(_)), "nothing was sent yet");
    let (client, mut waiting) = pair();
    // Whoever hangs up with something unread breaks the connection.
    waiting.peer.write_all(b"x").unwrap();
    drop(client);
    assert!(matches!(read(waiting), ReadProgress::Over));
}

/// What is longer than any request is no request, although its beginning is one.
#[test]
fn a_byte_more_than_the_longest_request_is_read_at_once() {
    let longest = Request { places: vec![7; 128], ..request() }.encode();
    assert_eq!(longest.len(), MAX_BYTES);
    for (more, is_request) in [(&b""[..], true), (b"x", false)] {
        let (mut client, peer) = UnixStream::pair().unwrap();
        client.write_all(&[&longest, more].concat()).unwrap();
        let waiting = Waiting::new(peer);
        let arrived = waiting.arrived;
        let ReadProgress::Whole(job) = waiting.read(arrived) else { panic!("{is_request}") };
        assert_eq!(matches!(job.question, AgentRequest::Element(_)), is_request);
        assert_eq!(matches!(job.question, AgentRequest::Unknown), !is_request);
    }
}

#[test]
fn the_oldest_of_too_many_gives_way() {
    let all: Vec<usize> = (0..MAX_WAITING + 44).collect();
    assert_eq!(newest(all.clone()), all[44..]);
    assert_eq!(newest(vec![7]), [7]);
}

/// The mode of the socket is one guard, and this the other.
#[test]
fn a_connection_of_another_user_is_closed_unread() {
    use std::{fs, os::unix::fs::PermissionsExt};

    if !rustix::process::geteuid().is_root() {
        println!("SKIPPED: only root can play another user");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agent.sock");
    let listener = UnixListener::bind(&path).unwrap();
    for (file, mode) in [(folder.path(), 0o755), (&path, 0o666)] {
        fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
    }
    let count = |uid: Option<u32>| {
        let path = path.clone();
        let connect = move || {
            if let Some(uid) = uid {
                rustix::thread::set_thread_uid(rustix::process::Uid::from_raw(uid)).unwrap();
            }
            UnixStream::connect(path).unwrap()
        };
        let _peer = thread::spawn(connect).join().unwrap();
        accepted(|| listener.accept()).0.len()
    };
    listener.set_nonblocking(true).unwrap();
    assert_eq!([Some(65_534), Some(4242), None, Some(1)].map(count), [0, 0, 1, 0]);
}

proptest! {
    #[test]
    fn random_bytes_are_a_question_or_wait_for_more(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let is_whole = question(&bytes).is_some();
        prop_assert!(is_whole || bytes.len() < MAX_BYTES);
    }
}

/// Whoever asks is not hung up on, which is what a request gets that does not come.
#[test]
fn a_request_that_no_worker_has_room_for_is_turned_away() {
    if !rustix::process::geteuid().is_root() {
        println!("SKIPPED: the socket is for root alone");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agent.sock");
    let listener = UnixListener::bind(&path).unwrap();
    let (queue, jobs) = Queue::new(Arc::new(Work::slow()));
    let turned_away = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&turned_away);
    thread::spawn(move || run(&listener, &queue, &counter, &Log::default()));
    let ask = || {
        let mut peer = UnixStream::connect(&path).unwrap();
        peer.write_all(&request().encode()).unwrap();
        peer
    };
    // One is in the queue, from which nobody takes it, and would keep the worker for too long.
    let _first = ask();
    let mut second = ask();
    let mut reply = [0; 4];
    second.read_exact(&mut reply).unwrap();
    assert_eq!((reply, turned_away.load(Relaxed)), ([1, 4, 0, 0], 1));
    drop(jobs);
}

/// As root: the socket is for nobody else.
#[test]
fn idle_connections_hold_up_nobody() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agent.sock");
    let listener = UnixListener::bind(&path).unwrap();
    let (queue, jobs) = Queue::new(Arc::new(Work::new(8)));
    thread::spawn(move || run(&listener, &queue, &AtomicU64::new(0), &Log::default()));
    let idle: Vec<UnixStream> = (0..1000).map(|_| UnixStream::connect(&path).unwrap()).collect();
    let mut peer = UnixStream::connect(&path).unwrap();
    peer.write_all(&request().encode()).unwrap();
    let job = jobs.recv_timeout(Duration::from_secs(300)).unwrap();
    assert!(matches!(job.question, AgentRequest::Element(read) if read == request()));
    drop(idle);
    // One that sends nothing is closed.
    let mut silent = UnixStream::connect(&path).unwrap();
    assert_eq!(silent.read(&mut [0; 1]).unwrap(), 0);
}
