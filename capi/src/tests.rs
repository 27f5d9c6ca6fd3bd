//! The functions called as C calls them.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "a caller in C is played")]
#![allow(clippy::multiple_unsafe_ops_per_block, clippy::arithmetic_side_effects, reason = "tests")]

use std::{
    ffi::{CStr, CString, c_char},
    fs,
    mem::size_of,
    ptr,
};

use nearmiss_checker::Checker;

use crate::{
    boundary::{SIZES, Site, WORD, boundary, write_filter},
    ffi::*,
};

const GOOD: &str = "Zz9-uncommon-phrase";

fn answer() -> CAnswer {
    CAnswer { size: size_of::<CAnswer>(), verdict: -1, reason: -1, sentence: [1; 256], detail: [1; 512] }
}

fn text(line: &[c_char]) -> &str {
    unsafe { CStr::from_ptr(line.as_ptr()) }.to_str().unwrap()
}

fn question(password: &[u8]) -> Question {
    Question {
        size: size_of::<Question>(),
        password: password.as_ptr().cast(),
        password_bytes: password.len(),
        old_password: ptr::null(),
        old_password_bytes: 0,
        user: ptr::null(),
        gecos: ptr::null(),
        host: ptr::null(),
    }
}

/// Verdict and code.
fn ask(handle: *const Checker, question: &Question) -> (i32, String) {
    let mut answer = answer();
    let verdict = unsafe { nearmiss_check(handle, question, &raw mut answer) };
    assert_eq!(verdict, answer.verdict);
    let code = unsafe { CStr::from_ptr(nearmiss_reason_code(answer.reason)) };
    (verdict, code.to_str().unwrap().to_owned())
}

fn asked(handle: *const Checker, password: &[u8]) -> (i32, String) {
    ask(handle, &question(password))
}

fn verdict(number: i32, code: &str) -> (i32, String) {
    (number, code.to_owned())
}

#[test]
fn a_password_is_judged_with_all_that_is_known() {
    let site = Site::new();
    let handle = site.open();
    assert_eq!(asked(handle, GOOD.as_bytes()), verdict(0, "none"));
    assert_eq!(asked(handle, b"elephqnt1"), verdict(1, "near-dictionary"));
    assert_eq!(asked(handle, b"3lephant"), verdict(1, "dictionary"));
    assert_eq!(asked(handle, b"short"), verdict(1, "too-short"));
    assert_eq!(asked(handle, b""), verdict(1, "empty"));
    let (user, gecos, host, old) = (c"annabella", c"Zebulon Quist,,,", c"workbench", b"Fjord+Quixote");
    let full = |password: &'static [u8]| Question {
        user: user.as_ptr(),
        gecos: gecos.as_ptr(),
        host: host.as_ptr(),
        old_password: old.as_ptr().cast(),
        old_password_bytes: old.len(),
        ..question(password)
    };
    for (password, code) in [
        (&b"annabella7"[..], "near-user-name"),
        (b"zebulonquist", "near-real-name"),
        (b"workbench1", "near-host-name"),
        (b"fjord+quixote", "near-old-password"),
    ] {
        assert_eq!(ask(handle, &full(password)), verdict(1, code), "{code}");
    }
    unsafe { nearmiss_free(handle) };
}

#[test]
fn the_answer_has_a_sentence_for_the_user_and_nothing_of_the_password() {
    let site = Site::new();
    let handle = site.open();
    let mut answer = answer();
    unsafe { nearmiss_check(handle, &question(b"elephqnt1"), &raw mut answer) };
    assert!(text(&answer.sentence).starts_with("it is one or two characters away from a dictionary word"));
    assert!(!text(&answer.sentence).contains("eleph") && text(&answer.detail).is_empty());
    unsafe { nearmiss_check(handle, &question(GOOD.as_bytes()), &raw mut answer) };
    assert_eq!((answer.verdict, answer.reason, text(&answer.sentence)), (0, 0, ""));
    assert!(answer.sentence.iter().chain(&answer.detail).all(|byte| *byte == 0));
    unsafe { nearmiss_free(handle) };
}

