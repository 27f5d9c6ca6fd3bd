//! The ladder's two lines with a scripted host and a scripted ladder: every way through them.

use super::*;
use crate::{
    before_change::BeforeChange,
    checks::scripted::{Counted, FakeChecks, Opened},
    host::scripted::{Scripted, Step},
};
use Step::Log;
use nearmiss_filters::ladder::Setter;
use nearmiss_policy::{
    config::{Enforce, LogRule, stack_options::Options},
    policy::MAX_PASSWORD_BYTES,
};

const UPDATE: Flags = Flags(sys::PAM_UPDATE_AUTHTOK);
const PRELIM: Flags = Flags(sys::PAM_PRELIM_CHECK);
const OLD: &[u8] = b"$y$old";
const NEW: &[u8] = b"$y$new";

/// After the password of `ann` was set, behind a checking line.
fn set(script: impl IntoIterator<Item = Step>) -> Scripted {
    let before = accepted(Some(OLD), b"rare");
    Scripted { password: Some(b"rare"), shadow_field: Some(NEW), before, ..Scripted::new(script) }
}

/// The note of a check that let this password through in its second decision.
fn accepted(field: Option<&[u8]>, password: &[u8]) -> Option<BeforeChange> {
    BeforeChange::of(b"ann", field).map(|before| before.accepting(password, 2))
}

/// The same of `ann`'s change, where another module prompted for this password behind the check.
fn bypassing(password: &'static [u8], script: impl IntoIterator<Item = Step>) -> Scripted {
    Scripted { password: Some(password), ..set(script) }
}

/// The result of the recording line with these options, and the decisions in the log.
fn judged(mut host: Scripted, checks: &FakeChecks, options: &Options) -> (PamResultCode, Vec<String>) {
    let decisions = host.decisions.clone();
    let code = EntryCall { host: &mut host, checks, options }.record(UPDATE);
    (code, decisions.take())
}

fn bypassed(decision: &str, number: u32, cause: &str) -> Vec<String> {
    let scene = "user=ann service=passwd rhost=203.0.113.7";
    vec![format!("decision={decision} try={number} {scene} cause={cause}")]
}

const EXPIRING: fn() -> Options = || Options { force_change: true, ..options() };
const IGNORE: PamResultCode = PamResultCode::PAM_IGNORE;
const EXPIRE: PamResultCode = PamResultCode::PAM_NEW_AUTHTOK_REQD;

/// A login of `ann` with a right password.
fn login(script: impl IntoIterator<Item = Step>) -> Scripted {
    Scripted { password: Some(b"rare"), shadow_field: Some(OLD), old_password: None, ..Scripted::new(script) }
}

fn options() -> Options {
    Options::default()
}

fn recorded_by(host: &mut Scripted, checks: &FakeChecks, flags: Flags) -> Vec<Counted> {
    EntryCall { host, checks, options: &options() }.record(flags);
    checks.counted.take()
}

fn recorded(mut host: Scripted) -> Vec<Counted> {
    recorded_by(&mut host, &FakeChecks::with_ladder(Opened::Good), UPDATE)
}

fn submitted_by(mut host: Scripted, checks: &FakeChecks) -> usize {
    EntryCall { host: &mut host, checks, options: &options() }.submit();
    checks.counted.borrow().len()
}

fn submitted(host: Scripted) -> usize {
    submitted_by(host, &FakeChecks::with_ladder(Opened::Good))
}

fn counted(field: Option<&[u8]>) -> Vec<Counted> {
    vec![(b"rare".to_vec(), b"ann".to_vec(), field.map(<[u8]>::to_vec), 20_000, Setter::Owner)]
}

#[test]
fn a_password_that_was_set_is_recorded_once() {
    let (mut host, checks) = (set([]), FakeChecks::with_ladder(Opened::Good));
    assert_eq!(recorded_by(&mut host, &checks, UPDATE), counted(Some(NEW)));
    assert_eq!(recorded_by(&mut host, &checks, UPDATE), []);
}

#[test]
fn the_preliminary_pass_records_nothing() {
    assert_eq!(recorded_by(&mut set([]), &FakeChecks::with_ladder(Opened::Good), PRELIM), []);
    assert_eq!(recorded_by(&mut set([]), &FakeChecks::with_ladder(Opened::Good), Flags(0)), []);
}

