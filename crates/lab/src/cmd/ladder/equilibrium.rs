//! `filterlab ladder equilibrium`: the equilibrium height of a password of a given frequency.

use std::io::{self, Write};

use nearmiss_cli::ladder::numbers::{bits, rungs};
use nearmiss_cli::{
    failure::{Failure, Outcome},
    report::Report,
};
use nearmiss_filters::ladder::{Params, SeededRandom, equilibrium};
use serde::Serialize;

use super::{
    shape::{frequency_or_none, only},
    sweep::{Case, Drawing, Over, Sweep, Theory},
};
use crate::theory::Memory;
use crate::{
    curves::{Estimate, Panel},
    trial::{Replica, height_at_rest},
};

const AFTER: &str = "\
Examples:
  filterlab ladder equilibrium --bits 2^29 --rungs 48 --frequency 2e-8
  filterlab ladder equilibrium --bits 2^27 2^29 --rungs 48 --frequency 1e-6 --over frequency \\
    --plot equilibrium.svg
  filterlab ladder equilibrium --figure 6 --trials 60 --plot 6.svg";

/// Computes the equilibrium height of a password of a given frequency.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    /// Bits of the array, also written as 2^29.
    #[arg(long, value_name = "N", value_parser = bits, num_args = 1.., required_unless_present = "figure")]
    bits: Vec<u64>,
    /// Rungs of one password.
    #[arg(long, value_name = "H", value_parser = rungs(), num_args = 1.., required_unless_present = "figure")]
    rungs: Vec<u32>,
    /// The share of all observations that the password makes up.
    #[arg(long, value_name = "F", value_parser = frequency_or_none, num_args = 1..)]
    #[arg(required_unless_present = "figure")]
    frequency: Vec<f64>,
    /// Draw this figure of the paper, with its parameters.
    #[arg(long, value_name = "FIGURE", value_parser = ["6"])]
    #[arg(conflicts_with_all = ["bits", "rungs", "frequency", "over"])]
    figure: Option<String>,
    /// Draw curves over this parameter; the other flags may have several values, one curve each. The spread
    /// of a simulation is one standard deviation of the height.
    #[arg(long, value_name = "WHAT", value_parser = ["frequency", "rungs", "bits"])]
    over: Option<String>,
    #[command(flatten)]
    drawing: Drawing,
}

impl Args {
    /// Computes and prints.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub(crate) fn run(&self) -> Outcome {
        if let Some(drawn) = self.drawing.drawn(self.figure.as_ref(), self.over.as_ref(), || self.panel()) {
            return drawn;
        }
        let Case { bits, rungs, frequency, .. } = only(&self.cases())?;
        let height = equilibrium::height(bits, rungs, frequency);
        self.drawing.print(&EquilibriumReport { height })
    }

    fn cases(&self) -> Vec<Case> {
        let cases = Case::each(&[Case::default()], &self.bits, |case, value| case.bits = value);
        let cases = Case::each(&cases, &self.rungs, |case, value| case.rungs = value);
        let cases = Case::each(&cases, &self.frequency, |case, value| case.frequency = value);
        // No threshold matters here; the least rungs of a curve are half of those given.
        cases.into_iter().map(|case| Case { threshold: (case.rungs / 2).max(1), ..case }).collect()
    }

    fn panel(&self) -> Result<Panel, Failure> {
        let sweep = Sweep {
            over: self.over.as_deref().and_then(Over::named).unwrap_or(Over::Frequency),
            cases: self.cases(),
            parameters: &[Over::Bits, Over::Rungs, Over::Frequency],
            texts: ("The height at which a password rests", "height at rest"),
        };
        let random = SeededRandom::new(self.drawing.seed);
        sweep.drawn(&self.drawing, &mut EquilibriumPoints { trials: self.drawing.trials, random })
    }
}

struct EquilibriumPoints {
    trials: u64,
    random: SeededRandom,
}

impl Theory for EquilibriumPoints {
    fn value(&self, case: &Case) -> io::Result<f64> {
        Ok(equilibrium::height(case.bits, case.rungs, case.frequency))
    }

    fn simulated(&mut self, case: &Case, x: f64) -> io::Result<Option<Estimate>> {
        let params = Params::new(case.bits, case.rungs, case.rungs, 1).map_err(io::Error::other)?;
        let replica = Replica::of(&params, Memory::Perpetual, case.frequency.max(1e-12));
        let replica = replica.map_err(io::Error::other)?;
        height_at_rest(x, &replica, usize::try_from(self.trials).unwrap_or(usize::MAX), &mut self.random)
            .map(Some)
    }
}

#[derive(Serialize)]
struct EquilibriumReport {
    height: f64,
}

impl Report for EquilibriumReport {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "height  {:.6}", self.height)
    }
}
