//! Passwords of digits only: every one of up to ten digits is tried in a moment.

use super::{candidate::Candidate, examination::Examination, finding::Finding, reason::Reason};
use crate::{
    storage::Bytes,
    word::{Symbol, Word},
};

/// Finds candidates that have only digits, and no more of them than the policy says.
pub(super) fn find<D: Bytes>(candidate: &Candidate<'_>, examination: &mut Examination<'_, D>) {
    let most = candidate.policy.structure.digits_max;
    let forms = candidate.forms().filter(|form| form.transforms.keep_all());
    if forms.map(|form| &form.word).any(|word| word.len() <= most && has_only_digits(word)) {
        examination.found(Finding::plain(Reason::Digits));
    }
}

fn has_only_digits(word: &Word) -> bool {
    let is_digit = |symbol: Symbol| symbol.character().is_some_and(|c| c.is_ascii_digit());
    !word.is_empty() && word.symbols().all(is_digit)
}

#[cfg(test)]
mod tests {
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
}
