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

    /// Parts the positions of the same string in the two layers and for different places: multiples of the
    /// fractional bits of the golden ratio (Knuth, The Art of Computer Programming 3, §6.4).
    #[inline]
    pub(super) fn seed(self) -> u64 {
        match self {
            Layer::Word => 0,
            Layer::Deletion { at } => u64::from(at).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15),
        }
    }
}
