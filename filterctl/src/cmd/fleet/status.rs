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
    host::fleet_agent::{NoReport, ask, name, nodes, serves, trouble},
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
        let is_served = is_whole(agent) && nodes(agent).all(|(_, node)| is_used(node));
        is_served && !self.ladders.is_empty() && self.trouble.is_none()
    }
}

/// True if every hash slot has a node, in both clusters; what is not known is not well.
fn is_whole(agent: &Value) -> bool {
    let has_far = agent.get("far_nodes").is_some_and(Value::is_array);
    let is_zero = |name| agent.get(name).is_some_and(|slots| *slots == 0);
    is_zero("slots_without_node") && (!has_far || is_zero("far_slots_without_node"))
}

/// True for a node that the agent uses, and that did its part when it was asked for this report.
fn is_used(node: &Value) -> bool {
    node.get("is_suspended") == Some(&Value::Bool(false)) && serves(node) == Some(true)
}

/// What the agent found of a node for its report, or what it knows from earlier requests.
fn state_of(node: &Value) -> String {
    let faults = node.get("faults").and_then(Value::as_u64).unwrap_or(0);
    let is_suspended = node.get("is_suspended") == Some(&Value::Bool(true));
    match serves(node) {
        Some(true) => "serves".to_owned(),
        Some(false) => format!("does not serve: {}", trouble(node)),
        None if is_suspended => "does not reply".to_owned(),
        None if faults > 0 => format!("{} in a row, not asked now", counted(faults, "fault")),
        None => "not asked now".to_owned(),
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
            writeln!(out, "  {site} {}: {}", name(node), state_of(node))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// An error is a reply, and no service; what was not asked is not said to be well.
    #[test]
    fn a_node_is_well_that_did_its_part_now() {
        let node = |serves: Value, trouble: Value, faults: u64, is_suspended: bool| {
            let mut node = json!({"faults": faults, "is_suspended": is_suspended});
            (node["serves"], node["trouble"]) = (serves, trouble);
            node
        };
        let (null, full) = (Value::Null, json!("OOM no"));
        for (node, state, is_well) in [
            (node(json!(true), null.clone(), 0, false), "serves", true),
            (node(json!(false), full, 0, false), "does not serve: OOM no", false),
            (node(null.clone(), null.clone(), 0, false), "not asked now", false),
            (node(null.clone(), null.clone(), 2, false), "2 faults in a row, not asked now", false),
            (node(null.clone(), null.clone(), 9, true), "does not reply", false),
            (json!({"faults": 0}), "not asked now", false),
        ] {
            assert_eq!((state_of(&node).as_str(), is_used(&node)), (state, is_well), "{node}");
        }
        for (slots, is_well) in [(json!(0), true), (json!(1), false), (null, false)] {
            assert_eq!(is_whole(&json!({"slots_without_node": slots})), is_well, "{slots}");
        }
        let far = json!({"slots_without_node": 0, "far_slots_without_node": 3, "far_nodes": []});
        assert!(!is_whole(&far));
    }
}
