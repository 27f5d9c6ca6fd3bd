//! The functions called as C calls them.
#![forbid(unsafe_code)]
#![allow(clippy::arithmetic_side_effects, reason = "tests")]

use std::{ffi::CString, fs};

use super::{
    boundary::{TestSite, WORD, boundary, write_filter},
    caller::ffi::{self, CallerAnswer, CallerRequest, CallerSecret, Handle, SIZES},
};

const GOOD: &str = "Zz9-uncommon-phrase";

fn question(password: &[u8]) -> CallerRequest<'_> {
    CallerRequest::of(password)
}

/// The verdict and the code of a check.
fn ask(handle: &Handle, question: &CallerRequest<'_>) -> (i32, &'static str) {
    let mut answer = CallerAnswer::new();
    let verdict = ffi::check(handle, Some(question), Some(&mut answer));
    assert_eq!(verdict, answer.verdict());
    (verdict, ffi::reason_code(answer.reason()))
}

fn asked(handle: &Handle, password: &[u8]) -> (i32, &'static str) {
    ask(handle, &question(password))
}

#[test]
fn a_password_is_judged_with_all_that_is_known() {
    let site = TestSite::new();
    let handle = site.open();
    assert_eq!(asked(&handle, GOOD.as_bytes()), (0, "none"));
    assert_eq!(asked(&handle, b"elephqnt1"), (1, "near-dictionary"));
    assert_eq!(asked(&handle, b"3lephant"), (1, "dictionary"));
    assert_eq!(asked(&handle, b"short"), (1, "too-short"));
    assert_eq!(asked(&handle, b""), (1, "empty"));
    let (user, gecos, host, old) = (c"annabella", c"Zebulon Quist,,,", c"workbench", b"Fjord+Quixote");
    let full = |password: &'static [u8]| CallerRequest {
        user: Some(user),
        gecos: Some(gecos),
        host: Some(host),
        old_password: CallerSecret::of(old),
        ..question(password)
    };
    for (password, code) in [
        (&b"annabella7"[..], "near-user-name"),
        (b"zebulonquist", "near-real-name"),
        (b"workbench1", "near-host-name"),
        (b"fjord+quixote", "near-old-password"),
    ] {
        assert_eq!(ask(&handle, &full(password)), (1, code), "{code}");
    }
}

#[test]
fn the_answer_has_a_sentence_for_the_user_and_nothing_of_the_password() {
    let site = TestSite::new();
    let handle = site.open();
    let mut answer = CallerAnswer::new();
    ffi::check(&handle, Some(&question(b"elephqnt1")), Some(&mut answer));
    assert!(answer.sentence().starts_with("it is one or two characters away from a dictionary word"));
    assert!(!answer.sentence().contains("eleph") && answer.detail().is_empty());
    ffi::check(&handle, Some(&question(GOOD.as_bytes())), Some(&mut answer));
    assert_eq!((answer.verdict(), answer.reason()), (0, 0));
    assert!(answer.bytes().iter().skip(16).all(|byte| *byte == 0));
}

#[test]
fn what_is_null_is_invalid_and_never_accepted() {
    let site = TestSite::new();
    let handle = site.open();
    let mut answer = CallerAnswer::new();
    let good = question(GOOD.as_bytes());
    assert_eq!(ffi::open_nowhere(Some(&site.conf), Some(&mut answer)), 3);
    assert_eq!(ffi::check(&Handle::NULL, Some(&good), Some(&mut answer)), 3);
    assert_eq!(answer.detail(), "handle is null [host-program]");
    assert_eq!(ffi::check(&handle, None, Some(&mut answer)), 3);
    assert!(answer.sentence().contains("not at fault"));
    assert_eq!(ffi::check(&handle, Some(&good), None), 0);
    assert_eq!(ffi::check(&Handle::NULL, None, None), 3);
    assert_eq!(ffi::record(&handle, None, CallerSecret::default(), None, None), 3);
    drop(Handle::NULL);
    let null = CallerRequest { password: CallerSecret::default(), ..good };
    assert_eq!(ask(&handle, &null), (3, "none"));
    let nine = CallerSecret { bytes: None, said: Some(9) };
    assert_eq!(ask(&handle, &CallerRequest { password: nine, ..null }), (3, "none"));
    assert_eq!(ask(&handle, &CallerRequest { old_password: nine, ..good }), (3, "none"));
}

#[test]
fn what_is_over_long_or_not_utf_8_has_a_defined_answer() {
    let site = TestSite::new();
    let handle = site.open();
    assert_eq!(asked(&handle, &[b'q'; 512]), (1, "too-long"));
    assert_eq!(asked(&handle, &vec![0xff; 1 << 20]), (1, "too-long"));
    // The stated length of a password is trusted only up to the limit of reading.
    let huge = CallerSecret { bytes: Some(&[b'q'; 600]), said: Some(usize::MAX) };
    let huge = CallerRequest { password: huge, ..question(b"") };
    assert_eq!(ask(&handle, &huge), (1, "too-long"));
    assert_eq!(asked(&handle, b"\xff\xfe\xc3\x28 \x80\xa5\xa5\xe2\x82"), (0, "none"));
    // As Latin-1, the byte is a letter.
    assert_eq!(asked(&handle, b"\xffelephant"), (1, "near-dictionary"));
    let long = CString::new(vec![b'a'; 1 << 16]).unwrap();
    let [user, gecos, host] = [Some(long.as_c_str()); 3];
    assert_eq!(ask(&handle, &CallerRequest { user, gecos, host, ..question(GOOD.as_bytes()) }), (0, "none"));
}

