//! A policy's catch among the guesses of attackers and the choices of people, and its rejections of generated
//! passwords.
//!
//! A *set* is what a rule file makes of words, or a list of passwords. Each distinct password of at least
//! [`MIN_BYTES`] bytes and without control characters counts once, with the rank of the rule, or of the
//! line, that came to it first. A policy is judged by the share it rejects of the first 10, 100, 1,000 …

mod each_rule;
mod generated;
mod results;

use std::collections::HashSet;

use nearmiss_filters::ladder::SeededRandom;
use nearmiss_policy::{
    policy::{Context, Reason},
    site::{Site, Unusable},
};
use serde::Serialize;

use super::{Steps, extension::shuffle};
use crate::rules::{RuleClass, RuleFile};

pub(crate) use each_rule::{Difference, sum, switched};
pub(crate) use generated::{FAMILIES, Generated};
pub(crate) use results::{catch_csv, chart, differences_csv, false_rejections_csv};

/// The fewest bytes of a password that counts: shorter ones no policy accepts.
const MIN_BYTES: usize = 8;

/// The policy's name beside other checkers.
pub(crate) const OURS: &str = "nearmiss";

/// A password that is tried, and where it came from.
pub(crate) struct Tried {
    password: Vec<u8>,
    /// Of the rule or the line, from 1.
    rank: u64,
    /// The rule's effect; none for a list.
    class: Option<RuleClass>,
}

/// A set of passwords to try.
pub(crate) struct TriedSet {
    /// The name of the file it came from.
    pub(crate) name: String,
    /// Lines of the rule file that were skipped.
    pub(crate) skipped: u64,
    tried: Vec<Tried>,
}

impl TriedSet {
    /// The passwords that rules make from words: at most `most` before repetitions are left out, each rule
    /// with as many words as the others, chosen by the seed.
    pub(crate) fn of_rules(
        name: String,
        file: &RuleFile,
        words: &[Vec<u8>],
        most: usize,
        seed: u64,
    ) -> TriedSet {
        let mut order: Vec<usize> = (0..words.len()).collect();
        let mut random = SeededRandom::new(seed);
        let each = (most / file.rules.len().max(1)).clamp(1, words.len().max(1));
        let mut set = DistinctGuesses::default();
        for (rule, rank) in file.rules.iter().zip(1..) {
            if each < words.len() {
                shuffle(&mut order, &mut random);
            }
            for word in order.iter().take(each).filter_map(|&at| words.get(at)) {
                if let Some(password) = rule.apply(word) {
                    set.add(Tried { password, rank, class: Some(rule.class()) });
                }
            }
        }
        TriedSet { name, skipped: file.skipped, tried: set.tried }
    }

    /// The lines of a list.
    pub(crate) fn of_list(name: String, lines: &[Vec<u8>], most: usize) -> TriedSet {
        let mut set = DistinctGuesses::default();
        for (line, rank) in lines.iter().zip(1..) {
            if set.tried.len() >= most {
                break;
            }
            set.add(Tried { password: line.clone(), rank, class: None });
        }
        TriedSet { name, skipped: 0, tried: set.tried }
    }

    /// The passwords, in the order of their ranks.
    pub(crate) fn passwords(&self) -> impl Iterator<Item = &[u8]> {
        self.tried.iter().map(|one| one.password.as_slice())
    }

    /// Their number.
    pub(crate) fn len(&self) -> usize {
        self.tried.len()
    }
}

#[derive(Default)]
struct DistinctGuesses {
    seen: HashSet<Vec<u8>>,
    tried: Vec<Tried>,
}

impl DistinctGuesses {
    fn add(&mut self, one: Tried) {
        let is_counted = one.password.len() >= MIN_BYTES && !one.password.iter().any(u8::is_ascii_control);
        if is_counted && self.seen.insert(one.password.clone()) {
            self.tried.push(one);
        }
    }
}

/// Passwords and how many of them were rejected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Share {
    /// Passwords tried.
    pub(crate) tried: u64,
    /// Those that were rejected.
    pub(crate) rejected: u64,
}

impl Share {
    fn count(&mut self, is_rejected: bool) {
        self.tried += 1;
        self.rejected += u64::from(is_rejected);
    }

    /// Rejected of tried; 0 of none.
    pub(crate) fn part(self) -> f64 {
        self.rejected as f64 / self.tried.max(1) as f64
    }
}

