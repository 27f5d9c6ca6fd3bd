//! Sources of random numbers: the system for keys and real ladders, a seed for tests and simulations.
//!
//! A real ladder must draw from the system at every step: an attacker who can recompute the choices can run a
//! ladder's history backwards and read what was recorded.

use std::io;

use rustix::{
    io::Errno,
    rand::{GetRandomFlags, getrandom},
};
use zeroize::{Zeroize, Zeroizing};

/// A source of random bytes.
pub trait RandomSource {
    /// Fills the buffer.
    ///
    /// # Errors
    /// The system's error if it provides no random bytes.
    fn fill(&mut self, bytes: &mut [u8]) -> io::Result<()>;

    /// A number below `bound`, all equally likely except for a bias below bound / 2⁶⁴.
    ///
    /// # Errors
    /// As [`RandomSource::fill`].
    fn below(&mut self, bound: u64) -> io::Result<u64> {
        let [word] = self.words::<1>()?;
        Ok(below(bound, word))
    }

    /// Random 64-bit words.
    ///
    /// # Errors
    /// As [`RandomSource::fill`].
    fn words<const COUNT: usize>(&mut self) -> io::Result<[u64; COUNT]> {
        let mut bytes = [[0_u8; 8]; COUNT];
        self.fill(bytes.as_flattened_mut())?;
        Ok(taken_out(&mut bytes))
    }
}

/// The little-endian words of these bytes, which are wiped: the random bytes of a step reveal what it did.
fn taken_out<const COUNT: usize>(bytes: &mut [[u8; 8]; COUNT]) -> [u64; COUNT] {
    let words = bytes.map(u64::from_le_bytes);
    bytes.as_flattened_mut().zeroize();
    words
}

/// The system's generator, read for each step: no random bytes stay in memory. It is read only by the system
/// call: a generator opened as a file would stay open, perhaps as standard input if that is closed.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemRandom;

impl RandomSource for SystemRandom {
    fn fill(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        let mut left = bytes;
        while !left.is_empty() {
            match getrandom(&mut *left, GetRandomFlags::empty()) {
                Ok(count) => left = left.get_mut(count..).unwrap_or_default(),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

/// Bytes read at once by [`BufferedRandom`].
const BUFFER_BYTES: usize = 4096;

/// The system's generator, read 4 KiB at a time: for priming, where a call per step would cost as much as the
/// step. Bytes are wiped as they are returned.
#[derive(Debug)]
pub struct BufferedRandom {
    buffer: Box<Zeroizing<[u8; BUFFER_BYTES]>>,
    used: usize,
}

impl Default for BufferedRandom {
    fn default() -> Self {
        Self { buffer: Box::new(Zeroizing::new([0; BUFFER_BYTES])), used: BUFFER_BYTES }
    }
}

impl RandomSource for BufferedRandom {
    fn fill(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        if bytes.len() > BUFFER_BYTES {
            return SystemRandom.fill(bytes);
        }
        let fits = self.used.checked_add(bytes.len()).filter(|end| *end <= BUFFER_BYTES);
        let end = if let Some(end) = fits {
            end
        } else {
            SystemRandom.fill(self.buffer.as_mut_slice())?;
            self.used = 0;
            bytes.len()
        };
        if let Some(fresh) = self.buffer.get_mut(self.used..end) {
            bytes.copy_from_slice(fresh);
            fresh.zeroize();
        }
        self.used = end;
        Ok(())
    }
}

/// A reproducible generator (`SplitMix64`) for tests and simulations; never for a real ladder, whose choices
/// it would make predictable.
#[derive(Clone, Debug)]
pub struct SeededRandom(u64);

impl SeededRandom {
    /// The sequence of this seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next word of the sequence.
    pub const fn next_word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix(self.0)
    }
}

impl RandomSource for SeededRandom {
    fn fill(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        for chunk in bytes.chunks_mut(8) {
            let word = self.next_word().to_le_bytes();
            chunk.iter_mut().zip(word).for_each(|(byte, random)| *byte = random);
        }
        Ok(())
    }

    fn words<const COUNT: usize>(&mut self) -> io::Result<[u64; COUNT]> {
        Ok(std::array::from_fn(|_| self.next_word()))
    }
}

/// 2⁶⁴ over the golden ratio: the increment of `SplitMix64`.
pub(crate) const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The output function of `SplitMix64` (G. Steele, D. Lea, C. Flood, *Fast Splittable Pseudorandom Number
/// Generators*, OOPSLA 2014): a bijection of 64-bit words.
pub(crate) const fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

/// A number below `bound` from a random word; its bias is below bound / 2⁶⁴.
pub(crate) fn below(bound: u64, word: u64) -> u64 {
    let product = u128::from(word).wrapping_mul(u128::from(bound));
    u64::try_from(product >> 64).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix_gives_its_published_sequence() {
        // The first words for seed 1234567, as the reference implementation prints them.
        let mut random = SeededRandom::new(1_234_567);
        let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!(random.words::<3>().unwrap(), expected);
        let mut bytes = [0; 11];
        SeededRandom::new(1_234_567).fill(&mut bytes).unwrap();
        assert_eq!(bytes[..8], 6_457_827_717_110_365_317_u64.to_le_bytes());
        assert_eq!(bytes[8..], 3_203_168_211_198_807_973_u64.to_le_bytes()[..3]);
    }

    #[test]
    fn a_buffer_never_gives_the_same_bytes_twice() {
        let mut random = BufferedRandom::default();
        let mut seen = std::collections::HashSet::new();
        for _ in 0..2000 {
            assert!(seen.insert(random.words::<3>().unwrap()));
        }
        let mut long = vec![0; 10_000];
        random.fill(&mut long).unwrap();
        assert!(!long.windows(8).any(|run| run.iter().all(|byte| *byte == 0)));
    }

    #[test]
    fn given_out_bytes_are_wiped() {
        let mut random = BufferedRandom::default();
        random.words::<4>().unwrap();
        assert!(random.buffer[..32].iter().all(|byte| *byte == 0));
        assert!(random.buffer[32..].iter().any(|byte| *byte != 0));
    }

    #[test]
    fn every_byte_that_is_asked_for_is_random() {
        // More than one call is sure to return when a signal arrives (256 bytes, getrandom(2)).
        let mut bytes = vec![0; 100_003];
        SystemRandom.fill(&mut bytes).unwrap();
        assert!(!bytes.windows(8).any(|run| run.iter().all(|byte| *byte == 0)));
        assert!(!bytes[bytes.len() - 8..].iter().all(|byte| *byte == 0));
        SystemRandom.fill(&mut []).unwrap();
    }

    #[test]
    fn words_are_taken_out_of_their_bytes() {
        let mut bytes = [[1, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0x80]];
        assert_eq!(taken_out(&mut bytes), [1, 1 << 63]);
        assert_eq!(bytes, [[0; 8]; 2]);
    }

    #[test]
    fn below_covers_its_range_and_no_more() {
        assert_eq!((below(10, 0), below(10, u64::MAX), below(1, u64::MAX)), (0, 9, 0));
        assert_eq!(below(1 << 36, u64::MAX), (1 << 36) - 1);
    }
}
