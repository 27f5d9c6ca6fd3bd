//! The state after very many observations: the heights of elements, and the rate of misses.

use std::io;

use nearmiss_filters::ladder::SeededRandom;

use super::{Replica, below};
use crate::curves::Estimate;

/// Iterations for each bit of the array before anything is measured: heights forget by e⁻⁴ for each.
const SETTLING: usize = 2;

/// A ladder with watched elements that has settled.
struct Settled {
    replica: Replica,
    ladder: super::replica::Ladder,
    names: Vec<u64>,
}

impl Settled {
    fn new(replica: &Replica, elements: usize, random: &mut SeededRandom) -> io::Result<Settled> {
        let ladder = replica.ladder(random)?;
        let names = (0..replica.at_once(elements)).map(|_| random.next_word()).collect();
        let mut settled = Settled { replica: *replica, ladder, names };
        for _ in 0..SETTLING * replica.params.bits() as usize {
            settled.observe(random)?;
        }
        Ok(settled)
    }

    /// One iteration: a watched element by chance, and whether it was detected; or another.
    fn observe(&mut self, random: &mut SeededRandom) -> io::Result<Option<(usize, bool)>> {
        let place = below(random, usize::MAX) as f64 / usize::MAX as f64 / self.replica.frequency;
        match self.names.get(place as usize) {
            Some(&name) => Ok(Some((place as usize, self.ladder.observe(name, random)?))),
            None => self.ladder.observe_another(random).map(|_| None),
        }
    }
}

/// The mean height at rest; its spread is one standard deviation of the height itself.
///
/// # Errors
/// No memory for the array.
pub(crate) fn height_at_rest(
    x: f64,
    replica: &Replica,
    samples: usize,
    random: &mut SeededRandom,
) -> io::Result<Estimate> {
    let mut settled = Settled::new(replica, samples, random)?;
    let mut heights = Vec::new();
    while heights.len() < samples {
        for _ in 0..replica.params.bits() / 2 {
            settled.observe(random)?;
        }
        for &name in &settled.names {
            heights.push(f64::from(settled.ladder.height(name)?));
        }
    }
    let (mean, deviation) = mean_and_deviation(&heights);
    Ok(Estimate { x, value: mean, low: mean - deviation, high: mean + deviation })
}

/// Observations of one element whose share is taken together: more than a height remembers.
const BLOCK: usize = 60;

/// The share of observations at rest that do not find the element frequent; its spread is two standard
/// errors, by the deviation between blocks of observations.
///
/// # Errors
/// No memory for the array.
pub(crate) fn rejected_at_rest(
    x: f64,
    replica: &Replica,
    observations: usize,
    random: &mut SeededRandom,
) -> io::Result<Estimate> {
    let mut settled = Settled::new(replica, observations.div_ceil(BLOCK), random)?;
    let mut open: Vec<(usize, usize)> = vec![(0, 0); settled.names.len()];
    let mut blocks = Vec::new();
    while blocks.len() * BLOCK < observations {
        let Some((element, is_frequent)) = settled.observe(random)? else { continue };
        let (seen, rejected) = &mut open[element];
        *seen += 1;
        *rejected += usize::from(!is_frequent);
        if *seen == BLOCK {
            blocks.push(*rejected as f64 / BLOCK as f64);
            open[element] = (0, 0);
        }
    }
    let (mean, deviation) = mean_and_deviation(&blocks);
    let error = 2.0 * deviation / (blocks.len() as f64).sqrt();
    Ok(Estimate { x, value: mean, low: (mean - error).max(0.0), high: (mean + error).min(1.0) })
}

/// The mean and the standard deviation.
fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0).max(1.0)).sqrt())
}

#[cfg(test)]
mod tests {
    use nearmiss_filters::ladder::{Params, equilibrium};

    use crate::theory::{Memory, longrun};

    use super::*;

    #[test]
    fn elements_rest_where_theory_says() {
        let params = Params::new(1 << 15, 16, 12, 1).unwrap();
        let frequency = 1.0 / 2048.0;
        let replica = Replica::of(&params, Memory::Perpetual, frequency).unwrap();
        let mut random = SeededRandom::new(3);
        let height = height_at_rest(0.0, &replica, 300, &mut random).unwrap();
        let expected = equilibrium::height(1 << 15, 16, frequency);
        assert!((height.value - expected).abs() < 0.6, "{height:?}, expected {expected}");
        let rejected = rejected_at_rest(0.0, &replica, 6000, &mut random).unwrap();
        let expected = longrun::detection(&params, frequency).unwrap().reject;
        let allowed = 2.5 * (rejected.high - rejected.value) + 0.02;
        assert!((rejected.value - expected).abs() < allowed, "{rejected:?}, expected {expected}");
    }

    #[test]
    fn a_deviation_is_that_of_a_sample() {
        let (mean, deviation) = mean_and_deviation(&[1.0, 2.0, 3.0]);
        assert!((mean - 2.0).abs() < 1e-12 && (deviation - 1.0).abs() < 1e-12);
    }
}
