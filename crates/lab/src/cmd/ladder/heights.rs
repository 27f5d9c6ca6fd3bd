//! `filterlab ladder heights`: the height of a password never seen.

use nearmiss_cli::ladder::numbers::{bits, rungs};
use nearmiss_cli::{
    failure::{Failure, Outcome},
    keys,
};
use nearmiss_filters::ladder::SeededRandom;

use super::sweep::Drawing;
use crate::figures::heights_panel;

const AFTER: &str = "\
Exactly half of the bits are ones: the distribution is hypergeometric, and nearly binomial
if the array is much larger than the number of rungs.

Examples:
  filterlab ladder heights --figure 5 --trials 20000 --plot 5.svg
  filterlab ladder heights --bits 512 2^15 --rungs 16";

/// Computes the height of a password that was never seen, compared with the binomial distribution.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    /// Bits of the array, also written as 2^15; one curve for each value.
    #[arg(long, value_name = "N", value_parser = bits, num_args = 1.., required_unless_present = "figure")]
    bits: Vec<u64>,
    /// Rungs of one password.
    #[arg(long, value_name = "H", value_parser = rungs(), required_unless_present = "figure")]
    rungs: Option<u32>,
    /// Draw this figure of the paper, with its parameters.
    #[arg(long, value_name = "FIGURE", value_parser = ["5"], conflicts_with_all = ["bits", "rungs"])]
    figure: Option<String>,
    #[command(flatten)]
    drawing: Drawing,
}

impl Args {
    /// Computes and draws.
    ///
    /// # Errors
    /// The array has fewer bits than the rungs need, a file cannot be written.
    pub(crate) fn run(&self) -> Outcome {
        if let Some(figure) = &self.figure {
            return self.drawing.figure(figure);
        }
        let Drawing { trials, seed, .. } = self.drawing;
        let rungs = self.rungs.unwrap_or(1);
        if let Some(bits) = self.bits.iter().find(|bits| **bits < u64::from(rungs) || *bits % 2 == 1) {
            return Err(Failure::plain(
                keys::LADDER_PARAMETERS,
                format!("{bits} bits: must be even, and at least the number of rungs, {rungs}"),
            ));
        }
        let panel = heights_panel(&self.bits, rungs, trials, &mut SeededRandom::new(seed));
        self.drawing.tell(vec![panel])
    }
}
