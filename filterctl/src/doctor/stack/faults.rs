//! The faults that a script shows: what was set, beside what was said and what had to be.

use super::{
    passwords::{Other, Passwords},
    script::{Planned, ScriptStep},
};
use crate::doctor::copy::{Actor, End};

/// A fault of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fault {
    /// A module ended the process.
    Crash,
    /// A random password is not set.
    NobodyCan,
    /// A weak password is set.
    WeakSet(ScriptStep),
    /// A password is set though the current one was wrong.
    WrongCurrent,
    /// A change that the user gave up, or one of an account that does not exist, is reported as a success.
    FalseSuccess(ScriptStep),
    /// Success was reported, and the password is the one of before.
    NotSet,
    /// A failure was reported, and the password is another.
    SetInSecret,
    /// A password that another module rejects is set after the check has rejected one.
    Around(Other),
    /// The shortest password that the check accepts is rejected by another module.
    Shortest,
}

/// A fault, the changes that show it, and the end of the first of them.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    pub(super) fault: Fault,
    /// The step that shows it.
    pub(super) step: ScriptStep,
    /// The actors, with their services.
    pub(super) by: Vec<(Actor, String)>,
    pub(super) end: End,
}

/// Puts together what several actors show.
pub(super) fn joined(all: Vec<Shown>) -> Vec<Shown> {
    let mut joined: Vec<Shown> = Vec::new();
    for shown in all {
        match joined.iter_mut().find(|own| own.fault == shown.fault) {
            Some(own) => own.by.extend(shown.by),
            None => joined.push(shown),
        }
    }
    joined
}

/// What the ends of a script show. `is_bound`: the actor may not set a weak password.
pub(super) fn of(script: &[Planned], ends: &[End], passwords: &Passwords, is_bound: bool) -> Vec<Shown> {
    let ends_of = |step: ScriptStep| {
        script.iter().zip(ends).find(|(planned, _)| planned.step == step).map(|(_, end)| end)
    };
    let can = ends_of(ScriptStep::Random).is_some_and(|end| end.is_changed && end.is_success);
    let mut found: Vec<Shown> = Vec::new();
    for (planned, end) in script.iter().zip(ends) {
        let Some(fault) = fault(planned.step, end, passwords, is_bound, can, &ends_of) else { continue };
        if !found.iter().any(|shown| is_same(shown.fault, fault)) {
            let by = vec![(planned.change.actor, planned.change.service.clone())];
            found.push(Shown { fault, step: planned.step, by, end: end.clone() });
        }
    }
    found
}

/// True for faults of one kind: the first one that shows it is enough.
fn is_same(one: Fault, other: Fault) -> bool {
    let is_plain = |fault| matches!(fault, Fault::WeakSet(ScriptStep::Weak | ScriptStep::Near));
    match (one, other) {
        (Fault::WeakSet(_), Fault::WeakSet(_)) => is_plain(one) || !is_plain(other),
        (Fault::Around(_), Fault::Around(_)) | (Fault::FalseSuccess(_), Fault::FalseSuccess(_)) => true,
        _ => one == other,
    }
}

