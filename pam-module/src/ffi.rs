//! The only unsafe code of the module: the calls of libpam and libc that pam-bindings and rustix do not offer.
//!
//! What is promised here to the rest of the module: nothing borrowed from libpam outlives the call that got it
//! (an application's conversation may replace any item), a password is copied at once into a [`Secret`], and a
//! format string is always the constant `%s`.
#![allow(unsafe_code, reason = "this is the boundary to libpam and libc")]

pub(crate) mod sys;

use std::{
    ffi::{CStr, CString},
    mem::{self, MaybeUninit},
    ptr,
};

use libc::{c_char, c_int, c_void, passwd, spwd};
use pam::module::PamHandle;
use zeroize::Zeroizing;

use crate::{mark::Mark, secret::Secret};

/// A PAM transaction, for the length of one call of a hook.
pub(crate) struct Pam<'h> {
    handle: &'h mut PamHandle,
}

impl<'h> Pam<'h> {
    pub(crate) fn new(handle: &'h mut PamHandle) -> Pam<'h> {
        Pam { handle }
    }

    /// The user's name; libpam asks for it when the application has not set it.
    pub(crate) fn user(&mut self) -> Option<Vec<u8>> {
        let mut name: *const c_char = ptr::null();
        // SAFETY: the handle is libpam's own for this call (PamHooks), `name` is writable, a null prompt is
        // allowed by pam_get_user(3).
        let code = unsafe { sys::pam_get_user(self.handle, &raw mut name, ptr::null()) };
        if code != sys::PAM_SUCCESS || name.is_null() {
            return None;
        }
        // SAFETY: pam_get_user(3) promises a null-terminated string on success; it is copied before any other call.
        let name = unsafe { CStr::from_ptr(name) };
        Some(name.to_bytes().to_vec())
    }

    /// The password that is being replaced, where a module before this one asked for it.
    pub(crate) fn old_password(&mut self) -> Option<Secret> {
        // SAFETY: PAM_OLDAUTHTOK is null or a null-terminated string (pam_get_item(3)), copied at once.
        unsafe { secret_at(self.item(sys::PAM_OLDAUTHTOK)) }
    }

    /// The password that the stack works with, as far as there is one: nothing is asked.
    pub(crate) fn password(&mut self) -> Option<Secret> {
        // SAFETY: PAM_AUTHTOK is null or a null-terminated string (pam_get_item(3)), copied at once.
        unsafe { secret_at(self.item(sys::PAM_AUTHTOK)) }
    }

    /// The mark of an earlier line of this transaction.
    pub(crate) fn mark(&self) -> Option<Mark> {
        // SAFETY: only `set_mark` of this very shared object puts anything under this name (`mark_name`), a `Mark`.
        unsafe { self.handle.get_data::<Mark>(&mark_name()) }.ok().cloned()
    }

    /// Leaves a mark for a later line of this transaction, in place of an earlier one. False without memory.
    pub(crate) fn set_mark(&mut self, mark: Mark) -> bool {
        self.handle.set_data(&mark_name(), Box::new(mark)).is_ok()
    }

    /// The new password: the one that is there already, or the answer to libpam's own prompt.
    ///
    /// # Errors
    /// libpam's code: nothing typed, conversation failed, or no password is there and asking is not allowed.
    pub(crate) fn new_password(&mut self) -> Result<Secret, c_int> {
        let mut token: *const c_char = ptr::null();
        // SAFETY: as in `user`; pam_get_authtok(3) allows a null prompt and then uses its translated own.
        let code = unsafe { sys::pam_get_authtok_noverify(self.handle, &raw mut token, ptr::null()) };
        if code != sys::PAM_SUCCESS {
            return Err(code);
        }
        // SAFETY: on success the token is null or a null-terminated string of libpam, copied at once.
        unsafe { secret_at(token) }.ok_or(sys::PAM_SYSTEM_ERR)
    }

    /// Lets libpam ask for the new password again and compare; `PAM_TRY_AGAIN` when they differ.
    pub(crate) fn verify_new_password(&mut self) -> c_int {
        let mut token = self.item(sys::PAM_AUTHTOK);
        if token.is_null() {
            return sys::PAM_SYSTEM_ERR; // libpam would compare with the null pointer
        }
        // SAFETY: `token` is the item's own pointer, as pam_get_authtok_verify(3) wants it, and not null.
        unsafe { sys::pam_get_authtok_verify(self.handle, &raw mut token, ptr::null()) }
    }

    /// Takes the new password away from the modules that follow; libpam wipes it.
    pub(crate) fn clear_new_password(&mut self) {
        // SAFETY: a null value clears the item (pam_set_item(3)). The only failure is a bad handle, which this is not.
        unsafe { sys::pam_set_item(self.handle, sys::PAM_AUTHTOK, ptr::null()) };
    }

    /// Shows an error message to the user. Nothing can be done when the application does not show it.
    pub(crate) fn show_error(&mut self, text: &str) {
        let text = terminated(text);
        // SAFETY: constant format with one string argument; pam_prompt(3) allows a null response for a message.
        unsafe {
            sys::pam_prompt(self.handle, sys::PAM_ERROR_MSG, ptr::null_mut(), c"%s".as_ptr(), text.as_ptr())
        };
    }

    /// Writes a line to the system log under libpam's prefix, facility AUTHPRIV.
    pub(crate) fn log(&mut self, priority: c_int, text: &str) {
        let text = terminated(text);
        // SAFETY: constant format with one string argument, as pam_syslog(3) wants it.
        unsafe { sys::pam_syslog(self.handle, priority, c"%s".as_ptr(), text.as_ptr()) };
    }

    fn item(&mut self, item: c_int) -> *const c_char {
        let mut value: *const c_void = ptr::null();
        // SAFETY: the handle is valid for this call and `value` is writable.
        let code = unsafe { sys::pam_get_item(self.handle, item, &raw mut value) };
        if code == sys::PAM_SUCCESS { value.cast() } else { ptr::null() }
    }
}

/// Copies a password that libpam owns; none for a null pointer.
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
    // SAFETY: constant format with one string argument, as syslog(3) wants it.
    unsafe { libc::syslog(libc::LOG_AUTHPRIV | libc::LOG_CRIT, c"%s".as_ptr(), text.as_ptr()) };
}

