//! The flow with a scripted host and a scripted site: every way through it.

mod decisions;

use nearmiss_policy::{config::Enforce, site::Cause};

use super::*;
use crate::{
    checks::scripted::{FakeChecks, Opened},
    host::{
        NoAnswer,
        scripted::{Scripted, Step},
    },
};
use Step::{Ask, Clear, Error, Info, Log, Retype};

const PRELIM: c_uint = sys::PAM_PRELIM_CHECK;
const UPDATE: c_uint = sys::PAM_UPDATE_AUTHTOK;
const SILENT: c_uint = pam::constants::PAM_SILENT;
const EXPIRED: c_uint = pam::constants::PAM_CHANGE_EXPIRED_AUTHTOK;

const GOOD: Step = Ask(Ok(b"a good one \xff"));
const BAD: Step = Ask(Ok(b"bad"));
const BAD_TEXT: Step = Error("BAD PASSWORD: it is a dictionary word");
const ACCEPTED_FOR_ROOT: Step = Error("It is accepted for ann anyway");
const NOTHING_TYPED: Step = Ask(Err(NoAnswer));
const SAME: Step = Retype(Retyped::Same);
const FILTER_CAUSE: Step = Log(Priority::Critical, "/words.filter: damaged");
const FILTER_REFUSAL: Step = Log(Priority::Critical, "a filter cannot be used");
const FILTER_TEXT: Step = Error("administrator's password filter");
const ABORT_LINE: Step = Log(Priority::Info, "user aborted password change");

fn open() -> FakeChecks {
    FakeChecks::with_dictionary(Opened::Good)
}

fn damaged() -> FakeChecks {
    FakeChecks::with_dictionary(Opened::Damaged { allowed: false })
}

fn allowed() -> FakeChecks {
    FakeChecks::with_dictionary(Opened::Damaged { allowed: true })
}

fn unusable(cause: Cause, pass: Pass) -> ChangeOutcome {
    ChangeOutcome::Unusable { cause, pass }
}

fn tries(tries: u32) -> Options {
    Options { tries, ..Options::default() }
}

fn existing_only() -> Options {
    Options { tries: 3, use_existing_password: true, ..Options::default() }
}

/// Runs one call; an outcome that stops the stack must leave no password behind.
fn run_with(mut host: Scripted, checks: &FakeChecks, options: &Options, flags: c_uint) -> ChangeOutcome {
    let outcome = PasswordChange::new(&mut host, checks, options, Flags(flags)).run_call();
    let is_clean = outcome.lets_stack_continue() || !host.token_left.get();
    assert!(is_clean, "{outcome:?} leaves the password in the item");
    outcome
}

fn run(script: impl IntoIterator<Item = Step>, options: &Options) -> ChangeOutcome {
    run_with(Scripted::new(script), &open(), options, UPDATE)
}

fn as_root(script: impl IntoIterator<Item = Step>) -> Scripted {
    Scripted { root: true, ..Scripted::new(script) }
}

#[test]
fn a_good_password_is_typed_twice() {
    assert_eq!(run([GOOD, SAME], &tries(3)), ChangeOutcome::Accepted);
}

#[test]
fn one_try_that_is_refused_is_an_error_of_the_password() {
    let script = [BAD, BAD_TEXT, Clear, Clear];
    assert_eq!(run(script, &tries(1)), ChangeOutcome::Rejected);
}

#[test]
fn three_refused_tries_use_them_up() {
    let script = [BAD, BAD_TEXT, Clear, BAD, BAD_TEXT, Clear, BAD, BAD_TEXT, Clear, Clear];
    assert_eq!(run(script, &tries(3)), ChangeOutcome::TriesUsedUp);
}

#[test]
fn a_good_password_after_a_refused_one_is_accepted() {
    assert_eq!(run([BAD, BAD_TEXT, Clear, GOOD, SAME], &tries(2)), ChangeOutcome::Accepted);
}

