//! The only unsafe code of the module: the calls of libpam and libc that pam-bindings and rustix do not
//! offer.
//!
//! The promise to the rest of the module: no value borrowed from libpam outlives the call that returned it
//! (an application's conversation may replace any item), a password is copied at once into a [`Secret`], and
//! a format string is always the constant `%s`.
#![allow(unsafe_code, reason = "this is the boundary to libpam and libc")]

mod accounts;
mod language;
mod pam;
pub(crate) mod sys;

use std::ffi::CStr;

use libc::c_char;
use nearmiss_filters::storage::StandardTaken;
use nearmiss_policy::secret::Secret;
use zeroize::Zeroizing;

pub(crate) use self::pam::Pam;

/// Copies a password that libpam or libc owns; none for a null pointer.
///
/// # Safety
/// `token` is null or points to a null-terminated string that stays valid during the call.
unsafe fn secret_at(token: *const c_char) -> Option<Secret> {
    if token.is_null() {
        return None;
    }
    // SAFETY: the caller's promise.
    let token = unsafe { CStr::from_ptr(token) };
    Some(Secret::copy_of(token.to_bytes()))
}

/// A text for C.
struct Terminated(Zeroizing<Vec<u8>>);

impl Terminated {
    fn as_ptr(&self) -> *const c_char {
        self.0.as_ptr().cast()
    }
}

/// The text up to its first null byte, if it has one, and a null byte, in a buffer that does not grow.
fn terminated(text: &str) -> Terminated {
    let text = text.split_once('\0').map_or(text, |(before, _)| before);
    let mut bytes = Zeroizing::new(Vec::with_capacity(text.len().saturating_add(1)));
    bytes.extend_from_slice(text.as_bytes());
    bytes.push(0);
    Terminated(bytes)
}

/// Writes a critical line to the system log without a PAM handle: for the panic hook.
pub(crate) fn log_critical(text: &str) {
    let text = terminated(text);
    let _taken = StandardTaken::take();
    // SAFETY: constant format with one string argument, as syslog(3) requires.
    unsafe { libc::syslog(libc::LOG_AUTHPRIV | libc::LOG_CRIT, c"%s".as_ptr(), text.as_ptr()) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_ends_at_its_first_null_byte() {
        assert_eq!(*terminated("one\0two").0, b"one\0");
        assert_eq!(*terminated("").0, b"\0");
    }
}
