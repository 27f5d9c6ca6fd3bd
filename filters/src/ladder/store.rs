//! What a ladder asks of the place that keeps its bits: whole questions about the rungs of one element, which
//! lie in one page. Behind a socket each is one message; an array of bits (`bits`) computes the reply itself.
//!
//! The number of ones is kept near half by chance alone [SH §VII-A]: a step sets one zero rung and then
//! clears two random bits, one of which is a one on average. Nothing is counted and nothing is locked: a
//! caller that is stopped or killed inside a step delays nobody and leaves nothing to repair. The rung is set
//! first, so that a killed caller never clears without recording.

#![allow(clippy::arithmetic_side_effects, reason = "counts up to H and a number of bits")]

use std::io;

use super::bits::{BitStore, Place};
use super::random::{RandomSource, below};
use super::rungs::Rungs;

/// The bits of a ladder, wherever they are kept. It needs no key: rungs are all that it gets to see.
pub trait LadderStore {
    /// How many of an element's rungs are ones.
    ///
    /// # Errors
    /// The bits cannot be read: outside the array, or an error of the system or of the server.
    fn height(&self, rungs: &Rungs) -> io::Result<u32>;

    /// One step: a random zero rung becomes a one, then two random bits of the array are cleared. At the top
    /// two random bits are set and two cleared instead, so that a step always moves the others alike. Returns
    /// the height before.
    ///
    /// # Errors
    /// As [`LadderStore::height`]; the bits cannot be changed; as [`RandomSource::fill`]. A step that
    /// fails may have set its rung.
    fn step(&self, rungs: &Rungs, random: &mut impl RandomSource) -> io::Result<u32>;
}

impl<B: BitStore> LadderStore for B {
    fn height(&self, rungs: &Rungs) -> io::Result<u32> {
        Ok(set_rungs(self, rungs)?.count_ones())
    }

    fn step(&self, rungs: &Rungs, random: &mut impl RandomSource) -> io::Result<u32> {
        let set = set_rungs(self, rungs)?;
        let [choice, second, first_clear, second_clear] = random.words()?;
        if let Some(rung) = zero_rung(rungs, set, choice) {
            rung.set(self)?;
        } else {
            random_place(self, choice).set(self)?;
            random_place(self, second).set(self)?;
        }
        random_place(self, first_clear).clear(self)?;
        random_place(self, second_clear).clear(self)?;
        Ok(set.count_ones())
    }
}

/// What a step at the top does: two random bits set, two cleared. The sticky form does it for every step of
/// an element it remembers.
pub(super) fn stir(bits: &impl BitStore, random: &mut impl RandomSource) -> io::Result<()> {
    let [a, b, c, d] = random.words()?;
    random_place(bits, a).set(bits)?;
    random_place(bits, b).set(bits)?;
    random_place(bits, c).clear(bits)?;
    random_place(bits, d).clear(bits)
}

/// Which rungs are ones: bit i for rung i.
pub(super) fn set_rungs(bits: &impl BitStore, rungs: &Rungs) -> io::Result<u128> {
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
pub(super) fn zero_rung(rungs: &Rungs, set: u128, choice: u64) -> Option<Place> {
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
pub(super) fn random_place(bits: &impl BitStore, word: u64) -> Place {
    Place::of(word & bits.byte_count().saturating_mul(8).saturating_sub(1))
}