#[test]
fn a_mismatch_costs_a_try() {
    let mismatch = || [GOOD, Retype(Retyped::Different), Clear];
    assert_eq!(run(mismatch().into_iter().chain([GOOD, SAME]), &tries(2)), ChangeOutcome::Accepted);
    assert_eq!(run(mismatch().into_iter().chain([Clear]), &tries(1)), ChangeOutcome::Rejected);
    assert_eq!(
        run(mismatch().into_iter().chain(mismatch()).chain([Clear]), &tries(2)),
        ChangeOutcome::TriesUsedUp
    );
}

#[test]
fn typing_nothing_aborts_at_once() {
    assert_eq!(run([NOTHING_TYPED, Clear, ABORT_LINE], &tries(3)), ChangeOutcome::Aborted);
}

#[test]
fn retyping_nothing_aborts_at_once() {
    assert_eq!(run([GOOD, Retype(Retyped::NoAnswer), Clear, ABORT_LINE], &tries(3)), ChangeOutcome::Aborted);
}

#[test]
fn an_empty_password_is_refused() {
    let script = [Ask(Ok(b"")), Error("it is empty"), Clear, Clear];
    assert_eq!(run(script, &tries(1)), ChangeOutcome::Rejected);
}

#[test]
fn an_over_long_password_is_refused_with_one_message() {
    const LONG: &[u8] = &[b'q'; 1 << 20];
    let script = [Ask(Ok(LONG)), Error("it has more than 511 bytes"), Clear, Clear];
    assert_eq!(run(script, &tries(1)), ChangeOutcome::Rejected);
}

#[test]
fn the_old_password_is_part_of_the_case_and_may_be_unknown() {
    let script = [Ask(Ok(b"old-password")), Error("it is too similar to the old password"), Clear, Clear];
    assert_eq!(run(script, &tries(1)), ChangeOutcome::Rejected);
    let host = Scripted { old_password: None, ..Scripted::new([Ask(Ok(b"old-password")), SAME]) };
    assert_eq!(run_with(host, &open(), &tries(1), UPDATE), ChangeOutcome::Accepted);
}

#[test]
fn silent_asks_and_refuses_without_a_word() {
    let host = Scripted::new([BAD, Clear, Clear]);
    assert_eq!(run_with(host, &open(), &tries(1), UPDATE | SILENT), ChangeOutcome::Rejected);
    let host = Scripted::new([FILTER_CAUSE, Clear, FILTER_REFUSAL]);
    assert_eq!(
        run_with(host, &damaged(), &tries(1), PRELIM | SILENT),
        unusable(Cause::Filter, Pass::Preliminary)
    );
}

#[test]
fn root_is_warned_and_let_through() {
    let host = as_root([BAD, BAD_TEXT, ACCEPTED_FOR_ROOT, SAME]);
    assert_eq!(run_with(host, &open(), &tries(3), UPDATE), ChangeOutcome::Accepted);
}

#[test]
fn root_may_be_bound_by_the_line() {
    let options = Options { enforce_for_root: true, ..tries(1) };
    let host = as_root([BAD, BAD_TEXT, Clear, Clear]);
    assert_eq!(run_with(host, &open(), &options, UPDATE), ChangeOutcome::Rejected);
    let host = as_root([FILTER_CAUSE, Clear, FILTER_REFUSAL, FILTER_TEXT]);
    assert_eq!(run_with(host, &damaged(), &options, PRELIM), unusable(Cause::Filter, Pass::Preliminary));
}

#[test]
fn an_expired_password_binds_even_a_process_of_root() {
    let host = as_root([BAD, BAD_TEXT, Clear, Clear]);
    assert_eq!(run_with(host, &open(), &tries(1), UPDATE | EXPIRED), ChangeOutcome::Rejected);
}

#[test]
fn a_password_that_is_there_is_judged_once_and_never_asked_for_again() {
    assert_eq!(run([GOOD], &existing_only()), ChangeOutcome::Accepted);
    assert_eq!(run([BAD, BAD_TEXT, Clear, Clear], &existing_only()), ChangeOutcome::Rejected);
}

