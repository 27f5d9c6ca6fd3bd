//! A node that speaks, and not as a store does. Its own share is decided by each host alone, within the
//! deadline; the shares of others are answered; and the log has one line a minute about it, and one about its
//! functions.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};

use nearmiss_agent::functions;
use nearmiss_fleet_tests::{Agent, Cluster, Descriptor, lateness::Control, no_store};
use nearmiss_tests::skip::skipped;

use super::loss::{Load, TIMEOUT, server_of};

/// A node's reaction to a command, by its first word. False: it hangs up.
pub(super) type Speech = fn(&mut TcpStream, &[u8]) -> bool;

fn say(peer: &mut TcpStream, bytes: &[u8]) -> bool {
    peer.write_all(bytes).is_ok()
}

/// Errors that a store may reply with, and one that no store knows.
const ERRORS: [&[u8]; 11] = [
    b"-ERR no\r\n",
    b"-OOM command not allowed when used memory > 'maxmemory'.\r\n",
    b"-NOPERM this user has no permissions to run the 'fcall' command\r\n",
    b"-LOADING Redis is loading the dataset in memory\r\n",
    b"-READONLY You can't write against a read only replica.\r\n",
    b"-CLUSTERDOWN Hash slot not served\r\n",
    b"-MOVED 1 127.0.0.1:1\r\n",
    b"-MOVED 1 \r\n",
    b"-ASK 1 127.0.0.1:1\r\n",
    b"-TRYAGAIN Multiple keys request during rehashing of slot\r\n",
    b"-ERR Function not found\r\n",
];

/// Replies that none of the functions gives, or none at all.
const REPLIES: [&[u8]; 14] = [
    b"\0\0\0\0\0\0\0\0",
    b"$-1\r\n",
    b"+OK\r\n",
    b"*0\r\n",
    b":255\r\n",
    b":-7\r\n",
    b":99999999999999999999\r\n",
    b"*3\r\n:1\r\n:1\r\n:1\r\n",
    b"*2\r\n:3\r\n:2\r\n",
    b"$5\r\nab\r\n",
    b"$9223372036854775807\r\nab",
    b"*9223372036854775807\r\n",
    b"%9223372036854775807\r\n",
    b"HTTP/1.1 400 Bad Request\r\n\r\n",
];

fn error<const N: usize>(peer: &mut TcpStream, _: &[u8]) -> bool {
    say(peer, ERRORS[N])
}

fn reply<const N: usize>(peer: &mut TcpStream, _: &[u8]) -> bool {
    say(peer, REPLIES[N])
}

/// It replies that every element has all 16 rungs of the tests' ladders of chosen passwords.
pub(super) fn at_the_top(peer: &mut TcpStream, word: &[u8]) -> bool {
    if word.eq_ignore_ascii_case(b"cluster") {
        return say(peer, b"-ERR This instance has cluster support disabled\r\n");
    }
    holds(peer, word).unwrap_or_else(|| say(peer, b":16\r\n"))
}

/// The reply to the request for its functions, like a store that has them: without it no other request
/// follows.
fn holds(peer: &mut TcpStream, word: &[u8]) -> Option<bool> {
    let code = functions::text();
    let reply = format!("*1\r\n*2\r\n$12\r\nlibrary_code\r\n${}\r\n{code}\r\n", code.len());
    word.eq_ignore_ascii_case(b"function").then(|| say(peer, reply.as_bytes()))
}

/// It lists the functions whenever they are requested, and has lost them when one is called.
fn forgetful(peer: &mut TcpStream, word: &[u8]) -> bool {
    holds(peer, word).unwrap_or_else(|| say(peer, b"-ERR Function not found\r\n"))
}

fn deep(peer: &mut TcpStream, _: &[u8]) -> bool {
    say(peer, &b"*1\r\n".repeat(10_000))
}

fn cut(peer: &mut TcpStream, _: &[u8]) -> bool {
    say(peer, b"*2\r\n:3");
    false
}

fn random(peer: &mut TcpStream, _: &[u8]) -> bool {
    static CALLS: AtomicU64 = AtomicU64::new(1);
    // xorshift: other bytes at each call, the same in every run.
    let mut state = CALLS.fetch_add(1, Relaxed).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let bytes: Vec<u8> = (0..256)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.to_le_bytes()[3]
        })
        .collect();
    say(peer, &bytes)
}

/// More than anybody can keep.
fn endless(peer: &mut TcpStream, _: &[u8]) -> bool {
    let _ = peer.set_write_timeout(Some(Duration::from_millis(500)));
    let _ = peer.write_all(b"$999999999\r\n");
    let piece = vec![b'x'; 1 << 16];
    let end = Instant::now() + Duration::from_millis(500);
    while Instant::now() < end && peer.write_all(&piece).is_ok() {}
    false
}

