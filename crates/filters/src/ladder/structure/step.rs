//! The effect of a step on the bits.
//!
//! The number of ones is kept near half by chance alone [SH §VII-A]: a step sets one zero rung and then
//! clears two random bits, one of which is a one on average. There are no counters and no locks: a caller
//! that is suspended or killed inside a step delays no other process and leaves nothing to repair. The rung
//! is set first, so that a killed caller never clears without recording.

#![allow(clippy::arithmetic_side_effects, reason = "counts up to H and a number of bits")]

use std::io;

use super::bits::{BitStore, Place};
use super::rungs::Rungs;
use crate::random::{RandomSource, below};

/// [`LadderFilter::step`](super::filter::LadderFilter::step).
pub(super) fn step(bits: &impl BitStore, rungs: &Rungs, random: &mut impl RandomSource) -> io::Result<u32> {
    let set = set_rungs(bits, rungs)?;
    let [choice, second, first_clear, second_clear] = random.words()?;
    if let Some(rung) = zero_rung(rungs, set, choice) {
        rung.set(bits)?;
    } else {
        random_place(bits, choice).set(bits)?;
        random_place(bits, second).set(bits)?;
    }
    random_place(bits, first_clear).clear(bits)?;
    random_place(bits, second_clear).clear(bits)?;
    Ok(set.count_ones())
}

/// The rungs that are ones, as a set: bit i for rung i.
///
/// # Errors
/// As [`BitStore::load`].
pub fn set_rungs(bits: &impl BitStore, rungs: &Rungs) -> io::Result<u128> {
    let (mut set, mut rung_bit) = (0_u128, 1_u128);
    for rung in rungs.places() {
        if rung.is_one(bits)? {
            set |= rung_bit;
        }
        rung_bit = rung_bit.wrapping_shl(1);
    }
    Ok(set)
}

/// One of the rungs that are zeros, chosen by a random word; none at the top.
pub fn zero_rung(rungs: &Rungs, set: u128, choice: u64) -> Option<Place> {
    let zeros = rungs.count() - set.count_ones();
    let mut skip = below(zeros.into(), choice);
    let mut rest = !set;
    while skip > 0 {
        rest &= rest.wrapping_sub(1);
        skip -= 1;
    }
    rungs.place(rest.trailing_zeros() as usize)
}

/// The number of bits is a power of two: a mask chooses without bias.
pub fn random_place(bits: &impl BitStore, word: u64) -> Place {
    Place::of(word & bits.byte_count().saturating_mul(8).saturating_sub(1))
}
