//! What is wrong with the settings of a store: what would write places of rungs down, who could watch them,
//! and what the agent's user may do beyond its work. Each finding has the line that mends it.

mod finding;
mod rights;
mod settings;

use std::io::Write;

use redis::{Cmd, Value};

pub use self::finding::{Finding, State};
use crate::{
    account::{Account, ask},
    cluster::{Connection, Connector, Fault},
    config::Config,
    functions::{self, Held},
};

/// The line that an administrator types.
const LOAD: &str = "filterctl fleet init --functions --store-user USER --store-password-file FILE";

/// Reads the settings of every node with an administrator's account, and says what is wrong.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    account: Account,
}

/// Reads the files that a configuration names, and looks whether the agent would connect to its nodes at all.
///
/// # Errors
/// Which file cannot be used, or which node is never connected to, and why.
pub fn check_files(config: &Config) -> Result<(), String> {
    let connector = Connector::new(config).map_err(|error| error.to_string())?;
    config.nodes.iter().chain(&config.far_nodes).try_for_each(|node| {
        connector.check_way(node).map_err(|fault| format!("{node}: the agent never connects to it: {fault}"))
    })
}

impl Args {
    /// Examines every node and writes what was found; gives the worst of it.
    ///
    /// # Errors
    /// A file cannot be read, no node can be reached, or `out` cannot be written.
    pub fn run(&self, config: &Config, out: &mut dyn Write) -> Result<State, String> {
        let findings = self.account.at_each_node(config, |node, connection| {
            let found = match connection {
                Ok(connection) => Node(connection).examine(config),
                Err(fault) => vec![unreachable_node(&fault.to_string(), config)],
            };
            let found = if found.is_empty() { vec![Finding::well()] } else { found };
            found.into_iter().map(|finding| finding.of(node)).collect::<Vec<_>>()
        })?;
        let findings = findings.concat();
        finding::write(&findings, self.account.json, out).map_err(|error| error.to_string())?;
        Ok(findings.iter().map(|finding| finding.state).max().unwrap_or(State::Fine))
    }
}

/// A node that is asked for its settings.
struct Node(Connection);

impl Node {
    fn examine(mut self, config: &Config) -> Vec<Finding> {
        let mut findings = settings::examine(&mut self, config);
        findings.extend(self.functions());
        findings.extend(rights::examine(&mut self, config));
        findings
    }

    /// The reply to a command; none, and a finding, where it is refused.
    fn ask(&mut self, command: &Cmd) -> Result<Value, String> {
        ask(&mut self.0, command).map_err(|fault| fault.to_string())
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

#[cfg(test)]
mod tests;
