//! Code shared by the end-to-end tests: the built artefacts, filters and their damage, a scenario with the
//! real `passwd` in a private mount namespace, and a PAM application that needs no privilege.
//!
//! The tests need `python3` and util-linux; what needs root says so and is skipped without it. The scripts in
//! `tools/` hold what cannot be said without unsafe code: terminals, changing the user, calling libpam.
#![forbid(unsafe_code)]

pub mod artifacts;
pub mod faults;
pub mod filters;
pub mod fleet;
pub mod fuzz;
pub mod ladder;
pub mod lateness;
pub mod pam;
mod ports;
mod report;
pub mod scenario;
pub mod skip;
pub mod snapshot;
pub mod spy;
pub mod sshd;
pub mod user;

pub use report::report_tried;
