//! Removing digits and punctuation: at the ends, and everywhere.

#![allow(clippy::arithmetic_side_effects, reason = "positions in a word of at most 256 characters")]

use std::ops::Range;

use nearmiss_filters::word::{Symbol, Word};

/// Digits of a year: the most frequent appendix, and the most that is stripped from a word that ends in leet.
const YEAR_DIGITS: usize = 4;

/// The number of digits that are stripped from an end of a word without letters.
const MAX_DIGITS: usize = 4;

/// The word without the non-letters at the end, at the beginning, and at both; and without punctuation and a
/// year at the end, since a word in leet may not end in a letter either (`fru$7r473$2026!`). A word without
/// letters loses its punctuation, and up to four digits at either end.
pub(super) fn without_affixes(word: &Word) -> Vec<Word> {
    let Some(letters) = extent(word, char::is_alphabetic) else { return digits_without_affixes(word) };
    let Range { start, end } = letters;
    parts(word, vec![0..end, start..word.len(), start..end, 0..without_year(word)])
}

/// The least number of letters that are looked up without the other characters.
const MIN_LETTERS: usize = 6;

/// The letters alone, of a word with enough of them: the word itself if it has nothing else.
pub(super) fn letters_alone(word: &Word) -> Option<Word> {
    let mut letters = Word::with_full_capacity();
    for symbol in word.symbols() {
        if symbol.is_letter() {
            letters.push(symbol).ok()?;
        }
    }
    (letters.len() >= MIN_LETTERS).then_some(letters)
}

/// The range from the first to the last character that `is_kept`.
fn extent(word: &Word, is_kept: fn(char) -> bool) -> Option<Range<usize>> {
    let is_kept = |symbol: Symbol| symbol.character().is_some_and(is_kept);
    let kept = || word.symbols().map(is_kept);
    let first = kept().position(|kept| kept)?;
    Some(first..kept().rposition(|kept| kept)? + 1)
}

fn digits_without_affixes(word: &Word) -> Vec<Word> {
    let Some(digits) = extent(word, |c| c.is_ascii_digit()) else { return Vec::new() };
    let Range { start, end } = digits;
    let without = |count: usize| [start..end - count, start + count..end];
    let shorter = (1..=MAX_DIGITS.min(end - start - 1)).flat_map(without);
    parts(word, std::iter::once(start..end).chain(shorter).collect())
}

fn parts(word: &Word, ranges: Vec<Range<usize>>) -> Vec<Word> {
    ranges.into_iter().filter_map(|range| Word::from_encoded(word.slice(range)).ok()).collect()
}

/// The end of the word without punctuation and then at most [`YEAR_DIGITS`] digits.
fn without_year(word: &Word) -> usize {
    let characters = || word.symbols().rev().map(|symbol| symbol.character().unwrap_or('\0'));
    let punctuation = characters().take_while(|c| !c.is_alphanumeric()).count();
    let digits = characters().skip(punctuation).take(YEAR_DIGITS).take_while(char::is_ascii_digit).count();
    word.len() - punctuation - digits
}
