//! The ladder itself: the height of an element, and the steps that raise it.

use std::io;

use super::bits::BitStore;
use super::keys::{ID_BYTES, MasterKey, Purpose, Subkey};
use super::params::Params;
use super::rungs::{RungFinder, Rungs};
use super::step::{set_rungs, step};
use crate::random::RandomSource;

/// A binomial ladder frequency filter: the keyed finder of rungs, and the array of bits. [SH
/// §III, §VII]
///
/// ```
/// use nearmiss_filters::ladder::{LadderFilter, MasterKey, MemoryBits, Params, SystemRandom};
/// let params = Params::new(1 << 20, 16, 16, 2)?;
/// let bits = MemoryBits::random(params.bits(), &mut SystemRandom)?;
/// let ladder = LadderFilter::new(params, &MasterKey::new([7; 32]), &[0; 16], bits);
/// let element = ladder.rungs_of(b"a password");
/// for _ in 0..8 {
///     ladder.record(&element, &mut SystemRandom)?;
/// }
/// assert!(ladder.is_frequent(&element)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LadderFilter<B> {
    params: Params,
    finder: RungFinder,
    fingerprint_key: Subkey,
    bits: B,
}

impl<B: BitStore> LadderFilter<B> {
    /// The ladder of these bits. If the array is smaller than `params` states, every access beyond it is an
    /// error.
    pub fn new(params: Params, key: &MasterKey, id: &[u8; ID_BYTES], bits: B) -> Self {
        let finder = RungFinder::new(&params, key, id);
        Self { params, finder, fingerprint_key: key.subkey(Purpose::Fingerprint, id), bits }
    }

    /// The array.
    pub const fn bits(&self) -> &B {
        &self.bits
    }

    /// Bits, rungs, threshold and steps.
    pub const fn params(&self) -> &Params {
        &self.params
    }

    /// The positions of an element's rungs.
    pub fn rungs_of(&self, element: &[u8]) -> Rungs {
        self.finder.rungs_of(element)
    }

    /// A keyed 64-bit name of an element: the set of detected elements of the sticky form holds these.
    #[doc(hidden)]
    pub fn fingerprint(&self, element: &[u8]) -> u64 {
        self.fingerprint_key.hash(element).0
    }

    /// The number of rungs that are ones, 0 to H.
    ///
    /// # Errors
    /// As [`BitStore::load`].
    pub fn height(&self, element: &Rungs) -> io::Result<u32> {
        Ok(set_rungs(&self.bits, element)?.count_ones())
    }

    /// True if the element's height is at the threshold or above.
    ///
    /// # Errors
    /// As [`LadderFilter::height`].
    pub fn is_frequent(&self, element: &Rungs) -> io::Result<bool> {
        Ok(self.height(element)? >= self.params.threshold())
    }

    /// One step: a random zero rung becomes a one, then two random bits of the array are cleared. At the top
    /// two random bits are set and two cleared instead, so that every step has the same effect on other
    /// elements. Returns the height before.
    ///
    /// # Errors
    /// As [`LadderFilter::height`]; the bits cannot be changed; as [`RandomSource::fill`]. A failed step may
    /// have set its rung.
    pub fn step(&self, element: &Rungs, random: &mut impl RandomSource) -> io::Result<u32> {
        step(&self.bits, element, random)
    }

    /// The steps of one observation. Returns the height before the first.
    ///
    /// # Errors
    /// As [`LadderFilter::step`].
    pub fn record(&self, element: &Rungs, random: &mut impl RandomSource) -> io::Result<u32> {
        let height = self.step(element, random)?;
        for _ in 1..self.params.steps() {
            self.step(element, random)?;
        }
        Ok(height)
    }

    /// One observation in the perpetual form: takes its steps, and returns true if the element was frequent
    /// before. [SH §III]
    ///
    /// # Errors
    /// As [`LadderFilter::step`].
    pub fn observe(&self, element: &Rungs, random: &mut impl RandomSource) -> io::Result<bool> {
        Ok(self.record(element, random)? >= self.params.threshold())
    }
}

#[cfg(test)]
mod tests {
    use super::super::bits::{MemoryBits, Place, ones};
    use super::super::journal::{Change, Journal};
    use super::super::step::zero_rung;
    use super::*;
    use crate::random::SeededRandom;

    fn ladder<S: BitStore>(bits: S, rungs: u32, threshold: u32, steps: u32) -> LadderFilter<S> {
        let params = Params::new(bits.byte_count() << 3, rungs, threshold, steps).unwrap();
        LadderFilter::new(params, &MasterKey::new([3; 32]), &[4; ID_BYTES], bits)
    }

    #[test]
    fn an_element_climbs_one_rung_a_step_and_stays_at_the_top() {
        let mut random = SeededRandom::new(1);
        let ladder = ladder(MemoryBits::random(1 << 22, &mut random).unwrap(), 16, 14, 1);
        let element = ladder.rungs_of(b"correct horse");
        let start = ladder.height(&element).unwrap();
        for step in 0..40 {
            let expected = (start + step).min(16);
            assert_eq!(ladder.height(&element).unwrap(), expected);
            assert_eq!(ladder.observe(&element, &mut random).unwrap(), expected >= 14);
        }
    }

    /// Bits with these numbers.
    fn places<const COUNT: usize>(bits: [u64; COUNT]) -> [Place; COUNT] {
        bits.map(Place::of)
    }

    /// A source that draws these words for every step.
    struct Drawn([u64; 4]);

    impl RandomSource for Drawn {
        fn fill(&mut self, bytes: &mut [u8]) -> io::Result<()> {
            let drawn = self.0.iter().flat_map(|word| word.to_le_bytes());
            bytes.iter_mut().zip(drawn).for_each(|(to, from)| *to = from);
            Ok(())
        }
    }