/// The catch of one checker in a set.
#[derive(Debug, Serialize)]
pub(crate) struct Caught {
    /// The set.
    pub(crate) set: String,
    /// The checker.
    pub(crate) checker: String,
    /// Of the whole set.
    pub(crate) all: Share,
    /// Of the first so many rules or lines.
    pub(crate) by_rank: Vec<(u64, Share)>,
    /// Of what the rules of a class made.
    pub(crate) by_class: Vec<(&'static str, Share)>,
}

/// The share that a checker rejects of a set, from its verdicts in the set's order; a checker may have been
/// asked for the first of them only.
pub(crate) fn caught(set: &TriedSet, checker: &str, rejected: &[bool]) -> Caught {
    let judged = || set.tried.iter().zip(rejected);
    let share = |is_counted: &dyn Fn(&Tried) -> bool| {
        let mut share = Share::default();
        judged().filter(|(one, _)| is_counted(one)).for_each(|(_, &is_rejected)| share.count(is_rejected));
        share
    };
    let last = judged().map(|(one, _)| one.rank).max().unwrap_or(0);
    let ranks = (1..).map(|power| 10_u64.pow(power)).take_while(|&rank| rank < last);
    let classes =
        RuleClass::ALL.into_iter().map(|class| (class.name(), share(&|one| one.class == Some(class))));
    Caught {
        set: set.name.clone(),
        checker: checker.to_owned(),
        all: share(&|_| true),
        by_rank: ranks.map(|rank| (rank, share(&|one| one.rank <= rank))).collect(),
        by_class: classes.filter(|(_, share)| share.tried > 0).collect(),
    }
}

/// The verdict of the policy on each password.
///
/// # Errors
/// [`Unusable`] when a filter is damaged.
pub(crate) fn judge<'p>(
    site: &Site,
    passwords: impl Iterator<Item = &'p [u8]>,
    steps: &Steps,
) -> Result<Vec<Option<Reason>>, Unusable> {
    let context = Context::default();
    passwords
        .map(|password| {
            steps.advance();
            let decision = site.decide(password, &context);
            decision.rejection().map_err(Clone::clone)?;
            // A site that only warns is measured by what it would reject.
            Ok(decision.finding.map(|finding| finding.reason))
        })
        .collect()
}

/// The rejections of a kind of generated passwords; the policy's by reason.
#[derive(Debug, Serialize)]
pub(crate) struct FalseRejections {
    /// The family.
    pub(crate) family: &'static str,
    /// The kind, with the list of its words if there are several.
    pub(crate) kind: String,
    /// Bits that are drawn for a password of the kind.
    pub(crate) bits: f64,
    /// What rejected them.
    pub(crate) checker: String,
    /// All of them.
    pub(crate) all: Share,
    /// Those rejected for each reason.
    pub(crate) reasons: Vec<(&'static str, u64)>,
}

/// Counts the verdicts of the policy on passwords of a kind.
pub(crate) fn false_rejections(kind: &Generated, verdicts: &[Option<Reason>]) -> FalseRejections {
    let count = |code| verdicts.iter().flatten().filter(|reason| reason.code() == code).count() as u64;
    let reasons = Reason::ALL.map(|reason| (reason.code(), count(reason.code())));
    let rejected: Vec<bool> = verdicts.iter().map(Option::is_some).collect();
    FalseRejections {
        reasons: reasons.into_iter().filter(|&(_, count)| count > 0).collect(),
        ..falsely_rejected(kind, OURS, &rejected)
    }
}

/// Counts the verdicts of a checker, which may have been asked for the first passwords of the kind only.
pub(crate) fn falsely_rejected(kind: &Generated, checker: &str, rejected: &[bool]) -> FalseRejections {
    let rejections = rejected.iter().filter(|is_rejected| **is_rejected).count() as u64;
    FalseRejections {
        family: kind.family,
        kind: kind.name.clone(),
        bits: kind.bits,
        checker: checker.to_owned(),
        all: Share { tried: rejected.len() as u64, rejected: rejections },
        reasons: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(texts: &[&str]) -> Vec<Vec<u8>> {
        texts.iter().map(|text| text.as_bytes().to_vec()).collect()
    }

    #[test]
    fn a_password_counts_once_with_its_first_rank() {
        let rules = RuleFile::parse(b":\nc\n$1 $2\n^1 ^2\nd\nl\nzz");
        let set =
            TriedSet::of_rules("r".to_owned(), &rules, &words(&["elephant", "cat", "Elephant"]), 1000, 1);
        let ranks: Vec<(u64, &str)> =
            set.tried.iter().map(|one| (one.rank, std::str::from_utf8(&one.password).unwrap())).collect();
        assert_eq!(set.skipped, 1);
        assert_eq!(
            ranks,
            [
                (1, "elephant"),
                (1, "Elephant"),
                (3, "elephant12"),
                (3, "Elephant12"),
                (4, "21elephant"),
                (4, "21Elephant"),
                (5, "elephantelephant"),
                (5, "ElephantElephant"),
            ]
        );
    }

    #[test]
    fn shares_are_counted_by_rank_and_class() {
        let lines = words(&["long enough 1", "short", "long enough 2", "long\tenough"]);
        let list = TriedSet::of_list("l".to_owned(), &lines, 10);
        assert_eq!(list.passwords().count(), 2);
        let rules = RuleFile::parse(&b"$1\n".repeat(11).iter().chain(b"d\n").copied().collect::<Vec<u8>>());
        let set = TriedSet::of_rules("r".to_owned(), &rules, &words(&["elephant"]), 1000, 1);
        let caught = caught(&set, "all", &[true, false]);
        assert_eq!(caught.all, Share { tried: 2, rejected: 1 });
        assert_eq!(caught.by_rank, [(10, Share { tried: 1, rejected: 1 })]);
        assert_eq!(
            caught.by_class,
            [("affixes", Share { tried: 1, rejected: 1 }), ("repeated", Share { tried: 1, rejected: 0 })]
        );
    }

    #[test]
    fn rules_share_what_may_be_tried() {
        let many: Vec<Vec<u8>> = (0..100).map(|number| format!("elephant{number:03}").into_bytes()).collect();
        let rules = RuleFile::parse(b"c\nu\n$1\n^1\n");
        let set = TriedSet::of_rules("r".to_owned(), &rules, &many, 40, 7);
        assert_eq!(set.len(), 40);
        let again = TriedSet::of_rules("r".to_owned(), &rules, &many, 40, 7);
        assert!(set.passwords().eq(again.passwords()), "the seed decides");
    }
}
