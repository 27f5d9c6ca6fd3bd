//! Passwords of a few letters and a number: of nine characters with at most three letters; of up to five
//! letters and a date; of up to six letters and a usual run of digits. Han, kana and Hangul count twice, as
//! in the length: each is a choice of thousands. Letters of mixed case are many more texts, and few people
//! choose one.

use std::ops::RangeInclusive;

use nearmiss_filters::{
    storage::Bytes,
    word::{Symbol, Word},
};

use super::{
    candidate::Candidate,
    examination::Examination,
    finding::Finding,
    length::is_syllable,
    number::{Number, digit},
    reason::Reason,
};

/// The number of letters next to any number.
const BESIDE_ANY: RangeInclusive<usize> = 1..=3;

/// The greatest length of any number with its letters: all of these are tried in a moment.
const MAX_WITH_ANY: usize = 9;

/// The number of letters next to a date: 2²³ texts of five letters, and 2¹⁵ dates.
const BESIDE_DATE: RangeInclusive<usize> = 1..=5;

/// The number of letters next to a usual run: 2²⁸ texts of six letters, and some hundred runs.
const BESIDE_RUN: RangeInclusive<usize> = 1..=6;

/// The highest number of special characters around a date or a run and between it and the letters.
const MAX_SPECIAL: usize = 2;

/// Finds candidates that are a few letters before, behind or around a number.
pub(super) fn find<D: Bytes>(candidate: &Candidate<'_>, examination: &mut Examination<'_, D>) {
    if !candidate.policy.structure.few_letters {
        return;
    }
    let mut forms = candidate.forms().filter(|form| form.transforms.keep_all());
    if forms.any(|form| has_few_letters(&form.word)) && has_usual_case(candidate.password) {
        examination.found(Finding::plain(Reason::FewLetters));
    }
}

fn has_few_letters(word: &Word) -> bool {
    let is_digit = |symbol| digit(symbol).is_some();
    let (Some(first), Some(last)) = (word.symbols().position(is_digit), word.symbols().rposition(is_digit))
    else {
        return false;
    };
    let count = |is_counted: fn(&Symbol) -> bool| word.symbols().filter(is_counted).count();
    let written = count(|symbol| symbol.is_letter());
    let letters = written.saturating_add(count(|symbol| symbol.character().is_some_and(is_syllable)));
    if !BESIDE_RUN.contains(&letters) {
        return false;
    }
    let before = word.symbols().take(first).filter(|symbol| symbol.is_letter()).count();
    let is_at_one_end = before == 0 || before == written;
    let number = word.symbols().take(last.saturating_add(1)).skip(first);
    let outside = word.len().saturating_sub(number.len());
    let special = outside.saturating_sub(written);
    let Some(number) = Number::read(number) else { return false };
    let is_any = BESIDE_ANY.contains(&letters) && word.len() <= MAX_WITH_ANY;
    special == 0 && is_any && number.undivided().is_some()
        || special <= MAX_SPECIAL
            && has_only_characters(word)
            && (BESIDE_DATE.contains(&letters) && number.is_date() || is_at_one_end && number.is_usual_run())
}

/// True if all letters but the first have one case: people write `anna`, `Anna` and `ANNA`, and `aNNA` with
/// Caps Lock. Letters beyond ASCII have no case here: its tables take 3 KB of the module.
fn has_usual_case(password: &[u8]) -> bool {
    let mut rest = password.iter().filter(|byte| byte.is_ascii_alphabetic()).skip(1);
    let is_lower = rest.next().is_some_and(u8::is_ascii_lowercase);
    rest.all(|letter| letter.is_ascii_lowercase() == is_lower)
}

