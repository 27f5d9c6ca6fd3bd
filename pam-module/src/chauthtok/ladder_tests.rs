//! The flow with a ladder: what is refused, what an unusable ladder means to whom, and who gets a mark.

use super::*;
use crate::{
    host::scripted::{Scripted, Step},
    judge::scripted::{Found, Shelf},
};
use Step::{Ask, Clear, Error, Log, Retype};

const PRELIM: c_uint = sys::PAM_PRELIM_CHECK;
const UPDATE: c_uint = sys::PAM_UPDATE_AUTHTOK;

const RARE: Step = Ask(Ok(b"rare"));
const COMMON: Step = Ask(Ok(b"common"));
const COMMON_TEXT: Step = Error("BAD PASSWORD: too many people on this system chose it");
const SAME: Step = Retype(Retyped::Same);
const CAUSE: Step = Log(Priority::Critical, "chosen.ladder: | damaged");
const REFUSAL: Step = Log(Priority::Critical, "filterctl ladder doctor");
const TEXT: Step = Error("administrator's password filter");
const ALLOWED_LINE: Step = Log(Priority::Warning, "is not checked against the ladder");

fn run(host: &mut Scripted, library: &Shelf, flags: c_uint) -> Outcome {
    let options = Options { tries: 2, ..Options::default() };
    Flow { host, library, options: &options, flags: Flags(flags) }.run()
}

/// Plays an ordinary user's script; the outcome, and whether a mark was left.
fn played(script: impl IntoIterator<Item = Step>, found: Found, flags: c_uint) -> (Outcome, bool) {
    let mut host = Scripted::new(script);
    let outcome = run(&mut host, &Shelf::with(found), flags);
    (outcome, host.mark.is_some())
}

#[test]
fn what_is_too_common_is_refused_after_the_dictionary_was_asked() {
    let script = [Ask(Ok(b"word")), Error("dictionary word"), Clear, COMMON, COMMON_TEXT, Clear, Clear];
    assert_eq!(played(script, Found::Ladder, UPDATE), (Outcome::TriesUsedUp, false));
    let script = [COMMON, COMMON_TEXT, Clear, RARE, SAME];
    assert_eq!(played(script, Found::Ladder, UPDATE), (Outcome::Accepted, true));
}

#[test]
fn only_an_accepted_password_leaves_a_mark() {
    let aborted = Log(Priority::Info, "aborted");
    let script = [RARE, Retype(Retyped::Different), Clear, RARE, Retype(Retyped::NoAnswer), Clear, aborted];
    assert_eq!(played(script, Found::Ladder, UPDATE), (Outcome::Aborted, false));
    assert_eq!(played([], Found::Ladder, PRELIM), (Outcome::Ready, false));
}

#[test]
fn the_mark_is_of_the_user_and_the_shadow_field_before() {
    let mut host = Scripted::new([RARE, SAME]);
    assert_eq!(run(&mut host, &Shelf::with(Found::Ladder), UPDATE), Outcome::Accepted);
    let mark = host.mark.take().unwrap();
    assert!(!mark.shows_a_change(b"ann", Some(b"$y$old")));
    assert!(mark.shows_a_change(b"ann", Some(b"$y$new")));
}

#[test]
fn the_password_there_was_is_known_by_its_hash_where_nobody_typed_it() {
    let left = |password: &'static [u8], old_password| {
        let script = [Ask(Ok(password)), SAME];
        let mut host = Scripted { password: Some(password), old_password, ..Scripted::new(script) };
        assert_eq!(run(&mut host, &Shelf::with(Found::Ladder), UPDATE), Outcome::Accepted);
        host.mark.unwrap().shows_a_change(b"ann", Some(b"$y$new"))
    };
    assert!(!left(b"current", None));
    assert!(left(b"rare", None), "a password that root sets is new");
    assert!(
        left(b"current", Some(b"another")),
        "no second slow hash where the old password is there to compare"
    );
}

#[test]
fn a_mark_that_cannot_be_left_is_told_and_the_password_goes_on() {
    let script = [RARE, SAME, Log(Priority::Warning, "will not be recorded")];
    let mut host = Scripted { memory_for_mark: false, ..Scripted::new(script) };
    assert_eq!(run(&mut host, &Shelf::with(Found::Ladder), UPDATE), Outcome::Accepted);
}

