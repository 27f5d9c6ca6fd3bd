//! Connections to nodes that were late, established with more time than a request has.
//!
//! A distant node needs several round trips before a connection can be used, which may take longer than one
//! request waits. This also distinguishes a silent node from one that was late because this machine is busy:
//! it has five seconds, which no load explains.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use super::{breaker::CircuitBreakers, connect::Connector, connection::Connection};
use crate::address::Address;

/// The timeout for a connection. A node that is silent for this time is unreachable.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The highest number of nodes that are connected at a time, each by a thread.
const MAX_NODES: usize = 8;
/// The highest number of requested connections to a node: the highest number of workers.
const MAX_WANTED: usize = 64;

/// The connector, and the established connections that are not in use yet.
pub(super) struct Spares {
    connector: Arc<Connector>,
    breakers: Arc<CircuitBreakers>,
    ready: Mutex<HashMap<Address, Vec<Connection>>>,
    /// The number of requested connections for each node that is being connected.
    wanted: Mutex<HashMap<Address, usize>>,
}

impl Spares {
    pub(super) fn new(connector: Arc<Connector>, breakers: Arc<CircuitBreakers>) -> Arc<Spares> {
        Arc::new(Spares { connector, breakers, ready: Mutex::default(), wanted: Mutex::default() })
    }

    /// Takes an established connection, if there is one.
    pub(super) fn take(&self, node: &Address) -> Option<Connection> {
        self.ready.lock().ok()?.get_mut(node)?.pop()
    }

    /// Requests one more connection, by a thread for the node.
    pub(super) fn want(self: &Arc<Spares>, node: &Address) {
        let Ok(mut wanted) = self.wanted.lock() else { return };
        if let Some(count) = wanted.get_mut(node) {
            *count = count.saturating_add(1).min(MAX_WANTED);
        } else if wanted.len() < MAX_NODES {
            wanted.insert(node.clone(), 1);
            let (spares, of) = (Arc::clone(self), node.clone());
            if thread::Builder::new().name("spares".to_owned()).spawn(move || spares.connect(&of)).is_err() {
                wanted.remove(node);
            }
        }
    }

    /// Establishes the requested connections, until the node does not reply.
    fn connect(&self, node: &Address) {
        loop {
            let begin = Instant::now();
            let end = begin.checked_add(TIMEOUT).unwrap_or(begin);
            let made = self.connector.connect_within(node, end, TIMEOUT);
            let is_silent = made.as_ref().is_err_and(super::Fault::is_late);
            self.breakers.waited_for(node, !is_silent, Instant::now());
            if let (Ok(connection), Ok(mut ready)) = (made, self.ready.lock()) {
                let ready = ready.entry(node.clone()).or_default();
                ready.truncate(MAX_WANTED);
                ready.push(connection);
            } else {
                let _ = self.wanted.lock().map(|mut wanted| wanted.remove(node));
                return;
            }
            if self.is_done(node) {
                return;
            }
        }
    }

    /// Counts an established connection. True if it was the last requested one.
    fn is_done(&self, node: &Address) -> bool {
        let Ok(mut wanted) = self.wanted.lock() else { return true };
        let left = wanted.get(node).map_or(0, |count| count.saturating_sub(1));
        if left == 0 {
            wanted.remove(node);
        } else {
            wanted.insert(node.clone(), left);
        }
        left == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        cluster::Fault,
        fake_node::{self, FakeNode},
    };

    fn until(mut holds: impl FnMut() -> bool) {
        let end = fake_node::late();
        while !holds() {
            assert!(Instant::now() < end);
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// The requested number is established, and a connection that is taken is removed.
    #[test]
    fn as_many_are_made_as_are_wanted() {
        let node = FakeNode::alone(|_| b":7\r\n".to_vec());
        let spares = Spares::new(Arc::new(fake_node::connector()), Arc::default());
        (0..3).for_each(|_| spares.want(&node.address));
        until(|| spares.wanted.lock().unwrap().is_empty());
        let mut made = std::iter::from_fn(|| spares.take(&node.address));
        // The first may be established before the third is requested: then there are enough threads.
        let mut last = made.next().unwrap();
        assert_eq!(made.count(), 2);
        assert!(last.round_trip(&[&redis::cmd("PING")], fake_node::late()).is_ok());
    }

    /// A node that refuses, or that replies, is not silent.
    #[test]
    fn a_node_that_speaks_is_never_silent() {
        let (breakers, now) = (Arc::<CircuitBreakers>::default(), Instant::now());
        let node = FakeNode::alone(|_| b":7\r\n".to_vec());
        let late = Fault::Late(String::new());
        (0..5).for_each(|_| drop(breakers.fault(&node.address, late.clone(), now + fake_node::LONG)));
        let spares = Spares::new(Arc::new(fake_node::connector()), Arc::clone(&breakers));
        spares.want(&node.address);
        until(|| spares.take(&node.address).is_some());
        assert_eq!(breakers.let_through(&node.address, Instant::now()), Ok(()), "it is tried at once");
    }
}
