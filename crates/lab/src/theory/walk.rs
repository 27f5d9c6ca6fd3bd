//! The effect of one observation on the height of an element: up by its own, up or down by another element's.
//!
//! The recurrence of [SH §IV] as two matrices over the heights 0 ..= H (and, sticky, one more state,
//! *stuck*): U for an observation of the element itself, Q for one of any other. Good to O(H/N); see the
//! places 4 and 5 of the module's list for what is misprinted.

#![allow(clippy::arithmetic_side_effects, reason = "heights and steps of at most 128")]
#![allow(clippy::cast_precision_loss, reason = "bits are at most 2^36: exact in an f64")]

use nearmiss_filters::ladder::Params;

use super::matrix::Square;

/// True if an element once detected stays detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// It is frequent while it stands at the threshold or above. [SH §III]
    Perpetual,
    /// Once observed at the threshold it is frequent for ever. [SH §III]
    Sticky,
}

/// The two matrices of the walk.
pub(crate) struct RungWalk {
    /// An observation of the element.
    pub(crate) own: Square,
    /// An observation of any other element.
    pub(crate) other: Square,
}

impl RungWalk {
    pub(crate) fn new(params: &Params, memory: Memory) -> Self {
        Self { own: own(params, memory), other: other_step(params, memory).to_the(params.steps()) }
    }
}

/// Number of states: the heights 0 ..= H, and one more when sticky.
pub(crate) fn state_count(params: &Params, memory: Memory) -> usize {
    let heights = params.rungs() as usize + 1;
    heights + usize::from(memory == Memory::Sticky)
}

/// U: `steps` rungs up, not beyond H; sticky, from the threshold on, into the stuck state.
fn own(params: &Params, memory: Memory) -> Square {
    let states = state_count(params, memory);
    let stuck = states - 1;
    let mut own = Square::zero(states);
    for height in 0..=params.rungs() {
        let climbed = (height + params.steps()).min(params.rungs()) as usize;
        let frequent = memory == Memory::Sticky && height >= params.threshold();
        own.add(height as usize, if frequent { stuck } else { climbed }, 1.0);
    }
    keep_stuck(&mut own, params, memory);
    own
}

/// One step of another element: it sets one of N/2 zeros, H−h of them ours, and clears one of N/2 ones, h of
/// them ours.
fn other_step(params: &Params, memory: Memory) -> Square {
    let half = params.bits() as f64 / 2.0;
    let mut step = Square::zero(state_count(params, memory));
    for height in 0..=params.rungs() {
        let (set, cleared) = (f64::from(params.rungs() - height) / half, f64::from(height) / half);
        let (up, down) = (set * (1.0 - cleared), cleared * (1.0 - set));
        let row = height as usize;
        step.add(row, row, 1.0 - up - down);
        step.add(row, row + 1, up);
        if let Some(below) = row.checked_sub(1) {
            step.add(row, below, down);
        }
    }
    keep_stuck(&mut step, params, memory);
    step
}

fn keep_stuck(matrix: &mut Square, params: &Params, memory: Memory) {
    if memory == Memory::Sticky {
        let stuck = state_count(params, memory) - 1;
        matrix.add(stuck, stuck, 1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_a_distribution() {
        for memory in [Memory::Perpetual, Memory::Sticky] {
            let walk = RungWalk::new(&Params::new(1 << 13, 16, 12, 3).unwrap(), memory);
            for row in walk.own.rows().chain(walk.other.rows()) {
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                assert!(row.iter().all(|p| *p >= 0.0));
            }
        }
    }

    /// Four rungs, threshold three, two steps: where each height, and the stuck state, goes.
    #[test]
    fn an_observation_climbs_and_from_the_threshold_on_sticks() {
        let goes = |memory| -> Vec<usize> {
            let own = RungWalk::new(&Params::new(1 << 13, 4, 3, 2).unwrap(), memory).own;
            own.rows().map(|row| row.iter().position(|p| *p > 0.5).unwrap()).collect()
        };
        assert_eq!(goes(Memory::Perpetual), [2, 3, 4, 4, 4]);
        assert_eq!(goes(Memory::Sticky), [2, 3, 4, 5, 5, 5]);
    }
}