/// False where a byte is no character.
fn has_only_characters(word: &Word) -> bool {
    std::str::from_utf8(word.as_bytes()).is_ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::policy::{StructureRules, tests::reason_by};

    fn found(few_letters: bool, text: &str) -> Option<Reason> {
        reason_by(StructureRules { few_letters, ..StructureRules::NONE }, text)
    }

    #[test]
    fn a_number_and_one_to_three_letters_are_rejected_up_to_nine_characters() {
        for text in ["x90817263", "90817263X", "xq908172", "x908172q", "xqé908172", "908172xqz", "xq908172z"]
        {
            assert_eq!(found(true, text), Some(Reason::FewLetters), "{text}");
            assert_eq!(found(false, text), None, "{text}");
        }
        for text in ["x908172635", "xqzv9081", "x9081q726", "9081x7263", "x-9081726", "90817263!", "xqz", ""]
        {
            assert!(text.is_empty() || found(true, text).is_none(), "{text}");
        }
    }

    #[test]
    fn few_letters_and_a_date_or_a_usual_run_are_rejected() {
        for text in [
            "xqzv1990",
            "1990xqzv",
            "xqzvb1990",
            "xqzv24121990",
            "xqzv-24.12.90",
            "Xqzv1990!",
            "xq1990zv",
            "xqzvb123",
            "xqzvbn123",
            "xqzvbn4321",
            "xqzvbn777",
            "!xqzv1234!",
            "xqz_1990-12",
            "241290xqzv",
            "éqzv1990",
            "구름1990",
        ] {
            assert_eq!(found(true, text), Some(Reason::FewLetters), "{text}");
            assert_eq!(found(false, text), None, "{text}");
        }
        for text in [
            "xqzv1889",
            "xqzvbn1990",
            "xqzvb9071",
            "xqzvbnm123",
            "xqzvbn129",
            "!xqzv!1234!",
            "xqzv4971",
            "xqzv12",
            "xq1zv2",
            "일곱구름1990",
            "xqzv1990x1990",
            "xqz123xqz",
        ] {
            assert_eq!(found(true, text), None, "{text}");
        }
    }

    #[test]
    fn letters_of_mixed_case_are_not_few() {
        for text in ["anna1990", "Anna1990", "ANNA1990", "aNNA1990", "Xq908172z", "éQA90817", "АнНа1990"]
        {
            assert_eq!(found(true, text), Some(Reason::FewLetters), "{text}");
        }
        for text in ["aNnA1990", "anNA1990", "xq908172Z", "Lq13126T", "éqaB9081", "annA123"] {
            assert_eq!(found(true, text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn few_letters_and_any_number_are_those_of_the_definition(
            text in "[a-cé]{0,4}[03468-]{0,9}[a-c]{0,4}",
        ) {
            let characters: Vec<char> = text.chars().collect();
            let letters = characters.iter().filter(|c| c.is_alphabetic()).count();
            let digits = characters.len() - letters;
            let number: Vec<char> = characters.iter().copied().filter(|c| !c.is_alphabetic()).collect();
            let is_together = text.contains(&number.iter().collect::<String>());
            let is_any = digits > 0 && (1..=3).contains(&letters) && letters + digits <= 9
                && is_together && number.iter().all(char::is_ascii_digit);
            let word = Word::clean(text.as_bytes()).unwrap();
            let core = text.trim_matches(|c: char| !c.is_ascii_digit());
            let number = Number::read(core.chars().map(Symbol::of));
            let split = text.split_once(core).filter(|_| !core.is_empty());
            let has_none = |side: &str| !side.chars().any(char::is_alphabetic);
            let is_at_one_end = split.is_some_and(|(before, behind)| has_none(before) || has_none(behind));
            let is_known = number.is_some_and(|number| {
                number.is_date() && letters <= 5 || is_at_one_end && number.is_usual_run()
            });
            let signs = characters.len() - letters - core.chars().count();
            let expected = is_any || is_known && (1..=6).contains(&letters) && signs <= 2;
            prop_assert_eq!(has_few_letters(&word), expected, "{}", text);
        }
    }
}
