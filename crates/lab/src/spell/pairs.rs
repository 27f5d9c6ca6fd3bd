//! Two equal neighbouring characters less or more as one edit: `commiee` for `committee`, `balloonoon` for
//! `balloon`.
//!
//! Nothing is stored for it. The candidate less each pair that it has, and the candidate with a pair of each
//! character of the alphabet put in at each gap, are asked of the word layer: a word is within this edit
//! exactly if it is one of these strings. Each is asked at the rate of one lookup, so that an accident is as
//! rare as that of a word itself.

use nearmiss_filters::word::{Symbol, Word};

/// The strings that are a pair of equal characters away from a word; some of them more than once. None is
/// longer than a word can be.
pub(super) fn away_by_a_pair<'w>(word: &'w Word, alphabet: &'w [Symbol]) -> impl Iterator<Item = Word> + 'w {
    let gaps = 0..=word.len();
    let longer = gaps.flat_map(move |gap| alphabet.iter().map(move |&symbol| with_pair(word, gap, symbol)));
    let shorter = (0..word.len()).map(move |at| without_pair(word, at));
    shorter.chain(longer).flatten()
}

/// The word less the characters at `at` and behind it, if they are equal.
fn without_pair(word: &Word, at: usize) -> Option<Word> {
    let behind = at.checked_add(1)?;
    if word.symbol(at)? != word.symbol(behind)? {
        return None;
    }
    let kept = word.symbols().take(at).chain(word.symbols().skip(behind.checked_add(1)?));
    Some(kept.collect::<Vec<_>>()).filter(|kept| !kept.is_empty()).and_then(of)
}

fn with_pair(word: &Word, gap: usize, symbol: Symbol) -> Option<Word> {
    of(word.symbols().take(gap).chain([symbol, symbol]).chain(word.symbols().skip(gap)))
}

fn of(symbols: impl IntoIterator<Item = Symbol>) -> Option<Word> {
    let mut word = Word::with_full_capacity();
    symbols.into_iter().try_for_each(|symbol| word.push(symbol).ok())?;
    Some(word)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use nearmiss_filters::alphabet::Alphabet;

    use super::*;

    fn word(text: &str) -> Word {
        Word::clean(text.as_bytes()).ok().unwrap()
    }

    /// All strings of up to `most` letters of an alphabet.
    fn strings(letters: &str, most: usize) -> Vec<String> {
        let mut all = vec![String::new()];
        let mut from = 0;
        for _ in 0..most {
            let longer: Vec<String> = all[from..]
                .iter()
                .flat_map(|text| letters.chars().map(move |letter| format!("{text}{letter}")))
                .collect();
            from = all.len();
            all.extend(longer);
        }
        all.split_off(1)
    }

    /// The definition, by trying: the longer of the two has two equal characters somewhere, without which it
    /// is the shorter.
    fn is_away_by_a_pair(one: &str, other: &str) -> bool {
        let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
        let long: Vec<char> = long.chars().collect();
        long.windows(2).enumerate().any(|(at, pair)| {
            let rest: String = long[..at].iter().chain(&long[at + 2..]).collect();
            pair[0] == pair[1] && rest == short
        })
    }

    #[test]
    fn the_strings_are_those_of_the_definition() {
        let all = strings("abc", 6);
        let alphabet = Alphabet::new(&word("abc").symbols().collect());
        for text in all.iter().filter(|text| text.len() <= 4) {
            let made: BTreeSet<String> =
                away_by_a_pair(&word(text), alphabet.symbols()).map(|word| word.to_text()).collect();
            let wanted: BTreeSet<String> =
                all.iter().filter(|other| is_away_by_a_pair(text, other)).cloned().collect();
            assert_eq!(made, wanted, "{text}");
        }
    }

    #[test]
    fn no_string_is_longer_than_a_word_or_empty() {
        let alphabet = Alphabet::new(&word("a").symbols().collect());
        let longest = word(&"a".repeat(nearmiss_filters::word::MAX_CHARACTERS));
        let made: Vec<usize> = away_by_a_pair(&longest, alphabet.symbols()).map(|word| word.len()).collect();
        assert_eq!(made, vec![longest.len() - 2; longest.len() - 1]);
        assert_eq!(away_by_a_pair(&word("aa"), &[]).count(), 0);
    }
}
