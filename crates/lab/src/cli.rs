//! The command line: the list of subcommands. The flags of each are defined once, next to its implementation
//! in [`cmd`]; help, manual pages and completions are generated from that definition.

use clap::{CommandFactory, Parser};
use nearmiss_cli::{
    VERSION_AND_COMMIT, commands, completions,
    exit::Exit,
    manual::{self, Manual},
    program,
};

use crate::cmd;

const AFTER: &str = "\
Exit status:
  0  yes, or done
  1  no: a word is unknown
  2  error; standard error gives the reason, on one line

Examples:
  filterlab spell --filter english.filter --suggest README.md
  filterlab study false-positives words.txt --output study
  filterlab ladder refusals --rungs 16 --threshold 16 --steps 2
  filterlab render words.filter --output words.png";

const MAN_AFTER: &str = "\
Examples:
  filterlab man | man -l -
  filterlab man study | man -l -
  filterlab man --output /usr/share/man/man1";

const COMPLETIONS_AFTER: &str = "\
Examples:
  filterlab completions bash > /usr/share/bash-completion/completions/filterlab
  filterlab completions zsh > /usr/share/zsh/vendor-completions/_filterlab
  filterlab completions fish > /usr/share/fish/vendor_completions.d/filterlab.fish";

const SEE_ALSO: &str = "filterlab(1), filterctl(8), pam_nearmiss(8), nearmiss.conf(5)";

/// Checks spelling with nearmiss filters, studies and draws filters, and computes the behaviour of ladders.
#[derive(Parser)]
#[command(name = "filterlab", version, long_version = VERSION_AND_COMMIT, after_long_help = AFTER)]
#[command(help_expected = true, subcommand_required = true, arg_required_else_help = false)]
struct Cli {
    /// The command.
    #[command(subcommand)]
    command: Command,
}

commands! {
    enum Command {
        Spell(cmd::spell::Args),
        Study(cmd::study::Args),
        Render(cmd::render::Args),
        Ladder(cmd::ladder::Args),
        #[command(after_long_help = MAN_AFTER)]
        Man(manual::Args) => |args: &manual::Args| args.run(&Manual::new(Cli::command(), "1", SEE_ALSO)),
        #[command(after_long_help = COMPLETIONS_AFTER)]
        Completions(completions::Args) => |args: &completions::Args| args.run(&Cli::command()),
    }
}

/// Reads the command line, executes it and returns the exit code.
pub(crate) fn run() -> Exit {
    program::run("filterlab", |cli: Cli| cli.command.run())
}

/// The definition of the command line.
pub(crate) fn command() -> clap::Command {
    Cli::command()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent_and_every_flag_has_help() {
        Cli::command().debug_assert();
    }
}