/// Never silent for as long as one read waits, and never done.
fn dripping(peer: &mut TcpStream, _: &[u8]) -> bool {
    let _ = peer.write_all(b"+");
    let end = Instant::now() + Duration::from_secs(5);
    while Instant::now() < end && peer.write_all(b"x").is_ok() {
        thread::sleep(Duration::from_millis(5));
    }
    false
}

fn silent(peer: &mut TcpStream, _: &[u8]) -> bool {
    let _ = peer.read(&mut [0; 1]);
    false
}

fn closing(_: &mut TcpStream, _: &[u8]) -> bool {
    false
}

const OTHERS: [(&str, Speech); 8] = [
    ("forgets the functions", forgetful),
    ("arrays in arrays", deep),
    ("cut", cut),
    ("random", random),
    ("endless", endless),
    ("dripping", dripping),
    ("silent", silent),
    ("closing", closing),
];

fn speeches() -> Vec<(String, Speech)> {
    let errors: [Speech; 11] = [
        error::<0>,
        error::<1>,
        error::<2>,
        error::<3>,
        error::<4>,
        error::<5>,
        error::<6>,
        error::<7>,
        error::<8>,
        error::<9>,
        error::<10>,
    ];
    let replies: [Speech; 14] = [
        reply::<0>,
        reply::<1>,
        reply::<2>,
        reply::<3>,
        reply::<4>,
        reply::<5>,
        reply::<6>,
        reply::<7>,
        reply::<8>,
        reply::<9>,
        reply::<10>,
        reply::<11>,
        reply::<12>,
        reply::<13>,
    ];
    let name = |bytes: &[u8]| String::from_utf8_lossy(bytes).escape_default().to_string();
    let errors = ERRORS.iter().map(|bytes| name(bytes)).zip(errors);
    let replies = REPLIES.iter().map(|bytes| name(bytes)).zip(replies);
    let others = OTHERS.iter().map(|(name, speech)| ((*name).to_owned(), *speech));
    errors.chain(replies).chain(others).collect()
}

/// A node at a port, whose speech can be changed, until it is dropped.
pub(super) struct Fake {
    speech: Arc<Mutex<Speech>>,
    is_over: Arc<AtomicBool>,
    port: u16,
}

impl Fake {
    /// At this port, or at one that the system chooses (0).
    pub(super) fn start(port: u16) -> Fake {
        let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let speech: Arc<Mutex<Speech>> = Arc::new(Mutex::new(closing));
        let is_over = Arc::new(AtomicBool::new(false));
        let (shared, end) = (Arc::clone(&speech), Arc::clone(&is_over));
        thread::spawn(move || {
            let peers = listener.incoming().flatten().take_while(|_| !end.load(Relaxed));
            // Every other peer hears of the functions first, and finds out later whom it speaks to.
            for (peer, is_prepared) in peers.zip([true, false].into_iter().cycle()) {
                let shared = Arc::clone(&shared);
                thread::spawn(move || serve(peer, &shared, is_prepared));
            }
        });
        Fake { speech, is_over, port }
    }

    pub(super) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(super) fn speak(&self, speech: Speech) {
        *self.speech.lock().unwrap() = speech;
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.is_over.store(true, Relaxed);
        drop(TcpStream::connect(("127.0.0.1", self.port)));
    }
}

fn serve(mut peer: TcpStream, speech: &Mutex<Speech>, is_prepared: bool) {
    let Ok(reader) = peer.try_clone() else { return };
    let mut reader = BufReader::new(reader);
    while let Some(word) = first_word(&mut reader) {
        let speech = *speech.lock().unwrap();
        let prepared = if is_prepared { holds(&mut peer, &word) } else { None };
        if !prepared.unwrap_or_else(|| speech(&mut peer, &word)) {
            return;
        }
    }
}

/// Reads a command, as clients send it, and returns its first word.
fn first_word(from: &mut impl BufRead) -> Option<Vec<u8>> {
    let words = (0..number(from, b'*')?).map(|_| {
        let mut word = vec![0; number(from, b'$')? + 2];
        from.read_exact(&mut word).ok()?;
        word.truncate(word.len() - 2);
        Some(word)
    });
    words.collect::<Option<Vec<_>>>()?.into_iter().next()
}

fn number(from: &mut impl BufRead, mark: u8) -> Option<usize> {
    let mut line = Vec::new();
    from.read_until(b'\n', &mut line).ok()?;
    let digits = line.strip_prefix(&[mark])?.strip_suffix(b"\r\n")?;
    std::str::from_utf8(digits).ok()?.parse().ok().filter(|count| *count <= 1 << 20)
}

