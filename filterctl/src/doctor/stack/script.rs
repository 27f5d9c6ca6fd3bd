//! What a user and root do with a password program: each step is a change, made for what it may show.

use super::passwords::{Other, Passwords};
use crate::doctor::copy::{Actor, CURRENT, Change};

/// A purpose of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ScriptStep {
    /// A weak password is typed, whenever one is prompted for.
    Weak,
    /// A password within edit distance 1 of a weak one.
    Near,
    /// A random password.
    Random,
    /// The password is changed once more, so that the first one was used before.
    Again,
    /// A good password that another module may reject, and a weak one whenever it prompts again.
    Rejected(Other),
    /// A password that the check rejects, and then one that a module before the check may reject.
    Around(Other),
    /// A wrong current password, and a random new one.
    WrongCurrent,
    /// The user gives up where the new password is typed.
    GivesUp,
    /// The account does not exist.
    UnknownUser,
}

/// A change that is made, and why.
pub(super) struct Planned {
    pub(super) step: ScriptStep,
    pub(super) change: Change,
}

/// The steps of an actor in their order; those that begin with the account as another step left it come
/// directly behind it. `has_earlier`: a module before the check may reject a password.
pub(super) fn script(actor: Actor, service: &str, passwords: &Passwords, has_earlier: bool) -> Vec<Planned> {
    let mut script = StackScript { actor, service, planned: Vec::new() };
    let [random, second] = passwords.random.each_ref().map(String::as_str);
    let weak = passwords.weak.as_deref();
    if let Some(weak) = weak {
        script.add(ScriptStep::Weak, &[weak]);
    }
    script.add(ScriptStep::Random, &[random]);
    if matches!(actor, Actor::Root | Actor::Batch) {
        return script.planned;
    }
    script.follow(ScriptStep::Again, random, &[second]);
    script.follow(ScriptStep::Rejected(Other::Used), second, &passwords.then_weak(random));
    let others = [Other::Current, Other::Shortest, Other::Letters, Other::Digits];
    let own = |other| passwords.other(other).map(|password| (other, password));
    for (other, password) in others.into_iter().filter_map(own) {
        script.add(ScriptStep::Rejected(other), &passwords.then_weak(password));
    }
    if let Some(mixed) = passwords.mixed.as_deref().filter(|_| has_earlier) {
        let others = [Other::Shortest, Other::Letters, Other::Digits];
        for (other, password) in others.into_iter().filter_map(own) {
            script.add(ScriptStep::Around(other), &[mixed, password]);
        }
        script.add(ScriptStep::Random, &[random]);
        script.follow(ScriptStep::Again, random, &[second]);
        script.follow(ScriptStep::Around(Other::Used), second, &[mixed, random]);
    }
    if let Some(near) = &passwords.near {
        script.add(ScriptStep::Near, &[near]);
    }
    let change = script.change(&[random]);
    for (step, change) in [
        (ScriptStep::WrongCurrent, Change { current: second.to_owned(), ..change.clone() }),
        (ScriptStep::GivesUp, Change { gives_up: true, ..change.clone() }),
        (ScriptStep::UnknownUser, Change { is_known_user: false, ..change }),
    ] {
        script.planned.push(Planned { step, change });
    }
    script.planned
}

/// Each weak password as the first one that is typed: other modules accept one or the other.
pub(super) fn weak_alone(actor: Actor, service: &str, passwords: &Passwords) -> Vec<Planned> {
    let mut script = StackScript { actor, service, planned: Vec::new() };
    for weak in [&passwords.weak, &passwords.mixed, &passwords.long].into_iter().flatten() {
        script.add(ScriptStep::Weak, &[weak]);
    }
    script.planned
}

/// The steps in which another module may reject a password, and those that lead to them.
pub(super) fn rejections(mut script: Vec<Planned>) -> Vec<Planned> {
    use ScriptStep::{Again, Random, Rejected};
    script.retain(|planned| matches!(planned.step, Random | Again | Rejected(_)));
    script
}

/// The steps of a script that a fault of one step is judged by.
pub(super) fn judging(script: Vec<Planned>, step: ScriptStep) -> Vec<Planned> {
    let needed = |own: ScriptStep| match step {
        ScriptStep::Around(other) => own == step || own == ScriptStep::Rejected(other),
        _ => own == step,
    };
    let mut kept: Vec<Planned> = Vec::new();
    let mut is_chain_needed = false;
    // A step that begins where another one ended needs that one.
    for planned in script.into_iter().rev() {
        if is_chain_needed || needed(planned.step) || planned.step == ScriptStep::Random {
            is_chain_needed = !planned.change.is_fresh;
            kept.push(planned);
        }
    }
    kept.reverse();
    kept
}

struct StackScript<'s> {
    actor: Actor,
    service: &'s str,
    planned: Vec<Planned>,
}

impl StackScript<'_> {
    /// Adds a change of the account as it was at first.
    fn add(&mut self, step: ScriptStep, rounds: &[&str]) {
        let change = self.change(rounds);
        self.planned.push(Planned { step, change });
    }

    /// Adds a change behind another one, which set the current password.
    fn follow(&mut self, step: ScriptStep, current: &str, rounds: &[&str]) {
        let change = Change { is_fresh: false, current: current.to_owned(), ..self.change(rounds) };
        self.planned.push(Planned { step, change });
    }

    fn change(&self, rounds: &[&str]) -> Change {
        Change {
            service: self.service.to_owned(),
            actor: self.actor,
            is_known_user: true,
            is_fresh: true,
            current: CURRENT.to_owned(),
            rounds: rounds.iter().map(|password| (*password).to_owned()).collect(),
            gives_up: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use nearmiss_policy::config::Config;

    use super::*;

    fn passwords() -> Passwords {
        let config = Config { dictionaries: Vec::new(), ..Config::default() };
        let mut passwords = Passwords::of(&config, b"www").unwrap();
        passwords.weak = Some("password1".to_owned());
        passwords
    }

    #[test]
    fn a_step_that_begins_where_another_ended_comes_behind_it() {
        for has_earlier in [false, true] {
            let script = script(Actor::User, "passwd", &passwords(), has_earlier);
            for pair in script.windows(2) {
                let [before, own] = pair else { panic!("windows of two") };
                if !own.change.is_fresh {
                    assert!(before.change.rounds.contains(&own.change.current), "{:?}", own.step);
                }
            }
        }
    }

    #[test]
    fn one_step_is_judged_with_those_that_lead_to_it() {
        let judged = |step| {
            let script = script(Actor::User, "passwd", &passwords(), true);
            judging(script, step).into_iter().map(|planned| planned.step).collect::<Vec<_>>()
        };
        assert_eq!(judged(ScriptStep::Weak), [ScriptStep::Weak, ScriptStep::Random]);
        let used = ScriptStep::Rejected(Other::Used);
        assert_eq!(judged(used), [ScriptStep::Random, ScriptStep::Again, used]);
    }

    #[test]
    fn root_is_not_prompted_for_a_current_password_and_has_two_steps() {
        let steps = |actor| script(actor, "passwd", &passwords(), true).len();
        assert_eq!((steps(Actor::Root), steps(Actor::Batch)), (2, 2));
    }
}
