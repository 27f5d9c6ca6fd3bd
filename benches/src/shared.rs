//! `libnearmiss.so.1` as a program in C calls it.

#![allow(unsafe_code, reason = "a caller in C is played")]

use std::{
    ffi::{CString, c_char, c_int, c_void},
    mem, ptr,
};

/// `struct nearmiss_question` of nearmiss.h.
#[repr(C)]
struct Question {
    size: usize,
    password: *const c_void,
    password_bytes: usize,
    old_password: *const c_void,
    old_password_bytes: usize,
    names: [*const c_char; 3],
}

/// `struct nearmiss_answer`.
#[repr(C)]
struct Answer {
    size: usize,
    numbers: [i32; 2],
    texts: [c_char; 768],
}

type Check = unsafe extern "C" fn(*const c_void, *const Question, *mut Answer) -> c_int;
type Open = unsafe extern "C" fn(*const c_char, *mut *const c_void, *mut Answer) -> c_int;

unsafe extern "C" {
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

const RTLD_NOW: c_int = 2;

/// A configuration opened through the shared object.
pub struct Library {
    checker: *const c_void,
    check: Check,
}

impl Library {
    /// Loads the library and opens a configuration that can be used.
    pub fn open(library: &str, conf: &str) -> Library {
        let [library, conf] = [library, conf].map(|path| CString::new(path).expect("a path"));
        // SAFETY: a library of this project, whose initialisers do nothing.
        let handle = unsafe { dlopen(library.as_ptr(), RTLD_NOW) };
        assert!(!handle.is_null(), "{library:?} cannot be loaded");
        let symbol = |name: &std::ffi::CStr| {
            // SAFETY: an open library and a name.
            let place = unsafe { dlsym(handle, name.as_ptr()) };
            assert!(!place.is_null(), "there is no {name:?}");
            place
        };
        // SAFETY: the function of nearmiss.h with this name has this type.
        let open: Open = unsafe { mem::transmute(symbol(c"nearmiss_open")) };
        // SAFETY: as above.
        let check: Check = unsafe { mem::transmute(symbol(c"nearmiss_check")) };
        let mut checker = ptr::null();
        // SAFETY: a path, a place for the handle, no answer.
        let verdict = unsafe { open(conf.as_ptr(), &raw mut checker, ptr::null_mut()) };
        assert_eq!(verdict, 0, "the configuration cannot be used");
        Library { checker, check }
    }

    /// True where a password may be set.
    pub fn accepts(&self, password: &[u8]) -> bool {
        let question = Question {
            size: mem::size_of::<Question>(),
            password: password.as_ptr().cast(),
            password_bytes: password.len(),
            old_password: ptr::null(),
            old_password_bytes: 0,
            names: [ptr::null(), ptr::null(), c"".as_ptr()],
        };
        let mut answer = Answer { size: mem::size_of::<Answer>(), numbers: [0; 2], texts: [0; 768] };
        // SAFETY: an open checker, and structures as the header has them.
        unsafe { (self.check)(self.checker, &raw const question, &raw mut answer) == 0 }
    }
}
