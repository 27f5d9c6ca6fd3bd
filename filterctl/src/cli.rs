//! The command line: the list of subcommands. The flags of each are defined once, beside their code, in
//! [`cmd`]; help, manual pages and completions are generated from that definition.

use std::{
    env,
    ffi::{OsStr, OsString},
    path::Path,
};

use clap::{CommandFactory, Parser};
use nearmiss_cli::{
    VERSION_AND_COMMIT, commands, completions,
    exit::Exit,
    manual::{self, Manual},
    program,
};

use crate::{breaches, cmd, doctor};

const AFTER: &str = "\
Exit status:
  0  yes, or done
  1  no: a candidate is rejected, a file is damaged
  2  error; standard error gives the reason, on one line that ends with a key in
     brackets: docs/troubleshoot.md explains each key

Examples:
  filterctl update
  filterctl check --filter /var/cache/nearmiss/words.filter --user anna
  filterctl verify /var/cache/nearmiss/words.filter";

const MAN_AFTER: &str = "\
Exit status:
  0  the page is printed, or the pages are written
  2  there is no such page, or a page cannot be written

Examples:
  filterctl man | man -l -
  filterctl man ladder init | man -l -
  filterctl man --output /usr/share/man/man8";

const COMPLETIONS_AFTER: &str = "\
Exit status:
  0  the completions are printed
  2  error

Examples:
  filterctl completions bash > /usr/share/bash-completion/completions/filterctl
  filterctl completions zsh > /usr/share/zsh/vendor-completions/_filterctl
  filterctl completions fish > /usr/share/fish/vendor_completions.d/filterctl.fish";

const SEE_ALSO: &str = "filterctl(8), pam_nearmiss(8), nearmiss.conf(5), filterlab(1)";

/// Builds, checks and explains the filters by which the nearmiss PAM module rejects weak passwords.
#[derive(Parser)]
#[command(name = "filterctl", version, long_version = VERSION_AND_COMMIT, after_long_help = AFTER)]
#[command(help_expected = true, subcommand_required = true, arg_required_else_help = false)]
struct Cli {
    /// The command.
    #[command(subcommand)]
    command: Command,
}

commands! {
    enum Command {
        Build(cmd::build::Args),
        Plan(cmd::plan::Args),
        Update(cmd::update::Args),
        Add(cmd::add::Args),
        Union(cmd::union::Args),
        Remove(cmd::remove::Args),
        Check(cmd::check::Args),
        Suggest(cmd::suggest::Args),
        Hook(cmd::hook::Args),
        Info(cmd::info::Args),
        Install(cmd::install::Install),
        Rollback(cmd::install::Rollback),
        Breaches(breaches::Args),
        Metrics(cmd::metrics::Args),
        Doctor(cmd::doctor::Args),
        Config(cmd::config::Args),
        Migrate(cmd::migrate::Args),
        Ladder(cmd::ladder::Args),
        Fleet(cmd::fleet::Args),
        Verify(cmd::verify::Args),
        #[command(after_long_help = MAN_AFTER)]
        Man(manual::Args) => |args: &manual::Args| args.run(&Manual::new(Cli::command(), "8", SEE_ALSO)),
        #[command(after_long_help = COMPLETIONS_AFTER)]
        Completions(completions::Args) => |args: &completions::Args| args.run(&Cli::command()),
        DoctorChild(doctor::acts::Args),
    }
}

/// Parses the command line, runs the command and returns the exit code.
pub(crate) fn run() -> Exit {
    program::run_with("filterctl", arguments(env::args_os()), |cli: Cli| cli.command.run())
}

/// The arguments, with the command that the program's own name stands for.
fn arguments(given: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = given.collect();
    let name = arguments.first().and_then(|program| Path::new(program).file_name());
    if name == Some(OsStr::new(cmd::hook::HEIMDAL_PROGRAM)) {
        // The next argument is a principal, which may begin with any character: never an option.
        arguments.splice(1..1, ["hook", "heimdal", "--"].map(OsString::from));
    }
    arguments
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

    #[test]
    fn a_name_of_the_program_stands_for_a_command() {
        let given = |words: &[&str]| arguments(words.iter().map(OsString::from));
        assert_eq!(given(&["filterctl", "info", "f"]), ["filterctl", "info", "f"]);
        for principal in ["a@B", "--conf=/tmp/own.conf", "-h", "--"] {
            let expected = ["/l/nearmiss-heimdal", "hook", "heimdal", "--", principal];
            assert_eq!(given(&["/l/nearmiss-heimdal", principal]), expected);
        }
        assert!(given(&[]).is_empty());
    }
}
