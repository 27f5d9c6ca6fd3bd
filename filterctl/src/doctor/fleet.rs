//! Faults between this host and its fleet, and faults of the store.
//!
//! The store is examined by the agent, which has the code for its protocol; its findings have the same shape.

mod host;
mod store;

use nearmiss_policy::config::Config;

pub(crate) use self::store::StoreFlags;
use nearmiss_cli::finding::Finding;

/// Examines this host's membership in a fleet, and, with `--only fleet`, the store.
pub(super) fn examine(config: &Config, store: &StoreFlags, is_named: bool) -> Vec<Finding> {
    let mut findings = host::examine(config, store.has_agent());
    if is_named {
        findings.extend(store.examine());
    }
    findings
}