/// A second prompt would set a password that the module in front has not checked.
#[test]
fn a_rejected_password_of_an_earlier_module_ends_the_change() {
    let typed_before = |script: Vec<Step>| Scripted { password: Some(b"bad"), ..Scripted::new(script) };
    let rejected = typed_before(vec![BAD, BAD_TEXT, Clear, Clear]);
    assert_eq!(run_with(rejected, &open(), &tries(3), UPDATE), ChangeOutcome::Rejected);
    let mistyped = typed_before(vec![GOOD, Retype(Retyped::Different), Clear, Clear]);
    assert_eq!(run_with(mistyped, &open(), &tries(3), UPDATE), ChangeOutcome::Rejected);
}

#[test]
fn a_missing_password_of_an_earlier_module_is_an_error() {
    let script = [NOTHING_TYPED, Clear, Log(Priority::Error, "no earlier module set a password")];
    assert_eq!(run(script, &existing_only()), ChangeOutcome::NoPassword);
}

#[test]
fn the_preliminary_call_asks_nothing() {
    let host = Scripted::new([]);
    assert_eq!(run_with(host, &open(), &tries(3), PRELIM), ChangeOutcome::Ready);
}

#[test]
fn an_unusable_filter_is_told_before_anything_is_typed() {
    let host = Scripted::new([FILTER_CAUSE, Clear, FILTER_REFUSAL, FILTER_TEXT]);
    assert_eq!(run_with(host, &damaged(), &tries(3), PRELIM), unusable(Cause::Filter, Pass::Preliminary));
}

#[test]
fn an_unusable_filter_is_found_in_the_update_call_too() {
    let host = Scripted::new([FILTER_CAUSE, Clear, FILTER_REFUSAL, FILTER_TEXT]);
    assert_eq!(run_with(host, &damaged(), &tries(3), UPDATE), unusable(Cause::Filter, Pass::Update));
}

#[test]
fn damage_found_while_judging_is_no_fault_of_the_password() {
    let script = [Ask(Ok(b"damage")), FILTER_CAUSE, Clear, FILTER_REFUSAL, FILTER_TEXT];
    assert_eq!(run(script, &tries(3)), unusable(Cause::Filter, Pass::Update));
}

#[test]
fn root_is_let_through_unchecked_with_a_warning() {
    const UNCHECKED_LINE: Step = Log(Priority::Warning, "set by root is not checked");
    const UNCHECKED_TEXT: Step = Error("was not checked");
    assert_eq!(run_with(as_root([]), &damaged(), &tries(1), PRELIM), ChangeOutcome::Ready);
    let host = as_root([FILTER_CAUSE, UNCHECKED_LINE, UNCHECKED_TEXT, BAD, SAME]);
    assert_eq!(run_with(host, &damaged(), &tries(1), UPDATE), ChangeOutcome::Accepted);
    let host = as_root([Ask(Ok(b"damage")), FILTER_CAUSE, UNCHECKED_LINE, UNCHECKED_TEXT, SAME]);
    assert_eq!(run_with(host, &open(), &tries(1), UPDATE), ChangeOutcome::Accepted);
}

#[test]
fn on_error_allow_lets_everybody_through_with_a_line_in_the_log() {
    const LINE: Step = Log(Priority::Warning, "let through: ");
    assert_eq!(run_with(Scripted::new([]), &allowed(), &tries(1), PRELIM), ChangeOutcome::Ready);
    let host = Scripted::new([FILTER_CAUSE, LINE, BAD, SAME]);
    assert_eq!(run_with(host, &allowed(), &tries(1), UPDATE), ChangeOutcome::Accepted);
    let script = [Ask(Ok(b"allowed damage")), FILTER_CAUSE, LINE, SAME];
    assert_eq!(run(script, &tries(1)), ChangeOutcome::Accepted);
}

