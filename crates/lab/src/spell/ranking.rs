//! In which order words that may have been meant are suggested.
//!
//! Without ranks: first the slips that fingers and ears make most: two letters swapped, a letter doubled or
//! not doubled, a neighbouring key, one vowel for another. Among these, words with the same first letter
//! (people rarely miss the first one), then words that the same text has more often, then in alphabetical
//! order.
//!
//! With ranks, the noisy channel (Kernighan, Church and Gale, *A Spelling Correction Program Based on a Noisy
//! Channel Model*, COLING 1990): the word that is most probable times the slip that is. A word of rank *r*
//! has a probability of about 1/*r* (Zipf 1949), and a word that the text has more often is more probable by
//! as much.

use std::{cmp::Reverse, collections::HashMap};

use nearmiss_filters::dictionary::Edit;

/// Rows of the keyboard most used for English; each row is shifted half a key against the one above.
const KEY_ROWS: [&str; 3] = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];

/// A word that may have been meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    /// The word.
    pub(super) word: String,
    /// The edit that makes it from the typed word.
    pub(super) edit: Edit,
    /// Its rank, from 1; none if it is not known.
    pub(super) rank: Option<u32>,
}

/// A rare slip is so many times less probable than a common one.
const RARE_SLIP: f64 = 6.0;

/// A slip in the first letter is so many times less probable than one behind it.
const FIRST_LETTER: f64 = 6.0;

/// The rank that a word without one is taken to have, where others have one.
const NO_RANK: f64 = 16_777_216.0;

/// The improbability of a candidate; the least comes first. Improbabilities are compared as their bits, which
/// are in the order of the numbers for what is not negative.
type Order = (u64, bool, bool, Reverse<u64>, String);

