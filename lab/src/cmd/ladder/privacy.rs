//! `filterlab ladder privacy`: what a stolen array with its key gives away.

use std::io::{self, Write};

use nearmiss_filters::ladder::privacy;
use serde::Serialize;

use crate::{
    exit::Exit,
    failure::{Failure, Outcome},
    report::{self, Report},
};
use nearmiss_toolkit::ladder::numbers::rungs;

const AFTER: &str = "\
The likelihood ratio is that of section V of Schechter and Herley's paper: how many times
rarer the height FROM + STEPS is than FROM among passwords nobody chose. Information and speed-up
are those of one recording with this many steps. One copy of array and key is assumed; two copies
with the key show what was recorded between them, whatever the parameters.

Examples:
  filterlab ladder privacy --rungs 48 --from 24 --steps 5
  filterlab ladder privacy --rungs 16 --steps 2 --json";

/// Computes what a ladder gives away of a password recorded once.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    /// Rungs of one password.
    #[arg(long, value_name = "H", value_parser = rungs())]
    rungs: u32,
    /// The height before the steps. Default: the expected one, half the rungs.
    #[arg(long, value_name = "HEIGHT")]
    from: Option<u32>,
    /// Steps taken.
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = rungs())]
    steps: u32,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Computes and prints.
    ///
    /// # Errors
    /// There are not so many rungs; standard output cannot be written.
    pub(crate) fn run(&self) -> Outcome {
        let from = self.from.unwrap_or(self.rungs / 2);
        self.check(from)?;
        let told = Told {
            likelihood_ratio: privacy::likelihood_ratio(self.rungs, from, self.steps),
            information_bits: privacy::information_bits(self.rungs, self.steps),
            guess_speedup: privacy::guess_speedup(self.rungs, self.steps),
        };
        report::print(&told, self.json)?;
        Ok(Exit::Done)
    }

    /// # Errors
    /// There is no height so large: of what cannot be seen nothing is given away, which says nothing.
    fn check(&self, from: u32) -> Result<(), Failure> {
        let (rungs, steps) = (self.rungs, self.steps);
        if from > rungs {
            return Err(Failure::plain(format!("--from {from} is above the {rungs} rungs")));
        }
        if steps > rungs {
            return Err(Failure::plain(format!("--steps {steps} is more than the {rungs} rungs")));
        }
        Ok(())
    }
}

#[derive(Serialize)]
struct Told {
    likelihood_ratio: f64,
    information_bits: f64,
    guess_speedup: f64,
}

impl Report for Told {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "likelihood ratio  {:.6}", self.likelihood_ratio)?;
        writeln!(out, "information       {:.6} bits", self.information_bits)?;
        writeln!(out, "guess speed-up    {:.6}", self.guess_speedup)
    }
}
