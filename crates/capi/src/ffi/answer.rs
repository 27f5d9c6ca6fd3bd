//! The result for a caller: the number of a verdict, and its filled structure.

use std::{
    borrow::Cow,
    ffi::{c_char, c_int},
    mem::size_of,
};

use nearmiss_checker::{Answer, Reason, Verdict};

use super::{CAnswer, Invalid, numbers};

/// Writes the answer into the caller's structure; returns the verdict's number.
///
/// # Safety
/// `answer` is null or points to a structure as long as its `size` says.
pub(super) unsafe fn tell(answer: *mut CAnswer, said: &Result<Answer, Invalid>) -> c_int {
    let (verdict, reason) = match said {
        Ok(said) => (numbers::of_verdict(said.verdict), said.reason.map_or(numbers::NONE, Reason::number)),
        Err(_) => (numbers::INVALID, numbers::NONE),
    };
    if answer.is_null() {
        return verdict;
    }
    // SAFETY: the caller's promise; `size` is the first member.
    let size = unsafe { answer.cast::<usize>().read() };
    if size < size_of::<CAnswer>() {
        // Without a readable reason, a caller must not take the result for an acceptance.
        return if verdict == numbers::of_verdict(Verdict::Accepted) { numbers::INVALID } else { verdict };
    }
    let (sentence, detail) = match said {
        Ok(said) => (said.sentence.as_str(), Cow::from(&said.detail)),
        Err(Invalid { what, key }) => {
            let sentence = "the program called the password check incorrectly; your password is not at fault";
            (sentence, format!("{what} {key}").into())
        }
    };
    let told = CAnswer { size, verdict, reason, sentence: line(sentence), detail: line(&detail) };
    // SAFETY: the structure is as long as `size`, which is long enough.
    unsafe { answer.write(told) };
    verdict
}

/// As many complete characters as fit, followed by null bytes.
fn line<const BYTES: usize>(text: &str) -> [c_char; BYTES] {
    let mut line = [0; BYTES];
    let room = BYTES.saturating_sub(1);
    let end = (0..=room.min(text.len())).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    let bytes = text.as_bytes().iter().take(end).take_while(|byte| **byte != 0);
    for (place, byte) in line.iter_mut().zip(bytes) {
        *place = c_char::from_ne_bytes([*byte]);
    }
    line
}
