//! What any bytes may do at the boundary: the body of the fuzz target, which the unit tests run too.
//!
//! It returns when all is well and panics when something does not hold. Under AddressSanitizer a byte read or
//! written outside of what the caller gave is a fault as well: each argument is a block of its own.
#![allow(unsafe_code, reason = "a caller in C is played")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "what does not hold stops the run")]
#![allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "the same")]

use std::{
    ffi::{CString, c_char},
    fs,
    mem::size_of,
    os::unix::ffi::OsStrExt,
    path::Path,
    ptr,
    sync::OnceLock,
};

use nearmiss_checker::Checker;
use nearmiss_filters::{
    dictionary::{Build, Spec},
    hash::Key,
};
use tempfile::TempDir;

use crate::ffi::{
    CAnswer, Question, nearmiss_check, nearmiss_free, nearmiss_open, nearmiss_reason_code, nearmiss_record,
};

/// A word of the filter that the checker of these runs asks.
pub(crate) const WORD: &[u8] = b"elephant";
/// What is behind a structure and must stay as it is.
const CANARY: u8 = 0xa5;
/// The sizes of the structures.
pub(crate) const SIZES: [usize; 2] = [size_of::<Question>(), size_of::<CAnswer>()];

/// A configuration with a filter of one word and no ladder, and a checker of it that stays open.
pub(crate) struct Site {
    pub(crate) folder: TempDir,
    pub(crate) conf: CString,
}

impl Site {
    pub(crate) fn new() -> Site {
        let folder = tempfile::tempdir().unwrap();
        write_filter(&folder.path().join("words.filter"), WORD);
        let conf = folder.path().join("nearmiss.conf");
        let path = |name: &str| folder.path().join(name).display().to_string();
        let text = format!(
            "packaged = false\n[[dictionary]]\nfile = {:?}\n[ladder]\nfile = {:?}\nkey = {:?}\n",
            path("words.filter"),
            path("none"),
            path("none.key")
        );
        fs::write(&conf, text).unwrap();
        let conf = CString::new(conf.as_os_str().as_bytes()).unwrap();
        Site { folder, conf }
    }

    pub(crate) fn open(&self) -> *mut Checker {
        let mut handle = ptr::null_mut();
        // SAFETY: a string, a place for the handle, no answer.
        let verdict = unsafe { nearmiss_open(self.conf.as_ptr(), &raw mut handle, ptr::null_mut()) };
        // A test that fails says where: the library's hook says nothing.
        drop(std::panic::take_hook());
        assert_eq!((verdict, handle.is_null()), (0, false));
        handle
    }
}

/// Puts a filter of these words where one may be: by renaming, as every writer of filters does.
pub(crate) fn write_filter(path: &Path, words: &[u8]) {
    let build = Build::new(Spec::default(), Key::random().unwrap());
    let new = path.with_extension("new");
    fs::write(&new, build.in_memory(&[words]).unwrap()).unwrap();
    fs::rename(new, path).unwrap();
}

/// One call of each function with arguments made of these bytes.
pub(crate) fn boundary(bytes: &[u8]) {
    static OPEN: OnceLock<(Site, usize)> = OnceLock::new();
    let (_, handle) = OPEN.get_or_init(|| {
        let site = Site::new();
        let handle = site.open().expose_provenance();
        (site, handle)
    });
    let handle: *mut Checker = ptr::with_exposed_provenance_mut(*handle);
    let mut input = Input(bytes);
    let made = Made::of(&mut input);
    let handle = if made.flags & 1 == 0 { handle } else { ptr::null_mut() };
    made.check(handle);
    made.record(handle);
    made.open();
    // SAFETY: any number is taken.
    let code = unsafe { std::ffi::CStr::from_ptr(nearmiss_reason_code(i32::from(input.byte()))) };
    assert!(!code.to_bytes().is_empty());
}

/// Arguments, each in a block of its own.
struct Made {
    flags: u8,
    question_size: usize,
    answer_size: usize,
    password: Option<Box<[u8]>>,
    old_password: Option<Box<[u8]>>,
    texts: [Option<CString>; 3],
}

