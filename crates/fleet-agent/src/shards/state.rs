//! What a status report says of the store: the nodes' states and the density.

#![allow(clippy::arithmetic_side_effects, reason = "places of a page in a shard")]

use std::time::{Duration, Instant};

use redis::Value;

use super::{Ladder, PAGE_BYTES, PAGES, Shards};
use crate::{
    cluster::{Address, Cluster, NodeState, SLOTS},
    functions::{self, Function},
    random,
};

/// The time in which the nodes of a site are asked for their state.
const PROBING: Duration = Duration::from_secs(1);
/// The number of sampled pages for the density.
const SAMPLED_PAGES: u32 = 16;

impl Shards<'_> {
    /// The state of every node, each asked now, within about a second: with a ladder, for no bits of one of
    /// the node's shards. That is refused where a step would be, and changes nothing.
    pub fn states(&mut self, ladder: Option<Ladder>, soon: &impl Fn() -> Instant) -> Vec<NodeState> {
        let cluster = self.cluster;
        let command = |node: &Address| {
            let own = ladder.and_then(|ladder| Some((ladder, shard_of(cluster, ladder, node)?)));
            own.map_or_else(functions::list, |(ladder, shard)| {
                let mut command = Function::Put.call();
                command.arg(1).arg(ladder.key(shard));
                command
            })
        };
        let now = Instant::now();
        let until = now.checked_add(PROBING).unwrap_or(now);
        cluster.states(&mut self.connections, command, until, soon)
    }

    /// The share of ones in 16 random pages, and the number of pages that exist, as far as they can be read
    /// before `until`. `soon` is the deadline of one command.
    pub fn density(&mut self, ladder: Ladder, until: Instant, soon: &impl Fn() -> Instant) -> (f64, u32) {
        let (mut ones, mut pages) = (0_u64, 0_u32);
        for _ in 0..SAMPLED_PAGES {
            let word = if Instant::now() < until { random::word() } else { None };
            let Some(word) = word else { break };
            let shard = u32::try_from(word % u64::from(ladder.shards())).unwrap_or(0);
            let first = (word >> 40) % u64::from(PAGES) * PAGE_BYTES;
            let last = first.saturating_add(PAGE_BYTES - 1);
            let mut command = redis::cmd("GETRANGE");
            command.arg(ladder.key(shard)).arg(first).arg(last);
            let slot = ladder.slot(shard);
            if let Ok(Value::BulkString(page)) =
                self.cluster.request(&mut self.connections, slot, &command, soon())
                && page.len() as u64 == PAGE_BYTES
            {
                ones = page.iter().fold(ones, |ones, byte| ones.saturating_add(byte.count_ones().into()));
                pages = pages.saturating_add(1);
            }
        }
        let bits = f64::from(pages) * 8.0 * PAGE_BYTES as f64;
        (if pages == 0 { 0.0 } else { ones as f64 / bits }, pages)
    }
}

/// The first shard of a ladder that a node has, by the last map.
fn shard_of(cluster: &Cluster, ladder: Ladder, node: &Address) -> Option<u32> {
    let is_own = |shard: &u32| cluster.known_owner(ladder.slot(*shard)).is_some_and(|owner| *owner == *node);
    (0..ladder.shards().min(u32::from(SLOTS))).find(is_own)
}
