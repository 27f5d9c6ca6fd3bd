//! The functions of `nearmiss.h`: the only unsafe code of the library.
//!
//! Each takes what the caller owns for the time of the call and copies no password. Each catches a panic. A
//! structure begins with its size, so that either side may be newer than the other.
#![allow(unsafe_code, reason = "this is the boundary to C")]
// The fuzz target compiles this file too, which has no use for some of it.
#![allow(clippy::missing_safety_doc, reason = "nearmiss.h says what each caller promises")]

use std::{
    ffi::{CStr, OsStr, c_char, c_int, c_void},
    mem::{offset_of, size_of},
    os::unix::ffi::OsStrExt,
    path::{Component, Path},
    ptr, slice,
};

use nearmiss_checker::{Answer, Checker, DEFAULT_PATH, Facts, MAX_PASSWORD_BYTES, Setting, Verdict};
use nearmiss_filters::guard;

use crate::numbers;

/// Bytes of a sentence with its null byte.
pub(crate) const SENTENCE_BYTES: usize = 256;
/// Bytes of a detail with its null byte.
pub(crate) const DETAIL_BYTES: usize = 512;
/// Bytes of a password that are looked at: one more than may be accepted.
const PASSWORD_BYTES: usize = MAX_PASSWORD_BYTES + 1;
/// Bytes of a name or a path that are looked at.
const TEXT_BYTES: usize = 4096;

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

/// What is returned for an argument that is not what it has to be.
#[derive(Debug)]
struct Invalid(&'static str);

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
        return unsafe { tell(answer, &Err(Invalid("handle is null"))) };
    }
    // SAFETY: nearmiss.h: `handle` points to a pointer that may be written.
    unsafe { handle.write(ptr::null_mut()) };
    // SAFETY: nearmiss.h: `conf` is null or a null-terminated string.
    let conf = unsafe { text(conf) };
    let opened = guard::catch(|| {
        let checker = Checker::open(Setting::of(configuration(conf)?));
        let state = checker.state();
        Ok((Box::into_raw(Box::new(checker)), state))
    });
    let state = match opened {
        Ok(Ok((checker, state))) => {
            // SAFETY: as above.
            unsafe { handle.write(checker) };
            Ok(state)
        }
        Ok(Err(invalid)) => Err(invalid),
        Err(guard::Panicked) => Ok(Answer::fault("internal error")),
    };
    // SAFETY: as above.
    unsafe { tell(answer, &state) }
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
        let (checker, given) = (checker.ok_or(Invalid("handle is null"))?, given?);
        Ok(checker.check(given.password, &given.facts))
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
    // SAFETY: nearmiss.h: `password` points to so many bytes that stay as they are.
    let password = unsafe { secret(password, password_bytes) };
    // SAFETY: as for `account`.
    let stored = unsafe { text(stored) };
    let recorded = guard::catch(|| {
        let checker = checker.ok_or(Invalid("handle is null"))?;
        let account = account.filter(|name| !name.is_empty()).ok_or(Invalid("account is null or empty"))?;
        let password = password?.filter(|password| (1..PASSWORD_BYTES).contains(&password.len()));
        let password = password.ok_or(Invalid("no password can have this length"))?;
        Ok(checker.record(account, password, stored))
    });
    // SAFETY: as in `nearmiss_check`.
    unsafe { tell(answer, &recorded.unwrap_or_else(|_| Ok(Answer::fault("internal error")))) }
}

/// What a question asks, borrowed.
struct Asked<'a> {
    password: &'a [u8],
    facts: Facts<'a>,
}

impl<'a> Asked<'a> {
    /// # Safety
    /// `question` is null or points to a structure as long as its `size` says, and all that it points to
    /// stays as it is for `'a`.
    unsafe fn of(question: *const Question) -> Result<Asked<'a>, Invalid> {
        if question.is_null() {
            return Err(Invalid("question is null"));
        }
        // SAFETY: the caller's promise; `size` is the first member.
        let size = unsafe { question.cast::<usize>().read() };
        if size < size_of::<Question>() {
            return Err(Invalid("question.size is not the size of the structure"));
        }
        // SAFETY: the structure is as long as `size`, which is long enough.
        let known = unsafe { question.read() };
        // SAFETY: as above.
        if !unsafe { is_zero_beyond(question.cast(), size_of::<Question>(), size) } {
            return Err(Invalid("question has a member that this version does not know"));
        }
        // SAFETY: the caller's promise, for each.
        let password = unsafe { secret(known.password, known.password_bytes) };
        // SAFETY: as above.
        let old_password = unsafe { secret(known.old_password, known.old_password_bytes) };
        // SAFETY: as above.
        let [user, gecos, host] = [known.user, known.gecos, known.host].map(|place| unsafe { text(place) });
        let facts = Facts {
            user: user.unwrap_or_default(),
            gecos: gecos.unwrap_or_default(),
            host,
            old_password: old_password?,
        };
        Ok(Asked { password: password?.ok_or(Invalid("password is null"))?, facts })
    }
}

