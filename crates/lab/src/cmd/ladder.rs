//! `filterlab ladder`: the mathematics of binomial ladders (odds, refusals, privacy, equilibrium,
//! longrun, heights) as numbers and curves, what a step costs (step-cost), and a world to try one in
//! (simulate). `sweep` makes the curves.

mod equilibrium;
mod heights;
mod longrun;
mod message;
mod odds;
mod privacy;
mod refusals;
mod shape;
mod simulate;
mod step_cost;
mod sweep;

use clap::Subcommand;
use nearmiss_cli::failure::Outcome;

const AFTER: &str = "\
Examples:
  filterlab ladder refusals --rungs 16 --threshold 16 --steps 2
  filterlab ladder longrun --bits 2^29 --rungs 48 --threshold 44 --frequency 1e-6
  filterlab ladder odds --figure 3a --trials 1000 --plot 3a.svg";

/// Computes the behaviour of binomial ladders, by formula and by simulation.
#[derive(clap::Args)]
#[command(after_long_help = AFTER, subcommand_required = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Odds(odds::Args),
    Refusals(refusals::Args),
    Privacy(privacy::Args),
    Equilibrium(equilibrium::Args),
    Longrun(longrun::Args),
    Heights(heights::Args),
    StepCost(step_cost::Args),
    Simulate(simulate::Args),
}

impl Args {
    /// Does what the subcommand says.
    ///
    /// # Errors
    /// As each subcommand.
    pub(crate) fn run(&self) -> Outcome {
        match &self.command {
            Command::Odds(args) => args.run(),
            Command::Refusals(args) => args.run(),
            Command::Privacy(args) => args.run(),
            Command::Equilibrium(args) => args.run(),
            Command::Longrun(args) => args.run(),
            Command::Heights(args) => args.run(),
            Command::StepCost(args) => args.run(),
            Command::Simulate(args) => args.run(),
        }
    }
}