#[test]
fn a_password_that_was_not_set_is_not_recorded() {
    assert_eq!(recorded(Scripted { password: None, ..set([]) }), []);
    assert_eq!(recorded(Scripted { shadow_field: Some(OLD), ..set([]) }), []);
    assert_eq!(recorded(Scripted { shadow_field: None, ..set([]) }), []);
    assert_eq!(recorded(Scripted { before: None, ..set([]) }), []);
    assert_eq!(recorded(Scripted { before: BeforeChange::of(b"bob", Some(OLD)), ..set([]) }), []);
    assert_eq!(recorded(Scripted { user: None, ..set([]) }), []);
}

#[test]
fn the_password_there_was_is_not_recorded_again() {
    assert_eq!(recorded(Scripted { old_password: Some(b"rare"), ..set([]) }), []);
    assert_eq!(recorded(Scripted { old_password: None, ..set([]) }), counted(Some(NEW)));
}

#[test]
fn where_no_shadow_entry_is_the_password_that_stayed_says_that_it_was_set() {
    let host = || Scripted { before: accepted(None, b"rare"), ..set([]) };
    assert_eq!(recorded(Scripted { shadow_field: None, ..host() }), counted(None));
    assert_eq!(recorded(host()), counted(Some(NEW)));
    assert_eq!(recorded(Scripted { password: None, ..host() }), []);
}

#[test]
fn empty_and_over_long_passwords_are_not_recorded() {
    const LONG: &[u8] = &[b'q'; MAX_PASSWORD_BYTES + 1];
    for password in [b"".as_slice(), LONG] {
        assert_eq!(recorded(Scripted { password: Some(password), ..set([]) }), []);
        assert_eq!(submitted(Scripted { password: Some(password), ..login([]) }), 0);
    }
}

#[test]
fn what_goes_wrong_while_recording_is_one_line_of_the_log() {
    const LINE: Step =
        Log(Priority::Warning, "is set, but not recorded in the ladder: chosen.ladder: | damaged");
    for allowed in [false, true] {
        let checks = FakeChecks::with_ladder(Opened::Damaged { allowed });
        assert_eq!(recorded_by(&mut set([LINE]), &checks, UPDATE), []);
    }
    let accepting = |password| Scripted { before: accepted(Some(OLD), password), ..set([]) };
    for broken in [b"damage of ladder".as_slice(), b"allowed damage of ladder"] {
        let script = Scripted::new([LINE]).script;
        assert_eq!(recorded(Scripted { password: Some(broken), script, ..accepting(broken) }), []);
    }
    let fault = || [Log(Priority::Warning, "not recorded in the ladder: internal error")];
    let script = Scripted::new(fault()).script;
    assert_eq!(recorded(Scripted { password: Some(b"panic"), script, ..accepting(b"panic") }), []);
    assert_eq!(recorded_by(&mut set(fault()), &FakeChecks::with_ladder(Opened::Panic), UPDATE), []);
}

#[test]
fn a_failure_is_not_tried_again_by_a_second_line() {
    let line = Log(Priority::Warning, "damaged");
    let before = accepted(Some(OLD), b"damage of ladder");
    let mut host = Scripted { password: Some(b"damage of ladder"), before, ..set([line]) };
    assert_eq!(recorded_by(&mut host, &FakeChecks::with_ladder(Opened::Good), UPDATE), []);
    assert_eq!(recorded_by(&mut host, &FakeChecks::with_ladder(Opened::Good), UPDATE), []);
}

#[test]
fn no_ladder_and_one_out_of_reach_are_no_matter() {
    for found in [Opened::Nothing, Opened::OutOfReach] {
        assert_eq!(recorded_by(&mut set([]), &FakeChecks::with_ladder(found), UPDATE), []);
        assert_eq!(submitted_by(login([]), &FakeChecks::with_ladder(found)), 0);
    }
}

#[test]
fn debug_says_what_was_done() {
    let options = Options { debug: true, ..options() };
    let checks = FakeChecks::with_ladder(Opened::Good);
    let mut host = set([Log(Priority::Debug, "is recorded")]);
    EntryCall { host: &mut host, checks: &checks, options: &options }.record(UPDATE);
    for (field, line) in [(NEW, "was already recorded"), (OLD, "was already recorded today")] {
        let mut host = Scripted { shadow_field: Some(field), ..login([Log(Priority::Debug, line)]) };
        EntryCall { host: &mut host, checks: &checks, options: &options }.submit();
    }
}