fn fault<'e>(
    step: ScriptStep,
    end: &'e End,
    passwords: &Passwords,
    is_bound: bool,
    can: bool,
    ends_of: &dyn Fn(ScriptStep) -> Option<&'e End>,
) -> Option<Fault> {
    if end.is_crash {
        return Some(Fault::Crash);
    }
    if is_bound && end.set.as_deref().is_some_and(|set| passwords.is_weak(set)) {
        return Some(Fault::WeakSet(step));
    }
    match step {
        ScriptStep::Random if !can && !end.is_changed && !end.is_success => return Some(Fault::NobodyCan),
        ScriptStep::WrongCurrent if end.is_changed => return Some(Fault::WrongCurrent),
        ScriptStep::WrongCurrent | ScriptStep::GivesUp | ScriptStep::UnknownUser
            if end.is_success || end.is_changed =>
        {
            return Some(Fault::FalseSuccess(step));
        }
        _ => {}
    }
    if end.is_success && !end.is_changed {
        return Some(Fault::NotSet);
    }
    if end.is_changed && !end.is_success {
        return Some(Fault::SetInSecret);
    }
    if !can {
        return None;
    }
    let is_rejected = |other| ends_of(ScriptStep::Rejected(other)).is_some_and(|end| !end.is_changed);
    match step {
        ScriptStep::Around(other) if end.is_changed && is_rejected(other) => Some(Fault::Around(other)),
        ScriptStep::Rejected(Other::Shortest) if !end.is_changed => Some(Fault::Shortest),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use nearmiss_policy::config::Config;

    use super::*;
    use crate::doctor::{copy::CURRENT, stack::script};

    /// Passwords of a site whose filters know none: the weak ones are stated.
    fn passwords() -> Passwords {
        let mut passwords =
            Passwords::of(&Config { dictionaries: Vec::new(), ..Config::default() }, b"www").unwrap();
        let [weak, near, mixed] = ["password1", "pasword1", "Password-1"].map(|one| Some(one.to_owned()));
        (passwords.weak, passwords.near, passwords.mixed) = (weak, near, mixed);
        passwords
    }

    /// The ends of a stack that sets what the check accepts, unless a step ends otherwise.
    fn found(actor: Actor, is_bound: bool, other: impl Fn(ScriptStep, &mut End)) -> Vec<(Fault, ScriptStep)> {
        let passwords = passwords();
        let script = script::script(actor, "passwd", &passwords, true);
        let end = |planned: &Planned| {
            let typed = planned.change.rounds.iter().find(|one| !is_bound || !passwords.is_weak(one));
            let can = !matches!(
                planned.step,
                ScriptStep::WrongCurrent | ScriptStep::GivesUp | ScriptStep::UnknownUser
            );
            let set = typed.filter(|one| can && *one != CURRENT).cloned();
            let mut end = End { is_success: set.is_some(), is_changed: set.is_some(), set, ..End::default() };
            other(planned.step, &mut end);
            end
        };
        let ends: Vec<End> = script.iter().map(end).collect();
        of(&script, &ends, &passwords, is_bound).into_iter().map(|shown| (shown.fault, shown.step)).collect()
    }

    type Act<'a> = &'a dyn Fn(&mut End);

    fn set(end: &mut End, password: &str) {
        (end.is_success, end.is_changed, end.set) = (true, true, Some(password.to_owned()));
    }

    #[test]
    fn a_stack_that_sets_good_passwords_alone_has_no_fault() {
        assert_eq!(found(Actor::User, true, |_, _| {}), []);
        assert_eq!(found(Actor::Login, true, |_, _| {}), []);
        assert_eq!(found(Actor::Root, false, |_, _| {}), [], "root may set a weak one");
        assert_eq!(found(Actor::Root, true, |_, _| {}), []);
    }

    #[test]
    fn what_is_set_is_judged_beside_what_was_said() {
        let rejected = ScriptStep::Rejected(Other::Used);
        let nothing = |end: &mut End| *end = End::default();
        let weak = |end: &mut End| set(end, "password1");
        let said = |end: &mut End| (end.is_success, end.is_changed, end.set) = (true, false, None);
        let unsaid = |end: &mut End| end.is_success = false;
        let crash = |end: &mut End| *end = End { is_crash: true, ..End::default() };
        for (at, act, fault) in [
            (ScriptStep::Random, &nothing as Act<'_>, Fault::NobodyCan),
            (ScriptStep::Weak, &weak, Fault::WeakSet(ScriptStep::Weak)),
            (ScriptStep::Near, &weak, Fault::WeakSet(ScriptStep::Near)),
            (rejected, &weak, Fault::WeakSet(rejected)),
            (ScriptStep::WrongCurrent, &weak, Fault::WeakSet(ScriptStep::WrongCurrent)),
            (ScriptStep::WrongCurrent, &|end| set(end, "other"), Fault::WrongCurrent),
            (ScriptStep::WrongCurrent, &said, Fault::FalseSuccess(ScriptStep::WrongCurrent)),
            (ScriptStep::UnknownUser, &said, Fault::FalseSuccess(ScriptStep::UnknownUser)),
            (ScriptStep::GivesUp, &said, Fault::FalseSuccess(ScriptStep::GivesUp)),
            (ScriptStep::Weak, &said, Fault::NotSet),
            (ScriptStep::Near, &crash, Fault::Crash),
            (ScriptStep::Again, &unsaid, Fault::SetInSecret),
            (ScriptStep::Rejected(Other::Shortest), &nothing, Fault::Shortest),
        ] {
            let found = found(Actor::User, true, |step, end| {
                if step == at {
                    act(end);
                }
            });
            assert!(found.contains(&(fault, at)), "{at:?}: {found:?}");
        }
    }

    /// A module in front rejects digits; behind a rejection of the check it is not asked again.
    #[test]
    fn a_prompt_past_a_module_in_front_is_found_by_what_that_module_rejects() {
        let found = found(Actor::User, true, |step, end| {
            if step == ScriptStep::Rejected(Other::Digits) {
                *end = End::default();
            }
        });
        assert_eq!(found, [(Fault::Around(Other::Digits), ScriptStep::Around(Other::Digits))]);
    }

    #[test]
    fn several_actors_show_one_fault() {
        let shown = |actor, fault| Shown {
            fault,
            step: ScriptStep::Random,
            by: vec![(actor, "passwd".to_owned())],
            end: End::default(),
        };
        let all = vec![
            shown(Actor::User, Fault::NobodyCan),
            shown(Actor::Root, Fault::NotSet),
            shown(Actor::Root, Fault::NobodyCan),
        ];
        let joined: Vec<(Fault, usize)> = joined(all).iter().map(|one| (one.fault, one.by.len())).collect();
        assert_eq!(joined, [(Fault::NobodyCan, 2), (Fault::NotSet, 1)]);
    }
}
