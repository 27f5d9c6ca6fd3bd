//! Servers of a store on the loopback, an agent before them, and the ladder of a fleet.
//!
//! The servers are this machine's, or unpacked beside the build and never installed (`tools/unpack.sh`), or
//! the one that `NEARMISS_STORE_SERVER` names (`tools/stores.sh` fetches others). Each has ports of its
//! own, lives in a folder of its own, and is ended by its own number.

use std::{
    fs,
    io::{Read, Write},
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::OnceLock,
    thread,
    time::{Duration, Instant},
};

use nearmiss_agent::{functions, shards::Ladder};
use nearmiss_filters::ladder::{
    Agent as Client, Cost, Fleet, FleetLadder, Header, LadderFiles, NewLadder, Params, create_descriptor,
    fleet::frame::{Reply, Request},
};
use redis::{Cmd, Connection, Value};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

pub use crate::ports::free_port;
use crate::{
    artifacts::{agent, variable},
    lateness::HANGS,
    skip::is_root,
    sshd::{libraries, program},
};

/// Settings by which nothing is written down, whatever the server, and with limits.
const CAREFUL: [&str; 14] = [
    "--appendonly",
    "no",
    "--save",
    "",
    "--slowlog-log-slower-than",
    "-1",
    "--crash-log-enabled",
    "no",
    "--maxmemory",
    "256mb",
    "--proto-max-bulk-len",
    "1mb",
    "--busy-reply-threshold",
    "100",
];
/// The careful settings of Valkey 8.1 and later.
const CAREFUL_VALKEY: [&str; 4] =
    ["--commandlog-request-larger-than", "-1", "--commandlog-reply-larger-than", "-1"];

/// The options of every server, except its ports: nothing is written to disk.
pub fn careful() -> Vec<&'static str> {
    static SETTINGS: OnceLock<Vec<&'static str>> = OnceLock::new();
    let look = || {
        let told = server_program().and_then(|program| server(&program).arg("--version").output().ok());
        let version = told.map(|told| String::from_utf8_lossy(&told.stdout).into_owned()).unwrap_or_default();
        let is_before = ["v=7.", "v=8.0"].iter().any(|old| version.contains(old));
        let more: &[&str] = if version.starts_with("Valkey") && !is_before { &CAREFUL_VALKEY } else { &[] };
        [&CAREFUL, more].concat()
    };
    SETTINGS.get_or_init(look).clone()
}

/// The server that `NEARMISS_STORE_SERVER` names; else this machine's, or the one unpacked beside the build.
pub fn server_program() -> Option<PathBuf> {
    match variable("NEARMISS_STORE_SERVER") {
        Some(named) => Some(PathBuf::from(named)),
        None => ["/usr/bin/valkey-server", "/usr/bin/redis-server"].into_iter().find_map(program),
    }
}

fn server(program: &Path) -> Command {
    let mut command = bound_to_this_test(program);
    command.env("LD_LIBRARY_PATH", libraries());
    command
}

/// Why there is no store, if there is none.
pub fn no_store() -> Option<&'static str> {
    if !is_root() {
        return Some("needs root: the agent's socket is for root alone");
    }
    let runs =
        |program: PathBuf| server(&program).arg("--version").output().is_ok_and(|told| told.status.success());
    (!server_program().is_some_and(runs)).then_some("needs redis-server (tests/tools/unpack.sh fetches it)")
}

/// Waits until something holds, for as long as a busy machine may need.
pub fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + HANGS;
    while !holds() {
        assert!(Instant::now() < end, "{what} did not come about");
        thread::sleep(Duration::from_millis(20));
    }
}

/// A program that ends with the test, however that ends, and leaves no memory on disk.
fn bound_to_this_test(program: &Path) -> Command {
    let mut command = Command::new("prlimit");
    command.args(["--core=0", "setpriv", "--pdeathsig", "KILL"]).arg(program);
    command
}

/// A process that is ended by its number.
pub struct Process(Child);

