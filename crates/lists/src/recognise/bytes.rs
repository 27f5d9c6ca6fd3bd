//! Text whose bytes are not lines of ASCII: UTF-16 and UTF-32 without their mark, and words between bytes of
//! zero.

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
    if let Some(charset) = of_four_bytes(text) {
        let copy = format!("in UTF-8 (iconv -f {charset} -t UTF-8)");
        return Err(Refusal::new("UTF-32 without the mark at its start", Way::Copy(copy)));
    }
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
        ("UTF-16 without the mark at its start", Way::Charset("utf-16le"))
    } else if is_most(even) {
        ("UTF-16 without the mark at its start", Way::Charset("utf-16be"))
    } else if wide.saturating_mul(2) > zeros {
        // A part is UTF-16.
        return Ok(());
    } else {
        ("words between bytes of zero", Way::Copy("with a word a line (tr '\\0' '\\n')".to_owned()))
    };
    Err(Refusal::new(content, way))
}

/// UTF-32, if nine in ten characters have two bytes of zero and two that are not both.
fn of_four_bytes(text: &[u8]) -> Option<&'static str> {
    let all = text.len() / 4;
    let are =
        |is_so: fn(&[u8]) -> bool| nine_in_ten(text.chunks_exact(4).filter(|four| is_so(four)).count(), all);
    if text.len() < FEWEST {
        None
    } else if are(|four| matches!(four, [a, b, 0, 0] if a | b != 0)) {
        Some("UTF-32LE")
    } else if are(|four| matches!(four, [0, 0, a, b] if a | b != 0)) {
        Some("UTF-32BE")
    } else {
        None
    }
}