#[test]
fn what_is_null_is_invalid_and_never_accepted() {
    let site = Site::new();
    let handle = site.open();
    let mut answer = answer();
    let good = question(GOOD.as_bytes());
    unsafe {
        assert_eq!(nearmiss_open(site.conf.as_ptr(), ptr::null_mut(), &raw mut answer), 3);
        assert_eq!(nearmiss_check(ptr::null(), &raw const good, &raw mut answer), 3);
        assert_eq!(text(&answer.detail), "handle is null");
        assert_eq!(nearmiss_check(handle, ptr::null(), &raw mut answer), 3);
        assert!(text(&answer.sentence).contains("not at fault"));
        assert_eq!(nearmiss_check(handle, &raw const good, ptr::null_mut()), 0);
        assert_eq!(nearmiss_check(ptr::null(), ptr::null(), ptr::null_mut()), 3);
        assert_eq!(nearmiss_record(handle, ptr::null(), ptr::null(), 0, ptr::null(), ptr::null_mut()), 3);
        nearmiss_free(ptr::null_mut());
    }
    let null = Question { password: ptr::null(), ..question(b"") };
    assert_eq!(ask(handle, &null), verdict(3, "none"));
    assert_eq!(ask(handle, &Question { password_bytes: 9, ..null }), verdict(3, "none"));
    let old = Question { old_password_bytes: 9, ..question(GOOD.as_bytes()) };
    assert_eq!(ask(handle, &old), verdict(3, "none"));
    unsafe { nearmiss_free(handle) };
}

#[test]
fn what_is_over_long_or_not_utf_8_has_a_defined_answer() {
    let site = Site::new();
    let handle = site.open();
    assert_eq!(asked(handle, &[b'q'; 513]), verdict(1, "too-long"));
    assert_eq!(asked(handle, &vec![0xff; 1 << 20]), verdict(1, "too-long"));
    // The length of a password is believed only as far as it is read.
    let huge = Question { password_bytes: usize::MAX, ..question(&[b'q'; 600]) };
    assert_eq!(ask(handle, &huge), verdict(1, "too-long"));
    assert_eq!(asked(handle, b"\xff\xfe\xc3\x28 \x80\xa5\xa5\xe2\x82"), verdict(0, "none"));
    assert_eq!(asked(handle, b"\xffelephant"), verdict(1, "dictionary"));
    let long = CString::new(vec![b'a'; 1 << 16]).unwrap();
    let names = [long.as_ptr(); 3];
    let [user, gecos, host] = names;
    assert_eq!(ask(handle, &Question { user, gecos, host, ..question(GOOD.as_bytes()) }), verdict(0, "none"));
    unsafe { nearmiss_free(handle) };
}

/// A question of a newer header.
#[repr(C)]
struct Newer(Question, [u64; 2]);

#[test]
fn structures_of_another_size_are_refused_or_understood() {
    let site = Site::new();
    let handle = site.open();
    for size in [0, 8, SIZES[0] - 1, usize::MAX] {
        assert_eq!(
            ask(handle, &Question { size, ..question(GOOD.as_bytes()) }),
            verdict(3, "none"),
            "{size}"
        );
    }
    for (added, expected) in [([0, 0], 0), ([0, 7], 3)] {
        let newer = Newer(Question { size: size_of::<Newer>(), ..question(GOOD.as_bytes()) }, added);
        let asked = unsafe { nearmiss_check(handle, (&raw const newer).cast(), ptr::null_mut()) };
        assert_eq!(asked, expected, "{added:?}");
    }
    let mut small = CAnswer { size: 16, ..answer() };
    let mut asked = |password| unsafe { nearmiss_check(handle, &question(password), &raw mut small) };
    assert_eq!((asked(GOOD.as_bytes()), asked(WORD)), (3, 1));
    assert_eq!((small.verdict, small.reason), (-1, -1));
    unsafe { nearmiss_free(handle) };
}

