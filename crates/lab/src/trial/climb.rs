//! The way up: whether elements are detected at their s-th observation.

use std::io;

use nearmiss_filters::ladder::SeededRandom;

use super::{Replica, below};

/// The number of elements that are detected at their `observation`-th observation, which is made at the
/// iteration where it is expected, the earlier ones at random before it, as in the paper's recurrence.
///
/// # Errors
/// No memory for the array.
pub(crate) fn detected(
    replica: &Replica,
    observation: u32,
    elements: usize,
    random: &mut SeededRandom,
) -> io::Result<u64> {
    let (mut left, mut found) = (elements, 0);
    while left > 0 {
        let watched = replica.at_once(left);
        found += detected_at_once(replica, observation, watched, random)?;
        left -= watched;
    }
    Ok(found)
}

fn detected_at_once(
    replica: &Replica,
    observation: u32,
    watched: usize,
    random: &mut SeededRandom,
) -> io::Result<u64> {
    let mut ladder = replica.ladder(random)?;
    let names: Vec<u64> = (0..watched).map(|_| random.next_word()).collect();
    let iterations = (f64::from(observation) / replica.frequency).round() as usize - 1;
    for slot in schedule(iterations, observation as usize - 1, watched, random) {
        match slot {
            Some(number) => ladder.observe(names[number as usize], random)?,
            None => ladder.observe_another(random)?,
        };
    }
    let mut found = 0;
    for name in names {
        found += u64::from(ladder.is_frequent(name)?);
    }
    Ok(found)
}

/// The observation of each iteration: one of the watched elements, each the same number of times, or (none)
/// another one.
fn schedule(
    iterations: usize,
    observations: usize,
    watched: usize,
    random: &mut SeededRandom,
) -> Vec<Option<u32>> {
    let mut slots = vec![None; iterations];
    for element in 0..watched as u32 {
        let mut left = observations;
        while left > 0 {
            let slot = below(random, slots.len());
            if slots[slot].is_none() {
                slots[slot] = Some(element);
                left -= 1;
            }
        }
    }
    slots
}

#[cfg(test)]
mod tests {
    use nearmiss_filters::ladder::Params;

    use crate::theory::{Memory, odds};

    use super::*;

    /// Beside the recurrence, within five standard deviations and what a small array does otherwise.
    #[test]
    fn elements_are_detected_as_the_recurrence_says() {
        for (memory, observation) in [(Memory::Perpetual, 12), (Memory::Perpetual, 16), (Memory::Sticky, 20)]
        {
            let params = Params::new(1 << 15, 16, 16, 1).unwrap();
            let replica = Replica::of(&params, memory, 1.0 / 64.0).unwrap();
            let count = detected(&replica, observation, 600, &mut SeededRandom::new(7)).unwrap();
            let expected = odds::detection(&params, memory, 1.0 / 64.0, observation).unwrap().detect;
            let deviation = (600.0 * expected * (1.0 - expected)).sqrt();
            let off = (count as f64 - 600.0 * expected).abs();
            assert!(off < 5.0 * deviation + 6.0, "{memory:?}: {count}, expected {}", 600.0 * expected);
        }
    }
}
