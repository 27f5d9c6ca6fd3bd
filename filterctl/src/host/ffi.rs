//! The unsafe code of the tool: it loads shared objects, and libpam, which is loaded at run time so that the
//! tool works without it.
//!
//! Only a child process of the doctor comes here (`doctor::acts`): loading a file that is cut short
//! ends the process with a signal, and what a constructor of a module does is its own affair.
#![allow(unsafe_code, reason = "this is the boundary to dlopen and libpam")]

use std::{
    ffi::{CStr, CString, c_char, c_int, c_void},
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
/// A message about an error (`PAM_ERROR_MSG`).
const ERROR: c_int = 3;
/// The good result of a conversation.
const SUCCESS: c_int = 0;
/// The failure of a conversation: `PAM_CONV_ERR`.
const CONVERSATION_ERROR: c_int = 19;
/// The most messages of one call, and of a whole change.
const MAX_MESSAGES: usize = 32;
/// The most prompts that are answered in a change; a stack that prompts on is ended.
const MAX_PROMPTS: usize = 24;
/// The item of libpam that holds the function called in place of a delay (`PAM_FAIL_DELAY`).
const FAIL_DELAY: c_int = 10;
/// `PAM_CHANGE_EXPIRED_AUTHTOK`: the change that a login demands.
const CHANGE_EXPIRED: c_int = 0x20;
/// libcrypt, by the names of its two versions.
const LIBCRYPT: [&str; 2] = ["libcrypt.so.1", "libcrypt.so.2"];

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

type Start =
    unsafe extern "C" fn(*const c_char, *const c_char, *const Conversation, *mut *mut c_void) -> c_int;
type PamAction = unsafe extern "C" fn(*mut c_void, c_int) -> c_int;
type SetItem = unsafe extern "C" fn(*mut c_void, c_int, *const c_void) -> c_int;
type Explain = unsafe extern "C" fn(*mut c_void, c_int) -> *const c_char;
type Crypt = unsafe extern "C" fn(*const c_char, *const c_char) -> *mut c_char;

/// The texts that a user types during a change.
pub(crate) struct Typed {
    /// The current password.
    pub(crate) current: String,
    /// The new password at each round of prompts; the last one is typed at every later round.
    pub(crate) rounds: Vec<String>,
    /// True if the user gives up where the new password is typed.
    pub(crate) gives_up: bool,
    /// True for a program that answers every prompt with the new password, as chpasswd does.
    pub(crate) is_batch: bool,
}

/// The result of a change.
#[derive(Debug, Default)]
pub(crate) struct Changed {
    /// The code from libpam; 0 is success.
    pub(crate) code: c_int,
    /// The same in words.
    pub(crate) words: String,
    /// The prompts.
    pub(crate) prompts: Vec<String>,
    /// The errors shown to the user.
    pub(crate) errors: Vec<String>,
}

/// The conversation's input and result.
struct Talk {
    typed: Typed,
    /// Rounds of new passwords that began.
    rounds: usize,
    changed: Changed,
}

impl Talk {
    /// The answer to a prompt; none if the user gives up, or is prompted without end. The texts are English:
    /// the process has no locale.
    fn answer(&mut self, prompt: &str) -> Option<CString> {
        self.changed.prompts.push(prompt.to_owned());
        if self.changed.prompts.len() > MAX_PROMPTS {
            return None;
        }
        let prompt = prompt.to_ascii_lowercase().replace('-', "");
        let has = |words: &[&str]| words.iter().any(|word| prompt.contains(word));
        if has(&["current", "old "]) && !self.typed.is_batch {
            return CString::new(self.typed.current.as_bytes()).ok();
        }
        if self.typed.gives_up {
            return None;
        }
        if !has(&["retype", "again", "reenter", "repeat", "verify", "confirm"]) {
            self.rounds = self.rounds.saturating_add(1);
        }
        let at = self.rounds.saturating_sub(1).min(self.typed.rounds.len().saturating_sub(1));
        CString::new(self.typed.rounds.get(at)?.as_bytes()).ok()
    }
}

/// Loads a module as libpam does, with libpam there. True where it can set passwords.
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

/// The hash of a password with the setting of another hash, by the system's libcrypt.
///
/// # Errors
/// There is no libcrypt, or it does not know the setting.
pub(crate) fn crypt(password: &str, setting: &str) -> Result<String, String> {
    let library = LIBCRYPT.iter().map(|name| open(Path::new(name))).find(Result::is_ok);
    let library = library.ok_or("there is no libcrypt")??;
    // SAFETY: crypt(3) has this type in every libcrypt.
    let crypt = unsafe { library.get::<Crypt>(b"crypt\0") }.map_err(|error| error.to_string())?;
    let _kept = library.into_raw();
    let [password, setting] = [password, setting].map(|text| CString::new(text).unwrap_or_default());
    // SAFETY: two strings that end with a null byte. It returns its own memory, which no other thread of this
    // process uses, or null.
    let hash = text_at(unsafe { crypt(password.as_ptr(), setting.as_ptr()) });
    if hash.is_empty() || hash.starts_with('*') {
        return Err("libcrypt does not know the form of the hash".to_owned());
    }
    Ok(hash)
}

/// The functions of libpam that a change needs.
pub(crate) struct Libpam {
    start: Symbol<Start>,
    set_item: Symbol<SetItem>,
    change: Symbol<PamAction>,
    end: Symbol<PamAction>,
    explain: Symbol<Explain>,
}

impl Libpam {
    /// Finds libpam.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn find() -> Result<Libpam, String> {
        let library = open(Path::new(LIBPAM))?;
        let missing = |error: libloading::Error| error.to_string();
        // SAFETY: each type is that of the function of this name in security/pam_appl.h and _pam_types.h.
        let start = unsafe { library.get::<Start>(b"pam_start\0") }.map_err(missing)?;
        // SAFETY: as above.
        let set_item = unsafe { library.get::<SetItem>(b"pam_set_item\0") }.map_err(missing)?;
        // SAFETY: as above.
        let change = unsafe { library.get::<PamAction>(b"pam_chauthtok\0") }.map_err(missing)?;
        // SAFETY: as above.
        let end = unsafe { library.get::<PamAction>(b"pam_end\0") }.map_err(missing)?;
        // SAFETY: as above.
        let explain = unsafe { library.get::<Explain>(b"pam_strerror\0") }.map_err(missing)?;
        let _kept = library.into_raw();
        Ok(Libpam { start, set_item, change, end, explain })
    }

    /// Runs a change of this user's password by a service. `is_expired`: the change is one that a login
    /// demands.
    pub(crate) fn change(&self, service: &str, user: &str, typed: Typed, is_expired: bool) -> Changed {
        let [service, user] = [service, user].map(|text| CString::new(text).unwrap_or_default());
        let mut talk = Talk { typed, rounds: 0, changed: Changed::default() };
        let data = (&raw mut talk).cast::<c_void>();
        let conversation = Conversation { function: converse, data };
        let mut handle = ptr::null_mut();
        // SAFETY: all pointers are to values that outlive the handle; it is written before it is read.
        let started = unsafe {
            (self.start)(service.as_ptr(), user.as_ptr(), &raw const conversation, &raw mut handle)
        };
        let mut code = started;
        if started == SUCCESS {
            // SAFETY: the item is a function of the type that pam_fail_delay(3) states; it lives for ever.
            unsafe { (self.set_item)(handle, FAIL_DELAY, no_delay as *const c_void) };
            // SAFETY: the handle is libpam's own, since it started.
            code = unsafe { (self.change)(handle, if is_expired { CHANGE_EXPIRED } else { 0 }) };
        }
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

/// Called in place of the delay after a wrong password, which slows down guessing.
extern "C" fn no_delay(_code: c_int, _microseconds: std::ffi::c_uint, _data: *mut c_void) {}

/// The text of a C string; empty for a null pointer.
fn text_at(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: libpam's texts end with a null byte and live during the call that has them.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// Types what [`Talk::answer`] returns at each prompt, and keeps the errors that are shown.
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
        let text = text_at(message.text);
        if !PROMPTS.contains(&message.style) {
            if message.style == ERROR && talk.changed.errors.len() < MAX_MESSAGES {
                talk.changed.errors.push(text);
            }
            continue;
        }
        // What was allocated is left to the end of this process.
        let Some(answer) = talk.answer(&text) else { return CONVERSATION_ERROR };
        // SAFETY: the answer ends with a null byte; libpam frees the copy.
        slot.text = unsafe { libc::strdup(answer.as_ptr()) };
    }
    // SAFETY: the caller's room for one pointer; libpam frees what it points to.
    unsafe { *responses = replies };
    SUCCESS
}