/// The name of the mark among the data of a transaction. Another build of the module in the same stack has another
/// version, or at least its statics elsewhere, and may lay a [`Mark`] out differently.
fn mark_name() -> String {
    static PLACE: u8 = 0;
    format!("pam_nearmiss {} {:p} mark", env!("CARGO_PKG_VERSION"), &raw const PLACE)
}

/// The account's name as the system lists it; none when there is no such account or no answer.
pub(crate) fn account_name(user: &[u8]) -> Option<Vec<u8>> {
    look_up(user, name_within)
}

/// The GECOS field (real name, room, telephone) of an account; empty when there is no such account or no answer.
pub(crate) fn gecos(user: &[u8]) -> Vec<u8> {
    look_up(user, gecos_within).unwrap_or_default()
}

/// The password field of an account's shadow entry; none when there is no entry, or it is not for this process to read.
pub(crate) fn shadow_field(user: &[u8]) -> Option<Secret> {
    look_up(user, shadow_field_within)
}

/// True when the shadow field is the system's own hash of the password. False also where that cannot be told: the
/// hash is asked for only in a process that has it loaded, as it is where `pam_unix` sets the passwords.
pub(crate) fn is_hash_of(field: &Secret, password: &Secret) -> bool {
    // The names of libxcrypt with and without the interfaces of old.
    [c"libcrypt.so.1", c"libcrypt.so.2"].into_iter().any(|name| {
        // SAFETY: a null-terminated name; RTLD_NOLOAD loads nothing and runs no code of the library.
        let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_NOLOAD) };
        if library.is_null() {
            return false;
        }
        let hash = hash_by(library, field, password);
        // SAFETY: the handle is dlopen's, and nothing of the library is used after this.
        unsafe { libc::dlclose(library) };
        hash.is_some_and(|hash| hash.bytes() == field.bytes())
    })
}

