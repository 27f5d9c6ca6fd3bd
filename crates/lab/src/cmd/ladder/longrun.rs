//! `filterlab ladder longrun`: detection of a password of a given frequency after very many observations.

use std::io::{self, Write};

use nearmiss_cli::{
    failure::{Failure, Outcome},
    report::Report,
};
use nearmiss_filters::ladder::SeededRandom;
use serde::Serialize;

use super::{
    message,
    shape::{Shape, only, params},
    sweep::{Case, Drawing, Over, Sweep, Theory},
};
use crate::theory::{Memory, longrun};
use crate::{
    curves::{Estimate, Panel},
    trial::{Replica, rejected_at_rest},
};

const AFTER: &str = "\
Note:
  The caption of the paper's Figure 7 claims that both errors of 48 rungs and threshold 44
  converge below one in a million. By the paper's own model 1.36e-4 of the observations of a password
  that should be detected (F = 1e-6) do not detect it, and 9.0e-7 of the observations of a password
  that should not (F = 2e-8) do. With 64 rungs and threshold 55 both are below 1e-6.

Examples:
  filterlab ladder longrun --bits 2^29 --rungs 48 --threshold 44 --frequency 1e-6
  filterlab ladder longrun --bits 2^29 --rungs 64 --threshold 55 --frequency 2e-8 --json
  filterlab ladder longrun --bits 2^29 --rungs 64 --threshold 55 --frequency 1e-6 2e-8 \\
    --over threshold --log --plot longrun.svg
  filterlab ladder longrun --figure 7 --plot 7.svg";

/// Computes the long-run probability that an observation detects a password of a given frequency.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    #[command(flatten)]
    shape: Shape,
    /// Draw this figure of the paper, with its parameters.
    #[arg(long, value_name = "FIGURE", value_parser = ["7"])]
    #[arg(conflicts_with_all = ["bits", "rungs", "threshold", "frequency", "over"])]
    figure: Option<String>,
    /// Draw curves over this parameter; the other flags accept several values, one for each curve.
    #[arg(long, value_name = "WHAT", value_parser = ["frequency", "threshold", "rungs", "bits", "steps"])]
    over: Option<String>,
    /// Draw the probability that it is not detected.
    #[arg(long)]
    missed: bool,
    #[command(flatten)]
    drawing: Drawing,
}

impl Args {
    /// Computes and prints.
    ///
    /// # Errors
    /// There is no such ladder; the frequency is too small.
    pub(crate) fn run(&self) -> Outcome {
        if let Some(drawn) = self.drawing.drawn(self.figure.as_ref(), self.over.as_ref(), || self.panel()) {
            return drawn;
        }
        let case = only(&self.shape.cases())?;
        let odds = longrun::detection(&params(&case)?, case.frequency)
            .map_err(|e| Failure::new("cannot compute the long run", e))?;
        self.drawing.print(&LongrunReport { detect: odds.detect, reject: odds.reject })
    }

    fn panel(&self) -> Result<Panel, Failure> {
        let over = self.over.as_deref().and_then(Over::named).unwrap_or(Over::Frequency);
        let sweep = Sweep {
            over,
            cases: self.shape.cases(),
            parameters: &[Over::Bits, Over::Rungs, Over::Threshold, Over::Steps, Over::Frequency],
            texts: if self.missed {
                (
                    "How likely a password is not detected in the long run",
                    "probability that it is not detected",
                )
            } else {
                ("How likely a password is detected in the long run", "probability that it is detected")
            },
        };
        let random = SeededRandom::new(self.drawing.seed);
        let panel = sweep.drawn(&self.drawing, &mut LongrunPoints { args: self, random })?;
        let is_cost = over == Over::Threshold && self.missed;
        Ok(if is_cost { message::titled(panel, message::factors) } else { panel })
    }
}

struct LongrunPoints<'a> {
    args: &'a Args,
    random: SeededRandom,
}

impl Theory for LongrunPoints<'_> {
    fn value(&self, case: &Case) -> io::Result<f64> {
        let odds = longrun::detection(&case.params()?, case.frequency).map_err(io::Error::other)?;
        Ok(if self.args.missed { odds.reject } else { odds.detect })
    }

    fn simulated(&mut self, case: &Case, x: f64) -> io::Result<Option<Estimate>> {
        let replica = Replica::of(&case.params()?, Memory::Perpetual, case.frequency);
        let replica = replica.map_err(io::Error::other)?;
        let trials = usize::try_from(self.args.drawing.trials).unwrap_or(usize::MAX);
        let rejected = rejected_at_rest(x, &replica, trials, &mut self.random)?;
        Ok(Some(if self.args.missed { rejected } else { rejected.complement() }))
    }
}

#[derive(Serialize)]
struct LongrunReport {
    detect: f64,
    reject: f64,
}

impl Report for LongrunReport {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "detected      {:.6e}", self.detect)?;
        writeln!(out, "not detected  {:.6e}", self.reject)
    }
}
