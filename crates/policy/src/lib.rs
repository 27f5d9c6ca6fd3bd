//! The decisions of nearmiss: whether a new password is rejected, and the effect of a failure.
//!
//! A password is rejected when it is in a dictionary, within edit distance 1 of it, breaks a rule of the
//! configuration, or is too frequent on this system. The filters and ladders are made and queried by
//! `nearmiss-filters`. The PAM module, `filterctl check`, libnearmiss and the shells of servers decide
//! through [`Site`] only.
//!
//! # Modules, from top to bottom
//!
//! Imports go down this list and form no cycle, which `make lint` checks.
//!
//! * [`site`]: a configuration with its filters and ladder opened, and every decision about a password;
//! * [`config`]: `/etc/security/nearmiss.conf` and its drop-ins;
//! * [`suggest`]: passphrases of words drawn from a list;
//! * [`secret`] and [`guard`]: passwords in memory, and caught panics, for all shells;
//! * [`policy`]: the rules, and the [`policy::variants`] that undo disguises.
//!
//! Read [`site`] and [`policy`] first. Nothing here reads the environment or a clock while a password is
//! checked.
//!
//! # The public interface
//!
//! [`Site`] decides about a password ([`Decision`]) by a [`Config`]. These and the types in their signatures
//! are the public interface. Modules that the documentation leaves out serve the programs and tests of this
//! project and may change at any time.
//!
//! # References
//!
//! * Schechter & Herley: S. Schechter, C. Herley, *The Binomial Ladder Frequency Filter and its Applications
//!   to Shared Secrets*, Microsoft Research (2018).
//! * NIST SP 800-63B-4: *Digital Identity Guidelines: Authentication and Authenticator Management* (2025),
//!   §3.1.1.2.

#![cfg_attr(test, allow(clippy::arithmetic_side_effects, reason = "an overflow fails the test"))]

#[cfg(test)]
#[path = "../../filters/src/alone.rs"]
mod alone;
pub mod config;
#[doc(hidden)]
pub mod guard;
pub mod policy;
#[doc(hidden)]
pub mod secret;
pub mod site;
#[doc(hidden)]
pub mod suggest;

pub use config::Config;
pub use policy::{Context, Finding, Reason};
pub use site::{Decision, Site};