fn hash_by(library: *mut c_void, setting: &Secret, password: &Secret) -> Option<Secret> {
    // SAFETY: the handle is dlopen's and the name null-terminated.
    let symbol = unsafe { libc::dlsym(library, c"crypt_rn".as_ptr()) };
    if symbol.is_null() {
        return None;
    }
    // SAFETY: libcrypt's function of this name has this type (crypt(3)).
    let crypt = unsafe { mem::transmute::<*mut c_void, sys::CryptRn>(symbol) };
    let phrase = Zeroizing::new([password.bytes(), b"\0"].concat());
    let setting = Zeroizing::new([setting.bytes(), b"\0"].concat());
    let mut memory = buffer(usize::try_from(sys::CRYPT_DATA_BYTES).ok()?)?;
    let (phrase, setting) = (phrase.as_ptr().cast(), setting.as_ptr().cast());
    // SAFETY: two null-terminated strings, and memory as long as said; crypt_rn refuses one that is too short.
    let hash = unsafe { crypt(phrase, setting, memory.as_mut_ptr().cast(), sys::CRYPT_DATA_BYTES) };
    // SAFETY: null or a null-terminated string inside `memory` (crypt(3)), which is still there.
    unsafe { secret_at(hash) }
}

/// Sizes of the buffer that are tried one after the other.
const BUFFER_BYTES: [usize; 3] = [4 << 10, 64 << 10, 1 << 20];

/// A buffer for the strings of an account: wiped when dropped.
type Buffer = Zeroizing<Vec<c_char>>;

fn look_up<T>(user: &[u8], within: fn(&CStr, Buffer) -> Lookup<T>) -> Option<T> {
    let user = CString::new(user).ok()?;
    for bytes in BUFFER_BYTES {
        match within(&user, buffer(bytes)?) {
            Lookup::Found(field) => return Some(field),
            Lookup::TooSmall => {}
            Lookup::Nothing => break,
        }
    }
    None
}

fn buffer(bytes: usize) -> Option<Buffer> {
    let mut buffer = Buffer::default();
    buffer.try_reserve_exact(bytes).ok()?;
    buffer.resize(bytes, 0);
    Some(buffer)
}

enum Lookup<T> {
    Found(T),
    TooSmall,
    Nothing,
}

fn name_within(user: &CStr, buffer: Buffer) -> Lookup<Vec<u8>> {
    account_field_within(user, buffer, |entry| entry.pw_name)
}

fn gecos_within(user: &CStr, buffer: Buffer) -> Lookup<Vec<u8>> {
    account_field_within(user, buffer, |entry| entry.pw_gecos)
}

/// A field of an account's entry: one of the strings that `passwd` points to.
fn account_field_within(
    user: &CStr,
    mut buffer: Buffer,
    field: fn(&passwd) -> *mut c_char,
) -> Lookup<Vec<u8>> {
    let mut entry = MaybeUninit::<passwd>::uninit();
    let mut found: *mut passwd = ptr::null_mut();
    // SAFETY: all four places are writable and as long as said; getpwnam_r(3) keeps within them.
    let code = unsafe {
        libc::getpwnam_r(user.as_ptr(), entry.as_mut_ptr(), buffer.as_mut_ptr(), buffer.len(), &raw mut found)
    };
    if found.is_null() {
        return if code == libc::ERANGE { Lookup::TooSmall } else { Lookup::Nothing };
    }
    // SAFETY: a result that is not null points to `entry`, filled in (getpwnam_r(3)).
    let field = field(unsafe { &*found });
    if field.is_null() {
        return Lookup::Nothing;
    }
    // SAFETY: the field is a null-terminated string inside `buffer`, which is still there.
    let field = unsafe { CStr::from_ptr(field) };
    Lookup::Found(field.to_bytes().to_vec())
}

