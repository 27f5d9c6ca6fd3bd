//! What kinds of passwords are made of, and how many bits are drawn for it.

use std::ops::RangeInclusive;

use nearmiss_filters::ladder::SeededRandom;

use crate::study::extension::below;

pub(super) const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
pub(super) const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
pub(super) const DIGITS: &str = "0123456789";
pub(super) const ALPHANUMERIC: &str = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
pub(super) const PRINTABLE: &str = "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`\
                                    abcdefghijklmnopqrstuvwxyz{|}~";
pub(super) const SIGNS: &str = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
pub(super) const HEX: &str = "0123456789abcdef";
pub(super) const CONSONANTS: &str = "bdfghjklmnprstvz";
/// RFC 4648, section 6.
pub(super) const BASE32: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/// Without the characters that look alike: `0O1lI` and, of letters, `o`.
pub(super) const READABLE: &str = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// The most passwords or words that are drawn for a suitable one.
const MAX_DRAWS: usize = 1000;

/// Draws passwords.
pub(super) struct Source<'w> {
    random: SeededRandom,
    words: &'w [String],
    /// Drawn for all passwords, without those that were not suitable.
    bits: f64,
    /// Passwords that were not suitable.
    redrawn: u64,
}

impl<'w> Source<'w> {
    pub(super) fn new(random: SeededRandom, words: &'w [String]) -> Source<'w> {
        Source { random, words, bits: 0.0, redrawn: 0 }
    }

    /// The mean of so many passwords. Where some were drawn again, each of the others is the likelier.
    pub(super) fn bits_of_each(&self, count: u64) -> f64 {
        let count = count.max(1) as f64;
        self.bits / count + (count / (count + self.redrawn as f64)).log2()
    }

    /// A number below this one.
    pub(super) fn pick(&mut self, choices: usize) -> usize {
        self.bits += (choices.max(1) as f64).log2();
        below(&mut self.random, choices)
    }

    /// True so many times of ten.
    pub(super) fn chance(&mut self, of_ten: usize) -> bool {
        let is = below(&mut self.random, 10) < of_ten;
        let share = if is { of_ten } else { 10_usize.saturating_sub(of_ten) };
        self.bits -= (share as f64 / 10.0).log2();
        is
    }

    /// So many characters of a set.
    pub(super) fn some(&mut self, count: usize, set: &str) -> String {
        let set: Vec<char> = set.chars().collect();
        (0..count).filter_map(|_| set.get(self.pick(set.len())).copied()).collect()
    }

    /// Characters from one to the other.
    pub(super) fn between(&mut self, count: usize, first: char, last: char) -> String {
        let set: String = (first..=last).collect();
        self.some(count, &set)
    }

    /// So many groups of a set, with this between them.
    pub(super) fn groups(&mut self, groups: usize, of: usize, set: &str, between: &str) -> String {
        (0..groups).map(|_| self.some(of, set)).collect::<Vec<_>>().join(between)
    }

    /// Characters of these sets, in this order.
    pub(super) fn each(&mut self, sets: &[&str]) -> String {
        sets.iter().map(|set| self.some(1, set)).collect()
    }

    /// At least this number of characters of each set, the rest from all sets, shuffled. The bits are for
    /// characters from all sets: half a bit too many.
    pub(super) fn mixed(&mut self, length: usize, sets: &[(usize, &str)]) -> String {
        let before = self.bits;
        let all: String = sets.iter().map(|(_, set)| *set).collect();
        let needed: String = sets.iter().map(|&(least, set)| self.some(least, set)).collect();
        let missing = length.saturating_sub(needed.chars().count());
        let text = needed + &self.some(missing, &all);
        self.bits = before + length as f64 * (all.chars().count().max(1) as f64).log2();
        self.shuffled(&text)
    }

    fn shuffled(&mut self, text: &str) -> String {
        let mut left: Vec<char> = text.chars().collect();
        let mut shuffled = String::new();
        while !left.is_empty() {
            let at = below(&mut self.random, left.len());
            shuffled.push(left.swap_remove(at));
        }
        shuffled
    }

    /// A password of these, drawn until it is suitable.
    pub(super) fn until(
        &mut self,
        mut make: impl FnMut(&mut Self) -> String,
        is_suitable: impl Fn(&str) -> bool,
    ) -> String {
        let mut text = String::new();
        for _ in 0..MAX_DRAWS {
            let before = self.bits;
            text = make(self);
            if is_suitable(&text) {
                return text;
            }
            self.bits = before;
            self.redrawn += 1;
        }
        text
    }

    /// A word of the list.
    pub(super) fn word(&mut self) -> &'w str {
        let (words, at) = (self.words, self.pick(self.words.len()));
        words.get(at).map_or("", String::as_str)
    }

    /// A word of these lengths; any other one if the list has none of them.
    pub(super) fn word_of(&mut self, lengths: RangeInclusive<usize>) -> &'w str {
        let words = self.words;
        let suitable: Vec<&'w String> = words.iter().filter(|word| lengths.contains(&word.len())).collect();
        match suitable.get(self.pick(suitable.len())) {
            Some(word) => word,
            None => self.word(),
        }
    }

    /// The first letter of a word, with the bits of the letter alone.
    pub(super) fn first_letter(&mut self) -> String {
        let before = self.bits;
        let letter = self.word().get(..1).unwrap_or_default();
        let same = self.words.iter().filter(|word| word.starts_with(letter)).count();
        self.bits = before + (self.words.len().max(1) as f64 / same.max(1) as f64).log2();
        letter.to_owned()
    }

    /// So many words of the list, with this between them.
    pub(super) fn phrase(&mut self, count: usize, between: &str) -> String {
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(between)
    }

    /// The same, each with a capital.
    pub(super) fn capitalised(&mut self, count: usize, between: &str) -> String {
        (0..count).map(|_| capital(self.word())).collect::<Vec<_>>().join(between)
    }
}

/// A word with a capital.
pub(super) fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

/// True if a text has a character of each set.
pub(super) fn has_each(text: &str, sets: &[&str]) -> bool {
    sets.iter().all(|set| text.chars().any(|c| set.contains(c)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mixed_password_has_what_is_needed() {
        let mut source = Source::new(SeededRandom::new(4), &[]);
        for _ in 0..500 {
            let text = source.mixed(8, &[(3, DIGITS), (2, UPPER), (0, LOWER)]);
            let count = |set: &str| text.chars().filter(|&c| set.contains(c)).count();
            assert!(text.len() == 8 && count(DIGITS) >= 3 && count(UPPER) >= 2, "{text}");
        }
        let words = ["a", "bcd", "efghij"].map(str::to_owned);
        let mut source = Source::new(SeededRandom::new(4), &words);
        assert!((0..100).all(|_| source.word_of(3..=4) == "bcd"));
        assert!(source.bits_of_each(100).abs() < 1e-9, "one word of three letters or four");
        let words = ["ab", "ac", "ad", "b"].map(str::to_owned);
        let mut source = Source::new(SeededRandom::new(4), &words);
        let letters: String = (0..4000).map(|_| source.first_letter()).collect();
        assert!(has_each(&letters, &["a", "b"]));
        assert!((source.bits_of_each(4000) - 0.811).abs() < 0.02, "{}", source.bits_of_each(4000));
        assert_eq!(capital("word") + &capital(""), "Word");
    }
}
