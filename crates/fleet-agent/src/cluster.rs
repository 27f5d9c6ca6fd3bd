//! The store: the map of slots to nodes, a connection to each node, and redirections followed within a
//! deadline.
//!
//! Maintained clients that route were tested against the same requirements, and none meets all:
//! docs/fleet.md, "Why the agent routes by itself".

mod breaker;
mod connect;
mod connection;
mod fault;
mod names;
mod probe;
mod slots;
mod spares;

use std::{
    collections::HashMap,
    iter,
    sync::{
        Arc, Mutex, RwLock,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use nearmiss_cli::keys::Keyed as _;
use redis::{Cmd, Value};

pub use crate::address::Address;
pub use connect::Connector;
pub use connection::Connection;
pub use fault::{Fault, MEND};
pub use probe::NodeState;
pub use slots::{SLOTS, SlotMap, slot_of};

use self::{breaker::CircuitBreakers, spares::Spares};
use crate::log;

/// The least time between two requests for the map.
const REFRESH: Duration = Duration::from_millis(100);
/// The highest number of attempts for one command, including redirections.
const ATTEMPTS: u32 = 5;

/// The connections of one worker: one to each node.
#[derive(Default)]
pub struct Connections(HashMap<Address, Connection>);

/// The store, shared by all workers.
pub struct Cluster {
    connector: Arc<Connector>,
    seeds: Vec<Address>,
    map: RwLock<Arc<SlotMap>>,
    asked: Mutex<Option<Instant>>,
    /// The reason why a slot has no owner: the result of the last request for the map.
    unowned: Mutex<Fault>,
    breakers: Arc<CircuitBreakers>,
    spares: Arc<Spares>,
    log: log::Log,
    /// Commands that were not sent because of a breaker.
    pub skipped: AtomicU64,
    /// Replies and connections that failed because the node lacks this agent's functions.
    pub without_functions: AtomicU64,
}

impl Cluster {
    /// The store behind these nodes. There is no connection yet.
    pub fn new(connector: Connector, seeds: Vec<Address>) -> Cluster {
        let (connector, breakers) = (Arc::new(connector), Arc::<CircuitBreakers>::default());
        Cluster {
            spares: Spares::new(Arc::clone(&connector), Arc::clone(&breakers)),
            connector,
            seeds,
            map: RwLock::default(),
            asked: Mutex::default(),
            unowned: Mutex::new(Fault::Timeout),
            breakers,
            log: log::Log::default(),
            skipped: AtomicU64::new(0),
            without_functions: AtomicU64::new(0),
        }
    }

    /// A connection of the caller's own to a node.
    ///
    /// # Errors
    /// As [`Connector::connect`].
    pub(crate) fn connect(&self, node: &Address, end: Instant) -> Result<Connection, Fault> {
        self.connector.connect(node, end)
    }

    /// The reply of the master that has the slot, following redirections.
    ///
    /// # Errors
    /// [`Fault`]: the last one after all attempts, [`Fault::Timeout`] after `end`.
    pub fn request(
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
                return Err(Fault::Timeout);
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
                Err(fault @ (Fault::Unreachable(_) | Fault::Late(_) | Fault::Unavailable(_))) => {
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
    /// [`Fault::Unreachable`], [`Fault::Late`], or the fault for a node that does not accept the connection.
    pub fn send_all(
        &self,
        connections: &mut Connections,
        node: &Address,
        commands: &[&Cmd],
        end: Instant,
    ) -> Result<Vec<Result<Value, Fault>>, Fault> {
        if let Err(open) = self.breakers.let_through(node, Instant::now()) {
            self.skipped.fetch_add(1, Relaxed);
            return Err(open);
        }
        let answered = self.connection(connections, node, end).and_then(|mut connection| {
            let replies = connection.round_trip(commands, self.connector.until(end))?;
            connections.0.insert(node.clone(), connection);
            Ok(replies)
        });
        let answered = answered.map_err(|fault| {
            if fault.is_late() {
                self.spares.want(node);
            }
            self.note(node, &fault);
            self.breakers.fault(node, fault, Instant::now())
        });
        match &answered {
            Err(_) => {}
            Ok(replies) => {
                self.breakers.reply(node);
                let faults = || replies.iter().filter_map(|reply| reply.as_ref().err());
                faults().for_each(|fault| self.note(node, fault));
                // The next connection looks for them again.
                if faults().any(|fault| *fault == Fault::NoFunctions) {
                    connections.0.remove(node);
                }
            }
        }
        answered
    }

    /// The connection to a node. A connection that the node closed since its last use is not a fault: nothing
    /// was sent.
    fn connection(
        &self,
        connections: &mut Connections,
        node: &Address,
        end: Instant,
    ) -> Result<Connection, Fault> {
        let known = connections.0.remove(node).into_iter();
        let mut known = known.chain(iter::from_fn(|| self.spares.take(node)));
        match known.find_map(|mut known| known.is_quiet(end).then_some(known)) {
            Some(connection) => Ok(connection),
            None => self.connector.connect(node, end),
        }
    }

    /// Logs at most one line a minute about a node, and one about its functions, which an administrator must
    /// load: a node that was restarted refuses connections first.
    fn note(&self, node: &Address, fault: &Fault) {
        let lacks_functions = matches!(fault, Fault::NoFunctions | Fault::OtherFunctions);
        self.without_functions.fetch_add(lacks_functions.into(), Relaxed);
        if fault.is_of_node() {
            let about = if lacks_functions { "functions of " } else { "" };
            self.log.warn(&format!("{about}{node}"), fault.key(), &format_args!("{node}: {fault}"));
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
        let unowned = || self.unowned.lock().map_or(Fault::NoOwner, |fault| fault.clone());
        self.known_owner(slot).ok_or_else(unowned)
    }

    /// The owner that a node named, which is used until the next map.
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

    /// Requests the map of slots, unless it was requested recently. Returns true if there is a new map.
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
        let (mut best, mut is_late): (Option<SlotMap>, bool) = (None, false);
        for node in nodes {
            if Instant::now() >= end {
                is_late = true;
                break;
            }
            let map = match self.map_of(connections, &node, end) {
                Ok(map) => map,
                Err(fault) => {
                    is_late |= fault.is_late();
                    None
                }
            };
            let Some(map) = map else { continue };
            // A node that was reset knows no others: further nodes are queried unless all slots have an
            // owner.
            let is_better = best.as_ref().is_none_or(|best| map.without_owner() < best.without_owner());
            let is_whole = map.without_owner() == 0;
            if is_better {
                best = Some(map);
            }
            if is_whole {
                break;
            }
        }
        // A node that was late may know it.
        let is_known = best.as_ref().is_some_and(|best| best.without_owner() == 0);
        if let Ok(mut unowned) = self.unowned.lock() {
            *unowned = if is_late && !is_known { Fault::Timeout } else { Fault::NoOwner };
        }
        let Some(map) = best else { return false };
        if let Ok(mut known) = self.map.write() {
            *known = Arc::new(map);
        }
        true
    }

    fn map_of(
        &self,
        connections: &mut Connections,
        node: &Address,
        end: Instant,
    ) -> Result<Option<SlotMap>, Fault> {
        match self.send(connections, node, redis::cmd("CLUSTER").arg("SLOTS"), false, end) {
            Ok(reply) => Ok(SlotMap::parse(&reply, node)),
            Err(Fault::NoCluster) => Ok(Some(SlotMap::single(node.clone()))),
            Err(fault) => Err(fault),
        }
    }

    /// Every known node: first the map's, then the configuration's.
    pub fn nodes(&self) -> Vec<Address> {
        let mut nodes = self.map.read().map_or_else(|_| Vec::new(), |map| map.nodes());
        for seed in &self.seeds {
            if !nodes.contains(seed) {
                nodes.push(seed.clone());
            }
        }
        nodes
    }

    /// The replicas, by the last map: no request of an agent goes to them.
    pub fn replicas(&self) -> Vec<Address> {
        let masters = self.nodes();
        self.map.read().map_or_else(
            |_| Vec::new(),
            |map| map.replicas().filter(|node| !masters.contains(node)).cloned().collect(),
        )
    }

    /// The slots without an owner, by the last map, as ranges; empty also before the first one.
    pub fn unowned_slots(&self) -> String {
        self.map.read().map_or_else(|_| String::new(), |map| map.unowned())
    }

    /// The number of slots without an owner, by the last map; none before the first one.
    pub fn slots_without_owner(&self) -> Option<usize> {
        self.map.read().ok().filter(|map| map.is_known()).map(|map| map.without_owner())
    }
}

/// True if the map was requested recently.
fn is_recent(asked: Instant, now: Instant) -> bool {
    now.saturating_duration_since(asked) < REFRESH
}

#[cfg(test)]
mod tests;
