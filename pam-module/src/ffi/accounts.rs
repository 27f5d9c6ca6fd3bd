//! The system's databases of accounts: `getpwnam_r` and `getspnam_r`.

use std::{
    ffi::{CStr, CString},
    mem::MaybeUninit,
    ptr,
};

use libc::{c_char, passwd, spwd};
use nearmiss_filters::storage::StandardTaken;
use nearmiss_policy::secret::Secret;
use zeroize::Zeroizing;

use super::secret_at;

/// The account's name as the system lists it; none if there is no such account or no answer.
pub(crate) fn account_name(user: &[u8]) -> Option<Vec<u8>> {
    look_up(user, name_within)
}

/// The account's user number; none if there is no such account or no answer.
pub(crate) fn uid(user: &[u8]) -> Option<u32> {
    look_up(user, uid_within)
}

/// The GECOS field (real name, room, telephone) of an account; empty when there is no such account or no
/// answer.
pub(crate) fn gecos(user: &[u8]) -> Vec<u8> {
    look_up(user, gecos_within).unwrap_or_default()
}

/// The password field of an account's shadow entry; none if there is no entry, or this process may not read
/// it.
pub(crate) fn shadow_field(user: &[u8]) -> Option<Secret> {
    look_up(user, shadow_field_within)
}

/// Sizes of the buffer that are tried one after the other: it is cleared and wiped for each account.
const BUFFER_BYTES: [usize; 3] = [1 << 10, 32 << 10, 1 << 20];

/// A buffer for the strings of an account: wiped when dropped.
type Buffer = Zeroizing<Vec<c_char>>;

fn look_up<T>(user: &[u8], within: fn(&CStr, Buffer) -> Lookup<T>) -> Option<T> {
    let user = CString::new(user).ok()?;
    // A source of accounts (nsswitch.conf(5)) may keep its connection open.
    let _taken = StandardTaken::take();
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

fn uid_within(user: &CStr, buffer: Buffer) -> Lookup<u32> {
    entry_within(user, buffer, |entry| Some(entry.pw_uid))
}

fn name_within(user: &CStr, buffer: Buffer) -> Lookup<Vec<u8>> {
    // SAFETY: `entry_within` hands over an entry whose strings are there.
    entry_within(user, buffer, |entry| unsafe { copied(entry.pw_name) })
}

fn gecos_within(user: &CStr, buffer: Buffer) -> Lookup<Vec<u8>> {
    // SAFETY: as in `name_within`.
    entry_within(user, buffer, |entry| unsafe { copied(entry.pw_gecos) })
}

/// One of the strings of an account's entry; none for a null pointer.
///
/// # Safety
/// `field` is null or points to a null-terminated string that stays valid during the call.
unsafe fn copied(field: *const c_char) -> Option<Vec<u8>> {
    // SAFETY: the caller's promise.
    (!field.is_null()).then(|| unsafe { CStr::from_ptr(field) }.to_bytes().to_vec())
}

/// The values that `read` takes from an account's entry, while its strings are in the buffer.
fn entry_within<T>(user: &CStr, mut buffer: Buffer, read: fn(&passwd) -> Option<T>) -> Lookup<T> {
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
    let entry = unsafe { &*found };
    // Its strings lie inside `buffer`, which is still there.
    read(entry).map_or(Lookup::Nothing, Lookup::Found)
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
    fn reads_the_real_name_of_an_account() {
        let accounts = std::fs::read_to_string("/etc/passwd").unwrap();
        let root = accounts.lines().find(|line| line.starts_with("root:")).unwrap();
        assert_eq!(gecos(b"root"), root.split(':').nth(4).unwrap().as_bytes());
    }

    #[test]
    fn an_account_has_the_name_it_is_listed_under() {
        assert_eq!(account_name(b"root").as_deref(), Some(b"root".as_slice()));
        assert_eq!((uid(b"root"), uid(b"no such user")), (Some(0), None));
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
    fn only_root_reads_the_shadow_field_of_an_account() {
        let shadow = std::fs::read_to_string("/etc/shadow");
        let entry = shadow.iter().flat_map(|text| text.lines()).find(|line| line.starts_with("root:"));
        let field = entry.and_then(|line| line.split(':').nth(1));
        assert_eq!(shadow_field(b"root").as_ref().map(Secret::bytes), field.map(str::as_bytes));
        assert!(shadow_field(b"no such \xff user").is_none());
        assert!(shadow_field(b"null\0byte").is_none());
    }
}