#[test]
fn a_broken_configuration_refuses_users_and_names_the_line() {
    const CAUSE: Step = Log(Priority::Critical, "nearmiss.conf | line 3");
    const LINE: Step = Log(Priority::Critical, "the configuration cannot be used");
    const TEXT: Step = Error("administrator's password policy");
    let host = Scripted::new([CAUSE, Clear, LINE, TEXT]);
    assert_eq!(
        run_with(host, &FakeChecks::misconfigured(), &tries(1), PRELIM),
        unusable(Cause::Configuration, Pass::Preliminary)
    );
    let host = Scripted::new([CAUSE, Clear, LINE, TEXT]);
    assert_eq!(
        run_with(host, &FakeChecks::misconfigured(), &tries(1), UPDATE),
        unusable(Cause::Configuration, Pass::Update)
    );
}

#[test]
fn a_panic_refuses_without_a_word_to_the_user() {
    const CAUSE: Step = Log(Priority::Critical, "internal error in the check");
    const LINE: Step = Log(Priority::Critical, "password change refused");
    assert_eq!(run([Ask(Ok(b"panic")), CAUSE, Clear, LINE], &tries(3)), ChangeOutcome::FAULT);
    let panics = FakeChecks::with_dictionary(Opened::Panic);
    for (flags, pass) in [(PRELIM, Pass::Preliminary), (UPDATE, Pass::Update)] {
        let host = Scripted::new([CAUSE, Clear, LINE]);
        assert_eq!(run_with(host, &panics, &tries(3), flags), unusable(Cause::Fault, pass));
    }
}

#[test]
fn users_of_other_machines_are_not_judged_when_the_line_says_so() {
    let options = Options { local_users_only: true, debug: true, ..tries(1) };
    let foreign = |script| Scripted { local: Some(false), ..Scripted::new(script) };
    let script = vec![Log(Priority::Debug, "not a local user"), BAD, SAME];
    assert_eq!(run_with(foreign(script), &damaged(), &options, UPDATE), ChangeOutcome::Accepted);
    assert_eq!(run_with(foreign(vec![]), &damaged(), &options, PRELIM), ChangeOutcome::Ready);
}

#[test]
fn users_are_judged_when_it_is_not_known_whether_they_are_local() {
    let options = Options { local_users_only: true, ..tries(1) };
    for local in [Some(true), None] {
        let host = Scripted { local, ..Scripted::new([BAD, BAD_TEXT, Clear, Clear]) };
        assert_eq!(run_with(host, &open(), &options, UPDATE), ChangeOutcome::Rejected);
        let host = Scripted { local, ..Scripted::new([FILTER_CAUSE, Clear, FILTER_REFUSAL, FILTER_TEXT]) };
        assert_eq!(run_with(host, &damaged(), &options, PRELIM), unusable(Cause::Filter, Pass::Preliminary));
    }
}

#[test]
fn a_user_name_need_not_be_utf8_and_must_be_there() {
    let host = Scripted { user: Some(b"\xff\xfe"), ..Scripted::new([GOOD, SAME]) };
    assert_eq!(run_with(host, &open(), &tries(1), UPDATE), ChangeOutcome::Accepted);
    let script = [Clear, Log(Priority::Error, "whose password")];
    let host = Scripted { user: None, ..Scripted::new(script) };
    assert_eq!(run_with(host, &open(), &tries(1), UPDATE), ChangeOutcome::NoUser);
}

#[test]
fn a_call_that_is_neither_pass_is_an_error_of_the_service() {
    let host = Scripted::new([Clear, Log(Priority::Error, "neither of its two passes")]);
    assert_eq!(run_with(host, &open(), &tries(1), SILENT), ChangeOutcome::UnknownCall);
}

#[test]
fn debug_logs_the_end_and_codes_shows_the_reason() {
    let options = Options { debug: true, codes: true, ..tries(1) };
    let script = [
        BAD,
        Error("choose several unrelated words [dictionary]"),
        Clear,
        Clear,
        Log(Priority::Debug, "not accepted; user=ann"),
    ];
    assert_eq!(run(script, &options), ChangeOutcome::Rejected);
}

