//! Failed logins at a site: which count, when their password is rejected, and what damage means.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use nearmiss_filters::ladder::{Counter, LadderFiles, NewLadder, Preset, SeenFailures, SeenFile, create};

use super::{
    tests::{NOBODY, reason_of},
    *,
};
use crate::{
    config::{GuessRules, Network, OnError, Origin, Repeats},
    policy::Reason,
};

const NOW: u64 = 1_800_000_000;
const GUESSED: &[u8] = b"Summer2026!x";

struct Place {
    folder: tempfile::TempDir,
    config: Config,
}

impl Place {
    fn new(rules: GuessRules) -> Place {
        let folder = tempfile::tempdir().unwrap();
        let [file, key, seen] = ["s/g", "k/key", "run/failures"].map(|name| folder.path().join(name));
        let ladder = LadderFiles { file: folder.path().join("s/chosen"), key };
        let guesses = GuessRules { file, seen, ..rules };
        let place = Place {
            config: Config { dictionaries: Vec::new(), ladder, guesses, ..Config::default() },
            folder,
        };
        let params = Preset::Guesses.params(None).unwrap();
        create(&place.config.guess_files(), &NewLadder { params, cost: None, stamps: 0 }, false).unwrap();
        place
    }

    fn site(&self) -> Site {
        Site::new(self.config.clone())
    }

    fn seen(&self) -> SeenFailures<SeenFile> {
        SeenFailures::open(&self.config.guesses.seen).unwrap().unwrap()
    }

    fn array(&self) -> PathBuf {
        self.config.guesses.file.clone()
    }
}

fn login<'a>(account: &'a str, password: &'a [u8], host: Option<&'a str>) -> FailedLogin<'a> {
    FailedLogin { account: account.as_bytes(), password, remote_host: host.map(str::as_bytes), now: NOW }
}

fn count(site: &Site, account: &str, host: Option<&str>) -> Guess {
    site.count_guess(&login(account, GUESSED, host)).unwrap()
}

const NEW: Guess = Guess::Seen { is_frequent: false, is_new: true };
const REPEAT: Guess = Guess::Seen { is_frequent: false, is_new: false };
const FAR: Option<&str> = Some("203.0.113.7");

/// Counts failures of one account after the other until the password is frequent; how many there were.
fn guess_until_frequent(site: &Site) -> u32 {
    let is_frequent = |number: &u32| match count(site, &format!("user{number}"), FAR) {
        Guess::Seen { is_frequent, is_new } => is_frequent && is_new,
        other => panic!("{other:?}"),
    };
    (1..100).find(is_frequent).unwrap()
}

/// A password never seen stands at 24 ± 3.5 of 48; once it has climbed to 44, the next failure finds it
/// there. Outside 8 ..= 40 with probability 10⁻⁵.
#[test]
fn a_password_tried_at_many_accounts_is_rejected_at_a_password_change() {
    let place = Place::new(GuessRules::default());
    let site = place.site();
    assert_eq!(reason_of(&site, GUESSED), None);
    let failures = guess_until_frequent(&site);
    assert!((8..=40).contains(&failures), "{failures}");
    assert!(site.is_guessed(GUESSED).unwrap() && !site.is_guessed(b"Summer2026!y").unwrap());
    assert_eq!(reason_of(&site, GUESSED), Some(Reason::GuessedHere));
    let without = Site::without_ladder(place.config.clone());
    assert_eq!(reason_of(&without, GUESSED), None);
    assert_eq!(reason_of(&site, b"Summer2026!y"), None);
    let warned_only = Site::new(Config {
        guesses: GuessRules { reject: false, ..place.config.guesses.clone() },
        ..place.config
    });
    assert_eq!(reason_of(&warned_only, GUESSED), None);
    assert!(warned_only.is_guessed(GUESSED).unwrap());
}

#[test]
fn a_repeat_of_an_account_takes_no_step() {
    let place = Place::new(GuessRules::default());
    let site = place.site();
    assert_eq!(count(&site, "ann", FAR), NEW);
    let before = fs::read(place.array()).unwrap();
    for host in [FAR, Some("198.51.100.9"), Some("2001:db8::1"), Some("a.host.example")] {
        assert_eq!(count(&site, "ann", host), REPEAT);
    }
    assert!(fs::read(place.array()).unwrap() == before, "a repeat changed the ladder");
    assert_eq!(count(&site, "bob", FAR), NEW);
    let counters = [Counter::Failures, Counter::Counted, Counter::Frequent, Counter::LeftOut];
    assert_eq!(counters.map(|counter| place.seen().count(counter).unwrap()), [6, 2, 0, 0]);
}

#[test]
fn another_network_counts_again_where_that_is_asked_for() {
    let place = Place::new(GuessRules { repeats: Repeats::AccountAndNetwork, ..GuessRules::default() });
    let site = place.site();
    let seen = |host| count(&site, "ann", Some(host));
    assert_eq!([seen("203.0.113.7"), seen("203.0.113.8"), seen("203.0.114.7")], [NEW, REPEAT, NEW]);
    assert_eq!([seen("2001:db8:1::1"), seen("2001:db8:1:9::"), seen("2001:db8:2::1")], [NEW, REPEAT, NEW]);
    assert_eq!([seen("a.example"), seen("a.example"), seen("b.example")], [NEW, REPEAT, NEW]);
}

