//! The symbols that MariaDB looks up in a plugin and the functions that it calls: all of the unsafe code.
#![allow(unsafe_code, reason = "this is the boundary to C")]
#![allow(non_upper_case_globals, reason = "the names are MariaDB's")]

use std::{
    ffi::{CString, c_char, c_int, c_uint, c_ulong, c_void},
    mem,
    path::Path,
    ptr, slice,
};

use nearmiss_checker::{Answer, Checker, DEFAULT_PATH, Facts, MAX_PASSWORD_BYTES, Setting, Shared, Verdict};
use nearmiss_policy::guard;

/// `ER_NOT_VALID_PASSWORD`.
const REJECTED: c_uint = 1819;
/// The number of bytes of a name that are read.
const TEXT_BYTES: usize = 4096;

/// The kind of plugin: password validation.
const PASSWORD_VALIDATION: c_int = 8;
/// A licence that is not the GPL's, and not proprietary.
const BSD_LIKE: c_int = 2;
/// Maturity "stable".
const STABLE: c_uint = 5;
/// Version 1.13 of the plugin interface, which every release from 10.1 on accepts.
const INTERFACE: c_int = 0x010d;
/// Version 1.1 of password validation.
const VALIDATION: c_int = 0x0101;

/// A string with its length.
#[repr(C)]
struct Text {
    start: *const c_char,
    bytes: usize,
}

type Validate = unsafe extern "C" fn(user: *const Text, password: *const Text, host: *const Text) -> c_int;

/// The interface of a plugin of this kind.
#[repr(C)]
struct Validation {
    version: c_int,
    validate: Option<Validate>,
}

/// The description of a plugin.
#[repr(C)]
struct Plugin {
    kind: c_int,
    info: *const c_void,
    name: *const c_char,
    author: *const c_char,
    description: *const c_char,
    licence: c_int,
    start: Option<unsafe extern "C" fn(*mut c_void) -> c_int>,
    stop: Option<unsafe extern "C" fn(*mut c_void) -> c_int>,
    version: c_uint,
    status_variables: *const c_void,
    system_variables: *const c_void,
    version_text: *const c_char,
    maturity: c_uint,
}

// SAFETY: constants and pointers to constants, which the server only reads.
unsafe impl Sync for Plugin {}
// SAFETY: as above.
unsafe impl Sync for Validation {}

static VALIDATES: Validation = Validation { version: VALIDATION, validate: Some(validate) };

const NONE: Plugin = Plugin {
    kind: 0,
    info: ptr::null(),
    name: ptr::null(),
    author: ptr::null(),
    description: ptr::null(),
    licence: 0,
    start: None,
    stop: None,
    version: 0,
    status_variables: ptr::null(),
    system_variables: ptr::null(),
    version_text: ptr::null(),
    maturity: 0,
};

/// The version of the plugin interface that the plugin is built for.
#[unsafe(no_mangle)]
static _maria_plugin_interface_version_: c_int = INTERFACE;

/// Bytes of a plugin's description.
#[unsafe(no_mangle)]
#[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "some hundred bytes")]
static _maria_sizeof_struct_st_plugin_: c_int = size_of::<Plugin>() as c_int;

/// The plugins of this file, and an empty one after the last.
#[unsafe(no_mangle)]
static _maria_plugin_declarations_: [Plugin; 2] = [
    Plugin {
        kind: PASSWORD_VALIDATION,
        info: (&raw const VALIDATES).cast(),
        name: c"nearmiss_password_check".as_ptr(),
        author: c"The nearmiss authors".as_ptr(),
        description: c"Rejects passwords near a dictionary".as_ptr(),
        licence: BSD_LIKE,
        start: Some(start),
        version: 0x0100,
        version_text: c"1.0".as_ptr(),
        maturity: STABLE,
        ..NONE
    },
    NONE,
];

/// `my_printf_error`: an error, a note or a line of the log, by the flags.
type PrintError = unsafe extern "C" fn(number: c_uint, format: *const c_char, flags: c_ulong, ...);

