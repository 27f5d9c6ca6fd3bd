//! The lines about guessed passwords against a scripted host: what counts, what is logged, and who is asked
//! for a change.

use super::*;
use crate::{
    checks::scripted::{FakeChecks, Opened},
    host::scripted::{Scripted, Step},
};
use nearmiss_policy::config::stack_options::Options;

const LINE: &str = "guess from 203.0.113.7 weight 5: a password that is guessed often here";

fn options() -> Options {
    Options { debug: true, ..Options::default() }
}

fn failed(mut host: Scripted, checks: &FakeChecks) {
    EntryCall { host: &mut host, checks, options: &options() }.failed();
}

/// A host with this password and what is expected to be logged.
fn host(password: &'static [u8], log: &[(Priority, &'static str)]) -> Scripted {
    let steps = log.iter().map(|(priority, line)| Step::Log(*priority, line));
    Scripted { password: Some(password), ..Scripted::new(steps) }
}

const COUNTED: (Priority, &str) = (Priority::Debug, "a failed login is counted");

#[test]
fn a_failure_is_counted_under_the_accounts_own_name() {
    let checks = FakeChecks::with_guesses(Opened::Good);
    failed(Scripted { user: Some(b"Ann"), ..host(b"guess", &[COUNTED]) }, &checks);
    assert_eq!(*checks.failures.borrow(), [[&b"ann"[..], b"guess", b"203.0.113.7"].map(<[u8]>::to_vec)]);
    failed(host(b"guess", &[(Priority::Debug, "a repeated failure is not counted")]), &checks);
    let quiet = Options::default();
    EntryCall { host: &mut host(b"another", &[]), checks: &checks, options: &quiet }.failed();
}

#[test]
fn an_address_that_guesses_a_frequent_password_is_named_and_nothing_else_is() {
    let checks = FakeChecks::with_guesses(Opened::Good);
    failed(host(b"frequent", &[(Priority::Notice, LINE), COUNTED]), &checks);
    for remote_host in [None, Some(&b"evil.example weight 5"[..]), Some(b"dead.beef"), Some(b"\xff\n")] {
        let log = [
            (Priority::Notice, "guess from no address weight 5: a password that is guessed often here"),
            COUNTED,
        ];
        failed(Scripted { remote_host, ..host(b"frequent", &log) }, &checks);
    }
    let v6 = (Priority::Notice, "guess from 2001:db8::7 weight 5: ");
    failed(Scripted { remote_host: Some(b"2001:db8::7"), ..host(b"frequent", &[v6, COUNTED]) }, &checks);
}

#[test]
fn what_is_not_a_guess_is_not_counted() {
    let checks = FakeChecks::with_guesses(Opened::Good);
    let debug = |line| [(Priority::Debug, line)];
    let not_root = host(b"guess", &debug("not run as root"));
    failed(Scripted { privileged: false, ..not_root }, &checks);
    let right = host(b"right", &debug("pam_unix accepted the password: not a guess"));
    failed(Scripted { unix_accepted: true, ..right }, &checks);
    assert_eq!(*checks.left_out.borrow(), [b"right"], "and takes as long");
    failed(Scripted { password: None, ..host(b"", &debug("no password")) }, &checks);
    failed(Scripted { user: None, ..host(b"guess", &debug("no user")) }, &checks);
    assert!(checks.failures.borrow().is_empty());
    failed(host(b"guess", &debug("there is no ladder")), &FakeChecks::with_guesses(Opened::Nothing));
}

#[test]
fn damage_is_a_warning_a_minute_and_never_more() {
    let damaged = FakeChecks::with_guesses(Opened::Damaged { allowed: true });
    for (may_warn, priority) in [(true, Priority::Warning), (false, Priority::Debug)] {
        let part: &'static str = "failed logins are not counted as guesses: chosen.ladder";
        failed(Scripted { may_warn, ..host(b"guess", &[(priority, part)]) }, &damaged);
        let part = "cannot check login passwords against guessed passwords";
        let mut host = Scripted { may_warn, ..host(b"guess", &[(priority, part)]) };
        EntryCall { host: &mut host, checks: &damaged, options: &options() }.passed();
        assert_eq!(host.login_notice, None);
    }
    let out_of_reach = FakeChecks::with_guesses(Opened::OutOfReach);
    let mut host = host(b"guess", &[(Priority::Debug, "cannot check login passwords")]);
    EntryCall { host: &mut host, checks: &out_of_reach, options: &options() }.passed();
    let panics = FakeChecks::with_guesses(Opened::Panic);
    failed(self::host(b"guess", &[(Priority::Warning, "internal error")]), &panics);
}

