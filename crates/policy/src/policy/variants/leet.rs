//! Undoing leet: digits and symbols that stand for letters.

#![allow(clippy::arithmetic_side_effects, reason = "counts of symbols in a word of at most 256 characters")]

use nearmiss_filters::word::{Symbol, Word};

/// The highest number of readings of one string.
const MAX_READINGS: usize = 32;

/// The number of ambiguous symbols up to which every combination of readings is tried: 2⁵ = [`MAX_READINGS`].
const MAX_FREE: usize = 5;

const PLAIN: [(char, char); 16] = [
    ('0', 'o'),
    ('2', 'z'),
    ('3', 'e'),
    ('4', 'a'),
    ('5', 's'),
    ('6', 'g'),
    ('7', 't'),
    ('8', 'b'),
    ('9', 'g'),
    ('@', 'a'),
    ('$', 's'),
    ('+', 't'),
    ('(', 'c'),
    ('€', 'e'),
    ('£', 'l'),
    ('¡', 'i'),
];

/// Symbols that stand for `i` in one word and for `l` in another.
const AMBIGUOUS: [char; 3] = ['1', '!', '|'];

/// Every reading of `word` as leet, if it has any leet symbols. If too many symbols are ambiguous, each of
/// the three has one reading throughout.
pub(super) fn undone(word: &Word) -> Vec<Word> {
    let characters = || word.symbols().filter_map(Symbol::character);
    let ambiguous = characters().filter(|c| AMBIGUOUS.contains(c)).count();
    if ambiguous == 0 && !characters().any(|c| plain_letter(c).is_some()) {
        return Vec::new();
    }
    if ambiguous <= MAX_FREE {
        let readings = 1_usize << ambiguous;
        return (0..readings.min(MAX_READINGS))
            .filter_map(|bits| reading(word, &|at, _| bits >> at & 1 == 1))
            .collect();
    }
    let number = |symbol: char| AMBIGUOUS.iter().position(|&known| known == symbol).unwrap_or(0);
    (0..1_usize << AMBIGUOUS.len())
        .filter_map(|bits| reading(word, &|_, symbol| bits >> number(symbol) & 1 == 1))
        .collect()
}

/// One reading; `is_l(n, symbol)` reads the n-th ambiguous symbol.
fn reading(word: &Word, is_l: &dyn Fn(usize, char) -> bool) -> Option<Word> {
    let mut read = Word::with_full_capacity();
    let mut ambiguous = 0_usize;
    for symbol in word.symbols() {
        let letter = match symbol.character() {
            Some(c) if AMBIGUOUS.contains(&c) => {
                let letter = if is_l(ambiguous, c) { 'l' } else { 'i' };
                ambiguous += 1;
                Some(letter)
            }
            Some(c) => plain_letter(c),
            None => None,
        };
        read.push(letter.map_or(symbol, Symbol::of)).ok()?;
    }
    Some(read)
}

fn plain_letter(symbol: char) -> Option<char> {
    if symbol.is_ascii_lowercase() {
        return None;
    }
    PLAIN.iter().find(|&&(leet, _)| leet == symbol).map(|&(_, letter)| letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readings(text: &str) -> Vec<String> {
        undone(&Word::clean(text.as_bytes()).unwrap_or_default()).iter().map(Word::to_text).collect()
    }

    #[test]
    fn plain_symbols_have_one_reading() {
        assert_eq!(readings("p4$$w0rd"), ["password"]);
        assert!(readings("password").is_empty());
    }

    #[test]
    fn few_ambiguous_symbols_are_read_in_every_way() {
        assert_eq!(readings("1!"), ["ii", "li", "il", "ll"]);
        assert_eq!(readings("11111").len(), 32);
    }

    #[test]
    fn many_ambiguous_symbols_are_read_alike() {
        let mut all = readings("1!1!1!|");
        assert_eq!(all.first().map(String::as_str), Some("iiiiiii"));
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 8, "each of three symbols is read in two ways");
        assert!(all.contains(&"ililili".to_owned()) && all.contains(&"lililil".to_owned()));
    }
}
