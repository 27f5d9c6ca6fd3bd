//! `filterlab ladder refusals`: rejection of a password that N users already have.

use std::io::{self, Write};

use nearmiss_cli::ladder::{numbers::rungs, refusals::RefusalTable};
use nearmiss_cli::{
    failure::{Failure, Outcome},
    report::Report,
};
use nearmiss_filters::ladder::{SeededRandom, refusals};
use serde::Serialize;

use super::{
    message,
    shape::only,
    sweep::{Case, Drawing, Over, Sweep, Theory},
};
use crate::{
    curves::{Estimate, Panel},
    trial::refused,
};

const AFTER: &str = "\
Without --users: for every number of users until a rejection is certain.

Examples:
  filterlab ladder refusals --rungs 16 --threshold 16 --steps 3 --users 4
  filterlab ladder refusals --rungs 16 --threshold 16 --steps 2
  filterlab ladder refusals --rungs 16 --threshold 16 --steps 1 2 3 --over users \\
    --trials 10000 --plot refusals.svg";

/// Computes the probability that a password recorded by a number of users is rejected.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    /// Rungs of one password.
    #[arg(long, value_name = "H", value_parser = rungs(), num_args = 1.., required = true)]
    rungs: Vec<u32>,
    /// The height from which a password is rejected.
    #[arg(long, value_name = "T", value_parser = rungs(), num_args = 1.., required = true)]
    threshold: Vec<u32>,
    /// Steps taken for one user.
    #[arg(long, value_name = "K", default_values_t = [1_u32], value_parser = rungs(), num_args = 1..)]
    steps: Vec<u32>,
    /// Users who have the password.
    #[arg(long, value_name = "USERS")]
    users: Option<u32>,
    /// Draw curves over this parameter; the other flags accept several values, one for each curve.
    #[arg(long, value_name = "WHAT", value_parser = ["users", "threshold", "rungs", "steps"])]
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
        if let Some(drawn) = self.drawing.drawn(None, self.over.as_ref(), || self.panel()) {
            return drawn;
        }
        let case = only(&self.cases())?;
        match self.users {
            Some(_) => self.drawing.print(&One { refused: by_formula(&case) }),
            None => self.drawing.print(&RefusalTable::of(case.rungs, case.threshold, case.steps)),
        }
    }

    fn cases(&self) -> Vec<Case> {
        let first = Case { users: self.users.unwrap_or(0), ..Case::default() };
        let cases = Case::each(&[first], &self.rungs, |case, value| case.rungs = value);
        let cases = Case::each(&cases, &self.threshold, |case, value| case.threshold = value);
        Case::each(&cases, &self.steps, |case, value| case.steps = value)
    }

    fn panel(&self) -> Result<Panel, Failure> {
        let over = self.over.as_deref().and_then(Over::named).unwrap_or(Over::Users);
        let sweep = Sweep {
            over,
            cases: self.cases(),
            parameters: &[Over::Rungs, Over::Threshold, Over::Steps, Over::Users],
            texts: ("How likely the next user's choice is rejected", "probability of a rejection"),
        };
        let random = SeededRandom::new(self.drawing.seed);
        let panel = sweep.drawn(&self.drawing, &mut RefusalPoints { trials: self.drawing.trials, random })?;
        Ok(if over == Over::Users { message::titled(panel, message::halves) } else { panel })
    }
}

fn by_formula(case: &Case) -> f64 {
    refusals::refused(case.rungs, case.threshold, case.steps, case.users)
}

struct RefusalPoints {
    trials: u64,
    random: SeededRandom,
}

impl Theory for RefusalPoints {
    fn value(&self, case: &Case) -> io::Result<f64> {
        case.params().map(|_| by_formula(case))
    }

    fn simulated(&mut self, case: &Case, x: f64) -> io::Result<Option<Estimate>> {
        let shape = (case.rungs, case.threshold, case.steps);
        let counts = refused(shape, case.users, self.trials, &mut self.random)?;
        Ok(counts.last().map(|&count| Estimate::of_count(x, count, self.trials)))
    }
}

#[derive(Serialize)]
struct One {
    refused: f64,
}

impl Report for One {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "rejected  {:.6e}", self.refused)
    }
}
