//! Builds, updates, checks and explains nearmiss filters.
//!
//! The tool is a thin shell over the library: [`cli`] defines every flag once, and each file in [`cmd`] is one
//! subcommand. What it shares with `filterlab`, it has from `nearmiss-toolkit`: [`input`] reads lists, [`report`]
//! prints results, [`failure`] is the one line of an error.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, reason = "an overflow fails the test"))]

mod candidates;
mod cli;
mod cmd;
mod configuration;
mod counts;
mod inspect;
mod jobs;
mod judge;
mod make;
mod measure;
mod sizing;
mod sources;
mod syslog;
mod tallies;
mod user;
mod verdicts;

use std::process::ExitCode;

use nearmiss_toolkit::{access, exit, failure, input, paths, progress, report, report::header as facts};

/// The whole program: reads the command line, does what it says and gives the exit status.
pub fn run() -> ExitCode {
    cli::run().into()
}
