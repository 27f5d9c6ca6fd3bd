//! Passwords of digits only, and of a number and few letters: all of up to ten digits, or of nine such
//! characters, are tried in a moment.

use nearmiss_filters::{
    storage::Bytes,
    word::{Symbol, Word},
};

use super::{candidate::Candidate, examination::Examination, finding::Finding, reason::Reason};

/// The number of letters that do not make a number stronger.
const MAX_LETTERS: usize = 3;

/// The length of a number with its letters: all of these are tried in a moment, too.
const MAX_WITH_LETTERS: usize = 9;

/// Finds candidates of digits only, up to the policy's limit.
pub(super) fn find<D: Bytes>(candidate: &Candidate<'_>, examination: &mut Examination<'_, D>) {
    let most = candidate.policy.structure.digits_max;
    let forms = candidate.forms().filter(|form| form.transforms.keep_all());
    if forms.map(|form| &form.word).any(|word| word.len() <= most && has_only_digits(word)) {
        examination.found(Finding::plain(Reason::Digits));
    }
}

/// Finds candidates that are a number with one to three letters before or after it, nine characters at most.
pub(super) fn find_few_letters<D: Bytes>(candidate: &Candidate<'_>, examination: &mut Examination<'_, D>) {
    let forms = candidate.forms().filter(|form| form.transforms.keep_all());
    let is_number = forms.map(|form| &form.word).any(has_few_letters);
    if is_number && candidate.policy.structure.few_letters {
        examination.found(Finding::plain(Reason::FewLetters));
    }
}

fn has_few_letters(word: &Word) -> bool {
    let is_letter = |symbol: &Symbol| symbol.is_letter();
    let is_digit = |symbol: &Symbol| is_digit(*symbol);
    let mut rest = word.symbols().peekable();
    let mut count = |is_next: &dyn Fn(&Symbol) -> bool| std::iter::from_fn(|| rest.next_if(is_next)).count();
    let [before, digits, behind] = [count(&is_letter), count(&is_digit), count(&is_letter)];
    let letters = before.saturating_add(behind);
    digits > 0
        && (1..=MAX_LETTERS).contains(&letters)
        && digits.saturating_add(letters) == word.len()
        && word.len() <= MAX_WITH_LETTERS
}

fn has_only_digits(word: &Word) -> bool {
    !word.is_empty() && word.symbols().all(is_digit)
}

fn is_digit(symbol: Symbol) -> bool {
    symbol.character().is_some_and(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::policy::{Context, Policy, StructureRules, tests::reason};

    #[test]
    fn digits_alone_are_rejected_up_to_the_limit() {
        let reason = |digits_max, text: &str| {
            let structure = StructureRules { digits_max, ..StructureRules::NONE };
            let policy = Policy { min_length: 1, structure, ..Policy::default() };
            reason(&policy, text.as_bytes(), &Context::default())
        };
        for text in ["7", "77117711", "9081726354", "９０８１"] {
            assert_eq!(reason(10, text), Some(Reason::Digits), "{text}");
            assert_eq!(reason(0, text), None, "{text}");
        }
        for text in ["90817263540", "7711771a", "7711-7711", "+49301234"] {
            assert_eq!(reason(10, text), None, "{text}");
        }
        assert_eq!(reason(11, "90817263540"), Some(Reason::Digits));
    }

    #[test]
    fn a_number_and_one_to_three_letters_are_rejected_up_to_nine_characters() {
        let found = |few_letters, text: &str| {
            let structure = StructureRules { few_letters, ..StructureRules::NONE };
            let policy = Policy { min_length: 1, structure, ..Policy::default() };
            reason(&policy, text.as_bytes(), &Context::default())
        };
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

    proptest! {
        #[test]
        fn few_letters_are_those_of_the_definition(text in "[a-cé]{0,4}[0-9-]{0,9}[a-c]{0,4}") {
            let characters: Vec<char> = text.chars().collect();
            let letters = characters.iter().filter(|c| c.is_alphabetic()).count();
            let digits = characters.len() - letters;
            let number: Vec<char> = characters.iter().copied().filter(|c| !c.is_alphabetic()).collect();
            let is_together = text.contains(&number.iter().collect::<String>());
            let expected = digits > 0 && (1..=3).contains(&letters) && letters + digits <= 9
                && is_together && number.iter().all(char::is_ascii_digit);
            let word = Word::clean(text.as_bytes()).unwrap();
            prop_assert_eq!(has_few_letters(&word), expected, "{}", text);
        }
    }
}