#[test]
fn what_is_left_out_changes_nothing_but_its_counter() {
    let not_from = vec![Network::parse("10.0.0.0/8").unwrap()];
    let place = Place::new(GuessRules { not_from, ..GuessRules::default() });
    let site = place.site();
    let before = fs::read(place.array()).unwrap();
    let long = [b'x'; 512];
    let junk = b"\x08\n\r\x7fINCORRECT\x08\n\r";
    let logins = [
        login("ann", GUESSED, None),
        login("ann", GUESSED, Some("10.1.2.3")),
        login("ann", b"", FAR),
        login("ann", &long, FAR),
        login("ann", junk, FAR),
        login("ann", &junk[..1], FAR),
    ];
    for failed in &logins {
        assert_eq!(site.count_guess(failed).unwrap(), Guess::LeftOut);
    }
    assert!(fs::read(place.array()).unwrap() == before);
    assert_eq!((place.seen().count(Counter::LeftOut).unwrap(), place.seen().taken().unwrap()), (6, 0));
    let all = Place::new(GuessRules { from: Origin::All, ..GuessRules::default() });
    assert_eq!(count(&all.site(), "ann", None), NEW);
}

#[test]
fn without_a_ladder_nothing_is_made() {
    let place = Place::new(GuessRules::default());
    fs::remove_file(place.array()).unwrap();
    let site = place.site();
    assert_eq!(count(&site, "ann", FAR), Guess::NoLadder);
    assert!(!site.is_guessed(GUESSED).unwrap() && site.unusable().is_empty());
    assert!(!place.folder.path().join("run").exists());
}

/// At a login a warning; at a password change what `on_error` says.
#[test]
fn damage_is_an_error_that_names_the_file() {
    let damage = |path: PathBuf, at| {
        fs::File::options().write(true).open(path).unwrap().write_all_at(&[0xff], at).unwrap();
    };
    for on_error in [OnError::Reject, OnError::Allow] {
        let mut place = Place::new(GuessRules::default());
        place.config.ladder_on_error = on_error;
        damage(place.array(), 30);
        let site = place.site();
        let unusable = site.count_guess(&login("ann", GUESSED, FAR)).unwrap_err();
        assert!(unusable.detail.contains("s/g"), "{unusable}");
        assert_eq!((unusable.cause, unusable.is_allowed), (Cause::Guesses, on_error == OnError::Allow));
        assert_eq!(site.is_guessed(GUESSED), Err(unusable.clone()));
        assert_eq!(site.decide(GUESSED, &NOBODY).failures, [unusable]);
    }
    let place = Place::new(GuessRules::default());
    count(&place.site(), "ann", FAR);
    damage(place.config.guesses.seen.clone(), 0);
    let site = place.site();
    let unusable = site.count_guess(&login("ann", GUESSED, FAR)).unwrap_err();
    assert!(unusable.detail.contains("run/failures") && unusable.detail.contains("remove it"), "{unusable}");
    assert_eq!(reason_of(&site, GUESSED), None, "a change does not need that file");
    let may_warn = |after| may_warn(&place.config.guesses.seen, NOW + after);
    assert_eq!([may_warn(0), may_warn(59), may_warn(60)], [true, false, true]);
}

/// A file of another directory of the machine can be cut while a program has it open.
#[test]
fn a_ladder_that_fails_while_it_is_asked_is_no_acceptance() {
    for on_error in [OnError::Reject, OnError::Allow] {
        let mut place = Place::new(GuessRules::default());
        place.config.ladder_on_error = on_error;
        let site = place.site();
        assert_eq!(site.unusable(), []);
        fs::File::options().write(true).open(place.array()).unwrap().set_len(4096).unwrap();
        let decision = site.decide(GUESSED, &NOBODY);
        let causes: Vec<Cause> = decision.failures.iter().map(|unusable| unusable.cause).collect();
        assert_eq!(causes, [Cause::Guesses]);
        assert_eq!(decision.rejection().is_err(), on_error == OnError::Reject);
    }
}

#[test]
fn a_failure_is_remembered_for_as_many_days_as_configured() {
    let place = Place::new(GuessRules { memory_days: 3, ..GuessRules::default() });
    let site = place.site();
    let failed = |now| site.count_guess(&FailedLogin { now, ..login("ann", GUESSED, FAR) }).unwrap();
    let end = NOW + 3 * 86_400;
    assert_eq!([failed(NOW), failed(end - 1), failed(end + 1)], [NEW, REPEAT, NEW]);
}

/// Who reads it learns which passwords failed, at two hashes a candidate.
#[test]
fn what_failures_are_remembered_in_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;

    let place = Place::new(GuessRules::default());
    count(&place.site(), "ann", FAR);
    for mode in [0o644, 0o640, 0o604] {
        fs::set_permissions(&place.config.guesses.seen, fs::Permissions::from_mode(mode)).unwrap();
        let unusable = place.site().count_guess(&login("bob", GUESSED, FAR)).unwrap_err();
        assert!(unusable.detail.contains("run/failures"), "{mode:o}: {unusable}");
        assert_eq!(unusable.trouble, Trouble::Untrusted, "{mode:o}");
    }
}
