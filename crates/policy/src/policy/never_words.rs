//! The words that a password must not contain.

use std::fmt;

use nearmiss_filters::word::Word;

/// The fewest characters of a word.
const MIN_CHARACTERS: usize = 4;

/// The most: a bit for each.
const MAX_CHARACTERS: usize = 64;

/// The most words.
const MAX_WORDS: usize = 1000;

/// Words that a password must not contain, cleaned.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct NeverWords(Vec<Word>);

impl NeverWords {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Word> {
        self.0.iter()
    }

    /// Adds a word, without blanks at its ends.
    ///
    /// # Errors
    /// The broken rule, in words.
    pub fn add(&mut self, text: &[u8]) -> Result<(), &'static str> {
        let word = Word::clean(text.trim_ascii()).unwrap_or_default();
        if !(MIN_CHARACTERS..=MAX_CHARACTERS).contains(&word.len()) {
            return Err("a forbidden word must have 4 to 64 characters");
        }
        if self.0.len() >= MAX_WORDS {
            return Err("there are more than 1000 forbidden words");
        }
        self.0.push(word);
        Ok(())
    }
}

/// Shows their number only: the words must not be logged.
impl fmt::Debug for NeverWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} words", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_neither_too_short_nor_too_long_nor_too_many() {
        let mut never = NeverWords::default();
        assert!(never.add(b"abc").is_err() && never.add(&[b'x'; 65]).is_err());
        assert!(never.add(&[b'x'; 300]).is_err() && never.add(b"").is_err());
        assert!(never.add(b"abcd").is_ok() && never.add(&[b'x'; 64]).is_ok());
        for number in 2..MAX_WORDS {
            never.add(format!("word{number}").as_bytes()).unwrap();
        }
        assert!(never.add(b"abcd").is_err());
        assert_eq!(format!("{never:?}"), "1000 words");
    }
}
