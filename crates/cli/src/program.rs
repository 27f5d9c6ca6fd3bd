//! A tool from its command line to its exit code.

use std::{env, ffi::OsString};

use clap::Parser;

use crate::{exit::Exit, failure::Outcome, interrupt, usage};

/// Reads the command line of the tool called `name` and passes it to `act`. Prints help and version on
/// standard output, usage errors and failures on standard error.
pub fn run<C: Parser>(name: &'static str, act: impl FnOnce(C) -> Outcome) -> Exit {
    run_with(name, env::args_os(), act)
}

/// The same with this command line instead of the program's own.
pub fn run_with<C: Parser>(
    name: &'static str,
    arguments: impl IntoIterator<Item = OsString>,
    act: impl FnOnce(C) -> Outcome,
) -> Exit {
    match usage::read(name, arguments) {
        Ok(command_line) => {
            interrupt::watch();
            act(command_line).unwrap_or_else(|failure| failure.report())
        }
        Err(exit) => exit,
    }
}
