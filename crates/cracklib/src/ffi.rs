//! The functions of cracklib's `crack.h`: the only unsafe code of the drop-in.
#![allow(unsafe_code, reason = "this is the boundary to C")]
#![allow(non_snake_case, reason = "the names are cracklib's")]

use std::{
    ffi::{CStr, CString, c_char, c_int},
    mem::MaybeUninit,
    ptr,
    sync::atomic::{AtomicPtr, Ordering},
};

use nearmiss_checker::{Facts, MAX_PASSWORD_BYTES, ffi::beginning, log};
use nearmiss_filters::storage::StandardTaken;
use nearmiss_policy::guard;

use crate::answers::{self, AnswerPriority};

/// The number of bytes of a password that are read: one more than may be accepted.
const PASSWORD_BYTES: usize = MAX_PASSWORD_BYTES + 1;
/// The number of bytes of a name that are read.
const TEXT_BYTES: usize = 4096;
/// Bytes for the strings of an account.
const ACCOUNT_BYTES: usize = 16 << 10;

/// Checks a password for the user who runs the process, as cracklib does. Null accepts it.
///
/// The path of a dictionary is not used: the filters come from `/etc/security/nearmiss.conf`.
#[unsafe(no_mangle)]
extern "C" fn FascistCheck(password: *const c_char, path: *const c_char) -> *const c_char {
    FascistCheckUser(password, path, ptr::null(), ptr::null())
}

/// The same with the names of the password's owner; the names of the caller's own user if `user` is null.
#[unsafe(no_mangle)]
extern "C" fn FascistCheckUser(
    password: *const c_char,
    _path: *const c_char,
    user: *const c_char,
    gecos: *const c_char,
) -> *const c_char {
    let said = guard::catch(|| {
        // SAFETY: crack.h: each is null or a null-terminated string that stays as it is during the call.
        let [user, gecos] = [user, gecos].map(|place| unsafe { beginning(place, TEXT_BYTES) });
        // SAFETY: as above.
        let Some(password) = (unsafe { beginning(password, PASSWORD_BYTES) }) else {
            return c"there is no password".as_ptr();
        };
        let known = if user.is_none() { caller() } else { CallerAccount::default() };
        let user = user.unwrap_or(&known.name);
        let facts = Facts { user, gecos: gecos.unwrap_or(&known.gecos), ..Facts::default() };
        answers::sentence(answers::check(password, &facts), log).map_or_else(ptr::null, kept)
    });
    said.unwrap_or_else(|_| {
        log(AnswerPriority::Critical, "internal error");
        c"the password check on this system failed".as_ptr()
    })
}

/// The path of an existing file: programs turn the check off if the dictionary is missing. A file with `.pwd`
/// appended exists, too, which other programs look for.
#[unsafe(no_mangle)]
extern "C" fn GetDefaultCracklibDict() -> *const c_char {
    const PATH: &CStr = c"/usr/share/nearmiss/common.filter";
    debug_assert_eq!(PATH.to_bytes(), answers::PUBLIC.as_bytes());
    PATH.as_ptr()
}

/// An additional function of Debian's, which python3-cracklib calls: 1 and a message, which is empty for an
/// accepted password; 0 with `errno` set if the message cannot be written.
///
/// # Safety
/// As in Debian's `crack.h`: null-terminated strings, and a buffer of `bytes` bytes for the message.
#[unsafe(no_mangle)]
unsafe extern "C" fn __DEBIAN_SPECIFIC__SafeFascistCheck(
    password: *const c_char,
    path: *const c_char,
    message: *mut c_char,
    bytes: usize,
) -> c_int {
    let said = FascistCheck(password, path);
    // SAFETY: what `FascistCheck` returns is null or stays for good.
    let said = if said.is_null() { c"" } else { unsafe { CStr::from_ptr(said) } };
    // A message without room would read as an empty one: an acceptance.
    if message.is_null() || bytes < MIN_MESSAGE {
        // SAFETY: takes nothing.
        let errno = unsafe { libc::__errno_location() };
        // SAFETY: the place of this thread's `errno`.
        unsafe { errno.write(libc::EINVAL) };
        return 0;
    }
    let length = said.to_bytes().len().min(bytes.saturating_sub(1));
    // SAFETY: the buffer has room for `length` bytes and the null byte behind them.
    unsafe { ptr::copy_nonoverlapping(said.as_ptr(), message, length) };
    // SAFETY: as above.
    unsafe { message.wrapping_add(length).write(0) };
    1
}

/// One character and the null byte.
const MIN_MESSAGE: usize = 2;

/// The number of possible sentences: one for each minimum length, and some more.
const SENTENCES: usize = MAX_PASSWORD_BYTES + 64;

