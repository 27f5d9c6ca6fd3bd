//! CRC-32 with a table of the products of a byte (Sarwate, "Computation of Cyclic Redundancy Checks via Table
//! Look-Up", CACM 1988).

#![allow(clippy::arithmetic_side_effects, reason = "degrees and places known to the compiler")]

/// The polynomial, its lowest coefficient in the highest bit and x³² left out.
const POLYNOMIAL: u32 = 0xedb8_8320;

/// One, the polynomial.
const ONE: u32 = 1 << 31;

/// The product with x⁸ of each polynomial of degree below 8 times x²⁴, modulo [`POLYNOMIAL`].
#[allow(clippy::indexing_slicing, clippy::cast_possible_truncation, reason = "checked by the compiler")]
static TABLE: [u32; 256] = {
    let (mut table, mut byte) = ([0; 256], 0);
    while byte < 256 {
        let (mut sum, mut bit) = (byte as u32, 0);
        while bit < 8 {
            sum = times_x(sum);
            bit += 1;
        }
        table[byte] = sum;
        byte += 1;
    }
    table
};

const fn times_x(sum: u32) -> u32 {
    (sum >> 1) ^ if sum & 1 == 1 { POLYNOMIAL } else { 0 }
}

/// Byte by byte, each after the other.
pub(super) fn in_order(sum: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(sum, |sum, &byte| next(sum, byte))
}

#[inline]
#[allow(clippy::indexing_slicing, reason = "a byte is below the table's length")]
fn next(sum: u32, byte: u8) -> u32 {
    TABLE[usize::from(sum.to_le_bytes()[0] ^ byte)] ^ (sum >> 8)
}

/// Parts of a block that are summed at once: the processor waits for one look into the table after the other,
/// and has other parts to look up meanwhile.
const LANES: usize = 8;

/// Bytes of such a part: eight fill the bits of a page, but for four bytes.
const LANE_BYTES: usize = 511;

/// Blocks of eight parts at once, the rest byte by byte.
pub(super) fn in_lanes(mut sum: u32, bytes: &[u8]) -> u32 {
    const SHIFT: u32 = power_of_x(8 * LANE_BYTES);
    let (blocks, rest) = bytes.as_chunks::<{ LANES * LANE_BYTES }>();
    for block in blocks {
        let mut sums = [0; LANES];
        sums[0] = sum;
        let (lanes, _) = block.as_chunks::<LANE_BYTES>();
        for at in 0..LANE_BYTES {
            for (sum, lane) in sums.iter_mut().zip(lanes) {
                *sum = next(*sum, lane.get(at).copied().unwrap_or_default());
            }
        }
        sum = sums.into_iter().fold(0, |before, lane| product(before, SHIFT) ^ lane);
    }
    in_order(sum, rest)
}

/// xⁿ modulo [`POLYNOMIAL`].
const fn power_of_x(mut n: usize) -> u32 {
    let mut power = ONE;
    while n > 0 {
        power = times_x(power);
        n -= 1;
    }
    power
}

/// The product of two polynomials modulo [`POLYNOMIAL`].
fn product(a: u32, b: u32) -> u32 {
    let terms = (0..32).scan(b, |b, degree| {
        let term = if a & (ONE >> degree) == 0 { 0 } else { *b };
        *b = times_x(*b);
        Some(term)
    });
    terms.fold(0, |sum, term| sum ^ term)
}