impl Process {
    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        let number = Pid::from_raw(i32::try_from(self.0.id()).expect("a number")).expect("not zero");
        kill_process(number, signal).expect("it is there");
    }

    /// The processor time that it has used, in steps of 10 ms.
    fn processor_time(&self) -> Duration {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.0.id())).expect("it can be read");
        // What follows the name, which may have anything in it: utime and stime are the 14th and 15th in all.
        let fields = stat.rsplit(") ").next().expect("fields").split(' ').skip(11).take(2);
        let ticks: u64 = fields.map(|field| field.parse::<u64>().expect("a number")).sum();
        Duration::from_millis(ticks * 10)
    }

    /// True if it has ended.
    pub fn has_ended(&mut self) -> bool {
        self.0.try_wait().expect("it can be asked").is_some()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server of a store.
pub struct Server {
    /// Its socket.
    pub port: u16,
    folder: TempDir,
    options: Vec<String>,
    process: Option<Process>,
    /// An administrator loads the functions whenever it has started.
    is_initialised: bool,
}

impl Server {
    /// Starts a server with these options beside its ports.
    pub fn start(options: &[&str]) -> Server {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let options = options.iter().map(ToString::to_string).collect();
        let mut server = Server { port: free_port(), folder, options, process: None, is_initialised: false };
        server.restart();
        server
    }

    /// One of a cluster.
    pub fn of_cluster(options: &[&str]) -> Server {
        let bus = free_port().to_string();
        let cluster = ["--cluster-enabled", "yes", "--cluster-port", &bus, "--cluster-node-timeout", "1000"];
        let rest = ["--cluster-require-full-coverage", "no"];
        Server::with_functions(&[&cluster[..], &rest, &careful(), options].concat())
    }

    /// Starts it again, with an empty memory.
    pub fn restart(&mut self) {
        let program = server_program().expect("there is a server");
        let port = self.port.to_string();
        let log = fs::File::options().create(true).append(true).open(self.path("log")).expect("a log");
        let child = server(&program)
            .args(["--port", &port, "--bind", "127.0.0.1", "--daemonize", "no", "--dir"])
            .arg(self.folder.path())
            .args(&self.options)
            .stdout(log)
            .stderr(Stdio::null())
            .spawn()
            .expect("the server can be started");
        self.process = Some(Process(child));
        wait_for("a server that replies", || self.try_connect().is_ok());
        if self.is_initialised {
            self.load_functions();
        }
    }

    /// Starts a server with these options, which has the functions now and after each restart.
    pub fn with_functions(options: &[&str]) -> Server {
        let mut server = Server::start(options);
        server.is_initialised = true;
        server.load_functions();
        server
    }

    /// The same without the functions, as no administrator cares for it.
    pub fn restart_empty(&mut self) {
        self.is_initialised = false;
        self.restart();
    }

    /// Loads the functions, as `filterctl fleet init --functions` does. A replica has its master's.
    pub fn load_functions(&self) {
        wait_for("a server that takes the functions", || {
            match self.try_ask(&["FUNCTION", "LOAD", "REPLACE", functions::text()]) {
                Ok(_) => true,
                Err(error) => error.to_string().to_lowercase().contains("read only replica"),
            }
        });
    }

    /// A file of its folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `HOST:PORT`.
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// The path of the socket that it has with `--unixsocket store.sock`.
    pub fn socket(&self) -> String {
        crate::filters::set_mode(self.folder.path(), 0o755);
        self.path("store.sock").display().to_string()
    }

    fn try_connect(&self) -> redis::RedisResult<Connection> {
        let is_encrypted = self.options.iter().any(|option| option == "--tls-port");
        let control = || format!("unix://{}", self.path("control.sock").display());
        let place = if is_encrypted { control() } else { format!("redis://{}/", self.address()) };
        redis::Client::open(place)?.get_connection()
    }

    /// A connection to it.
    pub fn connect(&self) -> Connection {
        self.try_connect().expect("the server replies")
    }

    /// The reply to a command.
    pub fn ask(&self, words: &[&str]) -> Value {
        self.try_ask(words).unwrap_or_else(|error| panic!("{words:?}: {error}"))
    }

    /// The reply to a command.
    ///
    /// # Errors
    /// The connection's errors, and an error that the server replies with.
    pub fn try_ask(&self, words: &[&str]) -> redis::RedisResult<Value> {
        let [first, rest @ ..] = words else { panic!("no command") };
        let mut command: Cmd = redis::cmd(first);
        command.arg(rest).query(&mut self.try_connect()?)
    }

    fn try_shards(&self) -> redis::RedisResult<Vec<(String, Vec<u8>)>> {
        let mut connection = self.try_connect()?;
        let keys: Vec<String> = redis::cmd("KEYS").arg("nm1:*").query(&mut connection)?;
        let get = |key: String| Ok((key.clone(), redis::cmd("GET").arg(&key).query(&mut connection)?));
        keys.into_iter().map(get).collect()
    }

    /// Every shard that it has, its key and its bytes, as soon as it gives them: one that has just been
    /// started, or is to take another's place, refuses for a while.
    pub fn shards(&self) -> Vec<(String, Vec<u8>)> {
        let mut shards = Vec::new();
        wait_for("a server that gives its shards", || match self.try_shards() {
            Ok(given) => {
                shards = given;
                true
            }
            Err(_) => false,
        });
        shards
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        self.process.as_ref().expect("it runs").signal(signal);
    }

    /// Ends it at once.
    pub fn kill(&mut self) {
        self.process = None;
    }

    /// The processor time that it has used.
    pub fn processor_time(&self) -> Duration {
        self.process.as_ref().expect("it runs").processor_time()
    }

    /// Waits until it has ended.
    pub fn wait_for_end(&mut self) {
        let process = self.process.as_mut().expect("it was started");
        wait_for("the end of a server", || process.has_ended());
    }

    /// True if it knows this setting.
    pub fn has_setting(&self, name: &str) -> bool {
        matches!(self.ask(&["CONFIG", "GET", name]), Value::Array(found) if !found.is_empty())
    }
}

/// A cluster of masters that share the slots evenly.
pub struct Cluster {
    /// The masters.
    pub servers: Vec<Server>,
}

impl Cluster {
    /// Starts so many, with these options besides.
    pub fn start(count: u16, options: &[&str]) -> Cluster {
        let cluster = Cluster { servers: (0..count).map(|_| Server::of_cluster(options)).collect() };
        for (number, server) in (0_u32..).zip(&cluster.servers) {
            let bound = |part: u32| (16_384 * part / u32::from(count)).to_string();
            let last = (16_384 * (number + 1) / u32::from(count) - 1).to_string();
            server.ask(&["CLUSTER", "ADDSLOTSRANGE", &bound(number), &last]);
        }
        for server in cluster.servers.iter().skip(1) {
            cluster.introduce(server);
        }
        cluster.wait_until_whole();
        cluster
    }

    /// Has another server meet the first one.
    pub fn introduce(&self, server: &Server) {
        let first = self.servers.first().expect("at least one");
        let (port, bus) = (first.port.to_string(), first.options.get(3).expect("the bus port"));
        server.ask(&["CLUSTER", "MEET", "127.0.0.1", &port, bus]);
    }

    /// Waits until every server knows every other.
    pub fn wait_until_whole(&self) {
        let count = format!("cluster_known_nodes:{}", self.servers.len());
        let is_whole = |server: &Server| {
            let Ok(info) = server.try_ask(&["CLUSTER", "INFO"]) else { return false };
            let text = text(&info);
            text.contains("cluster_state:ok")
                && text.contains(&count)
                && text.contains("cluster_slots_ok:16384")
        };
        wait_for("a whole cluster", || self.servers.iter().all(is_whole));
    }

    /// The addresses of all.
    pub fn addresses(&self) -> Vec<String> {
        self.servers.iter().map(Server::address).collect()
    }

    /// The number of shards' keys in all.
    pub fn keys(&self) -> usize {
        let count = |server: &Server| match server.ask(&["KEYS", "nm1:*"]) {
            Value::Array(keys) => keys.len(),
            other => panic!("{other:?}"),
        };
        self.servers.iter().map(count).sum()
    }

    /// Every shard that is there: its key and its bytes.
    pub fn shards(&self) -> Vec<(String, Vec<u8>)> {
        self.servers.iter().flat_map(Server::shards).collect()
    }

    /// The share of ones in all shards.
    pub fn density(&self) -> f64 {
        let shards = self.shards();
        let ones: u64 =
            shards.iter().flat_map(|(_, bytes)| bytes).map(|byte| u64::from(byte.count_ones())).sum();
        ones as f64 / (shards.len() as f64 * 524_288.0)
    }
}

/// The text in a value.
pub fn text(value: &Value) -> String {
    match value {
        Value::BulkString(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Value::SimpleString(text) | Value::VerbatimString { text, .. } => text.clone(),
        other => format!("{other:?}"),
    }
}

/// An agent in a folder of its own.
pub struct Agent {
    folder: TempDir,
    process: Option<Process>,
}

impl Agent {
    /// Starts an agent before these nodes, without encryption; `more` is added to its configuration.
    pub fn start(nodes: &[String], more: &str) -> Agent {
        Agent::configured(&format!("tls = false\nnodes = {nodes:?}\n{more}\n"))
    }

    /// Starts an agent with this configuration.
    pub fn configured(text: &str) -> Agent {
        let folder = tempfile::tempdir().expect("a folder can be made");
        // The agent switches to another user, who reads its files here.
        crate::filters::set_mode(folder.path(), 0o755);
        let mut agent = Agent { folder, process: None };
        let socket = agent.socket();
        let text = format!("socket = {:?}\nrun_as = \"nobody\"\n{text}", socket.display().to_string());
        fs::write(agent.path("agent.toml"), text).expect("a file can be written");
        agent.restart();
        agent
    }

    /// Starts it again.
    pub fn restart(&mut self) {
        self.process = None;
        let log = fs::File::options().create(true).append(true).open(self.path("log")).expect("a log");
        let child =
            bound_to_this_test(&agent()).arg("--config").arg(self.path("agent.toml")).stderr(log).spawn();
        self.process = Some(Process(child.expect("the agent can be started")));
        wait_for("the agent's socket", || UnixStream::connect(self.socket()).is_ok());
    }

    /// A file of its folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Its socket.
    pub fn socket(&self) -> PathBuf {
        self.path("agent.sock")
    }

    /// Its log.
    pub fn log(&self) -> String {
        fs::read_to_string(self.path("log")).unwrap_or_default()
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        self.process.as_ref().expect("it runs").signal(signal);
    }

    /// The processor time that it has used.
    pub fn processor_time(&self) -> Duration {
        self.process.as_ref().expect("it runs").processor_time()
    }

    /// The most memory that it ever had.
    pub fn peak_kilobytes(&self) -> u64 {
        let number = self.process.as_ref().expect("it runs").0.id();
        let status = fs::read_to_string(format!("/proc/{number}/status")).expect("it can be read");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    /// Ends it at once.
    pub fn kill(&mut self) {
        self.process = None;
    }

    /// The reply to a request, as a process gets it that asks once.
    pub fn ask(&self, request: &Request) -> Option<Reply> {
        ask(&self.socket(), request)
    }

    /// The reply, however often the machine is too busy for it.
    pub fn ask_until_answered(&self, request: &Request) -> Reply {
        let mut reply = None;
        wait_for("an answer", || {
            reply = self.ask(request);
            reply.is_some()
        });
        reply.expect("an answer")
    }

    /// Its answer about itself, with the density of a ladder.
    pub fn state(&self, ladder: Option<Ladder>) -> serde_json::Value {
        let mut request = [0; 16];
        request[..2].copy_from_slice(&nearmiss_agent::STATUS_BYTES);
        if let Some(Ladder { tag, log_bits }) = ladder {
            request[3] = log_bits;
            request[4..8].copy_from_slice(&tag);
        }
        let mut peer = UnixStream::connect(self.socket()).expect("the agent listens");
        peer.write_all(&request).expect("it takes the request");
        let mut told = String::new();
        peer.read_to_string(&mut told).expect("it replies");
        serde_json::from_str(&told).expect("JSON")
    }
}

/// The reply of the agent at this socket to a process that asks once.
pub fn ask(socket: &Path, request: &Request) -> Option<Reply> {
    Client::new(socket.to_owned()).ask(request).expect("nothing is lacking")
}

/// The descriptor and the key of a fleet's ladder, as each host has them.
pub struct Descriptor {
    folder: TempDir,
    /// Its text.
    pub header: Header,
}

impl Descriptor {
    /// The ladder of guessed passwords, 48/44, with 2 to this power of bits.
    pub fn guessed(log_bits: u8) -> Descriptor {
        Descriptor::made(Params::new(1 << log_bits, 48, 44, 1).expect("legal"), None)
    }

    /// A ladder of chosen passwords: 16 rungs, three steps a password, the cheapest slow hash.
    pub fn chosen(log_bits: u8) -> Descriptor {
        Descriptor::made(Params::new(1 << log_bits, 16, 16, 3).expect("legal"), Cost::new(64, 1))
    }

    fn made(params: Params, cost: Option<Cost>) -> Descriptor {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let file = folder.path().join("fleet.ladder");
        let files = LadderFiles { key: FleetLadder::key_of(&file), file };
        let header = create_descriptor(&files, &NewLadder { params, cost, stamps: 0 });
        Descriptor { header: header.expect("a descriptor"), folder }
    }

    /// Its place.
    pub fn file(&self) -> PathBuf {
        self.folder.path().join("fleet.ladder")
    }

    /// Its name in the store.
    pub fn ladder(&self) -> Ladder {
        let [a, b, c, d, ..] = self.header.id;
        let log_bits = u8::try_from(self.header.params.bits().trailing_zeros()).expect("at most 36");
        Ladder { tag: [a, b, c, d], log_bits }
    }

    /// The ladder itself, with its key.
    pub fn open(&self) -> FleetLadder {
        FleetLadder::open(&self.file()).expect("it can be opened").expect("it is there")
    }

    /// A host that has joined, with an agent at this socket.
    pub fn host(&self, socket: &Path) -> Fleet {
        let mut fleet = Fleet::new(Client::new(socket.to_owned()));
        fleet.add(self.open());
        fleet
    }
}
