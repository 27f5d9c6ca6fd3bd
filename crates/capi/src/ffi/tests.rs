//! What a caller's structures and strings are read and written as, without a checker behind them: few steps,
//! so that miri (`tests/tools/miri.sh`) plays them and finds an access outside of a block.
#![allow(clippy::unwrap_used, clippy::panic, reason = "what does not hold stops the test")]

use std::{ffi::CStr, iter::repeat_n, mem::size_of, ptr};

use nearmiss_checker::{Answer, Reason, Verdict};

use super::{
    CAnswer, Invalid, Question, SENTENCE_BYTES,
    answer::tell,
    given::{Asked, PASSWORD_BYTES, secret, text},
    numbers,
};

const EXACT: usize = size_of::<Question>();

/// A request of this size for `password`, in a block of exactly `block` bytes, which end with `last`.
fn request(size: usize, password: &[u8], user: Option<&CStr>, block: usize, last: u8) -> Box<[u8]> {
    let question = Question {
        size,
        password: password.as_ptr().cast(),
        password_bytes: password.len(),
        old_password: ptr::null(),
        old_password_bytes: 0,
        user: user.map_or(ptr::null(), CStr::as_ptr),
        gecos: ptr::null(),
        host: ptr::null(),
        language: ptr::null(),
    };
    let mut bytes: Box<[u8]> = repeat_n(0, block).collect();
    if let Some(end) = bytes.last_mut() {
        *end = last;
    }
    assert!(block >= EXACT);
    // SAFETY: the block is long enough; no alignment is required.
    unsafe { bytes.as_mut_ptr().cast::<Question>().write_unaligned(question) };
    bytes
}

/// What is read of it: password and user.
fn read(request: &[u8]) -> Result<(Vec<u8>, Vec<u8>), &'static str> {
    // SAFETY: each request of these tests says not more than its block has, or a size that is refused first.
    let asked = unsafe { Asked::of(request.as_ptr().cast()) };
    asked.map(|asked| (asked.password.to_vec(), asked.facts.user.to_vec())).map_err(|invalid| invalid.what)
}

#[test]
fn a_request_is_read_within_its_size() {
    let asked = Ok((b"words".to_vec(), b"anna".to_vec()));
    assert_eq!(read(&request(EXACT, b"words", Some(c"anna"), EXACT, 0)), asked);
    assert_eq!(read(&request(EXACT + 9, b"words", Some(c"anna"), EXACT + 9, 0)), asked);
    let newer = read(&request(EXACT + 9, b"words", None, EXACT + 9, 7));
    assert!(newer.unwrap_err().contains("does not know"));
    // The size is all that may be read of a structure that says less, or more than any header has.
    let shorter: Box<[u8]> = (EXACT - 1).to_ne_bytes().into();
    assert!(read(&shorter).unwrap_err().contains("size"));
    assert!(read(&request(usize::MAX, b"words", None, EXACT, 0)).is_err());
    // SAFETY: null is one of the promised values.
    assert!(unsafe { Asked::of(ptr::null()) }.is_err());
}

#[test]
fn a_request_may_lie_anywhere() {
    let mut shifted = [0; EXACT + 1];
    let place = shifted.get_mut(1..).unwrap();
    place.copy_from_slice(&request(EXACT, b"words", None, EXACT, 0));
    assert_eq!(read(place).unwrap().0, b"words");
}

#[test]
fn passwords_and_strings_are_read_within_their_length() {
    // SAFETY: null, or the block and its length.
    let given =
        |block: &[u8]| unsafe { secret(block.as_ptr().cast(), block.len()) }.ok().flatten().unwrap().len();
    assert_eq!([given(b""), given(b"words"), given(&[b'a'; PASSWORD_BYTES + 5])], [0, 5, PASSWORD_BYTES]);
    // SAFETY: null.
    let of_nothing = |bytes| unsafe { secret(ptr::null(), bytes) };
    assert!(matches!(of_nothing(0), Ok(None)) && of_nothing(1).is_err());
    // SAFETY: null-terminated, or null.
    assert_eq!(unsafe { text(c"anna".as_ptr()) }, Some(b"anna".as_slice()));
    // SAFETY: as above.
    assert_eq!(unsafe { text(ptr::null()) }, None);
}

#[test]
fn an_answer_is_written_within_its_size() {
    let rejected = Answer {
        verdict: Verdict::Rejected,
        reason: Some(Reason::Dictionary),
        sentence: "ä".repeat(SENTENCE_BYTES),
        detail: String::new(),
        is_audited: false,
    };
    let mut whole: Box<[u64]> = repeat_n(0, size_of::<CAnswer>().div_ceil(8)).collect();
    *whole.first_mut().unwrap() = u64::try_from(size_of::<CAnswer>()).unwrap();
    let number = numbers::of_verdict(Verdict::Rejected);
    // SAFETY: aligned, and as long as its size says.
    assert_eq!(unsafe { tell(whole.as_mut_ptr().cast(), &Ok(rejected.clone())) }, number);
    // SAFETY: written by `tell`.
    let written = unsafe { whole.as_ptr().cast::<CAnswer>().read() };
    assert_eq!((written.verdict, written.reason), (number, Reason::Dictionary.number()));
    // SAFETY: the sentence ends with a null byte.
    let sentence = unsafe { CStr::from_ptr(written.sentence.as_ptr()) };
    assert_eq!(sentence.to_str().unwrap(), "ä".repeat((SENTENCE_BYTES - 1) / 2), "complete characters");

    // A structure of a size alone: nothing is written, and nothing is taken for an acceptance.
    let accepted = Answer { verdict: Verdict::Accepted, reason: None, ..rejected.clone() };
    let mut short = Box::new(8_u64);
    for (said, expected) in [(rejected, number), (accepted, numbers::INVALID)] {
        // SAFETY: aligned, and as long as its size says.
        assert_eq!(unsafe { tell(ptr::from_mut(&mut *short).cast(), &Ok(said)) }, expected);
    }
    assert_eq!(*short, 8);
    // SAFETY: null is one of the promised values.
    assert_eq!(unsafe { tell(ptr::null_mut(), &Err(Invalid::of("a test"))) }, numbers::INVALID);
}
