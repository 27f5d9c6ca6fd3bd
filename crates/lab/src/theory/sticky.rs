//! The sticky form: an element once observed at the threshold is frequent for ever. [SH §III, Fig. 3b]

use std::collections::HashSet;
use std::io;

use nearmiss_filters::ladder::step::random_place;
use nearmiss_filters::ladder::{BitStore, LadderFilter, RandomSource};

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

    /// True if the element would be found frequent now.
    ///
    /// # Errors
    /// As [`BitStore::load`].
    pub fn is_frequent(&self, element: &[u8]) -> io::Result<bool> {
        let known = self.detected.contains(&self.ladder.fingerprint(element));
        Ok(known || self.ladder.is_frequent(&self.ladder.rungs_of(element))?)
    }

    /// One observation: whether the element is frequent, from now on for ever; then its steps. A remembered
    /// element's steps move random bits only, as at the top, so that the array keeps its balance and the
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

/// A step at the top: two random bits set, two cleared.
fn stir(bits: &impl BitStore, random: &mut impl RandomSource) -> io::Result<()> {
    let [a, b, c, d] = random.words()?;
    random_place(bits, a).set(bits)?;
    random_place(bits, b).set(bits)?;
    random_place(bits, c).clear(bits)?;
    random_place(bits, d).clear(bits)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use nearmiss_filters::ladder::{MasterKey, MemoryBits, Params, SeededRandom};

    use super::*;

    /// Bits that are all ones at first, and whether each change set a bit.
    struct Journal {
        bits: MemoryBits,
        changes: RefCell<Vec<bool>>,
    }

    impl BitStore for Journal {
        fn byte_count(&self) -> u64 {
            self.bits.byte_count()
        }

        fn load(&self, byte: u64) -> io::Result<u8> {
            self.bits.load(byte)
        }

        fn set(&self, byte: u64, mask: u8) -> io::Result<u8> {
            self.changes.borrow_mut().push(true);
            self.bits.set(byte, mask)
        }

        fn clear(&self, byte: u64, mask: u8) -> io::Result<u8> {
            self.changes.borrow_mut().push(false);
            self.bits.clear(byte, mask)
        }
    }

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
        let bits = MemoryBits::from_bytes(vec![0xff; 512]);
        let journal = Journal { bits, changes: RefCell::default() };
        let ladder = LadderFilter::new(params, &MasterKey::new([3; 32]), &[4; 16], journal);
        let mut sticky = StickyLadder::new(ladder);
        for _ in 0..50 {
            assert!(sticky.observe(b"password", &mut random).unwrap());
            let changes = sticky.ladder().bits().changes.take();
            assert_eq!(changes, [true, true, false, false].repeat(3));
            assert_eq!(sticky.detected_count(), 1);
        }
    }
}
