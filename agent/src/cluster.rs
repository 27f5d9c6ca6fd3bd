//! The store: who has which slot, a connection to each node, and redirections followed within a deadline.
//!
//! Well-kept clients that route were tried against the same requirements, and none holds all: docs/fleet.md,
//! "Why the agent routes by itself".

mod breaker;
mod connect;
mod connection;
mod fault;
mod names;
mod slots;

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, RwLock,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use redis::{Cmd, Value};

pub use crate::address::Address;
pub use connect::Connector;
pub use connection::Connection;
pub use fault::{Fault, MEND};
pub use slots::{SLOTS, SlotMap, slot_of};

use self::breaker::CircuitBreakers;
use crate::log;

/// The map is not asked for more often than this.
const REFRESH: Duration = Duration::from_millis(100);
/// Redirections that one command may need.
const ATTEMPTS: u32 = 5;

/// The connections of one worker: to each node one.
#[derive(Default)]
pub struct Connections(HashMap<Address, Connection>);

/// The state of a node, for whoever asks.
#[derive(Clone, Debug, serde::Serialize)]
pub struct NodeState {
    /// Where it is.
    pub node: String,
    /// Commands in a row that it did not reply to.
    pub faults: u32,
    /// Its breaker is open.
    pub is_open: bool,
}

/// The store, shared by all workers.
pub struct Cluster {
    connector: Connector,
    seeds: Vec<Address>,
    map: RwLock<Arc<SlotMap>>,
    asked: Mutex<Option<Instant>>,
    breakers: CircuitBreakers,
    log: log::Log,
    /// Commands that were not sent because of a breaker.
    pub skipped: AtomicU64,
    /// Replies and connections that came to nothing for want of this agent's functions.
    pub without_functions: AtomicU64,
}

impl Cluster {
    /// The store behind these nodes. Nothing is connected yet.
    pub fn new(connector: Connector, seeds: Vec<Address>) -> Cluster {
        Cluster {
            connector,
            seeds,
            map: RwLock::default(),
            asked: Mutex::default(),
            breakers: CircuitBreakers::default(),
            log: log::Log::default(),
            skipped: AtomicU64::new(0),
            without_functions: AtomicU64::new(0),
        }
    }

    /// The reply of the master that has the slot, following redirections.
    ///
    /// # Errors
    /// [`Fault`], the last one, when the attempts or the time until `end` are used up.
    pub fn ask(
        &self,
        connections: &mut Connections,
        slot: u16,
        command: &Cmd,
        end: Instant,
    ) -> Result<Value, Fault> {
        let mut node = self.owner(connections, slot, end)?;
        let mut asking = false;
        let mut last = Fault::Timeout;
        for _ in 0..ATTEMPTS {
            if Instant::now() >= end {
                break;
            }
            let answered = self.send(connections, &node, command, asking, end);
            asking = false;
            match answered {
                Err(Fault::Moved(to)) => {
                    node = self.moved(connections, slot, to, end)?;
                    last = Fault::Moved(None);
                }
                Err(Fault::Ask(to)) => {
                    last = Fault::Ask(to.clone());
                    (node, asking) = (Arc::new(to), true);
                }
                Err(fault @ (Fault::Unreachable(_) | Fault::Unavailable(_))) => {
                    self.refresh(connections, end);
                    let now = self.known_owner(slot);
                    match now.filter(|now| *now != node) {
                        Some(now) => node = now,
                        None => return Err(fault),
                    }
                    last = fault;
                }
                done => return done,
            }
        }
        Err(last)
    }

    fn send(
        &self,
        connections: &mut Connections,
        node: &Address,
        command: &Cmd,
        asking: bool,
        end: Instant,
    ) -> Result<Value, Fault> {
        let first = redis::cmd("ASKING");
        let commands: &[&Cmd] = if asking { &[&first, command] } else { &[command] };
        self.send_all(connections, node, commands, end)?.pop().unwrap_or(Err(Fault::Timeout))
    }

    /// The replies of one node to commands that are sent together.
    ///
    /// # Errors
    /// [`Fault::Unreachable`], or that the node does not take the connection.
    pub fn send_all(
        &self,
        connections: &mut Connections,
        node: &Address,
        commands: &[&Cmd],
        end: Instant,
    ) -> Result<Vec<Result<Value, Fault>>, Fault> {
        if !self.breakers.lets_through(node, Instant::now()) {
            self.skipped.fetch_add(1, Relaxed);
            return Err(Fault::Unreachable("its breaker is open".to_owned()));
        }
        let answered = match connections.0.get_mut(node) {
            Some(connection) => connection.ask(commands, self.connector.until(end)),
            None => self.connector.connect(node, end).and_then(|mut connection| {
                let answered = connection.ask(commands, self.connector.until(end));
                connections.0.insert(node.clone(), connection);
                answered
            }),
        };
        match &answered {
            Err(fault) => {
                connections.0.remove(node);
                self.breakers.fault(node, Instant::now());
                self.note(node, fault);
            }
            Ok(replies) => {
                self.breakers.reply(node);
                let faults = || replies.iter().filter_map(|reply| reply.as_ref().err());
                faults().for_each(|fault| self.note(node, fault));
                // They are looked for again by the next connection.
                if faults().any(|fault| *fault == Fault::NoFunctions) {
                    connections.0.remove(node);
                }
            }
        }
        answered
    }

