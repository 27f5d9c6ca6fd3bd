//! The height of an element after many observations, and the odds then. [SH §VI, Fig. 4, 7]

use nearmiss_filters::ladder::Params;

use super::matrix::Square;
use super::odds::{MIN_FREQUENCY, Odds, OddsError};
use super::walk::{Memory, RungWalk};

/// Long-run odds that an observation of an element of this frequency finds it frequent (perpetual form; in
/// the sticky form every element is detected in the end).
///
/// # Errors
/// [`OddsError::Frequency`] when the frequency is not from 10⁻¹² to 1.
pub fn detection(params: &Params, frequency: f64) -> Result<Odds, OddsError> {
    if !(MIN_FREQUENCY..=1.0).contains(&frequency) {
        return Err(OddsError::Frequency(frequency));
    }
    let walk = RungWalk::new(params, Memory::Perpetual);
    let mixed = walk.other.scaled(1.0 - frequency).plus(&walk.own.scaled(frequency));
    Ok(Odds::of(&stationary(&mixed), params.threshold()))
}

/// The stationary weights of a chain (not normalised) by the elimination of Grassmann, Taksar and Heyman
/// (*Regenerative analysis and steady state distributions for Markov chains*, Operations Research 33, 1985):
/// no subtraction, so the smallest weight is as exact as the largest. The lowest height is folded first:
/// every height but the top is left upwards, so no division is by zero even when nothing ever comes down.
fn stationary(chain: &Square) -> Vec<f64> {
    let mut rows = backwards(chain);
    let mut inflow: Vec<Vec<f64>> = Vec::new();
    while rows.len() > 1 {
        let Some(lowest) = rows.pop() else { break };
        inflow.push(fold_state(&mut rows, &lowest));
    }
    let mut weights = vec![1.0];
    for visits in inflow.iter().rev() {
        let weight = weights.iter().zip(visits).map(|(w, v)| w * v).sum();
        weights.push(weight);
    }
    weights.reverse();
    weights
}

/// The rows with the highest state first.
fn backwards(chain: &Square) -> Vec<Vec<f64>> {
    let mut rows: Vec<Vec<f64>> = chain.rows().map(|row| row.iter().rev().copied().collect()).collect();
    rows.reverse();
    rows
}

/// Removes the last state from the chain: its flow is passed on to the others. Gives, for each remaining
/// state, the visits to the removed one per visit to it.
fn fold_state(rows: &mut [Vec<f64>], removed: &[f64]) -> Vec<f64> {
    let leaving: f64 = removed.iter().take(rows.len()).sum();
    let mut visits = Vec::new();
    for row in rows {
        let visit = row.pop().unwrap_or(0.0) / leaving;
        row.iter_mut().zip(removed).for_each(|(cell, onward)| *cell += visit * onward);
        visits.push(visit);
    }
    visits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_of_two_states_balances() {
        let mut chain = Square::zero(2);
        for (row, column, p) in [(0, 0, 0.9), (0, 1, 0.1), (1, 0, 0.3), (1, 1, 0.7)] {
            chain.add(row, column, p);
        }
        let weights = stationary(&chain);
        assert!((weights[1] / weights[0] - 1.0 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn one_step_more_leaves_the_stationary_weights() {
        let params = Params::new(1 << 13, 16, 12, 2).unwrap();
        let walk = RungWalk::new(&params, Memory::Perpetual);
        let chain = walk.other.scaled(0.99).plus(&walk.own.scaled(0.01));
        let weights = stationary(&chain);
        for (column, weight) in weights.iter().enumerate() {
            let flow: f64 = chain.rows().zip(&weights).map(|(row, w)| row[column] * w).sum();
            assert!((flow / weight - 1.0).abs() < 1e-10);
        }
    }

    #[test]
    fn frequency_limits() {
        let params = Params::new(1 << 13, 16, 12, 2).unwrap();
        assert_eq!(detection(&params, 0.0), Err(OddsError::Frequency(0.0)));
        assert!((detection(&params, 1.0).unwrap().detect - 1.0).abs() < 1e-12);
    }
}
