//! The store: the map of slots to nodes, a connection to each node, and redirections followed within a
//! deadline.
//!
//! Maintained clients that route were tested against the same requirements, and none meets all:
//! docs/fleet.md, "Why the agent routes by itself".

mod breaker;
mod connect;
mod connection;
mod fault;
mod map;
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
    time::Instant,
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
}

#[cfg(test)]
mod tests;
