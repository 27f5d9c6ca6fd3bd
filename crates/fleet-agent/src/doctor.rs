//! Errors in the settings of a store: settings that write positions of rungs to disk, users who could observe
//! them, and excess rights of the agent's user; and states in which it refuses every step (`service`). Each
//! finding has the line that fixes it.

mod rights;
mod service;
mod settings;

use std::{io::Write, path::Path};

use nearmiss_cli::{
    failure::{Failure, Outcome},
    finding::{Examined, Finding, worst},
    keys::{self, Keyed},
    report,
};
use nearmiss_filters::ladder::fleet::untrusted_folder;
use redis::{Cmd, Value};

use crate::{
    account::{Account, Nodes, ask, at_each_node},
    cluster::{Address, Cluster, Connection, Connector, Fault},
    config::{Config, check_secret},
    functions::{self, Held},
};

/// The name of this check.
const CHECK: &str = "store";

/// The line that an administrator types.
const LOAD: &str = "filterctl fleet init --functions --store-user USER --store-password-file FILE";

/// Reads the settings of every node with an administrator's account, and reports what is wrong.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    account: Account,
}

/// Reads the files that a configuration names, and checks that others cannot read or write its secrets, that
/// the module would use its socket, and that the agent would connect to its nodes at all. A node that is
/// unreachable now, such as a socket that its store has yet to make, is no fault of the configuration.
///
/// # Errors
/// The file or the socket that cannot be used, or the node that is never connected to, and the reason.
pub fn check_files(config: &Config) -> Result<(), Failure> {
    [&config.password_file, &config.key].into_iter().flatten().try_for_each(|file| check_secret(file))?;
    check_socket(&config.socket)?;
    let connector = Connector::new(config)?;
    config.nodes.iter().chain(&config.far_nodes).try_for_each(|node| match connector.check_way(node) {
        Err(fault @ Fault::Refused(_)) => {
            Err(Failure::new(format!("{node}: the agent will never connect to it"), fault))
        }
        _ => Ok(()),
    })
}

/// The module uses no socket that other users could replace. The folder may be made later.
fn check_socket(socket: &Path) -> Result<(), Failure> {
    match untrusted_folder(socket.parent().unwrap_or(Path::new("/"))) {
        Ok(Some(rule)) => Err(Failure::new("the module will never use the socket", rule)),
        _ => Ok(()),
    }
}

impl Args {
    /// Examines every node and writes the findings; returns the worst state.
    ///
    /// # Errors
    /// A file cannot be read, no node can be reached, or `out` cannot be written.
    pub fn run(&self, config: &Config, out: &mut dyn Write) -> Outcome {
        let clusters = self.account.clusters(config)?;
        let findings = at_each_node(&clusters, Nodes::All, |node, connection| {
            let found = match connection {
                Ok(connection) => Node(connection).examine(config),
                Err(fault) => vec![unreachable_node(&fault, config)],
            };
            let found = if found.is_empty() { vec![Finding::fine(CHECK, "well")] } else { found };
            found.into_iter().map(|finding| of(node, finding)).collect::<Vec<_>>()
        });
        let mut findings = findings.concat();
        findings.extend(clusters.iter().filter_map(without_node));
        let examined = Examined { state: worst(&findings), findings };
        report::write(&examined, self.account.json, out).map_err(Failure::output)?;
        Ok(examined.state.exit())
    }
}

/// A cluster that lacks a part of its slots.
fn without_node(cluster: &Cluster) -> Option<Finding> {
    let slots = Some(cluster.unowned_slots()).filter(|slots| !slots.is_empty())?;
    let node = cluster.nodes().first()?.to_string();
    let message =
        format!("{node}: no node of its cluster has the slots {slots}: each host decides alone there");
    let fix = format!("redis-cli --cluster fix {node}");
    Some(wrong(keys::STORE_UNREACHABLE, message, fix))
}

/// An error of a node, with its fix.
fn wrong(key: impl Keyed, message: impl Into<String>, fix: impl Into<String>) -> Finding {
    Finding::wrong(key, CHECK, message).fix(fix)
}

/// The same with the node's address in its message.
fn of(node: &Address, finding: Finding) -> Finding {
    Finding { message: format!("{node}: {}", finding.message), ..finding }
}

/// A node whose settings are examined.
struct Node(Connection);

impl Node {
    fn examine(mut self, config: &Config) -> Vec<Finding> {
        let mut findings = settings::examine(&mut self, config);
        findings.extend(service::examine(&mut self));
        findings.extend(self.functions());
        findings.extend(rights::examine(&mut self, config));
        findings
    }

    /// The reply to a command; a finding if it is refused.
    fn ask(&mut self, command: &Cmd) -> Result<Value, String> {
        ask(&mut self.0, command).map_err(|fault| fault.to_string())
    }

    fn functions(&mut self) -> Option<Finding> {
        match self.ask(&functions::list()).map(|reply| functions::held(&reply)) {
            Ok(Held::Same) => None,
            Ok(Held::Missing) => Some(wrong(Fault::NoFunctions, Fault::NoFunctions.to_string(), LOAD)),
            Ok(Held::Different) => {
                Some(wrong(Fault::OtherFunctions, Fault::OtherFunctions.to_string(), LOAD))
            }
            Err(error) => Some(wrong(
                keys::STORE_ACCOUNT,
                format!("its functions cannot be listed: {error}"),
                "a store of Redis 7.0 or Valkey 7.2 or later, and a user that may run FUNCTION LIST",
            )),
        }
    }
}

fn unreachable_node(fault: &Fault, config: &Config) -> Finding {
    let mend = if config.tls {
        format!(
            "see the node's log; its certificate must be signed by {} and name the address above",
            config.ca.display()
        )
    } else {
        "see the node's log".to_owned()
    };
    wrong(fault, format!("cannot be reached: {fault}"), mend)
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
