//! `filterctl ladder`: the ladder of chosen passwords. Its mathematics (odds, refusals, plan, privacy, equilibrium,
//! longrun), a world to try it in (simulate), and the ladder of this system (init, info, height, step, doctor).

mod doctor;
mod equilibrium;
mod height;
mod info;
mod init;
mod longrun;
mod numbers;
mod odds;
mod passwords;
mod place;
mod plan;
mod privacy;
mod refusals;
mod simulate;
mod step;

use clap::Subcommand;

use crate::failure::Outcome;

const AFTER: &str = "\
Examples:
  filterctl ladder init
  filterctl ladder plan --users 5000 --max-share 0.002 --false-positive 1e-5
  filterctl ladder doctor";

/// Makes, examines and computes binomial ladders: passwords too common on this system are rejected, rare ones
/// stay private.
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
    Odds(odds::Args),
    Refusals(refusals::Args),
    Plan(plan::Args),
    Privacy(privacy::Args),
    Equilibrium(equilibrium::Args),
    Longrun(longrun::Args),
    Simulate(simulate::Args),
    Doctor(doctor::Args),
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
            Command::Odds(args) => args.run(),
            Command::Refusals(args) => args.run(),
            Command::Plan(args) => args.run(),
            Command::Privacy(args) => args.run(),
            Command::Equilibrium(args) => args.run(),
            Command::Longrun(args) => args.run(),
            Command::Simulate(args) => args.run(),
            Command::Doctor(args) => args.run(),
        }
    }
}
