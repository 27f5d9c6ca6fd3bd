//! Two words one of which has an edit: `silverdragxn`.

#![allow(clippy::arithmetic_side_effects, reason = "positions in a word of at most 256 characters")]

use std::ops::Range;

use crate::{
    format::Match,
    policy::{
        examination::Examination,
        finding::Evidence,
        pieces::{MIN_PART, Pieces},
        reason::Reason,
        variants::Variant,
    },
    storage::Bytes,
    word::{Symbol, Word},
};

/// Characters of the part that has the edit, at least: shorter ones are near to everything.
const MIN_EDITED: usize = 6;

/// Characters of the longest password that is asked for: longer ones have too many parts.
const MAX_ASKED: usize = 16;

/// Finds a form that has lost nothing at its ends and is a word and what is one edit away from another.
/// Every part that may have the edit is looked up, whatever the other part is, as long as there are
/// `lookups` left.
pub(super) fn find<D: Bytes>(
    form: &Variant,
    pieces: &Pieces<'_>,
    lookups: &mut usize,
    examination: &mut Examination<'_, D>,
) {
    for [edited, other] in splits(form) {
        if *lookups == 0 {
            return;
        }
        *lookups -= 1;
        let Ok(part) = Word::from_encoded(form.word.slice(edited)) else { continue };
        let is_word = pieces.is_listed(&other);
        for (number, rule) in examination.rules.iter().enumerate() {
            if rule.matching != Match::Near || !rule.is_word_list() || examination.has_failed(number) {
                continue;
            }
            let (near, asked) = examination.nearest(rule, &part, false);
            if let Some(word) = near.filter(|_| is_word).and_then(|near| near.word) {
                let mut finding = pieces.finding(Reason::TwoWords, std::slice::from_ref(&other));
                if let Evidence::Pieces { pieces, .. } = &mut finding.evidence {
                    pieces.push((Some(number), word));
                }
                examination.found(finding);
            }
            examination.answer(number, asked);
        }
    }
}

/// The part that may have an edit and the other part, of each way to read the form as two words. A letter
/// of the first stands beside the other one: a sign between words is not an edit of one.
fn splits(form: &Variant) -> Vec<[Range<usize>; 2]> {
    let length = form.word.len();
    let mut splits = Vec::new();
    let is_asked = form.transforms.keep_all() && length <= MAX_ASKED;
    for end in MIN_PART..if is_asked { (length + 1).saturating_sub(MIN_PART) } else { 0 } {
        for (split, beside) in [([0..end, end..length], end - 1), ([end..length, 0..end], end)] {
            let [edited, _] = &split;
            if edited.len() >= MIN_EDITED && form.word.symbol(beside).is_some_and(Symbol::is_letter) {
                splits.push(split);
            }
        }
    }
    splits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::variants::Transforms;

    /// By definition: every division into a part of six characters and one of three, of sixteen at most.
    #[test]
    fn every_split_of_a_word_is_asked_once() {
        for length in 0..20_usize {
            let mut expected = Vec::new();
            for edited in 6..=length.saturating_sub(3) {
                expected.push([0..edited, edited..length]);
                expected.push([length - edited..length, 0..length - edited]);
            }
            let expected = if length > 16 { Vec::new() } else { expected };
            let word = Word::clean("x".repeat(length).as_bytes()).unwrap();
            let asked = splits(&Variant { word, transforms: Transforms::NONE });
            assert_eq!(asked.len(), expected.len(), "{length}");
            assert!(expected.iter().all(|split| asked.contains(split)), "{length}");
        }
    }

    #[test]
    fn a_sign_between_words_is_not_an_edit() {
        let word = Word::clean(b"lusab-babad").unwrap();
        let asked = splits(&Variant { word, transforms: Transforms::NONE });
        assert!(asked.contains(&[0..7, 7..11]) && !asked.contains(&[0..6, 6..11]));
        assert!(asked.contains(&[4..11, 0..4]) && !asked.contains(&[5..11, 0..5]));
    }
}
