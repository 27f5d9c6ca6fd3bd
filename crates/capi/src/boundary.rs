//! Arbitrary bytes at the boundary: the body of the fuzz target, which the unit tests run, too.
//!
//! It panics if a promise of the header is broken. Under AddressSanitizer an access outside of the caller's
//! memory is a fault as well: each argument is a separate block.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "what does not hold stops the run")]
#![allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "the same")]

use std::{
    ffi::{CStr, CString},
    fs,
    os::unix::ffi::OsStrExt,
    path::Path,
};

use nearmiss_filters::{
    dictionary::{Build, Spec},
    hash::Key,
};
use tempfile::TempDir;

use super::caller::ffi::{self, CallerAnswer, CallerRequest, CallerSecret, Handle, SIZES};

/// A word of the filter that the checker of these runs queries.
pub(crate) const WORD: &[u8] = b"elephant";
/// The byte after a structure, which must not change.
const CANARY: u8 = 0xa5;
const CANARIES: &[u64] = &[u64::from_ne_bytes([CANARY; 8])];

/// A configuration with a filter of one word and no ladder, and a checker of it that stays open.
pub(crate) struct TestSite {
    pub(crate) folder: TempDir,
    pub(crate) conf: CString,
}

impl TestSite {
    pub(crate) fn new() -> TestSite {
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
        TestSite { folder, conf }
    }

    pub(crate) fn open(&self) -> Handle {
        let (verdict, handle) = ffi::open(Some(&self.conf), None);
        // Restores the location of a failed test, which the library's hook suppresses.
        drop(std::panic::take_hook());
        assert_eq!((verdict, handle.is_null()), (0, false));
        handle
    }
}

/// Installs a filter of these words by renaming, like every writer of filters.
pub(crate) fn write_filter(path: &Path, words: &[u8]) {
    let build = Build::new(Spec::default(), Key::random().unwrap());
    let new = path.with_extension("new");
    fs::write(&new, build.in_memory(&[words]).unwrap()).unwrap();
    fs::rename(new, path).unwrap();
}

/// One call of each function with arguments made of these bytes.
pub(crate) fn boundary(bytes: &[u8]) {
    thread_local! {
        // One for all calls; its folder ends with the test's thread.
        static OPEN: (TestSite, Handle) = {
            let site = TestSite::new();
            let handle = site.open();
            (site, handle)
        };
    }
    OPEN.with(|(_, open)| calls(open, bytes));
}

fn calls(open: &Handle, bytes: &[u8]) {
    let mut input = BoundaryInput(bytes);
    let made = TestCall::of(&mut input);
    let handle = if made.flags & 1 == 0 { open } else { &Handle::NULL };
    made.check(handle);
    made.record(handle);
    made.open();
    assert!(!ffi::reason_code(i32::from(input.byte())).is_empty());
}

/// Arguments, each in a separate block.
struct TestCall {
    flags: u8,
    question_size: usize,
    answer_size: usize,
    password: Option<Box<[u8]>>,
    old_password: Option<Box<[u8]>>,
    texts: [Option<CString>; 3],
}

impl TestCall {
    fn of(input: &mut BoundaryInput<'_>) -> TestCall {
        let flags = input.byte();
        let secret =
            |input: &mut BoundaryInput<'_>| (input.byte() & 7 != 0).then(|| input.long().into_boxed_slice());
        let text = |input: &mut BoundaryInput<'_>| {
            let bytes: Vec<u8> = input.long().into_iter().filter(|byte| *byte != 0).collect();
            (input.byte() & 3 != 0).then(|| CString::new(bytes).unwrap())
        };
        TestCall {
            flags,
            question_size: input.size(SIZES[0]),
            answer_size: input.size(SIZES[1]),
            password: secret(input),
            old_password: secret(input),
            texts: [text(input), text(input), text(input)],
        }
    }

    fn text(&self, at: usize) -> Option<&CStr> {
        self.texts[at].as_deref()
    }

    fn check(&self, handle: &Handle) {
        let password = self.password.as_deref();
        // The length that a caller without a password passes.
        let said = password.is_none().then(|| usize::from(self.flags & 2));
        let asking = CallerRequest {
            size: self.question_size,
            behind: if self.flags & 4 == 0 { &[0] } else { CANARIES },
            password: CallerSecret { bytes: password, said },
            old_password: CallerSecret { bytes: self.old_password.as_deref(), said: None },
            user: self.text(0),
            gecos: self.text(1),
            host: self.text(2),
            language: self.text(1),
        };
        let mut answer = self.answer();
        let verdict = ffi::check(handle, Some(&asking), Some(&mut answer));
        let accepted_length = password.is_some_and(|password| (8..=512).contains(&password.len()));
        assert!(verdict != 0 || (accepted_length && !handle.is_null()), "accepted");
        see(verdict, &answer);
    }

    fn record(&self, handle: &Handle) {
        let mut answer = self.answer();
        let password = self.password.as_deref();
        let password = CallerSecret { bytes: password, said: password.is_none().then_some(7) };
        let verdict = ffi::record(handle, self.text(0), password, self.text(1), Some(&mut answer));
        see(verdict, &answer);
    }

    /// A path that does not exist, or is not a path.
    fn open(&self) {
        let mut answer = self.answer();
        let (verdict, handle) = ffi::open(self.text(2), Some(&mut answer));
        let is_invalid = self.answer_size >= SIZES[1] && matches!(verdict, 3 | 4);
        assert!(!is_invalid || handle.is_null(), "a handle with {verdict}");
        see(verdict, &answer);
    }

    fn answer(&self) -> CallerAnswer {
        CallerAnswer::of_size(self.answer_size, CANARIES)
    }
}

/// Checks that the verdict is valid and equals the one in the answer, and that nothing is written beyond the
/// answer.
fn see(verdict: i32, answer: &CallerAnswer) {
    assert!((0..=4).contains(&verdict), "verdict {verdict}");
    let bytes = answer.bytes();
    assert!(bytes[SIZES[1]..].iter().all(|byte| *byte == CANARY), "written beyond the structure");
    if answer.size() < SIZES[1] {
        assert_ne!(verdict, 0, "accepted without an answer that can be read");
        assert!(bytes[16..SIZES[1]].iter().all(|byte| *byte == 1), "written to a structure too short");
        return;
    }
    assert_eq!(i32::from_ne_bytes(bytes[8..12].try_into().unwrap()), verdict);
    let sentence = bytes[16..272].split(|byte| *byte == 0).next().unwrap();
    assert!(sentence.len() < 256 && bytes[783] == 0 && std::str::from_utf8(sentence).is_ok());
    assert_eq!(sentence.is_empty(), verdict == 0);
}

/// An input that is read from the front; missing bytes read as zero or as nothing.
struct BoundaryInput<'a>(&'a [u8]);

impl BoundaryInput<'_> {
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

    /// A text that may be repeated, and so longer than any limit.
    fn long(&mut self) -> Vec<u8> {
        let (length, times) = (usize::from(self.byte()), self.byte());
        let (text, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        text.repeat(if times < 240 { 1 } else { usize::from(times - 235).pow(2) })
    }
}
