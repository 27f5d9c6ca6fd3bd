//! Code shared by the end-to-end tests: the built artefacts, filters and their damage, a scenario with the
//! real `passwd` in a private mount namespace, and a PAM application that needs no privilege.
//!
//! The tests need `python3` and util-linux; what needs root says so and is skipped without it. The scripts in
//! `tools/` hold what cannot be said without unsafe code: terminals, changing the user, calling libpam.
#![forbid(unsafe_code)]

pub mod artifacts;
pub mod dialogue;
pub mod faults;
pub mod filters;
pub mod fuzz;
pub mod ladder;
pub mod pam;
pub mod process;
mod report;
pub mod scenario;
pub mod skip;
pub mod snapshot;
pub mod spy;
pub mod sshd;
pub mod store;
pub mod user;

pub use report::report_tried;

use std::time::Duration;

/// The timeout of every wait: it ends a test that hangs, and nothing that works is this slow.
pub const HANGS: Duration = Duration::from_secs(300);
