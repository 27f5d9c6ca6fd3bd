//! `filterctl fleet status`: the report of this host's agent.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, Outcome, printable},
};
use nearmiss_filters::ladder::FleetLadder;
use nearmiss_policy::config::{Config, DEFAULT_PATH};
use serde::Serialize;
use serde_json::Value;

use crate::{
    configuration,
    host::fleet_agent::{NoReport, ask},
    report::{self, Report, counted},
};

const AFTER: &str = "\
Exit status:
  0  the agent replies and reaches the whole store
  1  it does not, or this host has not joined
  2  error

Examples:
  filterctl fleet status --json";

/// Shows the agent's counters, the nodes that it reaches, and the density of the ladders.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    /// Read the paths from this configuration.
    #[arg(long, value_name = "FILE", default_value = DEFAULT_PATH)]
    conf: PathBuf,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Queries the agent about each ladder.
    ///
    /// # Errors
    /// The configuration or a descriptor cannot be used.
    pub(crate) fn run(&self) -> Outcome {
        let config = configuration::load(&self.conf)?;
        let state = FleetStatus::of(&config)?;
        let is_well = state.is_well();
        report::print(&state, self.json)?;
        Ok(if is_well { Exit::Done } else { Exit::No })
    }
}

#[derive(Serialize)]
struct FleetStatus {
    socket: String,
    /// The reason why the agent cannot be queried.
    trouble: Option<String>,
    ladders: Vec<Ladder>,
    agent: Option<Value>,
}

#[derive(Serialize)]
struct Ladder {
    file: String,
    identifier: String,
    density: Option<f64>,
}

impl FleetStatus {
    fn of(config: &Config) -> Result<FleetStatus, Failure> {
        let socket = &config.fleet.socket;
        let mut state = FleetStatus {
            socket: printable(&socket.display().to_string()),
            trouble: None,
            ladders: Vec::new(),
            agent: None,
        };
        for file in config.fleet.descriptors() {
            let opened = FleetLadder::open(file).map_err(|e| Failure::new("cannot use the ladder", e))?;
            let Some(ladder) = opened else { continue };
            let told = ask(socket, Some(ladder.header()));
            let density = told.as_ref().ok().and_then(|told| told.get("density")?.as_f64());
            let identifier = ladder.header().id.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
            state.ladders.push(Ladder { file: file.display().to_string(), identifier, density });
            state.heard(told);
        }
        if state.ladders.is_empty() {
            state.heard(ask(socket, None));
        }
        Ok(state)
    }

    fn heard(&mut self, told: Result<Value, NoReport>) {
        match told {
            Ok(told) => self.agent = Some(told),
            Err(none) => self.trouble = Some(none.to_string()),
        }
    }

    fn is_well(&self) -> bool {
        let Some(agent) = &self.agent else { return false };
        let is_whole = |name| agent.get(name).is_none_or(|slots| slots.is_null() || *slots == 0);
        let is_suspended = |node: &Value| node.get("is_suspended").is_none_or(|is_so| is_so == true);
        let has_suspended = agent.get("nodes").is_none() || nodes(agent).any(|(_, node)| is_suspended(node));
        let is_whole = is_whole("slots_without_node") && is_whole("far_slots_without_node");
        is_whole && !has_suspended && !self.ladders.is_empty() && self.trouble.is_none()
    }
}

/// The nodes of both clusters, with a label for each.
pub(in crate::cmd) fn nodes(agent: &Value) -> impl Iterator<Item = (&'static str, &Value)> {
    [("node", "nodes"), ("far node", "far_nodes")].into_iter().flat_map(|(site, key)| {
        agent.get(key).and_then(Value::as_array).into_iter().flatten().map(move |node| (site, node))
    })
}

/// What the agent knows of a node. One that was not asked yet has no faults either.
fn state_of(node: &Value) -> String {
    let faults = node.get("faults").and_then(Value::as_u64).unwrap_or(0);
    match node.get("is_suspended") == Some(&Value::Bool(true)) {
        true => "does not reply".to_owned(),
        false if faults > 0 => format!("{} in a row", counted(faults, "fault")),
        false => "no faults".to_owned(),
    }
}

impl Report for FleetStatus {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        match &self.trouble {
            Some(trouble) => writeln!(out, "{}: {trouble}", self.socket)?,
            None => writeln!(out, "{}: the agent replies", self.socket)?,
        }
        if self.ladders.is_empty() {
            writeln!(out, "  this host has not joined; see filterctl fleet join")?;
        }
        for Ladder { file, identifier, density } in &self.ladders {
            let density = density.map_or_else(|| "not known".to_owned(), |density| format!("{density:.4}"));
            writeln!(out, "  {file}: nm1:{{{identifier}.*}}, density {density}")?;
        }
        let Some(Value::Object(agent)) = &self.agent else { return Ok(()) };
        for (name, value) in agent {
            if let Value::Number(number) = value {
                writeln!(out, "  {:22} {number}", name.replace('_', " "))?;
            }
        }
        for (site, node) in self.agent.iter().flat_map(nodes) {
            let name = printable(node.get("node").and_then(Value::as_str).unwrap_or("?"));
            writeln!(out, "  {site} {name}: {}", state_of(node))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The agent asks a node when a request needs it.
    #[test]
    fn a_node_that_was_not_asked_is_not_said_to_reply() {
        let told = |faults: u64, is_so: bool| state_of(&json!({"faults": faults, "is_suspended": is_so}));
        assert_eq!(
            [told(0, false), told(2, false), told(9, true)],
            ["no faults", "2 faults in a row", "does not reply"]
        );
    }
}
