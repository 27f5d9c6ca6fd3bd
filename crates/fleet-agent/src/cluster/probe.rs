//! The state of every node now: each gets a command, and what it replies is its state. What the last requests
//! of users found may be long ago.

use std::time::Instant;

use redis::Cmd;

use super::{Cluster, Connections, Fault};
use crate::{address::Address, log::printable};

/// The state of a node, for status reports.
#[derive(Clone, Debug, serde::Serialize)]
pub struct NodeState {
    /// Its address.
    pub node: String,
    /// The number of consecutive commands without a reply.
    pub faults: u32,
    /// It is not used for a while, since it did not reply.
    pub is_suspended: bool,
    /// True if it does what this agent's requests need; none if there was no time to ask.
    pub serves: Option<bool>,
    /// Why it does not.
    pub trouble: Option<String>,
}

impl Cluster {
    /// The state of every node, as far as they can be asked before `until`: the map is requested anew, and
    /// each node gets the command that `probe` has for it. `soon` is the deadline of one command.
    pub fn states(
        &self,
        connections: &mut Connections,
        probe: impl Fn(&Address) -> Cmd,
        until: Instant,
        soon: &impl Fn() -> Instant,
    ) -> Vec<NodeState> {
        self.refresh(connections, soon().min(until));
        let mut state = |node: &Address| {
            let told = (Instant::now() < until).then(|| self.asked(connections, node, &probe(node), soon));
            let (faults, is_suspended) = self.breakers.state(node);
            // The store chose the text.
            let trouble = told.as_ref().and_then(|told| told.as_ref().err()).map(|fault| printable(fault));
            NodeState {
                node: node.to_string(),
                faults,
                is_suspended,
                serves: told.map(|told| told.is_ok()),
                trouble,
            }
        };
        self.nodes().iter().map(&mut state).collect()
    }

    /// What a node replies to a command; one that is late is asked once more, since load can be the cause. A
    /// node that names another one for a slot that has moved does its part.
    fn asked(
        &self,
        connections: &mut Connections,
        node: &Address,
        command: &Cmd,
        soon: &impl Fn() -> Instant,
    ) -> Result<(), Fault> {
        let mut ask = || self.send(connections, node, command, false, soon());
        let told = match ask() {
            Err(fault) if fault.is_late() => ask(),
            told => told,
        };
        match told {
            Ok(_) | Err(Fault::Moved(_) | Fault::Ask(_) | Fault::TryAgain) => Ok(()),
            Err(fault) => Err(fault),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake_node::{self, FakeNode, late, slots};

    /// Nodes that are asked now.
    fn states(cluster: &Cluster) -> Vec<NodeState> {
        let probe = |_: &Address| redis::cmd("PING");
        // Each test's own map is the newest one.
        *cluster.asked.lock().unwrap() = None;
        cluster.states(&mut Connections::default(), probe, late(), &late)
    }

    /// Any error is a reply, and closes the breaker; it is no service.
    #[test]
    fn a_node_that_refuses_does_not_serve_until_it_does() {
        let node = FakeNode::alone(|_| b"+OK\r\n".to_vec());
        let cluster = fake_node::cluster(&[&node]);
        assert_eq!(cluster.slots_without_owner(), None, "nothing is known before the first map");
        let serves = || {
            let [state] = &states(&cluster)[..] else { panic!("one node") };
            (state.serves, state.trouble.clone(), state.is_suspended)
        };
        assert_eq!(serves(), (Some(true), None, false));
        assert_eq!(cluster.slots_without_owner(), Some(0));
        for error in
            ["OOM command not allowed", "NOREPLICAS Not enough", "READONLY no", "NOPERM no", "WRONGTYPE no"]
        {
            node.speak(move |words| match words[0] {
                "CLUSTER" => fake_node::NO_CLUSTER.to_vec(),
                _ => format!("-{error}\r\n").into_bytes(),
            });
            let (serves, trouble, is_suspended) = serves();
            assert_eq!((serves, is_suspended), (Some(false), false), "{error}");
            let words = error.split_once(' ').unwrap().1;
            assert!(trouble.as_ref().is_some_and(|text| text.contains(words)), "{error}: {trouble:?}");
        }
        node.speak(
            |words| {
                if words[0] == "CLUSTER" { fake_node::NO_CLUSTER.to_vec() } else { b"+OK\r\n".to_vec() }
            },
        );
        assert_eq!(serves(), (Some(true), None, false));
    }

    /// A node that is gone is found by the look itself, and no later: users need not have failed first.
    #[test]
    fn a_node_that_is_away_does_not_serve() {
        let here = FakeNode::start(|_| b"+OK\r\n".to_vec());
        let closed: Address = {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            listener.local_addr().unwrap().to_string().parse().unwrap()
        };
        let (own, away) = (here.address.clone(), closed.clone());
        here.speak(move |words| match words[0] {
            "CLUSTER" => slots(&[(0, 99, &own), (200, 16_383, &away)]),
            _ => b"+OK\r\n".to_vec(),
        });
        let cluster = fake_node::cluster(&[&here, &here]);
        let found: Vec<_> = states(&cluster).into_iter().map(|state| (state.node, state.serves)).collect();
        let mut expected = vec![(here.address.to_string(), Some(true)), (closed.to_string(), Some(false))];
        expected.sort();
        let mut found = found;
        found.sort();
        assert_eq!(found, expected, "each once");
        assert_eq!(cluster.slots_without_owner(), Some(100));
    }

    #[test]
    fn a_node_that_there_is_no_time_for_is_not_known() {
        let node = FakeNode::alone(|_| b"+OK\r\n".to_vec());
        let cluster = fake_node::cluster(&[&node]);
        let probe = |_: &Address| redis::cmd("PING");
        let state = cluster.states(&mut Connections::default(), probe, Instant::now(), &late).remove(0);
        assert_eq!((state.serves, state.trouble), (None, None));
    }
}
