//! An array that records its changes, for tests of the order of changes in a step.

use std::cell::RefCell;
use std::io;

use super::bits::{BitStore, MemoryBits, Place};

/// One change of one bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::ladder) enum Change {
    Set(Place),
    Clear(Place),
}

/// Bits in memory, and all their changes in order.
pub(in crate::ladder) struct Journal {
    bits: MemoryBits,
    changes: RefCell<Vec<Change>>,
}

impl Journal {
    /// An array of bytes that are all this one.
    pub(in crate::ladder) fn of(byte: u8, bytes: usize) -> Journal {
        Journal { bits: MemoryBits::from_bytes(vec![byte; bytes]), changes: RefCell::default() }
    }

    /// The changes since the last call.
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
