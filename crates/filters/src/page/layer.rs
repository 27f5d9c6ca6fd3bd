//! The layers of a string's bits.

/// The layer of a string's bits: "is a word", or "is a word without the character at this position".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Layer {
    /// The string is a stored word (or an extended word of the paper's scheme, or a digest).
    Word,
    /// The string is a stored word without one character.
    Deletion {
        /// The position of that character in the word, from 0.
        at: u8,
    },
}

impl Layer {
    /// The deletion layer for the character at `at`; `None` after the last character of the longest word.
    #[inline]
    pub(crate) fn deletion(at: usize) -> Option<Layer> {
        u8::try_from(at).ok().map(|at| Layer::Deletion { at })
    }

    /// True for the deletion layer at any position.
    pub(crate) fn is_deletion(self) -> bool {
        matches!(self, Layer::Deletion { .. })
    }
}

/// Bits 6 to 13 of a hash, on which neither its page nor its line nor its bits in the deletion layer depend.
pub(super) const PLACE: u64 = 0xff << PLACE_SHIFT;
pub(super) const PLACE_SHIFT: u32 = 6;

/// A string of the deletion layer in one number: its hash, with the position in the bits that the deletion
/// layer does not use. Page, line and bits in that layer come from `hash`.
#[inline]
pub(crate) fn with_place(hash: u64, at: u8) -> u64 {
    hash & !PLACE | u64::from(at) << PLACE_SHIFT
}

/// The position in a number of [`with_place`].
#[inline]
pub(crate) fn place_of(marked: u64) -> u8 {
    ((marked & PLACE) >> PLACE_SHIFT) as u8
}
