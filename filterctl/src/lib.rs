//! Builds, updates, checks and explains nearmiss filters.
//!
//! The tool is a thin shell over the library: `cli` defines every flag once, and each file in `cmd` is one
//! subcommand. What it shares with `filterlab` is in `nearmiss-toolkit`: `input` reads lists, `failure` is
//! the one line of an error, and `report` adds what only this tool prints.
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, reason = "an overflow fails the test"))]

mod candidates;
mod change;
mod cli;
mod cmd;
mod columns;
mod configuration;
mod confirm;
mod doctor;
mod explain;
mod ffi;
mod file_kind;
mod fleet_agent;
mod input_flags;
mod inspect;
mod jobs;
mod judge;
mod measure;
mod output;
mod pam_module;
mod pam_stack;
mod provenance;
mod report;
mod sizing;
mod state_file;
mod syslog;
mod system_flags;
mod update_state;
mod user;
mod verify_state;

use std::process::ExitCode;

use nearmiss_toolkit::{access, exit, failure, finding, input, paths, progress};

/// The whole program: reads the command line, does what it says and gives the exit status.
pub fn run() -> ExitCode {
    cli::run().into()
}
