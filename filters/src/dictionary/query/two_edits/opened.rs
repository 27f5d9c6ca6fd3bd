//! A string that is hashed with many letters in one place.

use super::windows::Numbers;
use crate::hash::{Hole, Key};

/// The number of some letter that is one byte.
const ASCII: u32 = b'a' as u32 + 1;

/// A string with one character open, to be hashed with many letters in turn.
pub(super) struct Opened<'o> {
    key: &'o Key,
    pub(super) numbers: Numbers,
    at: usize,
    hole: Option<Hole>,
    bytes: &'o mut Vec<u8>,
}

impl<'o> Opened<'o> {
    /// The string with its character `at` open. None if another character is no letter.
    pub(super) fn new(
        key: &'o Key,
        mut numbers: Numbers,
        at: usize,
        bytes: &'o mut Vec<u8>,
    ) -> Option<Opened<'o>> {
        numbers.replace(at, ASCII);
        numbers.encode(bytes)?;
        // With a letter of several bytes the open place is not the byte `at`: the string is hashed whole.
        let hole = if bytes.len() == numbers.len() { key.hole(bytes, at) } else { None };
        Some(Opened { key, numbers, at, hole, bytes })
    }

    /// The hash of the string with this letter.
    pub(super) fn hash(&mut self, letter: u32) -> u64 {
        match (&self.hole, u8::try_from(letter.wrapping_sub(1))) {
            (Some(hole), Ok(byte)) if byte.is_ascii() => hole.hash(byte),
            _ => {
                self.numbers.replace(self.at, letter);
                // Letters all: the string was encoded before.
                let _ = self.numbers.encode(self.bytes);
                self.key.hash(self.bytes)
            }
        }
    }
}
