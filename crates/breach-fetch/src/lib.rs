//! Fetches the ranges of digests of leaked passwords and keeps a filter of them up to date. Only this crate
//! contains code that connects to their server; it runs unprivileged, with access only to its own folder.
//!
//! # Modules, from top to bottom
//!
//! * `cli`: the command line;
//! * `run`: a run, from the lock to the report;
//! * `watching`: the progress of a run;
//! * `report`: the report of a run, and its result for the next one;
//! * `groups`: the ranges of a group, requested in parallel;
//! * `making`: the new filter, group by group;
//! * `unfinished`: its files while it is being built;
//! * `kept`: ranges of groups that lack some;
//! * `earlier`: the filter in use until then;
//! * `state`: the ranges file, as specified in FORMAT-RANGES.md;
//! * `client`: requests to a server;
//! * `range`: the text of a range.
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, reason = "an overflow fails the test"))]

mod cli;
mod client;
mod earlier;
mod groups;
mod kept;
mod making;
mod range;
mod report;
#[allow(clippy::arithmetic_side_effects, reason = "numbers of ranges and digests, far below 2⁶⁴")]
mod run;
mod state;
mod unfinished;
mod watching;

use std::process::ExitCode;

use nearmiss_cli::{clock, exit, failure, keys, paths, progress};

/// The whole program: reads the command line, executes it and returns the exit status.
pub fn run() -> ExitCode {
    cli::run().into()
}

/// The definition of the command line, for tests that go through every option.
#[doc(hidden)]
pub fn command() -> clap::Command {
    cli::command()
}