fn shadow_field_within(user: &CStr, mut buffer: Buffer) -> Lookup<Secret> {
    let mut entry = MaybeUninit::<spwd>::uninit();
    let mut found: *mut spwd = ptr::null_mut();
    // SAFETY: all four places are writable and as long as said; getspnam_r(3) keeps within them.
    let code = unsafe {
        libc::getspnam_r(user.as_ptr(), entry.as_mut_ptr(), buffer.as_mut_ptr(), buffer.len(), &raw mut found)
    };
    if found.is_null() {
        return if code == libc::ERANGE { Lookup::TooSmall } else { Lookup::Nothing };
    }
    // SAFETY: a result that is not null points to `entry`, filled in (getspnam_r(3)).
    let field = unsafe { (*found).sp_pwdp };
    // SAFETY: the field is null or a null-terminated string inside `buffer`, which is still there.
    let field = unsafe { secret_at(field) };
    field.map_or(Lookup::Nothing, Lookup::Found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_ends_at_its_first_null_byte() {
        assert_eq!(terminated("one\0two").as_bytes(), b"one");
        assert_eq!(terminated("").as_bytes(), b"");
    }

    #[test]
    fn reads_the_real_name_of_an_account() {
        let accounts = std::fs::read_to_string("/etc/passwd").unwrap();
        let root = accounts.lines().find(|line| line.starts_with("root:")).unwrap();
        assert_eq!(gecos(b"root"), root.split(':').nth(4).unwrap().as_bytes());
    }

    #[test]
    fn an_account_has_the_name_it_is_listed_under() {
        assert_eq!(account_name(b"root").as_deref(), Some(b"root".as_slice()));
        assert!(account_name(b"no such \xff user").is_none() && account_name(b"null\0byte").is_none());
    }

    #[test]
    fn an_unknown_account_has_no_real_name() {
        assert!(gecos(b"no such \xff user").is_empty());
        assert!(gecos(b"null\0byte").is_empty());
    }

    #[test]
    fn a_small_buffer_is_told_from_no_answer() {
        assert!(matches!(gecos_within(c"root", buffer(1).unwrap()), Lookup::TooSmall));
        assert!(matches!(gecos_within(c"no-such-user", buffer(4096).unwrap()), Lookup::Nothing));
    }

    #[test]
    fn a_hash_is_asked_of_a_library_that_is_loaded_only() {
        // crypt(3) of "Orig-0ld-pw", SHA-512.
        let field = Secret::copy_of(
            b"$6$nearmisstest$2Ouup.fv3oFVK6VCiMsbQwk1Yv21MDJ3Xjs.GYuK1tvSeTlWTLG.yUvfEocrdaXahTp01I3XhrRiU3N5/y/v/1",
        );
        let password = Secret::copy_of(b"Orig-0ld-pw");
        assert!(!is_hash_of(&field, &password), "nothing here has loaded libcrypt");
        // SAFETY: a null-terminated name of a library of the system.
        let library = unsafe { libc::dlopen(c"libcrypt.so.1".as_ptr(), libc::RTLD_NOW) };
        if library.is_null() {
            return; // a system with the other name
        }
        assert!(is_hash_of(&field, &password));
        assert!(!is_hash_of(&field, &Secret::copy_of(b"Orig-0ld-px")));
        assert!(!is_hash_of(&Secret::copy_of(b"!"), &password));
    }

    #[test]
    fn only_root_reads_the_shadow_field_of_an_account() {
        let shadow = std::fs::read_to_string("/etc/shadow");
        let entry = shadow.iter().flat_map(|text| text.lines()).find(|line| line.starts_with("root:"));
        let field = entry.and_then(|line| line.split(':').nth(1));
        assert_eq!(shadow_field(b"root").as_ref().map(Secret::bytes), field.map(str::as_bytes));
        assert!(shadow_field(b"no such \xff user").is_none());
        assert!(shadow_field(b"null\0byte").is_none());
    }
}
