//! Two words one of which has an edit: `silverdragxn`.

#![allow(clippy::arithmetic_side_effects, reason = "positions in a word of at most 256 characters")]

use std::ops::Range;

use nearmiss_filters::{
    format::Match,
    storage::Bytes,
    word::{Symbol, Word},
};

use super::typed::Typed;
use crate::policy::{
    examination::Examination,
    finding::Evidence,
    pieces::{MIN_PART, Pieces},
    reason::Reason,
    variants::{Transforms, Variant},
};

/// The least length of the part with the edit: shorter ones are near to everything.
const MIN_EDITED: usize = 6;

/// The length of the longest password that is examined: three words without anything between them are often
/// two, one of which has an edit.
const MAX_LENGTH: usize = 12;

/// Finds a candidate, typed as `text`, that is a word next to a string one edit away from another.
/// Every part that may have the edit is looked up, independent of the other part, as long as `lookups` are
/// left.
pub(super) fn find<D: Bytes>(
    text: &[u8],
    pieces: &Pieces<'_>,
    lookups: &mut usize,
    examination: &mut Examination<'_, D>,
) {
    let form = pieces.form;
    let typed = Typed::new(text, &form.word, &form.word);
    for [edited, other] in splits(form) {
        if typed.as_ref().is_some_and(|typed| !typed.is_like_a_word(&edited)) {
            continue;
        }
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
            let mut near = None;
            let result = rule.filter.visit(&part, false, &mut examination.buffers, &mut |found| {
                near.get_or_insert(found);
                false
            });
            if let Some(word) = near.filter(|_| is_word).and_then(|near| near.word) {
                let mut finding = pieces.finding(Reason::TwoWords, std::slice::from_ref(&other));
                if let Evidence::Pieces { pieces, .. } = &mut finding.evidence {
                    pieces.push((Some(number), word));
                }
                examination.found(finding);
            }
            examination.result(number, result);
        }
    }
}

/// The part that may have an edit and the other part, of each way to read the form as two words. A separator
/// between words is not an edit of one of them: if a separator cuts off a single letter of a word, it divides
/// the words (`lulal-lamas` is not `lula` and `llamas`).
fn splits(form: &Variant) -> Vec<[Range<usize>; 2]> {
    let length = form.word.len();
    let symbol = |at| form.word.symbol(at);
    let is_letter = |at| symbol(at).is_some_and(Symbol::is_letter);
    let is_sign = |at| symbol(at).and_then(Symbol::character).is_some_and(|c| !c.is_alphanumeric());
    let mut splits = Vec::new();
    let is_examined = form.transforms == Transforms::NONE && length <= MAX_LENGTH;
    for end in MIN_PART..if is_examined { (length + 1).saturating_sub(MIN_PART) } else { 0 } {
        let both = [([0..end, end..length], end - 1, end - 2), ([end..length, 0..end], end, end + 1)];
        for (split, beside, next) in both {
            let [edited, _] = &split;
            if edited.len() >= MIN_EDITED && is_letter(beside) && !is_sign(next) {
                splits.push(split);
            }
        }
    }
    splits
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::policy::{
        examination::{Ladders, OpenDictionary},
        small_filters::bytes_of,
    };
    use nearmiss_filters::{dictionary::DictionaryFilter, format::SchemeId};

    fn form(text: &[u8]) -> Variant {
        Variant { word: Word::clean(text).unwrap(), transforms: Transforms::NONE }
    }

    /// A filter of which no page can be read.
    struct Unreadable(Vec<u8>);

    impl Bytes for Unreadable {
        fn bytes(&self) -> &[u8] {
            &self.0
        }

        fn populate(&self, _range: Range<usize>) -> io::Result<()> {
            Err(io::Error::other("unreadable"))
        }
    }

    /// The number of lookups left, and how often a dictionary failed.
    fn find_in(rules: &[OpenDictionary<Unreadable>], lookups: usize) -> (usize, usize) {
        let (form, mut left) = (form(b"silverdragon"), lookups);
        let [mut of_none, mut examination] = [&[], rules].map(|it| Examination::new(it, Ladders::default()));
        let pieces = Pieces::look_up(&form, Vec::new(), &mut of_none);
        find(b"silverdragon", &pieces, &mut left, &mut examination);
        (left, examination.close().failures.len())
    }

    #[test]
    fn each_split_takes_a_lookup_as_long_as_there_are_some() {
        let count = splits(&form(b"silverdragon")).len();
        assert!(count > 2, "{count}");
        for lookups in [0, 1, count - 1, count, count + 3] {
            assert_eq!(find_in(&[], lookups), (lookups.saturating_sub(count), 0), "{lookups}");
        }
    }

    #[test]
    fn filters_that_cannot_be_read_are_looked_up_once_and_exact_ones_never() {
        for (scheme, matching, failures) in [
            (SchemeId::Deletions, Match::Near, 1),
            (SchemeId::Deletions, Match::Exact, 0),
            (SchemeId::Whole, Match::Exact, 0),
        ] {
            let bits = if scheme == SchemeId::Whole { 0 } else { 8 };
            let filter =
                DictionaryFilter::from_bytes(Unreadable(bytes_of(&["silver", "dragon"], scheme, bits, 9)));
            let rules = [OpenDictionary { filter: filter.unwrap(), matching }];
            assert_eq!(find_in(&rules, 9).1, failures, "{scheme:?}, {matching:?}");
        }
    }

    /// By definition: every division into a part of six characters and one of three, of twelve at most.
    #[test]
    fn every_split_of_a_word_is_examined_once() {
        for length in 0..20_usize {
            let mut expected = Vec::new();
            for edited in 6..=length.saturating_sub(3) {
                expected.push([0..edited, edited..length]);
                expected.push([length - edited..length, 0..length - edited]);
            }
            let expected = if length > 12 { Vec::new() } else { expected };
            let found = splits(&form("x".repeat(length).as_bytes()));
            assert_eq!(found.len(), expected.len(), "{length}");
            assert!(expected.iter().all(|split| found.contains(split)), "{length}");
        }
    }

    /// Letters with their accents taken off are near many a word.
    #[test]
    fn a_candidate_is_examined_as_it_is_only() {
        let without_accents = Variant { transforms: Transforms::ACCENTS, ..form(b"silverdragxn") };
        assert!(splits(&without_accents).is_empty() && !splits(&form(b"silverdragxn")).is_empty());
    }

    #[test]
    fn a_sign_between_words_is_not_an_edit() {
        let found = splits(&form(b"lusab-babad"));
        assert!(found.contains(&[0..8, 8..11]) && found.contains(&[3..11, 0..3]));
        for split in [[0..6, 6..11], [0..7, 7..11], [4..11, 0..4], [5..11, 0..5]] {
            assert!(!found.contains(&split), "{split:?}");
        }
        let found = splits(&form(b"lusab9babad"));
        assert!(found.contains(&[0..7, 7..11]) && found.contains(&[4..11, 0..4]), "a digit is no sign");
    }
}
