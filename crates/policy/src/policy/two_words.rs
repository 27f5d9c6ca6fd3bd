//! Passwords that are two words of the dictionaries, one after the other or with one or two separators or
//! digits or a little word between them. A name of the user or the host counts as a word.
//!
//! If fewer than eight characters are left without the ends, both words must have four: four and three
//! letters of a pronounceable password are words by chance.
//!
//! *d* characters have 2(*d* − 5) parts to look up, all exactly: beginnings and ends of at least three
//! characters that leave at least three. A password that is not two words is rejected by accident only if one
//! of these parts is a false positive, which the filters' rate allows for
//! ([`nearmiss_filters::dictionary::sizing::MEMBER_LOOKUPS`]). Long parts are also looked up with an edit, as
//! far as the candidate's variants leave lookups.

#![allow(clippy::arithmetic_side_effects, reason = "positions in a word of at most 256 characters")]

mod edited;
mod little;
mod typed;

use std::ops::Range;

use nearmiss_filters::{storage::Bytes, word::Symbol};

use super::{
    candidate::Candidate,
    examination::Examination,
    names::ContextWords,
    pieces::{MIN_PART, Pieces},
    reason::Reason,
    variants::{MAX_VARIANTS, Variant},
};
use typed::Typed;

/// The least length of the longer word, and of both if something is between them or if fewer than
/// [`MIN_LEFT`] characters are left.
const MIN_LONGER: usize = 4;

/// The number of characters without the ends from which a word may have three.
const MIN_LEFT: usize = 8;

/// The length of the longest part that must be typed like a word: two to four random characters behind the
/// first letters of a word are one by chance.
const MAX_CHANCE: usize = 5;

/// The highest number of separators or digits between two words.
const MAX_BETWEEN: usize = 2;

/// Finds candidates of which one of these forms is two words.
pub(super) fn find<D: Bytes>(
    candidate: &Candidate<'_>,
    forms: &mut [Pieces<'_>],
    examination: &mut Examination<'_, D>,
) {
    if !candidate.policy.structure.two_words {
        return;
    }
    let names = ContextWords::new(candidate.context, candidate.policy.context);
    let mut lookups = MAX_VARIANTS.saturating_sub(candidate.variants().len());
    for pieces in forms.iter_mut().filter(|pieces| candidate.is_mostly_whole(pieces.form)) {
        pieces.add_names(&names);
        let form = pieces.form;
        let splits = if pieces.words().nth(1).is_some() { splits(form) } else { Vec::new() };
        let whole = candidate.variants().first();
        let typed = whole.and_then(|whole| Typed::new(candidate.password, &whole.word, &form.word));
        let may_be_chance = |part: &Range<usize>| {
            part.len() <= MAX_CHANCE
                && typed.as_ref().is_some_and(|typed| !typed.is_like_a_word(part))
                && names.reason_of(form.word.slice(part.clone())).is_none()
        };
        let is_word = |part: &Range<usize>| pieces.has(part) && !may_be_chance(part);
        if let Some(split) = splits.into_iter().find(|split| split.iter().all(is_word)) {
            let name = split.iter().find_map(|part| names.reason_of(form.word.slice(part.clone())));
            examination.found(pieces.finding(name.unwrap_or(Reason::TwoWords), &split));
        }
        edited::find(candidate.password, pieces, &mut lookups, examination);
    }
}

/// Beginnings and ends that leave enough for another word.
pub(super) fn parts(length: usize) -> Vec<Range<usize>> {
    let places = || MIN_PART..(length + 1).saturating_sub(MIN_PART);
    places().map(|at| 0..at).chain(places().map(|at| at..length)).collect()
}

/// True if [`parts`] of a form of this length contain this part.
pub(super) fn is_asked(part: &Range<usize>, length: usize) -> bool {
    (part.start == 0) != (part.end == length) && part.len() >= MIN_PART && part.len() + MIN_PART <= length
}

/// The two parts of each way to read the form as two words.
fn splits(form: &Variant) -> Vec<[Range<usize>; 2]> {
    let length = form.word.len();
    let mut splits = Vec::new();
    for end in MIN_PART..length {
        for start in end..=length.min(end + little::LONGEST) {
            if may_divide(form, end..start) {
                splits.push([0..end, start..length]);
            }
        }
    }
    splits
}

/// True if the parts before and after this one may be two words.
fn may_divide(form: &Variant, between: Range<usize>) -> bool {
    let (first, second) = (between.start, form.word.len() - between.end);
    let (short, long) = (first.min(second), first.max(second));
    if short >= MIN_PART && little::is_between(form, between.clone()) {
        return true;
    }
    let is_special = |symbol: Symbol| symbol.character().is_some_and(|c| !c.is_alphanumeric());
    let is_divided = between.len() == 1 && form.word.symbol(between.start).is_some_and(is_special);
    let may_be_short = (between.is_empty() || is_divided) && form.may_match(MIN_LEFT);
    let least = if may_be_short { MIN_PART } else { MIN_LONGER };
    let is_between =
        |at| form.word.symbol(at).is_some_and(|symbol| symbol.character().is_some() && !symbol.is_letter());
    short >= least
        && long >= MIN_LONGER
        && between.len() <= MAX_BETWEEN
        && between.into_iter().all(is_between)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::variants::Transforms;
    use nearmiss_filters::word::Word;

    fn form(text: &[u8]) -> Variant {
        Variant { word: Word::clean(text).unwrap(), transforms: Transforms::NONE }
    }

    #[test]
    fn a_part_is_asked_for_if_it_is_one_of_the_parts() {
        for length in 0..12 {
            let parts = parts(length);
            let all = (0..=length).flat_map(|start| (start..=length).map(move |end| start..end));
            all.for_each(|part| assert_eq!(is_asked(&part, length), parts.contains(&part), "{part:?}"));
        }
    }

    #[test]
    fn every_split_is_of_parts_that_are_looked_up() {
        for text in ["catdog", "cathorse", "horse-fish", "horse42fish", "ride-or-die", "x", ""] {
            let parts = parts(Word::clean(text.as_bytes()).unwrap().len());
            let splits = splits(&form(text.as_bytes()));
            assert!(splits.iter().flatten().all(|part| parts.contains(part)), "{text}");
        }
        let all = splits(&form(b"horse-fish"));
        assert!(
            all.contains(&[0..5, 6..10]) && all.contains(&[0..6, 6..10]) && !all.contains(&[0..5, 7..10])
        );
    }
}
