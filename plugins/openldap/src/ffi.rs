//! `check_password`, the one function of a checking module: all of it unsafe code.
#![allow(unsafe_code, reason = "this is the boundary to C")]

use std::{
    collections::BTreeMap,
    ffi::{CStr, OsStr, c_char, c_int, c_ulong},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    ptr, slice,
    sync::{Arc, Mutex, PoisonError},
};

use nearmiss_checker::{Answer, Checker, DEFAULT_PATH, Facts, MAX_PASSWORD_BYTES, Setting, Verdict};
use nearmiss_filters::guard;

use crate::dn;

/// `LDAP_SUCCESS`.
const ACCEPTED: c_int = 0;
/// `LDAP_CONSTRAINT_VIOLATION`: the password must not be set.
const REJECTED: c_int = 19;

/// The longest name of an entry that is looked at, in bytes (`SLAP_LDAPDN_MAXLEN`).
const NAME_BYTES: c_ulong = 8192;

/// `struct berval` of `lber.h`.
#[repr(C)]
pub(crate) struct Berval {
    length: c_ulong,
    value: *mut c_char,
}

/// The beginning of slapd's `Entry`: its number and its name, which every release from 2.3 to 2.6 has there.
#[repr(C)]
pub(crate) struct Entry {
    _number: c_ulong,
    name: Berval,
}

/// The function of OpenLDAP 2.5 and 2.6. The argument (`pwdCheckModuleArg`) is the path of a configuration;
/// without one the system's own is asked.
///
/// # Safety
/// As slapo-ppolicy(5) has it: a null-terminated password, a buffer for the message, the entry that is
/// changed, and the argument or null.
#[cfg(not(feature = "openldap-2-4"))]
#[unsafe(no_mangle)]
unsafe extern "C" fn check_password(
    password: *const c_char,
    message: *mut Berval,
    entry: *const Entry,
    argument: *const Berval,
) -> c_int {
    // SAFETY: the caller's promise, for each.
    let answer = unsafe { judge(password, entry, argument) };
    if answer.verdict == Verdict::Accepted {
        return ACCEPTED;
    }
    // SAFETY: slapd hands a buffer of `length` bytes.
    unsafe { put(message, &sentence(&answer)) };
    REJECTED
}

/// The function of OpenLDAP 2.4, which frees the message.
///
/// # Safety
/// As slapo-ppolicy(5) of 2.4 has it.
#[cfg(feature = "openldap-2-4")]
#[unsafe(no_mangle)]
unsafe extern "C" fn check_password(
    password: *const c_char,
    message: *mut *mut c_char,
    entry: *const Entry,
) -> c_int {
    // SAFETY: the caller's promise, for each.
    let answer = unsafe { judge(password, entry, ptr::null()) };
    if answer.verdict == Verdict::Accepted {
        return ACCEPTED;
    }
    if !message.is_null() {
        let text = std::ffi::CString::new(sentence(&answer)).unwrap_or_default();
        // SAFETY: a null-terminated string; slapd frees the copy with ber_memfree, which is free(3) of what
        // ber_strdup allocated.
        unsafe { message.write(ber_strdup(text.as_ptr())) };
    }
    REJECTED
}

#[cfg(feature = "openldap-2-4")]
unsafe extern "C" {
    /// liblber's, which slapd has.
    fn ber_strdup(text: *const c_char) -> *mut c_char;
}

fn sentence(answer: &Answer) -> String {
    format!("Password rejected: {}", answer.sentence)
}

/// # Safety
/// Each is null or what slapd hands to a checking module, and stays as it is during the call.
unsafe fn judge(password: *const c_char, entry: *const Entry, argument: *const Berval) -> Answer {
    let judged = guard::catch(|| {
        if password.is_null() {
            return Answer::fault("no password");
        }
        // SAFETY: the caller's promise: null-terminated.
        let password = unsafe { CStr::from_ptr(password) }.to_bytes();
        // SAFETY: the caller's promise.
        let name = unsafe { entry.as_ref() }.map_or(&b""[..], |entry| {
            // SAFETY: the name of an entry.
            unsafe { bytes(&raw const entry.name) }
        });
        // SAFETY: the caller's promise.
        let conf = configuration(unsafe { bytes(argument) });
        let password = password.get(..=MAX_PASSWORD_BYTES).unwrap_or(password);
        checker(conf).check(password, &Facts { user: dn::first_value(name), ..Facts::default() })
    });
    judged.unwrap_or_else(|_| Answer::fault("internal error"))
}

/// # Safety
/// `place` is null or points to a `berval` whose value is null or has `length` bytes, for `'a`.
unsafe fn bytes<'a>(place: *const Berval) -> &'a [u8] {
    // SAFETY: the caller's promise.
    let Some(berval) = (unsafe { place.as_ref() }) else { return b"" };
    if berval.value.is_null() || berval.length > NAME_BYTES {
        return b"";
    }
    // SAFETY: so many bytes, and not more than NAME_BYTES.
    unsafe { slice::from_raw_parts(berval.value.cast(), usize::try_from(berval.length).unwrap_or_default()) }
}

fn configuration(argument: &[u8]) -> PathBuf {
    if argument.is_empty() { DEFAULT_PATH.into() } else { Path::new(OsStr::from_bytes(argument)).to_owned() }
}

/// The checker of a configuration, opened once: policies may name several.
fn checker(conf: PathBuf) -> Arc<Checker> {
    static OPEN: Mutex<BTreeMap<PathBuf, Arc<Checker>>> = Mutex::new(BTreeMap::new());
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let setting = Setting::of(&conf);
    Arc::clone(open.entry(conf).or_insert_with(|| Arc::new(Checker::open(setting))))
}

/// Writes as much of a text as there is room for.
///
/// # Safety
/// `message` is null or points to a `berval` with a buffer of `length` bytes.
#[cfg(not(feature = "openldap-2-4"))]
unsafe fn put(message: *mut Berval, text: &str) {
    // SAFETY: the caller's promise.
    let Some(message) = (unsafe { message.as_mut() }) else { return };
    let room = usize::try_from(message.length).unwrap_or_default().saturating_sub(1);
    if message.value.is_null() || message.length == 0 {
        return;
    }
    let end = (0..=room.min(text.len())).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    // SAFETY: `end` bytes and a null byte fit into the buffer.
    unsafe { ptr::copy_nonoverlapping(text.as_ptr(), message.value.cast(), end) };
    // SAFETY: as above.
    unsafe { message.value.add(end).write(0) };
}
