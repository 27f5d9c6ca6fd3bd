//! The choice of an element's rungs: one page by one keyed hash, H distinct positions in it by another.
//! `FORMAT-LADDER.md` is the normative text of this file, with test vectors.

#![allow(clippy::arithmetic_side_effects, reason = "places in an array of at most 2³⁶ bits, counts up to H")]

use super::bits::{PAGE_BYTES, Place};
use super::keys::{ID_BYTES, MasterKey, Purpose, Subkey};
use super::params::{MAX_RUNGS, Params};
use crate::random::{GOLDEN, mix};

/// The second increment of the position stream: any odd constant far from the first is suitable.
const SILVER: u64 = 0xD1B5_4A32_D192_ED03;
/// The highest number of words of the position stream that are read for distinct positions. In the worst case
/// (128 rungs in 512 bits) the last position is found within 40 words on average; the probability that 1024
/// do not suffice is below 10⁻⁵⁰⁰.
const STREAM_WORDS: u64 = 1024;

/// The positions of one element's rungs. They reveal nothing without the key and the array.
#[derive(Clone, Debug)]
pub struct Rungs {
    first_byte: u64,
    places: [u16; MAX_RUNGS as usize],
    count: usize,
}

impl Rungs {
    /// Each rung's position in the array.
    #[doc(hidden)]
    pub fn places(&self) -> impl Iterator<Item = Place> {
        let first = self.first_byte;
        self.places.iter().take(self.count).map(move |bit| {
            let place = Place::of(u64::from(*bit));
            Place { byte: first + place.byte, ..place }
        })
    }

    /// The page they lie in.
    pub fn page(&self) -> u64 {
        self.first_byte / PAGE_BYTES
    }

    /// Their positions in the page.
    pub(in crate::ladder) fn in_page(&self) -> &[u16] {
        self.places.get(..self.count).unwrap_or(&[])
    }

    /// Their number: H.
    pub fn count(&self) -> u32 {
        u32::try_from(self.count).unwrap_or(MAX_RUNGS)
    }

    /// The position of one rung.
    pub(in crate::ladder) fn place(&self, index: usize) -> Option<Place> {
        self.places().nth(index)
    }

    /// Adds a position unless it is in the set already.
    fn add(&mut self, bit: u16, sketch: &mut Sketch) {
        if sketch.may_have(bit) && self.in_page().contains(&bit) {
            return;
        }
        sketch.add(bit);
        if let Some(place) = self.places.get_mut(self.count) {
            *place = bit;
            self.count += 1;
        }
    }
}

/// A sketch of the taken positions, by their low ten bits: nearly always saves the search among them.
struct Sketch([u64; 16]);

impl Sketch {
    fn may_have(&self, bit: u16) -> bool {
        self.0.get(usize::from(bit >> 6 & 15)).is_some_and(|word| word >> (bit & 63) & 1 == 1)
    }

    fn add(&mut self, bit: u16) {
        if let Some(word) = self.0.get_mut(usize::from(bit >> 6 & 15)) {
            *word |= 1 << (bit & 63);
        }
    }
}

/// Finds the rungs of elements in one ladder: the only part that needs its key, so that the bits may be
/// stored without it.
pub struct RungFinder {
    page_key: Subkey,
    rung_key: Subkey,
    page_mask: u64,
    bit_mask: u16,
    count: usize,
}

impl RungFinder {
    /// The finder of the ladder with these parameters, this key and this identifier.
    pub fn new(params: &Params, key: &MasterKey, id: &[u8; ID_BYTES]) -> Self {
        let page_bits = params.bits().min(PAGE_BYTES * 8);
        let pages = params.bits() / page_bits;
        Self {
            page_key: key.subkey(Purpose::Page, id),
            rung_key: key.subkey(Purpose::Rungs, id),
            page_mask: pages - 1,
            bit_mask: u16::try_from(page_bits - 1).unwrap_or(0),
            count: params.rungs() as usize,
        }
    }

    /// The rungs of an element: H distinct positions in one page.
    pub fn rungs_of(&self, element: &[u8]) -> Rungs {
        let page = self.page_key.hash(element).0 & self.page_mask;
        let first_byte = page * PAGE_BYTES;
        let mut rungs = Rungs { first_byte, places: [0; MAX_RUNGS as usize], count: 0 };
        let mut sketch = Sketch([0; 16]);
        let digest = self.rung_key.hash(element);
        for word in (0..STREAM_WORDS).map(|index| stream_word(digest, index)) {
            for lane in lanes(word) {
                rungs.add(lane & self.bit_mask, &mut sketch);
                if rungs.count == self.count {
                    return rungs;
                }
            }
        }
        rungs
    }
}

/// The index-th word of an element's position stream, from its keyed hash.
const fn stream_word(digest: (u64, u64), index: u64) -> u64 {
    let left = mix(digest.0.wrapping_add(index.wrapping_mul(GOLDEN)));
    let right = mix(digest.1.wrapping_add(index.wrapping_mul(SILVER)));
    left ^ right
}

