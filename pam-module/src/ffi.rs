//! The only unsafe code of the module: the calls of libpam and libc that pam-bindings and rustix do not
//! offer.
//!
//! What is promised here to the rest of the module: nothing borrowed from libpam outlives the call that got
//! it (an application's conversation may replace any item), a password is copied at once into a [`Secret`],
//! and a format string is always the constant `%s`.
#![allow(unsafe_code, reason = "this is the boundary to libpam and libc")]

mod accounts;
mod pam;
pub(crate) mod sys;

use std::ffi::{CStr, CString};

use libc::c_char;
use nearmiss_filters::{secret::Secret, storage::StandardTaken};

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

/// The text up to its first null byte, if it has one.
fn terminated(text: &str) -> CString {
    let bytes: Vec<u8> = text.bytes().take_while(|&byte| byte != 0).collect();
    CString::new(bytes).unwrap_or_default()
}

/// Writes a critical line to the system log without a PAM handle: for the panic hook.
pub(crate) fn log_critical(text: &str) {
    let text = terminated(text);
    let _taken = StandardTaken::take();
    // SAFETY: constant format with one string argument, as syslog(3) wants it.
    unsafe { libc::syslog(libc::LOG_AUTHPRIV | libc::LOG_CRIT, c"%s".as_ptr(), text.as_ptr()) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_ends_at_its_first_null_byte() {
        assert_eq!(terminated("one\0two").as_bytes(), b"one");
        assert_eq!(terminated("").as_bytes(), b"");
    }
}
