//! A small ladder that behaves like a large one.

use std::io;

use nearmiss_filters::ladder::{LadderFilter, MasterKey, MemoryBits, Params, ParamsError, SeededRandom};

use crate::theory::{Memory, StickyLadder};

/// The fewest bits of a replica: what small arrays do otherwise is of the order of H/N.
const MIN_BITS: u64 = 1 << 15;
/// The greatest frequency of one element.
const MAX_FREQUENT: f64 = 1.0 / 60.0;
/// The share of all observations that the watched elements make up: few enough not to disturb each other.
const WATCHED_SHARE: f64 = 1.0 / 16.0;

/// The parameters to try: a ladder's and a frequency, N as small and f as great as may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Replica {
    pub(crate) params: Params,
    pub(crate) frequency: f64,
    pub(crate) memory: Memory,
}

impl Replica {
    /// The smallest ladder with the same N·f.
    ///
    /// # Errors
    /// There is no such ladder.
    pub(crate) fn of(params: &Params, memory: Memory, frequency: f64) -> Result<Replica, ParamsError> {
        let (mut bits, mut scaled) = (params.bits(), frequency);
        while bits > MIN_BITS && scaled * 2.0 <= MAX_FREQUENT {
            bits >>= 1;
            scaled *= 2.0;
        }
        let params = Params::new(bits, params.rungs(), params.threshold(), params.steps())?;
        Ok(Replica { params, frequency: scaled, memory })
    }

    /// Elements to watch at once, of so many.
    pub(super) fn at_once(&self, elements: usize) -> usize {
        let most = (WATCHED_SHARE / self.frequency).floor();
        elements.min(most.clamp(1.0, 4096.0) as usize)
    }

    /// A new ladder.
    pub(super) fn ladder(&self, random: &mut SeededRandom) -> io::Result<Ladder> {
        let key = std::array::from_fn(|_| random.next_word() as u8);
        let bits = MemoryBits::random(self.params.bits(), random)?;
        let ladder = LadderFilter::new(self.params, &MasterKey::new(key), &[0; 16], bits);
        Ok(match self.memory {
            Memory::Perpetual => Ladder::Perpetual(ladder),
            Memory::Sticky => Ladder::Sticky(StickyLadder::new(ladder)),
        })
    }
}

/// A ladder of either form.
pub(super) enum Ladder {
    Perpetual(LadderFilter<MemoryBits>),
    Sticky(StickyLadder<MemoryBits>),
}

impl Ladder {
    /// One observation: whether the element was frequent.
    pub(super) fn observe(&mut self, element: u64, random: &mut SeededRandom) -> io::Result<bool> {
        let element = element.to_le_bytes();
        match self {
            Ladder::Perpetual(ladder) => ladder.observe(&ladder.rungs_of(&element), random),
            Ladder::Sticky(ladder) => ladder.observe(&element, random),
        }
    }

    /// One observation of an element that never comes again.
    pub(super) fn observe_another(&mut self, random: &mut SeededRandom) -> io::Result<bool> {
        let element = random.next_word();
        self.observe(element, random)
    }

    /// True if the element would be found frequent now.
    pub(super) fn is_frequent(&self, element: u64) -> io::Result<bool> {
        let element = element.to_le_bytes();
        match self {
            Ladder::Perpetual(ladder) => ladder.is_frequent(&ladder.rungs_of(&element)),
            Ladder::Sticky(ladder) => ladder.is_frequent(&element),
        }
    }

    /// The element's height.
    pub(super) fn height(&self, element: u64) -> io::Result<u32> {
        let ladder = match self {
            Ladder::Perpetual(ladder) => ladder,
            Ladder::Sticky(ladder) => ladder.ladder(),
        };
        ladder.height(&ladder.rungs_of(&element.to_le_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replica_has_the_same_n_times_f() {
        for frequency in [1e-6, 2e-8, 1e-3] {
            let params = Params::new(1 << 29, 48, 44, 1).unwrap();
            let replica = Replica::of(&params, Memory::Perpetual, frequency).unwrap();
            let product = replica.frequency * replica.params.bits() as f64;
            assert!((product / (frequency * f64::from(1 << 29)) - 1.0).abs() < 1e-12);
            assert!(replica.frequency <= MAX_FREQUENT && replica.params.bits() >= MIN_BITS);
        }
    }
}
