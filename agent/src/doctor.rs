//! What is wrong with the settings of a store: what would write places of rungs down, who could watch them,
//! and what the agent's user may do beyond its work. Each finding has the line that mends it.

mod finding;
mod rights;
mod settings;

use std::{
    io::Write,
    path::PathBuf,
    time::{Duration, Instant},
};

use redis::{Cmd, Value};

pub use self::finding::{Finding, State};
use crate::{
    cluster::{Address, Cluster, Connection, Connections, Connector, Fault},
    config::{Config, read_password},
    functions::{self, Held},
};

/// An administrator waits longer than a login.
const PATIENCE: Duration = Duration::from_secs(3);

/// The line that an administrator types.
const LOAD: &str = "filterctl fleet init --functions --store-user USER --store-password-file FILE";

/// Reads the settings of every node with an administrator's account, and says what is wrong.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// A user of the store that may run CONFIG GET, ACL, INFO and FUNCTION LIST.
    #[arg(long, value_name = "USER", default_value = "default")]
    user: String,
    /// The file with that user's password on one line.
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// Reads the files that a configuration names.
///
/// # Errors
/// Which file cannot be used, and why.
pub fn check_files(config: &Config) -> Result<(), String> {
    Connector::new(config).map(drop).map_err(|error| error.to_string())
}

impl Args {
    /// Examines every node and writes what was found; gives the worst of it.
    ///
    /// # Errors
    /// A file cannot be read, no node can be reached, or `out` cannot be written.
    pub fn run(&self, config: &Config, out: &mut dyn Write) -> Result<State, String> {
        let password = self.password_file.as_deref().map(read_password).transpose();
        let password = password.map_err(|error| error.to_string())?;
        let password = password.as_ref().map(|password| password.as_str());
        let connect = || Connector::of(config, &self.user, password, PATIENCE).map_err(|e| e.to_string());
        let mut nodes = Vec::new();
        for seeds in [&config.nodes, &config.far_nodes].into_iter().filter(|seeds| !seeds.is_empty()) {
            let cluster = Cluster::new(connect()?, seeds.clone());
            cluster.refresh(&mut Connections::default(), soon());
            nodes.extend(cluster.nodes());
        }
        let connector = connect()?;
        let examine = |node: &Address| {
            let found = Node::examine(&connector, node, config);
            if found.is_empty() { vec![Finding::well()] } else { found }
        };
        let of_node = |node| examine(node).into_iter().map(|finding| finding.of(node));
        let findings: Vec<Finding> = nodes.iter().flat_map(of_node).collect();
        finding::write(&findings, self.json, out).map_err(|error| error.to_string())?;
        Ok(findings.iter().map(|finding| finding.state).max().unwrap_or(State::Fine))
    }
}

/// A node that is asked for its settings.
struct Node(Connection);

impl Node {
    fn examine(connector: &Connector, node: &Address, config: &Config) -> Vec<Finding> {
        let mut node = match connector.connect(node, soon()) {
            Ok(connection) => Node(connection),
            Err(fault) => return vec![unreachable_node(&fault.to_string(), config)],
        };
        let mut findings = settings::examine(&mut node, config);
        findings.extend(node.functions());
        findings.extend(rights::examine(&mut node, config));
        findings
    }

    /// The reply to a command; none, and a finding, where it is refused.
    fn ask(&mut self, command: &Cmd) -> Result<Value, String> {
        let reply = self
            .0
            .ask(&[command], soon())
            .and_then(|mut replies| replies.pop().unwrap_or(Err(Fault::Timeout)));
        reply.map_err(|fault| fault.to_string())
    }

    fn functions(&mut self) -> Option<Finding> {
        let wrong = |fault: &Fault| Some(Finding::new(fault.to_string(), LOAD));
        match self.ask(&functions::list()).map(|reply| functions::held(&reply)) {
            Ok(Held::Same) => None,
            Ok(Held::Missing) => wrong(&Fault::NoFunctions),
            Ok(Held::Different) => wrong(&Fault::OtherFunctions),
            Err(error) => Some(Finding::new(
                format!("its functions cannot be listed: {error}"),
                "a store of Redis 7.0 or Valkey 7.2 or later, and a user that may run FUNCTION LIST",
            )),
        }
    }
}

fn soon() -> Instant {
    let now = Instant::now();
    now.checked_add(PATIENCE).unwrap_or(now)
}

fn unreachable_node(words: &str, config: &Config) -> Finding {
    let mend = if config.tls {
        format!(
            "look at the node's log; its certificate must be signed by {} and name the address above",
            config.ca.display()
        )
    } else {
        "look at the node's log".to_owned()
    };
    Finding::new(format!("cannot be spoken to: {words}"), mend)
}

/// Every text in a value, at any depth.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::BulkString(bytes) => vec![String::from_utf8_lossy(bytes).into_owned()],
        Value::SimpleString(text) => vec![text.clone()],
        Value::Okay => vec!["OK".to_owned()],
        Value::Array(parts) => parts.iter().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}
