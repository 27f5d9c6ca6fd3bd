//! Passwords that are a pattern, independent of the dictionaries: a repeated short text, runs, patterns on a
//! keyboard.

mod keyboard;
#[cfg(test)]
mod keyboard_tests;
mod layouts;
mod runs;

use nearmiss_filters::{storage::Bytes, word::Word};

use super::{
    candidate::Candidate,
    context::is_within_1,
    examination::Examination,
    finding::{Evidence, Finding},
    reason::Reason,
    variants::{MIN_LEFT_NEAR, Transforms, Variant, period},
};

/// The length of the longest text whose repetition is a pattern on its own; longer ones are looked up.
const LONGEST_PERIOD: usize = 6;

/// The highest number of characters outside runs.
const MAX_BESIDE_RUNS: usize = 2;

/// The same in a password of the letters a to z: of 100,000 times eight of them at random, 37 are two runs
/// with two letters beside them. One run with two beside it is a line on a keyboard.
const MAX_BESIDE_LETTERS: usize = 1;

/// The least length of a password whose halves may differ by an edit: in shorter ones four letters match by
/// chance.
const MIN_HALVED: usize = 10;

/// Finds candidates that repeat a short text, the last time perhaps truncated; that are one text twice,
/// except for an edit; that are runs except for few characters; or that are a pattern on a keyboard.
pub(super) fn find<D: Bytes>(candidate: &Candidate<'_>, examination: &mut Examination<'_, D>) {
    if let Some(transforms) = form(candidate) {
        let evidence = Evidence::Variant { transforms };
        examination.found(Finding { reason: Reason::Pattern, evidence });
    }
}

/// The transforms of a form that is a pattern.
fn form(candidate: &Candidate<'_>) -> Option<Transforms> {
    let rules = candidate.policy.structure;
    let is_pattern = |form: &&Variant| {
        let is_periodic = rules.repetition && form.may_match(MIN_LEFT_NEAR);
        // Accents count: without them other letters would be the same.
        let is_whole = form.transforms == Transforms::NONE;
        is_periodic && period(&form.word).is_some_and(|length| length <= LONGEST_PERIOD)
            || is_whole && rules.repetition && is_halved(&form.word)
            || is_whole && rules.sequences && are_runs(&form.word)
    };
    let on_keys = |form: &&Variant| rules.sequences && is_on_keys(form);
    let mut forms = candidate.forms().filter(|form| !form.word.is_empty());
    let mut whole = candidate.forms().filter(|form| candidate.is_mostly_whole(form));
    let found = forms.find(is_pattern).or_else(|| whole.find(on_keys));
    found.map(|form| form.transforms)
}

/// True for runs and few other characters.
fn are_runs(word: &Word) -> bool {
    let is_of_letters =
        word.len() >= keyboard::MIN_KEYS && word.as_bytes().iter().all(u8::is_ascii_lowercase);
    runs::are_all_but(word, if is_of_letters { MAX_BESIDE_LETTERS } else { MAX_BESIDE_RUNS })
}

/// True for a pattern on a keyboard; without its ends the password has nothing beside it.
fn is_on_keys(form: &Variant) -> bool {
    match form.transforms {
        Transforms::NONE => keyboard::is_pattern(&form.word, MAX_BESIDE_RUNS),
        Transforms::AFFIXES => keyboard::is_pattern(&form.word, 0),
        _ => false,
    }
}