#[test]
fn a_node_that_does_not_speak_as_a_store_does_takes_its_own_share_alone() {
    if skipped(no_store()) {
        return;
    }
    let mut cluster = Cluster::start(3, &[]);
    let descriptor = Descriptor::guessed(26);
    // The bad one is queried first for the layout of the slots.
    let mut addresses = cluster.addresses();
    addresses.swap(0, 1);
    let agent = Agent::start(&addresses, "");
    let server_of = server_of(&descriptor);
    let mut load = Load::new(&descriptor, &agent);
    load.wait_until_answered();
    let begin = Instant::now();
    let (mut of_others, mut answered, mut late) = (0, 0, 0);
    let (control, mut slowest) = (Control::start(), ("", Duration::ZERO));
    cluster.servers[1].kill();
    let bad = Fake::start(cluster.servers[1].port);
    let speeches = speeches();
    for (name, speech) in &speeches {
        bad.speak(*speech);
        for _ in 0..40 {
            load.longest = Duration::ZERO;
            for (server, (done, failed)) in load.run(1, &server_of) {
                if server == 1 {
                    assert_eq!(done, 0, "{name}: nobody has these");
                } else {
                    of_others += done + failed;
                    answered += done;
                }
            }
            slowest = if load.longest > slowest.1 { (name, load.longest) } else { slowest };
            late += u32::from(load.longest > Duration::from_millis(60));
        }
    }
    println!(
        "torture: {} ways of speaking, of the other nodes' share {answered} of {of_others} answered; {late} \
         calls over 60 ms",
        speeches.len()
    );
    let lateness = control.end();
    assert!(slowest.1 < TIMEOUT + lateness.delay(), "{slowest:?}, {lateness:?}");
    let least = (0.99 - lateness.excused()) * f64::from(of_others);
    assert!(f64::from(answered) >= least, "{answered} of {of_others}, {lateness:?}");

    let minutes = usize::try_from(begin.elapsed().as_secs() / 60).unwrap() + 1;
    let log = agent.log();
    let lines = |part: &str| log.lines().filter(|line| line.contains(part)).count();
    let address = format!("{}: ", cluster.servers[1].address());
    let of_functions = lines(&format!("{address}the functions "));
    assert!(of_functions <= minutes, "{log}");
    assert!((1..=minutes).contains(&(lines(&address) - of_functions)), "{log}");
    assert!(lines("a request failed") <= minutes, "{log}");
    assert!(log.lines().all(|line| line.len() < 400), "{log}");
    let peak = agent.peak_kilobytes();
    assert!(peak < 64 << 10, "{peak} KiB");

    // It comes to its senses: nothing has to be started again.
    drop(bad);
    cluster.servers[1].restart();
    load.wait_until_answered();
    let density = cluster.density();
    assert!((density - 0.5).abs() < 0.002, "{density}");
}

/// Several callers at once, and a node that keeps every one of them waiting as long as it can: no thread of
/// the agent is kept for longer than the others can do without.
#[test]
fn a_node_that_holds_on_to_what_it_is_asked_keeps_no_worker() {
    if skipped(no_store()) {
        return;
    }
    let mut cluster = Cluster::start(3, &[]);
    let descriptor = Descriptor::guessed(26);
    let agent = Agent::start(&cluster.addresses(), "");
    Load::new(&descriptor, &agent).wait_until_answered();
    cluster.servers[1].kill();
    let bad = Fake::start(cluster.servers[1].port);
    for (name, speech) in [("dripping", dripping as Speech), ("endless", endless), ("silent", silent)] {
        bad.speak(speech);
        let control = Control::start();
        let went = thread::scope(|scope| {
            let caller = || {
                let mut load = Load::new(&descriptor, &agent);
                load.run(150, server_of(&descriptor))
            };
            let callers: Vec<_> = (0..6).map(|_| scope.spawn(caller)).collect();
            callers.into_iter().map(|caller| caller.join().unwrap()).collect::<Vec<_>>()
        });
        let of_others = |went: &(u32, u32)| (went.0, went.0 + went.1);
        let (answered, asked) = went
            .iter()
            .flat_map(|one| one.iter().filter(|(server, _)| **server != 1).map(|(_, went)| of_others(went)))
            .fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
        let lateness = control.end();
        let least = (0.97 - lateness.excused()) * f64::from(asked);
        assert!(f64::from(answered) >= least, "{name}: {answered} of {asked}, {lateness:?}");
    }
}
