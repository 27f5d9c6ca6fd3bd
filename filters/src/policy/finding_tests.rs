//! What is found in word lists and in lists of digests, and how it is named.

use super::*;
use crate::{
    dictionary::{
        Edit,
        tests::{digests_of, filter_of},
    },
    format::{Kind, Match, SchemeId},
};

const WORDS: [&str; 5] = ["planet", "horse", "fish", "cat", "quite unlikely"];

fn rules() -> [Rule<Vec<u8>>; 3] {
    let exact = Rule { filter: filter_of(&["windmill"], SchemeId::Whole, 0, 1), matching: Match::Exact };
    let near = Rule { filter: filter_of(&WORDS, SchemeId::Deletions, 8, 5), matching: Match::Near };
    let listed = ["5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8", "874572e7a5ae6a49466a6ac578b98adba78c6aa6"];
    [exact, near, Rule { filter: digests_of(Kind::Sha1, &listed), matching: Match::Exact }]
}

/// A finding: reason, transforms, number of the rule, edit, and word.
type Plain = (Reason, Vec<&'static str>, Option<usize>, Option<Edit>, Option<String>);

fn examine(policy: &Policy, rules: &[Rule<Vec<u8>>], password: &str) -> Option<Plain> {
    let sources = Sources::new(rules, Ladders::default());
    let Finding { reason, evidence } =
        policy.examine(password.as_bytes(), &Context::default(), sources).unwrap()?;
    let names = |transforms: Transforms| transforms.names().collect();
    Some(match evidence {
        Evidence::None => (reason, Vec::new(), None, None, None),
        Evidence::Variant { transforms } => (reason, names(transforms), None, None, None),
        Evidence::Digest { transforms, dictionary } => {
            (reason, names(transforms), Some(dictionary), None, None)
        }
        Evidence::Word { transforms, dictionary, edit, neighbour } => {
            let word = neighbour.map(|word| word.to_text());
            (reason, names(transforms), Some(dictionary), Some(edit), word)
        }
    })
}

fn in_dictionary(transforms: &[&'static str], rule: usize, word: &str) -> Plain {
    (Reason::Dictionary, transforms.to_vec(), Some(rule), Some(Edit::None), Some(word.to_owned()))
}

fn near(transforms: &[&'static str], edit: Edit, word: &str) -> Plain {
    (Reason::NearDictionary, transforms.to_vec(), Some(1), Some(edit), Some(word.to_owned()))
}

#[test]
fn what_is_left_of_a_candidate_is_looked_up_from_4_characters_and_its_neighbours_from_6() {
    let (policy, rules, stripped) = (Policy::default(), rules(), &["ends stripped"]);
    for (password, expected) in [
        ("planet99!!", Some(in_dictionary(stripped, 1, "planet"))),
        ("horse99!!", Some(in_dictionary(stripped, 1, "horse"))),
        ("fish99!!", Some(in_dictionary(stripped, 1, "fish"))),
        ("cat12345!!", None),
        ("plenet99!!", Some(near(stripped, Edit::Replace { at: 2 }, "planet"))),
        ("hoarse99!!", Some(near(stripped, Edit::Remove { at: 2 }, "horse"))),
        ("planex99!!", Some(near(stripped, Edit::Replace { at: 5 }, "planet"))),
        ("plane99!!", None),
        ("hprse99!!", None),
        ("hors99!!", None),
    ] {
        assert_eq!(examine(&policy, &rules, password), expected, "{password}");
    }
}

#[test]
fn a_finding_says_which_list_has_what() {
    let (policy, rules) = (Policy { min_length: 3, ..Policy::default() }, rules());
    let breached =
        |transforms: &[&'static str]| Some((Reason::Breached, transforms.to_vec(), Some(2), None, None));
    for (password, expected) in [
        ("windmill", Some(in_dictionary(&[], 0, "windmill"))),
        ("llimdniw", Some(in_dictionary(&["reversed"], 0, "windmill"))),
        ("windmil", None),
        ("cat", Some(in_dictionary(&[], 1, "cat"))),
        ("cats", Some(near(&[], Edit::Remove { at: 3 }, "cat"))),
        ("quite  unlikely", Some(near(&[], Edit::Remove { at: 5 }, "quite unlikely"))),
        ("password", breached(&[])),
        ("PASSWORD", breached(&[])),
        ("drowssap", breached(&["reversed"])),
        ("p4ssw0rd77", breached(&["ends stripped", "leet undone"])),
        ("Tr0ub4dor&3", breached(&[])),
        ("tr0ub4dor&3", None),
        ("passwork", None),
    ] {
        assert_eq!(examine(&policy, &rules, password), expected, "{password}");
    }
    let as_typed = Policy { variants: VariantRules::NONE, ..policy };
    assert_eq!(examine(&as_typed, &rules, "password"), breached(&[]));
    assert_eq!(examine(&as_typed, &rules, "PASSWORD"), None);
    assert_eq!(examine(&as_typed, &rules, "drowssap"), None);
    assert_eq!(examine(&as_typed, &rules[2..], "catcatcat"), None);
}

#[test]
fn neighbours_and_swaps_are_looked_up_where_they_are_switched_on() {
    let [_, mut rule, _] = rules();
    let variants = VariantRules { transpositions: true, ..VariantRules::NONE };
    let swaps = Policy { variants, min_length: 3, ..Policy::default() };
    let plain = Policy { variants: VariantRules::NONE, ..swaps.clone() };
    let [swapped, replaced] = ["palnet", "plamet"];
    let rules = std::slice::from_ref(&rule);
    let found = |policy, password| examine(policy, rules, password).map(|plain| plain.0);
    assert_eq!(found(&swaps, swapped), Some(Reason::NearDictionary));
    assert_eq!(found(&plain, swapped), None);
    assert_eq!(found(&plain, replaced), Some(Reason::NearDictionary));
    rule.matching = Match::Exact;
    let rules = std::slice::from_ref(&rule);
    let found = |policy, password| examine(policy, rules, password).map(|plain| plain.0);
    assert_eq!([swapped, replaced].map(|password| found(&swaps, password)), [None, None]);
    assert_eq!(found(&swaps, "planet"), Some(Reason::Dictionary));
}
