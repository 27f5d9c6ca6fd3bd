//! `filterlab ladder equilibrium`: the height at which a password of a given frequency comes to rest.

use std::io::{self, Write};

use nearmiss_filters::ladder::equilibrium;
use serde::Serialize;

use super::shape::frequency_or_none;
use crate::{
    exit::Exit,
    failure::Outcome,
    report::{self, Report},
};
use nearmiss_toolkit::ladder::numbers::{bits, rungs};

const AFTER: &str = "\
Examples:
  filterlab ladder equilibrium --bits 2^29 --rungs 48 --frequency 2e-8";

/// Computes the height at which a password of a given frequency comes to rest.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    /// Bits of the array, also written as 2^29.
    #[arg(long, value_name = "N", value_parser = bits)]
    bits: u64,
    /// Rungs of one password.
    #[arg(long, value_name = "H", value_parser = rungs())]
    rungs: u32,
    /// The share of all observations that the password makes up.
    #[arg(long, value_name = "F", value_parser = frequency_or_none)]
    frequency: f64,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Computes and prints.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub(crate) fn run(&self) -> Outcome {
        let height = equilibrium::height(self.bits, self.rungs, self.frequency);
        report::print(&Told { height }, self.json)?;
        Ok(Exit::Done)
    }
}

#[derive(Serialize)]
struct Told {
    height: f64,
}

impl Report for Told {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "height  {:.6}", self.height)
    }
}