#[test]
fn a_login_is_counted_once_for_each_shadow_field() {
    let checks = FakeChecks::with_ladder(Opened::Good);
    let on = |today| Scripted { today, ..login([]) };
    assert_eq!(submitted_by(on(1), &checks), 1);
    assert_eq!(submitted_by(on(2), &checks), 1);
    assert_eq!(submitted_by(Scripted { shadow_field: Some(NEW), ..on(2) }, &checks), 2);
}

#[test]
fn what_was_recorded_when_it_was_set_is_not_counted_at_a_login() {
    let checks = FakeChecks::with_ladder(Opened::Good);
    EntryCall { host: &mut set([]), checks: &checks, options: &options() }.record(UPDATE);
    let later = Scripted { shadow_field: Some(NEW), today: 30_000, ..login([]) };
    assert_eq!(submitted_by(later, &checks), 1);
}

/// Changes and logins of one day count once together, under whatever spelling of the name; what was left out
/// counts at a login on a later day.
#[test]
fn an_account_counts_once_a_day_for_both_lines_together() {
    let checks = FakeChecks::with_ladder(Opened::Good);
    let all = |checks: &FakeChecks| checks.counted.borrow().len();
    EntryCall { host: &mut set([]), checks: &checks, options: &options() }.record(UPDATE);
    for (user, field) in [("ann", "$y$2"), ("Ann", "$y$3"), ("ANN", "$y$4")] {
        let (user, field) = (user.as_bytes(), Some(field.as_bytes()));
        let mut change = Scripted {
            user: Some(user),
            shadow_field: field,
            before: BeforeChange::of(user, Some(OLD)).map(|before| before.accepting(b"rare", 1)),
            ..set([])
        };
        EntryCall { host: &mut change, checks: &checks, options: &options() }.record(UPDATE);
        assert!(change.before.unwrap().is_recorded(), "not tried again by a second line");
        let login = Scripted { user: Some(user), shadow_field: field, ..login([]) };
        assert_eq!(submitted_by(login, &checks), 1);
    }
    let later = |today| Scripted { shadow_field: Some(b"$y$4"), today, ..login([]) };
    assert_eq!((submitted_by(later(20_001), &checks), submitted_by(later(20_002), &checks)), (2, 2));
    let directory = || Scripted {
        user: Some(b"bob"),
        shadow_field: None,
        before: BeforeChange::of(b"bob", None).map(|before| before.accepting(b"rare", 1)),
        ..set([])
    };
    for expected in [3, 3] {
        EntryCall { host: &mut directory(), checks: &checks, options: &options() }.record(UPDATE);
        assert_eq!(all(&checks), expected);
    }
}

/// The commonest first change: root gives a password, its owner sets another one the same day. Root's has no
/// old password; a login that has an expired one changed is a process of root's, and so are services that
/// ask for the old one.
#[test]
fn root_and_the_owner_count_once_a_day_each() {
    const EXPIRED: Flags = Flags(sys::PAM_UPDATE_AUTHTOK | pam::constants::PAM_CHANGE_EXPIRED_AUTHTOK);
    let checks = FakeChecks::with_ladder(Opened::Good);
    let fields = |turn: u8| Some([b"$y$1".as_slice(), b"$y$2", b"$y$3", b"$y$4"][usize::from(turn)]);
    let by_root = |turn, old_password, flags| {
        let mut host = Scripted { root: true, old_password, shadow_field: fields(turn), ..set([]) };
        EntryCall { host: &mut host, checks: &checks, options: &options() }.record(flags);
    };
    let setters = || checks.counted.borrow().iter().map(|counted| counted.4).collect::<Vec<_>>();
    by_root(0, None, UPDATE);
    assert_eq!(setters(), [Setter::Root]);
    by_root(1, None, UPDATE);
    assert_eq!(setters(), [Setter::Root], "the second of a day");
    by_root(2, None, EXPIRED);
    assert_eq!(setters(), [Setter::Root, Setter::Owner]);
    by_root(3, Some(b"old-password"), UPDATE);
    assert_eq!(submitted_by(Scripted { shadow_field: fields(3), ..login([]) }, &checks), 2);
    assert_eq!(setters().len(), 2, "all further ones are the owner's");
}

#[test]
fn an_account_without_room_for_a_stamp_is_one_line_of_the_log() {
    let line = || [Log(Priority::Warning, "create a larger ladder")];
    let before = accepted(Some(OLD), b"roomless");
    assert_eq!(recorded(Scripted { password: Some(b"roomless"), before, ..set(line()) }), []);
    assert_eq!(submitted(Scripted { password: Some(b"roomless"), ..login(line()) }), 0);
}

