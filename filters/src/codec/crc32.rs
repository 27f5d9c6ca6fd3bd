//! CRC-32 (IEEE 802.3, the one of zip and PNG), reflected, in one kibibyte of table.
//!
//! Every page of a filter that a question touches is checked. On x86-64 it is done with carry-less
//! multiplications, 0.2 µs a page; elsewhere eight parts of a page at once with the table, 1.5 µs. A crate
//! that does both keeps 16 KiB of tables in the module.

#[cfg(target_arch = "x86_64")]
mod carryless;
mod table;

/// The checksum of these bytes.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = Crc32::new();
    sum.update(bytes);
    sum.finish()
}

/// A checksum of bytes that come one part after the other.
pub(crate) struct Crc32(u32);

impl Crc32 {
    /// The checksum of nothing.
    pub(crate) fn new() -> Crc32 {
        Crc32(u32::MAX)
    }

    /// Appends bytes.
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        #[cfg(target_arch = "x86_64")]
        let (sum, bytes) = carryless::update(self.0, bytes);
        #[cfg(not(target_arch = "x86_64"))]
        let sum = self.0;
        self.0 = table::in_lanes(sum, bytes);
    }

    /// The checksum of all bytes so far.
    pub(crate) fn finish(self) -> u32 {
        !self.0
    }
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects, reason = "an overflow fails the test")]
mod tests {
    use proptest::prelude::*;

    use super::{
        table::{in_lanes, in_order},
        *,
    };

    /// The check value of the catalogue of CRCs, and zip's checksum of nothing.
    #[test]
    fn the_check_value_is_that_of_ieee_802_3() {
        assert_eq!((crc32(b"123456789"), crc32(b"")), (0xcbf4_3926, 0));
    }

    proptest! {
        #[test]
        fn all_ways_are_the_crate_that_everybody_uses(
            bytes in prop::collection::vec(any::<u8>(), 0..10_000), at: prop::sample::Index
        ) {
            let expected = crc32fast::hash(&bytes);
            let (first, second) = bytes.split_at(at.index(bytes.len() + 1));
            let mut parts = Crc32::new();
            parts.update(first);
            parts.update(second);
            prop_assert_eq!((crc32(&bytes), parts.finish()), (expected, expected));
            let ways = [in_order, in_lanes].map(|way| !way(way(u32::MAX, first), second));
            prop_assert_eq!(ways, [expected; 2]);
        }
    }

    #[test]
    fn every_length_up_to_three_blocks_of_either_way() {
        let bytes: Vec<u8> = (0..4 * 4088_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let lengths = (0..300).chain((1..4).flat_map(|blocks| blocks * 4088 - 2..blocks * 4088 + 20));
        for length in lengths {
            assert_eq!(crc32(&bytes[..length]), crc32fast::hash(&bytes[..length]), "{length}");
        }
    }
}
