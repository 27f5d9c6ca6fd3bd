//! Which of its groups of bits a string is asked for.

/// Which group of bits of a string: "is a word", or "is a word less the character at this place".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Layer {
    /// The string is a stored word (or an extended word of the paper's scheme, or a digest).
    Word,
    /// The string is a stored word less one character.
    Deletion {
        /// The place of that character in the word, from 0.
        at: u8,
    },
}

impl Layer {
    /// The deletion layer for the character at `at`; `None` behind the last character of the longest word.
    #[inline]
    pub(crate) fn deletion(at: usize) -> Option<Layer> {
        u8::try_from(at).ok().map(|at| Layer::Deletion { at })
    }

    /// True for the deletion layer, whatever the place.
    pub(crate) fn is_deletion(self) -> bool {
        matches!(self, Layer::Deletion { .. })
    }
}

/// The bits of a hash that neither its page nor its line nor its bits in the deletion layer depend on: 6 to
/// 13.
pub(super) const PLACE: u64 = 0xff << PLACE_SHIFT;
pub(super) const PLACE_SHIFT: u32 = 6;

/// A string of the deletion layer in one number: its hash with the place in the bits that the deletion layer
/// does not use. Page, line and bits in that layer come from `hash`.
#[inline]
pub(crate) fn with_place(hash: u64, at: u8) -> u64 {
    hash & !PLACE | u64::from(at) << PLACE_SHIFT
}

/// The place in a number that [`with_place`] made.
#[inline]
pub(crate) fn place_of(marked: u64) -> u8 {
    ((marked & PLACE) >> PLACE_SHIFT) as u8
}
