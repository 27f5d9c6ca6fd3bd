//! The lines `passed` and `notify` about leaked passwords against a scripted host: the state for the account
//! lines, the log, and the users who must change their password.

use nearmiss_policy::{
    config::stack_options::Options,
    site::{Listed, LoginLog},
};
use pam::constants::PamResultCode::{PAM_IGNORE, PAM_NEW_AUTHTOK_REQD};

use super::*;
use crate::{
    checks::scripted::{FakeChecks, Opened},
    host::scripted::{Scripted, Step},
};

const SENTENCE: &str = "Your password is in a list of leaked passwords. Change it with passwd.";
const LISTED: &str =
    "decision=listed reason=breached enforced=warn try=1 user=- service=passwd rhost=- cause=-";

fn notice(listed: Listed) -> LoginNotice {
    LoginNotice { listed, ..LoginNotice::default() }
}

fn pass(host: &mut Scripted, checks: &FakeChecks) {
    EntryCall { host, checks, options: &Options::default() }.passed();
}

/// The state that a login with this password leaves, its log line, and the number of counted logins.
fn passed(password: Option<&'static [u8]>, checks: &FakeChecks) -> (Option<LoginNotice>, Vec<String>) {
    let mut host = Scripted { password, ..Scripted::new([]) };
    pass(&mut host, checks);
    let decisions = host.decisions.borrow().clone();
    (host.login_notice, decisions)
}

#[test]
fn a_leaked_password_is_noted_counted_and_logged_without_a_name() {
    let checks = FakeChecks::with_lists(Opened::Good);
    let line = || vec![LISTED.to_owned()];
    assert_eq!(passed(Some(b"leaked"), &checks), (Some(notice(Listed::Surely)), line()));
    assert_eq!(passed(Some(b"likely leaked"), &checks), (Some(notice(Listed::Likely)), line()));
    assert_eq!(passed(Some(b"Leaked"), &checks), (Some(notice(Listed::No)), vec![]));
    let counted: Vec<Listed> = checks.logins.borrow().iter().map(|lookup| lookup.listed).collect();
    assert_eq!(counted, [Listed::Surely, Listed::Likely, Listed::No]);
}

#[test]
fn without_a_password_or_a_list_nothing_is_looked_up() {
    let checks = FakeChecks::with_lists(Opened::Good);
    for password in [None, Some(&b""[..]), Some(&[b'x'; 513])] {
        assert_eq!(passed(password, &checks), (None, vec![]));
    }
    assert!(checks.logins.borrow().is_empty());
    let none = FakeChecks::with_lists(Opened::Nothing);
    assert_eq!(passed(Some(b"leaked"), &none), (None, vec![]));
    assert!(none.logins.borrow().is_empty());
}

#[test]
fn the_account_is_named_only_where_that_is_configured() {
    let named = FakeChecks { login_log: LoginLog::User, ..FakeChecks::with_lists(Opened::Good) };
    let line = LISTED.replace("user=-", "user=ann").replace("rhost=-", "rhost=203.0.113.7");
    assert_eq!(passed(Some(b"leaked"), &named).1, [line]);
    let silent = FakeChecks { login_log: LoginLog::Nothing, ..FakeChecks::with_lists(Opened::Good) };
    assert_eq!(passed(Some(b"leaked"), &silent), (Some(notice(Listed::Surely)), vec![]));
}

/// Two profiles of the packages contain the line.
#[test]
fn a_second_line_of_the_stack_counts_nothing() {
    let checks = FakeChecks::with_lists(Opened::Good);
    let mut host = Scripted { password: Some(b"leaked"), ..Scripted::new([]) };
    pass(&mut host, &checks);
    pass(&mut host, &checks);
    assert_eq!((checks.logins.borrow().len(), host.decisions.borrow().len()), (1, 1));
    assert_eq!(host.login_notice, Some(notice(Listed::Surely)));
    // In the same transaction with another password.
    host.password = Some(b"good");
    pass(&mut host, &checks);
    assert_eq!(host.login_notice, Some(notice(Listed::No)));
}

