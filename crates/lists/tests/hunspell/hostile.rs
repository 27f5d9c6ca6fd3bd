//! Files that are made to take time and memory.

use super::affixes;
use nearmiss_lists::hunspell::{Affixes, MAX_FORMS, MAX_RULES, MAX_STEM, MAX_TRIALS};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::fmt::Write;

/// `rules` suffixes with the flag `A`, each of which can follow itself, and as many prefixes.
fn explosive(rules: usize, condition: &str) -> String {
    let mut aff = format!("SFX A Y {rules}\n");
    (0..rules).for_each(|at| writeln!(aff, "SFX A 0 {at}/A {condition}").unwrap());
    writeln!(aff, "PFX A Y {rules}").unwrap();
    (0..rules).for_each(|at| writeln!(aff, "PFX A 0 {at}/A {condition}").unwrap());
    aff
}

#[test]
fn the_forms_of_one_entry_are_limited() {
    let affixes = affixes(&explosive(400, "."));
    let mut given = 0;
    let expansion = affixes.expand("x/A", &mut |_| given += 1);
    assert_eq!((expansion.forms, expansion.limited, given), (MAX_FORMS, true, MAX_FORMS));
}

#[test]
fn trials_are_limited() {
    // Each of the first affixes applies and gives no word, and can be followed by each of the second, of
    // which none applies.
    let (first, second) = (2000, 2000);
    let mut aff = format!("NEEDAFFIX N\nSFX A Y {first}\n");
    (0..first).for_each(|_| aff.push_str("SFX A 0 a/BN .\n"));
    writeln!(aff, "SFX B Y {second}").unwrap();
    (0..second).for_each(|_| aff.push_str("SFX B 0 b z\n"));
    assert!(first * second > MAX_TRIALS);
    let expansion = affixes(&aff).expand("x/A", &mut |_| ());
    assert_eq!((expansion.forms, expansion.limited), (1, true));
}

/// Rules that are passed over for their flags take time too.
#[test]
fn rules_that_are_passed_over_count_as_trials() {
    let (first, second) = (2000, 2000);
    for flags in ["N", "C", "O"] {
        let mut aff = format!("NEEDAFFIX N\nCIRCUMFIX C\nONLYINCOMPOUND O\nSFX A Y {first}\n");
        (0..first).for_each(|_| aff.push_str("SFX A 0 a/BN .\n"));
        writeln!(aff, "SFX B Y {second}").unwrap();
        (0..second).for_each(|_| writeln!(aff, "SFX B 0 b/{flags} .").unwrap());
        let expansion = affixes(&aff).expand("x/A", &mut |_| ());
        assert_eq!((expansion.forms, expansion.limited), (1, true), "{flags}");
    }
}

#[test]
fn rules_are_limited() {
    let mut aff = format!("SFX A Y {}\n", MAX_RULES + 1);
    (0..=MAX_RULES).for_each(|_| aff.push_str("SFX A 0 a z\n"));
    let affixes = Affixes::parse(aff.as_bytes()).unwrap();
    assert_eq!((affixes.rules(), affixes.limited()), (MAX_RULES, true));
}

#[test]
fn a_long_stem_is_given_alone() {
    let affixes = affixes("SFX A Y 1\nSFX A 0 s .\n");
    let (longest, longer) = ("x".repeat(MAX_STEM), "x".repeat(MAX_STEM + 1));
    let of = |stem: &str| affixes.expand(&format!("{stem}/A"), &mut |_| ());
    assert_eq!((of(&longest).forms, of(&longest).limited), (2, false));
    assert_eq!((of(&longer).forms, of(&longer).limited), (1, true));
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(11),
        ..ProptestConfig::default()
    })]

    /// Pieces of the format in any order neither stop the reader nor make it give more than it may.
    #[test]
    fn anything_is_read(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "SFX ", "PFX ", "A ", "B ", "Y ", "N ", "1 ", "2 ", "0 ", "0/A ", "é/AB ", "[^", "]", ".",
            "\n", "\n",
            "FLAG num\n", "FLAG long\n", "AF 1\n", "AF AB\n", "FULLSTRIP\n",
            "COMPLEXPREFIXES\n", "IGNORE é\n",
            "NEEDAFFIX A\n", "CIRCUMFIX B\n", "SET UTF-8\n", "# ", "\u{feff}", "SFX A Y 1\nSFX A é 0/AB .\n",
        ]), 0..40),
        entry in "[aé/\\\\AB1 \t:#,]{0,12}",
    ) {
        let aff: String = pieces.concat();
        if let Ok(affixes) = Affixes::parse(aff.as_bytes()) {
            let mut given = 0;
            let expansion = affixes.expand(&entry, &mut |word| {
                given += 1;
                assert!(!word.is_empty());
            });
            prop_assert_eq!(expansion.forms, given);
        }
    }
}
