//! An administrator's account, and the nodes that it connects to.

use std::{path::PathBuf, time::Instant};

use nearmiss_cli::failure::Failure;
use redis::{Cmd, Value};

use crate::{
    cluster::{Address, Cluster, Connection, Connections, Connector, Fault},
    config::{Config, read_password},
};

/// An administrator waits longer than a login.
#[cfg(not(test))]
const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(3);
#[cfg(test)]
use crate::fake_node::LONG as TIMEOUT;

/// The account for the nodes, and the form of the printed result.
#[derive(clap::Args, Debug)]
pub(crate) struct Account {
    /// A user of the store with the rights that docs/fleet.md names for this.
    #[arg(long, value_name = "USER", default_value = "default")]
    user: String,
    /// The file with that user's password on one line.
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// Print the result as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// The nodes that an administrator's action is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nodes {
    /// Those that take writes: the replicas get everything from them.
    Masters,
    /// The replicas, too.
    All,
}

impl Account {
    /// The clusters of the configuration, with their maps, as this account sees them.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(crate) fn clusters(&self, config: &Config) -> Result<Vec<Cluster>, Failure> {
        // Once: the file may be a pipe.
        let password = self.password_file.as_deref().map(read_password).transpose()?;
        let password = password.as_ref().map(|password| password.as_str());
        let mut clusters = Vec::new();
        for seeds in [&config.nodes, &config.far_nodes].into_iter().filter(|seeds| !seeds.is_empty()) {
            let connector = Connector::of(config, &self.user, password, TIMEOUT)?;
            let cluster = Cluster::new(connector, seeds.clone());
            cluster.refresh(&mut Connections::default(), soon());
            clusters.push(cluster);
        }
        Ok(clusters)
    }
}

/// The results of `act` for every node of these clusters; `act` takes the connection, or the reason for its
/// failure.
pub(crate) fn at_each_node<T>(
    clusters: &[Cluster],
    which: Nodes,
    act: impl Fn(&Address, Result<Connection, Fault>) -> T,
) -> Vec<T> {
    let replicas = |cluster: &Cluster| if which == Nodes::All { cluster.replicas() } else { Vec::new() };
    let nodes = clusters.iter().flat_map(|cluster| {
        let nodes = [cluster.nodes(), replicas(cluster)].concat().into_iter();
        nodes.map(move |node| (cluster, node))
    });
    nodes.map(|(cluster, node)| act(&node, cluster.connect(&node, soon()))).collect()
}

#[cfg(test)]
impl Account {
    /// One that needs no password.
    pub(crate) fn sample(json: bool) -> Account {
        Account { user: "default".to_owned(), password_file: None, json }
    }
}

/// The reply to one command.
///
/// # Errors
/// The node refuses it, or does not reply in time.
pub(crate) fn ask(connection: &mut Connection, command: &Cmd) -> Result<Value, Fault> {
    connection.round_trip(&[command], soon())?.pop().unwrap_or(Err(Fault::Timeout))
}

fn soon() -> Instant {
    let now = Instant::now();
    now.checked_add(TIMEOUT).unwrap_or(now)
}