    /// One line a minute about a node, whatever it says; and one about its functions, which an administrator
    /// has to load: a node that was restarted refuses connections first.
    fn note(&self, node: &Address, fault: &Fault) {
        let lacks_functions = matches!(fault, Fault::NoFunctions | Fault::OtherFunctions);
        self.without_functions.fetch_add(lacks_functions.into(), Relaxed);
        if fault.is_of_node() {
            let about = if lacks_functions { "functions of " } else { "" };
            self.log.warn(&format!("{about}{node}"), &format_args!("{node}: {fault}"));
        }
    }

    /// Closes the connection to the master that has a slot.
    pub fn hang_up(&self, connections: &mut Connections, slot: u16) {
        if let Some(node) = self.known_owner(slot) {
            connections.0.remove(&node);
        }
    }

    /// The master that has a slot, by the last map.
    pub fn known_owner(&self, slot: u16) -> Option<Arc<Address>> {
        self.map.read().ok()?.owner(slot).cloned()
    }

    fn owner(&self, connections: &mut Connections, slot: u16, end: Instant) -> Result<Arc<Address>, Fault> {
        if let Some(node) = self.known_owner(slot) {
            return Ok(node);
        }
        self.refresh(connections, end);
        self.known_owner(slot).ok_or(Fault::NoOwner)
    }

    /// The owner that a node named, which holds until the next map.
    fn moved(
        &self,
        connections: &mut Connections,
        slot: u16,
        to: Option<Address>,
        end: Instant,
    ) -> Result<Arc<Address>, Fault> {
        if !self.refresh(connections, end)
            && let Some(to) = to
            && let Ok(mut map) = self.map.write()
        {
            *map = Arc::new(map.moved(slot, to));
        }
        self.owner(connections, slot, end)
    }

    /// Asks who has which slot, unless that was asked a moment ago. Returns whether there is a new map.
    pub fn refresh(&self, connections: &mut Connections, end: Instant) -> bool {
        {
            let Ok(mut asked) = self.asked.lock() else { return false };
            let now = Instant::now();
            if asked.is_some_and(|then| is_recent(then, now)) {
                return false;
            }
            *asked = Some(now);
        }
        let nodes = self.nodes();
        self.breakers.retain(&nodes);
        let mut best: Option<SlotMap> = None;
        for node in nodes {
            if Instant::now() >= end {
                break;
            }
            let Some(map) = self.map_of(connections, &node, end) else { continue };
            // One that was reset knows of nobody: others are asked unless all slots have a node.
            let is_better = best.as_ref().is_none_or(|best| map.without_owner() < best.without_owner());
            let is_whole = map.without_owner() == 0;
            if is_better {
                best = Some(map);
            }
            if is_whole {
                break;
            }
        }
        let Some(map) = best else { return false };
        if let Ok(mut known) = self.map.write() {
            *known = Arc::new(map);
        }
        true
    }

    fn map_of(&self, connections: &mut Connections, node: &Address, end: Instant) -> Option<SlotMap> {
        match self.send(connections, node, redis::cmd("CLUSTER").arg("SLOTS"), false, end) {
            Ok(reply) => SlotMap::parse(&reply, node),
            Err(Fault::NoCluster) => Some(SlotMap::single(node.clone())),
            Err(_) => None,
        }
    }

    /// Every known node: first the map's, then the configuration's.
    pub fn nodes(&self) -> Vec<Address> {
        let mut nodes = self.map.read().map_or_else(|_| Vec::new(), |map| map.nodes());
        let others: Vec<_> = self.seeds.iter().filter(|seed| !nodes.contains(seed)).cloned().collect();
        nodes.extend(others);
        nodes
    }

    /// Slots that nobody has, by the last map.
    pub fn slots_without_owner(&self) -> usize {
        self.map.read().map_or(usize::from(SLOTS), |map| map.without_owner())
    }

    /// The state of every node.
    pub fn states(&self) -> Vec<NodeState> {
        let state = |node: &Address| {
            let (faults, is_open) = self.breakers.state(node);
            NodeState { node: node.to_string(), faults, is_open }
        };
        self.nodes().iter().map(state).collect()
    }
}

/// Whether the map was asked for a moment ago.
fn is_recent(asked: Instant, now: Instant) -> bool {
    now.saturating_duration_since(asked) < REFRESH
}

#[cfg(test)]
mod tests;
