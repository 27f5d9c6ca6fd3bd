//! Servers that are a cluster.

use redis::Value;

use super::{server::Server, text, wait_for};

/// A cluster of masters that share the slots evenly.
pub struct Cluster {
    /// The masters.
    pub servers: Vec<Server>,
}

impl Cluster {
    /// Starts this many, with these additional options.
    pub fn start(count: u16, options: &[&str]) -> Cluster {
        let cluster = Cluster { servers: (0..count).map(|_| Server::of_cluster(options)).collect() };
        for (number, server) in (0_u32..).zip(&cluster.servers) {
            let bound = |part: u32| (16_384 * part / u32::from(count)).to_string();
            let last = (16_384 * (number + 1) / u32::from(count) - 1).to_string();
            server.ask(&["CLUSTER", "ADDSLOTSRANGE", &bound(number), &last]);
        }
        for server in cluster.servers.iter().skip(1) {
            cluster.introduce(server);
        }
        cluster.wait_until_whole();
        cluster
    }

    /// Has another server meet the first one.
    pub fn introduce(&self, server: &Server) {
        let first = self.servers.first().expect("at least one");
        let (port, bus) = (first.port.to_string(), first.bus_port());
        server.ask(&["CLUSTER", "MEET", "127.0.0.1", &port, bus]);
    }

    /// Waits until every server knows every other.
    pub fn wait_until_whole(&self) {
        let count = format!("cluster_known_nodes:{}", self.servers.len());
        let is_whole = |server: &Server| {
            let Ok(info) = server.try_ask(&["CLUSTER", "INFO"]) else { return false };
            let text = text(&info);
            text.contains("cluster_state:ok")
                && text.contains(&count)
                && text.contains("cluster_slots_ok:16384")
        };
        wait_for("a whole cluster", || self.servers.iter().all(is_whole));
    }

    /// The addresses of all.
    pub fn addresses(&self) -> Vec<String> {
        self.servers.iter().map(Server::address).collect()
    }

    /// The number of shards' keys in all.
    pub fn keys(&self) -> usize {
        let count = |server: &Server| match server.ask(&["KEYS", "nm1:*"]) {
            Value::Array(keys) => keys.len(),
            other => panic!("{other:?}"),
        };
        self.servers.iter().map(count).sum()
    }

    /// Every shard that is there: its key and its bytes.
    pub fn shards(&self) -> Vec<(String, Vec<u8>)> {
        self.servers.iter().flat_map(Server::shards).collect()
    }

    /// The share of ones in all shards.
    pub fn density(&self) -> f64 {
        let shards = self.shards();
        let ones: u64 =
            shards.iter().flat_map(|(_, bytes)| bytes).map(|byte| u64::from(byte.count_ones())).sum();
        ones as f64 / (shards.len() as f64 * 524_288.0)
    }
}
