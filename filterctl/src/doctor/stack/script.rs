//! What a user and root do with a password program: each step is a change, made for what it may show.

use nearmiss_policy::{
    config::{Config, Enforce},
    policy::{Context, Reason},
    site::Site,
};

use crate::doctor::{
    copy::{Actor, CURRENT, Change, USER},
    probe,
};

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

/// A good password that a module other than the check may reject, with what it would be rejected for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Other {
    /// It was used before.
    Used,
    /// It is the current one.
    Current,
    /// It has the fewest characters that the check accepts.
    Shortest,
    /// It has small letters alone.
    Letters,
    /// It has digits alone.
    Digits,
}

/// The passwords of an examination.
pub(super) struct Passwords {
    /// The word that a check rejects; none if it accepts it.
    pub(super) weak: Option<String>,
    /// One near a word of a dictionary that it rejects for that; none if it does not.
    pub(super) near: Option<String>,
    /// True if it accepts one of these, and rejects none as near a word.
    accepts_near: bool,
    /// A weak password of four kinds of characters, which other modules may accept.
    pub(super) mixed: Option<String>,
    /// A long one.
    pub(super) long: Option<String>,
    pub(super) random: [String; 2],
    pub(super) shortest: Option<String>,
    letters: String,
    digits: String,
    /// The length of the shortest one.
    pub(super) min_length: usize,
    /// True if each weak password that is accepted is found weak: a level below `reject` accepts it.
    pub(super) is_level_low: bool,
}

/// A change that is made, and why.
pub(super) struct Planned {
    pub(super) step: ScriptStep,
    pub(super) change: Change,
}

/// Weak passwords with one edit, by the likelihood that a filter knows the word.
const NEAR: [&str; 3] = ["pasword1", "passworrd1", "passwort1"];

/// Weak passwords with four kinds of characters.
const MIXED: [&str; 3] = ["Password-1", "P4ssw0rd!1", "Elephant1!"];

/// Weak passwords that are longer than other modules demand.
const LONG: [&str; 2] = ["Password-1Password-1Password-1", "Abcdefgh-1Abcdefgh-1Abcdefgh-1"];

impl Passwords {
    /// Passwords that the site of this configuration rejects, and others that it accepts; none if the system
    /// has no random bytes.
    pub(super) fn of(config: &Config, host: &[u8]) -> Option<Passwords> {
        let site = Site::new(config.clone());
        let context = Context { user: USER.as_bytes(), host, ..Context::default() };
        // The level at which it is found weak, and what for.
        let found = |password: &str| {
            let decision = site.decide(password.as_bytes(), &context);
            decision.finding.map(|finding| (decision.enforce, finding.reason))
        };
        let level = |password: &str| found(password).map(|(level, _)| level);
        let is_weak = |password: &str| level(password) == Some(Enforce::Reject);
        // Another rule may find one of them, and says nothing of the filters.
        let is_near = |one: &&&str| found(one).is_some_and(|(_, reason)| reason == Reason::NearDictionary);
        let near = NEAR.iter().find(is_near);
        let is_near_missed = near.is_none() && NEAR.iter().any(|one| level(one).is_none());
        let near = near.filter(|near| is_weak(near)).map(|near| (*near).to_owned());
        let first = |all: &[&str]| all.iter().find(|one| is_weak(one)).map(|one| (*one).to_owned());
        let is_missed = |all: &[&str]| !all.iter().any(|one| level(one).is_some());
        let good = |one: String| Some(one).filter(|one| !is_weak(one));
        let min_length = config.policy.min_length.max(1);
        let random = probe::random(3, min_length);
        let [first_random, second_random, more] = <[String; 3]>::try_from(random).ok()?;
        Some(Passwords {
            is_level_low: !is_near_missed && ![&[probe::WEAK][..], &MIXED].into_iter().any(is_missed),
            weak: first(&[probe::WEAK]),
            accepts_near: near.is_none() && !NEAR.iter().all(|one| is_weak(one)),
            near,
            mixed: first(&MIXED),
            long: first(&LONG),
            random: [first_random, second_random],
            shortest: more.get(..min_length).map(str::to_owned).and_then(good),
            letters: more.bytes().map(|byte| char::from(b'a'.saturating_add(byte % 26))).collect(),
            digits: more.bytes().map(|byte| char::from(b'0'.saturating_add(byte % 10))).collect(),
            min_length,
        })
    }

    /// The kinds of weak passwords that the site accepts.
    pub(super) fn accepted(&self) -> Vec<String> {
        let common = self.weak.is_none().then(|| format!("\"{}\"", probe::WEAK));
        let near = self.accepts_near.then(|| "one with an edit".to_owned());
        let mixed = self.mixed.is_none().then(|| format!("one in disguise (\"{}\")", MIXED[0]));
        [common, near, mixed].into_iter().flatten().collect()
    }

    fn other(&self, other: Other) -> Option<&str> {
        match other {
            Other::Used => Some(&self.random[0]),
            Other::Current => Some(CURRENT),
            Other::Shortest => self.shortest.as_deref(),
            Other::Letters => Some(&self.letters),
            Other::Digits => Some(&self.digits),
        }
    }

    /// A password, and then weak ones: first those that other modules are likely to accept.
    fn then_weak<'p>(&'p self, password: &'p str) -> Vec<&'p str> {
        let weak = [&self.long, &self.mixed, &self.weak].into_iter().flatten().map(String::as_str);
        std::iter::once(password).chain(weak).collect()
    }

    /// True if the check has to reject it.
    pub(super) fn is_weak(&self, password: &str) -> bool {
        [&self.weak, &self.near, &self.mixed, &self.long].into_iter().flatten().any(|weak| weak == password)
    }
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
    use super::*;

    fn config(settings: &str) -> Config {
        Config::parse(std::path::Path::new("/site.conf"), settings.as_bytes()).unwrap()
    }

    fn passwords() -> Passwords {
        let config = Config { dictionaries: Vec::new(), ..Config::default() };
        let passwords = Passwords::of(&config, b"www").unwrap();
        Passwords { weak: Some("password1".to_owned()), ..passwords }
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

    /// What only the level accepts is found weak: no setting hides it.
    #[test]
    fn passwords_that_the_level_accepts_are_told_from_those_that_nothing_finds() {
        let of = |settings: &str| {
            let config = Config { dictionaries: Vec::new(), ..config(settings) };
            let passwords = Passwords::of(&config, b"www").unwrap();
            (passwords.accepted().len(), passwords.is_level_low)
        };
        let words = "[policy]\nforbidden_words = [\"password\", \"pasword\"]\n";
        assert_eq!(of(words).0, 0);
        assert_eq!(of(&format!("enforce = \"audit\"\n{words}")), (3, true));
        let words = "[policy]\nforbidden_words = [\"elephant\"]\n";
        assert_eq!((of(words), of(&format!("enforce = \"audit\"\n{words}"))), ((2, false), (3, false)));
        // A rule that rejects one with an edit is no dictionary that does.
        assert_eq!(of("[policy]\nforbidden_words = [\"passworrd\"]\n"), (1, false));
    }

    #[test]
    fn root_is_not_prompted_for_a_current_password_and_has_two_steps() {
        let steps = |actor| script(actor, "passwd", &passwords(), true).len();
        assert_eq!((steps(Actor::Root), steps(Actor::Batch)), (2, 2));
    }
}
