use super::*;
use crate::policy::{Context, tests::reason};

/// A password that each rule rejects with the others switched off.
fn example(key: &str) -> &'static str {
    match key {
        "min_length" => "vq7mz-r",
        "two_words" => "dragonmaster",
        "digits_max" => "9081726354",
        "repetition" => "xyzwvuxyzwvu",
        "sequences" => "qwertyuiop",
        "distance_2" => "alig12tsers",
        "word_plus_few" | "substring" => "dragonxq7",
        "few_letters" => "xq9081726",
        "user" => "someuser1",
        "gecos" => "zwiebelkorn",
        "host" => "w0rkbench",
        "old_password" => "Tr0ub4dor1",
        _ => panic!("{key} has no example"),
    }
}

/// A rule of the wrong kind would be enforced at the level of another part of the site.
#[test]
fn each_rule_has_its_reason_and_rejects_by_itself_unless_it_looks_words_up() {
    let context = Context {
        user: b"someuser",
        gecos: b"Anna Zwiebelkorn",
        host: b"workbench.example.org",
        old_password: Some(b"Tr0ub4dor"),
        ..Context::default()
    };
    for rule in RULES.iter().filter(|rule| rule.section != Section::Variants) {
        let password = example(rule.key).as_bytes();
        let mut policy = Policy { variants: Policy::all().variants, ..Policy::none() };
        assert_eq!(reason(&policy, password, &context), None, "{}", rule.key);
        rule.switch_on(&mut policy);
        let expected = rule.reason.filter(|_| !rule.looks_up);
        assert_eq!(reason(&policy, password, &context), expected, "{}", rule.key);
        assert_eq!(reason(&policy.lookups_only(), password, &context), None, "{}", rule.key);
        rule.switch_off(&mut policy);
        assert_eq!(reason(&policy, password, &context), None, "{}", rule.key);
        assert!(rule.reason.is_some_and(|reason| Reason::ALL.contains(&reason)), "{}", rule.key);
    }
}

/// An administrator who looks up a reason finds the keys that switch it off.
#[test]
fn the_troubleshooting_page_has_each_key_beside_the_reason() {
    let page = include_str!("../../../../../docs/troubleshoot.md");
    for (rule, reason) in RULES.iter().filter_map(|rule| Some((rule, rule.reason?))) {
        let start = format!("| `{}` |", reason.code());
        let mut rows = page.lines().filter(|line| line.starts_with(&start));
        assert!(rows.any(|row| row.contains(rule.key)), "{}: {}", rule.key, reason.code());
    }
}

#[test]
fn the_rules_are_all_fields_of_a_policy() {
    let switched = |change: fn(&Rule, &mut Policy), mut policy: Policy| {
        for rule in &RULES {
            change(rule, &mut policy);
        }
        policy
    };
    assert_eq!(switched(Rule::switch_off, Policy::all()), Policy::none());
    assert_eq!(switched(Rule::set_default, Policy::all()), Policy::default());
    // A field without a row is never on.
    let shown = format!("{:?}", Policy::all());
    assert!(![": false", ": 0,", ": Off"].iter().any(|off| shown.contains(off)), "{shown}");
}