#[test]
fn a_login_without_password_account_or_power_is_not_counted() {
    assert_eq!(submitted(Scripted { password: None, ..login([]) }), 0);
    assert_eq!(submitted(Scripted { user: None, ..login([]) }), 0);
    assert_eq!(submitted(Scripted { privileged: false, ..login([]) }), 0);
    for field in [None, Some(b"".as_slice()), Some(b"!"), Some(b"*"), Some(b"!$y$locked"), Some(b"x")] {
        assert_eq!(submitted(Scripted { shadow_field: field, ..login([]) }), 0, "{field:?}");
    }
}

#[test]
fn junk_of_sshd_is_not_counted() {
    const JUNK: &[u8] = b"\x08\n\r\x7fINCORRECT\x08\n\r\x7fINCORRECT\x08\n";
    assert_eq!(submitted(Scripted { password: Some(JUNK), ..login([]) }), 0);
    assert!(is_junk_of_sshd(&JUNK[..13]) && is_junk_of_sshd(&JUNK[..5]));
    assert!(!is_junk_of_sshd(b"INCORRECT") && !is_junk_of_sshd(b"\x08\n\r\x7fincorrect"));
}

#[test]
fn what_goes_wrong_at_a_login_is_one_line_of_the_log() {
    let line =
        || [Log(Priority::Warning, "of this login is not recorded in the ladder: chosen.ladder: | damaged")];
    assert_eq!(submitted_by(login(line()), &FakeChecks::with_ladder(Opened::Damaged { allowed: false })), 0);
    assert_eq!(submitted(Scripted { password: Some(b"damage of ladder"), ..login(line()) }), 0);
    let fault = [Log(Priority::Warning, "internal error")];
    assert_eq!(submitted_by(login(fault), &FakeChecks::with_ladder(Opened::Panic)), 0);
}

#[test]
fn a_weak_password_that_another_module_set_is_logged_and_counted() {
    let checks = FakeChecks::with_ladder(Opened::Good);
    let reported = judged(bypassing(b"bad", []), &checks, &options());
    assert_eq!(reported, (IGNORE, bypassed("bypassed reason=dictionary enforced=yes", 3, "-")));
    assert_eq!(checks.counted.borrow()[0].0, b"bad", "it is set");
    // The other conditions of the check: root, and the levels of enforcement.
    let root = Scripted { root: true, old_password: None, ..bypassing(b"bad", []) };
    let as_root = bypassed("bypassed reason=dictionary enforced=root", 3, "-");
    assert_eq!(judged(root, &checks, &EXPIRING()), (IGNORE, as_root));
    let audit = FakeChecks { enforce: Enforce::Audit, ..FakeChecks::with_ladder(Opened::Good) };
    let counted = bypassed("bypassed reason=dictionary enforced=audit", 3, "-");
    assert_eq!(judged(bypassing(b"bad", []), &audit, &EXPIRING()), (IGNORE, counted));
}

#[test]
fn a_good_password_that_another_module_set_is_an_ordinary_decision() {
    let checks = FakeChecks::with_ladder(Opened::Good);
    let reported = judged(bypassing(b"a good one", []), &checks, &EXPIRING());
    assert_eq!(reported, (IGNORE, bypassed("accept reason=- enforced=yes", 3, "-")));
    let rejections = Options { log: LogRule::Rejections, ..options() };
    assert_eq!(judged(bypassing(b"a good one", []), &checks, &rejections).1, [""; 0]);
    assert_eq!(judged(set([]), &checks, &options()), (IGNORE, vec![]), "the check logged its own");
}

/// The preliminary pass leaves the state of the account; no line checks.
#[test]
fn what_another_module_set_is_also_judged_as_the_locale_reads_it() {
    let checks = FakeChecks::with_dictionary(Opened::Good);
    let reported = judged(bypassing(b"\xd1", []), &checks, &EXPIRING());
    assert_eq!(reported, (EXPIRE, bypassed("bypassed reason=pattern enforced=yes", 3, "-")));
    let (code, decisions) = judged(bypassing("я".as_bytes(), []), &checks, &EXPIRING());
    assert_eq!((code, decisions), (IGNORE, bypassed("accept reason=- enforced=yes", 3, "-")));
}

