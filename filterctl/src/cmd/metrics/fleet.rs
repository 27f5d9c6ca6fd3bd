//! The ladders that are shared with other hosts, as this host's agent reports them.

use nearmiss_filters::ladder::FleetLadder;
use nearmiss_policy::config::Config;
use serde_json::Value;

use crate::{
    host::{
        fleet_agent::{NoReport, ask, nodes, serves},
        user::is_unseen,
    },
    report::family::Family,
};

/// The agent's counters since its start, by their names.
const REQUESTS: [&str; 5] = ["answered", "counted", "unavailable", "late", "turned_away"];

/// The families of the fleet; only the first has a sample if this host has not joined.
pub(super) fn families(config: Option<&Config>) -> Vec<Family> {
    let mut samples = Samples::new();
    if let Some(config) = config {
        samples.of_host(config);
    }
    samples.families()
}

struct Samples {
    joined: Family,
    usable: Family,
    up: Family,
    hung: Family,
    requests: Family,
    serving: Family,
    open: Family,
    faults: Family,
    lost: Family,
}

impl Samples {
    fn new() -> Samples {
        Samples {
            joined: Family::new("nearmiss_fleet_ladders", "Ladders of a fleet that this host has joined."),
            usable: Family::new("nearmiss_fleet_ladder_usable", "Whether a ladder of a fleet can be used."),
            up: Family::new("nearmiss_fleet_agent_up", "Whether the agent of this host replies."),
            hung: Family::new(
                "nearmiss_fleet_agent_hung",
                "Whether requests are taken on the agent's socket and not replied to: users are refused.",
            ),
            requests: Family::new(
                "nearmiss_fleet_requests_total",
                "Requests of the agent since its start: answered, counted, unavailable, late or turned away.",
            ),
            serving: Family::new(
                "nearmiss_fleet_node_up",
                "Whether a node of the store did its part when the agent asked it for these metrics.",
            ),
            open: Family::new(
                "nearmiss_fleet_circuit_open",
                "Whether the agent has stopped using a node of the store because it does not reply.",
            ),
            faults: Family::new("nearmiss_fleet_node_faults", "Consecutive failures of a node."),
            lost: Family::new(
                "nearmiss_fleet_slots_without_node",
                "Hash slots of the store that no node serves.",
            ),
        }
    }

    fn families(self) -> Vec<Family> {
        let Samples { joined, usable, up, hung, requests, serving, open, faults, lost } = self;
        vec![joined, usable, up, hung, requests, serving, open, faults, lost]
    }

    fn of_host(&mut self, config: &Config) {
        let opened: Vec<_> = config.fleet.descriptors().map(|file| (file, FleetLadder::open(file))).collect();
        if opened.iter().filter_map(|(_, one)| one.as_ref().err()).any(is_unseen) {
            return;
        }
        let mut count = 0_usize;
        for (file, one) in &opened {
            // The key of a descriptor that is lost.
            let is_joined = !matches!(one, Ok(None)) || FleetLadder::key_of(file).symlink_metadata().is_ok();
            if is_joined {
                count = count.saturating_add(1);
                self.usable.add(&[("file", &file.display().to_string())], matches!(one, Ok(Some(_))));
            }
        }
        self.joined.add(&[], count);
        if count == 0 {
            return;
        }
        let first = opened.iter().find_map(|(_, one)| one.as_ref().ok()?.as_ref());
        match ask(&config.fleet.socket, first.map(FleetLadder::header)) {
            Err(none) if is_unseen(&none) => {}
            Err(none) => {
                self.up.add(&[], false);
                self.hung.add(&[], matches!(none, NoReport::Hung(_)));
            }
            Ok(agent) => {
                self.up.add(&[], true);
                self.hung.add(&[], false);
                self.of_agent(&agent);
            }
        }
    }

    fn of_agent(&mut self, agent: &Value) {
        let number = |value: &Value, name| value.get(name).and_then(Value::as_u64);
        for name in REQUESTS {
            if let Some(count) = number(agent, name) {
                self.requests.add(&[("result", name)], count);
            }
        }
        for (label, node) in nodes(agent) {
            let site = if label == "node" { "near" } else { "far" };
            let name = [("site", site), ("node", node.get("node").and_then(Value::as_str).unwrap_or("?"))];
            if let Some(is_up) = serves(node) {
                self.serving.add(&name, is_up);
            }
            self.open.add(&name, node.get("is_suspended") == Some(&Value::Bool(true)));
            if let Some(count) = number(node, "faults") {
                self.faults.add(&name, count);
            }
        }
        for (site, name) in [("near", "slots_without_node"), ("far", "far_slots_without_node")] {
            if let Some(count) = number(agent, name) {
                self.lost.add(&[("site", site)], count);
            }
        }
    }
}
