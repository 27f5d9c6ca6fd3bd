//! `filterlab ladder odds`: is a password of a given frequency detected at its s-th observation?

use std::io::{self, Write};

use nearmiss_filters::ladder::{
    Memory,
    odds::{self, Odds},
};
use serde::Serialize;

use super::shape::Shape;
use crate::{
    exit::Exit,
    failure::{Failure, Outcome},
    report::{self, Report},
};
use nearmiss_toolkit::ladder::numbers::share;

const AFTER: &str = "\
The values are those of section IV of Schechter and Herley's paper, computed exactly and not
by literal iteration; a height is compared before the steps of its observation.

Examples:
  filterlab ladder odds --bits 2^29 --rungs 48 --threshold 44 --frequency 1e-6 --observations 30
  filterlab ladder odds --bits 2^29 --rungs 48 --threshold 48 --frequency 1e-6 \\
    --observations 40 --sticky --curve";

/// Computes how likely a password of a given frequency is detected at its s-th observation.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    #[command(flatten)]
    shape: Shape,
    /// The share of all observations that the password makes up.
    #[arg(long, value_name = "F", value_parser = share)]
    frequency: f64,
    /// Which of the password's observations is looked at.
    #[arg(long, value_name = "S")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=i64::from(odds::MAX_OBSERVATIONS)))]
    observations: u32,
    /// The form that remembers what it once detected, instead of the perpetual one.
    #[arg(long)]
    sticky: bool,
    /// Tell the odds at every observation up to this one.
    #[arg(long)]
    curve: bool,
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
        let memory = if self.sticky { Memory::Sticky } else { Memory::Perpetual };
        let params = self.shape.params()?;
        let curve = odds::detection_curve(&params, memory, self.frequency, self.observations)
            .map_err(|e| Failure::new("cannot compute the odds", e))?;
        let last = curve.last().copied().map(Point::of).unwrap_or_default();
        let curve = self.curve.then(|| curve.into_iter().map(Point::of).collect());
        report::print(&Told { last, curve }, self.json)?;
        Ok(Exit::Done)
    }
}

#[derive(Clone, Copy, Default, Serialize)]
struct Point {
    detect: f64,
    reject: f64,
}

impl Point {
    fn of(odds: Odds) -> Point {
        Point { detect: odds.detect, reject: odds.reject }
    }
}

#[derive(Serialize)]
struct Told {
    #[serde(flatten)]
    last: Point,
    /// From the first observation on.
    #[serde(skip_serializing_if = "Option::is_none")]
    curve: Option<Vec<Point>>,
}

impl Report for Told {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        for (point, number) in self.curve.iter().flatten().zip(1_u32..) {
            writeln!(out, "{number:>4}  {:<12.6e}  {:.6e}", point.detect, point.reject)?;
        }
        writeln!(out, "detected      {:.6e}", self.last.detect)?;
        writeln!(out, "not detected  {:.6e}", self.last.reject)
    }
}
