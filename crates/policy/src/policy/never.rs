//! Words that a password must not contain: the site's own, of its company, its products, its streets.
//!
//! Each word is searched for in each variant of the candidate; words of [`MIN_NEAR`] or more characters with
//! up to one edit. The search is that of Wu & Manber (*Fast Text Searching Allowing Errors*, CACM 35 (1992)):
//! one bit for each character of the word, and so a few operations for each character of the variant. Every
//! word is searched for in every variant, even after a finding.

#![allow(clippy::arithmetic_side_effects, reason = "counts of at most 1,000 words of at most 64 characters")]

use nearmiss_filters::{
    storage::Bytes,
    word::{Symbol, Word, spelt, without_accents},
};

use super::{
    candidate::Candidate,
    examination::Examination,
    finding::{Evidence, Finding},
    reason::Reason,
};

/// The length from which one edit is allowed.
const MIN_NEAR: usize = 6;

/// Finds candidates of which a variant contains one of the words.
pub(super) fn find<D: Bytes>(candidate: &Candidate<'_>, examination: &mut Examination<'_, D>) {
    for word in candidate.policy.never.iter() {
        for form in [without_accents(word), spelt(word)].iter().flatten().chain([word]) {
            let pattern = Pattern::new(form);
            for variant in candidate.variants().iter().filter(|variant| pattern.is_in(&variant.word)) {
                let pieces = vec![(None, word.clone())];
                let evidence = Evidence::Pieces { transforms: variant.transforms, pieces };
                examination.found(Finding { reason: Reason::ForbiddenWord, evidence });
            }
        }
    }
}

/// A word to search for.
struct Pattern<'w> {
    word: &'w Word,
    /// The positions of each ASCII character in the word, a bit each.
    ascii: [u64; 128],
}