    /// A process killed in between has recorded without clearing, never cleared without recording.
    #[test]
    fn a_step_sets_before_it_clears() {
        for (choice, rung) in [(0, 0), (u64::MAX, 15)] {
            let mut drawn = Drawn([choice, 4001, 4002, 4003]);
            let [first, second, first_clear, second_clear] = places(drawn.0.map(|word| word & 4095));
            let clears = [Change::Clear(first_clear), Change::Clear(second_clear)];
            let below = ladder(Journal::of(0, 512), 16, 16, 1);
            let element = below.rungs_of(b"x");
            below.step(&element, &mut drawn).unwrap();
            let set = Change::Set(element.place(rung).unwrap());
            assert_eq!(below.bits().changes(), [&[set][..], &clears].concat());
            let top = ladder(Journal::of(0xff, 512), 16, 16, 1);
            top.step(&element, &mut drawn).unwrap();
            assert_eq!(top.bits().changes(), [[Change::Set(first), Change::Set(second)], clears].concat());
        }
    }

    /// If it were always the lowest, the rungs that are ones would reveal the number of recordings of a
    /// password to an attacker with array and key.
    #[test]
    fn each_rung_that_is_zero_is_as_likely_to_be_set() {
        const STEPS_EACH: u32 = 2000;
        let ladder = ladder(MemoryBits::from_bytes(vec![0; 512]), 16, 16, 1);
        let element = ladder.rungs_of(b"x");
        let mut random = SeededRandom::new(6);
        // All zeros; every other one; the last three.
        for stand in [0_u128, 0x5555, 0x1fff] {
            let zeros: Vec<usize> = (0..16).filter(|rung| stand >> rung & 1 == 0).collect();
            let mut counts = [0_u32; 16];
            for _ in 0..STEPS_EACH * u32::try_from(zeros.len()).unwrap() {
                let place = zero_rung(&element, stand, random.next_word()).unwrap();
                counts[element.places().position(|rung| rung == place).unwrap()] += 1;
            }
            // Each is binomial with mean 2000 and a deviation below 45: five of them. Chi-square: mean 15 at
            // most, 75 lies eleven deviations above.
            assert!(zeros.iter().all(|rung| counts[*rung].abs_diff(STEPS_EACH) < 225), "{counts:?}");
            let square = |rung: &usize| u64::from(counts[*rung].abs_diff(STEPS_EACH)).pow(2);
            assert!(zeros.iter().map(square).sum::<u64>() < u64::from(STEPS_EACH) * 75, "{counts:?}");
            assert_eq!(counts.iter().sum::<u32>(), STEPS_EACH * u32::try_from(zeros.len()).unwrap());
        }
        assert_eq!(zero_rung(&element, 0xffff, 7), None);
    }

    #[test]
    fn a_record_takes_all_its_steps() {
        let mut random = SeededRandom::new(2);
        let ladder = ladder(MemoryBits::from_bytes(vec![0; 1 << 16]), 16, 16, 3);
        let element = ladder.rungs_of(b"x");
        assert_eq!(ladder.record(&element, &mut random).unwrap(), 0);
        assert_eq!(ladder.height(&element).unwrap(), 3);
        assert!(!ladder.is_frequent(&element).unwrap());
        while ladder.record(&element, &mut random).unwrap() < 16 {}
        assert!(ladder.is_frequent(&element).unwrap());
    }

    #[test]
    fn elements_have_names_of_their_own() {
        let ladder = ladder(MemoryBits::from_bytes(vec![0; 1 << 16]), 16, 16, 3);
        let names = [b"x", b"y", b"x"].map(|element| ladder.fingerprint(element));
        assert!(names[0] != names[1] && names[0] == names[2]);
    }

    #[test]
    fn reading_changes_nothing() {
        let mut random = SeededRandom::new(3);
        let ladder = ladder(MemoryBits::random(1 << 12, &mut random).unwrap(), 16, 16, 3);
        let before: Vec<u8> = (0..512).map(|byte| ladder.bits().load(byte).unwrap()).collect();
        for element in 0_u32..100 {
            ladder.is_frequent(&ladder.rungs_of(&element.to_le_bytes())).unwrap();
        }
        let after: Vec<u8> = (0..512).map(|byte| ladder.bits().load(byte).unwrap()).collect();
        assert_eq!(before, after);
    }

    #[test]
    fn an_array_of_the_wrong_size_is_an_error() {
        let params = Params::new(1 << 20, 16, 16, 1).unwrap();
        let bits = MemoryBits::from_bytes(vec![0; 0]);
        let ladder = LadderFilter::new(params, &MasterKey::new([3; 32]), &[4; ID_BYTES], bits);
        let element = ladder.rungs_of(b"x");
        assert!(ladder.height(&element).is_err());
        assert!(ladder.record(&element, &mut SeededRandom::new(1)).is_err());
    }

    #[test]
    fn all_threads_together_keep_the_balance() {
        let mut random = SeededRandom::new(5);
        let ladder = ladder(MemoryBits::random(1 << 16, &mut random).unwrap(), 16, 16, 1);
        std::thread::scope(|scope| {
            for seed in 0..4_u64 {
                let ladder = &ladder;
                scope.spawn(move || {
                    let mut random = SeededRandom::new(seed << 32);
                    for _ in 0..50_000 {
                        let element = ladder.rungs_of(&random.next_word().to_le_bytes());
                        ladder.step(&element, &mut random).unwrap();
                    }
                });
            }
        });
        // Standard deviation of the count of ones is sqrt(N)/2 / sqrt(2) ≈ 90 at balance.
        let ones = ones(ladder.bits(), 0, 1 << 13).unwrap();
        assert!(ones.abs_diff(1 << 15) < 600, "{ones}");
    }
}
