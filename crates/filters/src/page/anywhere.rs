//! Bits anywhere in the page: four from each 64-bit state, so that four are tested without a branch between
//! them.
//!
//! Plain double hashing inside a page has only 2²⁹ patterns and triples the false positive rate at 17 probes;
//! this generator stays within the spread that uneven loads cause.

#![allow(clippy::arithmetic_side_effects, reason = "numbers of bits, 64 at most")]

use super::size::{PAGE_BITS, PAGE_BYTES, Page};

/// Odd multipliers with well-spread bits, from Steele & Vigna, "Computationally easy, spectrally good
/// multipliers", table 5 (64 bits), and `MurmurHash3`'s finaliser.
const FIRST: u64 = 0xf135_7aea_2e62_a9c5;
const NEXT: u64 = 0xff51_afd7_ed55_8ccd;

/// The bit positions of a hash, four at a time, without end.
struct Positions {
    state: u64,
    hash: u64,
}

impl Positions {
    #[inline]
    fn new(hash: u64) -> Positions {
        Positions { state: (hash ^ (hash >> 32)).wrapping_mul(FIRST), hash }
    }

    #[inline]
    fn next(&mut self) -> [u32; 4] {
        let state = self.state;
        self.state = (state.rotate_left(29) ^ self.hash).wrapping_mul(NEXT);
        // Not by `map` over an array, which is a function call when compiled for size.
        let piece = |from: u32| scaled(((state >> from) & 0xffff) as u32);
        [piece(0), piece(16), piece(32), piece(48)]
    }
}

/// A piece of 16 bits scaled to the bits of a page.
#[inline]
fn scaled(piece: u32) -> u32 {
    piece.wrapping_mul(PAGE_BITS) >> 16
}

/// The positions of a hash's bits.
pub(super) fn positions(hash: u64, count: u8) -> impl Iterator<Item = u32> {
    let mut positions = Positions::new(hash);
    std::iter::repeat_with(move || positions.next()).flatten().take(usize::from(count))
}

/// Calls `each` with the byte of every bit of a hash, and of the bits that are computed together with the
/// last one.
#[inline]
pub(super) fn each_byte(hash: u64, count: u8, mut each: impl FnMut(usize)) {
    let mut positions = Positions::new(hash);
    for _ in 0..count.div_ceil(4) {
        let [a, b, c, d] = positions.next();
        each((a >> 3) as usize);
        each((b >> 3) as usize);
        each((c >> 3) as usize);
        each((d >> 3) as usize);
    }
}

/// True when the first four bits of `hash`, or all when they are fewer, are set.
#[inline]
pub(super) fn may_contain(page: &Page, hash: u64, count: u8) -> bool {
    has_first(page, Positions::new(hash).next(), count)
}

/// True when all bits of `hash` are set.
#[inline]
pub(super) fn test(page: &Page, hash: u64, count: u8) -> bool {
    // Most strings are not stored and fail at the first four.
    may_contain(page, hash, count) && (count <= 4 || test_more(page, hash, count))
}

/// The bits after the first four.
fn test_more(page: &Page, hash: u64, count: u8) -> bool {
    let mut positions = Positions::new(hash);
    positions.next();
    let mut left = count - count.min(4);
    while left > 0 {
        if !has_first(page, positions.next(), left) {
            return false;
        }
        left -= left.min(4);
    }
    true
}

/// True when the first `count` of four positions, or all four, are set.
#[inline]
fn has_first(page: &Page, [a, b, c, d]: [u32; 4], count: u8) -> bool {
    if count >= 4 {
        return bit(page, a) & bit(page, b) & bit(page, c) & bit(page, d) == 1;
    }
    let unused = |from: u8| u32::from(count <= from);
    (bit(page, a) | unused(0)) & (bit(page, b) | unused(1)) & (bit(page, c) | unused(2)) == 1
}

#[inline]
#[allow(clippy::indexing_slicing, reason = "masked below the array's length")]
pub(super) fn bit(page: &Page, position: u32) -> u32 {
    (u32::from(page[(position >> 3) as usize & (PAGE_BYTES - 1)]) >> (position & 7)) & 1
}

/// Sets the bits of `hash`; true when all of them were set before.
#[inline]
pub(super) fn set(page: &mut Page, hash: u64, count: u8) -> bool {
    let mut positions = Positions::new(hash);
    let mut were_set = 1;
    for _ in 0..count >> 2 {
        let [a, b, c, d] = positions.next();
        were_set &= set_bit(page, a) & set_bit(page, b) & set_bit(page, c) & set_bit(page, d);
    }
    let [a, b, c, _] = positions.next();
    match count & 3 {
        0 => {}
        1 => were_set &= set_bit(page, a),
        2 => were_set &= set_bit(page, a) & set_bit(page, b),
        _ => were_set &= set_bit(page, a) & set_bit(page, b) & set_bit(page, c),
    }
    were_set == 1
}

/// Sets a bit; returns its old value.
#[inline]
#[allow(clippy::indexing_slicing, reason = "masked below the array's length")]
pub(super) fn set_bit(page: &mut Page, position: u32) -> u8 {
    let byte = &mut page[(position >> 3) as usize & (PAGE_BYTES - 1)];
    let bit = 1 << (position & 7);
    let before = *byte;
    *byte = before | bit;
    u8::from(before & bit != 0)
}
