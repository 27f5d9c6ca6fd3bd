//! Faults between this host and its fleet, and faults of the store.
//!
//! The store is examined by the agent, which has the code for its protocol; its findings have the same shape.

mod host;
mod store;

use nearmiss_policy::config::Config;

pub(crate) use self::store::StoreFlags;
use crate::doctor::Subject;
use nearmiss_cli::finding::Finding;

/// Examines this host's membership in a fleet, and, with `--only fleet`, the store.
pub(super) fn examine(
    subject: &Subject,
    config: &Config,
    store: &StoreFlags,
    is_named: bool,
) -> Vec<Finding> {
    let mut findings = host::examine(subject, config, store.has_agent());
    if is_named {
        findings.extend(store.examine(has_descriptor(config)));
    }
    findings
}

/// True if this host has the descriptor of a fleet's ladder, or may have it.
pub(super) fn has_descriptor(config: &Config) -> bool {
    config.fleet.descriptors().any(|file| !matches!(file.try_exists(), Ok(false)))
}
