//! The exact form: every step clears exactly as many ones as it set zeros. [SH §II]
//!
//! An oracle for tests and for simulations, in memory and for one caller: two callers at once, or one killed
//! in between, would break the count for good, which is why files use the probabilistic form.

use std::io;

use nearmiss_filters::ladder::step::{Place, random_place, set_rungs, zero_rung};
use nearmiss_filters::ladder::{BitStore, LadderFilter, RandomSource, Rungs};

/// Random draws before the search walks on from where it is: half of all bits fit, so more than 64 draws are
/// needed once in 2⁶⁴ searches. (Draws alone have no bound: place 8 of the module's list.)
const DRAWS: u32 = 64;

/// A ladder whose number of ones never changes.
pub struct ExactLadder<S>(LadderFilter<S>);

impl<S: BitStore> ExactLadder<S> {
    /// Over a ladder; its present number of ones is kept.
    pub const fn new(ladder: LadderFilter<S>) -> Self {
        Self(ladder)
    }

    /// The ladder, for reading.
    pub const fn ladder(&self) -> &LadderFilter<S> {
        &self.0
    }

    /// One step: a random zero rung becomes a one and a random one outside the element's rungs a zero; at the
    /// top, a random zero anywhere outside becomes a one instead. Gives the height before. [SH §II]
    ///
    /// # Errors
    /// As [`LadderFilter::step`]; also when the array has no bit left to exchange.
    pub fn step(&mut self, element: &Rungs, random: &mut impl RandomSource) -> io::Result<u32> {
        let set = set_rungs(self.0.bits(), element)?;
        let [choice] = random.words()?;
        let raised = match zero_rung(element, set, choice) {
            Some(rung) => rung,
            None => self.find(element, false, random)?,
        };
        let lowered = self.find(element, true, random)?;
        raised.set(self.0.bits())?;
        lowered.clear(self.0.bits())?;
        Ok(set.count_ones())
    }

    /// The steps of one observation: whether the element was frequent before them.
    ///
    /// # Errors
    /// As [`ExactLadder::step`].
    pub fn observe(&mut self, element: &Rungs, random: &mut impl RandomSource) -> io::Result<bool> {
        let height = self.step(element, random)?;
        for _ in 1..self.0.params().steps() {
            self.step(element, random)?;
        }
        Ok(height >= self.0.params().threshold())
    }

    /// A random bit of the wanted value that is none of the element's rungs: by drawing, then by walking on.
    fn find(&self, element: &Rungs, wanted: bool, random: &mut impl RandomSource) -> io::Result<Place> {
        let fits = |place: Place| -> io::Result<bool> {
            Ok(place.is_one(self.0.bits())? == wanted && !element.places().any(|rung| rung == place))
        };
        let mut word = 0;
        for _ in 0..DRAWS {
            [word] = random.words()?;
            let place = random_place(self.0.bits(), word);
            if fits(place)? {
                return Ok(place);
            }
        }
        for further in 0..self.0.params().bits() {
            let place = random_place(self.0.bits(), word.wrapping_add(further));
            if fits(place)? {
                return Ok(place);
            }
        }
        Err(io::Error::other("the ladder has no bit left to exchange"))
    }
}

#[cfg(test)]
mod tests {
    use nearmiss_filters::ladder::{MasterKey, MemoryBits, Params, SeededRandom, ones};

    use super::*;

    fn exact(bits: MemoryBits) -> ExactLadder<MemoryBits> {
        let params = Params::new(bits.byte_count() << 3, 12, 12, 1).unwrap();
        ExactLadder::new(LadderFilter::new(params, &MasterKey::new([3; 32]), &[4; 16], bits))
    }

    #[test]
    fn the_number_of_ones_never_changes_and_each_step_climbs_by_one() {
        let mut random = SeededRandom::new(1);
        let mut exact = exact(MemoryBits::balanced(1 << 10, &mut random).unwrap());
        for element in 0_u32..300 {
            let rungs = exact.ladder().rungs_of(&element.to_le_bytes());
            for _ in 0..20 {
                let before = exact.step(&rungs, &mut random).unwrap();
                assert_eq!(exact.ladder().height(&rungs).unwrap(), (before + 1).min(12));
                assert_eq!(ones(exact.ladder().bits(), 0, 128).unwrap(), 512);
            }
        }
    }

    #[test]
    fn a_single_one_is_found_and_none_is_an_error() {
        let mut random = SeededRandom::new(9);
        let mut bytes = vec![0; 128];
        bytes[77] = 0b100;
        let mut lone = exact(MemoryBits::from_bytes(bytes));
        let rungs = lone.ladder().rungs_of(b"x");
        lone.step(&rungs, &mut random).unwrap();
        assert_eq!(lone.ladder().bits().load(77).unwrap(), 0);
        assert!(lone.step(&rungs, &mut random).is_err());
    }
}
