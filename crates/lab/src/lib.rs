//! A laboratory for nearmiss filters: nothing here decides over a password.
//!
//! `cli` defines every flag once, and each file in `cmd` is one subcommand. `spell` finds misspelt words
//! in documents, `study` measures what a choice of parameters rests on, `picture` draws the bits of a
//! file. `theory` computes what ladders do, `trial` observes real ones, `figures` are the figures of a
//! paper, `curves` sets theory beside trials, `plot` and `table` write them down. `rules` are those that
//! make passwords of words, `occurrences` reads passwords with their numbers. Lists, reports and failures are
//! shared with `filterctl`.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, reason = "an overflow fails the test"))]

mod cli;
mod cmd;
mod curves;
mod figures;
mod occurrences;
mod output;
mod picture;
mod plot;
mod rules;
mod spell;
mod study;
mod table;
pub mod theory;
mod trial;

use std::process::ExitCode;

/// The whole program: reads the command line, does what it says and returns the exit code.
pub fn run() -> ExitCode {
    cli::run().into()
}

/// The definition of the command line, for tests that go through every option.
#[doc(hidden)]
pub fn command() -> clap::Command {
    cli::command()
}
