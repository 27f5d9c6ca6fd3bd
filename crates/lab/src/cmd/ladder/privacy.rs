//! `filterlab ladder privacy`: the information in a stolen array with its key.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    io::{self, Write},
};

use nearmiss_cli::ladder::numbers::rungs;
use nearmiss_cli::{
    failure::{Failure, Outcome},
    keys,
    report::Report,
};
use nearmiss_filters::ladder::{SeededRandom, privacy};
use serde::Serialize;

use super::{
    message,
    shape::only,
    sweep::{Case, Drawing, Over, Sweep, Theory},
};
use crate::{
    curves::{Estimate, Panel},
    trial::heights,
};

const AFTER: &str = "\
The likelihood ratio of section V of Schechter and Herley's paper is the frequency of the height
FROM among passwords that no one chose, divided by the frequency of FROM + STEPS. Information and
speed-up come from one recording with this many steps. One copy of array and key is assumed; two
copies with the key reveal what was recorded between them, regardless of the parameters.

Examples:
  filterlab ladder privacy --rungs 48 --from 24 --steps 5
  filterlab ladder privacy --rungs 16 --steps 2 --json
  filterlab ladder privacy --rungs 48 --steps 1 5 --over height --log --plot privacy.svg";

/// Computes the information that a ladder reveals about a password recorded once.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    /// Rungs of one password.
    #[arg(long, value_name = "H", value_parser = rungs(), num_args = 1.., required = true)]
    rungs: Vec<u32>,
    /// The height before the steps. Default: the expected one, half the rungs.
    #[arg(long, value_name = "HEIGHT")]
    from: Option<u32>,
    /// Steps taken.
    #[arg(long, value_name = "K", default_values_t = [1_u32], value_parser = rungs(), num_args = 1..)]
    steps: Vec<u32>,
    /// Draw curves of the likelihood ratio over this parameter; the other flags may have several values, one
    /// curve each.
    #[arg(long, value_name = "WHAT", value_parser = ["height", "steps", "rungs"])]
    over: Option<String>,
    #[command(flatten)]
    drawing: Drawing,
}

impl Args {
    /// Computes and prints.
    ///
    /// # Errors
    /// There are not so many rungs; standard output cannot be written.
    pub(crate) fn run(&self) -> Outcome {
        let cases = self.cases();
        cases.iter().try_for_each(check)?;
        if let Some(drawn) = self.drawing.drawn(None, self.over.as_ref(), || self.panel()) {
            return drawn;
        }
        let Case { rungs, height, steps, .. } = only(&cases)?;
        let told = PrivacyReport {
            likelihood_ratio: privacy::likelihood_ratio(rungs, height, steps),
            information_bits: privacy::information_bits(rungs, steps),
            guess_speedup: privacy::guess_speedup(rungs, steps),
        };
        self.drawing.print(&told)
    }

    fn cases(&self) -> Vec<Case> {
        let cases = Case::each(&[Case::default()], &self.rungs, |case, value| case.rungs = value);
        let cases = Case::each(&cases, &self.steps, |case, value| case.steps = value);
        let from = |case: &Case| self.from.unwrap_or(case.rungs / 2);
        // A curve over the rungs begins with the height's values.
        let cases =
            cases.iter().map(|case| Case { height: from(case), threshold: from(case).max(2), ..*case });
        cases.collect()
    }

    fn panel(&self) -> Result<Panel, Failure> {
        let over = self.over.as_deref().and_then(Over::named).unwrap_or(Over::Height);
        let sweep = Sweep {
            over,
            cases: self.cases(),
            parameters: &[Over::Rungs, Over::Steps, Over::Height],
            texts: ("What a higher rung gives away of a password", "likelihood ratio"),
        };
        let random = SeededRandom::new(self.drawing.seed);
        let mut points = PrivacyPoints { trials: self.drawing.trials, random, heights: BTreeMap::new() };
        let panel = sweep.drawn(&self.drawing, &mut points)?;
        Ok(if over == Over::Height { message::titled(panel, message::secret_up_to) } else { panel })
    }
}

struct PrivacyPoints {
    trials: u64,
    random: SeededRandom,
    /// By rungs: the elements at each height. All points with these rungs are read from one ladder.
    heights: BTreeMap<u32, Vec<u64>>,
}

impl PrivacyPoints {
    fn heights(&mut self, rungs: u32) -> io::Result<&[u64]> {
        Ok(match self.heights.entry(rungs) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(missing) => missing.insert(heights(rungs, self.trials, &mut self.random)?),
        })
    }
}

impl Theory for PrivacyPoints {
    fn value(&self, case: &Case) -> io::Result<f64> {
        Ok(privacy::likelihood_ratio(case.rungs, case.height, case.steps))
    }

    /// The ratio of two counts; none if the smaller one is below ten, which would be meaningless.
    fn simulated(&mut self, case: &Case, x: f64) -> io::Result<Option<Estimate>> {
        let heights = self.heights(case.rungs)?;
        let at_least = |height: u32| heights.iter().skip(height as usize).sum::<u64>() as f64;
        let higher = case.height.saturating_add(case.steps).min(case.rungs);
        let (below, above) = (at_least(case.height), at_least(higher));
        if above < 10.0 {
            return Ok(None);
        }
        let value = below / above;
        let relative = 1.96 * (1.0 / above - 1.0 / below).max(0.0).sqrt();
        Ok(Some(Estimate { x, value, low: value * (-relative).exp(), high: value * relative.exp() }))
    }
}

/// # Errors
/// The height is too large: a height that cannot occur reveals nothing, which is meaningless.
fn check(case: &Case) -> Result<(), Failure> {
    let Case { rungs, steps, height, .. } = case;
    if height > rungs {
        return Err(Failure::plain(
            keys::LADDER_PARAMETERS,
            format!("--from {height} is above the {rungs} rungs"),
        ));
    }
    if steps > rungs {
        return Err(Failure::plain(
            keys::LADDER_PARAMETERS,
            format!("--steps {steps} is more than the {rungs} rungs"),
        ));
    }
    Ok(())
}

#[derive(Serialize)]
struct PrivacyReport {
    likelihood_ratio: f64,
    information_bits: f64,
    guess_speedup: f64,
}

impl Report for PrivacyReport {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "likelihood ratio  {:.6}", self.likelihood_ratio)?;
        writeln!(out, "information       {:.6} bits", self.information_bits)?;
        writeln!(out, "guess speed-up    {:.6}", self.guess_speedup)
    }
}
