//! A 4 KiB page: 32,736 bits for keys and a CRC-32, and where in it a key's bits lie.
//!
//! All bits of one string lie in one page (Manber & Wu §3, "local"): the page is a multiply-shift of the
//! keyed hash, the positions are pieces of a multiplicative remix of it, four from each 64-bit state so that
//! four bits are tested without a branch between them. Plain double hashing inside a page has only 2²⁹
//! patterns and triples the false positive rate at 17 probes; this generator stays within the spread that
//! uneven loads cause.

mod layer;
mod positions;

pub use layer::Layer;
pub(crate) use positions::LINE_BITS;
use positions::Positions;
pub use positions::{PAGE_BITS, Spread};

use crate::codec::crc32;

/// Bytes of a page.
pub const PAGE_BYTES: usize = 4096;

/// Bytes of a page that hold bits; the other four are its checksum.
pub const BIT_BYTES: usize = PAGE_BYTES - 4;

/// The most probes of a layer.
pub(crate) const MAX_PROBES: u8 = 64;

/// A page's bytes.
pub type Page = [u8; PAGE_BYTES];

/// The page of a string among `pages`, by its hash: multiply-shift, so never out of range.
#[inline]
#[allow(clippy::arithmetic_side_effects, reason = "a product of two 64-bit numbers fits 128 bits")]
pub fn page_of(hash: u64, pages: u64) -> u64 {
    ((u128::from(hash) * u128::from(pages)) >> 64) as u64
}

#[inline]
#[allow(clippy::indexing_slicing, reason = "masked below the array's length")]
fn bit(page: &Page, position: u32) -> u32 {
    (u32::from(page[(position >> 3) as usize & (PAGE_BYTES - 1)]) >> (position & 7)) & 1
}

/// How a string's bits are laid and how many they are.
#[derive(Clone, Copy, Debug)]
pub struct Probes {
    /// Which group of bits.
    pub layer: Layer,
    /// How many, at most 64.
    pub count: u8,
    /// Where in the page.
    pub spread: Spread,
}

/// True when all bits of `hash` are set in `page`.
#[inline]
pub fn test(page: &Page, hash: u64, probes: Probes) -> bool {
    // Most strings are strangers and end at the first four.
    may_contain(page, hash, probes) && (probes.count <= 4 || test_more(page, hash, probes))
}

