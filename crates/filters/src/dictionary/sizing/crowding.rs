//! Lists so large that short passwords are truly near to a word of theirs by chance: no hashing accident, and
//! no size of the filter mends it.

use crate::format::{Header, Match};

/// The most words of a near filter for passwords shorter than [`FEWEST_CHARACTERS`]. Of passwords of eight
/// characters as pwgen makes them, near filters of 145,000 words and of a million reject 0.4 % and 2.5 %.
pub const MANY_NEAR_WORDS: u64 = 300_000;

/// The least length of passwords that goes with a near filter of more than [`MANY_NEAR_WORDS`].
pub const FEWEST_CHARACTERS: usize = 10;

/// True when a filter that is asked for neighbours has too many words for passwords this short.
pub fn is_crowded(header: &Header, min_length: usize) -> bool {
    header.matching == Match::Near && header.words > MANY_NEAR_WORDS && min_length < FEWEST_CHARACTERS
}
