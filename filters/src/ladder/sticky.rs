//! The sticky form: an element once observed at the threshold is frequent for ever. [SH §III, Fig. 3b]

use std::collections::HashSet;
use std::io;

use super::bits::BitStore;
use super::filter::LadderFilter;
use super::random::RandomSource;
use super::store::stir;

/// A ladder with a memory of detected elements, kept as keyed fingerprints only.
pub struct StickyLadder<S> {
    ladder: LadderFilter<S>,
    detected: HashSet<u64>,
}

impl<S: BitStore> StickyLadder<S> {
    /// Over a ladder, with nothing detected yet.
    pub fn new(ladder: LadderFilter<S>) -> Self {
        Self { ladder, detected: HashSet::new() }
    }

    /// The ladder, for reading.
    pub const fn ladder(&self) -> &LadderFilter<S> {
        &self.ladder
    }

    /// Elements detected so far.
    pub fn detected_count(&self) -> usize {
        self.detected.len()
    }

    /// Whether the element would be found frequent now.
    ///
    /// # Errors
    /// As [`BitStore::load`].
    pub fn is_frequent(&self, element: &[u8]) -> io::Result<bool> {
        let known = self.detected.contains(&self.ladder.fingerprint(element));
        Ok(known || self.ladder.is_frequent(&self.ladder.rungs_of(element))?)
    }

    /// One observation: whether the element is frequent, from now on for ever; then its steps. Those of a
    /// remembered element move random bits only, as at the top, so that the array keeps its balance and the
    /// others their pace.
    ///
    /// # Errors
    /// As [`LadderFilter::step`].
    pub fn observe(&mut self, element: &[u8], random: &mut impl RandomSource) -> io::Result<bool> {
        let fingerprint = self.ladder.fingerprint(element);
        if self.detected.contains(&fingerprint) {
            for _ in 0..self.ladder.params().steps() {
                stir(self.ladder.bits(), random)?;
            }
            return Ok(true);
        }
        let frequent = self.ladder.observe(&self.ladder.rungs_of(element), random)?;
        if frequent {
            self.detected.insert(fingerprint);
        }
        Ok(frequent)
    }
}

#[cfg(test)]
mod tests {
    use super::super::bits::MemoryBits;
    use super::super::journal::{Change, Journal};
    use super::super::keys::MasterKey;
    use super::super::params::Params;
    use super::super::random::SeededRandom;
    use super::*;

    #[test]
    fn each_element_is_detected_once() {
        let params = Params::new(1 << 12, 12, 12, 1).unwrap();
        let bits = MemoryBits::from_bytes(vec![0xff; 512]);
        let mut sticky =
            StickyLadder::new(LadderFilter::new(params, &MasterKey::new([3; 32]), &[4; 16], bits));
        let mut random = SeededRandom::new(1);
        for (element, count) in [(b"one", 1), (b"two", 2), (b"one", 2), (b"ten", 3)] {
            assert!(sticky.observe(element, &mut random).unwrap());
            assert_eq!(sticky.detected_count(), count);
        }
    }

    #[test]
    fn what_was_detected_stays_detected_however_far_it_sinks() {
        let mut random = SeededRandom::new(1);
        let params = Params::new(1 << 12, 12, 12, 1).unwrap();
        let bits = MemoryBits::random(params.bits(), &mut random).unwrap();
        let ladder = LadderFilter::new(params, &MasterKey::new([3; 32]), &[4; 16], bits);
        let mut sticky = StickyLadder::new(ladder);
        while !sticky.observe(b"password", &mut random).unwrap() {}
        for element in 0_u32..20_000 {
            sticky.observe(&element.to_le_bytes(), &mut random).unwrap();
        }
        let rungs = sticky.ladder().rungs_of(b"password");
        assert!(sticky.ladder().height(&rungs).unwrap() < 12);
        assert!(sticky.is_frequent(b"password").unwrap());
        assert!(sticky.observe(b"password", &mut random).unwrap());
        assert!(!sticky.is_frequent(b"never seen").unwrap());
        assert!((1..60).contains(&sticky.detected_count()), "{}", sticky.detected_count());
    }

    /// Two sets, then two clears, for each step: one clear less, and ones would pile up with every common
    /// password.
    #[test]
    fn an_observation_of_what_is_remembered_moves_as_many_bits_as_one_at_the_top() {
        let mut random = SeededRandom::new(2);
        let params = Params::new(1 << 12, 12, 12, 3).unwrap();
        let ladder = LadderFilter::new(params, &MasterKey::new([3; 32]), &[4; 16], Journal::of(0xff, 512));
        let mut sticky = StickyLadder::new(ladder);
        for _ in 0..50 {
            assert!(sticky.observe(b"password", &mut random).unwrap());
            let changes = sticky.ladder().bits().changes();
            assert_eq!(changes.len(), 3 * 4);
            for step in changes.chunks(4) {
                let kinds: Vec<bool> = step.iter().map(|change| matches!(change, Change::Set(_))).collect();
                assert_eq!(kinds, [true, true, false, false]);
            }
            assert_eq!(sticky.detected_count(), 1);
        }
    }
}
