//! Logins at a site: leaked passwords, the effect of an unusable filter, and the counters.

use std::{
    fs,
    os::unix::fs::{FileExt, PermissionsExt},
    path::{Path, PathBuf},
};

use nearmiss_filters::{
    dictionary::{Build, Spec},
    digest::digest_of,
    format::{Kind, StatedRate},
    hash::Key,
    ladder::{RandomSource, SeededRandom},
};

use super::*;
use crate::config::{GuessRules, LogRule, OnError};

const LEAKED: &[u8] = b"Pa55 of last year";
const OTHER: &[u8] = b"Pa55 of this year";

struct Place {
    folder: tempfile::TempDir,
    config: Config,
}

fn spec(kind: Kind) -> Spec {
    let stated = StatedRate { lookups: 64, ..Spec::default().stated };
    Spec { kind, matching: Match::Exact, stated, ..Spec::default() }
}

/// The lines of a list of this kind that contains these passwords.
fn list<P: AsRef<[u8]>>(kind: Kind, passwords: impl IntoIterator<Item = P>) -> Vec<u8> {
    let line = |password: P| match digest_of(kind, password.as_ref()) {
        Some(digest) => digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into_bytes(),
        None => password.as_ref().to_vec(),
    };
    passwords.into_iter().flat_map(|password| [line(password), b"\n".to_vec()].concat()).collect()
}