/// The four 16-bit parts of a word, lowest first.
#[allow(clippy::cast_possible_truncation, reason = "the low 16 bits are what is wanted")]
const fn lanes(word: u64) -> [u16; 4] {
    [word as u16, (word >> 16) as u16, (word >> 32) as u16, (word >> 48) as u16]
}

#[cfg(test)]
mod tests {
    use super::super::keys::MASTER_BYTES;
    use super::*;

    fn finder(bits: u64, rungs: u32) -> RungFinder {
        let params = Params::new(bits, rungs, 1, 1).unwrap();
        RungFinder::new(&params, &MasterKey::new([7; MASTER_BYTES]), &[1; ID_BYTES])
    }

    #[test]
    fn rungs_are_distinct_and_inside_one_page() {
        for (bits, rungs) in [(1 << 9, 128), (1 << 15, 128), (1 << 22, 48), (1 << 36, 16)] {
            let finder = finder(bits, rungs);
            for element in 0_u32..200 {
                let found = finder.rungs_of(&element.to_le_bytes());
                let places: std::collections::HashSet<(u64, u8)> =
                    found.places().map(|place| (place.byte, place.mask)).collect();
                assert_eq!(places.len(), rungs as usize);
                let pages: std::collections::HashSet<u64> =
                    places.iter().map(|(byte, _)| byte / PAGE_BYTES).collect();
                assert_eq!(pages.len(), 1);
                assert!(places.iter().all(|(byte, _)| *byte < bits / 8));
            }
        }
    }

    #[test]
    fn pages_and_places_are_used_evenly() {
        let finder = finder(1 << 19, 16);
        let (mut pages, mut places) = ([0_u32; 16], [0_u32; 64]);
        for element in 0_u32..10_000 {
            let rungs = finder.rungs_of(&element.to_le_bytes());
            pages[usize::try_from(rungs.first_byte / PAGE_BYTES).unwrap()] += 1;
            for place in &rungs.places[..16] {
                places[usize::from(place / 512)] += 1;
            }
        }
        // Means 625 and 2500; five standard deviations.
        assert!(pages.iter().all(|count| count.abs_diff(625) < 125), "{pages:?}");
        assert!(places.iter().all(|count| count.abs_diff(2500) < 250), "{places:?}");
    }

    /// The vectors of FORMAT-LADDER.md.
    #[test]
    fn rungs_of_the_format_text() {
        let key = MasterKey::new(std::array::from_fn(|i| u8::try_from(i).unwrap()));
        let id: [u8; ID_BYTES] = std::array::from_fn(|i| u8::try_from(i + 32).unwrap());
        let purposes = [
            Purpose::Page,
            Purpose::Rungs,
            Purpose::Fingerprint,
            Purpose::Stamp,
            Purpose::Salt,
            Purpose::Check,
            Purpose::Day,
            Purpose::Observation,
        ];
        let subkeys = purposes.map(|purpose| u128::from_be_bytes(*key.subkey(purpose, &id).bytes()));
        let finder = RungFinder::new(&Params::new(1 << 22, 16, 16, 2).unwrap(), &key, &id);
        let rungs = finder.rungs_of(b"password");
        assert_eq!(rungs.first_byte / PAGE_BYTES, 68);
        let places = [
            15125, 1610, 7674, 20074, 14190, 24701, 22345, 26329, 19044, 9714, 21931, 12243, 30546, 27834,
            30163, 17152,
        ];
        assert_eq!(rungs.places[..16], places);
        let bytes = places.map(|bit| 68 * PAGE_BYTES + u64::from(bit / 8));
        assert_eq!(rungs.places().map(|place| place.byte).collect::<Vec<_>>(), bytes);
        let expected = [
            0xc37c_367a_5151_ff51_4bee_a311_8927_cde6,
            0x7dcb_df74_6ef1_0d03_1c3b_fa35_ec7d_0baf,
            0x05ec_6a22_2bd1_17d3_a0fd_7b97_69f5_7c54,
            0x3de7_21ab_a6d8_b082_362a_4eef_945c_ce20,
            0x2b5a_58db_91d6_e146_80ea_c586_4ce4_35ee,
            0xe24a_4c58_2496_fe64_b94b_f8c0_a691_c14a,
            0x7cd4_cd9f_243d_ee88_c31b_d8a6_0807_3a03,
            0x7863_b9e1_4735_7735_fc63_01b6_2a43_5d39,
        ];
        assert_eq!(subkeys, expected);
    }

    #[test]
    fn rungs_are_the_first_distinct_places_of_the_stream() {
        for (bits, rungs) in [(1 << 9, 128), (1 << 15, 128), (1 << 22, 16)] {
            let finder = finder(bits, rungs);
            for element in 0_u32..200 {
                let digest = finder.rung_key.hash(&element.to_le_bytes());
                let mut distinct = Vec::new();
                for lane in (0..STREAM_WORDS).flat_map(|index| lanes(stream_word(digest, index))) {
                    let place = lane & finder.bit_mask;
                    if distinct.len() == rungs as usize {
                        break;
                    }
                    if !distinct.contains(&place) {
                        distinct.push(place);
                    }
                }
                let found = finder.rungs_of(&element.to_le_bytes());
                assert_eq!(found.places[..found.count], distinct, "{bits} {element}");
            }
        }
    }
}
