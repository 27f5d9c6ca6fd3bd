//! Builds, updates, checks and explains nearmiss filters.
//!
//! `cli` defines the commands, and each file in `cmd` is one of them; `flags` are groups of flags that
//! commands share. `filter_file` changes, examines and sizes filter files, `candidates` reads, checks and
//! explains passwords, `breaches` manages leaked passwords, `doctor` makes findings, and `host` is this
//! machine: its PAM stack, accounts and log. What other programs share with it is in `nearmiss-cli`.
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, reason = "an overflow fails the test"))]

mod breaches;
mod candidates;
mod cli;
mod cmd;
mod configuration;
mod doctor;
mod filter_file;
mod flags;
mod host;
mod migrate;
mod report;

use std::process::ExitCode;

/// The whole program: parses the command line, runs the command and returns the exit status.
pub fn run() -> ExitCode {
    cli::run().into()
}

/// The definition of the command line, for tests of every option.
#[doc(hidden)]
pub fn command() -> clap::Command {
    cli::command()
}
