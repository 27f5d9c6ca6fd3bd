//! Runs: three or more characters that follow each other in the alphabet, among the digits or on a keyboard,
//! forwards or backwards, or are all the same.

#![allow(clippy::arithmetic_side_effects, reason = "positions in a word of at most 256 characters")]

use nearmiss_filters::word::{Symbol, Word};

/// The sequences that runs follow: the alphabet, the digits in numeric and in keyboard order, the rows of
/// letters of QWERTY, QWERTZ and AZERTY, the row of digits with Shift (American, British, German), the
/// columns of QWERTY and QWERTZ, which may be beside other runs (`2wsxabcd`), and the columns of the numeric
/// pad, whose rows are among the digits.
const SEQUENCES: [&str; 27] = [
    "abcdefghijklmnopqrstuvwxyz",
    "0123456789",
    "890",
    "qwertyuiop",
    "asdfghjkl",
    "zxcvbnm",
    "qwertzuiop",
    "yxcvbnm",
    "azertyuiop",
    "qsdfghjklm",
    "wxcvbn",
    "!@#$%^&*()_+",
    "!\"#$%^&*()_+",
    "!\"#$%&/()=",
    "1qaz",
    "2wsx",
    "3edc",
    "4rfv",
    "5tgb",
    "6yhn",
    "7ujm",
    "1qay",
    "6zhn",
    "7410",
    "8520",
    "963",
    "1470",
];

/// The first character of [`PLACES`], which are all that is written in ASCII.
const FIRST: u8 = b' ';

/// The position of each ASCII character in each sequence, from 2; 0, which is adjacent to no position, if it
/// is not in the sequence.
#[allow(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a constant: checked by the compiler"
)]
const PLACES: [[u8; SEQUENCES.len()]; 96] = {
    let mut places = [[0; SEQUENCES.len()]; 96];
    let mut number = 0;
    while number < SEQUENCES.len() {
        let sequence = SEQUENCES[number].as_bytes();
        let mut at = 0;
        while at < sequence.len() {
            places[(sequence[at] - FIRST) as usize][number] = at as u8 + 2;
            at += 1;
        }
        number += 1;
    }
    places
};

/// True if at most `most` characters of the candidate belong to no run. Accents count: without them different
/// letters would be equal.
pub(super) fn are_all_but(word: &Word, most: usize) -> bool {
    let characters: Vec<Option<char>> = word.symbols().map(Symbol::character).collect();
    // One past the last character known to be in a run, the number of characters before it that are not, and
    // the common ways of the last two pairs.
    let (mut end, mut beside, mut before) = (0, 0, 0);
    for (at, pair) in characters.windows(2).enumerate() {
        let step = if let [Some(first), Some(second)] = *pair { ways_from(first, second) } else { 0 };
        if before & step != 0 {
            // Characters at - 1 to at + 1.
            beside += (at - 1).saturating_sub(end);
            end = at + 2;
        }
        if beside + at.saturating_sub(end + 1) > most {
            return false;
        }
        before = step;
    }
    beside + characters.len() - end <= most
}

/// The ways in which `second` follows `first`, a bit each: as the same character, and forwards and backwards
/// in each sequence.
fn ways_from(first: char, second: char) -> u64 {
    let same = u64::from(first == second);
    let places = |c: char| {
        PLACES.get(usize::try_from(u32::from(on_the_third_key(c))).ok()?.checked_sub(FIRST.into())?)
    };
    let (Some(first), Some(second)) = (places(first), places(second)) else { return same };
    first.iter().zip(second).zip(0_u32..).fold(same, |ways, ((first, second), number)| {
        let [forwards, backwards] = [(first, second), (second, first)].map(|(a, b)| u64::from(a + 1 == *b));
        ways | forwards << (2 * number + 1) | backwards << (2 * number + 2)
    })
}

/// The character above 3 in the sequences, for the character that other keyboards have there.
fn on_the_third_key(c: char) -> char {
    if matches!(c, '£' | '§') { '#' } else { c }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn beside_in(text: &[u8]) -> usize {
        let word = Word::clean(text).unwrap();
        (0..=word.len()).find(|&most| are_all_but(&word, most)).unwrap()
    }

    #[test]
    fn counts_what_belongs_to_no_run() {
        for (text, count) in [
            ("", 0),
            ("a", 1),
            ("ab", 2),
            ("abc", 0),
            ("cba", 0),
            ("aaa", 0),
            ("ééé", 0),
            ("abcba", 0),
            ("abcxcba", 1),
            ("121", 3),
            ("989", 3),
            ("qweasdzxc", 0),
            ("890", 0),
            ("789456123", 0),
            ("1234xx", 2),
            ("a\u{ff}bc", 4),
            ("xxyabcwyyabcd", 6),
            ("!@#$%^&*()", 0),
            ("!\"£$%^&*()", 0),
            ("!\"§$%&/()=", 0),
            ("1qaz2wsx3edc", 0),
            ("4rfv5tgb", 0),
            ("zaq1xsw2", 0),
            ("2wsxabcd", 0),
            ("1qaz@wsx", 1),
            ("1a2b3c4d", 8),
        ] {
            assert_eq!(beside_in(text.as_bytes()), count, "{text}");
        }
        assert_eq!(beside_in(b"\xff\xff\xff"), 3, "bytes that are not text");
    }

    /// A character belongs to a run if some three characters around it are one.
    fn beside_by_definition(text: &str) -> usize {
        let all: Vec<char> = text.chars().collect();
        let is_run = |three: &[char]| {
            let text: String = three.iter().collect();
            let back: String = three.iter().rev().collect();
            three.iter().all(|&c| c == three[0])
                || SEQUENCES.iter().any(|sequence| sequence.contains(&text) || sequence.contains(&back))
        };
        let belongs = |at: usize| {
            let first = at.saturating_sub(2);
            (first..=at).any(|start| all.get(start..start + 3).is_some_and(is_run))
        };
        (0..all.len()).filter(|&at| !belongs(at)).count()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8000))]
        #[test]
        fn runs_are_those_of_the_definition(
            text in "([a-d]|[q-s]|[0-9]|we|rt|zui|ü|xc|74|1qa|sx|!@|[#$%]){0,14}",
        ) {
            prop_assert_eq!(beside_in(text.as_bytes()), beside_by_definition(&text), "{}", text);
        }
    }
}
