//! Fetches the ranges of digests of leaked passwords and keeps a filter of them up to date. The code that
//! speaks to their server is in this crate alone, and runs without any right but to its own folder.
//!
//! # Modules, from top to bottom
//!
//! * `cli`: the command line;
//! * `run`: a run, from the lock to the report;
//! * `watching`: the progress of a run;
//! * `report`: what a run says at its end, and to the next one;
//! * `groups`: the ranges of a group, asked for side by side;
//! * `making`: the new filter, group by group;
//! * `unfinished`: its files while it is made;
//! * `earlier`: the filter that serves until then;
//! * `state`: the file of ranges beside FORMAT-RANGES.md;
//! * `client`: questions to a server;
//! * `range`: the text of a range.
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, reason = "an overflow fails the test"))]

mod cli;
mod client;
mod earlier;
mod groups;
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

/// The whole program: reads the command line, does what it says and gives the exit status.
pub fn run() -> ExitCode {
    cli::run().into()
}

/// The definition of the command line, for tests that go through every option.
#[doc(hidden)]
pub fn command() -> clap::Command {
    cli::command()
}