#[test]
fn a_list_that_cannot_be_used_is_one_warning_and_fails_nothing() {
    let damaged = FakeChecks::with_lists(Opened::Damaged { allowed: true });
    let part = "cannot check login passwords against leaked passwords: /words.filter: damaged";
    let mut host =
        Scripted { password: Some(b"leaked"), ..Scripted::new([Step::Log(Priority::Warning, part)]) };
    pass(&mut host, &damaged);
    assert_eq!(host.login_notice, Some(notice(Listed::No)));
    assert_eq!(damaged.logins.borrow().len(), 1, "it is counted as unchecked");
    let quiet = [(false, true), (true, false)];
    for (may_warn, privileged) in quiet {
        let mut host = Scripted { password: Some(b"leaked"), may_warn, privileged, ..Scripted::new([]) };
        pass(&mut host, &damaged);
    }
    // An error in the configuration prevents both lookups, and is logged once.
    let part = "cannot check login passwords against guessed passwords: nearmiss.conf";
    let mut host =
        Scripted { password: Some(b"leaked"), ..Scripted::new([Step::Log(Priority::Warning, part)]) };
    pass(&mut host, &FakeChecks::misconfigured());
    assert_eq!(host.login_notice, None);
    let mut host = Scripted {
        password: Some(b"leaked"),
        ..Scripted::new([Step::Log(Priority::Warning, "internal error")])
    };
    pass(&mut host, &FakeChecks::with_lists(Opened::Panic));
}

#[test]
fn a_list_that_cannot_be_used_hides_no_guess_and_a_ladder_no_list() {
    let part = "login passwords against leaked passwords";
    let checks =
        FakeChecks { lists: Opened::Damaged { allowed: true }, ..FakeChecks::with_guesses(Opened::Good) };
    let mut host =
        Scripted { password: Some(b"frequent"), ..Scripted::new([Step::Log(Priority::Warning, part)]) };
    pass(&mut host, &checks);
    assert!(host.login_notice.is_some_and(|notice| notice.is_guessed));
    let part = "login passwords against guessed passwords";
    let checks =
        FakeChecks { lists: Opened::Good, ..FakeChecks::with_guesses(Opened::Damaged { allowed: true }) };
    let mut host =
        Scripted { password: Some(b"leaked"), ..Scripted::new([Step::Log(Priority::Warning, part)]) };
    pass(&mut host, &checks);
    assert_eq!(host.login_notice, Some(notice(Listed::Surely)));
}

fn account(notice: LoginNotice, sentence: &'static str, force_change: bool) -> PamResultCode {
    let checks = FakeChecks::with_lists(Opened::Good);
    let options = Options { force_change, ..Options::default() };
    let mut host = Scripted { login_notice: Some(notice), ..Scripted::new([Step::Error(sentence)]) };
    EntryCall { host: &mut host, checks: &checks, options: &options }.account(Flags(0))
}

#[test]
fn its_owner_is_told_and_a_change_demanded_only_where_the_filter_is_sure() {
    assert_eq!(account(notice(Listed::Surely), SENTENCE, false), PAM_IGNORE);
    assert_eq!(account(notice(Listed::Likely), SENTENCE, false), PAM_IGNORE);
    assert_eq!(account(notice(Listed::Likely), SENTENCE, true), PAM_IGNORE);
    assert_eq!(account(notice(Listed::Surely), SENTENCE, true), PAM_NEW_AUTHTOK_REQD);
}

/// One sentence: an ongoing attack is more urgent.
#[test]
fn a_password_that_is_both_is_told_as_guessed() {
    let both = LoginNotice { is_guessed: true, ..notice(Listed::Likely) };
    assert_eq!(account(both, "Attackers are guessing", true), PAM_NEW_AUTHTOK_REQD);
}