#[test]
fn structures_of_another_size_are_refused_or_understood() {
    let site = TestSite::new();
    let handle = site.open();
    let good = question(GOOD.as_bytes());
    for size in [0, 8, SIZES[0] - 8, SIZES[0] - 1, usize::MAX] {
        assert_eq!(ask(&handle, &CallerRequest { size, ..good }), (3, "none"), "{size}");
    }
    let german = CallerRequest { language: Some(c"de"), ..question(b"short") };
    let mut answer = CallerAnswer::new();
    ffi::check(&handle, Some(&german), Some(&mut answer));
    assert!(answer.sentence().starts_with("Es hat weniger als 8 Zeichen"));
    // A question from a program with a newer header.
    for (behind, expected) in [([0, 0], 0), ([0, 7], 3)] {
        let newer = CallerRequest { size: SIZES[0] + 16, behind: &behind, ..good };
        assert_eq!(ffi::check(&handle, Some(&newer), None), expected, "{behind:?}");
    }
    let mut small = CallerAnswer::of_size(16, &[0]);
    let mut asked = |password| ffi::check(&handle, Some(&question(password)), Some(&mut small));
    assert_eq!((asked(GOOD.as_bytes()), asked(WORD)), (3, 1));
    assert_eq!((small.verdict(), small.reason()), (-1, -1));
}

#[test]
fn a_configuration_that_is_missing_or_wrong_rejects_until_it_is_repaired() {
    let site = TestSite::new();
    let conf = site.folder.path().join("later.conf");
    let path = CString::new(conf.to_str().unwrap()).unwrap();
    let mut answer = CallerAnswer::new();
    let (verdict, handle) = ffi::open(Some(&path), Some(&mut answer));
    assert_eq!(verdict, 2);
    assert!(answer.detail().contains("later.conf") && !handle.is_null(), "{}", answer.detail());
    assert_eq!(asked(&handle, GOOD.as_bytes()), (2, "none"));
    fs::copy(site.conf.to_str().unwrap(), &conf).unwrap();
    assert_eq!(asked(&handle, GOOD.as_bytes()), (0, "none"));
    fs::write(&conf, "min_lenght = 9\n").unwrap();
    ffi::check(&handle, Some(&question(GOOD.as_bytes())), Some(&mut answer));
    assert!(answer.detail().contains("line 1") && answer.verdict() == 2, "{}", answer.detail());
    for wrong in [c"relative.conf", c"", c"/etc/../etc/nearmiss.conf"] {
        let (verdict, handle) = ffi::open(Some(wrong), Some(&mut answer));
        assert_eq!((verdict, handle.is_null()), (3, true));
        assert!(answer.detail().ends_with(" [path-not-absolute]"), "{}", answer.detail());
    }
}

#[test]
fn a_filter_that_is_replaced_while_it_is_open_is_asked_from_then_on() {
    let site = TestSite::new();
    let handle = site.open();
    assert_eq!(asked(&handle, b"wonderwall"), (0, "none"));
    write_filter(&site.folder.path().join("words.filter"), b"wonderwall");
    assert_eq!(asked(&handle, b"wonderwall"), (1, "dictionary"));
    assert_eq!(asked(&handle, WORD), (0, "none"));
    // A removed filter is still queried: passwords that were rejected before are still rejected.
    fs::remove_file(site.folder.path().join("words.filter")).unwrap();
    assert_eq!(asked(&handle, b"wonderwall"), (1, "dictionary"));
    fs::write(site.folder.path().join("words.filter"), "no filter").unwrap();
    assert_eq!(asked(&handle, GOOD.as_bytes()), (2, "none"));
}

#[test]
fn there_is_nothing_to_record_without_a_ladder() {
    let site = TestSite::new();
    let handle = site.open();
    let mut answer = CallerAnswer::new();
    let (account, good) = (Some(c"anna"), CallerSecret::of(GOOD.as_bytes()));
    let recorded = ffi::record(&handle, account, good, None, Some(&mut answer));
    assert_eq!((recorded, answer.detail().as_str()), (0, "there is no ladder"));
    assert_eq!(ffi::record(&handle, account, CallerSecret::of(&[b'q'; 600]), None, None), 3);
}

#[test]
fn the_version_is_the_packages() {
    assert_eq!(ffi::version(), env!("CARGO_PKG_VERSION"));
}

/// The stored inputs of the fuzz target, and some thousand pseudo-random ones.
#[test]
fn any_bytes_at_the_boundary_have_a_defined_answer() {
    for seed in
        fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fuzz/seeds/c_boundary")).unwrap()
    {
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

/// A caller that receives no checker frees none.
#[test]
fn an_answer_that_is_too_short_to_open_with_leaves_no_handle() {
    let site = TestSite::new();
    let mut small = CallerAnswer::of_size(16, &[0]);
    let (verdict, handle) = ffi::open(Some(&site.conf), Some(&mut small));
    assert_eq!((verdict, handle.is_null()), (3, true));
    let (verdict, handle) = ffi::open(Some(&site.conf), None);
    assert_eq!((verdict, handle.is_null()), (0, false));
}
