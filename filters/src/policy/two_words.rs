//! Passwords that are two words of the dictionaries, one after the other or with one or two separators or
//! digits between them. A name of the user or the host counts as a word.
//!
//! Where fewer than eight characters are left without the ends, both words have four: four letters and three
//! of a pronounceable password are words by chance.
//!
//! Of *d* characters there are 2(*d* − 5) parts to ask for, each exactly: beginnings and ends of at least
//! three characters that leave three. A password that is not two words is rejected by accident only if one of
//! these parts is taken for a word by accident, which the filters' rate allows for
//! ([`crate::dictionary::sizing::MEMBER_LOOKUPS`]).

#![allow(clippy::arithmetic_side_effects, reason = "positions in a word of at most 256 characters")]

use std::ops::Range;

use super::{
    candidate::Candidate,
    examination::Examination,
    names::ContextWords,
    pieces::{Pieces, has_letter},
    reason::Reason,
    variants::Variant,
};
use crate::{
    storage::Bytes,
    word::{Symbol, Word},
};

/// Characters of the shorter of two words without anything between them.
const MIN_SHORTER: usize = 3;

/// Characters of the longer one, and of both where something is between them, or around fewer than
/// [`MIN_LEFT`] characters.
const MIN_LONGER: usize = 4;

/// Characters left without the ends of which three may be a word.
const MIN_LEFT: usize = 8;

/// The most separators or digits between two words.
const MAX_BETWEEN: usize = 2;

/// Finds candidates of which a form is two words.
pub(super) fn find<D: Bytes>(candidate: &Candidate<'_>, examination: &mut Examination<'_, D>) {
    if !candidate.policy.structure.two_words {
        return;
    }
    let names = ContextWords::new(candidate.context, candidate.policy.context);
    for form in candidate.mostly_whole_forms().filter(|form| has_letter(form)) {
        let mut pieces = Pieces::ask(form, parts(form.word.len()), examination);
        pieces.add_names(&names);
        if pieces.words().nth(1).is_none() {
            continue;
        }
        let mut are_words = splits(&form.word, min_shorter(form))
            .filter(|split| split.iter().all(|part| pieces.words().any(|word| word == part)));
        if let Some(split) = are_words.next() {
            let name = split.iter().find_map(|part| names.reason_of(form.word.slice(part.clone())));
            examination.found(pieces.finding(name.unwrap_or(Reason::TwoWords), &split));
        }
    }
}

/// Beginnings and ends that leave enough for another word.
pub(super) fn parts(length: usize) -> Vec<Range<usize>> {
    let places = || MIN_SHORTER..(length + 1).saturating_sub(MIN_SHORTER);
    places().map(|at| 0..at).chain(places().map(|at| at..length)).collect()
}

fn min_shorter(form: &Variant) -> usize {
    if form.may_match(MIN_LEFT) { MIN_SHORTER } else { MIN_LONGER }
}

/// The two parts of each way to read the word as two.
fn splits(word: &Word, min_shorter: usize) -> impl Iterator<Item = [Range<usize>; 2]> {
    let length = word.len();
    let is_between = |part: Range<usize>| {
        part.filter_map(|at| word.symbol(at))
            .all(|symbol: Symbol| symbol.character().is_some_and(|c| !c.is_alphabetic()))
    };
    let at = (0..=length).flat_map(move |end| (0..=MAX_BETWEEN).map(move |between| (end, end + between)));
    at.filter(move |&(end, start)| {
        let least = if end == start { min_shorter } else { MIN_LONGER };
        let (first, second) = (end, length.saturating_sub(start));
        first.min(second) >= least && first.max(second) >= MIN_LONGER && is_between(end..start)
    })
    .map(move |(end, start)| [0..end, start..length])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_split_is_of_parts_that_are_asked() {
        for text in ["catdog", "cathorse", "horse-fish", "horse42fish", "x", ""] {
            let word = Word::clean(text.as_bytes()).unwrap();
            let parts = parts(word.len());
            assert!(splits(&word, MIN_SHORTER).flatten().all(|part| parts.contains(&part)), "{text}");
        }
        let word = Word::clean(b"horse-fish").unwrap();
        let between: Vec<_> =
            splits(&word, MIN_SHORTER).filter(|[first, second]| first.end < second.start).collect();
        assert_eq!(between, [[0..5, 6..10]]);
    }
}
