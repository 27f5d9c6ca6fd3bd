//! Removing digits and punctuation at the ends.

#![allow(clippy::arithmetic_side_effects, reason = "positions in a word of at most 256 characters")]

use crate::word::{Symbol, Word};

/// Digits of a year: what is most often appended, and most of what is stripped from a word that ends in leet.
const YEAR_DIGITS: usize = 4;

/// Without what is no letter at the end, at the beginning, and at both; and without punctuation and a year at
/// the end, since the end of a word in leet is no letter either (`fru$7r473$2026!`).
pub(super) fn without_affixes(word: &Word) -> Vec<Word> {
    let is_letter = |symbol: Symbol| symbol.character().is_some_and(char::is_alphabetic);
    let letters = || word.symbols().map(is_letter);
    let Some(first) = letters().position(|letter| letter) else { return Vec::new() };
    let end = letters().rposition(|letter| letter).map_or(first, |last| last + 1);
    [(0, end), (first, word.len()), (first, end), (0, without_year(word))]
        .into_iter()
        .filter_map(|(from, to)| Word::from_encoded(word.slice(from..to)).ok())
        .collect()
}

/// Where the word ends without punctuation and then at most [`YEAR_DIGITS`] digits.
fn without_year(word: &Word) -> usize {
    let characters = || word.symbols().rev().map(|symbol| symbol.character().unwrap_or('\0'));
    let punctuation = characters().take_while(|c| !c.is_alphanumeric()).count();
    let digits = characters().skip(punctuation).take(YEAR_DIGITS).take_while(char::is_ascii_digit).count();
    word.len() - punctuation - digits
}
