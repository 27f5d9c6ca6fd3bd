//! Code shared by the tools `filterctl`, `filterlab` and `nearmiss-fetch`, and, without the feature `tools`,
//! by `nearmiss-agent`.
//!
//! * [`input`] reads word lists of any size, compressed or not; [`progress`] shows how far that is.
//! * [`report`] prints results, as text or as JSON; [`ladder`] is what two tools say about ladders.
//! * [`mod@key`] reads a hash key; [`clock`] the time of day; [`corpus`] names leaked passwords' digests.
//! * [`access`] is who may read a filter; [`finding`] is what an examination found.
//! * [`keys`] is what errors and findings are looked up by.
//! * [`commands!`] makes the subcommands of a command. [`program`] reads a command line and ends with an exit
//!   code ([`exit`]), after one line on standard error where something failed ([`failure`]). [`manual`] and
//!   [`completions`] are made from the same definition.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, reason = "an overflow fails the test"))]

pub mod access;
pub mod clock;
mod commands;
#[cfg(feature = "tools")]
pub mod completions;
pub mod corpus;
pub mod exit;
pub mod failure;
pub mod finding;
#[cfg(feature = "tools")]
pub mod input;
#[cfg(feature = "tools")]
mod interrupt;
pub mod key;
pub mod keys;
pub mod ladder;
#[cfg(feature = "tools")]
pub mod manual;
pub mod paths;
#[cfg(feature = "tools")]
pub mod program;
#[cfg(feature = "tools")]
pub mod progress;
pub mod report;
pub mod text;

/// The version, and the commit it was compiled of where that is known: what `--version` prints.
pub const VERSION_AND_COMMIT: &str = concat!(env!("CARGO_PKG_VERSION"), env!("NEARMISS_COMMIT"));
