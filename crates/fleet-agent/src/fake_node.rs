//! A node for tests: it replies to each command as scripted, and records the commands.

use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use crate::{
    cluster::{Address, Cluster, Connector},
    config::Config,
    functions,
};

/// Longer than any load lasts, so that no test depends on a clock.
pub(crate) const LONG: Duration = Duration::from_secs(600);

/// The reply to the words of a command, in the wire format.
type Speech = dyn Fn(&[&str]) -> Vec<u8> + Send + Sync;

/// The commands to a node, by connection.
type Asked = Arc<Mutex<Vec<Vec<Vec<String>>>>>;

/// A node on the loopback interface, which listens until the tests end.
pub(crate) struct FakeNode {
    pub(crate) address: Address,
    speech: Arc<Mutex<Arc<Speech>>>,
    asked: Asked,
}

impl FakeNode {
    /// A node with these replies.
    pub(crate) fn start(speech: impl Fn(&[&str]) -> Vec<u8> + Send + Sync + 'static) -> FakeNode {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string().parse().unwrap();
        let speech: Arc<Mutex<Arc<Speech>>> = Arc::new(Mutex::new(Arc::new(speech)));
        let asked = Asked::default();
        let node = FakeNode { address, speech: Arc::clone(&speech), asked: Arc::clone(&asked) };
        thread::spawn(move || {
            for (number, peer) in listener.incoming().flatten().enumerate() {
                asked.lock().unwrap().push(Vec::new());
                let (speech, asked) = (Arc::clone(&speech), Arc::clone(&asked));
                thread::spawn(move || {
                    serve(&peer, &speech, |words| asked.lock().unwrap()[number].push(words));
                });
            }
        });
        node
    }

    /// The only node of a store, which has all slots.
    pub(crate) fn alone(speech: impl Fn(&[&str]) -> Vec<u8> + Send + Sync + 'static) -> FakeNode {
        FakeNode::start(move |words| if words[0] == "CLUSTER" { NO_CLUSTER.to_vec() } else { speech(words) })
    }

    /// Replaces its replies.
    pub(crate) fn speak(&self, speech: impl Fn(&[&str]) -> Vec<u8> + Send + Sync + 'static) {
        *self.speech.lock().unwrap() = Arc::new(speech);
    }

    /// The commands on each connection, in order.
    pub(crate) fn by_connection(&self) -> Vec<Vec<Vec<String>>> {
        self.asked.lock().unwrap().clone()
    }

    /// The commands of this name, on all connections.
    pub(crate) fn asked(&self, name: &str) -> Vec<Vec<String>> {
        self.by_connection().concat().into_iter().filter(|words| words[0] == name).collect()
    }
}

/// The reply to the request for slots of a node that is not part of a cluster.
pub(crate) const NO_CLUSTER: &[u8] = b"-ERR This instance has cluster support disabled\r\n";

/// The reply to a user without permission.
pub(crate) const REFUSED: &[u8] = b"-NOPERM this user has no permissions\r\n";

/// The reply to the request for slots: the first and the last slot of each range, and its owner.
pub(crate) fn slots(ranges: &[(u16, u16, &Address)]) -> Vec<u8> {
    let range = |(first, last, node): &(u16, u16, &Address)| {
        let Address { host, port } = node;
        format!("*3\r\n:{first}\r\n:{last}\r\n*2\r\n${}\r\n{host}\r\n:{port}\r\n", host.len())
    };
    format!("*{}\r\n{}", ranges.len(), ranges.iter().map(range).collect::<String>()).into_bytes()
}

/// An array of texts, in the wire format.
pub(crate) fn texts(words: &[&str]) -> Vec<u8> {
    let one = |word: &&str| format!("${}\r\n{word}\r\n", word.len());
    format!("*{}\r\n{}", words.len(), words.iter().map(one).collect::<String>()).into_bytes()
}

/// The reply to the request for the functions, of a node with this code under their name, or without any.
pub(crate) fn libraries(code: Option<&str>) -> Vec<u8> {
    let Some(code) = code else { return b"*0\r\n".to_vec() };
    let name = functions::library();
    [b"*1\r\n", &texts(&["library_name", name, "library_code", code])[..]].concat()
}

/// A store without encryption, with these nodes as seeds.
pub(crate) fn config(nodes: &[&FakeNode]) -> Config {
    let nodes = nodes.iter().map(|node| node.address.clone()).collect();
    Config { nodes, tls: false, ..Config::default() }
}

/// Without encryption, and with the timeout of tests.
pub(crate) fn connector() -> Connector {
    Connector::of(&config(&[]), "user", None, LONG).unwrap()
}

/// A store with these nodes as seeds.
pub(crate) fn cluster(nodes: &[&FakeNode]) -> Cluster {
    Cluster::new(connector(), nodes.iter().map(|node| node.address.clone()).collect())
}

/// The deadline of a test.
pub(crate) fn late() -> Instant {
    Instant::now() + LONG
}

fn serve(mut peer: &TcpStream, speech: &Mutex<Arc<Speech>>, note: impl Fn(Vec<String>)) {
    let mut reader = BufReader::new(peer);
    while let Some(words) = command(&mut reader) {
        let speech = Arc::clone(&speech.lock().unwrap());
        let reply = speech(&words.iter().map(String::as_str).collect::<Vec<_>>());
        note(words);
        if peer.write_all(&reply).is_err() {
            return;
        }
    }
}

/// A command from a client; none after the connection was closed.
fn command(from: &mut impl BufRead) -> Option<Vec<String>> {
    let words = (0..number(from, '*')?).map(|_| {
        let mut word = vec![0; number(from, '$')? + 2];
        from.read_exact(&mut word).ok()?;
        word.truncate(word.len() - 2);
        Some(String::from_utf8_lossy(&word).into_owned())
    });
    words.collect()
}

fn number(from: &mut impl BufRead, mark: char) -> Option<usize> {
    let mut line = String::new();
    from.read_line(&mut line).ok()?;
    line.trim_end().strip_prefix(mark)?.parse().ok()
}