/// The candidates for what was `typed` in their order, each word once. `counts` tells how often the text has
/// a word.
pub(super) fn ranked(typed: &str, candidates: Vec<Candidate>, counts: &HashMap<String, u64>) -> Vec<String> {
    let has_ranks = candidates.iter().any(|candidate| candidate.rank.is_some());
    let order = |candidate| order(typed, candidate, counts, has_ranks);
    let mut orders: Vec<Order> = candidates.into_iter().map(order).collect();
    orders.sort_unstable();
    let mut words: Vec<String> = Vec::with_capacity(orders.len());
    for (.., word) in orders {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

fn order(typed: &str, candidate: Candidate, counts: &HashMap<String, u64>, has_ranks: bool) -> Order {
    let is_rare = !is_common_slip(typed, &candidate);
    let is_other_start = typed.chars().next() != candidate.word.chars().next();
    let count = counts.get(&candidate.word).copied().unwrap_or(0);
    let improbability = if has_ranks {
        let slip = if is_rare { RARE_SLIP } else { 1.0 };
        let start = if is_other_start { FIRST_LETTER } else { 1.0 };
        candidate.rank.map_or(NO_RANK, f64::from) * slip * start / (count as f64 + 1.0)
    } else {
        0.0
    };
    (improbability.to_bits(), is_rare, is_other_start, Reverse(count), candidate.word)
}

fn is_common_slip(typed: &str, candidate: &Candidate) -> bool {
    let (typed, meant): (Vec<char>, Vec<char>) = (typed.chars().collect(), candidate.word.chars().collect());
    match candidate.edit {
        Edit::Swap { .. } => true,
        Edit::Remove { at } => has_at(&typed, at, |c, beside| c == beside || are_beside(c, beside)),
        Edit::Insert { at } => has_at(&meant, at, |c, beside| c == beside),
        Edit::Replace { at } => match (typed.get(at), meant.get(at)) {
            (Some(&a), Some(&b)) => are_beside(a, b) || is_vowel(a) && is_vowel(b),
            _ => false,
        },
        _ => false,
    }
}

/// True if this holds for the character at `at` and the one before or after it.
fn has_at(word: &[char], at: usize, are_so: impl Fn(char, char) -> bool) -> bool {
    let Some(&here) = word.get(at) else { return false };
    let beside = [at.checked_sub(1), at.checked_add(1)];
    beside.into_iter().flatten().filter_map(|at| word.get(at)).any(|&other| are_so(here, other))
}

fn is_vowel(character: char) -> bool {
    "aeiouy".contains(character)
}

/// True for keys that touch.
fn are_beside(a: char, b: char) -> bool {
    let (Some((row_a, a)), Some((row_b, b))) = (key(a), key(b)) else { return false };
    let ((upper_row, upper), (lower_row, lower)) =
        if row_a <= row_b { ((row_a, a), (row_b, b)) } else { ((row_b, b), (row_a, a)) };
    match lower_row.abs_diff(upper_row) {
        0 => upper.abs_diff(lower) == 1,
        1 => upper == lower || upper == lower.saturating_add(1),
        _ => false,
    }
}

fn key(character: char) -> Option<(usize, usize)> {
    KEY_ROWS.iter().enumerate().find_map(|(row, keys)| keys.find(character).map(|at| (row, at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(word: &str, edit: Edit) -> Candidate {
        Candidate { word: word.to_owned(), edit, rank: None }
    }

    #[test]
    fn a_common_word_comes_before_a_rare_one_unless_its_slip_is_rarer() {
        let of_rank = |word: &str, edit, rank| Candidate { rank: Some(rank), ..candidate(word, edit) };
        let candidates = vec![
            of_rank("cab", Edit::Replace { at: 2 }, 9000),
            of_rank("can", Edit::Replace { at: 2 }, 40),
            of_rank("act", Edit::Swap { at: 0 }, 900),
            of_rank("sat", Edit::Replace { at: 0 }, 70),
            candidate("caq", Edit::Replace { at: 2 }),
        ];
        let none = HashMap::new();
        assert_eq!(ranked("cat", candidates.clone(), &none), ["can", "sat", "act", "cab", "caq"]);
        let counts = HashMap::from([("cab".to_owned(), 1000)]);
        assert_eq!(ranked("cat", candidates, &counts)[0], "cab");
    }

    #[test]
    fn keys_that_touch() {
        for (a, b) in
            [('q', 'w'), ('a', 'q'), ('a', 'w'), ('s', 'z'), ('s', 'x'), ('m', 'j'), ('m', 'k'), ('p', 'l')]
        {
            assert!(are_beside(a, b) == are_beside(b, a), "{a}{b}");
        }
        assert!(are_beside('a', 'q') && are_beside('a', 'w') && are_beside('z', 's') && are_beside('z', 'a'));
        assert!(
            !are_beside('a', 'e') && !are_beside('q', 'z') && !are_beside('q', 's') && !are_beside('a', 'é')
        );
    }

    #[test]
    fn likely_slips_come_first() {
        let slips = [
            ("teh", candidate("the", Edit::Swap { at: 1 })),
            ("comming", candidate("coming", Edit::Remove { at: 2 })),
            ("comit", candidate("commit", Edit::Insert { at: 2 })),
            ("wprd", candidate("word", Edit::Replace { at: 1 })),
            ("woprd", candidate("word", Edit::Remove { at: 2 })),
            ("seperate", candidate("separate", Edit::Replace { at: 3 })),
        ];
        for (typed, candidate) in slips {
            assert!(is_common_slip(typed, &candidate), "{typed}");
        }
        assert!(!is_common_slip("wrd", &candidate("word", Edit::Insert { at: 1 })));
        assert!(!is_common_slip("wtrd", &candidate("word", Edit::Replace { at: 1 })));
        assert!(!is_common_slip("wrd", &candidate("word", Edit::Unknown)));
    }

    #[test]
    fn the_order_is_slip_first_letter_count_alphabet() {
        let candidates = vec![
            candidate("zat", Edit::Replace { at: 0 }),
            candidate("cab", Edit::Replace { at: 2 }),
            candidate("cap", Edit::Replace { at: 2 }),
            candidate("cas", Edit::Replace { at: 2 }),
            candidate("act", Edit::Swap { at: 0 }),
            candidate("cap", Edit::Replace { at: 2 }),
        ];
        let counts = HashMap::from([("cap".to_owned(), 3)]);
        assert_eq!(ranked("cat", candidates, &counts), ["act", "cap", "cab", "cas", "zat"]);
    }
}
