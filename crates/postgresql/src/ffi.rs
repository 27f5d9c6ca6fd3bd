//! The symbols that PostgreSQL looks up in a library and the functions that it calls: all of the unsafe code.
//!
//! An error of the server jumps over the frames between it and the statement (`siglongjmp`). The frames of
//! this file that it jumps over own nothing: the texts are copied into an array on the stack first.
#![allow(unsafe_code, reason = "this is the boundary to C")]
#![allow(non_snake_case, reason = "the names are PostgreSQL's")]

use std::{
    ffi::{c_char, c_int, c_void},
    path::Path,
    ptr,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use nearmiss_checker::{
    Answer, Checker, DEFAULT_PATH, Facts, MAX_PASSWORD_BYTES, Named, Verdict, configuration, ffi::beginning,
    keys,
};
use nearmiss_policy::guard;

/// `LOG`, `WARNING` and `ERROR` of `utils/elog.h`.
const LOG: c_int = 15;
const WARNING: c_int = 19;
const ERROR: c_int = 21;
/// SQLSTATE 22023, `invalid_parameter_value`, as `MAKE_SQLSTATE` writes it: six bits a character.
const INVALID_PARAMETER: c_int = 2 | 2 << 6 | 2 << 18 | 3 << 24;
/// `PASSWORD_TYPE_PLAINTEXT`.
const PLAIN: c_int = 0;

/// The source line for a report; the server omits the location if it is 0.
#[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "some hundred lines")]
const LINE: c_int = line!() as c_int;

type Hook = unsafe extern "C-unwind" fn(
    user: *const c_char,
    password: *const c_char,
    kind: c_int,
    valid_until: usize,
    is_valid_for_ever: bool,
);

unsafe extern "C-unwind" {
    static mut check_password_hook: Option<Hook>;
    fn errstart(level: c_int, domain: *const c_char) -> bool;
    fn errcode(code: c_int) -> c_int;
    fn errmsg(format: *const c_char, ...) -> c_int;
    fn errdetail_log(format: *const c_char, ...) -> c_int;
    fn errhidestmt(is_hidden: bool) -> c_int;
    fn DefineCustomBoolVariable(
        name: *const c_char,
        summary: *const c_char,
        description: *const c_char,
        value: *mut bool,
        default: bool,
        context: c_int,
        flags: c_int,
        check: *const c_void,
        assign: *const c_void,
        show: *const c_void,
    );
    fn errfinish(file: *const c_char, line: c_int, function: *const c_char);
}

/// `Pg_magic_struct` of `fmgr.h`: the server compares it with its own.
#[repr(C)]
pub(crate) struct Magic {
    bytes: c_int,
    version: c_int,
    most_arguments: c_int,
    most_index_keys: c_int,
    name_bytes: c_int,
    has_float8_by_value: c_int,
    builder: [u8; 32],
    #[cfg(names_the_module)]
    name: *const c_char,
    #[cfg(names_the_module)]
    module_version: *const c_char,
}

// SAFETY: constants and pointers to constants, which the server only reads.
unsafe impl Sync for Magic {}

#[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "some dozen bytes")]
static MAGIC: Magic = Magic {
    bytes: size_of::<Magic>() as c_int,
    version: release(env!("POSTGRESQL").as_bytes()) * 100,
    most_arguments: 100,
    most_index_keys: 32,
    name_bytes: 64,
    has_float8_by_value: (size_of::<usize>() == 8) as c_int,
    builder: *b"PostgreSQL\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    #[cfg(names_the_module)]
    name: c"nearmiss_pg".as_ptr(),
    #[cfg(names_the_module)]
    module_version: c"1.0".as_ptr(),
};

#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "two digits, when it is compiled"
)]
const fn release(digits: &[u8]) -> c_int {
    (digits[0] - b'0') as c_int * 10 + (digits[1] - b'0') as c_int
}

/// Called by the server to learn what the library was built for.
#[unsafe(no_mangle)]
extern "C" fn Pg_magic_func() -> *const Magic {
    &raw const MAGIC
}

/// The setting `nearmiss.refuse_hashed`, which the server writes when it reads its configuration.
static REFUSES_HASHED: AtomicBool = AtomicBool::new(false);
/// `PGC_SIGHUP` of `utils/guc.h`: a setting of the server's configuration, reloaded together with it.
const OF_CONFIGURATION: c_int = 2;

static PREVIOUS: OnceLock<Option<Hook>> = OnceLock::new();

/// Called once when the library is loaded: in the server before it forks.
///
/// # Safety
/// Called by the server, in its only thread.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn _PG_init() {
    // SAFETY: the server's own variable, and its only thread.
    let previous = unsafe { check_password_hook };
    if PREVIOUS.set(previous).is_err() {
        return;
    }
    // SAFETY: as above.
    unsafe { check_password_hook = Some(check) };
    let none = ptr::null();
    // SAFETY: guc.h: constant texts, a variable that lives forever, no hooks; called while a library is
    // loaded.
    unsafe {
        DefineCustomBoolVariable(
            c"nearmiss.refuse_hashed".as_ptr(),
            c"Refuses passwords that arrive hashed, which cannot be checked.".as_ptr(),
            none,
            REFUSES_HASHED.as_ptr(),
            false,
            OF_CONFIGURATION,
            0,
            none.cast(),
            none.cast(),
            none.cast(),
        );
    }
    let said = said(|| checker(b"").state());
    if !said.is_accepted {
        // SAFETY: a warning returns.
        unsafe { report(WARNING, c"nearmiss_pg: passwords cannot be set now: %s".as_ptr(), &said) };
    } else if !said.is_silent() {
        // SAFETY: as above. The processes of the connections, which start as copies, do not report it again.
        unsafe { report(LOG, c"nearmiss_pg: %s".as_ptr(), &said) };
    }
}

