//! Lists of leaked passwords: every listed password is rejected, others at the stated rate; typed bytes
//! first, then the variants that are switched on.

use std::fmt::Write;

use crate::common::{Random, build, exact, settings, stating};
use md4::Md4;
use nearmiss_filters::{
    dictionary::{Build, DictionaryFilter},
    format::{Kind, Match, SchemeId, StatedRate},
};
use nearmiss_policy::policy::{
    Context, Evidence, Examination, Finding, Ladders, OpenDictionary, Policy, Reason, StructureRules,
    VariantRules,
};
use sha1::{Digest, Sha1};

/// Lines 58,001 to 95,000 of a list of leaked passwords ([`fixtures/README.md`]).
const LEAKED: &str = include_str!("../../filters/tests/fixtures/passwords.txt");

fn hex(digest: impl AsRef<[u8]>) -> String {
    digest.as_ref().iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02X}").unwrap();
        hex
    })
}

fn sha1(password: &str) -> String {
    hex(Sha1::digest(password))
}

fn ntlm(password: &str) -> String {
    let units: Vec<u8> = password.encode_utf16().flat_map(u16::to_le_bytes).collect();
    hex(Md4::digest(units))
}

fn rule(kind: Kind, stated: StatedRate, list: &str) -> OpenDictionary<Vec<u8>> {
    let settings = stating(stated, exact(kind, settings(SchemeId::Whole, 0)));
    let settings = Build { min_count: 1, threads: 2, ..settings };
    let filter = DictionaryFilter::from_bytes(build(&settings, &[list.as_bytes()])).unwrap();
    OpenDictionary { filter, matching: Match::Exact }
}

fn policy(variants: VariantRules) -> Policy {
    Policy { min_length: 1, variants, structure: StructureRules::NONE, ..Policy::default() }
}

fn is_breached(policy: &Policy, rules: &[OpenDictionary<Vec<u8>>], password: &str) -> bool {
    let reason = examine(policy, rules, password).map(|finding| finding.reason);
    assert!(matches!(reason, None | Some(Reason::Breached)), "{reason:?}");
    reason.is_some()
}

fn examine(policy: &Policy, rules: &[OpenDictionary<Vec<u8>>], password: &str) -> Option<Finding> {
    policy
        .examine(password.as_bytes(), &Context::default(), Examination::new(rules, Ladders::default()))
        .complete()
        .unwrap()
}

/// A million digests: the leaked passwords of the fixture and random ones.
#[test]
fn all_listed_passwords_are_rejected_and_others_at_the_stated_rate() {
    let mut random = Random::new(0x5eed);
    let made: Vec<String> =
        (LEAKED.lines().count()..1_000_000).map(|_| format!("{:016x}", random.next())).collect();
    let listed = || LEAKED.lines().chain(made.iter().map(String::as_str));
    let list = listed().fold(String::with_capacity(45_000_000), |mut list, password| {
        writeln!(list, "{}:{}\r", sha1(password), 1 + password.len()).unwrap();
        list
    });
    let stated = StatedRate { false_rejection: 0.01, characters: 12, lookups: 1 };
    let rules = [rule(Kind::Sha1, stated, &list)];
    assert_eq!(rules[0].filter.header().words, 1_000_000);
    let policy = policy(VariantRules::NONE);
    assert!(listed().all(|password| is_breached(&policy, &rules, password)));
    let strangers = 500_000;
    let rejected = (0..strangers).filter(|_| {
        let stranger = format!("other-{:016x}", random.next());
        is_breached(&policy, &rules, &stranger)
    });
    let rate = rejected.count() as f64 / f64::from(strangers);
    // One standard deviation is 1.4 % of the rate.
    assert!((0.009..0.011).contains(&rate), "{rate}");
}

fn few(kind: Kind, passwords: &[&str]) -> [OpenDictionary<Vec<u8>>; 1] {
    let digest = if kind == Kind::Sha1 { sha1 } else { ntlm };
    let list: String = passwords.iter().map(|password| digest(password) + "\n").collect();
    [rule(kind, settings(SchemeId::Whole, 0).spec.stated, &list)]
}

#[test]
fn the_typed_bytes_are_asked_for_and_the_variants_that_are_on() {
    for kind in [Kind::Sha1, Kind::Ntlm] {
        let rules = few(kind, &["elephant", "Tr0ub4dor&3", "été€𝄞"]);
        let (all, none) = (policy(VariantRules::default()), policy(VariantRules::NONE));
        for listed in ["elephant", "Tr0ub4dor&3", "été€𝄞"] {
            assert!(is_breached(&all, &rules, listed) && is_breached(&none, &rules, listed), "{listed}");
        }
        for disguised in ["Elephant", "tnahpele42!", "3L3PH4NT", "elephantelephant", "éléphant2026"] {
            assert!(is_breached(&all, &rules, disguised), "{disguised}");
            assert!(!is_breached(&none, &rules, disguised), "{disguised}");
        }
        for other in ["elephants", "tr0ub4dor&3", "TR0UB4DOR&3", "quokka"] {
            assert!(!is_breached(&all, &rules, other), "{other}");
        }
        let reversal_only = policy(VariantRules { reversed: true, ..VariantRules::NONE });
        assert!(is_breached(&reversal_only, &rules, "tnahpele"));
        assert!(!is_breached(&reversal_only, &rules, "tnahpele42!"));
    }
}

#[test]
fn a_password_too_long_for_a_word_is_asked_for_as_typed() {
    let long = "x".repeat(400);
    assert!(is_breached(&policy(VariantRules::default()), &few(Kind::Sha1, &[&long]), &long));
}

#[test]
fn the_reason_is_told_with_what_an_administrator_may_see() {
    let rules = few(Kind::Sha1, &["elephant"]);
    let transforms = |text: &str| match examine(&policy(VariantRules::default()), &rules, text) {
        Some(Finding {
            reason: Reason::Breached,
            evidence: Evidence::Digest { transforms, dictionary: 0 },
        }) => transforms.names().collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    assert_eq!(transforms("elephant"), [""; 0]);
    assert_eq!(transforms("tnahpele42!"), ["ends stripped", "reversed"]);
}
