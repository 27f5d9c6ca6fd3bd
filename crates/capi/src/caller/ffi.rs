//! Calls the functions of `nearmiss.h` as C does, each with arguments that the header permits; only the sizes
//! that they state may be wrong.
#![allow(unsafe_code, reason = "a caller in C is played")]
#![allow(clippy::panic, clippy::unwrap_used, reason = "what does not hold stops the run")]
#![allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "the same")]

use std::{
    ffi::{CStr, c_char, c_void},
    mem::{offset_of, size_of},
    ptr,
};

use nearmiss_checker::Checker;

use super::super::ffi::{
    CAnswer, DETAIL_BYTES, Question, SENTENCE_BYTES, nearmiss_check, nearmiss_free, nearmiss_open,
    nearmiss_reason_code, nearmiss_record, nearmiss_version,
};

/// The sizes of the structures.
pub(crate) const SIZES: [usize; 2] = [size_of::<Question>(), size_of::<CAnswer>()];
/// The number of bytes of a password that the library reads at most.
const PASSWORD_BYTES: usize = 512;

/// A handle of `nearmiss_open`, freed when dropped.
pub(crate) struct Handle(*mut Checker);

// SAFETY: nearmiss.h: a handle may be used by any number of threads.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Handle {
    /// A null pointer.
    pub(crate) const NULL: Handle = Handle(ptr::null_mut());

    pub(crate) fn is_null(&self) -> bool {
        self.0.is_null()
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: null, or a handle that only this one owned.
        unsafe { nearmiss_free(self.0) };
    }
}

/// A text of the caller or a null pointer.
pub(crate) type Text<'a> = Option<&'a CStr>;

fn pointer(text: Text<'_>) -> *const c_char {
    text.map_or(ptr::null(), CStr::as_ptr)
}

/// A password, which may state another length; a null pointer without bytes.
#[derive(Clone, Copy, Default)]
pub(crate) struct CallerSecret<'a> {
    pub(crate) bytes: Option<&'a [u8]>,
    pub(crate) said: Option<usize>,
}

impl<'a> CallerSecret<'a> {
    pub(crate) const fn of(bytes: &'a [u8]) -> CallerSecret<'a> {
        CallerSecret { bytes: Some(bytes), said: None }
    }

    fn parts(self) -> (*const c_void, usize) {
        let Some(bytes) = self.bytes else { return (ptr::null(), self.said.unwrap_or(0)) };
        let said = self.said.unwrap_or(bytes.len());
        assert!(said <= bytes.len() || bytes.len() >= PASSWORD_BYTES, "a length that may not be believed");
        (bytes.as_ptr().cast(), said)
    }
}

/// A question, which may state another size.
#[derive(Clone, Copy)]
pub(crate) struct CallerRequest<'a> {
    pub(crate) size: usize,
    /// The members that a newer header adds after the structure, repeated up to `size`.
    pub(crate) behind: &'a [u64],
    pub(crate) password: CallerSecret<'a>,
    pub(crate) old_password: CallerSecret<'a>,
    pub(crate) user: Text<'a>,
    pub(crate) gecos: Text<'a>,
    pub(crate) host: Text<'a>,
    pub(crate) language: Text<'a>,
}

impl<'a> CallerRequest<'a> {
    pub(crate) const fn of(password: &'a [u8]) -> CallerRequest<'a> {
        CallerRequest {
            size: SIZES[0],
            behind: &[0],
            password: CallerSecret::of(password),
            old_password: CallerSecret { bytes: None, said: None },
            user: None,
            gecos: None,
            host: None,
            language: None,
        }
    }

    fn block(&self) -> Block {
        let ((password, password_bytes), (old_password, old_password_bytes)) =
            (self.password.parts(), self.old_password.parts());
        let question = Question {
            size: self.size,
            password,
            password_bytes,
            old_password,
            old_password_bytes,
            user: pointer(self.user),
            gecos: pointer(self.gecos),
            host: pointer(self.host),
            language: pointer(self.language),
        };
        Block::holding(question, self.size, self.behind)
    }
}

/// An answer with room for the stated number of bytes, and at least for the structure.
pub(crate) struct CallerAnswer {
    block: Block,
    size: usize,
}

impl CallerAnswer {
    pub(crate) fn new() -> CallerAnswer {
        CallerAnswer::of_size(SIZES[1], &[0])
    }

    pub(crate) fn of_size(size: usize, behind: &[u64]) -> CallerAnswer {
        let answer = CAnswer { size, verdict: -1, reason: -1, sentence: [1; 256], detail: [1; 512] };
        CallerAnswer { block: Block::holding(answer, size, behind), size }
    }

    /// Its stated size.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Its bytes, and the bytes after it.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.block.words.iter().flat_map(|word| word.to_ne_bytes()).take(self.block.bytes).collect()
    }

