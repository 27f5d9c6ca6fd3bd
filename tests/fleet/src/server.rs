//! A server of a store, on a port of its own.

use std::{fs, path::PathBuf, process::Stdio, time::Duration};

use nearmiss_agent::functions;
use nearmiss_tests::{
    filters::set_mode,
    process::Process,
    store::{careful, server, server_program},
};
use redis::{Cmd, Connection, Value};
use rustix::process::Signal;
use tempfile::TempDir;

use crate::{free_port, wait_for};

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
        self.process = Some(Process::of(child));
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

    /// The port by which the servers of its cluster speak to each other.
    pub(super) fn bus_port(&self) -> &str {
        let at = self.options.iter().position(|option| option == "--cluster-port").expect("one of a cluster");
        self.options.get(at + 1).expect("the bus port")
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
        set_mode(self.folder.path(), 0o755);
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
