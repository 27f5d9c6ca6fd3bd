//! The map of slots to nodes: who has a slot, and when the nodes are asked again.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use super::{Address, Cluster, Connections, Fault, SlotMap};

/// The least time between two requests for the map.
const REFRESH: Duration = Duration::from_millis(100);

impl Cluster {
    /// The master that has a slot, by the last map.
    pub fn known_owner(&self, slot: u16) -> Option<Arc<Address>> {
        self.map.read().ok()?.owner(slot).cloned()
    }

    pub(super) fn owner(
        &self,
        connections: &mut Connections,
        slot: u16,
        end: Instant,
    ) -> Result<Arc<Address>, Fault> {
        if let Some(node) = self.known_owner(slot) {
            return Ok(node);
        }
        self.refresh(connections, end);
        let unowned = || self.unowned.lock().map_or(Fault::NoOwner, |fault| fault.clone());
        self.known_owner(slot).ok_or_else(unowned)
    }

    /// The owner that a node named, which is used until the next map.
    pub(super) fn moved(
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
        if !self.is_due() {
            return false;
        }
        let (best, is_late) = self.best_map(connections, end);
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

    /// True, and the time of the request is noted, if the last one is not recent.
    fn is_due(&self) -> bool {
        let Ok(mut asked) = self.asked.lock() else { return false };
        let now = Instant::now();
        let is_due = !asked.is_some_and(|then| is_recent(then, now));
        if is_due {
            *asked = Some(now);
        }
        is_due
    }

    /// The map with the most owners that a node has, and whether a node was late. A node that was reset knows
    /// no others: further nodes are queried unless all slots have an owner.
    fn best_map(&self, connections: &mut Connections, end: Instant) -> (Option<SlotMap>, bool) {
        let nodes = self.nodes();
        self.breakers.retain(&nodes);
        let (mut best, mut is_late): (Option<SlotMap>, bool) = (None, false);
        for node in nodes {
            if Instant::now() >= end {
                return (best, true);
            }
            let map = self.map_of(connections, &node, end);
            is_late |= map.as_ref().is_err_and(Fault::is_late);
            let Ok(Some(map)) = map else { continue };
            let is_whole = map.without_owner() == 0;
            if best.as_ref().is_none_or(|best| map.without_owner() < best.without_owner()) {
                best = Some(map);
            }
            if is_whole {
                break;
            }
        }
        (best, is_late)
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
mod tests {
    use super::*;
    use crate::{
        cluster::tests::forget_when_asked,
        fake_node::{self, FakeNode, late},
    };

    #[test]
    fn the_map_is_asked_for_ten_times_a_second_at_most() {
        let (asked, tick) = (Instant::now(), Duration::from_nanos(1));
        let ages = [Duration::ZERO, REFRESH.saturating_sub(tick), REFRESH, 2 * REFRESH];
        assert_eq!(ages.map(|age| is_recent(asked, asked + age)), [true, true, false, false]);
        let node = FakeNode::alone(|_| b":7\r\n".to_vec());
        let (cluster, mut connections) = (fake_node::cluster(&[&node]), Connections::default());
        *cluster.asked.lock().unwrap() = Some(Instant::now() + fake_node::LONG);
        assert!(!cluster.refresh(&mut connections, late()) && node.by_connection().is_empty());
        forget_when_asked(&cluster);
        assert!(cluster.refresh(&mut connections, late()));
    }
}
