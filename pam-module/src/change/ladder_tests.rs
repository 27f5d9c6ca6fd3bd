//! The flow with a ladder: what is refused, what an unusable ladder means to whom, and whose state is left
//! for the recording line.

use nearmiss_policy::site::Cause;

use super::*;
use crate::{
    checks::scripted::{FakeChecks, Opened},
    host::scripted::{Scripted, Step},
};
use Step::{Ask, Clear, Error, Log, Retype};

const PRELIM: c_uint = sys::PAM_PRELIM_CHECK;
const UPDATE: c_uint = sys::PAM_UPDATE_AUTHTOK;

const RARE: Step = Ask(Ok(b"rare"));
const COMMON: Step = Ask(Ok(b"common"));
const COMMON_TEXT: Step = Error("too many people here chose it");
const SAME: Step = Retype(Retyped::Same);
const CAUSE: Step = Log(Priority::Critical, "chosen.ladder: | damaged");
const REFUSAL: Step = Log(Priority::Critical, "filterctl doctor");
const TEXT: Step = Error("administrator's password filter");
const ALLOWED_LINE: Step = Log(Priority::Warning, "is not checked against the ladder");

fn run(host: &mut Scripted, checks: &FakeChecks, flags: c_uint) -> ChangeOutcome {
    let options = Options { tries: 2, ..Options::default() };
    PasswordChange::new(host, checks, &options, Flags(flags)).run_call()
}

/// Plays an ordinary user's script; the outcome, and whether the state before was left for counting.
fn played(script: impl IntoIterator<Item = Step>, ladder: Opened, flags: c_uint) -> (ChangeOutcome, bool) {
    let mut host = Scripted::new(script);
    let outcome = run(&mut host, &FakeChecks::with_ladder(ladder), flags);
    (outcome, host.before.take().is_some_and(|before| !before.is_recorded()))
}

fn unusable(cause: Cause, pass: Pass) -> ChangeOutcome {
    ChangeOutcome::Unusable { cause, pass }
}

#[test]
fn what_is_too_common_is_refused_after_the_dictionary_was_asked() {
    let script = [Ask(Ok(b"bad")), Error("dictionary word"), Clear, COMMON, COMMON_TEXT, Clear, Clear];
    assert_eq!(played(script, Opened::Good, UPDATE), (ChangeOutcome::TriesUsedUp, false));
    let script = [COMMON, COMMON_TEXT, Clear, RARE, SAME];
    assert_eq!(played(script, Opened::Good, UPDATE), (ChangeOutcome::Accepted, true));
}

#[test]
fn only_an_accepted_password_leaves_the_state_before() {
    let aborted = Log(Priority::Info, "aborted");
    let script = [RARE, Retype(Retyped::Different), Clear, RARE, Retype(Retyped::NoAnswer), Clear, aborted];
    assert_eq!(played(script, Opened::Good, UPDATE), (ChangeOutcome::Aborted, false));
    assert_eq!(played([], Opened::Good, PRELIM), (ChangeOutcome::Ready, false));
}

#[test]
fn the_state_is_of_the_user_and_the_shadow_field() {
    let mut host = Scripted::new([RARE, SAME]);
    assert_eq!(run(&mut host, &FakeChecks::with_ladder(Opened::Good), UPDATE), ChangeOutcome::Accepted);
    let before = host.before.take().unwrap();
    assert!(!before.was_changed(b"ann", Some(b"$y$old")));
    assert!(before.was_changed(b"ann", Some(b"$y$new")));
    assert!(before.has_accepted(b"rare") && before.decisions() == 1);
}

#[test]
fn a_state_that_cannot_be_left_is_logged_and_the_password_goes_on() {
    let script = [RARE, SAME, Log(Priority::Warning, "will not be recorded")];
    let mut host = Scripted { has_memory: false, ..Scripted::new(script) };
    assert_eq!(run(&mut host, &FakeChecks::with_ladder(Opened::Good), UPDATE), ChangeOutcome::Accepted);
}

#[test]
fn a_ladder_that_was_never_made_is_off() {
    assert_eq!(played([], Opened::Nothing, PRELIM), (ChangeOutcome::Ready, false));
    assert_eq!(played([COMMON, SAME], Opened::Nothing, UPDATE), (ChangeOutcome::Accepted, false));
}