/// True when the bytes of a structure that a newer header added are all zero.
///
/// # Safety
/// `structure` points to `size` bytes.
unsafe fn is_zero_beyond(structure: *const u8, known: usize, size: usize) -> bool {
    /// What no header ever reaches: a `size` that was not set.
    const MOST: usize = 1 << 16;
    if size > MOST {
        return false;
    }
    // SAFETY: the caller's promise; the range begins within the structure and ends at its end.
    let rest = unsafe { slice::from_raw_parts(structure.wrapping_add(known), size.saturating_sub(known)) };
    rest.iter().all(|byte| *byte == 0)
}

/// The beginning of a password; none for a null pointer of no length.
///
/// # Safety
/// `place` is null or points to so many bytes that stay as they are for `'a`.
unsafe fn secret<'a>(place: *const c_void, bytes: usize) -> Result<Option<&'a [u8]>, Invalid> {
    if place.is_null() {
        return if bytes == 0 { Ok(None) } else { Err(Invalid("a password is null but has a length")) };
    }
    // SAFETY: the caller's promise; not more than it said, and less than isize::MAX.
    Ok(Some(unsafe { slice::from_raw_parts(place.cast(), bytes.min(PASSWORD_BYTES)) }))
}

/// The beginning of a string; none for a null pointer.
///
/// # Safety
/// `place` is null or points to a null-terminated string that stays as it is for `'a`.
unsafe fn text<'a>(place: *const c_char) -> Option<&'a [u8]> {
    if place.is_null() {
        return None;
    }
    // SAFETY: no byte behind the null byte is read, which the caller promises to be there.
    let length = (0..TEXT_BYTES).find(|&at| unsafe { place.wrapping_add(at).read() } == 0);
    // SAFETY: so many bytes were just read.
    Some(unsafe { slice::from_raw_parts(place.cast(), length.unwrap_or(TEXT_BYTES)) })
}

/// The configuration a caller names; the system's own for a null pointer.
fn configuration(named: Option<&[u8]>) -> Result<&Path, Invalid> {
    let Some(named) = named else { return Ok(Path::new(DEFAULT_PATH)) };
    let path = Path::new(OsStr::from_bytes(named));
    let is_plain = path.components().all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
    if named.len() < TEXT_BYTES && path.is_absolute() && is_plain {
        return Ok(path);
    }
    Err(Invalid("the configuration is not an absolute path without '..'"))
}

/// Writes what there is to say where the caller wants it; returns the verdict's number.
///
/// # Safety
/// `answer` is null or points to a structure as long as its `size` says.
unsafe fn tell(answer: *mut CAnswer, said: &Result<Answer, Invalid>) -> c_int {
    let (verdict, reason) = match said {
        Ok(said) => {
            (numbers::of_verdict(said.verdict), said.reason.map_or(numbers::NONE, numbers::of_reason))
        }
        Err(_) => (numbers::INVALID, numbers::NONE),
    };
    if answer.is_null() {
        return verdict;
    }
    // SAFETY: the caller's promise; `size` is the first member.
    let size = unsafe { answer.cast::<usize>().read() };
    if size < size_of::<CAnswer>() {
        // Nothing that was accepted may be taken for it when the reason cannot be read.
        return if verdict == numbers::of_verdict(Verdict::Accepted) { numbers::INVALID } else { verdict };
    }
    let (sentence, detail) = match said {
        Ok(said) => (said.sentence.as_str(), said.detail.as_str()),
        Err(Invalid(what)) => ("the password check was asked wrongly; your password is not at fault", *what),
    };
    let told = CAnswer { size, verdict, reason, sentence: line(sentence), detail: line(detail) };
    // SAFETY: the structure is as long as `size`, which is long enough.
    unsafe { answer.write(told) };
    verdict
}

/// As many whole characters as there is room for, and null bytes behind them.
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

/// What a program that was compiled with the header relies on: it is red when a structure changes.
#[cfg(target_pointer_width = "64")]
const _: () = {
    assert!(size_of::<Question>() == 64 && size_of::<CAnswer>() == 784);
    assert!(offset_of!(Question, password) == 8 && offset_of!(Question, old_password) == 24);
    assert!(offset_of!(Question, user) == 40 && offset_of!(Question, gecos) == 48);
    assert!(offset_of!(Question, host) == 56);
    assert!(offset_of!(CAnswer, verdict) == 8 && offset_of!(CAnswer, reason) == 12);
    assert!(offset_of!(CAnswer, sentence) == 16 && offset_of!(CAnswer, detail) == 272);
};
