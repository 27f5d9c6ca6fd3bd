//! The only unsafe code of the tool: it loads shared objects, and libpam, which is loaded at run time so that
//! the tool works without it.
//!
//! Only a child process of the doctor runs this code (`doctor::child`): loading a truncated file ends the
//! process with a signal, and module constructors may do anything.
#![allow(unsafe_code, reason = "this is the boundary to dlopen and libpam")]

use std::{
    ffi::{CStr, CString, c_char, c_int, c_void},
    os::unix::ffi::OsStrExt,
    path::Path,
    ptr,
};

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW, Symbol};

/// The library, by the name that every program links it with.
const LIBPAM: &str = "libpam.so.0";

/// False if this program is linked statically, and so cannot load anything.
pub(crate) const CAN_LOAD: bool = !cfg!(target_feature = "crt-static");

/// Messages that prompt (`PAM_PROMPT_ECHO_OFF`, `PAM_PROMPT_ECHO_ON`).
const PROMPTS: [c_int; 2] = [1, 2];
/// The successful result of a conversation.
const SUCCESS: c_int = 0;
/// The failure of a conversation: `PAM_CONV_ERR`.
const CONVERSATION_ERROR: c_int = 19;
/// The most messages of one call, and of a whole change.
const MAX_MESSAGES: usize = 32;
/// The maximum number of responses: the new password, and its repetition.
const MAX_ANSWERS: u32 = 2;

#[repr(C)]
struct Message {
    style: c_int,
    text: *const c_char,
}

#[repr(C)]
struct Response {
    text: *mut c_char,
    code: c_int,
}

type Converse = unsafe extern "C" fn(c_int, *mut *const Message, *mut *mut Response, *mut c_void) -> c_int;

#[repr(C)]
struct Conversation {
    function: Converse,
    data: *mut c_void,
}

type Start = unsafe extern "C" fn(
    *const c_char,
    *const c_char,
    *const Conversation,
    *const c_char,
    *mut *mut c_void,
) -> c_int;
type PamAction = unsafe extern "C" fn(*mut c_void, c_int) -> c_int;
type Explain = unsafe extern "C" fn(*mut c_void, c_int) -> *const c_char;

/// The result of a change.
#[derive(Debug, Default)]
pub(crate) struct Changed {
    /// The code from libpam; 0 is success.
    pub(crate) code: c_int,
    /// The same in words.
    pub(crate) words: String,
    /// The prompt.
    pub(crate) prompts: u32,
    /// Further text shown to the user.
    pub(crate) shown: Vec<String>,
}

/// The conversation's input and result.
struct Talk {
    password: CString,
    changed: Changed,
}

/// Loads a module as libpam does, with libpam loaded. True if the module can set passwords.
///
/// # Errors
/// The loader's message.
pub(crate) fn load(module: &Path) -> Result<bool, String> {
    // Modules that do not name libpam themselves find it so; where there is none, the loader says which
    // symbol is missing.
    let _libpam = open(Path::new(LIBPAM)).map(Library::into_raw);
    let library = open(module)?;
    // SAFETY: the symbol is only looked for, not used.
    let found: Result<Symbol<*const c_void>, _> = unsafe { library.get(b"pam_sm_chauthtok\0") };
    let sets_passwords = found.is_ok();
    // Its destructors are not run: this process is about to end.
    let _loaded = library.into_raw();
    Ok(sets_passwords)
}

fn open(file: &Path) -> Result<Library, String> {
    // SAFETY: constructors of the object run, as in every program that changes a password; this process is
    // there for nothing else.
    let opened = unsafe { Library::open(Some(file), RTLD_NOW | RTLD_GLOBAL) };
    opened.map_err(|error| match std::error::Error::source(&error) {
        Some(source) => source.to_string(),
        None => error.to_string(),
    })
}

/// Keeps this process from writing to the system log: it makes no decision about a user's password.
pub(crate) fn silence_log() {
    // SAFETY: it takes a number and changes a variable of libc's (setlogmask(3)): emergencies alone pass.
    unsafe { libc::setlogmask(1) };
}

/// The functions of libpam that a change needs.
pub(crate) struct Libpam {
    start: Symbol<Start>,
    change: Symbol<PamAction>,
    end: Symbol<PamAction>,
    explain: Symbol<Explain>,
}

