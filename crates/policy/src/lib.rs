//! The decisions of nearmiss: whether a new password is rejected, and the effect of a failure.
//!
//! A password is rejected when it is in a dictionary, within edit distance 1 of a word, or 2 of a long one,
//! breaks a rule of the configuration, or is too frequent on this system. The filters and ladders are made
//! and queried by `nearmiss-filters`. The PAM module, `filterctl check`, libnearmiss and the shells of
//! servers decide through [`Site`] only.
//!
//! # In which order to read
//!
//! 1. The example below: a configuration, a site, a decision.
//! 2. [`site`]: what a [`Decision`] contains, and why a part that cannot be used is never an acceptance.
//! 3. [`config`]: what an administrator can set, and how a mistake in it is reported.
//! 4. [`policy`]: the rules in the order in which they are asked, and the [`Reason`] that each gives.
//! 5. `nearmiss-filters`: the structures that the rules look up.
//!
//! A program that runs for months uses `nearmiss-checker` instead, which notices replaced files and may be
//! called from any thread.
//!
//! # Modules, from top to bottom
//!
//! Imports go down this list and form no cycle, which `make lint` checks.
//!
//! * [`site`]: a configuration with its filters and ladder opened, and every decision about a password;
//! * [`config`]: `/etc/security/nearmiss.conf` and its drop-ins;
//! * `suggest`: passphrases of words drawn from a list;
//! * `secret` and `guard`: passwords in memory, and caught panics, for all shells;
//! * [`policy`]: the rules, and the [`policy::variants`] that undo disguises.
//!
//! Those without a link are left out of these pages. Nothing here reads the environment or a clock while a
//! password is checked.
//!
//! # An example
//!
//! ```
//! use nearmiss_policy::{Config, Context, Reason, Site};
//! use std::path::Path;
//!
//! let text = b"min_length = 10\npackaged = false\n";
//! let site = Site::without_ladder(Config::parse(Path::new("/etc/site.conf"), text)?);
//! let context = Context { user: b"annemaria", ..Context::default() };
//! let reason = |password: &[u8]| match site.decide(password, &context).rejection() {
//!     Ok(found) => Ok(found.map(|found| found.reason)),
//!     // A part that cannot be used: the password must not be set.
//!     Err(unusable) => Err(unusable.message()),
//! };
//! assert_eq!(reason(b"short"), Ok(Some(Reason::TooShort { min_length: 10 })));
//! assert_eq!(reason(b"Annamaria1"), Ok(Some(Reason::NearUserName)));
//! assert_eq!(reason(b"correct-horse-battery"), Ok(None));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
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