/// The server's own function that prints errors.
///
/// The plugin interface offers the same function as a service, but there a plugin names one version of the
/// service, and a server with another version does not load the plugin: no file could serve both MariaDB
/// 10.11 (1.0) and 11.8 (2.0). These versions only differ in formats that are not used here.
fn print_error() -> Option<PrintError> {
    // SAFETY: a constant name; the server's own symbols come first.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"my_printf_error".as_ptr()) };
    // SAFETY: every MariaDB from 10.0 on has the function with this name and type; none is null.
    unsafe { mem::transmute::<*mut c_void, Option<PrintError>>(found) }
}

/// Opens everything when the server starts, so that unusable parts are logged at once.
unsafe extern "C" fn start(_plugin: *mut c_void) -> c_int {
    let state = guard::catch(|| checker().state()).unwrap_or_else(|_| Answer::fault("internal error"));
    if state.verdict == Verdict::Accepted {
        log(&state, LOG_ONLY | NOTE);
    } else {
        print(&format!("nearmiss_password_check: passwords cannot be set: {}", state.detail), LOG_ONLY);
    }
    // Passwords are rejected until any failure is repaired; without the plugin they would be accepted.
    0
}

/// `ME_ERROR_LOG_ONLY`.
const LOG_ONLY: c_ulong = 128;
/// `ME_NOTE`: no error.
const NOTE: c_ulong = 1024;
/// `ME_WARNING`.
const ALARM: c_ulong = 2048;

/// 0 for a password that may be set.
unsafe extern "C" fn validate(user: *const Text, password: *const Text, _host: *const Text) -> c_int {
    let judged = guard::catch(|| {
        // SAFETY: the server passes texts that stay unchanged during the call.
        let password = unsafe { bytes(password, MAX_PASSWORD_BYTES + 1) };
        // SAFETY: as above.
        let user = unsafe { bytes(user, TEXT_BYTES) }.unwrap_or_default();
        // The host of an account names the clients that may connect, not this machine.
        password.map_or_else(Answer::no_password, |password| {
            checker().check(password, &Facts { user, ..Facts::default() })
        })
    });
    let answer = judged.unwrap_or_else(|_| Answer::fault("internal error"));
    let is_about_a_check = matches!(answer.verdict, Verdict::Accepted | Verdict::Rejected);
    log(&answer, LOG_ONLY | if is_about_a_check { ALARM } else { 0 });
    if answer.verdict == Verdict::Accepted {
        return 0;
    }
    print(&format!("nearmiss: {}", answer.sentence), 0);
    1
}

/// Writes an answer's line for the administrator to the server's log.
fn log(answer: &Answer, flags: c_ulong) {
    if !answer.detail.is_empty() {
        print(&format!("nearmiss_password_check: {}", answer.detail), flags);
    }
}

fn checker() -> &'static Checker {
    static CHECKER: Shared = Shared::new();
    CHECKER.of(|| Setting::of(Path::new(DEFAULT_PATH)))
}

/// Reports an error to the client, or only to the server's log.
fn print(text: &str, flags: c_ulong) {
    let Ok(text) = CString::new(text) else { return };
    // If a server lacks this function, the statement fails with the server's own sentence.
    if let Some(printf) = print_error() {
        // SAFETY: the function's contract; a constant format with one string argument.
        unsafe { printf(REJECTED, c"%s".as_ptr(), flags, text.as_ptr()) };
    }
}

/// The beginning of a text; none for a null pointer.
///
/// # Safety
/// `text` is null or points to a text that stays as it is for `'a`.
unsafe fn bytes<'a>(text: *const Text, most: usize) -> Option<&'a [u8]> {
    // SAFETY: the caller's promise.
    let text = unsafe { text.as_ref() }?;
    if text.start.is_null() {
        return None;
    }
    // SAFETY: a text has this number of bytes.
    Some(unsafe { slice::from_raw_parts(text.start.cast(), text.bytes.min(most)) })
}
