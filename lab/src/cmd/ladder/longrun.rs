//! `filterlab ladder longrun`: is a password of a given frequency detected, after very many observations?

use std::io::{self, Write};

use nearmiss_filters::ladder::longrun;
use serde::Serialize;

use super::shape::Shape;
use crate::{
    exit::Exit,
    failure::{Failure, Outcome},
    report::{self, Report},
};
use nearmiss_toolkit::ladder::numbers::share;

const AFTER: &str = "\
Examples:
  filterlab ladder longrun --bits 2^29 --rungs 48 --threshold 44 --frequency 1e-6
  filterlab ladder longrun --bits 2^29 --rungs 64 --threshold 55 --frequency 2e-8 --json";

/// Computes how likely a password of a given frequency is detected at an observation, in the long run.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    #[command(flatten)]
    shape: Shape,
    /// The share of all observations that the password makes up.
    #[arg(long, value_name = "F", value_parser = share)]
    frequency: f64,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Computes and prints.
    ///
    /// # Errors
    /// There is no such ladder; the frequency is too small.
    pub(crate) fn run(&self) -> Outcome {
        let odds = longrun::detection(&self.shape.params()?, self.frequency)
            .map_err(|e| Failure::new("cannot compute the long run", e))?;
        report::print(&Told { detect: odds.detect, reject: odds.reject }, self.json)?;
        Ok(Exit::Done)
    }
}

#[derive(Serialize)]
struct Told {
    detect: f64,
    reject: f64,
}

impl Report for Told {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "detected      {:.6e}", self.detect)?;
        writeln!(out, "not detected  {:.6e}", self.reject)
    }
}
