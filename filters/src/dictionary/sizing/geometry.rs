//! What a filter holds and the shape that was chosen for it, as numbers.

use crate::format::Header;

/// Distinct entries and distinct strings derived from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Counts {
    /// Distinct entries; for the paper's scheme distinct strings of the extension, which are what it stores.
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
    /// The geometry in a header.
    pub fn of(header: &Header) -> Geometry {
        Geometry { pages: header.pages, word_bits: header.word_bits, deletion_bits: header.deletion_bits }
    }
}

/// A count that was computed: the nearest whole number, 0 for what is none.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float cast saturates, as wanted"
)]
pub fn rounded(count: f64) -> u64 {
    count.round() as u64
}
