//! Builds, updates, checks and explains nearmiss filters.
//!
//! The tool is a thin shell over the library: `cli` defines every flag once, and each file in `cmd` is one
//! subcommand. What it shares with `filterlab` is in `nearmiss-cli`: `input` reads lists, `failure` is
//! the one line of an error, and `report` adds what only this tool prints.
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, reason = "an overflow fails the test"))]

mod cli;
mod cmd;
mod configuration;
mod doctor;
mod ffi;
mod filter;
mod input_flags;
mod jobs;
mod output;
mod passwords;
mod report;
mod system;

use std::process::ExitCode;

use nearmiss_cli::{access, clock, exit, failure, finding, input, keys, paths, progress};

/// The whole program: reads the command line, does what it says and gives the exit status.
pub fn run() -> ExitCode {
    cli::run().into()
}

/// The definition of the command line, for tests that go through every option.
#[doc(hidden)]
pub fn command() -> clap::Command {
    cli::command()
}
