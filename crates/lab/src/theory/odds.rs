//! The odds that an element of a given frequency is detected at its s-th observation. [SH §IV, Fig. 3, 4, 7]
//!
//! The recurrence over i iterations is the power (1−f)·Q + f·z·U to the i-th, where z counts observations of
//! the element; at its s-th observation, expected at iteration s/f, the height before the step is the
//! coefficient of z^(s−1) of the (s/f − 1)-th power. The power of one *gap*, 1/f iterations, is computed once
//! by squaring; each further observation is one product of a vector with it: 100 observations at f = 10⁻⁶
//! take under a second.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "counts of observations and of the iterations between them"
)]
#![allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "iterations are rounded from positive floats and limited to 2^53"
)]

use std::error::Error;
use std::fmt;

use nearmiss_filters::{
    keys::{self, Keyed, MessageKey},
    ladder::{Params, heights::hypergeometric},
};

use super::matrix::{Polynomial, Square};
use super::walk::{Memory, RungWalk, state_count};

/// The most observations odds are computed for.
pub const MAX_OBSERVATIONS: u32 = 1000;
/// The smallest frequency odds are computed for: below it, rounding over 1/f iterations would exceed 10⁻⁴.
pub const MIN_FREQUENCY: f64 = 1e-12;

/// The two sides of one decision, each computed on its own so that neither loses digits near 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Odds {
    /// Probability that the element is found frequent.
    pub detect: f64,
    /// Probability that it is not.
    pub reject: f64,
}

impl Odds {
    /// Of a weight for each state: those at the threshold and above against those below.
    pub(crate) fn of(weights: &[f64], threshold: u32) -> Self {
        let (below, above) = weights.split_at(weights.len().min(threshold as usize));
        let (reject, detect) = (below.iter().sum::<f64>(), above.iter().sum::<f64>());
        let total = reject + detect;
        Self { detect: detect / total, reject: reject / total }
    }
}

/// Frequency or number of observations outside what can be computed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum OddsError {
    /// The frequency.
    Frequency(f64),
    /// The number of observations.
    Observations(u32),
}

impl fmt::Display for OddsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Frequency(frequency) => {
                write!(f, "frequency {frequency}: must be from {MIN_FREQUENCY:e} to 1")
            }
            Self::Observations(count) => {
                write!(f, "{count} observations: must be from 1 to {MAX_OBSERVATIONS}")
            }
        }
    }
}

impl Keyed for OddsError {
    fn key(&self) -> MessageKey {
        keys::LADDER_PARAMETERS
    }
}

impl Error for OddsError {}

/// Odds at the `observations`-th observation of an element that makes up the share `frequency` of all
/// observations, the height being compared before that observation's steps.
///
/// # Errors
/// [`OddsError`] when frequency or observations are outside their limits.
pub fn detection(
    params: &Params,
    memory: Memory,
    frequency: f64,
    observations: u32,
) -> Result<Odds, OddsError> {
    let curve = detection_curve(params, memory, frequency, observations)?;
    curve.last().copied().ok_or(OddsError::Observations(observations))
}

/// The odds at every observation from the first to the `observations`-th.
///
/// # Errors
/// As [`detection`].
pub fn detection_curve(
    params: &Params,
    memory: Memory,
    frequency: f64,
    observations: u32,
) -> Result<Vec<Odds>, OddsError> {
    if !(MIN_FREQUENCY..=1.0).contains(&frequency) {
        return Err(OddsError::Frequency(frequency));
    }
    if observations == 0 || observations > MAX_OBSERVATIONS {
        return Err(OddsError::Observations(observations));
    }
    let walk = RungWalk::new(params, memory);
    let mut approach = Approach::new(&walk, frequency, observations);
    let mut heights = first_heights(params, memory, observations);
    let mut curve = Vec::new();
    for s in 1..=observations {
        heights = approach.before_observation(s, &heights);
        let weights = heights.get(s as usize - 1).map_or(&[][..], Vec::as_slice);
        curve.push(Odds::of(weights, params.threshold()));
    }
    Ok(curve)
}