/// # Safety
/// Called by the server with null-terminated strings that stay as they are during the call.
unsafe extern "C-unwind" fn check(
    user: *const c_char,
    password: *const c_char,
    kind: c_int,
    valid_until: usize,
    is_valid_for_ever: bool,
) {
    if let Some(Some(previous)) = PREVIOUS.get() {
        // SAFETY: another library's hook, called as the server would.
        unsafe { previous(user, password, kind, valid_until, is_valid_for_ever) };
    }
    if kind != PLAIN {
        if REFUSES_HASHED.load(Ordering::Relaxed) {
            let detail = line(&format!("it cannot be checked {}", keys::PASSWORD_HASHED));
            let said = Said { is_accepted: false, sentence: line(HASHED), detail };
            // SAFETY: nothing on this frame has to be dropped: it is jumped over.
            unsafe { report(ERROR, c"password rejected by nearmiss: %s".as_ptr(), &said) };
        }
        return;
    }
    let said = said(|| {
        // SAFETY: the caller's promise.
        let [user, password] =
            [user, password].map(|place| unsafe { beginning(place, MAX_PASSWORD_BYTES + 1) });
        let [user, password] = [user, password].map(Option::unwrap_or_default);
        checker(user).check(password, &Facts { user, ..Facts::default() })
    });
    if said.is_accepted && !said.is_silent() {
        // SAFETY: a line of the log returns.
        unsafe { report(LOG, c"nearmiss_pg: %s".as_ptr(), &said) };
    }
    if !said.is_accepted {
        // SAFETY: nothing on this frame has to be dropped: it is jumped over.
        unsafe { report(ERROR, c"password rejected by nearmiss: %s".as_ptr(), &said) };
    }
}

/// The sentence for the user about a password that cannot be checked.
const HASHED: &str = "it arrived hashed and cannot be checked; set it with ALTER ROLE ... PASSWORD over an \
                      encrypted connection";

/// The texts of a report, without anything that must be freed.
#[derive(Clone, Copy)]
struct Said {
    is_accepted: bool,
    sentence: [u8; 256],
    detail: [u8; 512],
}

impl Said {
    /// True if there is nothing for the log.
    fn is_silent(&self) -> bool {
        self.detail.first() == Some(&0)
    }
}

fn said(act: impl FnOnce() -> Answer) -> Said {
    let answer = guard::catch(act).unwrap_or_else(|_| Answer::fault("internal error"));
    Said {
        is_accepted: answer.verdict == Verdict::Accepted,
        sentence: line(&answer.sentence),
        detail: line(&answer.detail),
    }
}

/// As many complete characters as fit, followed by null bytes.
fn line<const BYTES: usize>(text: &str) -> [u8; BYTES] {
    let mut line = [0; BYTES];
    let room = BYTES.saturating_sub(1);
    let end = (0..=room.min(text.len())).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    for (place, byte) in line.iter_mut().zip(text.bytes().take(end)) {
        *place = byte;
    }
    line
}

/// Does what `ereport` does. The statement, which contains the password, is kept out of the server's log.
///
/// # Safety
/// `format` has one `%s`; with [`ERROR`] no frame up to the server's owns anything.
unsafe fn report(level: c_int, format: *const c_char, said: &Said) {
    // SAFETY: elog.h: begins a report; false if it is not to be output.
    if !unsafe { errstart(level, ptr::null()) } {
        return;
    }
    if level > LOG {
        // SAFETY: elog.h: between errstart and errfinish.
        unsafe { errcode(INVALID_PARAMETER) };
    }
    let sentence = if said.sentence.first() == Some(&0) { &said.detail[..] } else { &said.sentence[..] };
    // SAFETY: as above; a null-terminated text for the one hole.
    unsafe { errmsg(format, sentence.as_ptr()) };
    if !said.is_silent() && level > LOG {
        // SAFETY: as above.
        unsafe { errdetail_log(c"%s".as_ptr(), said.detail.as_ptr()) };
    }
    // SAFETY: as above.
    unsafe { errhidestmt(true) };
    // SAFETY: ends the report; an error jumps to the statement's end from here.
    unsafe { errfinish(c"nearmiss_pg".as_ptr(), LINE, c"check".as_ptr()) };
}

/// The folder of the configurations for single roles.
const ROLES: &str = "/etc/security/nearmiss-postgresql";

fn checker(role: &[u8]) -> Arc<Checker> {
    static CHECKERS: Named = Named::new();
    CHECKERS.of(&configuration(Path::new(ROLES), role, Path::new(DEFAULT_PATH)))
}
