//! The guidance for users before they type a password.

use std::path::PathBuf;

/// The words of suggestions that the packages install.
pub const DEFAULT_WORDS: &str = "/usr/share/nearmiss/suggest.lst";

/// The highest number of passphrases that are suggested at once: they are shown in one message.
pub(crate) const MAX_SUGGESTIONS: usize = 9;

/// Bits of entropy of a suggestion: at 50 an attacker with the slow hash of a shadow file needs years of a
/// large machine, and passphrases stay short enough to be learned at 60.
pub const MIN_BITS: usize = 50;

/// See [`MIN_BITS`].
pub const DEFAULT_BITS: usize = 60;

/// More is longer than anyone types.
pub const MAX_BITS: usize = 256;

/// The guidance for users before they type a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guidance {
    /// True if the requirements are shown.
    pub hint: bool,
    /// The number of suggested passphrases.
    pub suggest: usize,
    /// The least entropy of each, in bits.
    pub suggest_bits: usize,
    /// The list their words are drawn from.
    pub suggest_words: PathBuf,
}

impl Default for Guidance {
    fn default() -> Guidance {
        Guidance { hint: false, suggest: 0, suggest_bits: DEFAULT_BITS, suggest_words: DEFAULT_WORDS.into() }
    }
}
