//! Passwords that are a pattern whatever the dictionaries hold: a short text again and again, and runs.

mod runs;

use super::{
    candidate::Candidate,
    examination::Examination,
    finding::{Evidence, Finding},
    reason::Reason,
    variants::{MIN_LEFT_NEAR, Transforms, Variant, period},
};
use crate::storage::Bytes;

/// Characters of the longest text whose repetition is a pattern by itself; longer ones are looked up.
const LONGEST_PERIOD: usize = 6;

/// Characters that need not belong to a run.
const MAX_BESIDE_RUNS: usize = 2;

/// Finds candidates that are a short text at least twice, the last time perhaps cut, and those that are runs
/// but for two characters.
pub(super) fn find<D: Bytes>(candidate: &Candidate<'_>, examination: &mut Examination<'_, D>) {
    let rules = candidate.policy.structure;
    let is_pattern = |form: &&Variant| {
        let is_periodic = rules.repetition && form.may_match(MIN_LEFT_NEAR);
        is_periodic && period(&form.word).is_some_and(|length| length <= LONGEST_PERIOD)
            || rules.runs
                && form.transforms == Transforms::NONE
                && runs::are_all_but(&form.word, MAX_BESIDE_RUNS)
    };
    if let Some(form) = candidate.forms().filter(|form| !form.word.is_empty()).find(is_pattern) {
        let evidence = Evidence::Variant { transforms: form.transforms };
        examination.found(Finding { reason: Reason::Pattern, evidence });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        policy::{Context, Policy, StructureRules, tests::reason},
        word::Word,
    };

    fn found(rules: StructureRules, text: &str) -> bool {
        let policy = Policy { min_length: 1, structure: rules, ..Policy::default() };
        let reason = reason(&policy, text.as_bytes(), &Context::default());
        assert!(matches!(reason, None | Some(Reason::Pattern)), "{reason:?}");
        reason.is_some()
    }

    const REPETITION: StructureRules = StructureRules { repetition: true, ..StructureRules::NONE };
    const RUNS: StructureRules = StructureRules { runs: true, ..StructureRules::NONE };

    #[test]
    fn a_short_text_again_and_again_is_a_pattern() {
        for text in
            ["aaaaaaaa", "abababab", "abababa", "Bubububu", "xyzwvuxyzwvu", "xyzwvuxyzwv1", "été9été9ét"]
        {
            assert!(found(REPETITION, text) != text.ends_with("v1"), "{text}");
        }
        for text in ["bubububu!", "1bubububu", "ababab2026"] {
            assert!(found(REPETITION, text), "{text}: ends stripped");
        }
        for text in ["xyzwvutxyzwvut", "haha1994", "abcabd", "a"] {
            assert!(!found(REPETITION, text), "{text}");
        }
        assert!(!found(RUNS, "bubububu") && !found(StructureRules::NONE, "aaaaaaaa"));
    }

    #[test]
    fn runs_but_for_two_characters_are_a_pattern() {
        for text in [
            "abcdefgh",
            "87654321",
            "qwertzui",
            "QWERTYuiop",
            "azertyui",
            "aaaabbbb",
            "abc123xy",
            "1472583",
            "mnbvcxy!",
        ] {
            assert!(found(RUNS, text), "{text}");
        }
        for text in ["abcd1xyq", "ab12cd34", "qwxjyuio"] {
            assert!(!found(RUNS, text), "{text}");
        }
    }

    /// By definition: some text of at most six characters, repeated and cut.
    fn is_periodic(word: &Word) -> bool {
        let symbols: Vec<_> = word.symbols().collect();
        (1..=LONGEST_PERIOD).any(|length| {
            symbols.len() >= 2 * length
                && symbols.iter().enumerate().all(|(at, &s)| s == symbols[at % length])
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn periods_are_those_of_the_definition(
            part in "[abé]{1,8}", times in 0_usize..5, cut in 0_usize..9, end in "[ab]{0,2}",
        ) {
            let cut_part = part.chars().take(cut);
            let text: String = part.repeat(times).chars().chain(cut_part).chain(end.chars()).collect();
            let word = Word::clean(text.as_bytes()).unwrap();
            let short = period(&word).is_some_and(|length| length <= LONGEST_PERIOD);
            prop_assert_eq!(short, is_periodic(&word), "{}", text);
        }
    }
}