    fn part<const BYTES: usize>(&self, at: usize) -> [u8; BYTES] {
        self.bytes()[at..at + BYTES].try_into().unwrap()
    }

    pub(crate) fn verdict(&self) -> i32 {
        i32::from_ne_bytes(self.part(offset_of!(CAnswer, verdict)))
    }

    pub(crate) fn reason(&self) -> i32 {
        i32::from_ne_bytes(self.part(offset_of!(CAnswer, reason)))
    }

    pub(crate) fn sentence(&self) -> String {
        line(&self.part::<SENTENCE_BYTES>(offset_of!(CAnswer, sentence)))
    }

    pub(crate) fn detail(&self) -> String {
        line(&self.part::<DETAIL_BYTES>(offset_of!(CAnswer, detail)))
    }
}

fn line(bytes: &[u8]) -> String {
    CStr::from_bytes_until_nul(bytes).unwrap().to_str().unwrap().to_owned()
}

/// Exactly this number of bytes on the heap, aligned for the structures.
struct Block {
    words: Box<[u64]>,
    bytes: usize,
}

impl Block {
    /// A structure with the members that a newer header may have added after it. No memory has `usize::MAX`
    /// bytes: this size gives the structure alone.
    fn holding<T>(structure: T, said: usize, behind: &[u64]) -> Block {
        let known = size_of::<T>();
        let bytes = if said == usize::MAX { known } else { said.max(known) };
        let behind = behind.iter().cycle().take(bytes.div_ceil(8) - known / 8);
        let words: Vec<u64> = std::iter::repeat_n(&0, known / 8).chain(behind).copied().collect();
        let mut block = Block { words: words.into_boxed_slice(), bytes };
        assert!(known % 8 == 0 && align_of::<T>() <= align_of::<u64>());
        // SAFETY: aligned for 8 bytes and long enough.
        unsafe { block.at_mut::<T>().write(structure) };
        block
    }

    fn at<T>(&self) -> *const T {
        self.words.as_ptr().cast()
    }

    fn at_mut<T>(&mut self) -> *mut T {
        self.words.as_mut_ptr().cast()
    }
}

fn place(answer: Option<&mut CallerAnswer>) -> *mut CAnswer {
    answer.map_or(ptr::null_mut(), |answer| answer.block.at_mut())
}

/// `nearmiss_open`: the verdict and the stored handle; the pointer is not null before the call.
pub(crate) fn open(conf: Text<'_>, answer: Option<&mut CallerAnswer>) -> (i32, Handle) {
    let mut handle = ptr::dangling_mut();
    // SAFETY: null or a string, a place for the handle, null or an answer of its size.
    let verdict = unsafe { nearmiss_open(pointer(conf), &raw mut handle, place(answer)) };
    assert_ne!(handle, ptr::dangling_mut(), "no handle was written");
    (verdict, Handle(handle))
}

/// `nearmiss_open` without a place for the handle.
pub(crate) fn open_nowhere(conf: Text<'_>, answer: Option<&mut CallerAnswer>) -> i32 {
    // SAFETY: as in `open`.
    unsafe { nearmiss_open(pointer(conf), ptr::null_mut(), place(answer)) }
}

/// `nearmiss_check`; a null pointer without a question.
pub(crate) fn check(
    handle: &Handle,
    asking: Option<&CallerRequest<'_>>,
    answer: Option<&mut CallerAnswer>,
) -> i32 {
    let block = asking.map(CallerRequest::block);
    let question = block.as_ref().map_or(ptr::null(), Block::at);
    // SAFETY: null or an open handle; null or blocks as long as their sizes say, with strings that end.
    unsafe { nearmiss_check(handle.0, question, place(answer)) }
}

/// `nearmiss_record`.
pub(crate) fn record(
    handle: &Handle,
    account: Text<'_>,
    password: CallerSecret<'_>,
    stored: Text<'_>,
    answer: Option<&mut CallerAnswer>,
) -> i32 {
    let (password, bytes) = password.parts();
    // SAFETY: as in `check`.
    unsafe { nearmiss_record(handle.0, pointer(account), password, bytes, pointer(stored), place(answer)) }
}

/// `nearmiss_reason_code`.
pub(crate) fn reason_code(reason: i32) -> &'static str {
    // SAFETY: nearmiss.h: a string that stays, for any number.
    unsafe { CStr::from_ptr(nearmiss_reason_code(reason)) }.to_str().unwrap()
}

/// `nearmiss_version`.
pub(crate) fn version() -> &'static str {
    // SAFETY: nearmiss.h: a string that stays.
    unsafe { CStr::from_ptr(nearmiss_version()) }.to_str().unwrap()
}
