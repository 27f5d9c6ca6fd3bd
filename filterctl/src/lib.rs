//! Builds, updates, checks, explains and studies nearmiss filters.
//!
//! The tool is a thin shell over the library: [`cli`] defines every flag once, each file in [`cmd`] is one
//! subcommand, [`input`] reads lists, [`report`] prints results and [`failure`] the one line of an error.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, reason = "an overflow fails the test"))]

mod access;
mod candidates;
mod cli;
mod cmd;
mod counts;
mod exit;
mod facts;
mod failure;
#[doc(hidden)]
pub mod fuzzing;
mod input;
mod inspect;
mod jobs;
mod judge;
mod make;
mod measure;
mod paths;
mod picture;
mod progress;
mod report;
mod sizing;
mod sources;
mod spell;
mod study;
mod syslog;
mod tallies;
mod verdicts;

use std::process::ExitCode;

/// The whole program: reads the command line, does what it says and gives the exit status.
pub fn run() -> ExitCode {
    cli::run().into()
}
