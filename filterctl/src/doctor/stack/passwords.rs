//! The passwords of an examination: what the site finds weak, and what it accepts.

use nearmiss_policy::{
    config::{Config, Enforce},
    policy::{Context, Reason},
    site::Site,
};

use crate::doctor::{
    copy::{CURRENT, USER},
    probe,
};

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

/// Weak passwords with one edit, by the likelihood that a filter knows the word.
const NEAR: [&str; 3] = ["pasword1", "passworrd1", "passwort1"];

/// Weak passwords with four kinds of characters.
const MIXED: [&str; 3] = ["Password-1", "P4ssw0rd!1", "Elephant1!"];

/// Weak passwords that are longer than other modules demand.
const LONG: [&str; 2] = ["Password-1Password-1Password-1", "Abcdefgh-1Abcdefgh-1Abcdefgh-1"];

/// What a site says of the weak passwords with one edit.
struct NearFound {
    /// The one that it rejects as near a word.
    rejected: Option<&'static str>,
    /// It accepts one, and rejects none as near a word.
    is_accepted: bool,
    /// It finds nothing in one, and none near a word.
    is_missed: bool,
}

impl NearFound {
    /// Each password with the level at which it is found weak, and what for. Another rule may find one of
    /// them, and says nothing of the filters.
    fn of(all: [(&'static str, Option<(Enforce, Reason)>); 3]) -> NearFound {
        let is_near = |(_, found): &&(_, Option<(_, Reason)>)| {
            found.as_ref().is_some_and(|(_, reason)| *reason == Reason::NearDictionary)
        };
        let is_rejected = |found: &Option<(Enforce, Reason)>| {
            found.as_ref().is_some_and(|(level, _)| *level == Enforce::Reject)
        };
        let near = all.iter().find(is_near);
        let rejected = near.filter(|(_, found)| is_rejected(found)).map(|(one, _)| *one);
        NearFound {
            rejected,
            is_accepted: rejected.is_none() && !all.iter().all(|(_, found)| is_rejected(found)),
            is_missed: near.is_none() && all.iter().any(|(_, found)| found.is_none()),
        }
    }
}

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
        let near = NearFound::of(NEAR.map(|one| (one, found(one))));
        let first = |all: &[&str]| all.iter().find(|one| is_weak(one)).map(|one| (*one).to_owned());
        let is_missed = |all: &[&str]| !all.iter().any(|one| level(one).is_some());
        let good = |one: String| Some(one).filter(|one| !is_weak(one));
        let min_length = config.policy.min_length.max(1);
        let random = probe::random(3, min_length);
        let [first_random, second_random, more] = <[String; 3]>::try_from(random).ok()?;
        Some(Passwords {
            is_level_low: !near.is_missed && ![&[probe::WEAK][..], &MIXED].into_iter().any(is_missed),
            weak: first(&[probe::WEAK]),
            accepts_near: near.is_accepted,
            near: near.rejected.map(str::to_owned),
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

    pub(super) fn other(&self, other: Other) -> Option<&str> {
        match other {
            Other::Used => Some(&self.random[0]),
            Other::Current => Some(CURRENT),
            Other::Shortest => self.shortest.as_deref(),
            Other::Letters => Some(&self.letters),
            Other::Digits => Some(&self.digits),
        }
    }

    /// A password, and then weak ones: first those that other modules are likely to accept.
    pub(super) fn then_weak<'p>(&'p self, password: &'p str) -> Vec<&'p str> {
        let weak = [&self.long, &self.mixed, &self.weak].into_iter().flatten().map(String::as_str);
        std::iter::once(password).chain(weak).collect()
    }

    /// True if the check has to reject it.
    pub(super) fn is_weak(&self, password: &str) -> bool {
        [&self.weak, &self.near, &self.mixed, &self.long].into_iter().flatten().any(|weak| weak == password)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(settings: &str) -> Config {
        Config::parse(std::path::Path::new("/site.conf"), settings.as_bytes()).unwrap()
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
}