#[test]
fn what_the_administrator_should_mend_is_logged_once_for_each_update() {
    let public = FakeChecks { public_filters: vec!["/words.filter".into()], ..open() };
    let warning = Log(Priority::Warning, "/words.filter: any user may read");
    let script = [warning, BAD, BAD_TEXT, Clear, GOOD, SAME];
    assert_eq!(run_with(Scripted::new(script), &public, &tries(3), UPDATE), ChangeOutcome::Accepted);
    assert_eq!(run_with(Scripted::new([]), &public, &tries(3), PRELIM), ChangeOutcome::Ready);
}

#[test]
fn what_a_password_goes_without_is_logged_once_for_each_update() {
    const LINE: Step = Log(Priority::Warning, "let through: ");
    const EMPTY: Step = Ask(Ok(b""));
    const EMPTY_TEXT: Step = Error("it is empty");
    let script = [FILTER_CAUSE, LINE, EMPTY, EMPTY_TEXT, Clear, EMPTY, EMPTY_TEXT, Clear, GOOD, SAME];
    assert_eq!(run_with(Scripted::new(script), &allowed(), &tries(3), UPDATE), ChangeOutcome::Accepted);
}

/// Whatever is broken, a line that rejects nothing refuses nothing.
#[test]
fn a_line_that_only_counts_refuses_no_change() {
    let options = Options { enforce: Some(Enforce::Audit), ..tries(1) };
    for checks in [damaged(), FakeChecks::misconfigured(), FakeChecks::with_dictionary(Opened::Panic)] {
        let host = Scripted::new([]);
        let outcome = run_with(host, &checks, &options, PRELIM);
        assert_eq!(outcome, ChangeOutcome::Ready);
    }
    let line = Log(Priority::Warning, "let through: the password is not checked");
    let script = [FILTER_CAUSE, line, GOOD, SAME];
    assert_eq!(run_with(Scripted::new(script), &damaged(), &options, UPDATE), ChangeOutcome::Accepted);
}

fn guiding() -> FakeChecks {
    FakeChecks { hints: true, suggestion: Ok(Some("a-suggested-one")), ..open() }
}

#[test]
fn a_hint_and_a_suggestion_come_before_the_first_prompt_and_once() {
    let hint = Info("At least 8 characters; several unrelated words are fine.");
    let suggestion = Info("your password can be\nthis one: a-suggested-one");
    let host = Scripted::new([hint, suggestion, BAD, BAD_TEXT, Clear, GOOD, SAME]);
    assert_eq!(run_with(host, &guiding(), &tries(3), UPDATE), ChangeOutcome::Accepted);
}

#[test]
fn nothing_is_shown_to_a_user_who_is_not_asked_or_not_checked_or_in_silence() {
    let silent = Scripted::new([GOOD, SAME]);
    assert_eq!(run_with(silent, &guiding(), &tries(3), UPDATE | SILENT), ChangeOutcome::Accepted);
    let existing = Scripted { password: Some(b"a good one \xff"), ..Scripted::new([GOOD]) };
    assert_eq!(run_with(existing, &guiding(), &existing_only(), UPDATE), ChangeOutcome::Accepted);
    let typed_before = Scripted { password: Some(b"a good one \xff"), ..Scripted::new([GOOD, SAME]) };
    assert_eq!(run_with(typed_before, &guiding(), &tries(3), UPDATE), ChangeOutcome::Accepted);
    let options = Options { local_users_only: true, ..tries(3) };
    let unchecked = Scripted { local: Some(false), ..Scripted::new([GOOD, SAME]) };
    assert_eq!(run_with(unchecked, &guiding(), &options, UPDATE), ChangeOutcome::Accepted);
}

#[test]
fn a_suggestion_that_cannot_be_made_is_logged_and_keeps_nobody_from_a_change() {
    let checks = FakeChecks { suggestion: Err("/words: missing"), ..open() };
    let log = Log(Priority::Warning, "no passphrase is suggested: /words: missing");
    let host = Scripted::new([log, GOOD, SAME]);
    assert_eq!(run_with(host, &checks, &tries(3), UPDATE), ChangeOutcome::Accepted);
}
