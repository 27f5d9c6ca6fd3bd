//! The heights of elements never observed, in a ladder that others have used.

use std::io;

use nearmiss_filters::ladder::{Params, SeededRandom};

use super::Replica;
use crate::theory::Memory;

/// Bits of the ladder: enough that its pages differ as the pages of a large one do.
const BITS: u64 = 1 << 20;

/// The number of elements never observed at each height from 0 to `rungs`, in a ladder that took
/// one step for each of its bits.
///
/// # Errors
/// No memory for the array.
pub(crate) fn heights(rungs: u32, elements: u64, random: &mut SeededRandom) -> io::Result<Vec<u64>> {
    let params = Params::new(BITS, rungs, rungs, 1).map_err(io::Error::other)?;
    let replica = Replica { params, frequency: 1.0, memory: Memory::Perpetual };
    let mut ladder = replica.ladder(random)?;
    for _ in 0..BITS {
        ladder.observe_another(random)?;
    }
    let mut heights = vec![0; rungs as usize + 1];
    for _ in 0..elements {
        heights[ladder.height(random.next_word())? as usize] += 1;
    }
    Ok(heights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_half_of_the_rungs() {
        let heights = heights(16, 20_000, &mut SeededRandom::new(1)).unwrap();
        let sum: u64 = heights.iter().zip(0..).map(|(count, height)| count * height).sum();
        assert_eq!(heights.iter().sum::<u64>(), 20_000);
        // One standard error is 0.014.
        assert!((sum as f64 / 20_000.0 - 8.0).abs() < 0.1, "{sum}");
    }
}
