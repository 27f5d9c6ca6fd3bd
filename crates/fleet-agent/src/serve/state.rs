//! Counters of the agent since its start, for `filterctl fleet status`.

use std::{
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::Instant,
};

use serde_json::json;

use crate::cluster::{Cluster, NodeState};

/// Counters since the start.
#[derive(Debug)]
pub(super) struct State {
    started: Instant,
    /// Requests that were done.
    pub(super) answered: AtomicU64,
    /// Requests that took steps.
    pub(super) counted: AtomicU64,
    /// Requests about an element at the top, without the store.
    pub(super) hot: AtomicU64,
    /// Requests that failed because the store was unreachable.
    pub(super) unavailable: AtomicU64,
    /// Requests that were late.
    pub(super) late: AtomicU64,
    /// Requests that were turned away.
    pub(super) turned_away: AtomicU64,
    /// Invalid requests.
    pub(super) unknown: AtomicU64,
    /// Shards that were missing and created.
    pub(super) made: AtomicU64,
}

impl Default for State {
    fn default() -> State {
        let zero = || AtomicU64::new(0);
        State {
            started: Instant::now(),
            answered: zero(),
            counted: zero(),
            hot: zero(),
            unavailable: zero(),
            late: zero(),
            turned_away: zero(),
            unknown: zero(),
            made: zero(),
        }
    }
}

/// A cluster, and its nodes as they are now.
pub(super) struct Site<'c> {
    pub(super) cluster: &'c Cluster,
    pub(super) nodes: Vec<NodeState>,
}

impl State {
    /// All counters as JSON on one line, with the state of the store.
    pub(super) fn report(
        &self,
        near: &Site<'_>,
        far: Option<&Site<'_>>,
        hot: usize,
        density: Option<(f64, u32)>,
    ) -> String {
        let (density, pages) = density.unzip();
        // Without a page, nothing is known.
        let density = density.filter(|_| pages != Some(0));
        let report = json!({
            "seconds": self.started.elapsed().as_secs(),
            "answered": self.answered.load(Relaxed),
            "counted": self.counted.load(Relaxed),
            "from_hot_elements": self.hot.load(Relaxed),
            "hot_elements": hot,
            "unavailable": self.unavailable.load(Relaxed),
            "late": self.late.load(Relaxed),
            "turned_away": self.turned_away.load(Relaxed),
            "unknown": self.unknown.load(Relaxed),
            "shards_made": self.made.load(Relaxed),
            "without_functions": near.cluster.without_functions.load(Relaxed),
            "kept_back_by_breakers": near.cluster.skipped.load(Relaxed),
            "slots_without_node": near.cluster.slots_without_owner(),
            "nodes": near.nodes,
            "far_slots_without_node": far.and_then(|far| far.cluster.slots_without_owner()),
            "far_nodes": far.map(|far| &far.nodes),
            "density": density,
            "pages_sampled": pages,
        });
        format!("{report}\n")
    }
}