impl Made {
    fn of(input: &mut Input<'_>) -> Made {
        let flags = input.byte();
        let secret = |input: &mut Input<'_>| (input.byte() & 7 != 0).then(|| input.long().into_boxed_slice());
        let text = |input: &mut Input<'_>| {
            let bytes: Vec<u8> = input.long().into_iter().filter(|byte| *byte != 0).collect();
            (input.byte() & 3 != 0).then(|| CString::new(bytes).unwrap())
        };
        Made {
            flags,
            question_size: input.size(SIZES[0]),
            answer_size: input.size(SIZES[1]),
            password: secret(input),
            old_password: secret(input),
            texts: [text(input), text(input), text(input)],
        }
    }

    fn text(&self, at: usize) -> *const c_char {
        self.texts[at].as_ref().map_or(ptr::null(), |text| text.as_ptr())
    }

    fn check(&self, handle: *mut Checker) {
        let password = self.password.as_ref();
        let question = Question {
            size: self.question_size,
            password: password.map_or(ptr::null(), |bytes| bytes.as_ptr().cast()),
            // What a caller without a password says of its length.
            password_bytes: password.map_or(usize::from(self.flags & 2), |bytes| bytes.len()),
            old_password: self.old_password.as_ref().map_or(ptr::null(), |bytes| bytes.as_ptr().cast()),
            old_password_bytes: self.old_password.as_ref().map_or(0, |bytes| bytes.len()),
            user: self.text(0),
            gecos: self.text(1),
            host: self.text(2),
        };
        let question =
            Block::holding(question, block_bytes(self.question_size, SIZES[0]), self.flags & 4 != 0);
        let mut answer = self.answer();
        // SAFETY: blocks as long as their sizes say, strings with their null bytes, and an open checker.
        let verdict = unsafe { nearmiss_check(handle, question.at(), answer.at_mut()) };
        let accepted_length = password.is_some_and(|password| (8..=512).contains(&password.len()));
        assert!(verdict != 0 || (accepted_length && !handle.is_null()), "accepted");
        self.see(verdict, &answer);
    }

    fn record(&self, handle: *mut Checker) {
        let mut answer = self.answer();
        let password = self.password.as_ref();
        let (place, bytes) = password.map_or((ptr::null(), 7), |bytes| (bytes.as_ptr().cast(), bytes.len()));
        // SAFETY: as in `check`.
        let verdict =
            unsafe { nearmiss_record(handle, self.text(0), place, bytes, self.text(1), answer.at_mut()) };
        self.see(verdict, &answer);
    }

    /// A path that is not there, or not one.
    fn open(&self) {
        let mut handle = ptr::dangling_mut();
        let mut answer = self.answer();
        // SAFETY: as in `check`.
        let verdict = unsafe { nearmiss_open(self.text(2), &raw mut handle, answer.at_mut()) };
        let is_invalid = self.answer_size >= SIZES[1] && matches!(verdict, 3 | 4);
        assert!(!is_invalid || handle.is_null(), "a handle with {verdict}");
        self.see(verdict, &answer);
        // SAFETY: null, or a handle that nobody has used.
        unsafe { nearmiss_free(handle) };
    }

    fn answer(&self) -> Block {
        let answer =
            CAnswer { size: self.answer_size, verdict: -1, reason: -1, sentence: [1; 256], detail: [1; 512] };
        Block::holding(answer, block_bytes(self.answer_size, SIZES[1]), true)
    }

    /// The verdict is one, is the one in the answer, and nothing is written beyond it.
    fn see(&self, verdict: i32, answer: &Block) {
        assert!((0..=4).contains(&verdict), "verdict {verdict}");
        let bytes = answer.bytes();
        assert!(bytes[SIZES[1]..].iter().all(|byte| *byte == CANARY), "written beyond the structure");
        if self.answer_size < SIZES[1] {
            assert_ne!(verdict, 0, "accepted without an answer that can be read");
            assert!(bytes[16..SIZES[1]].iter().all(|byte| *byte == 1), "written to a structure too short");
            return;
        }
        assert_eq!(i32::from_ne_bytes(bytes[8..12].try_into().unwrap()), verdict);
        let sentence = bytes[16..272].split(|byte| *byte == 0).next().unwrap();
        assert!(sentence.len() < 256 && bytes[783] == 0 && std::str::from_utf8(sentence).is_ok());
        assert_eq!(sentence.is_empty(), verdict == 0);
    }
}

/// As many as the caller says, but for a size that no memory has.
fn block_bytes(size: usize, structure: usize) -> usize {
    if size == usize::MAX { structure } else { size.max(structure) }
}

/// Bytes on the heap, aligned for the structures, as many as said and not one more.
struct Block {
    words: Box<[u64]>,
    bytes: usize,
}

impl Block {
    /// A structure with what a newer header may have added behind it: something, or zeros.
    fn holding<T>(structure: T, bytes: usize, is_marked: bool) -> Block {
        let behind = u64::from_ne_bytes([if is_marked { CANARY } else { 0 }; 8]);
        let mut block = Block { words: vec![behind; bytes.div_ceil(8)].into_boxed_slice(), bytes };
        assert!(size_of::<T>() <= bytes);
        // SAFETY: aligned for 8 bytes and long enough.
        unsafe { block.words.as_mut_ptr().cast::<T>().write(structure) };
        block
    }

    fn at<T>(&self) -> *const T {
        self.words.as_ptr().cast()
    }

    fn at_mut<T>(&mut self) -> *mut T {
        self.words.as_mut_ptr().cast()
    }

    fn bytes(&self) -> Vec<u8> {
        self.words.iter().flat_map(|word| word.to_ne_bytes()).take(self.bytes).collect()
    }
}

/// An input that is read from the front; what is missing reads as zero or as nothing.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    /// The size of a structure: mostly the right one, sometimes any around it.
    fn size(&mut self, right: usize) -> usize {
        match self.byte() {
            byte @ 0..=31 => usize::from(byte),
            byte @ 32..=63 => right + usize::from(byte - 32) * 8,
            64 => usize::MAX,
            _ => right,
        }
    }

    /// A text that may be repeated, and so longer than anything is read.
    fn long(&mut self) -> Vec<u8> {
        let (length, times) = (usize::from(self.byte()), self.byte());
        let (text, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        text.repeat(if times < 240 { 1 } else { usize::from(times - 235).pow(2) })
    }
}
