//! The module's entry point and the functions that MIT Kerberos calls through it: all of the unsafe code.
#![allow(unsafe_code, reason = "this is the boundary to C")]

use std::{
    ffi::{CString, c_char, c_int, c_uint, c_void},
    path::Path,
    slice,
    sync::Arc,
};

use nearmiss_checker::{
    Answer, Checker, DEFAULT_PATH, Facts, MAX_PASSWORD_BYTES, Named, Reason, Verdict, configuration,
    ffi::beginning, names, translated,
};
use nearmiss_policy::guard;

/// `KADM5_FAILURE` of `kadm5/kadm_err.h`: the password was not checked.
const NOT_CHECKED: i32 = 43_787_520;
/// `KADM5_PASS_Q_TOOSHORT`.
const TOO_SHORT: i32 = 43_787_542;
/// `KADM5_PASS_Q_DICT`: it is in a dictionary.
const IN_DICTIONARY: i32 = 43_787_544;
/// `KADM5_PASS_Q_GENERIC`: it is rejected for another reason.
const OTHER_REASON: i32 = 43_787_577;
/// `KRB5_PLUGIN_VER_NOTSUPP`: another version of the interface was requested.
const OTHER_VERSION: i32 = -1_750_600_192;

/// The number of bytes of a name that are read.
const TEXT_BYTES: usize = 256;
/// The number of components of a principal that are read.
const COMPONENTS: usize = 8;

/// `krb5_data`.
#[repr(C)]
struct Data {
    magic: i32,
    length: c_uint,
    start: *const c_char,
}

/// `krb5_principal_data`.
#[repr(C)]
struct Principal {
    magic: i32,
    realm: Data,
    components: *const Data,
    count: i32,
    kind: i32,
}

type Check = unsafe extern "C" fn(
    context: *mut c_void,
    data: *mut c_void,
    password: *const c_char,
    policy: *const c_char,
    principal: *const Principal,
    languages: *const *const c_char,
) -> i32;

/// `struct krb5_pwqual_vtable_st`, which the caller has zeroed.
#[repr(C)]
struct Vtable {
    name: *const c_char,
    open: Option<unsafe extern "C" fn()>,
    check: Option<Check>,
    close: Option<unsafe extern "C" fn()>,
}

unsafe extern "C" {
    /// A function of libkrb5, which every program that loads the module has.
    fn krb5_set_error_message(context: *mut c_void, code: i32, format: *const c_char, ...);
}

/// Fills in the table of the module called `nearmiss`.
///
/// # Safety
/// As in `krb5/plugin.h`: `table` points to the table of the `pwqual` interface in the version named.
#[unsafe(no_mangle)]
unsafe extern "C" fn pwqual_nearmiss_initvt(
    _context: *mut c_void,
    major: c_int,
    _minor: c_int,
    table: *mut c_void,
) -> i32 {
    if major != 1 || table.is_null() {
        return OTHER_VERSION;
    }
    let table = table.cast::<Vtable>();
    // SAFETY: the caller's promise: version 1 has these members, and they may be written.
    unsafe { (*table).name = c"nearmiss".as_ptr() };
    // SAFETY: as above.
    unsafe { (*table).check = Some(check) };
    0
}

