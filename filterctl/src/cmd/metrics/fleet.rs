//! The ladders that are shared with other hosts, as this host's agent reports them.

use nearmiss_filters::ladder::FleetLadder;
use nearmiss_policy::config::Config;
use serde_json::Value;

use crate::report::family::Family;
use crate::{
    cmd::fleet::status::nodes,
    host::{fleet_agent::ask, user::is_unseen},
};

/// The agent's counters since its start, by their names.
const REQUESTS: [&str; 5] = ["answered", "counted", "unavailable", "late", "turned_away"];

/// The families of the fleet; only the first has a sample if this host has not joined.
pub(super) fn families(config: Option<&Config>) -> Vec<Family> {
    let mut joined = Family::new("nearmiss_fleet_ladders", "Ladders of a fleet that this host has joined.");
    let mut up = Family::new("nearmiss_fleet_agent_up", "Whether the agent of this host replies.");
    let mut requests = Family::new(
        "nearmiss_fleet_requests_total",
        "Requests of the agent since its start: answered, counted, unavailable, late or turned away.",
    );
    let mut open = Family::new(
        "nearmiss_fleet_circuit_open",
        "Whether the agent has stopped using a node of the store because it does not reply.",
    );
    let mut faults = Family::new("nearmiss_fleet_node_faults", "Consecutive failures of a node.");
    let mut lost =
        Family::new("nearmiss_fleet_slots_without_node", "Hash slots of the store that no node serves.");
    if let Some(config) = config {
        let opened: Vec<_> = config.fleet.descriptors().map(FleetLadder::open).collect();
        if opened.iter().filter_map(|one| one.as_ref().err()).any(is_unseen) {
            return vec![joined, up, requests, open, faults, lost];
        }
        let count = opened.iter().filter(|one| !matches!(one, Ok(None))).count();
        joined.add(&[], count);
        let told = (count > 0).then(|| ask(&config.fleet.socket, None));
        if let Some(told) = told.filter(|told| !told.as_ref().is_err_and(is_unseen)) {
            up.add(&[], told.is_ok());
            let Ok(agent) = told else { return vec![joined, up, requests, open, faults, lost] };
            let number = |value: &Value, name| value.get(name).and_then(Value::as_u64);
            for name in REQUESTS {
                if let Some(count) = number(&agent, name) {
                    requests.add(&[("result", name)], count);
                }
            }
            for (_, node) in nodes(&agent) {
                let name = [("node", node.get("node").and_then(Value::as_str).unwrap_or("?"))];
                open.add(&name, node.get("is_suspended") == Some(&Value::Bool(true)));
                if let Some(count) = number(node, "faults") {
                    faults.add(&name, count);
                }
            }
            for (site, name) in [("near", "slots_without_node"), ("far", "far_slots_without_node")] {
                if let Some(count) = number(&agent, name) {
                    lost.add(&[("site", site)], count);
                }
            }
        }
    }
    vec![joined, up, requests, open, faults, lost]
}