impl Place {
    /// No dictionary, no ladder.
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let seen = folder.path().join("run/failures");
        let guesses = GuessRules { seen, file: folder.path().join("none"), ..GuessRules::default() };
        Place { config: Config { dictionaries: Vec::new(), guesses, ..Config::default() }, folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a filter for root only, replacing one of the same name.
    fn put(&self, name: &str, spec: Spec, list: &[u8]) -> PathBuf {
        let (file, new) = (self.path(name), self.path("new"));
        fs::write(&new, Build::new(spec, Key::new([7; 16])).in_memory(&[list]).unwrap()).unwrap();
        fs::set_permissions(&new, fs::Permissions::from_mode(0o600)).unwrap();
        fs::rename(new, &file).unwrap();
        file
    }

    /// The same, for logins.
    fn add(&mut self, name: &str, spec: Spec, list: &[u8]) -> PathBuf {
        let file = self.put(name, spec, list);
        self.config.dictionaries.push(DictionaryRule { logins: true, ..DictionaryRule::new(file.clone()) });
        file
    }

    fn looked_up(&self, password: &[u8]) -> LoginLookup {
        Site::new(self.config.clone()).look_up_login(password).unwrap()
    }

    fn listed(&self, password: &[u8]) -> Listed {
        let LoginLookup { listed, unusable } = self.looked_up(password);
        assert_eq!(unusable, None);
        listed
    }

    /// The reason why the password of a login is not looked up.
    fn unusable(&self) -> Unusable {
        let LoginLookup { listed, unusable } = self.looked_up(LEAKED);
        assert_eq!(listed, Listed::No);
        unusable.unwrap()
    }
}

#[test]
fn a_password_is_told_after_the_filter_has_it_and_not_before() {
    for kind in [Kind::Sha1, Kind::Ntlm] {
        let mut place = Place::new();
        place.add("leaked", spec(kind), &list(kind, [b"another"]));
        assert_eq!(place.listed(LEAKED), Listed::No);
        place.put("leaked", spec(kind), &list(kind, [&b"another"[..], LEAKED]));
        assert_eq!(place.listed(LEAKED), Listed::Likely);
        place.put("leaked", spec(kind).for_logins(), &list(kind, [&b"another"[..], LEAKED]));
        assert_eq!((place.listed(LEAKED), place.listed(OTHER)), (Listed::Surely, Listed::No));
    }
}

/// A disguised match, which a password change would find, is not reported at a login.
#[test]
fn it_is_looked_up_as_typed_and_in_no_variant() {
    let mut place = Place::new();
    place.add("leaked", spec(Kind::Sha1), &list(Kind::Sha1, [b"elephant"]));
    let site = Site::new(place.config.clone());
    for disguised in ["Elephant", "elephant1", "3lephant", "tnahpele", "elephantelephant", "elephan"] {
        assert_eq!(place.listed(disguised.as_bytes()), Listed::No, "{disguised}");
    }
    assert!(site.decide(b"Elephant1", &tests::NOBODY).finding.is_some(), "a change is asked in variants");
    assert_eq!(place.listed(b"elephant"), Listed::Likely);
}

#[test]
fn words_are_found_whatever_the_case_of_their_letters() {
    let mut place = Place::new();
    place.add("words", spec(Kind::Words), b"Summer2026!\ncaf\xc3\xa9 noir\n");
    for (password, listed) in [
        ("Summer2026!", Listed::Likely),
        ("summer2026!", Listed::Likely),
        ("CAFÉ noir", Listed::Likely),
        ("Summer2026", Listed::No),
        ("Summer2026!!", Listed::No),
        ("Summor2026!", Listed::No),
    ] {
        assert_eq!(place.listed(password.as_bytes()), listed, "{password}");
    }
    assert_eq!(place.listed(&[b'x'; 511]), Listed::No);
}

#[test]
fn only_filters_for_logins_are_opened_and_any_of_them_may_have_it() {
    let mut place = Place::new();
    place.config.dictionaries.push(DictionaryRule::new(place.path("none")));
    assert_eq!(Site::new(place.config.clone()).look_up_login(LEAKED), None);
    place.add("sure", spec(Kind::Sha1).for_logins(), &list(Kind::Sha1, [LEAKED]));
    place.add("likely", spec(Kind::Ntlm), &list(Kind::Ntlm, [LEAKED, OTHER]));
    assert_eq!([place.listed(LEAKED), place.listed(OTHER)], [Listed::Surely, Listed::Likely]);
    for impossible in [&b""[..], &[b'x'; 512]] {
        assert_eq!(Site::new(place.config.clone()).look_up_login(impossible), None);
    }
}

#[test]
fn a_filter_that_cannot_be_used_is_named_and_the_others_are_asked() {
    let mut place = Place::new();
    let first = place.add("first", spec(Kind::Sha1), &list(Kind::Sha1, [LEAKED]));
    place.add("second", spec(Kind::Ntlm), &list(Kind::Ntlm, [OTHER]));
    let bytes = fs::metadata(&first).unwrap().len();
    fs::File::options().write(true).open(&first).unwrap().write_all_at(&[0x55; 64], bytes - 2000).unwrap();
    let damaged = place.unusable();
    assert!(damaged.detail.contains("first") && damaged.detail.contains("checksum"), "{damaged}");
    let lookup = place.looked_up(OTHER);
    assert_eq!((lookup.listed, lookup.unusable.is_some()), (Listed::Likely, true));
    fs::File::options().write(true).open(&first).unwrap().set_len(bytes - 4096).unwrap();
    assert_eq!(place.unusable().trouble, Trouble::Damaged);
    fs::remove_file(&first).unwrap();
    assert_eq!(place.unusable().trouble, Trouble::Missing(first));
    // An error that refuses a change has no effect on a login.
    place.config.on_error = OnError::Reject;
    assert!(place.unusable().is_allowed);
}

#[test]
fn a_filter_that_is_asked_for_near_matches_is_not_for_logins() {
    let mut place = Place::new();
    place.add("near", Spec::default(), b"elephant\naccommodate\n");
    let near = place.unusable();
    assert!(near.detail.contains("match = \"exact\"") && near.trouble == Trouble::Unfit, "{near}");
    place.config.dictionaries.iter_mut().for_each(|rule| rule.matching = Some(Match::Exact));
    assert_eq!([place.listed(b"elephant"), place.listed(b"elephent")], [Listed::Likely, Listed::No]);
}

/// Reading 64 MiB would delay a login.
#[test]
fn what_has_to_be_copied_is_small() {
    let mut place = Place::new();
    let numbers = (0..400_000_u32).map(|number| number.to_string());
    let file = place.add("large", spec(Kind::Sha1), &list(Kind::Sha1, numbers));
    assert!(fs::metadata(&file).unwrap().len() > nearmiss_filters::dictionary::MAX_LOGIN_BYTES);
    assert_eq!(place.listed(b"7"), Listed::Likely);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let public = place.unusable();
    assert!(public.detail.contains("at a login 1 MiB); build it again without --public"), "{public}");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    place.config.private_copy = true;
    assert!(place.unusable().detail.contains("private_copy"));
    let small = place.add("small", spec(Kind::Sha1), &list(Kind::Sha1, [LEAKED]));
    fs::set_permissions(&small, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(place.looked_up(LEAKED).listed, Listed::Likely);
}

#[test]
fn logins_are_counted_and_logged_as_configured() {
    let mut place = Place::new();
    let file = place.add("leaked", spec(Kind::Sha1), &list(Kind::Sha1, [LEAKED]));
    let counts = |place: &Place| {
        let counts = LoginCounts::beside(&place.config.guesses.seen)?;
        Some([LoginCount::Other, LoginCount::Leaked, LoginCount::Unchecked].map(|one| counts.count(one)))
    };
    assert_eq!(counts(&place), None);
    let log = |place: &Place, password| {
        let site = Site::new(place.config.clone());
        site.count_login(&site.look_up_login(password).unwrap())
    };
    assert_eq!([log(&place, LEAKED), log(&place, OTHER)], [LoginLog::Nobody, LoginLog::Nothing]);
    place.config.log = LogRule::Rejections;
    place.config.log_users = true;
    assert_eq!([log(&place, LEAKED), log(&place, OTHER)], [LoginLog::User, LoginLog::Nothing]);
    place.config.log = LogRule::None;
    assert_eq!(log(&place, LEAKED), LoginLog::Nothing);
    fs::remove_file(file).unwrap();
    log(&place, LEAKED);
    assert_eq!(counts(&place), Some([2, 3, 1]));
    let logins = place.path("run/logins");
    assert_eq!(fs::metadata(&logins).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read(&logins).unwrap()[..16], *b"NMLOGINS\x02\0\0\0\0\0\0\0");
    for wrong in [&b"NMOTHERS........................"[..], b"short", b""] {
        fs::write(&logins, wrong).unwrap();
        log(&place, LEAKED);
        assert_eq!((counts(&place), fs::read(&logins).unwrap()), (None, wrong.to_vec()));
    }
}

#[test]
fn many_at_once_are_counted() {
    let place = Place::new();
    let seen = &place.config.guesses.seen;
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let site = Site::new(place.config.clone());
                (0..500)
                    .for_each(|_| assert_eq!(site.count_login(&LoginLookup::default()), LoginLog::Nothing));
            });
        }
    });
    let counted = LoginCounts::beside(seen).unwrap().count(LoginCount::Other);
    assert!((3990..=4000).contains(&counted), "{counted}");
}

