//! Code shared by the tools `filterctl`, `filterlab` and `nearmiss-fetch`, and, without the feature `tools`,
//! by `nearmiss-agent`.
//!
//! * [`input`] reads word lists of any size, compressed or not; [`progress`] shows the progress.
//! * [`report`] prints results, as text or as JSON; [`ladder`] contains output about ladders that two tools
//!   share.
//! * [`mod@key`] reads a hash key; [`clock`] the time of day; [`corpus`] names leaked passwords' digests.
//! * [`access`] is the read access of a filter; [`replaceable`] tells which file an output may replace;
//!   [`finding`] is the finding of an examination; [`shell`] writes commands that can be pasted.
//! * [`keys`] are the keys by which errors and findings are looked up.
//! * [`commands!`] generates the subcommands of a command. [`program`] reads a command line and returns an
//!   exit code ([`exit`]), after one line on standard error for a failure ([`failure`]) or for a command line
//!   that is not understood ([`usage`]). [`manual`] and [`completions`] are generated from the same
//!   definition. A report fails that nobody can see (`output`).
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, reason = "an overflow fails the test"))]

pub mod access;
pub mod clock;
mod commands;
#[cfg(feature = "tools")]
pub mod completions;
pub mod corpus;
pub mod disk;
pub mod exit;
pub mod failure;
mod ffi;
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
mod output;
pub mod paths;
#[cfg(feature = "tools")]
pub mod program;
#[cfg(feature = "tools")]
pub mod progress;
pub mod replaceable;
pub mod report;
pub mod shell;
pub mod text;
pub mod usage;

/// The version, and the commit if it is known, for `--version`.
pub const VERSION_AND_COMMIT: &str = concat!(env!("CARGO_PKG_VERSION"), env!("NEARMISS_COMMIT"));
