//! The line of the log for each decision: which there are, and that there is no second one.

use nearmiss_policy::config::LogRule;

use super::*;
use crate::messages::decision::Refusal;

/// Runs one call; returns the lines of decisions, too.
fn decided_in(
    flags: c_uint,
    mut host: Scripted,
    checks: &FakeChecks,
    options: &Options,
) -> (ChangeOutcome, Vec<String>) {
    let decisions = host.decisions.clone();
    let outcome = PasswordChange::new(&mut host, checks, options, Flags(flags)).run_call();
    (outcome, decisions.take())
}

/// The same of the update call.
fn decided(host: Scripted, checks: &FakeChecks, options: &Options) -> (ChangeOutcome, Vec<String>) {
    decided_in(UPDATE, host, checks, options)
}

fn line(decision: &str, number: u32) -> String {
    caused(decision, number, "-")
}

fn caused(decision: &str, number: u32, cause: &str) -> String {
    format!("{decision} try={number} user=ann service=passwd rhost=203.0.113.7 cause={cause}")
}

const REJECTED: &str = "decision=reject reason=dictionary enforced=yes";
const ACCEPTED: &str = "decision=accept reason=- enforced=yes";

#[test]
fn every_decision_is_one_line() {
    let script = [BAD, BAD_TEXT, Clear, GOOD, SAME];
    let (outcome, lines) = decided(Scripted::new(script), &open(), &tries(2));
    assert_eq!((outcome, lines), (ChangeOutcome::Accepted, vec![line(REJECTED, 1), line(ACCEPTED, 2)]));
    let root = as_root([BAD, BAD_TEXT, ACCEPTED_FOR_ROOT, SAME]);
    let (outcome, lines) = decided(root, &open(), &tries(1));
    let for_root = "decision=reject reason=dictionary enforced=root";
    assert_eq!((outcome, lines), (ChangeOutcome::Accepted, vec![line(for_root, 1)]));
    let (_, lines) = decided(Scripted::new([GOOD]), &open(), &existing_only());
    assert_eq!(lines, [line(ACCEPTED, 1)]);
}

#[test]
fn a_password_that_is_not_utf_8_is_also_checked_as_the_locale_reads_it() {
    let weak = [Ask(Ok(b"\xd1")), Error("BAD PASSWORD: it is too simple"), Clear, Clear];
    let (outcome, lines) = decided(Scripted::new(weak), &open(), &tries(1));
    assert_eq!((outcome, lines.len()), (ChangeOutcome::Rejected, 1));
    for other in ["я".as_bytes(), b"\xd1\xd2"] {
        let (outcome, _) = decided(Scripted::new([Ask(Ok(other)), SAME]), &open(), &tries(1));
        assert_eq!(outcome, ChangeOutcome::Accepted, "{other:x?}");
    }
}

#[test]
fn a_password_is_accepted_once_it_is_typed_the_same_again() {
    let mismatch = || [GOOD, Retype(Retyped::Different), Clear];
    let script = mismatch().into_iter().chain([GOOD, SAME]);
    let (outcome, lines) = decided(Scripted::new(script), &open(), &tries(2));
    assert_eq!((outcome, lines), (ChangeOutcome::Accepted, vec![line(ACCEPTED, 1)]));
    let script = mismatch().into_iter().chain([BAD, BAD_TEXT, Clear, GOOD, SAME]);
    let (_, lines) = decided(Scripted::new(script), &open(), &tries(3));
    assert_eq!(lines, [line(REJECTED, 1), line(ACCEPTED, 2)]);
    let (_, lines) = decided(Scripted::new(mismatch().into_iter().chain([Clear])), &open(), &tries(1));
    assert_eq!(lines, [""; 0]);
    let aborted = [GOOD, Retype(Retyped::NoAnswer), Clear, ABORT_LINE];
    assert_eq!(decided(Scripted::new(aborted), &open(), &tries(3)).1, [""; 0]);
}

