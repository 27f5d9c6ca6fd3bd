//! `filterlab ladder`: the mathematics of binomial ladders (odds, refusals, privacy, equilibrium, longrun,
//! heights) as numbers and curves, the cost of a step (step-cost), and a simulated system (simulate). `sweep`
//! computes the curves.

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

use nearmiss_cli::commands;

const AFTER: &str = "\
Examples:
  filterlab ladder refusals --rungs 16 --threshold 16 --steps 2
  filterlab ladder longrun --bits 2^29 --rungs 48 --threshold 44 --frequency 1e-6
  filterlab ladder odds --figure 3a --trials 1000 --plot 3a.svg";

commands! {
    /// Computes the behaviour of binomial ladders, by formula and by simulation.
    #[command(after_long_help = AFTER, subcommand_required = true)]
    struct Args with Command {
        Odds(odds::Args),
        Refusals(refusals::Args),
        Privacy(privacy::Args),
        Equilibrium(equilibrium::Args),
        Longrun(longrun::Args),
        Heights(heights::Args),
        StepCost(step_cost::Args),
        Simulate(simulate::Args),
    }
}
