//! Lists that are so large that short passwords really are near one of their words by chance: this is not a
//! hash collision, and no size of the filter avoids it.

use crate::format::{Header, Match};

/// The highest number of words of a near filter for passwords shorter than [`FEWEST_CHARACTERS`]. Near
/// filters of 145,000 words and of a million reject 0.4 % and 2.5 % of pwgen's passwords of eight characters.
pub const MANY_NEAR_WORDS: u64 = 300_000;

/// The least length of passwords that goes with a near filter of more than [`MANY_NEAR_WORDS`].
pub const FEWEST_CHARACTERS: usize = 10;

/// True if a near filter has too many words for passwords this short.
pub fn is_crowded(header: &Header, min_length: usize) -> bool {
    header.matching == Match::Near && header.words > MANY_NEAR_WORDS && min_length < FEWEST_CHARACTERS
}
