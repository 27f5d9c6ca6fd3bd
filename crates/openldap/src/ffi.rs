//! `check_password`, the only function of a checking module: all of the unsafe code.
#![allow(unsafe_code, reason = "this is the boundary to C")]

use std::{
    ffi::{CStr, OsStr, c_char, c_int, c_ulong, c_void},
    os::unix::ffi::OsStrExt,
    path::Path,
    ptr, slice,
    sync::Arc,
};

use nearmiss_checker::{
    Answer, Checker, DEFAULT_PATH, Facts, MAX_PASSWORD_BYTES, Named, Verdict, ffi::beginning, log, names,
};
use nearmiss_policy::guard;

/// `LDAP_SUCCESS`.
const ACCEPTED: c_int = 0;
/// `LDAP_CONSTRAINT_VIOLATION`: the password must not be set.
const REJECTED: c_int = 19;

/// The longest name of an entry that is read, in bytes (`SLAP_LDAPDN_MAXLEN`).
const NAME_BYTES: c_ulong = 8192;

/// `struct berval` of `lber.h`.
#[repr(C)]
pub(crate) struct Berval {
    length: c_ulong,
    value: *mut c_char,
}

/// The beginning of slapd's `Entry`: its number, its name as given and normalized, and its attributes, in the
/// layout of every release from 2.3 to 2.6.
#[repr(C)]
pub(crate) struct Entry {
    _number: c_ulong,
    name: Berval,
    _normalized: Berval,
    attributes: *const Attribute,
}

/// The beginning of an attribute of an entry: its description, and its values, the last of which is null.
#[repr(C)]
struct Attribute {
    _description: *const c_void,
    values: *const Berval,
}

/// Attributes that name the person.
const NAMES: [&CStr; 6] = [c"uid", c"cn", c"sn", c"givenName", c"displayName", c"mail"];
/// The number of values of one attribute that are read.
const VALUES: usize = 8;

unsafe extern "C" {
    /// slapd's: finds the description of an attribute by its name; 0 if the schema has it.
    fn slap_str2ad(name: *const c_char, description: *mut *const c_void, text: *mut *const c_char) -> c_int;
    /// slapd's: finds an attribute in a list; null if it is not in the list.
    fn attr_find(attributes: *const Attribute, description: *const c_void) -> *const Attribute;
}

/// The function of OpenLDAP 2.6. The argument (`pwdCheckModuleArg`) is the path of a configuration; without
/// one the system's own is used.
///
/// # Safety
/// As in slapo-ppolicy(5): a null-terminated password, a buffer for the message, the entry that is changed,
/// and the argument or null.
#[cfg(not(any(feature = "openldap-2-4", feature = "openldap-2-5")))]
#[unsafe(no_mangle)]
unsafe extern "C" fn check_password(
    password: *const c_char,
    message: *mut Berval,
    entry: *const Entry,
    argument: *const Berval,
) -> c_int {
    // SAFETY: the caller's promise, for each.
    let Some(sentence) = (unsafe { rejection(password, entry, argument) }) else { return ACCEPTED };
    // SAFETY: slapd passes a buffer of `length` bytes.
    unsafe { put(message, &sentence) };
    REJECTED
}

/// The function of OpenLDAP 2.5: like the one of 2.6, but slapd frees the message.
///
/// # Safety
/// As in slapo-ppolicy(5) of 2.5.
#[cfg(feature = "openldap-2-5")]
#[unsafe(no_mangle)]
unsafe extern "C" fn check_password(
    password: *const c_char,
    message: *mut *mut c_char,
    entry: *const Entry,
    argument: *const Berval,
) -> c_int {
    // SAFETY: the caller's promise, for each.
    let Some(sentence) = (unsafe { rejection(password, entry, argument) }) else { return ACCEPTED };
    // SAFETY: a place for a message, or null.
    unsafe { hand_over(message, &sentence) };
    REJECTED
}

/// The function of OpenLDAP 2.4, which has no argument.
///
/// # Safety
/// As in slapo-ppolicy(5) of 2.4.
#[cfg(all(feature = "openldap-2-4", not(feature = "openldap-2-5")))]
#[unsafe(no_mangle)]
unsafe extern "C" fn check_password(
    password: *const c_char,
    message: *mut *mut c_char,
    entry: *const Entry,
) -> c_int {
    // SAFETY: the caller's promise, for each.
    let Some(sentence) = (unsafe { rejection(password, entry, ptr::null()) }) else { return ACCEPTED };
    // SAFETY: a place for a message, or null.
    unsafe { hand_over(message, &sentence) };
    REJECTED
}

/// Gives slapd a message to free.
///
/// # Safety
/// `message` is null or may be written.
#[cfg(any(feature = "openldap-2-4", feature = "openldap-2-5"))]
unsafe fn hand_over(message: *mut *mut c_char, sentence: &str) {
    unsafe extern "C" {
        /// A function of liblber, which slapd links: returns memory that `ber_memfree` frees.
        fn ber_strdup(text: *const c_char) -> *mut c_char;
    }
    let text = std::ffi::CString::new(sentence).unwrap_or_default();
    if !message.is_null() {
        // SAFETY: a null-terminated string, which is copied.
        let copy = unsafe { ber_strdup(text.as_ptr()) };
        // SAFETY: the caller's promise.
        unsafe { message.write(copy) };
    }
}