impl Libpam {
    /// Finds libpam.
    ///
    /// # Errors
    /// There is none, or one older than 1.4, which reads no service files but the system's.
    pub(crate) fn find() -> Result<Libpam, String> {
        let library = open(Path::new(LIBPAM))?;
        let old = |_| "libpam is older than 1.4".to_owned();
        // SAFETY: each type is that of the function of this name in security/pam_appl.h, as of Linux-PAM 1.4.
        let start = unsafe { library.get::<Start>(b"pam_start_confdir\0") }.map_err(old)?;
        // SAFETY: as above.
        let change = unsafe { library.get::<PamAction>(b"pam_chauthtok\0") }.map_err(old)?;
        // SAFETY: as above.
        let end = unsafe { library.get::<PamAction>(b"pam_end\0") }.map_err(old)?;
        // SAFETY: as above.
        let explain = unsafe { library.get::<Explain>(b"pam_strerror\0") }.map_err(old)?;
        let _kept = library.into_raw();
        Ok(Libpam { start, change, end, explain })
    }

    /// Runs a change of this user's password by a service of a folder.
    pub(crate) fn change(&self, folder: &Path, service: &str, user: &str, password: &str) -> Changed {
        let text = |text: &[u8]| CString::new(text).unwrap_or_default();
        let (folder, service, user) =
            (text(folder.as_os_str().as_bytes()), text(service.as_bytes()), text(user.as_bytes()));
        let mut talk = Talk { password: text(password.as_bytes()), changed: Changed::default() };
        let data = (&raw mut talk).cast::<c_void>();
        let conversation = Conversation { function: converse, data };
        let mut handle = ptr::null_mut();
        // SAFETY: all pointers are to values that outlive the handle; it is written before it is read.
        let started = unsafe {
            (self.start)(
                service.as_ptr(),
                user.as_ptr(),
                &raw const conversation,
                folder.as_ptr(),
                &raw mut handle,
            )
        };
        // SAFETY: the handle is libpam's own, since it started.
        let code = if started == SUCCESS { unsafe { (self.change)(handle, 0) } } else { started };
        // SAFETY: pam_strerror(3) takes any handle and returns a text that is never freed, or null.
        let words = unsafe { (self.explain)(handle, code) };
        let words = text_at(words);
        if !handle.is_null() {
            // SAFETY: the handle is libpam's own and is not used after this.
            unsafe { (self.end)(handle, code) };
        }
        Changed { code, words, ..talk.changed }
    }
}

/// The text of a C string; empty for a null pointer.
fn text_at(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: libpam's texts end with a null byte and live during the call that has them.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// Responds to every prompt with the password, at most twice, and records the messages.
///
/// # Safety
/// As `pam_conv(3)`: `count` messages, room for their responses, and the `data` of the conversation.
unsafe extern "C" fn converse(
    count: c_int,
    messages: *mut *const Message,
    responses: *mut *mut Response,
    data: *mut c_void,
) -> c_int {
    let count = usize::try_from(count).unwrap_or(0);
    if messages.is_null() || responses.is_null() || data.is_null() || !(1..=MAX_MESSAGES).contains(&count) {
        return CONVERSATION_ERROR;
    }
    // SAFETY: the data is the `Talk` of the change that is running; nothing else uses it meanwhile.
    let talk = unsafe { &mut *data.cast::<Talk>() };
    // SAFETY: two numbers; the memory is zeroed, so that each response is none until it is written.
    let replies = unsafe { libc::calloc(count, size_of::<Response>()) }.cast::<Response>();
    if replies.is_null() {
        return CONVERSATION_ERROR;
    }
    // SAFETY: Linux-PAM hands over an array of `count` pointers to messages.
    let messages = unsafe { std::slice::from_raw_parts(messages.cast_const(), count) };
    // SAFETY: `count` of them were allocated above, and zero bytes are a response.
    let slots = unsafe { std::slice::from_raw_parts_mut(replies, count) };
    for (message, slot) in messages.iter().zip(slots) {
        // SAFETY: each pointer is to a message that lives during this call, or null.
        let Some(message) = (unsafe { message.as_ref() }) else { continue };
        if !PROMPTS.contains(&message.style) {
            if talk.changed.shown.len() < MAX_MESSAGES {
                talk.changed.shown.push(text_at(message.text));
            }
            continue;
        }
        talk.changed.prompts = talk.changed.prompts.saturating_add(1);
        if talk.changed.prompts > MAX_ANSWERS {
            // What was allocated is left to the end of this process.
            return CONVERSATION_ERROR;
        }
        // SAFETY: the password ends with a null byte; libpam frees the copy.
        slot.text = unsafe { libc::strdup(talk.password.as_ptr()) };
    }
    // SAFETY: the caller's room for one pointer; libpam frees what it points to.
    unsafe { *responses = replies };
    SUCCESS
}
