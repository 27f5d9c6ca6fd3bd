//! The gain by each rule of a policy: the policy without one of its rules, or with one that it does not have,
//! beside the policy as it is.

use nearmiss_filters::{
    config::{Config, DictionaryRule},
    format::Match,
    policy::{StructureRules, Substring},
};
use serde::Serialize;

use super::Share;

/// A rule that can be switched.
pub(crate) struct Switch {
    /// The rule, as it is called in nearmiss.conf.
    pub(crate) rule: &'static str,
    change: fn(&mut Config),
}

/// Every rule, in the order of the manual.
const SWITCHES: [Switch; 15] = [
    Switch { rule: "match near", change: |config| match_only(&mut config.dictionaries) },
    Switch { rule: "two_words", change: |config| flip(&mut config.policy.structure.two_words) },
    Switch { rule: "digits_max", change: |config| flip_digits(&mut config.policy.structure) },
    Switch { rule: "periods", change: |config| flip(&mut config.policy.structure.repetition) },
    Switch { rule: "runs", change: |config| flip(&mut config.policy.structure.runs) },
    Switch { rule: "distance_2", change: |config| flip(&mut config.policy.structure.distance_2) },
    Switch { rule: "word_and_few", change: |config| flip(&mut config.policy.structure.word_and_few) },
    Switch { rule: "few_letters", change: |config| flip(&mut config.policy.structure.few_letters) },
    Switch { rule: "substring two-thirds", change: |config| flip_part(config, Substring::TwoThirds) },
    Switch { rule: "substring all-but-4", change: |config| flip_part(config, Substring::AllBut4) },
    Switch { rule: "leet", change: |config| flip(&mut config.policy.variants.leet) },
    Switch { rule: "reversed", change: |config| flip(&mut config.policy.variants.reversed) },
    Switch { rule: "doubled", change: |config| flip(&mut config.policy.variants.doubled) },
    Switch { rule: "affixes", change: |config| flip(&mut config.policy.variants.affixes) },
    Switch { rule: "transpositions", change: |config| flip(&mut config.policy.variants.transpositions) },
];

fn flip(rule: &mut bool) {
    *rule = !*rule;
}

fn flip_digits(rules: &mut StructureRules) {
    rules.digits_max = if rules.digits_max > 0 { 0 } else { StructureRules::default().digits_max };
}

fn flip_part(config: &mut Config, part: Substring) {
    let substring = &mut config.policy.structure.substring;
    *substring = if *substring == part { Substring::Off } else { part };
}

fn match_only(dictionaries: &mut [DictionaryRule]) {
    for rule in dictionaries {
        rule.matching = Some(Match::Exact);
    }
}

/// Each rule with the configuration in which it is switched.
pub(crate) fn switched(config: &Config) -> impl Iterator<Item = (&'static Switch, Config)> {
    SWITCHES.iter().filter_map(move |switch| {
        let mut other = config.clone();
        (switch.change)(&mut other);
        (other != *config).then_some((switch, other))
    })
}

/// The change by a rule, for a set of passwords or generated ones.
#[derive(Debug, Serialize)]
pub(crate) struct Difference {
    /// The rule.
    pub(crate) rule: &'static str,
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
        rule: &'static str,
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
        Difference { rule, policy, of: of.to_owned(), is_generated, more }
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

    use super::*;

    #[test]
    fn every_switch_changes_one_rule_and_back() {
        let dictionaries = vec![DictionaryRule::new("/f".into())];
        let config = Config { dictionaries, ..Config::default() };
        let rules: Vec<_> = switched(&config).map(|(switch, _)| switch.rule).collect();
        assert_eq!(rules.len(), SWITCHES.len());
        assert_eq!(rules.iter().collect::<HashSet<_>>().len(), SWITCHES.len());
        for switch in SWITCHES.iter().skip(1) {
            let mut other = config.clone();
            (switch.change)(&mut other);
            assert!(other != config, "{}", switch.rule);
            (switch.change)(&mut other);
            assert!(other == config, "{}", switch.rule);
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
