//! The array of bits: in memory here, in a shared file map in `storage::mapped`.
//!
//! Bit i is bit i mod 8 of byte i / 8. Every access is one relaxed atomic operation on a byte: the bits are
//! independent of each other, no other memory is published through them, and their order is irrelevant,
//! because any mixture of old and new bits is a valid ladder.

#![allow(clippy::arithmetic_side_effects, reason = "counts of bits that are in memory")]

use std::io;

#[cfg(loom)]
use loom::sync::atomic::{AtomicU8, Ordering};
#[cfg(not(loom))]
use std::sync::atomic::{AtomicU8, Ordering};

use crate::random::{RandomSource, below};

/// Bytes of one page, which contains all rungs of an element.
pub const PAGE_BYTES: u64 = 4096;

/// An array of bits that many threads may read and change at once.
pub trait BitStore {
    /// Bytes in the array.
    fn byte_count(&self) -> u64;

    /// One byte.
    ///
    /// # Errors
    /// A byte outside the array; for a file, the system's error if the page cannot be read.
    fn load(&self, byte: u64) -> io::Result<u8>;

    /// Sets the bits of `mask` in one byte; returns the byte before.
    ///
    /// # Errors
    /// As [`BitStore::load`]; also if the array is read-only.
    fn set(&self, byte: u64, mask: u8) -> io::Result<u8>;

    /// Clears the bits of `mask` in one byte; returns the byte before.
    ///
    /// # Errors
    /// As [`BitStore::set`].
    fn clear(&self, byte: u64, mask: u8) -> io::Result<u8>;
}

/// The position of a bit: its byte, and a mask with only that bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The index of its byte in the array.
    pub byte: u64,
    /// The bit in its byte.
    pub mask: u8,
}

impl Place {
    /// The position of the bit with this index.
    pub const fn of(bit: u64) -> Self {
        Self { byte: bit >> 3, mask: 1 << (bit & 7) }
    }

    /// True if the bit is set.
    ///
    /// # Errors
    /// As [`BitStore::load`].
    pub fn is_one<S: BitStore + ?Sized>(self, bits: &S) -> io::Result<bool> {
        Ok(bits.load(self.byte)? & self.mask != 0)
    }

    /// Sets the bit.
    ///
    /// # Errors
    /// As [`BitStore::set`].
    pub fn set<S: BitStore + ?Sized>(self, bits: &S) -> io::Result<()> {
        bits.set(self.byte, self.mask).map(drop)
    }

    /// Clears the bit.
    ///
    /// # Errors
    /// As [`BitStore::set`].
    pub fn clear<S: BitStore + ?Sized>(self, bits: &S) -> io::Result<()> {
        bits.clear(self.byte, self.mask).map(drop)
    }
}

/// The number of ones among the `count` bytes from `first` on.
///
/// # Errors
/// As [`BitStore::load`].
pub fn ones<S: BitStore + ?Sized>(bits: &S, first: u64, count: u64) -> io::Result<u64> {
    let mut ones = 0_u64;
    for byte in first..first.saturating_add(count) {
        ones += u64::from(bits.load(byte)?.count_ones());
    }
    Ok(ones)
}

/// An array in memory: for tests, simulations and the exact mode.
#[derive(Debug)]
pub struct MemoryBits {
    bytes: Vec<AtomicU8>,
}

impl MemoryBits {
    /// Bits that are ones with probability ½ each, as in a new file.
    ///
    /// # Errors
    /// As [`RandomSource::fill`].
    pub fn random(bits: u64, random: &mut impl RandomSource) -> io::Result<Self> {
        let length = usize::try_from(bits >> 3).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let mut bytes = vec![0; length];
        random.fill(&mut bytes)?;
        Ok(Self::from_bytes(bytes))
    }

    /// Bits of which exactly half are ones, each choice of them equally likely.
    ///
    /// # Errors
    /// As [`RandomSource::fill`].
    pub fn balanced(bits: u64, random: &mut impl RandomSource) -> io::Result<Self> {
        let array = Self::random(bits, random)?;
        let half = bits >> 1;
        let mut count = ones(&array, 0, array.byte_count())?;
        while count != half {
            let [word] = random.words()?;
            let place = Place::of(below(bits, word));
            match (place.is_one(&array)?, count > half) {
                (true, true) => {
                    place.clear(&array)?;
                    count -= 1;
                }
                (false, false) => {
                    place.set(&array)?;
                    count += 1;
                }
                _ => {}
            }
        }
        Ok(array)
    }

    /// These bytes.
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self { bytes: bytes.into_iter().map(AtomicU8::new).collect() }
    }

    fn cell(&self, byte: u64) -> io::Result<&AtomicU8> {
        let index = usize::try_from(byte).ok();
        index.and_then(|i| self.bytes.get(i)).ok_or_else(|| io::ErrorKind::InvalidInput.into())
    }
}

impl BitStore for MemoryBits {
    fn byte_count(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn load(&self, byte: u64) -> io::Result<u8> {
        Ok(self.cell(byte)?.load(Ordering::Relaxed))
    }

    fn set(&self, byte: u64, mask: u8) -> io::Result<u8> {
        Ok(self.cell(byte)?.fetch_or(mask, Ordering::Relaxed))
    }

    fn clear(&self, byte: u64, mask: u8) -> io::Result<u8> {
        Ok(self.cell(byte)?.fetch_and(!mask, Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SeededRandom;

    #[test]
    fn bits_are_numbered_from_the_low_end_of_each_byte() {
        let array = MemoryBits::from_bytes(vec![0, 0, 0b0001_0000]);
        assert!(Place::of(20).is_one(&array).unwrap());
        assert!(!Place::of(19).is_one(&array).unwrap());
        Place::of(19).set(&array).unwrap();
        Place::of(20).clear(&array).unwrap();
        assert_eq!(array.load(2).unwrap(), 0b0000_1000);
        assert_eq!(ones(&array, 0, 3).unwrap(), 1);
    }

    #[test]
    fn outside_is_an_error() {
        let array = MemoryBits::from_bytes(vec![0; 8]);
        assert!(array.load(8).is_err() && array.set(u64::MAX, 1).is_err() && array.clear(8, 1).is_err());
    }

    #[test]
    fn balanced_is_exactly_half() {
        for seed in 0..20 {
            let array = MemoryBits::balanced(1 << 12, &mut SeededRandom::new(seed)).unwrap();
            assert_eq!(ones(&array, 0, 512).unwrap(), 1 << 11);
        }
    }
}
