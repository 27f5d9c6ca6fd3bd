//! Text whose bytes are not lines of ASCII: UTF-16 without its mark, and words between bytes of zero.

use crate::{
    line::nine_in_ten,
    refusal::{Refusal, Way},
};

/// The fewest bytes that tell.
const FEWEST: usize = 16;

/// Refuses such a text with the way to read it.
///
/// # Errors
/// The [`Refusal`].
pub(super) fn refused(text: &[u8]) -> Result<(), Refusal> {
    let zeros = memchr::memchr_iter(0, text).count();
    let is_other = |byte: &u8| byte.is_ascii_control() && !matches!(byte, 0 | b'\t' | b'\r' | b'\n');
    let is_empty = zeros.saturating_mul(3) > text.len().saturating_mul(2);
    if is_empty
        || zeros.saturating_mul(FEWEST) < text.len()
        || text.len() < FEWEST
        || text.iter().any(is_other)
    {
        return Ok(());
    }
    let at = |odd: usize| text.iter().skip(odd).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (at(0), at(1));
    let half = text.len() / 2;
    let is_most = |zeros: usize| nine_in_ten(zeros, half);
    let is_wide = |pair: &[u8]| matches!(pair, [0, _, 0]);
    let wide = text.windows(3).filter(|pair| is_wide(pair)).count();
    let (content, way) = if is_most(odd) {
        ("UTF-16 without the mark at its start", Way::Options("--charset utf-16le".to_owned()))
    } else if is_most(even) {
        ("UTF-16 without the mark at its start", Way::Options("--charset utf-16be".to_owned()))
    } else if wide.saturating_mul(2) > zeros {
        // A part is UTF-16.
        return Ok(());
    } else {
        ("words between bytes of zero", Way::Copy("with a word a line (tr '\\0' '\\n')".to_owned()))
    };
    Err(Refusal::new(content, way))
}
