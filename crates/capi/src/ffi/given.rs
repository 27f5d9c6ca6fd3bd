//! The caller's arguments, borrowed and read only within validated limits.

use std::{
    ffi::{OsStr, c_char, c_void},
    mem::size_of,
    os::unix::ffi::OsStrExt,
    path::{Component, Path},
    slice,
};

use nearmiss_checker::{DEFAULT_PATH, Facts, MAX_PASSWORD_BYTES, ffi::beginning, keys};

use super::{Invalid, Question};

/// The number of bytes of a password that are read: one more than may be accepted.
pub(super) const PASSWORD_BYTES: usize = MAX_PASSWORD_BYTES + 1;
/// The number of bytes of a name or a path that are read.
const TEXT_BYTES: usize = 4096;

/// The content of a question, borrowed.
pub(super) struct Asked<'a> {
    pub(super) password: &'a [u8],
    pub(super) facts: Facts<'a>,
    pub(super) language: Option<&'a [u8]>,
}

impl<'a> Asked<'a> {
    /// # Safety
    /// `question` is null or points to a structure as long as its `size` says, and all that it points to
    /// stays as it is for `'a`.
    pub(super) unsafe fn of(question: *const Question) -> Result<Asked<'a>, Invalid> {
        if question.is_null() {
            return Err(Invalid::of("the request is null"));
        }
        // SAFETY: the caller's promise; `size` is the first member.
        let size = unsafe { question.cast::<usize>().read_unaligned() };
        if size < size_of::<Question>() {
            return Err(Invalid::of("the request's size is not the size of the structure"));
        }
        // SAFETY: the structure is as long as `size`, which is not less.
        let known = unsafe { question.read_unaligned() };
        // SAFETY: as above.
        if !unsafe { is_zero_beyond(question.cast(), size_of::<Question>(), size) } {
            return Err(Invalid::of("the request has a member that this version does not know"));
        }
        // SAFETY: the caller's promise, for each.
        let password = unsafe { secret(known.password, known.password_bytes) };
        // SAFETY: as above.
        let old_password = unsafe { secret(known.old_password, known.old_password_bytes) };
        // SAFETY: as above.
        let [user, gecos, host] = [known.user, known.gecos, known.host].map(|place| unsafe { text(place) });
        // SAFETY: as above.
        let language = unsafe { text(known.language) };
        let facts = Facts {
            user: user.unwrap_or_default(),
            gecos: gecos.unwrap_or_default(),
            host,
            old_password: old_password?,
        };
        Ok(Asked { password: password?.ok_or(Invalid::of("password is null"))?, facts, language })
    }
}

/// True if the bytes that a newer header added to a structure are all zero.
///
/// # Safety
/// `structure` points to `size` bytes.
unsafe fn is_zero_beyond(structure: *const u8, known: usize, size: usize) -> bool {
    /// Larger than any header's structure: a `size` that was not set.
    const MAX: usize = 1 << 16;
    if size > MAX {
        return false;
    }
    // SAFETY: the caller's promise; the range begins within the structure and ends at its end.
    let rest = unsafe { slice::from_raw_parts(structure.wrapping_add(known), size.saturating_sub(known)) };
    rest.iter().all(|byte| *byte == 0)
}

/// The beginning of a password; none for a null pointer of no length.
///
/// # Safety
/// `place` is null or points to this number of bytes, which stay as they are for `'a`.
pub(super) unsafe fn secret<'a>(place: *const c_void, bytes: usize) -> Result<Option<&'a [u8]>, Invalid> {
    if place.is_null() {
        return if bytes == 0 { Ok(None) } else { Err(Invalid::of("a password is null but has a length")) };
    }
    // SAFETY: the caller's promise; not more than the stated number, and less than isize::MAX.
    Ok(Some(unsafe { slice::from_raw_parts(place.cast(), bytes.min(PASSWORD_BYTES)) }))
}

/// The beginning of a string; none for a null pointer.
///
/// # Safety
/// `place` is null or points to a null-terminated string that stays as it is for `'a`.
pub(super) unsafe fn text<'a>(place: *const c_char) -> Option<&'a [u8]> {
    // SAFETY: the caller's promise.
    unsafe { beginning(place, TEXT_BYTES) }
}

/// The configuration a caller names; the system's own for a null pointer.
pub(super) fn configuration(named: Option<&[u8]>) -> Result<&Path, Invalid> {
    let Some(named) = named else { return Ok(Path::new(DEFAULT_PATH)) };
    let path = Path::new(OsStr::from_bytes(named));
    let is_plain = path.components().all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
    if named.len() < TEXT_BYTES && path.is_absolute() && is_plain {
        return Ok(path);
    }
    let what = "the path of the configuration is not absolute or contains '..'";
    Err(Invalid { what, key: keys::PATH_NOT_ABSOLUTE })
}