unsafe extern "C" fn check(
    context: *mut c_void,
    _data: *mut c_void,
    password: *const c_char,
    policy: *const c_char,
    principal: *const Principal,
    languages: *const *const c_char,
) -> i32 {
    let judged = guard::catch(|| {
        // SAFETY: pwqual_plugin.h: a null-terminated string that stays as it is during the call.
        let password = unsafe { beginning(password, MAX_PASSWORD_BYTES + 1) };
        // SAFETY: pwqual_plugin.h: a principal, which outlives the call.
        let user = unsafe { names_of(principal) };
        let facts = Facts { user: &user, ..Facts::default() };
        // This is not called for a principal without a password (a random key), so null is a mistake.
        let Some(password) = password else { return Answer::no_password() };
        // SAFETY: pwqual_plugin.h: the name of the principal's policy, or null.
        let policy = unsafe { beginning(policy, TEXT_BYTES) };
        checker(policy.unwrap_or_default()).check(password, &facts)
    });
    let mut answer = judged.unwrap_or_else(|_| Answer::fault("internal error"));
    // SAFETY: pwqual_plugin.h: null, or tags of which the last is null.
    if let Some(sentence) = unsafe { first_language(languages) }.and_then(|tag| translated(&answer, tag)) {
        answer.sentence = sentence;
    }
    let (code, begins) = match answer.verdict {
        Verdict::Accepted => return 0,
        Verdict::Rejected => (code(answer.reason), "Password rejected"),
        _ => (NOT_CHECKED, "Password not checked"),
    };
    // kadmind writes the message to its log as well: it contains nothing of the password.
    let text = if answer.detail.is_empty() {
        format!("{begins}: {}", answer.sentence)
    } else {
        format!("{begins}: {} ({})", answer.sentence, answer.detail)
    };
    let text = CString::new(text).unwrap_or_else(|_| c"Password rejected".to_owned());
    // SAFETY: the context the module was called with, and a constant format with one string argument.
    unsafe { krb5_set_error_message(context, code, c"%s".as_ptr(), text.as_ptr()) };
    code
}

/// The code for a client over the network: kpasswd has its own sentence for each of these codes.
fn code(reason: Option<Reason>) -> i32 {
    match reason {
        Some(Reason::Empty | Reason::TooShort { .. }) => TOO_SHORT,
        Some(
            Reason::Dictionary
            | Reason::NearDictionary
            | Reason::Breached
            | Reason::TwoWords
            | Reason::MostlyWord,
        ) => IN_DICTIONARY,
        _ => OTHER_REASON,
    }
}

/// The folder of the configurations for single policies of Kerberos.
const POLICIES: &str = "/etc/security/nearmiss-krb5";

fn checker(policy: &[u8]) -> Arc<Checker> {
    static CHECKERS: Named = Named::new();
    CHECKERS.of(&configuration(Path::new(POLICIES), policy, Path::new(DEFAULT_PATH)))
}

/// The language that the client prefers.
///
/// # Safety
/// `languages` is null or points to null-terminated tags, the last of which is null, that stay for `'a`.
unsafe fn first_language<'a>(languages: *const *const c_char) -> Option<&'a [u8]> {
    if languages.is_null() {
        return None;
    }
    // SAFETY: the caller's promise: there is at least the null that ends them.
    let first = unsafe { languages.read() };
    // SAFETY: the caller's promise.
    unsafe { beginning(first, TEXT_BYTES) }
}

/// The names in a principal: see [`names::of_principal`].
///
/// # Safety
/// `principal` is null or points to a principal that stays as it is during the call.
unsafe fn names_of(principal: *const Principal) -> Vec<u8> {
    // SAFETY: the caller's promise.
    let Some(principal) = (unsafe { principal.as_ref() }) else { return Vec::new() };
    let count = usize::try_from(principal.count).unwrap_or_default().min(COMPONENTS);
    let components: &[Data] = if principal.components.is_null() {
        &[]
    } else {
        // SAFETY: krb5.h, krb5_principal_data: there are so many components.
        unsafe { slice::from_raw_parts(principal.components, count) }
    };
    // SAFETY: the components and the realm of the caller's principal.
    let components: Vec<&[u8]> = components.iter().map(|part| unsafe { bytes(part) }).collect();
    // SAFETY: as above.
    names::of_principal(&components, unsafe { bytes(&principal.realm) })
}

/// # Safety
/// The data's start is null or points to as many bytes as its length says, for `'a`.
unsafe fn bytes(data: &Data) -> &[u8] {
    if data.start.is_null() {
        return b"";
    }
    let length = usize::try_from(data.length).unwrap_or_default().min(TEXT_BYTES);
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts(data.start.cast(), length) }
}
