//! Groups of pages: their number, and their capacity.
//!
//! Digests fall on groups by their first bits, so a group with a mean of *m* digests contains *m* ± √*m*. The
//! size is chosen for a group that is four deviations above the mean; of 65,536 groups two hold more by
//! chance. An attacker who adds chosen digests to a list can fill one group far beyond that: at eight
//! deviations the list is refused.

#![allow(clippy::arithmetic_side_effects, reason = "numbers of digests, far below 2⁶⁴")]

use super::{
    geometry::{Counts, Geometry, rounded},
    rate::Demand,
};
use crate::format::{MAX_GROUP_BITS, MAX_PAGES};

/// The lowest number of digests in a group; the highest is twice that. A group then has some 25 to 50 pages,
/// which stay in a core's cache while they are filled, and rounding up to a page adds 2 to 4 %.
const GROUP_DIGESTS: u64 = 30_000;

/// A filter of fewer digests is built without groups: it is small, and rounding up would add much.
const FEWEST_DIGESTS: u64 = 1_000_000;

/// The capacity of a group, in deviations above the mean.
const ROOM: f64 = 4.0;

/// The limit of a group, in deviations above the mean, which chance does not reach.
const MOST: f64 = 8.0;

/// The group bits for this many digests; 0 for few, which have no groups.
pub fn group_bits_for(digests: u64) -> u8 {
    if digests < FEWEST_DIGESTS {
        return 0;
    }
    let bits = (digests / GROUP_DIGESTS).max(1).ilog2();
    u8::try_from(bits).unwrap_or(MAX_GROUP_BITS).min(MAX_GROUP_BITS)
}

/// The numbers of digests in groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crowding {
    /// The mean.
    pub mean: u64,
    /// The capacity of each at the stated rate.
    pub room: u64,
    /// The number that none reaches by chance.
    pub most: u64,
}

impl Crowding {
    /// For `digests` in groups of this number of bits.
    pub fn of(digests: u64, group_bits: u8) -> Crowding {
        let mean = digests as f64 / f64::from(group_bits).exp2();
        let above = |deviations: f64| rounded((mean + deviations * mean.sqrt()).ceil()).max(1);
        Crowding { mean: rounded(mean), room: above(ROOM), most: above(MOST) }
    }
}

impl Demand {
    /// The smallest geometry whose groups each keep the rate, for this many digests; `None` if none does.
    pub fn grouped_geometry(&self, digests: u64, group_bits: u8) -> Option<Geometry> {
        let room = Crowding::of(digests, group_bits).room;
        let group = self.geometry(Counts { words: room, extension: 0 })?;
        let pages = group.pages.checked_mul(1 << group_bits).filter(|&pages| pages <= MAX_PAGES)?;
        Some(Geometry { pages, ..group })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_holds_some_tens_of_thousands() {
        let bits = [1, 999_999, 1_000_000, 8_200_000, 1_000_000_000, 2_000_000_000, u64::MAX];
        assert_eq!(bits.map(group_bits_for), [0, 0, 5, 8, 15, 16, 20]);
    }

    #[test]
    fn chance_has_room_and_what_is_beyond_it_has_none() {
        let crowding = Crowding::of(2_000_000_000, 16);
        assert_eq!(crowding, Crowding { mean: 30_518, room: 31_217, most: 31_916 });
        assert_eq!(Crowding::of(0, 1), Crowding { mean: 0, room: 1, most: 1 });
    }
}