impl Pattern<'_> {
    fn new(word: &Word) -> Pattern<'_> {
        let mut ascii = [0; 128];
        for (symbol, at) in word.symbols().zip(0_u32..) {
            if let Some(places) = ascii.get_mut(symbol.value() as usize) {
                *places |= 1_u64 << at;
            }
        }
        Pattern { word, ascii }
    }

    fn places(&self, symbol: Symbol) -> u64 {
        self.ascii.get(symbol.value() as usize).copied().unwrap_or_else(|| {
            let places = self.word.symbols().zip(0_u32..).filter(|&(own, _)| own == symbol);
            places.fold(0, |all, (_, at)| all | 1 << at)
        })
    }

    /// True when some part of the text is the word, or one edit away from a word long enough for that.
    fn is_in(&self, text: &Word) -> bool {
        let length = self.word.len();
        let end = 1_u64 << (length - 1);
        let with_edit = if length < MIN_NEAR { 0 } else { u64::MAX };
        // Bit n: the first n + 1 characters of the word end here, as they are and with at most one edit.
        let (mut exact, mut near) = (0_u64, 1_u64);
        let mut found = 0;
        for symbol in text.symbols() {
            let places = self.places(symbol);
            let before = exact;
            exact = (before << 1 | 1) & places;
            // The character itself; one too many in the text; a different one; one too few.
            near = (near << 1 | 1) & places | before | before << 1 | exact << 1 | 1;
            found |= (exact | near & with_edit) & end;
        }
        found != 0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::policy::{
        Context, NeverWords, Policy, StructureRules, VariantRules,
        tests::{distance, reason},
        variants,
    };

    fn policy(words: &[&str], variants: VariantRules) -> Policy {
        let mut never = NeverWords::default();
        for word in words {
            never.add(word.as_bytes()).unwrap();
        }
        Policy { min_length: 1, never, variants, structure: StructureRules::NONE, ..Policy::default() }
    }

    fn is_rejected(policy: &Policy, password: &str) -> bool {
        let reason = reason(policy, password.as_bytes(), &Context::default());
        assert!(matches!(reason, None | Some(Reason::ForbiddenWord)), "{reason:?}");
        reason.is_some()
    }

    #[test]
    fn words_of_other_scripts_are_found_within_a_password() {
        let policy =
            policy(&["пароль", "密码学校", "\u{10400}\u{10401}\u{10402}\u{10403}"], VariantRules::NONE);
        for password in
            ["мой пароль 1", "мой пакроль 1", "我的密码学校x", "x\u{10400}\u{10401}\u{10402}\u{10403}"]
        {
            assert!(is_rejected(&policy, password), "{password}");
        }
        for password in ["мой поезд 1", "мой рапорт 1", "我的密码校x", "校学码密"] {
            assert!(!is_rejected(&policy, password), "{password}");
        }
    }

    #[test]
    fn a_word_is_found_anywhere_and_in_every_disguise() {
        let policy = policy(&["acme", "Contoso", "Zürich"], VariantRules::default());
        for password in [
            "xkq9acmeQz7w",
            "4cm3-Vq7mzt0L",
            "Vq7mzt0Lemca",
            "Vq7m3mc4zt0L",
            "AcmE",
            "xkCont0s0qzvw7",
            "xkcontozoqzvw7",
            "xkcntosoqzvw7",
            "xkconto-soqzvw7",
            "qzvwosotnocqzvw",
            "lake of zürich!",
            "lake of zurich!",
            "lake of zurih!",
            "ａｃｍｅ of yore",
        ] {
            assert!(is_rejected(&policy, password), "{password}");
        }
        for password in ["xkq9acneQz7w", "xkcotosqzvw7", "ac-me", "lake of zrih!", "qzvw", ""] {
            assert!(password.is_empty() || !is_rejected(&policy, password), "{password}");
        }
        assert!(!is_rejected(&Policy { never: NeverWords::default(), ..policy }, "xkq9acmeQz7w"));
    }

    /// A letter that is repeated in the word matches several of the ways at once.
    #[test]
    fn a_word_of_two_letters_is_found_with_every_edit() {
        for bits in 0_u32..64 {
            let word: String = (0..6).map(|at| if bits >> at & 1 == 0 { 'a' } else { 'b' }).collect();
            let clean = |text: &str| Word::clean(text.as_bytes()).unwrap();
            let cleaned = clean(&word);
            let pattern = Pattern::new(&cleaned);
            for at in 0..=word.len() {
                let (before, after) = word.split_at(at);
                for rest in [Some(after), after.get(1..)].into_iter().flatten() {
                    for letter in ["", "a", "b", "c"] {
                        let text = format!("x{before}{letter}{rest}y");
                        assert!(pattern.is_in(&clean(&text)), "{word} in {text}");
                    }
                }
            }
        }
    }

    /// By definition: some part of some variant is the word, or one edit away from one of six characters.
    fn contains(variant: &str, word: &str) -> bool {
        let [variant, word] = [variant, word].map(|text| text.chars().collect::<Vec<char>>());
        let most = usize::from(word.len() >= 6);
        let parts =
            (0..=variant.len()).flat_map(|start| (start..=variant.len()).map(move |end| (start, end)));
        parts.into_iter().any(|(start, end)| distance(&variant[start..end], &word) <= most)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn what_is_found_is_what_the_definition_says(
            word in "[abé]{4,8}", password in "[abé31!]{0,12}", put in any::<bool>(), at in 0_usize..12,
        ) {
            let mut password: Vec<char> = password.chars().collect();
            if put {
                let at = at.min(password.len());
                password.splice(at..at, word.chars());
            }
            let password: String = password.into_iter().collect();
            prop_assume!(!password.is_empty());
            let rules = VariantRules::default();
            let variants = variants::of(Word::clean(password.as_bytes()).unwrap(), rules);
            let forms = [word.clone(), word.replace('é', "e")];
            let expected = variants.iter().any(|variant| {
                forms.iter().any(|form| contains(&variant.word.to_text(), form))
            });
            let found = is_rejected(&policy(&[&word], rules), &password);
            prop_assert_eq!(found, expected, "{} {}", word, password);
        }
    }
}
