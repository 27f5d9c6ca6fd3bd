//! An administrator's actions on the nodes: loading functions, and killing runaway ones.

use std::io::{self, Write};

use nearmiss_cli::{
    failure::Failure,
    keys::Keyed,
    report::{self, Report},
};
use redis::Value;
use serde::Serialize;

use crate::{
    account::{Account, Nodes, ask, at_each_node},
    cluster::{Connection, Fault},
    config::Config,
    functions::{self, Held},
    log::printable,
};

/// Loads the functions into every node that lacks them, with an administrator's account.
#[derive(clap::Args, Debug)]
pub(crate) struct LoadArgs {
    #[command(flatten)]
    account: Account,
}

/// Kills functions that have been running for too long, with an account that may do nothing else.
#[derive(clap::Args, Debug)]
pub(crate) struct EndArgs {
    #[command(flatten)]
    account: Account,
    /// The longest time a function may run, in milliseconds; this program's own functions take microseconds.
    #[arg(long, value_name = "MS", default_value_t = 500)]
    longer_than: i64,
}

/// The action at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Done {
    /// It has the functions; no function has been running for too long.
    Nothing,
    /// It did not have the functions.
    Loaded,
    /// It had other functions of the same name.
    Replaced,
    /// A function was killed.
    Ended,
    /// The action failed.
    Failed,
}

#[derive(Serialize)]
struct NodeReport {
    node: String,
    done: Done,
    message: String,
    /// The key of the message; none if the node is well.
    key: Option<&'static str>,
}

#[derive(Serialize)]
struct Loaded<'r> {
    library: &'static str,
    nodes: &'r [NodeReport],
}

impl LoadArgs {
    /// Loads the functions, and writes the action at each node. False if a node is left without them.
    ///
    /// # Errors
    /// A file cannot be read, or `out` cannot be written.
    pub(crate) fn run(&self, config: &Config, out: &mut dyn Write) -> Result<bool, Failure> {
        report_each(&self.account, config, Nodes::Masters, out, load)
    }
}

impl EndArgs {
    /// Kills functions that have been running for too long, and writes the action at each node. False if one
    /// continues.
    ///
    /// # Errors
    /// A file cannot be read, or `out` cannot be written.
    pub(crate) fn run(&self, config: &Config, out: &mut dyn Write) -> Result<bool, Failure> {
        report_each(&self.account, config, Nodes::All, out, |connection| {
            end_function(connection, self.longer_than)
        })
    }
}

fn report_each(
    account: &Account,
    config: &Config,
    which: Nodes,
    out: &mut dyn Write,
    act: impl Fn(&mut Connection) -> Result<(Done, String), Fault>,
) -> Result<bool, Failure> {
    let clusters = account.clusters(config)?;
    let nodes = at_each_node(&clusters, which, |node, connection| {
        let done = connection.and_then(|mut connection| act(&mut connection));
        let key = done.as_ref().err().map(|fault| fault.key().as_str());
        let (done, message) = done.unwrap_or_else(|fault| (Done::Failed, fault.to_string()));
        NodeReport { node: node.to_string(), done, message, key }
    });
    let loaded = Loaded { library: functions::library(), nodes: &nodes };
    report::write(&loaded, account.json, out).map_err(Failure::output)?;
    Ok(nodes.iter().all(|node| node.done != Done::Failed))
}

impl Report for Loaded<'_> {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        self.nodes.iter().try_for_each(|NodeReport { node, done, message, key }| {
            let mark = if *done == Done::Failed { "WRONG" } else { "ok" };
            let key = key.map(|key| format!(" [{key}]")).unwrap_or_default();
            // The store chose the text, and this may be a terminal.
            writeln!(out, "{mark:<8} {node}: {}{key}", printable(message))
        })
    }
}

/// A node with the same functions is unchanged, so that this may be repeated.
fn load(connection: &mut Connection) -> Result<(Done, String), Fault> {
    let held = functions::held(&ask(connection, &functions::list())?);
    let library = functions::library();
    let mut command = redis::cmd("FUNCTION");
    let (done, message) = match held {
        Held::Same => return Ok((Done::Nothing, format!("has the functions {library}"))),
        Held::Missing => (Done::Loaded, format!("loaded the functions {library}")),
        Held::Different => (
            Done::Replaced,
            format!("replaced different functions named {library}; find out who loaded them"),
        ),
    };
    command.arg("LOAD").arg((held == Held::Different).then_some("REPLACE")).arg(functions::text());
    ask(connection, &command)?;
    // Verified by what an agent will see.
    match functions::held(&ask(connection, &functions::list())?) {
        Held::Same => Ok((done, message)),
        Held::Missing => Err(Fault::NoFunctions),
        Held::Different => Err(Fault::OtherFunctions),
    }
}

fn end_function(connection: &mut Connection, longer_than: i64) -> Result<(Done, String), Fault> {
    let nothing = || (Done::Nothing, "no function has been running for too long".to_owned());
    let running = ask(connection, redis::cmd("FUNCTION").arg("STATS"))?;
    let Some((name, duration)) = running_function(&running).filter(|(_, duration)| *duration > longer_than)
    else {
        return Ok(nothing());
    };
    match ask(connection, redis::cmd("FUNCTION").arg("KILL")) {
        Ok(_) => Ok((Done::Ended, format!("ended the function {name} after {duration} ms"))),
        // The function ended meanwhile.
        Err(Fault::NotBusy) => Ok(nothing()),
        Err(Fault::Refused(words)) if words.contains("UNKILLABLE") => Err(Fault::Refused(format!(
            "the function {name} has been running for {duration} ms and cannot be killed, since it has \
             written; SHUTDOWN NOSAVE ends it"
        ))),
        Err(fault) => Err(fault),
    }
}

/// The name of the running function, and its duration in milliseconds.
fn running_function(stats: &Value) -> Option<(String, i64)> {
    let Value::Array(fields) = field(stats, "running_script")? else { return None };
    let of = Value::Array(fields.clone());
    let (Value::BulkString(name), Value::Int(duration)) = (field(&of, "name")?, field(&of, "duration_ms")?)
    else {
        return None;
    };
    Some((String::from_utf8_lossy(name).escape_default().to_string(), *duration))
}

fn field<'v>(of: &'v Value, name: &str) -> Option<&'v Value> {
    let Value::Array(fields) = of else { return None };
    fields.chunks(2).find_map(|field| match field {
        [Value::BulkString(found), value] if found == name.as_bytes() => Some(value),
        _ => None,
    })
}

#[cfg(test)]
mod tests;