/// `chpasswd` answers each prompt with the same password.
#[test]
fn the_same_password_of_a_program_of_root_is_one_decision_and_no_second_try() {
    let options = Options { enforce_for_root: true, ..tries(3) };
    let host = as_root([BAD, BAD_TEXT, Clear, BAD, Clear]);
    let (outcome, lines) = decided(host, &open(), &options);
    assert_eq!((outcome, lines), (ChangeOutcome::Rejected, vec![line(REJECTED, 1)]));
    let another = [BAD, BAD_TEXT, Clear, Ask(Ok(b"")), Error("it is empty"), Clear, GOOD, SAME];
    let (outcome, lines) = decided(as_root(another), &open(), &options);
    assert_eq!((outcome, lines.len()), (ChangeOutcome::Accepted, 3));
}

#[test]
fn a_user_who_types_a_weak_password_again_is_told_again_and_keeps_the_tries() {
    let script = [BAD, BAD_TEXT, Clear, BAD, BAD_TEXT, Clear, GOOD, SAME];
    let (outcome, lines) = decided(Scripted::new(script), &open(), &tries(3));
    assert_eq!((outcome, lines), (ChangeOutcome::Accepted, vec![line(REJECTED, 1), line(ACCEPTED, 2)]));
    let empty = [Ask(Ok(b"")), Error("it is empty"), Clear];
    let bad = || [BAD, BAD_TEXT, Clear];
    let script = bad().into_iter().chain(empty).chain(bad()).chain([Clear]);
    let (outcome, lines) = decided(Scripted::new(script), &open(), &tries(3));
    assert_eq!((outcome, lines.len()), (ChangeOutcome::TriesUsedUp, 2));
}

#[test]
fn a_weak_password_that_is_let_through_and_mistyped_is_one_decision() {
    let audit = FakeChecks { enforce: Enforce::Audit, ..open() };
    let host = Scripted::new([BAD, Retype(Retyped::Different), Clear, BAD, SAME]);
    let (outcome, lines) = decided(host, &audit, &tries(2));
    let counted = line("decision=reject reason=dictionary enforced=audit", 1);
    assert_eq!((outcome, lines), (ChangeOutcome::Accepted, vec![counted]));
}

/// Refusals that hold for every user: the site, the earlier line of the log, and reason and cause.
fn refusals() -> [(FakeChecks, Step, Step, &'static str, &'static str); 4] {
    let log = |part| Log(Priority::Critical, part);
    let ladder = || FakeChecks::with_ladder(Opened::Damaged { allowed: false });
    let (panics, fault) = (FakeChecks::with_dictionary(Opened::Panic), log("internal error"));
    [
        (damaged(), FILTER_CAUSE, FILTER_REFUSAL, "filter", "damaged"),
        (ladder(), log("chosen.ladder"), log("the ladder cannot"), "ladder", "damaged"),
        (
            FakeChecks::misconfigured(),
            log("nearmiss.conf | line 3"),
            log("the configuration cannot"),
            "configuration",
            "mistake",
        ),
        (panics, fault, log("internal error: password change refused"), "fault", "panic"),
    ]
}

#[test]
fn a_part_that_cannot_be_used_is_one_refusal_in_either_call() {
    for flags in [PRELIM, UPDATE] {
        for (checks, cause_line, refusal_line, reason, cause) in refusals() {
            let host = Scripted::new([cause_line, Clear, refusal_line]);
            let (_, lines) = decided_in(flags | SILENT, host, &checks, &tries(3));
            let refused = format!("decision=refuse reason={reason} enforced=yes");
            assert_eq!(lines, [caused(&refused, 1, cause)]);
        }
    }
}

