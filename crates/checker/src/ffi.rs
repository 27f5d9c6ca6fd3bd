//! Strings that programs written in C pass.
#![allow(unsafe_code, reason = "this is the boundary to C")]

use core::{ffi::c_char, slice};

/// The first bytes of a string, at most this number; none for a null pointer.
///
/// # Safety
/// `place` is null or points to a null-terminated string that stays as it is for `'a`.
pub unsafe fn beginning<'a>(place: *const c_char, most: usize) -> Option<&'a [u8]> {
    if place.is_null() {
        return None;
    }
    // SAFETY: no byte after the null byte is read, and the caller promises that there is one.
    let length = (0..most).find(|&at| unsafe { place.wrapping_add(at).read() } == 0).unwrap_or(most);
    // SAFETY: these bytes were just read.
    Some(unsafe { slice::from_raw_parts(place.cast(), length) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_is_read_up_to_its_end_or_the_limit() {
        let text = c"password";
        for (most, wanted) in [(0, &b""[..]), (4, b"pass"), (8, b"password"), (9, b"password")] {
            // SAFETY: a constant string.
            assert_eq!(unsafe { beginning(text.as_ptr(), most) }, Some(wanted));
        }
        // SAFETY: a null pointer.
        assert_eq!(unsafe { beginning(core::ptr::null(), 9) }, None);
    }
}
