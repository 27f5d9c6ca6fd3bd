//! `filterctl ladder`: the ladders of chosen and of guessed passwords: which one to make (plan), and the ones
//! of this system (init, info, height, step, report); `filterctl doctor --only ladder` examines them.

mod height;
mod info;
mod init;
mod place;
mod plan;
mod repair;
mod report;
mod step;

use clap::Subcommand;
use nearmiss_cli::failure::Outcome;
use nearmiss_cli::ladder::{numbers, refusals};

const AFTER: &str = "\
Examples:
  filterctl ladder init
  filterctl ladder plan --users 5000 --max-share 0.002 --false-positive 1e-5
  filterctl ladder init --guessed
  filterctl doctor --only ladder";

/// Plans, makes and examines binomial ladders: passwords too common on this system, or often guessed here,
/// are rejected, rare ones stay private.
#[derive(clap::Args)]
#[command(after_long_help = AFTER, subcommand_required = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Init(init::Args),
    Info(info::Args),
    Height(height::Args),
    Step(step::Args),
    Plan(plan::Args),
    Report(report::Args),
}

impl Args {
    /// Does what the subcommand says.
    ///
    /// # Errors
    /// As each subcommand.
    pub(crate) fn run(&self) -> Outcome {
        match &self.command {
            Command::Init(args) => args.run(),
            Command::Info(args) => args.run(),
            Command::Height(args) => args.run(),
            Command::Step(args) => args.run(),
            Command::Plan(args) => args.run(),
            Command::Report(args) => args.run(),
        }
    }
}