#[test]
fn a_refusal_in_both_calls_of_a_change_is_one_line() {
    let call = || [FILTER_CAUSE, Clear, FILTER_REFUSAL, FILTER_TEXT];
    let mut host = Scripted::new((0..3).flat_map(|_| call()));
    let (decisions, damaged, options) = (host.decisions.clone(), damaged(), tries(1));
    let mut refused = |flags| {
        let outcome = PasswordChange::new(&mut host, &damaged, &options, Flags(flags)).run_call();
        assert!(!outcome.lets_stack_continue());
        decisions.borrow().len()
    };
    assert_eq!([refused(PRELIM), refused(UPDATE), refused(PRELIM)], [1, 1, 2]);
}

#[test]
fn damage_found_while_judging_comes_after_what_was_decided_before() {
    let damage = [Ask(Ok(b"damage")), FILTER_CAUSE, Clear, FILTER_REFUSAL, FILTER_TEXT];
    let script = [BAD, BAD_TEXT, Clear].into_iter().chain(damage);
    let (_, lines) = decided(Scripted::new(script), &open(), &tries(3));
    let refused = caused("decision=refuse reason=filter enforced=yes", 2, "damaged");
    assert_eq!(lines, [line(REJECTED, 1), refused]);
}

#[test]
fn a_stack_that_gives_no_password_no_user_or_no_call_is_a_refusal() {
    let refused = |number, cause| caused("decision=refuse reason=stack enforced=yes", number, cause);
    let host = Scripted::new([NOTHING_TYPED, Clear, Log(Priority::Error, "no earlier module set")]);
    assert_eq!(decided(host, &open(), &existing_only()).1, [refused(1, "no-password")]);
    let script = [Clear, Log(Priority::Error, "whose password")];
    let host = Scripted { user: None, ..Scripted::new(script) };
    let lines = decided(host, &open(), &tries(1)).1;
    assert_eq!(lines, [refused(1, "no-user").replace("user=ann", "user=-")]);
    let host = Scripted::new([Clear, Log(Priority::Error, "neither of its two passes")]);
    assert_eq!(decided_in(SILENT, host, &open(), &tries(1)).1, [refused(1, "no-call")]);
}

#[test]
fn a_panic_of_the_flow_itself_is_a_refusal_too() {
    let mut host = Scripted::new([]);
    report_fault(&mut host);
    let refused = caused("decision=refuse reason=fault enforced=yes", 1, Refusal::fault().cause());
    assert_eq!(host.decisions.take(), [refused]);
}

#[test]
fn what_a_password_goes_without_is_said_with_the_accept() {
    let host = Scripted::new([FILTER_CAUSE, Log(Priority::Warning, "let through: "), GOOD, SAME]);
    let (_, lines) = decided(host, &allowed(), &tries(1));
    assert_eq!(lines, [caused("decision=accept reason=unchecked enforced=yes", 1, "damaged")]);
}

#[test]
fn what_is_logged_is_the_configurations_choice() {
    let (rejected, accepted) = (line(REJECTED, 1), line(ACCEPTED, 2));
    for (log, wanted) in [
        (LogRule::Decisions, vec![rejected.clone(), accepted]),
        (LogRule::Rejections, vec![rejected]),
        (LogRule::None, vec![]),
    ] {
        let options = Options { log, ..tries(2) };
        let host = Scripted::new([BAD, BAD_TEXT, Clear, GOOD, SAME]);
        assert_eq!(decided(host, &open(), &options).1, wanted, "{log:?}");
    }
}

#[test]
fn a_warning_shows_the_reason_and_an_audit_shows_nothing_and_both_accept() {
    let scripts = [vec![BAD, BAD_TEXT, Error("It is accepted anyway."), SAME], vec![BAD, SAME]];
    for ((enforce, name), script) in
        [(Enforce::Warn, "warn"), (Enforce::Audit, "audit")].into_iter().zip(scripts)
    {
        let checks = FakeChecks { enforce, ..open() };
        let (outcome, lines) = decided(Scripted::new(script), &checks, &tries(1));
        let weak = format!("decision=reject reason=dictionary enforced={name}");
        assert_eq!((outcome, lines), (ChangeOutcome::Accepted, vec![line(&weak, 1)]));
    }
}
