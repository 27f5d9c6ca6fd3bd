//! The benchmark's only unsafe code: maps of a filter file that treat the kernel differently from the
//! library's own, and `libnearmiss.so.1` as a program in C calls it.

#![allow(unsafe_code, reason = "mapping a file, and the part of a caller in C")]

use std::{
    cell::Cell,
    ffi::{CStr, CString, c_char, c_int, c_void},
    fs::File,
    io, mem,
    ops::Range,
    ptr,
    rc::Rc,
};

use memmap2::{Advice, Mmap};
use nearmiss_filters::storage::Bytes;

/// How pages come into memory.
#[derive(Clone, Copy, PartialEq)]
pub enum Fetch {
    /// As the library does: asked for together, then populated.
    Together,
    /// Each when it is touched, without read-around.
    OneByOne,
    /// Each when it is touched, with the kernel's read-around.
    Plain,
}

/// A mapped file that counts the pages asked for.
pub struct Map {
    map: Mmap,
    fetch: Fetch,
    /// Pages asked for by each call of `will_need`.
    pub rounds: Rc<Cell<Vec<usize>>>,
}

impl Map {
    /// Maps a file.
    pub fn new(file: &File, fetch: Fetch) -> io::Result<Map> {
        // SAFETY: the file is in the benchmark's own folder and nobody changes it while the benchmark runs.
        let map = unsafe { Mmap::map(file) }?;
        if fetch != Fetch::Plain {
            map.advise(Advice::Random)?;
        }
        Ok(Map { map, fetch, rounds: Rc::default() })
    }
}

impl Bytes for Map {
    fn bytes(&self) -> &[u8] {
        &self.map
    }

    fn will_need(&self, ranges: &[Range<usize>]) {
        let mut rounds = self.rounds.take();
        rounds.push(ranges.len());
        self.rounds.set(rounds);
        if self.fetch == Fetch::Together {
            for range in ranges {
                let _ = self.map.advise_range(Advice::WillNeed, range.start, range.len());
            }
        }
    }

    fn populate(&self, range: Range<usize>) -> io::Result<()> {
        match self.fetch {
            Fetch::Together => self.map.advise_range(Advice::PopulateRead, range.start, range.len()),
            _ => Ok(()),
        }
    }
}

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
        let symbol = |name: &CStr| {
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
