//! An array that remembers what was done to it, for tests of the order in which a step does things.

use std::cell::RefCell;
use std::io;

use super::bits::{BitStore, MemoryBits, Place};

/// One change of one bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::ladder) enum Change {
    Set(Place),
    Clear(Place),
}

/// Bits in memory, and every change of them in its order.
pub(in crate::ladder) struct Journal {
    bits: MemoryBits,
    changes: RefCell<Vec<Change>>,
}

impl Journal {
    /// An array of bytes that are all this one.
    pub(in crate::ladder) fn of(byte: u8, bytes: usize) -> Journal {
        Journal { bits: MemoryBits::from_bytes(vec![byte; bytes]), changes: RefCell::default() }
    }

    /// What was done since the last call.
    pub(in crate::ladder) fn changes(&self) -> Vec<Change> {
        self.changes.take()
    }
}

impl BitStore for Journal {
    fn byte_count(&self) -> u64 {
        self.bits.byte_count()
    }

    fn load(&self, byte: u64) -> io::Result<u8> {
        self.bits.load(byte)
    }

    fn set(&self, byte: u64, mask: u8) -> io::Result<u8> {
        self.changes.borrow_mut().push(Change::Set(Place { byte, mask }));
        self.bits.set(byte, mask)
    }

    fn clear(&self, byte: u64, mask: u8) -> io::Result<u8> {
        self.changes.borrow_mut().push(Change::Clear(Place { byte, mask }));
        self.bits.clear(byte, mask)
    }
}