/// The sentence for the user about a password that must not be set; none for one that may be.
///
/// # Safety
/// As [`judge`].
unsafe fn rejection(password: *const c_char, entry: *const Entry, argument: *const Berval) -> Option<String> {
    // SAFETY: the caller's promise, for each.
    let answer = unsafe { judge(password, entry, argument) };
    tell(&answer);
    (answer.verdict != Verdict::Accepted).then(|| format!("Password rejected: {}", answer.sentence))
}

/// The overlay has no field for the administrator's line, so it goes to the system log, with the code of a
/// rejection, which slapd's own log lacks.
fn tell(answer: &Answer) {
    let rejected = answer.reason.map(|reason| format!("a password is rejected [{}]", reason.code()));
    let said = [rejected.unwrap_or_default(), answer.detail.clone()];
    let said: Vec<&str> = said.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    let line = format!("nearmiss: {}", said.join("; "));
    match answer.verdict {
        _ if said.is_empty() => {}
        Verdict::Unusable | Verdict::Fault => log::critical(&line),
        Verdict::Accepted | Verdict::Rejected => log::notice(&line),
    }
}

/// # Safety
/// Each is null or an argument that slapd passes to a checking module, and stays unchanged during the call.
unsafe fn judge(password: *const c_char, entry: *const Entry, argument: *const Berval) -> Answer {
    let judged = guard::catch(|| {
        // SAFETY: the caller's promise: null, or null-terminated.
        let Some(password) = (unsafe { beginning(password, MAX_PASSWORD_BYTES + 1) }) else {
            return Answer::no_password();
        };
        // SAFETY: the caller's promise.
        let name = unsafe { entry.as_ref() }.map_or(&b""[..], |entry| {
            // SAFETY: the name of an entry.
            unsafe { bytes(&raw const entry.name) }
        });
        // SAFETY: the caller's promise.
        let conf = configuration(unsafe { bytes(argument) });
        // SAFETY: the caller's promise.
        let gecos = names::of_values(unsafe { names_of(entry) });
        let facts = Facts { user: names::of_entry(name), gecos: &gecos, ..Facts::default() };
        checker(conf).check(password, &facts)
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
    // SAFETY: this number of bytes, and at most NAME_BYTES.
    unsafe { slice::from_raw_parts(berval.value.cast(), usize::try_from(berval.length).unwrap_or_default()) }
}

/// The entry's names of the person.
///
/// # Safety
/// `entry` is null or an entry of slapd's that stays as it is for `'a`.
unsafe fn names_of<'a>(entry: *const Entry) -> Vec<&'a [u8]> {
    // SAFETY: the caller's promise.
    let Some(entry) = (unsafe { entry.as_ref() }) else { return Vec::new() };
    let mut names = Vec::new();
    for name in NAMES {
        let (mut description, mut text) = (ptr::null(), ptr::null());
        // SAFETY: a null-terminated name and two places that are written; a description stays for good.
        if unsafe { slap_str2ad(name.as_ptr(), &raw mut description, &raw mut text) } != 0 {
            continue;
        }
        // SAFETY: the entry's own list, and a description that is known.
        let found = unsafe { attr_find(entry.attributes, description) };
        // SAFETY: null, or an attribute of the entry.
        let Some(attribute) = (unsafe { found.as_ref() }) else { continue };
        // SAFETY: the values of an attribute end with one that is null.
        names.extend(unsafe { values_of(attribute.values) });
    }
    names
}

/// # Safety
/// `values` is null or points to values the last of which is null, and which stay as they are for `'a`.
unsafe fn values_of<'a>(values: *const Berval) -> Vec<&'a [u8]> {
    let mut found = Vec::new();
    for at in 0..VALUES {
        let place = values.wrapping_add(at);
        // SAFETY: no value after the null one is read.
        if values.is_null() || unsafe { &*place }.value.is_null() {
            break;
        }
        // SAFETY: a value of the caller's.
        found.push(unsafe { bytes(place) });
    }
    found
}

fn configuration(argument: &[u8]) -> &Path {
    Path::new(if argument.is_empty() { OsStr::new(DEFAULT_PATH) } else { OsStr::from_bytes(argument) })
}

/// The checker of a configuration: policies may name several.
fn checker(conf: &Path) -> Arc<Checker> {
    static CHECKERS: Named = Named::new();
    CHECKERS.of(conf)
}

/// Writes as much of a text as fits.
///
/// # Safety
/// `message` is null or points to a `berval` with a buffer of `length` bytes.
#[cfg(not(any(feature = "openldap-2-4", feature = "openldap-2-5")))]
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
    unsafe { message.value.wrapping_add(end).write(0) };
}