#[test]
fn a_configuration_that_is_missing_or_wrong_rejects_until_it_is_repaired() {
    let site = Site::new();
    let conf = site.folder.path().join("later.conf");
    let path = CString::new(conf.to_str().unwrap()).unwrap();
    let (mut handle, mut answer) = (ptr::null_mut(), answer());
    assert_eq!(unsafe { nearmiss_open(path.as_ptr(), &raw mut handle, &raw mut answer) }, 2);
    assert!(text(&answer.detail).contains("later.conf") && !handle.is_null(), "{}", text(&answer.detail));
    assert_eq!(asked(handle, GOOD.as_bytes()), verdict(2, "none"));
    fs::copy(site.conf.to_str().unwrap(), &conf).unwrap();
    assert_eq!(asked(handle, GOOD.as_bytes()), verdict(0, "none"));
    fs::write(&conf, "min_lenght = 9\n").unwrap();
    unsafe { nearmiss_check(handle, &question(GOOD.as_bytes()), &raw mut answer) };
    assert!(text(&answer.detail).contains("line 1") && answer.verdict == 2, "{}", text(&answer.detail));
    unsafe { nearmiss_free(handle) };
    for wrong in [c"relative.conf", c"", c"/etc/../etc/nearmiss.conf"] {
        assert_eq!(unsafe { nearmiss_open(wrong.as_ptr(), &raw mut handle, ptr::null_mut()) }, 3);
        assert!(handle.is_null());
    }
}

#[test]
fn a_filter_that_is_replaced_while_it_is_open_is_asked_from_then_on() {
    let site = Site::new();
    let handle = site.open();
    assert_eq!(asked(handle, b"wonderwall"), verdict(0, "none"));
    write_filter(&site.folder.path().join("words.filter"), b"wonderwall");
    assert_eq!(asked(handle, b"wonderwall"), verdict(1, "dictionary"));
    assert_eq!(asked(handle, WORD), verdict(0, "none"));
    // A filter that is gone goes on being asked: nothing is let through that was rejected before.
    fs::remove_file(site.folder.path().join("words.filter")).unwrap();
    assert_eq!(asked(handle, b"wonderwall"), verdict(1, "dictionary"));
    fs::write(site.folder.path().join("words.filter"), "no filter").unwrap();
    assert_eq!(asked(handle, GOOD.as_bytes()), verdict(2, "none"));
    unsafe { nearmiss_free(handle) };
}

#[test]
fn there_is_nothing_to_record_without_a_ladder() {
    let site = Site::new();
    let handle = site.open();
    let mut answer = answer();
    let (account, password) = (c"anna".as_ptr(), GOOD.as_ptr().cast());
    let recorded =
        unsafe { nearmiss_record(handle, account, password, GOOD.len(), ptr::null(), &raw mut answer) };
    assert_eq!((recorded, text(&answer.detail)), (0, "there is no ladder"));
    let long = [b'q'; 600].as_ptr().cast();
    let over_long = unsafe { nearmiss_record(handle, account, long, 600, ptr::null(), ptr::null_mut()) };
    assert_eq!(over_long, 3);
    unsafe { nearmiss_free(handle) };
}

#[test]
fn the_version_is_the_packages() {
    let version = unsafe { CStr::from_ptr(nearmiss_version()) };
    assert_eq!(version.to_str(), Ok(env!("CARGO_PKG_VERSION")));
}

/// The kept inputs of the fuzz target, and some thousand pseudo-random ones.
#[test]
fn any_bytes_at_the_boundary_have_a_defined_answer() {
    for seed in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/seeds/c_boundary")).unwrap() {
        boundary(&fs::read(seed.unwrap().path()).unwrap());
    }
    let mut state = 7_u64;
    for length in 0..3000 {
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state.to_be_bytes()[0]
        };
        let bytes: Vec<u8> = (0..length % 400).map(|_| next()).collect();
        boundary(&bytes);
    }
}