const GUESSED: LoginNotice = LoginNotice { is_guessed: true, listed: Listed::No, is_shown: false };
const GUESSED_AND_SHOWN: LoginNotice = LoginNotice { is_shown: true, ..GUESSED };
const NOTHING: LoginNotice = LoginNotice { is_guessed: false, ..GUESSED };

fn passed(password: Option<&'static [u8]>, before: Option<LoginNotice>) -> Option<LoginNotice> {
    let checks = FakeChecks::with_guesses(Opened::Good);
    let mut host = Scripted { password, login_notice: before, ..Scripted::new([]) };
    EntryCall { host: &mut host, checks: &checks, options: &options() }.passed();
    host.login_notice
}

#[test]
fn a_login_leaves_its_verdict_and_takes_an_earlier_one_away() {
    assert_eq!(passed(Some(b"frequent"), None), Some(GUESSED));
    assert_eq!(passed(Some(b"frequent"), Some(GUESSED_AND_SHOWN)), Some(GUESSED));
    for password in [None, Some(&b"good"[..]), Some(b""), Some(&[b'x'; 513])] {
        assert_eq!(passed(password, None), None);
        assert_eq!(passed(password, Some(GUESSED)), Some(NOTHING));
    }
}

fn account(mut host: Scripted, force_change: bool, flags: u32) -> (PamResultCode, Option<LoginNotice>) {
    let checks = FakeChecks::with_guesses(Opened::Good);
    let options = Options { force_change, ..Options::default() };
    let code = EntryCall { host: &mut host, checks: &checks, options: &options }.account(Flags(flags));
    (code, host.login_notice)
}

/// A host that shows its user a message that ends so.
fn told(notice: LoginNotice, message: &'static str) -> Scripted {
    Scripted { login_notice: Some(notice), ..Scripted::new([Step::Error(message)]) }
}

fn shown(notice: LoginNotice) -> Scripted {
    told(notice, "on this system.\nChange it with passwd.")
}

#[test]
fn the_owner_reads_it_once_a_login() {
    use PamResultCode::PAM_IGNORE;
    assert_eq!(account(Scripted::new([]), false, 0), (PAM_IGNORE, None));
    assert_eq!(account(Scripted::new([]), true, 0), (PAM_IGNORE, None));
    assert_eq!(account(shown(GUESSED), false, 0), (PAM_IGNORE, Some(GUESSED_AND_SHOWN)));
    let silent = |notice| Scripted { login_notice: Some(notice), ..Scripted::new([]) };
    assert_eq!(account(silent(GUESSED_AND_SHOWN), false, 0), (PAM_IGNORE, Some(GUESSED_AND_SHOWN)));
    assert_eq!(account(silent(GUESSED), false, pam::constants::PAM_SILENT), (PAM_IGNORE, Some(GUESSED)));
    assert_eq!(account(silent(NOTHING), true, 0), (PAM_IGNORE, Some(NOTHING)));
}

#[test]
fn a_change_is_demanded_only_of_accounts_that_can_be_expired_and_never_of_root() {
    use PamResultCode::{PAM_IGNORE, PAM_NEW_AUTHTOK_REQD};
    let code = |host| account(host, true, 0).0;
    assert_eq!(code(shown(GUESSED)), PAM_NEW_AUTHTOK_REQD);
    let host = || shown(GUESSED);
    assert_eq!(code(Scripted { superuser: true, ..host() }), PAM_IGNORE);
    assert_eq!(code(Scripted { local: Some(false), ..host() }), PAM_IGNORE);
    assert_eq!(code(Scripted { local: None, ..host() }), PAM_IGNORE);
    assert_eq!(code(Scripted { user: None, ..host() }), PAM_IGNORE);
    for shadow_field in [None, Some(&b"!"[..]), Some(b"*"), Some(b"x"), Some(b"")] {
        assert_eq!(code(Scripted { shadow_field, ..host() }), PAM_IGNORE);
    }
}
