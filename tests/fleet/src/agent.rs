//! An agent before servers.

use std::{
    fs,
    io::{Read, Write},
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    time::Duration,
};

use nearmiss_agent::shards::Ladder;
use nearmiss_filters::ladder::{
    Agent as Client,
    fleet::frame::{Reply, Request, Status},
};
use nearmiss_tests::{
    artifacts::program,
    filters::set_mode,
    process::{Process, bound_to_this_test},
};
use rustix::process::Signal;
use tempfile::TempDir;

use crate::wait_for;

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
        set_mode(folder.path(), 0o755);
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
        let child = bound_to_this_test(&program("nearmiss-agent"))
            .arg("--conf")
            .arg(self.path("agent.toml"))
            .stderr(log)
            .spawn();
        self.process = Some(Process::of(child.expect("the agent can be started")));
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
        self.process.as_ref().expect("it runs").peak_kilobytes()
    }

    /// The users, groups and additional groups that it runs as, as the kernel names them.
    pub fn identity(&self) -> Vec<String> {
        self.process.as_ref().expect("it runs").identity()
    }

    /// Ends it at once.
    pub fn kill(&mut self) {
        self.process = None;
    }

    /// The reply to a request, for a process that sends it once.
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

/// The reply of the agent at this socket to a process that sends its request once; none if it is late.
pub fn ask(socket: &Path, request: &Request) -> Option<Reply> {
    let reply = Client::new(socket.to_owned()).request(request).expect("nothing is lacking");
    reply.filter(|reply| reply.status == Status::Done)
}
