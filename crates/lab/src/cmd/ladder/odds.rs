//! `filterlab ladder odds`: detection of a password of a given frequency at its s-th observation.

use std::io::{self, Write};

use nearmiss_cli::{
    failure::{Failure, Outcome},
    report::Report,
};
use nearmiss_filters::ladder::SeededRandom;
use serde::Serialize;

use super::{
    shape::{Shape, only, params},
    sweep::{Case, Drawing, Over, Sweep, Theory},
};
use crate::theory::{
    Memory,
    odds::{self, Odds},
};
use crate::{
    curves::{Estimate, Line, Panel},
    figures::{Climb, curve},
    trial::{Replica, detected},
};

const AFTER: &str = "\
The values come from section IV of Schechter and Herley's paper, computed exactly instead of
by iteration; a height is compared before the steps of its observation.

Curves are theory; --trials adds a simulation of real bits, in a small ladder with the same N
times F, as points with 95 % confidence intervals.

Examples:
  filterlab ladder odds --bits 2^29 --rungs 48 --threshold 44 --frequency 1e-6 --observations 30
  filterlab ladder odds --bits 2^29 --rungs 48 --threshold 48 --frequency 1e-6 \\
    --observations 40 --sticky --curve
  filterlab ladder odds --figure 3a --plot 3a.svg
  filterlab ladder odds --bits 2^29 --rungs 48 --threshold 40 44 48 --frequency 1e-6 \\
    --observations 60 --over observations --plot odds.svg --csv odds.csv";

/// Computes the probability that a password of a given frequency is detected at its s-th observation.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct Args {
    #[command(flatten)]
    shape: Shape,
    /// The number of the password's observation.
    #[arg(long, value_name = "S", default_value_t = 30, required_unless_present = "figure")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=i64::from(odds::MAX_OBSERVATIONS)))]
    observations: u32,
    /// Use the sticky form, which remembers every detected password, instead of the perpetual one.
    #[arg(long)]
    sticky: bool,
    /// Print the probability at every observation up to this one.
    #[arg(long)]
    curve: bool,
    /// Draw this figure of the paper, with its parameters.
    #[arg(long, value_name = "FIGURE", value_parser = ["3a", "3b", "4", "7"])]
    #[arg(conflicts_with_all = ["bits", "rungs", "threshold", "frequency", "observations", "over", "sticky"])]
    figure: Option<String>,
    /// Draw curves over this parameter; the other flags accept several values, one for each curve.
    #[arg(long, value_name = "WHAT")]
    #[arg(value_parser = ["observations", "frequency", "threshold", "rungs", "bits", "steps"])]
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
        let curve = odds::detection_curve(&params(&case)?, self.memory(), case.frequency, self.observations)
            .map_err(|e| Failure::new("cannot compute the odds", e))?;
        let last = curve.last().copied().map(OddsPoint::of).unwrap_or_default();
        let curve = self.curve.then(|| curve.into_iter().map(OddsPoint::of).collect());
        self.drawing.print(&OddsReport { last, curve })
    }

    fn memory(&self) -> Memory {
        if self.sticky { Memory::Sticky } else { Memory::Perpetual }
    }

    fn panel(&self) -> Result<Panel, Failure> {
        let over = self.over.as_deref().and_then(Over::named).unwrap_or(Over::Observations);
        let cases = self.shape.cases().into_iter();
        let cases = cases.map(|case| Case { observations: self.observations, ..case }).collect();
        let sweep = Sweep {
            over,
            cases,
            parameters: &[
                Over::Bits,
                Over::Rungs,
                Over::Threshold,
                Over::Steps,
                Over::Frequency,
                Over::Observations,
            ],
            texts: if self.missed {
                ("How likely a password is not detected", "probability that it is not detected")
            } else {
                ("How likely a password is detected", "probability that it is detected")
            },
        };
        let mut random = SeededRandom::new(self.drawing.seed);
        if over != Over::Observations {
            return sweep.drawn(&self.drawing, &mut OddsPoints { args: self, random });
        }
        // The recurrence gives all observations at once.
        let lines = sweep.cases.iter().map(|case| {
            let climb = self.climb(case)?;
            curve(&sweep.name(case), climb, self.drawing.trials, &mut random)
        });
        let lines = lines.collect::<io::Result<Vec<Line>>>();
        Ok(sweep.panel(&self.drawing, lines.map_err(|e| Failure::new("cannot compute the odds", e))?))
    }

    fn climb(&self, case: &Case) -> io::Result<Climb> {
        Ok(Climb {
            params: case.params()?,
            memory: self.memory(),
            frequency: case.frequency,
            observations: case.observations,
            is_of_misses: self.missed,
        })
    }
}

/// One point after another, at a fixed observation.
struct OddsPoints<'a> {
    args: &'a Args,
    random: SeededRandom,
}

impl Theory for OddsPoints<'_> {
    fn value(&self, case: &Case) -> io::Result<f64> {
        let Climb { params, memory, frequency, observations, .. } = self.args.climb(case)?;
        let odds = odds::detection(&params, memory, frequency, observations).map_err(io::Error::other)?;
        Ok(if self.args.missed { odds.reject } else { odds.detect })
    }

    fn simulated(&mut self, case: &Case, x: f64) -> io::Result<Option<Estimate>> {
        let trials = self.args.drawing.trials;
        let Climb { params, memory, frequency, observations, .. } = self.args.climb(case)?;
        let replica = Replica::of(&params, memory, frequency).map_err(io::Error::other)?;
        let count = detected(
            &replica,
            observations,
            usize::try_from(trials).unwrap_or(usize::MAX),
            &mut self.random,
        )?;
        let found = Estimate::of_count(x, count, trials);
        Ok(Some(if self.args.missed { found.complement() } else { found }))
    }
}

#[derive(Clone, Copy, Default, Serialize)]
struct OddsPoint {
    detect: f64,
    reject: f64,
}

impl OddsPoint {
    fn of(odds: Odds) -> OddsPoint {
        OddsPoint { detect: odds.detect, reject: odds.reject }
    }
}

#[derive(Serialize)]
struct OddsReport {
    #[serde(flatten)]
    last: OddsPoint,
    /// From the first observation on.
    #[serde(skip_serializing_if = "Option::is_none")]
    curve: Option<Vec<OddsPoint>>,
}

impl Report for OddsReport {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        for (point, number) in self.curve.iter().flatten().zip(1_u32..) {
            writeln!(out, "{number:>4}  {:<12.6e}  {:.6e}", point.detect, point.reject)?;
        }
        writeln!(out, "detected      {:.6e}", self.last.detect)?;
        writeln!(out, "not detected  {:.6e}", self.last.reject)
    }
}