/// True when the first four bits of `hash`, or all when they are fewer, are set in `page`: without a branch
/// on what the page holds, so that many strings can be asked before the first answer is there.
#[inline(always)]
#[allow(clippy::inline_always, reason = "called in loops over strings that have all but the hash in common")]
pub(crate) fn may_contain(page: &Page, hash: u64, probes: Probes) -> bool {
    let four = Positions::new(hash, probes.layer, probes.spread).next_four();
    has_first(page, four, probes.count)
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

/// The bits after the first four.
fn test_more(page: &Page, hash: u64, probes: Probes) -> bool {
    let mut positions = Positions::new(hash, probes.layer, probes.spread);
    positions.next_four();
    let mut left = probes.count.saturating_sub(4);
    while left > 0 {
        if !has_first(page, positions.next_four(), left) {
            return false;
        }
        left = left.saturating_sub(4);
    }
    true
}

/// The byte of its page where the line begins in which the first four bits of `hash` lie, in both layers,
/// with [`Spread::Lines`].
#[inline]
pub(crate) fn first_byte(hash: u64) -> usize {
    (positions::first_line(hash) << 6) as usize
}

/// Sets the bits of `hash` in `page`; true when one of them was not set before.
#[inline]
pub fn set(page: &mut Page, hash: u64, probes: Probes) -> bool {
    let mut positions = Positions::new(hash, probes.layer, probes.spread);
    let mut were_set = 1;
    for _ in 0..probes.count >> 2 {
        let [a, b, c, d] = positions.next_four();
        were_set &= set_bit(page, a) & set_bit(page, b) & set_bit(page, c) & set_bit(page, d);
    }
    let rest = usize::from(probes.count & 3);
    if rest > 0 {
        positions.next_four().into_iter().take(rest).for_each(|position| were_set &= set_bit(page, position));
    }
    were_set == 0
}

/// Sets a bit; what it was before.
#[inline]
#[allow(clippy::indexing_slicing, reason = "masked below the array's length")]
fn set_bit(page: &mut Page, position: u32) -> u8 {
    let byte = &mut page[(position >> 3) as usize & (PAGE_BYTES - 1)];
    let bit = 1 << (position & 7);
    let before = *byte;
    *byte = before | bit;
    u8::from(before & bit != 0)
}

/// The positions of a hash's bits, for whoever keeps a count beside each bit.
pub fn positions(hash: u64, probes: Probes) -> impl Iterator<Item = u32> {
    let mut positions = Positions::new(hash, probes.layer, probes.spread);
    std::iter::repeat_with(move || positions.next_four()).flatten().take(usize::from(probes.count))
}

/// The number of ones among the bits for keys.
pub fn ones(page: &Page) -> u32 {
    let all: u32 = page.as_chunks::<8>().0.iter().map(|&word| u64::from_le_bytes(word).count_ones()).sum();
    all.saturating_sub(u32::from_le_bytes(checksum_bytes(page)).count_ones())
}

fn checksum_bytes(page: &Page) -> [u8; 4] {
    page.last_chunk().copied().unwrap_or_default()
}

fn checksum(page: &Page) -> [u8; 4] {
    crc32(page.first_chunk::<BIT_BYTES>().map_or(&[], |bits| bits)).to_le_bytes()
}

/// Writes the checksum of the bits into the page.
pub fn seal(page: &mut Page) {
    let sum = checksum(page);
    if let Some(place) = page.last_chunk_mut() {
        *place = sum;
    }
}

/// True when the page's checksum is that of its bits.
pub fn is_intact(page: &Page) -> bool {
    checksum_bytes(page) == checksum(page)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::Key;

    fn hash(i: u64) -> u64 {
        Key::new([7; 16]).hash(&i.to_le_bytes())
    }

    const SPREADS: [Spread; 2] = [Spread::Page, Spread::Lines];

    fn probes(layer: Layer, count: u8, spread: Spread) -> Probes {
        Probes { layer, count, spread }
    }

    #[test]
    fn what_was_set_is_found_for_every_number_of_probes() {
        for (count, spread) in (0..=MAX_PROBES).flat_map(|count| SPREADS.map(|spread| (count, spread))) {
            let mut page = [0; PAGE_BYTES];
            let probes = probes(Layer::Word, count, spread);
            for i in 0..20 {
                assert_eq!(set(&mut page, hash(i), probes), count > 0);
                assert!(!set(&mut page, hash(i), probes));
            }
            assert!((0..20).all(|i| may_contain(&page, hash(i), probes)), "{probes:?}");
            assert!((0..20).all(|i| test(&page, hash(i), probes)), "{probes:?}");
            let found = (20..1020).filter(|&i| test(&page, hash(i), probes)).count();
            assert!(count < 4 || found < 10, "{found} strangers found with {probes:?}");
        }
    }

    #[test]
    fn layers_and_places_are_apart_on_the_same_line() {
        let places = || (0..=u8::MAX).map(|at| Layer::Deletion { at });
        for (spread, of) in SPREADS.into_iter().flat_map(|spread| places().map(move |of| (spread, of))) {
            let mut page = [0; PAGE_BYTES];
            set(&mut page, hash(1), probes(of, 8, spread));
            assert_eq!(
                places().filter(|&at| test(&page, hash(1), probes(at, 8, spread))).count(),
                1,
                "{of:?}"
            );
            assert!(!test(&page, hash(1), probes(Layer::Word, 8, spread)));
        }
        let first = |at| at / LINE_BITS == (hash(1) & 63) as u32;
        let is_there = |layer, count| positions(hash(1), probes(layer, count, Spread::Lines)).all(first);
        assert!(is_there(Layer::Word, 4) && !is_there(Layer::Word, 8));
        assert!(places().all(|layer| is_there(layer, 8)));
    }

    #[test]
    fn positions_agree_with_set_and_stay_in_the_page() {
        for (i, spread) in (0..500).flat_map(|i| SPREADS.map(|spread| (i, spread))) {
            let probes = probes(Layer::Deletion { at: 7 }, 30, spread);
            let mut page = [0; PAGE_BYTES];
            set(&mut page, hash(i), probes);
            let mut seen = [0_u8; PAGE_BYTES];
            for position in positions(hash(i), probes) {
                assert!(position < PAGE_BITS);
                seen[position as usize / 8] |= 1 << (position % 8);
            }
            assert!(page == seen);
            assert_eq!(ones(&page), seen.iter().map(|b| b.count_ones()).sum::<u32>());
        }
    }

    #[test]
    fn a_sealed_page_tells_every_flipped_bit() {
        let mut page = [0x5a; PAGE_BYTES];
        seal(&mut page);
        assert!(is_intact(&page));
        assert_eq!(ones(&page), PAGE_BITS / 2);
        for bit in (0..PAGE_BYTES * 8).step_by(31) {
            page[bit / 8] ^= 1 << (bit % 8);
            assert!(!is_intact(&page), "bit {bit}");
            page[bit / 8] ^= 1 << (bit % 8);
        }
    }

    #[test]
    fn pages_are_never_out_of_range() {
        for pages in [1, 2, 3, 1000, u64::MAX] {
            assert!(page_of(u64::MAX, pages) < pages);
            assert_eq!(page_of(0, pages), 0);
        }
    }

    /// The false positive rate of one page against fill^k (Bloom 1970), 17 probes at half fill, where plain
    /// double hashing is 3.4 times off.
    #[test]
    fn false_positives_are_those_of_independent_positions() {
        const PROBES: Probes = Probes { layer: Layer::Word, count: 17, spread: Spread::Page };
        let (mut page, mut i) = ([0; PAGE_BYTES], 0);
        while ones(&page) < PAGE_BITS / 2 {
            set(&mut page, hash(i), PROBES);
            i += 1;
        }
        let trials = 30_000_000_u64;
        let found = (0..trials).filter(|&j| test(&page, hash(j) ^ 0x55aa, PROBES)).count();
        let expected = trials as f64 * (f64::from(ones(&page)) / f64::from(PAGE_BITS)).powi(17);
        let deviation = (found as f64 - expected) / expected.sqrt();
        assert!(deviation.abs() < 5.0, "{found} found, {expected:.0} expected");
    }

    /// A page of which about seven bits in eight are set.
    fn crowded(number: u64) -> Page {
        let mut page = [0; PAGE_BYTES];
        for (eight, i) in page.as_chunks_mut::<8>().0.iter_mut().zip((0_u64..).step_by(4)) {
            let random = |j| hash(number << 32 | i | j);
            *eight = (random(0) | random(1) | random(2)).to_le_bytes();
        }
        page
    }

    #[test]
    fn a_string_is_found_when_all_its_positions_are_set_and_only_then() {
        let is_set = |page: &Page, at: u32| page[at as usize / 8] >> (at % 8) & 1 == 1;
        let layers = [Layer::Word, Layer::Deletion { at: 0 }, Layer::Deletion { at: 200 }];
        for (count, spread) in (0..=MAX_PROBES).flat_map(|count| SPREADS.map(|spread| (count, spread))) {
            let before = crowded(u64::from(count));
            for (i, layer) in (0..40).flat_map(|i| layers.map(|layer| (i, layer))) {
                let probes = probes(layer, count, spread);
                let all: Vec<u32> = positions(hash(i), probes).collect();
                assert_eq!(all.len(), usize::from(count));
                let is_there = all.iter().all(|&at| is_set(&before, at));
                assert_eq!(test(&before, hash(i), probes), is_there, "{i} {probes:?}");
                let are_first = all.iter().take(4).all(|&at| is_set(&before, at));
                assert_eq!(may_contain(&before, hash(i), probes), are_first, "{i} {probes:?}");
                let mut after = before;
                assert_eq!(set(&mut after, hash(i), probes), !is_there, "{i} {probes:?}");
                let mut expected = before;
                for &at in &all {
                    expected[at as usize / 8] |= 1 << (at % 8);
                }
                assert!(after == expected, "{i} {probes:?}");
            }
        }
    }

    #[test]
    fn hashes_fall_on_all_pages_in_their_order() {
        let eighths = |pages| (0..8).map(|eighth| page_of(eighth << 61, pages)).collect::<Vec<_>>();
        assert_eq!(eighths(8), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(eighths(4), [0, 0, 1, 1, 2, 2, 3, 3]);
        assert_eq!(eighths(12), [0, 1, 3, 4, 6, 7, 9, 10]);
    }

    #[test]
    fn the_first_byte_is_that_of_the_line_of_the_first_bits() {
        for i in 0..500 {
            let line = u32::try_from(first_byte(hash(i)) * 8).unwrap_or(u32::MAX);
            let in_line = |layer| {
                positions(hash(i), probes(layer, 4, Spread::Lines))
                    .all(|at| at.wrapping_sub(line) < LINE_BITS)
            };
            assert!(in_line(Layer::Word) && in_line(Layer::Deletion { at: 3 }));
        }
    }

    #[test]
    fn the_checksum_is_the_crc_of_the_bits() {
        let mut page = crowded(1);
        page[BIT_BYTES..].fill(0);
        assert!(!is_intact(&page));
        seal(&mut page);
        let sum = crc32fast::hash(&page[..BIT_BYTES]).to_le_bytes();
        assert!(page[BIT_BYTES..] == sum && is_intact(&page));
    }
}