/// One vector per number of observations so far: all of it in the first, the heights of an element never
/// seen.
fn first_heights(params: &Params, memory: Memory, observations: u32) -> Vec<Vec<f64>> {
    let states = state_count(params, memory);
    let mut heights = vec![vec![0.0; states]; observations as usize];
    if let Some(first) = heights.first_mut() {
        let unseen = hypergeometric(params.bits(), params.rungs());
        first.iter_mut().zip(unseen).for_each(|(cell, p)| *cell = p);
    }
    heights
}

/// The powers that carry the heights from one observation to the next.
struct Approach {
    frequency: f64,
    single: Polynomial,
    first_gap: Polynomial,
    gap: Polynomial,
    gap_length: u64,
    at: u64,
}

impl Approach {
    fn new(walk: &RungWalk, frequency: f64, observations: u32) -> Self {
        let single = Polynomial::new(one_iteration(walk, frequency), observations as usize);
        let gap_length = (1.0 / frequency).floor() as u64;
        let first_gap = single.to_the(gap_length - 1);
        let gap = first_gap.times(&single);
        Self { frequency, single, first_gap, gap, gap_length, at: 0 }
    }

    /// Heights just before iteration round(s/f), where the s-th observation is.
    fn before_observation(&mut self, s: u32, heights: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let target = ((f64::from(s) / self.frequency).round() as u64).saturating_sub(1);
        let (power, length) = match s {
            1 => (&self.first_gap, self.gap_length - 1),
            _ => (&self.gap, self.gap_length),
        };
        let mut heights = power.applied_to(heights);
        self.at += length;
        // 1/f need not be whole: now and then a gap is one iteration longer.
        while self.at < target {
            heights = self.single.applied_to(&heights);
            self.at += 1;
        }
        heights
    }
}

fn one_iteration(walk: &RungWalk, frequency: f64) -> Vec<Square> {
    vec![walk.other.clone().scaled(1.0 - frequency), walk.own.clone().scaled(frequency)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The recurrence itself, one iteration at a time.
    fn literal(params: &Params, memory: Memory, frequency: f64, observations: u32) -> Odds {
        let walk = RungWalk::new(params, memory);
        let single = Polynomial::new(one_iteration(&walk, frequency), observations as usize);
        let mut heights = first_heights(params, memory, observations);
        for _ in 1..(f64::from(observations) / frequency).round() as u64 {
            heights = single.applied_to(&heights);
        }
        Odds::of(heights.last().unwrap(), params.threshold())
    }

    #[test]
    fn powers_equal_literal_iteration() {
        for (memory, frequency, steps) in
            [(Memory::Perpetual, 1.0 / 37.0, 1), (Memory::Sticky, 0.0213, 1), (Memory::Perpetual, 0.3, 2)]
        {
            let params = Params::new(1 << 12, 12, 10, steps).unwrap();
            let fast = detection(&params, memory, frequency, 9).unwrap();
            let slow = literal(&params, memory, frequency, 9);
            assert!((fast.detect - slow.detect).abs() < 1e-12 && (fast.reject - slow.reject).abs() < 1e-12);
        }
    }

    #[test]
    fn an_element_seen_every_time_climbs_by_one_each() {
        let params = Params::new(1 << 20, 16, 16, 1).unwrap();
        let curve = detection_curve(&params, Memory::Perpetual, 1.0, 17).unwrap();
        assert!((curve[16].detect - 1.0).abs() < 1e-12);
        assert!((curve[0].detect - hypergeometric(1 << 20, 16)[16]).abs() < 1e-15);
    }

    #[test]
    fn limits() {
        let params = Params::new(1 << 12, 12, 10, 1).unwrap();
        for frequency in [0.0, -1.0, 1.5, f64::NAN, f64::INFINITY, 1e-13] {
            let error = detection(&params, Memory::Perpetual, frequency, 3).unwrap_err();
            assert!(error.to_string().contains("must be from"));
        }
        for observations in [0, MAX_OBSERVATIONS + 1] {
            let error = detection(&params, Memory::Perpetual, 0.1, observations).unwrap_err();
            assert_eq!(error, OddsError::Observations(observations));
        }
    }

    /// Half of the weight is missing: the two sides still add up to one.
    #[test]
    fn odds_are_shares_of_the_whole_weight() {
        let odds = Odds::of(&[0.125, 0.0, 0.25, 0.125], 2);
        assert!((odds.reject - 0.25).abs() < 1e-15 && (odds.detect - 0.75).abs() < 1e-15);
    }
}
