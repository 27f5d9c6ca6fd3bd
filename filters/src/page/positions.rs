//! Where in its page a string's bits lie.

use super::layer::Layer;

/// Bits of a page that hold keys.
pub const PAGE_BITS: u32 = 32_736;

/// How the bits of one string lie in its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// Each anywhere in the page: the fewest bits an entry.
    Page,
    /// Every four of a word, and all of a deletion, in one line of 64 bytes, which the processor fetches at
    /// once. Lines are unevenly loaded, which raises the false positive rate by some hundredths and the bits
    /// an entry by a hundredth.
    Lines,
}

/// Bits of a line.
pub(crate) const LINE_BITS: u32 = 512;

/// The last line of a page, which ends before the checksum.
const LAST_LINE: u32 = 63;

/// The line of the first four positions: the same in both layers, so that a string asked of both is one line.
#[inline]
pub(super) fn first_line(hash: u64) -> u32 {
    (hash & 63) as u32
}

/// The bit positions of a hash in a layer, four at a time, without end.
pub(super) struct Positions {
    state: u64,
    hash: u64,
    line: u32,
    layer: Layer,
    spread: Spread,
}

impl Positions {
    /// Odd multipliers with well-spread bits, from Steele & Vigna, "Computationally easy, spectrally good
    /// multipliers", table 5 (64 bits), and `MurmurHash3`'s finaliser.
    const FIRST: u64 = 0xf135_7aea_2e62_a9c5;
    const NEXT: u64 = 0xff51_afd7_ed55_8ccd;

    #[inline]
    pub(super) fn new(hash: u64, layer: Layer, spread: Spread) -> Positions {
        let line = first_line(hash);
        let hash = hash ^ layer.seed();
        Positions { state: (hash ^ (hash >> 32)).wrapping_mul(Positions::FIRST), hash, line, layer, spread }
    }

    #[inline]
    pub(super) fn next_four(&mut self) -> [u32; 4] {
        let (state, line) = (self.state, self.line);
        self.state = (state.rotate_left(29) ^ self.hash).wrapping_mul(Positions::NEXT);
        if self.layer == Layer::Word {
            self.line = (self.state >> 58) as u32;
        }
        match self.spread {
            Spread::Page => {
                [0, 16, 32, 48].map(|from| scaled(((state >> from) & 0xffff) as u32, PAGE_BITS, 16))
            }
            Spread::Lines => four_in_line(state, line),
        }
    }
}

/// Four positions in a line from pieces of fourteen bits.
#[inline]
fn four_in_line(state: u64, line: u32) -> [u32; 4] {
    let bits = if line == LAST_LINE { PAGE_BITS % LINE_BITS } else { LINE_BITS };
    [2, 16, 30, 44].map(|from| line << 9 | scaled(((state >> from) & 0x3fff) as u32, bits, 14))
}

/// A piece of `bits` bits scaled to 0..`end`; both have at most 16 bits.
#[inline]
fn scaled(piece: u32, end: u32, bits: u32) -> u32 {
    piece.wrapping_mul(end) >> bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        hash::Key,
        page::{Probes, positions},
    };

    #[test]
    fn four_bits_lie_in_one_line_and_all_lines_are_used() {
        const PROBES: Probes = Probes { layer: Layer::Word, count: 22, spread: Spread::Lines };
        let mut used = [0_u32; 64];
        let mut bits = vec![false; PAGE_BITS as usize];
        for i in 0..64_000_u32 {
            let all: Vec<u32> = positions(Key::new([7; 16]).hash(&i.to_le_bytes()), PROBES).collect();
            for &at in &all {
                bits[at as usize] = true;
            }
            for four in all.chunks(4) {
                assert!(four.iter().all(|&at| at / LINE_BITS == four[0] / LINE_BITS));
                used[(four[0] / LINE_BITS) as usize] += 1;
            }
        }
        // 6 × 1000 fall on each line; six standard deviations.
        assert!(used.iter().all(|count| (5535..=6465).contains(count)), "{used:?}");
        assert!(bits.iter().all(|&is_used| is_used), "22 × 64,000 throws miss none of 32,736");
    }

    #[test]
    fn each_of_the_bits_falls_on_the_whole_page() {
        const PROBES: Probes = Probes { layer: Layer::Word, count: 22, spread: Spread::Page };
        let mut used = [[0_u32; 64]; 22];
        for i in 0..64_000_u32 {
            let all = positions(Key::new([7; 16]).hash(&i.to_le_bytes()), PROBES);
            used.iter_mut().zip(all).for_each(|(used, at)| used[(at / LINE_BITS) as usize] += 1);
        }
        // 1001 fall on each line, 939 on the last, which is shorter; six standard deviations.
        let is_even = |used: &[u32; 64]| used.iter().all(|count| (750..=1200).contains(count));
        assert!(used.iter().all(is_even), "{used:?}");
    }
}