/// A sentence that is never freed or moved. Each is stored once.
fn kept(sentence: String) -> *const c_char {
    static KEPT: [AtomicPtr<c_char>; SENTENCES] = [const { AtomicPtr::new(ptr::null_mut()) }; SENTENCES];
    let Ok(sentence) = CString::new(sentence) else { return c"it is too weak".as_ptr() };
    let sentence = sentence.into_raw();
    for slot in &KEPT {
        match slot.compare_exchange(ptr::null_mut(), sentence, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => return sentence,
            Err(other) => {
                // SAFETY: both are strings of `into_raw`, and what is in a slot is never freed.
                let [new, old] = [sentence, other].map(|text| unsafe { CStr::from_ptr(text) });
                if new == old {
                    // SAFETY: of `into_raw` above, and nobody else has it.
                    drop(unsafe { CString::from_raw(sentence) });
                    return other;
                }
            }
        }
    }
    sentence
}

/// The user who runs the process.
#[derive(Default)]
struct CallerAccount {
    name: Vec<u8>,
    gecos: Vec<u8>,
}

/// The real user of the process, as cracklib looks it up; empty if the system cannot look it up.
fn caller() -> CallerAccount {
    let mut buffer: Vec<c_char> = vec![0; ACCOUNT_BYTES];
    let mut entry = MaybeUninit::<libc::passwd>::uninit();
    let mut found: *mut libc::passwd = ptr::null_mut();
    // A source of accounts (nsswitch.conf(5)) may keep its connection open.
    let _taken = StandardTaken::take();
    // SAFETY: getuid(2) always succeeds.
    let user = unsafe { libc::getuid() };
    // SAFETY: all four places are writable and as long as said; getpwuid_r(3) keeps within them.
    unsafe {
        libc::getpwuid_r(user, entry.as_mut_ptr(), buffer.as_mut_ptr(), buffer.len(), &raw mut found);
    }
    if found.is_null() {
        return CallerAccount::default();
    }
    // SAFETY: a result that is not null points to `entry`, filled in (getpwuid_r(3)).
    let found = unsafe { &*found };
    // SAFETY: each is null or a null-terminated string inside `buffer`, which is still there.
    let [name, gecos] = [found.pw_name, found.pw_gecos].map(|field| unsafe { beginning(field, TEXT_BYTES) });
    CallerAccount { name: name.unwrap_or_default().to_vec(), gecos: gecos.unwrap_or_default().to_vec() }
}

/// Writes a line to the system log.
fn log(priority: AnswerPriority, line: &str) {
    match priority {
        AnswerPriority::Critical => log::critical(line),
        AnswerPriority::Notice => log::notice(line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(place: *const c_char) -> String {
        assert!(!place.is_null());
        // SAFETY: what the functions return stays for good.
        unsafe { CStr::from_ptr(place) }.to_str().unwrap().to_owned()
    }

    #[test]
    fn a_sentence_is_kept_once_and_for_good() {
        let first = kept("it is short".to_owned());
        assert_eq!(first, kept("it is short".to_owned()));
        let other = kept("it is long".to_owned());
        assert_ne!(first, other);
        assert_eq!((told(first).as_str(), told(other).as_str()), ("it is short", "it is long"));
    }

    #[test]
    fn no_password_is_no_good_one() {
        assert_eq!(told(FascistCheck(ptr::null(), ptr::null())), "there is no password");
    }

    /// Programs test whether the dictionary exists: it is the one that ordinary users' processes query.
    #[test]
    fn the_dictionary_that_is_named_is_the_one_that_anyone_asks() {
        let named = told(GetDefaultCracklibDict());
        assert!(named.ends_with("/common.filter"), "{named}");
        assert_eq!(answers::setting().public, Some(named.into()));
    }

    #[test]
    fn debians_function_has_a_message_or_an_error() {
        let asked = |bytes: usize| {
            let mut message: Vec<c_char> = vec![1; 64];
            // SAFETY: no password, no path, and a buffer of at least `bytes` bytes.
            let status = unsafe {
                __DEBIAN_SPECIFIC__SafeFascistCheck(ptr::null(), ptr::null(), message.as_mut_ptr(), bytes)
            };
            (status, message)
        };
        let (status, message) = asked(64);
        assert_eq!((status, told(message.as_ptr()).as_str()), (1, "there is no password"));
        let (status, message) = asked(6);
        assert_eq!((status, told(message.as_ptr()).as_str()), (1, "there"));
        assert!(message[6..].iter().all(|byte| *byte == 1));
        for bytes in [0, 1] {
            assert_eq!(asked(bytes), (0, vec![1; 64]));
        }
        let null = ptr::null_mut();
        // SAFETY: no buffer is no buffer, whatever its length.
        let status = unsafe { __DEBIAN_SPECIFIC__SafeFascistCheck(ptr::null(), ptr::null(), null, 64) };
        assert_eq!(status, 0);
    }

    #[test]
    fn the_caller_is_who_runs_the_process() {
        let accounts = std::fs::read_to_string("/etc/passwd").unwrap();
        // SAFETY: getuid(2) always succeeds.
        let number = unsafe { libc::getuid() };
        let line = accounts.lines().find(|line| line.split(':').nth(2) == Some(&number.to_string()));
        let fields: Vec<&str> = line.unwrap().split(':').collect();
        let caller = caller();
        assert_eq!((caller.name, caller.gecos), (fields[0].into(), fields[4].into()));
    }
}
