//! Where the bits of a string lie in filters of hash version 1 that have deletions. Nothing builds these any
//! more; what was built is read for ever, since its lists may be gone.
//!
//! Bits come in groups of four, each group in one line of 64 bytes. A place of the deletion layer has a remix
//! of its own, so that each place is a question by itself.

#![allow(clippy::arithmetic_side_effects, reason = "positions within a page")]
#![allow(clippy::cast_possible_truncation, reason = "pieces of at most sixteen bits")]

use super::{Layer, PAGE_BITS, PLACES, Page, anywhere, line::first_line};

/// The multipliers of that version.
const FIRST: u64 = 0xf135_7aea_2e62_a9c5;
const NEXT: u64 = 0xff51_afd7_ed55_8ccd;
/// Parts the places of the deletion layer from each other and from the word layer.
const PLACE: u64 = 0x9e37_79b9_7f4a_7c15;

const LINE_BITS: u32 = 512;

/// The line of which the checksum takes a part.
const LAST_LINE: u32 = 63;

/// The positions of a hash's bits in a layer.
pub(super) fn positions(hash: u64, layer: Layer, count: u8) -> impl Iterator<Item = u32> {
    let mut positions = OldPositions::new(hash, layer);
    std::iter::repeat_with(move || positions.next()).flatten().take(count.into())
}

/// True when all bits of `hash` are set in `page`. Small rather than fast, since the module has a size limit.
#[cold]
#[inline(never)]
pub(super) fn test(page: &Page, hash: u64, layer: Layer, count: u8) -> bool {
    let (mut positions, mut left) = (OldPositions::new(hash, layer), count);
    while left > 0 {
        for position in positions.next() {
            if left > 0 && anywhere::bit(page, position) == 0 {
                return false;
            }
            left = left.saturating_sub(1);
        }
    }
    true
}

/// Sets the bits of `hash`; true when all of them were set before.
pub(super) fn set(page: &mut Page, hash: u64, layer: Layer, count: u8) -> bool {
    let set = |were_set, position| were_set & anywhere::set_bit(page, position);
    positions(hash, layer, count).fold(1, set) == 1
}

/// At which of 64 places, from 64 × `places` on, the string is in the deletion layer: bit *i* is the
/// place *i*.
#[cold]
#[inline(never)]
pub(super) fn places(page: &Page, hash: u64, places: usize, count: u8) -> u64 {
    let first = places * PLACES;
    (0..PLACES).fold(0, |found, place| {
        let layer = Layer::deletion(first + place);
        let is_there = layer.is_some_and(|layer| test(page, hash, layer, count));
        found | u64::from(is_there) << place
    })
}

/// The positions of a hash, four at a time, without end.
struct OldPositions {
    state: u64,
    hash: u64,
    line: u32,
    is_one_line: bool,
}

impl OldPositions {
    fn new(hash: u64, layer: Layer) -> OldPositions {
        let seed = match layer {
            Layer::Word => 0,
            Layer::Deletion { at } => (u64::from(at) + 1).wrapping_mul(PLACE),
        };
        let line = first_line(hash) as u32;
        let hash = hash ^ seed;
        let state = (hash ^ (hash >> 32)).wrapping_mul(FIRST);
        OldPositions { state, hash, line, is_one_line: layer.is_deletion() }
    }

    fn next(&mut self) -> [u32; 4] {
        let (state, line) = (self.state, self.line);
        self.state = (state.rotate_left(29) ^ self.hash).wrapping_mul(NEXT);
        if !self.is_one_line {
            self.line = (self.state >> 58) as u32;
        }
        let bits = if line == LAST_LINE { PAGE_BITS % LINE_BITS } else { LINE_BITS };
        [2, 16, 30, 44].map(|from| line << 9 | ((state >> from & 0x3fff) as u32 * bits) >> 14)
    }
}
