//! The locale of the application: the language of libpam's own prompts, and the charset of what is typed.

use std::ffi::CStr;

use libc::{c_char, c_int, c_void, size_t};
use nearmiss_filters::{
    storage::StandardTaken,
    word::{MAX_CHARACTERS, Word},
};
use zeroize::Zeroizing;

/// Linux-PAM's catalogue, which `pam_start` binds (`libpam/pam_start.c`) and libpam takes its prompts from.
const PROMPTS: &CStr = c"Linux-PAM";

/// More numbers than a `mbstate_t` has: one in glibc and in musl.
const STATE: usize = 16;

unsafe extern "C" {
    /// From `libintl.h`; part of libc in glibc and musl.
    fn dgettext(domain: *const c_char, message: *const c_char) -> *mut c_char;

    fn nl_langinfo(item: c_int) -> *mut c_char;

    /// From `wchar.h`; a `wchar_t` of Linux has 32 bits, with a sign or without.
    fn mbsnrtowcs(
        wide: *mut u32,
        text: *mut *const c_char,
        bytes: size_t,
        room: size_t,
        state: *mut c_void,
    ) -> size_t;

    fn mbsinit(state: *const c_void) -> c_int;
}

/// The `Language` that Linux-PAM's catalogue names in its header, where the terminal shows UTF-8. None if
/// the prompts are English.
///
/// libpam looks its prompts up in the same catalogue, so nothing is read here that libpam does not read
/// itself. libc chooses the catalogue from the application's locale.
pub(super) fn of_prompts() -> Option<String> {
    // It may have to read the catalogue.
    let _taken = StandardTaken::take();
    // SAFETY: any number may be asked for (nl_langinfo(3)).
    let codeset = unsafe { nl_langinfo(libc::CODESET) };
    // SAFETY: nl_langinfo(3) returns a null-terminated string that is valid until the locale changes, which
    // no other code does during this call of the module.
    let codeset = unsafe { text_at(codeset) }?;
    if codeset != b"UTF-8" {
        return None;
    }
    // SAFETY: both arguments are null-terminated and stay.
    let header = unsafe { dgettext(PROMPTS.as_ptr(), c"".as_ptr()) };
    // SAFETY: dgettext(3) returns its second argument or a null-terminated string of the catalogue; both
    // stay.
    language_in(unsafe { text_at(header) }?)
}

/// A password that is not UTF-8 in UTF-8, as the application's locale reads it; none if it is nothing in the
/// charset of that locale, or too long to be near a word. One in UTF-8 is read in no other way.
///
/// A terminal that does not use UTF-8 belongs to a locale that does not either. libc reads for exactly that
/// locale: neither a setting nor the environment is used, and libc loads at most the converter of a locale
/// that the administrator installed and the application chose. It converts from one buffer into the other;
/// `iconv` would leave the text in a buffer of its own between two converters.
#[inline(never)]
pub(super) fn read_in_locale(password: &[u8]) -> Option<Word> {
    if std::str::from_utf8(password).is_ok() {
        return None;
    }
    let mut wide: Zeroizing<[u32; MAX_CHARACTERS + 1]> = Zeroizing::new([0; MAX_CHARACTERS + 1]);
    let mut state = [0_u64; STATE];
    let mut next = password.as_ptr().cast();
    // It may have to read the converter.
    let _taken = StandardTaken::take();
    // SAFETY: libc reads at most the bytes of the password and writes at most as many characters as there is
    // room for. The state is larger than a `mbstate_t` and aligned for one; zeros are the first state
    // (mbsinit(3)), and the last one of whole characters.
    let length = unsafe {
        let state = state.as_mut_ptr().cast();
        mbsnrtowcs(wide.as_mut_ptr(), &raw mut next, password.len(), wide.len(), state)
    };
    // SAFETY: the state is the one that mbsnrtowcs has left.
    let is_whole = unsafe { mbsinit(state.as_ptr().cast()) } != 0;
    // The error is the highest number, which is beyond the end. A part of a character may be at the end.
    let wide = wide.get(..length).filter(|_| is_whole).unwrap_or_default();
    let word = Word::from_characters(&mut wide.iter().filter_map(|&wide| char::from_u32(wide)));
    word.filter(|word| !word.is_empty())
}

/// # Safety
/// `text` is null or points to a null-terminated string that stays while the result is used.
unsafe fn text_at<'t>(text: *const c_char) -> Option<&'t [u8]> {
    // SAFETY: the caller's promise.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_bytes())
}

/// The field `Language` of a catalogue's header.
fn language_in(header: &[u8]) -> Option<String> {
    let field = header.split(|&byte| byte == b'\n').find_map(|line| line.strip_prefix(b"Language:"))?;
    String::from_utf8(field.trim_ascii().to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_names_its_language() {
        let header = b"Project-Id-Version: Linux-PAM\nLanguage: pt_BR\nLanguage-Team: x\nMIME-Version: 1.0\n";
        assert_eq!(language_in(header).as_deref(), Some("pt_BR"));
        for header in [b"".as_slice(), b"Language-Team: de\n", b"Language: \xff\n"] {
            assert_eq!(language_in(header), None, "{header:?}");
        }
    }

    /// A test runs in the locale C, like a program that never calls setlocale.
    #[test]
    fn without_a_locale_the_prompts_are_english() {
        assert_eq!(of_prompts(), None);
    }
}
