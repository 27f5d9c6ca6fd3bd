//! The counts of a filter's entries, and its geometry.

use crate::{
    format::{Header, MAX_PAGES},
    page::{MAX_PROBES, PAGE_BITS},
};

/// Distinct entries and distinct strings derived from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Counts {
    /// Distinct entries; for the paper's scheme distinct strings of the extension, which it stores instead.
    pub words: u64,
    /// Distinct strings and places of the deletion layer.
    pub extension: u64,
}

/// The size and the probes of a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// 4 KiB pages.
    pub pages: u64,
    /// Probes of a string in the word layer.
    pub word_bits: u8,
    /// Probes of a string in the deletion layer.
    pub deletion_bits: u8,
}

impl Geometry {
    /// The highest number of bits for keys.
    pub const MAX_BITS: u64 = MAX_PAGES * PAGE_BITS as u64;

    /// The highest number of probes of a string.
    pub const MAX_PROBES: u8 = MAX_PROBES;

    /// At least this many bits for keys, in whole pages, and this many probes, for a filter of whole entries;
    /// none beyond [`Geometry::MAX_BITS`] and [`Geometry::MAX_PROBES`] or at 0.
    pub fn by_hand(bits: u64, probes: u8) -> Option<Geometry> {
        let is_possible = (1..=Geometry::MAX_BITS).contains(&bits) && (1..=MAX_PROBES).contains(&probes);
        let pages = bits.div_ceil(PAGE_BITS.into());
        is_possible.then_some(Geometry { pages, word_bits: probes, deletion_bits: 0 })
    }

    /// The same, with as many additional pages as groups of equal size need.
    #[must_use]
    pub(crate) fn in_groups(self, group_bits: u8) -> Geometry {
        Geometry { pages: self.pages.next_multiple_of(1 << group_bits), ..self }
    }

    /// The geometry in a header.
    pub fn of(header: &Header) -> Geometry {
        Geometry { pages: header.pages, word_bits: header.word_bits, deletion_bits: header.deletion_bits }
    }
}

/// A computed count: the nearest whole number, 0 if it is not a number.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float cast saturates, as wanted"
)]
pub fn rounded(count: f64) -> u64 {
    count.round() as u64
}
