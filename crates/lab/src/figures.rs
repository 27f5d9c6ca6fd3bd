//! The figures of Schechter and Herley's paper, drawn at its parameters: 48 rungs, 2²⁹ bits, a frequency of
//! 10⁻⁶ to detect and one of 2·10⁻⁸ to leave alone. Theory is a line, a simulation of the same is its points.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "numbers of the paper, and counts of trials"
)]

mod climbing;
mod equilibrium;
mod numbers;
mod skew;

use std::io;

use nearmiss_cli::failure::Failure;
use nearmiss_filters::ladder::{Params, SeededRandom};

use crate::curves::Panel;

pub(crate) use climbing::{Climb, curve};
pub(crate) use numbers::{power_of_two, scientific};
pub(crate) use skew::panel as heights_panel;

/// N.
const BITS: u64 = 1 << 29;
/// The frequency that is to be detected.
const DETECT: f64 = 1e-6;
/// The frequency that is to be left alone.
const IGNORE: f64 = 2e-8;

/// The figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Figure {
    ThreeA,
    ThreeB,
    Four,
    Five,
    Six,
    Seven,
}

impl Figure {
    /// By its number in the paper.
    pub(crate) fn named(name: &str) -> Option<Figure> {
        Some(match name {
            "3a" => Figure::ThreeA,
            "3b" => Figure::ThreeB,
            "4" => Figure::Four,
            "5" => Figure::Five,
            "6" => Figure::Six,
            "7" => Figure::Seven,
            _ => return None,
        })
    }

    /// Its curves, each point simulated so many times.
    ///
    /// # Errors
    /// No memory for a simulated array.
    pub(crate) fn panels(self, trials: u64, seed: u64) -> Result<Vec<Panel>, Failure> {
        let mut random = SeededRandom::new(seed);
        let panels = match self {
            Figure::ThreeA => climbing::perpetual(trials, &mut random),
            Figure::ThreeB => climbing::sticky(trials, &mut random),
            Figure::Four => climbing::missed(trials, &mut random),
            Figure::Five => Ok(skew::panels(trials, &mut random)),
            Figure::Six => equilibrium::panels(trials, &mut random),
            Figure::Seven => climbing::larger(trials, &mut random),
        };
        panels.map_err(|e| Failure::new("cannot draw the figure", e))
    }
}

/// A ladder of the paper.
fn ladder(rungs: u32, threshold: u32) -> io::Result<Params> {
    Params::new(BITS, rungs, threshold, 1).map_err(io::Error::other)
}