/// True if the two halves are at most one edit apart; the middle one of an odd number of characters may
/// belong to either half.
fn is_halved(word: &Word) -> bool {
    let length = word.len();
    let half = |range| Word::from_encoded(word.slice(range)).unwrap_or_default();
    // One edit leaves the first character or the last one, which is less to compare.
    let last_before = |end: usize| word.symbol(end.wrapping_sub(1));
    let may_be =
        |&middle: &usize| word.symbol(0) == word.symbol(middle) || last_before(middle) == last_before(length);
    let mut middles = [length / 2, length.div_ceil(2)].into_iter().filter(may_be);
    length >= MIN_HALVED && middles.any(|middle| is_within_1(&half(0..middle), &half(middle..length)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::policy::{
        StructureRules,
        tests::{distance, reason_by},
    };

    fn found(rules: StructureRules, text: &str) -> bool {
        let reason = reason_by(rules, text);
        assert!(matches!(reason, None | Some(Reason::Pattern)), "{reason:?}");
        reason.is_some()
    }

    const REPETITION: StructureRules = StructureRules { repetition: true, ..StructureRules::NONE };
    const RUNS: StructureRules = StructureRules { sequences: true, ..StructureRules::NONE };

    #[test]
    fn a_short_text_again_and_again_is_a_pattern() {
        for text in
            ["aaaaaaaa", "abababab", "abababa", "Bubububu", "xyzwvuxyzwvu", "xyzwvuxyzw11", "été9été9ét"]
        {
            assert!(found(REPETITION, text) != text.ends_with("11"), "{text}");
        }
        for text in ["bubububu!", "1bubububu", "ababab2026"] {
            assert!(found(REPETITION, text), "{text}: ends stripped");
        }
        for text in ["xyzwvutxyzwvut!x", "haha1994", "abcabd", "a"] {
            assert!(!found(REPETITION, text), "{text}");
        }
        assert!(!found(RUNS, "bubububu") && !found(StructureRules::NONE, "aaaaaaaa"));
    }

    #[test]
    fn halves_that_are_alike_but_for_an_edit_are_a_pattern() {
        for text in ["xyzwvutxyzwvut", "xyzwvutxyzwut", "hunterxhunter", "loveydovey"] {
            assert!(found(REPETITION, text) && !found(StructureRules::NONE, text), "{text}");
        }
        for text in ["sasusaku", "loveydoxex", "xyzwvutxyzw", "xyzwvuvwzyx", "loveydovey42"] {
            assert!(!found(REPETITION, text), "{text}");
        }
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
        for text in ["abcdefxy", "xabcdefy", "qwertyxx", "qweasdx"] {
            assert!(found(RUNS, text), "{text}: one run, or one letter beside two");
        }
        for text in ["abcmt", "xaaay", "ककककककxy", "xककककककy", "가가가가가가xy", "ßßßßßßxy"]
        {
            assert!(found(RUNS, text), "{text}: one run that is no line on a keyboard");
        }
        for text in ["abcd1xyq", "ab12cd34", "qwxjyuio", "ertwdefq", "xqabcqwe"] {
            assert!(!found(RUNS, text), "{text}");
        }
    }

    /// By definition: a text of at most six characters, repeated and truncated.
    fn is_periodic(word: &Word) -> bool {
        let symbols: Vec<_> = word.symbols().collect();
        (1..=LONGEST_PERIOD).any(|length| {
            symbols.len() >= 2 * length
                && symbols.iter().enumerate().all(|(at, &s)| s == symbols[at % length])
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]
        /// Letters may have one letter beside several runs, and two beside a single one.
        #[test]
        fn a_run_and_any_two_letters_are_a_pattern(
            row in "abcdefghij|zyxwvutsrq|qwertyuiop|mlkjhgfdsq|azertyuiop|qwertzuiop|yxcvbnm|e{9}|か{9}|가{9}",
            start in 0..4_usize, length in 3..9_usize, beside in "[a-zé]{2}", before in 0..3_usize,
        ) {
            let run = row.chars().skip(start).take(length);
            prop_assume!(run.clone().count() >= 3);
            let text: String =
                beside.chars().take(before).chain(run).chain(beside.chars().skip(before)).collect();
            prop_assert!(found(RUNS, &text), "{}", text);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn halves_are_those_of_the_definition(
            half in "[a-cé]{4,8}", edit in "[a-c]{0,1}", at in 0_usize..8, end in "[ab]{0,1}",
        ) {
            let mut second: Vec<char> = half.chars().collect();
            second.splice(at.min(second.len())..(at + 1).min(second.len()), edit.chars());
            let text: Vec<char> = half.chars().chain(second).chain(end.chars()).collect();
            let alike = |(first, second): (&[char], &[char])| distance(first, second) <= 1;
            let middles = [text.len() / 2, text.len().div_ceil(2)];
            let expected = text.len() >= 10 && middles.iter().any(|&middle| alike(text.split_at(middle)));
            let text: String = text.into_iter().collect();
            prop_assert_eq!(is_halved(&Word::clean(text.as_bytes()).unwrap()), expected, "{}", text);
        }

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