#[test]
fn a_password_that_no_line_checked_is_judged() {
    let checks = FakeChecks::with_ladder(Opened::Good);
    let mut host = Scripted { before: accepted(None, b"bad"), ..bypassing(b"bad", []) };
    host.shadow_field = Some(OLD);
    assert_eq!(recorded_by(&mut host, &checks, PRELIM), []);
    assert!(host.decisions.borrow().is_empty());
    host.shadow_field = Some(NEW);
    let reported = judged(host, &checks, &options());
    assert_eq!(reported, (IGNORE, bypassed("bypassed reason=dictionary enforced=yes", 1, "-")));
    assert_eq!(checks.counted.take().len(), 1, "it is set");
    let lost = Scripted { has_memory: false, ..set([Log(Priority::Warning, "will not be recorded")]) };
    assert_eq!(recorded_by(&mut { lost }, &checks, PRELIM), []);
}

#[test]
fn what_is_not_counted_is_judged() {
    let checks = FakeChecks::with_ladder(Opened::Good);
    let before = set([]).before.map(BeforeChange::recorded);
    let reported = judged(Scripted { before, ..bypassing(b"bad", []) }, &checks, &options());
    assert_eq!(reported.1.len(), 1);
    assert!(checks.counted.borrow().is_empty());
}

#[test]
fn a_second_recording_line_judges_nothing_again() {
    let (mut host, checks) = (bypassing(b"bad", []), FakeChecks::with_dictionary(Opened::Good));
    for _ in 0..2 {
        recorded_by(&mut host, &checks, UPDATE);
        assert_eq!(host.decisions.borrow().len(), 1);
    }
}

#[test]
fn what_was_not_set_or_is_not_to_be_checked_is_not_judged() {
    let checks = FakeChecks::with_ladder(Opened::Good);
    for host in [
        Scripted { shadow_field: Some(OLD), ..bypassing(b"bad", []) },
        Scripted { before: None, ..bypassing(b"bad", []) },
    ] {
        assert_eq!(judged(host, &checks, &EXPIRING()), (IGNORE, vec![]));
    }
    let local_only = Options { local_users_only: true, ..EXPIRING() };
    let remote = Scripted { local: Some(false), ..bypassing(b"bad", []) };
    assert_eq!(judged(remote, &checks, &local_only), (IGNORE, vec![]));
    assert_eq!(judged(bypassing(b"bad", []), &checks, &local_only).0, EXPIRE);
}

#[test]
fn force_change_lets_the_next_line_expire_a_weak_password() {
    let checks = FakeChecks::with_dictionary(Opened::Good);
    assert_eq!(judged(bypassing(b"bad", []), &checks, &EXPIRING()).0, EXPIRE);
    assert_eq!(judged(bypassing(b"", []), &checks, &EXPIRING()).0, EXPIRE, "an empty one");
    let line = || [Log(Priority::Warning, "does not expire")];
    for host in [
        Scripted { superuser: true, ..bypassing(b"bad", line()) },
        Scripted { local: Some(false), ..bypassing(b"bad", line()) },
        Scripted { shadow_field: None, before: accepted(None, b"rare"), ..bypassing(b"bad", line()) },
    ] {
        let (code, decisions) = judged(host, &checks, &EXPIRING());
        assert_eq!((code, decisions.len()), (IGNORE, 1));
    }
}

#[test]
fn a_password_that_cannot_be_judged_is_reported_if_the_check_would_have_refused_the_change() {
    let cause = || Log(Priority::Critical, "words.filter");
    let checks = FakeChecks::with_dictionary(Opened::Good);
    let refused = judged(bypassing(b"damage", [cause()]), &checks, &EXPIRING());
    assert_eq!(refused, (IGNORE, bypassed("bypassed reason=filter enforced=yes", 3, "damaged")));
    let allowed = [cause(), Log(Priority::Warning, "not checked")];
    let (code, decisions) = judged(bypassing(b"allowed damage", allowed), &checks, &EXPIRING());
    assert_eq!((code, decisions), (IGNORE, bypassed("accept reason=unchecked enforced=yes", 3, "damaged")));
    // Such as no descriptor, by a limit that the user set: the weak password would be kept.
    let (code, decisions) = judged(bypassing(b"limit", [cause()]), &checks, &EXPIRING());
    assert_eq!((code, decisions), (EXPIRE, bypassed("bypassed reason=filter enforced=yes", 3, "system")));
    assert_eq!(judged(bypassing(b"limit", [cause()]), &checks, &options()).0, IGNORE);
    let fault = [Log(Priority::Critical, "internal error in the check")];
    let (code, decisions) = judged(bypassing(b"panic", fault), &checks, &EXPIRING());
    assert_eq!((code, decisions), (IGNORE, bypassed("bypassed reason=fault enforced=yes", 3, "panic")));
}