/// Passwords that are in no list: of 100,000 none is found in a filter built for logins. In another filter
/// one in 64,000 is found, so it never demands a change.
#[test]
fn strangers_are_not_told() {
    let mut place = Place::new();
    let mut random = SeededRandom::new(29);
    let mut passwords = |count: usize| -> Vec<String> {
        (0..count).map(|_| random.words::<2>().unwrap()).map(|[a, b]| format!("{a:x}{b:x}")).collect()
    };
    let (leaked, strangers) = (passwords(50_000), passwords(100_000));
    let lines = list(Kind::Sha1, &leaked);
    place.add("for-logins", spec(Kind::Sha1).for_logins(), &lines);
    let told = |place: &Place, password: &String| place.listed(password.as_bytes()) != Listed::No;
    assert_eq!(strangers.iter().filter(|password| told(&place, password)).count(), 0);
    assert!(leaked.iter().take(2000).all(|password| place.listed(password.as_bytes()) == Listed::Surely));
    place.put("for-logins", spec(Kind::Sha1), &lines);
    let wrong = strangers.iter().filter(|password| told(&place, password)).count();
    // A mean of 1.56: more than 10 once in a million keys.
    assert!(wrong <= 10, "{wrong}");
}

/// A crafted file that lists every password demands no change, though its header states a rate for logins and
/// every checksum is right.
#[test]
fn what_a_filter_says_of_everybody_is_not_demanded() {
    let strangers: Vec<String> = (0..2000_u32).map(|number| format!("stranger {number}")).collect();
    let lines = list(Kind::Sha1, (0..20_000_u32).map(|number| number.to_string()));
    let lines = [lines, list(Kind::Sha1, [LEAKED])].concat();
    let mut place = Place::new();
    let file = place.add("leaked", spec(Kind::Sha1).for_logins(), &lines);
    let honest = fs::read(&file).unwrap();
    // The byte that is written, to one page in this number, and the resulting number of false positives.
    for (byte, part, least, most) in [(0xff, 1, 2000, 2000), (0xff, 10, 100, 300), (0, 1, 0, 0), (0, 2, 0, 0)]
    {
        let mut bytes = honest.clone();
        let pages = nearmiss_filters::chunks::chunks_mut::<_, _, 4096>(&mut bytes[4096..]).0;
        for page in pages.iter_mut().step_by(part) {
            page.fill(byte);
            nearmiss_filters::page::seal(page);
        }
        fs::write(&file, bytes).unwrap();
        let listed =
            |listed| strangers.iter().filter(|password| place.listed(password.as_bytes()) == listed).count();
        assert_eq!(listed(Listed::Surely), 0, "{byte:x} {part}");
        assert!((least..=most).contains(&listed(Listed::Likely)), "{byte:x} {part}");
    }
    fs::write(&file, honest).unwrap();
    assert_eq!([place.listed(LEAKED), place.listed(OTHER)], [Listed::Surely, Listed::No]);
}

#[test]
fn each_filter_for_logins_is_listed_with_its_fault() {
    let mut place = Place::new();
    place.config.dictionaries.push(DictionaryRule::new("/not/for/logins".into()));
    place.add("good", spec(Kind::Sha1), &list(Kind::Sha1, [LEAKED]));
    place.add("near", Spec::default(), b"elephant\n");
    let site = Site::new(place.config.clone());
    let listed: Vec<(&Path, bool)> =
        site.login_filters().map(|(path, filter)| (path, filter.is_ok())).collect();
    assert_eq!(listed, [(&*place.path("good"), true), (&*place.path("near"), false)]);
}