#[test]
fn a_ladder_that_was_never_made_is_off() {
    assert_eq!(played([], Found::Nothing, PRELIM), (Outcome::Ready, false));
    assert_eq!(played([COMMON, SAME], Found::Nothing, UPDATE), (Outcome::Accepted, false));
}

#[test]
fn an_unusable_ladder_refuses_before_anything_is_typed() {
    let damage = Found::Damage { allowed: false };
    let script = || [CAUSE, Clear, REFUSAL, TEXT];
    assert_eq!(played(script(), damage, PRELIM), (Outcome::LadderUnusableYet, false));
    assert_eq!(played(script(), damage, UPDATE), (Outcome::LadderUnusable, false));
    let script = [Ask(Ok(b"damage")), CAUSE, Clear, REFUSAL, TEXT];
    assert_eq!(played(script, Found::Ladder, UPDATE), (Outcome::LadderUnusable, false));
}

#[test]
fn on_error_allow_goes_without_the_ladder_but_not_without_the_dictionary() {
    let damage = Found::Damage { allowed: true };
    assert_eq!(played([], damage, PRELIM), (Outcome::Ready, false));
    let script = [CAUSE, ALLOWED_LINE, Ask(Ok(b"word")), Error("dictionary word"), Clear, COMMON, SAME];
    assert_eq!(played(script, damage, UPDATE), (Outcome::Accepted, false));
    let script = [Ask(Ok(b"allowed damage")), CAUSE, ALLOWED_LINE, SAME];
    assert_eq!(played(script, Found::Ladder, UPDATE), (Outcome::Accepted, true));
}

#[test]
fn the_ladder_stands_where_the_dictionary_may_be_missing() {
    let filter =
        [Log(Priority::Critical, "words.filter"), Log(Priority::Warning, "the password is not checked")];
    let mut host = Scripted::new(filter.into_iter().chain([COMMON, COMMON_TEXT, Clear, RARE, SAME]));
    let library = Shelf { has_dictionary: false, ..Shelf::with(Found::Ladder) };
    assert_eq!(run(&mut host, &library, UPDATE), Outcome::Accepted);
}

#[test]
fn root_is_warned_of_both() {
    let mut host = Scripted { root: true, ..Scripted::new([COMMON, COMMON_TEXT, SAME]) };
    assert_eq!(run(&mut host, &Shelf::with(Found::Ladder), UPDATE), Outcome::Accepted);
    assert!(host.mark.is_some(), "what root sets is counted");
    let unchecked = [CAUSE, ALLOWED_LINE, Error("too common here was not checked"), COMMON, SAME];
    let mut host = Scripted { root: true, ..Scripted::new(unchecked) };
    assert_eq!(run(&mut host, &Shelf::with(Found::Damage { allowed: false }), UPDATE), Outcome::Accepted);
}

#[test]
fn a_ladder_out_of_reach_is_not_asked() {
    assert_eq!(played([], Found::OutOfReach, PRELIM), (Outcome::Ready, false));
    assert_eq!(played([COMMON, SAME], Found::OutOfReach, UPDATE), (Outcome::Accepted, false));
    let options = Options { debug: true, ..Options::default() };
    let mut host = Scripted::new([Log(Priority::Debug, "chosen.ladder"), COMMON, SAME]);
    let library = Shelf::with(Found::OutOfReach);
    let flow = Flow { host: &mut host, library: &library, options: &options, flags: Flags(UPDATE) };
    assert_eq!(flow.run(), Outcome::Accepted);
}

#[test]
fn a_panic_at_the_ladder_refuses() {
    let fault = || {
        [Log(Priority::Critical, "internal error in the check"), Clear, Log(Priority::Critical, "refused")]
    };
    assert_eq!(played(fault(), Found::Panic, PRELIM), (Outcome::InternalError, false));
    assert_eq!(played(fault(), Found::Panic, UPDATE), (Outcome::InternalError, false));
    let script = [Ask(Ok(b"panic"))].into_iter().chain(fault());
    assert_eq!(played(script, Found::Ladder, UPDATE), (Outcome::InternalError, false));
}

#[test]
fn users_who_are_not_judged_are_not_counted() {
    let options = Options { local_users_only: true, ..Options::default() };
    let mut host = Scripted { local: Some(false), ..Scripted::new([COMMON, SAME]) };
    let library = Shelf::with(Found::Ladder);
    let flow = Flow { host: &mut host, library: &library, options: &options, flags: Flags(UPDATE) };
    assert_eq!(flow.run(), Outcome::Accepted);
    assert!(host.mark.is_none());
}
