//! The command line: which subcommands there are. Each one's flags are defined beside what they do, in [`cmd`],
//! once; help, manual pages and completions are made from that definition.

use clap::{CommandFactory, Parser, Subcommand};

use crate::{
    cmd,
    exit::Exit,
    failure::{Failure, Outcome},
    interrupt,
};

const AFTER: &str = "\
Exit status:
  0  yes, or done
  1  no: a candidate is rejected, a file is damaged
  2  error, told in one line on standard error

Examples:
  filterctl build --common --output /var/cache/nearmiss/words.filter
  filterctl check --filter /var/cache/nearmiss/words.filter --user anna
  filterctl verify /var/cache/nearmiss/words.filter";

/// Builds, checks and explains the filters by which the nearmiss PAM module rejects weak passwords.
#[derive(Parser)]
#[command(name = "filterctl", version, after_long_help = AFTER)]
#[command(help_expected = true, subcommand_required = true, arg_required_else_help = false)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    command: Command,
}

/// The subcommands.
#[derive(Subcommand)]
enum Command {
    Build(cmd::build::Args),
    Plan(cmd::plan::Args),
    Update(cmd::update::Args),
    Add(cmd::add::Args),
    Union(cmd::union::Args),
    Remove(cmd::remove::Args),
    Check(cmd::check::Args),
    Info(cmd::info::Args),
    Ladder(cmd::ladder::Args),
    Verify(cmd::verify::Args),
    Spell(cmd::spell::Args),
    Study(cmd::study::Args),
    Render(cmd::render::Args),
    Man(cmd::man::Args),
    Completions(cmd::completions::Args),
}

impl Command {
    fn run(&self) -> Outcome {
        match self {
            Command::Build(args) => args.run(),
            Command::Plan(args) => args.run(),
            Command::Update(args) => args.run(),
            Command::Add(args) => args.run(),
            Command::Union(args) => args.run(),
            Command::Remove(args) => args.run(),
            Command::Check(args) => args.run(),
            Command::Info(args) => args.run(),
            Command::Ladder(args) => args.run(),
            Command::Verify(args) => args.run(),
            Command::Spell(args) => args.run(),
            Command::Study(args) => args.run(),
            Command::Render(args) => args.run(),
            Command::Man(args) => args.run(),
            Command::Completions(args) => args.run(),
        }
    }
}

/// Reads the command line, does what it says and gives the exit code; errors are told on stderr.
pub(crate) fn run() -> Exit {
    match Cli::try_parse() {
        Ok(cli) => {
            interrupt::watch();
            cli.command.run().unwrap_or_else(|failure| failure.tell())
        }
        Err(usage) => explain(&usage),
    }
}

/// The definition of the whole command line.
pub(crate) fn definition() -> clap::Command {
    Cli::command()
}

/// Prints help and version on stdout, usage errors on stderr.
fn explain(usage: &clap::Error) -> Exit {
    match usage.print() {
        Ok(()) if usage.use_stderr() => Exit::Error,
        Ok(()) => Exit::Done,
        Err(source) => Failure::output(source).tell(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent_and_every_flag_has_help() {
        definition().debug_assert();
    }
}
