//! The gain by each rule of a policy: the policy without one of its rules, or with one that it does not have,
//! beside the policy as it is.

use nearmiss_filters::format::Match;
use nearmiss_policy::{
    config::Config,
    policy::{Field, Policy, RULES, Rule, Section, Substring},
};
use serde::Serialize;

use super::Share;

/// Each rule that can be switched, as it is called in nearmiss.conf, with the configuration in which it is.
pub(crate) fn switched(config: &Config) -> impl Iterator<Item = (String, Config)> {
    let of_rules = RULES.iter().filter(|rule| matches!(rule.section, Section::Policy | Section::Variants));
    let of_rules = of_rules
        .flat_map(|rule| flipped(rule, &config.policy))
        .map(|(name, policy)| (name, Config { policy, ..config.clone() }));
    let mut exact = config.clone();
    exact.dictionaries.iter_mut().for_each(|rule| rule.matching = Some(Match::Exact));
    [("match near".to_owned(), exact)].into_iter().chain(of_rules).filter(move |(_, other)| other != config)
}

/// The policy without the rule, or with it where it does not have it; for each part that a word may be.
fn flipped(rule: &Rule, policy: &Policy) -> Vec<(String, Policy)> {
    let Field::Part(at, _) = rule.field else {
        let mut other = policy.clone();
        rule.switch_off(&mut other);
        if other == *policy {
            rule.switch_on(&mut other);
        }
        return vec![(rule.key.to_owned(), other)];
    };
    let parts = Substring::NAMES.split(' ').zip(Substring::ALL).filter(|(_, part)| *part != Substring::Off);
    let with = |(word, part)| {
        let mut other = policy.clone();
        let own = at(&mut other);
        *own = if *own == part { Substring::Off } else { part };
        (format!("{} {word}", rule.key), other)
    };
    parts.map(with).collect()
}

/// The change by a rule, for a set of passwords or generated ones.
#[derive(Debug, Serialize)]
pub(crate) struct Difference {
    /// The rule.
    pub(crate) rule: String,
    /// "without" where the policy has the rule, "with" where it has not.
    pub(crate) policy: &'static str,
    /// The set, or the kind of generated passwords.
    pub(crate) of: String,
    /// True for generated passwords, which should not be rejected.
    pub(crate) is_generated: bool,
    /// Passwords that are rejected with the rule and not without it.
    pub(crate) more: Share,
}

impl Difference {
    /// The difference between verdicts on the same passwords: as the policy is, and with the rule switched.
    pub(crate) fn new(
        rule: &str,
        (of, is_generated): (&str, bool),
        as_it_is: &[bool],
        switched: &[bool],
    ) -> Difference {
        let count = |more: &[bool], less: &[bool]| {
            more.iter().zip(less).filter(|&(&more, &less)| more && !less).count() as u64
        };
        let (lost, gained) = (count(as_it_is, switched), count(switched, as_it_is));
        let (policy, rejected) = if lost >= gained { ("without", lost) } else { ("with", gained) };
        let more = Share { tried: as_it_is.len() as u64, rejected };
        Difference { rule: rule.to_owned(), policy, of: of.to_owned(), is_generated, more }
    }
}

/// The sum of what a rule changes in all sets, or in all kinds of generated passwords.
pub(crate) fn sum<'d>(differences: impl Iterator<Item = &'d Difference>) -> Share {
    differences.fold(Share::default(), |sum, one| Share {
        tried: sum.tried + one.more.tried,
        rejected: sum.rejected + one.more.rejected,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use nearmiss_policy::config::DictionaryRule;

    use super::*;

    #[test]
    fn every_rule_of_a_section_is_switched_and_back() {
        let dictionaries = vec![DictionaryRule::new("/f".into())];
        let config = Config { dictionaries, ..Config::default() };
        let names: Vec<_> = switched(&config).map(|(name, _)| name).collect();
        assert_eq!(names.first().map(String::as_str), Some("match near"));
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
        for rule in RULES.iter().filter(|rule| matches!(rule.section, Section::Policy | Section::Variants)) {
            let of_rule = names.iter().filter(|name| name.split(' ').next() == Some(rule.key)).count();
            assert_eq!(of_rule, if matches!(rule.field, Field::Part(..)) { 2 } else { 1 }, "{}", rule.key);
        }
        for (name, other) in switched(&config).skip(1) {
            assert!(other != config, "{name}");
            let back = switched(&other).find(|(again, _)| *again == name);
            assert!(back.is_some_and(|(_, back)| back == config), "{name}");
        }
    }

    #[test]
    fn what_is_rejected_with_the_rule_alone_is_counted() {
        let set = ("set", false);
        let lost = Difference::new("runs", set, &[true, true, false, true], &[true, false, false, false]);
        assert_eq!((lost.policy, lost.more), ("without", Share { tried: 4, rejected: 2 }));
        let gained = Difference::new("runs", set, &[false, true], &[true, true]);
        assert_eq!((gained.policy, gained.more), ("with", Share { tried: 2, rejected: 1 }));
        assert_eq!(sum([lost, gained].iter()), Share { tried: 6, rejected: 3 });
    }
}