#[test]
fn an_unusable_ladder_refuses_before_anything_is_typed() {
    let damage = Opened::Damaged { allowed: false };
    let script = || [CAUSE, Clear, REFUSAL, TEXT];
    assert_eq!(played(script(), damage, PRELIM), (unusable(Cause::Ladder, Pass::Preliminary), false));
    assert_eq!(played(script(), damage, UPDATE), (unusable(Cause::Ladder, Pass::Update), false));
    let script = [Ask(Ok(b"damage of ladder")), CAUSE, Clear, REFUSAL, TEXT];
    assert_eq!(played(script, Opened::Good, UPDATE), (unusable(Cause::Ladder, Pass::Update), false));
}

#[test]
fn on_error_allow_goes_without_the_ladder_but_not_without_the_dictionary() {
    let damage = Opened::Damaged { allowed: true };
    assert_eq!(played([], damage, PRELIM), (ChangeOutcome::Ready, false));
    let script = [CAUSE, ALLOWED_LINE, Ask(Ok(b"bad")), Error("dictionary word"), Clear, COMMON, SAME];
    assert_eq!(played(script, damage, UPDATE), (ChangeOutcome::Accepted, false));
    let script = [Ask(Ok(b"allowed damage of ladder")), CAUSE, ALLOWED_LINE, SAME];
    assert_eq!(played(script, Opened::Good, UPDATE), (ChangeOutcome::Accepted, true));
}

#[test]
fn the_ladder_stands_where_the_dictionary_may_be_missing() {
    let filter =
        [Log(Priority::Critical, "words.filter"), Log(Priority::Warning, "the password is not checked")];
    let mut host = Scripted::new(filter.into_iter().chain([COMMON, COMMON_TEXT, Clear, RARE, SAME]));
    let dictionary = Opened::Damaged { allowed: true };
    let checks = FakeChecks { dictionary, ..FakeChecks::with_ladder(Opened::Good) };
    assert_eq!(run(&mut host, &checks, UPDATE), ChangeOutcome::Accepted);
}

#[test]
fn root_is_warned_of_both() {
    const ACCEPTED: Step = Error("It is accepted for ann anyway");
    let mut host = Scripted { root: true, ..Scripted::new([COMMON, COMMON_TEXT, ACCEPTED, SAME]) };
    assert_eq!(run(&mut host, &FakeChecks::with_ladder(Opened::Good), UPDATE), ChangeOutcome::Accepted);
    assert!(host.before.is_some(), "what root sets is counted");
    let unchecked = [CAUSE, ALLOWED_LINE, Error("was not checked against chosen passwords"), COMMON, SAME];
    let mut host = Scripted { root: true, ..Scripted::new(unchecked) };
    assert_eq!(
        run(&mut host, &FakeChecks::with_ladder(Opened::Damaged { allowed: false }), UPDATE),
        ChangeOutcome::Accepted
    );
}

#[test]
fn a_ladder_out_of_reach_is_not_asked() {
    assert_eq!(played([], Opened::OutOfReach, PRELIM), (ChangeOutcome::Ready, false));
    assert_eq!(played([COMMON, SAME], Opened::OutOfReach, UPDATE), (ChangeOutcome::Accepted, false));
    let options = Options { debug: true, ..Options::default() };
    let mut host = Scripted::new([Log(Priority::Debug, "chosen.ladder"), COMMON, SAME]);
    let checks = FakeChecks::with_ladder(Opened::OutOfReach);
    let change = PasswordChange::new(&mut host, &checks, &options, Flags(UPDATE));
    assert_eq!(change.run_call(), ChangeOutcome::Accepted);
}

#[test]
fn a_panic_at_the_ladder_refuses() {
    let fault = || {
        [Log(Priority::Critical, "internal error in the check"), Clear, Log(Priority::Critical, "refused")]
    };
    let early = unusable(Cause::Fault, Pass::Preliminary);
    assert_eq!(played(fault(), Opened::Panic, PRELIM), (early, false));
    assert_eq!(played(fault(), Opened::Panic, UPDATE), (ChangeOutcome::FAULT, false));
    let script = [Ask(Ok(b"panic"))].into_iter().chain(fault());
    assert_eq!(played(script, Opened::Good, UPDATE), (ChangeOutcome::FAULT, false));
}

#[test]
fn users_who_are_not_checked_are_not_counted() {
    let options = Options { local_users_only: true, ..Options::default() };
    let mut host = Scripted { local: Some(false), ..Scripted::new([COMMON, SAME]) };
    let checks = FakeChecks::with_ladder(Opened::Good);
    let change = PasswordChange::new(&mut host, &checks, &options, Flags(UPDATE));
    assert_eq!(change.run_call(), ChangeOutcome::Accepted);
    let before = host.before.take().unwrap();
    assert!(before.is_recorded() && before.has_accepted(b"common"));
}
