//! CRC-32 by carry-less multiplication: Gopal et al., "Fast CRC Computation for Generic Polynomials Using
//! PCLMULQDQ Instruction", Intel 2009, §"Folding" and the bit-reflected constants of its appendix.
//!
//! Four sums of 128 bits each take every fourth 16 bytes. Multiplied by a power of x modulo the polynomial, a
//! sum moves on by 64 bytes; in the end the four are moved onto each other, and what is left is 16 bytes that
//! have the checksum of all.

#![allow(unsafe_code, reason = "the call of a function for processors that have an instruction")]

use std::arch::x86_64::{
    __m128i, _mm_clmulepi64_si128, _mm_cvtsi128_si64, _mm_set_epi64x, _mm_unpackhi_epi64, _mm_xor_si128,
};

use super::table::in_order;

/// Multipliers that move the lower and the higher half of a sum on by 64 bytes: x^(512+32) and x^(512−32).
const BY_64: [i64; 2] = [0x1_5444_2bd4, 0x1_c6e4_1596];

/// The same by 16 bytes: x^(128+32) and x^(128−32).
const BY_16: [i64; 2] = [0x1_7519_97d0, 0x0_ccaa_009e];

/// What a sum takes at once.
type Block = [u8; 16];

/// The checksum's state after as many whole blocks as there are, and the rest of the bytes; nothing is done
/// with fewer than four, or where the processor has no such instruction.
#[inline]
pub(super) fn update(sum: u32, bytes: &[u8]) -> (u32, &[u8]) {
    let (blocks, rest) = bytes.as_chunks();
    let (fours, single) = blocks.as_chunks();
    let Some((first, others)) = fours.split_first() else { return (sum, bytes) };
    if !std::arch::is_x86_feature_detected!("pclmulqdq") {
        return (sum, bytes);
    }
    // SAFETY: the function needs nothing but the instruction, which this processor has (checked above; Intel
    // SDM volume 2, PCLMULQDQ); it takes and returns values and does nothing that is unsafe itself.
    let left = unsafe { fold(sum, first, others, single) };
    (in_order(0, &left), rest)
}

/// A block with the same checksum, begun at zero, as all these blocks begun at `sum`.
#[target_feature(enable = "pclmulqdq")]
fn fold(sum: u32, first: &[Block; 4], others: &[[Block; 4]], single: &[Block]) -> Block {
    let [a, b, c, d] = *first;
    let begun = _mm_xor_si128(load(a), _mm_set_epi64x(0, i64::from(sum)));
    let mut sums = [begun, load(b), load(c), load(d)];
    for four in others {
        for (sum, block) in sums.iter_mut().zip(four) {
            *sum = _mm_xor_si128(moved(*sum, BY_64), load(*block));
        }
    }
    let [mut left, sums @ ..] = sums;
    for next in sums {
        left = _mm_xor_si128(moved(left, BY_16), next);
    }
    for block in single {
        left = _mm_xor_si128(moved(left, BY_16), load(*block));
    }
    let (lower, higher) = (_mm_cvtsi128_si64(left), _mm_cvtsi128_si64(_mm_unpackhi_epi64(left, left)));
    (i128::from(higher) << 64 | i128::from(lower.cast_unsigned())).to_le_bytes()
}

#[target_feature(enable = "pclmulqdq")]
fn load(bytes: Block) -> __m128i {
    let number = i128::from_le_bytes(bytes);
    #[allow(clippy::cast_possible_truncation, reason = "the lower half")]
    _mm_set_epi64x((number >> 64) as i64, number as i64)
}

#[target_feature(enable = "pclmulqdq")]
fn moved(sum: __m128i, [lower, higher]: [i64; 2]) -> __m128i {
    let by = _mm_set_epi64x(higher, lower);
    _mm_xor_si128(_mm_clmulepi64_si128::<0x00>(sum, by), _mm_clmulepi64_si128::<0x11>(sum, by))
}
