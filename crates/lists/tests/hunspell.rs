//! The forms of generated dictionaries against a naive expansion, and of written ones against lists of words.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "tests"
)]

#[path = "hunspell/fixtures.rs"]
mod fixtures;
#[path = "hunspell/hostile.rs"]
mod hostile;
#[path = "hunspell/naive.rs"]
mod naive;
#[path = "hunspell/recognition.rs"]
mod recognition;
#[path = "hunspell/written.rs"]
mod written;

use naive::{Model, entry_of, model};
use nearmiss_lists::hunspell::Affixes;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::collections::BTreeSet;

/// The words of `entry`, each once.
fn words(affixes: &Affixes, entry: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    let mut given = 0;
    let expansion = affixes.expand(entry, &mut |word| {
        given += 1;
        words.insert(word.to_owned());
    });
    assert_eq!(expansion.forms, given, "{entry}");
    words
}

/// The `.aff` file `text`, which must be read whole.
fn affixes(text: &str) -> Affixes {
    let affixes = Affixes::parse(text.as_bytes()).unwrap();
    assert_eq!((affixes.skipped(), affixes.limited()), (0, false), "{text}");
    affixes
}

fn set<const N: usize>(words: [&str; N]) -> BTreeSet<String> {
    words.into_iter().map(str::to_owned).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(7),
        ..ProptestConfig::default()
    })]

    #[test]
    fn forms_are_those_of_the_naive_expansion(model in model(), entry in entry_of()) {
        let aff = model.text();
        let affixes = affixes(&aff);
        let line = model.line(&entry);
        prop_assert_eq!(words(&affixes, &line), naive::forms(&model, &entry), "{}\n{}", aff, line);
    }
}

/// The property above is about something: its files give each number of affixes and use each special flag.
#[test]
fn generated_files_give_forms_of_every_depth() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::{Config, TestRunner};
    let mut runner = TestRunner::new(Config { rng_seed: RngSeed::Fixed(7), ..Config::default() });
    let mut depths = [0_usize; 4];
    for _ in 0..2000 {
        let (model, entry): (Model, _) = (model(), entry_of()).new_tree(&mut runner).unwrap().current();
        for (at, forms) in naive::forms_by_depth(&model, &entry).iter().enumerate() {
            depths[at] += usize::from(!forms.is_empty());
        }
    }
    assert!(depths.iter().all(|&files| files >= 50), "{depths:?}");
}
