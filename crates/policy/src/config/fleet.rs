//! `[fleet]`: the ladders that this host shares with others.

use std::path::{Path, PathBuf};

/// The fleet's ladders, by their descriptors, and the agent that reaches their bits. A descriptor that does
/// not exist means that this host has not joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetRules {
    /// The agent's socket.
    pub socket: PathBuf,
    /// The descriptor of the ladder of guessed passwords.
    pub guessed: PathBuf,
    /// The descriptor of the ladder of chosen passwords.
    pub chosen: PathBuf,
    /// Descriptors of further ladders, of either kind, while one ladder replaces another.
    pub also: Vec<PathBuf>,
    /// True if servers that check passwords themselves query the fleet, too: each check may then wait for the
    /// agent.
    pub servers: bool,
}

/// The highest number of descriptors in `also`: one of either kind.
pub(super) const MAX_ALSO: usize = 2;

impl Default for FleetRules {
    fn default() -> FleetRules {
        FleetRules {
            socket: "/run/nearmiss/agent.sock".into(),
            guessed: "/etc/nearmiss/fleet-guessed.ladder".into(),
            chosen: "/etc/nearmiss/fleet-chosen.ladder".into(),
            also: Vec::new(),
            servers: false,
        }
    }
}

impl FleetRules {
    /// Every descriptor.
    pub fn descriptors(&self) -> impl Iterator<Item = &Path> {
        [&self.guessed, &self.chosen].into_iter().chain(&self.also).map(PathBuf::as_path)
    }
}
