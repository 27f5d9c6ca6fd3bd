//! The functions of `nearmiss.h`: this file and the two below it contain the only unsafe code of the library.
//!
//! Each borrows the caller's data for the time of the call and copies no password. Each catches a panic. A
//! structure begins with its size, so that either side may be newer than the other.
#![allow(unsafe_code, reason = "this is the boundary to C")]
// The fuzz target compiles this file, too, but does not use all of it.
#![allow(clippy::missing_safety_doc, reason = "nearmiss.h says what each caller promises")]

mod answer;
mod given;
#[cfg(test)]
mod tests;

use std::{
    ffi::{CStr, c_char, c_int, c_void},
    mem::{offset_of, size_of},
    ptr,
};

use nearmiss_checker::{
    Answer, Checker, MAX_DETAIL_BYTES, Setting,
    keys::{self, MessageKey},
    translated,
};
use nearmiss_policy::guard;

use self::{
    answer::tell,
    given::{Asked, PASSWORD_BYTES, configuration, secret, text},
};
use super::numbers;

/// The size of a sentence with its null byte.
pub(crate) const SENTENCE_BYTES: usize = 256;
/// The size of a detail with its null byte.
pub(crate) const DETAIL_BYTES: usize = MAX_DETAIL_BYTES + 1;

/// `struct nearmiss_question`.
#[repr(C)]
pub(crate) struct Question {
    pub(crate) size: usize,
    pub(crate) password: *const c_void,
    pub(crate) password_bytes: usize,
    pub(crate) old_password: *const c_void,
    pub(crate) old_password_bytes: usize,
    pub(crate) user: *const c_char,
    pub(crate) gecos: *const c_char,
    pub(crate) host: *const c_char,
    pub(crate) language: *const c_char,
}

/// `struct nearmiss_answer`.
#[repr(C)]
pub(crate) struct CAnswer {
    pub(crate) size: usize,
    pub(crate) verdict: i32,
    pub(crate) reason: i32,
    pub(crate) sentence: [c_char; SENTENCE_BYTES],
    pub(crate) detail: [c_char; DETAIL_BYTES],
}

/// The result for an invalid argument.
#[derive(Debug)]
struct Invalid {
    what: &'static str,
    key: MessageKey,
}

impl Invalid {
    /// An error of the calling program.
    const fn of(what: &'static str) -> Invalid {
        Invalid { what, key: keys::HOST_PROGRAM }
    }
}

/// `nearmiss_version`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn nearmiss_version() -> *const c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => c"unknown",
        };
    VERSION.as_ptr()
}

/// `nearmiss_reason_code`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn nearmiss_reason_code(reason: c_int) -> *const c_char {
    numbers::code(reason).as_ptr()
}

/// `nearmiss_open`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn nearmiss_open(
    conf: *const c_char,
    handle: *mut *mut Checker,
    answer: *mut CAnswer,
) -> c_int {
    if handle.is_null() {
        // SAFETY: nearmiss.h: `answer` is null or points to a structure as long as its `size` says.
        return unsafe { tell(answer, &Err(Invalid::of("handle is null"))) };
    }
    // SAFETY: nearmiss.h: `handle` points to a pointer that may be written.
    unsafe { handle.write(ptr::null_mut()) };
    // SAFETY: nearmiss.h: `conf` is null or a null-terminated string.
    let conf = unsafe { text(conf) };
    let opened = guard::catch(|| {
        let checker = Checker::open(Setting::of(configuration(conf)?));
        let state = checker.state();
        Ok((Box::new(checker), state))
    });
    let (checker, state) = match opened {
        Ok(Ok((checker, state))) => (Some(checker), Ok(state)),
        Ok(Err(invalid)) => (None, Err(invalid)),
        Err(guard::Panicked) => (None, Ok(Answer::fault("internal error"))),
    };
    // SAFETY: as above.
    let verdict = unsafe { tell(answer, &state) };
    // An answer that is too short is refused, and a caller that is refused frees nothing.
    if let Some(checker) = checker.filter(|_| verdict != numbers::INVALID) {
        // SAFETY: as above.
        unsafe { handle.write(Box::into_raw(checker)) };
    }
    verdict
}

/// `nearmiss_free`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn nearmiss_free(handle: *mut Checker) {
    if handle.is_null() {
        return;
    }
    // SAFETY: nearmiss.h: a handle comes from `nearmiss_open`, is freed once, and nobody uses it any more.
    let checker = unsafe { Box::from_raw(handle) };
    let _ = guard::catch(|| drop(checker));
}

/// `nearmiss_check`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn nearmiss_check(
    handle: *const Checker,
    question: *const Question,
    answer: *mut CAnswer,
) -> c_int {
    // SAFETY: nearmiss.h: a handle is null or of `nearmiss_open` and not freed; a checker is only shared.
    let checker = unsafe { handle.as_ref() };
    // SAFETY: nearmiss.h: `question` is null or as long as its `size`, and what it points to stays as it is
    // during the call.
    let given = unsafe { Asked::of(question) };
    let judged = guard::catch(|| {
        let (checker, given) = (checker.ok_or(Invalid::of("handle is null"))?, given?);
        let mut answer = checker.check(given.password, &given.facts);
        if let Some(sentence) = given.language.and_then(|tag| translated(&answer, tag)) {
            answer.sentence = sentence;
        }
        Ok(answer)
    });
    // SAFETY: nearmiss.h: `answer` is null or as long as its `size`.
    unsafe { tell(answer, &judged.unwrap_or_else(|_| Ok(Answer::fault("internal error")))) }
}

/// `nearmiss_record`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn nearmiss_record(
    handle: *const Checker,
    account: *const c_char,
    password: *const c_void,
    password_bytes: usize,
    stored: *const c_char,
    answer: *mut CAnswer,
) -> c_int {
    // SAFETY: as in `nearmiss_check`.
    let checker = unsafe { handle.as_ref() };
    // SAFETY: nearmiss.h: `account` is null or a null-terminated string that stays as it is.
    let account = unsafe { text(account) };
    // SAFETY: nearmiss.h: `password` points to this number of bytes, which stay as they are.
    let password = unsafe { secret(password, password_bytes) };
    // SAFETY: as for `account`.
    let stored = unsafe { text(stored) };
    let recorded = guard::catch(|| {
        let checker = checker.ok_or(Invalid::of("handle is null"))?;
        let account =
            account.filter(|name| !name.is_empty()).ok_or(Invalid::of("account is null or empty"))?;
        let password = password?.filter(|password| (1..PASSWORD_BYTES).contains(&password.len()));
        let password = password.ok_or(Invalid::of("no password can have this length"))?;
        Ok(checker.record(account, password, stored))
    });
    // SAFETY: as in `nearmiss_check`.
    unsafe { tell(answer, &recorded.unwrap_or_else(|_| Ok(Answer::fault("internal error")))) }
}

/// The layout that a compiled program relies on: this fails if a structure changes.
#[cfg(target_pointer_width = "64")]
const _: () = {
    assert!(size_of::<Question>() == 72);
    assert!(size_of::<CAnswer>() == 784);
    assert!(offset_of!(Question, password) == 8 && offset_of!(Question, old_password) == 24);
    assert!(offset_of!(Question, user) == 40 && offset_of!(Question, gecos) == 48);
    assert!(offset_of!(Question, host) == 56);
    assert!(offset_of!(CAnswer, verdict) == 8 && offset_of!(CAnswer, reason) == 12);
    assert!(offset_of!(CAnswer, sentence) == 16 && offset_of!(CAnswer, detail) == 272);
};
