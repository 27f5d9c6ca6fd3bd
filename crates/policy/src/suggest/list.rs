//! The list that words of passphrases are drawn from.

use std::{
    error::Error,
    fmt, io,
    ops::Range,
    path::{Path, PathBuf},
};

use nearmiss_filters::{
    keys::{self, Keyed, MessageKey},
    ladder::RandomSource,
    storage::{StorageError, read_trusted},
};

/// The least number of words in a list: with fewer, passphrases get too long to be used.
pub(crate) const MIN_WORDS: usize = 1000;

/// The length of a word: shorter ones run together, longer ones are hard to type.
const LENGTHS: std::ops::RangeInclusive<usize> = 3..=12;

/// The most bytes of a list.
const MAX_BYTES: usize = 1 << 20;

/// A list of different words.
pub struct WordList {
    text: String,
    words: Vec<Range<usize>>,
    shortest: usize,
    longest: usize,
}

impl WordList {
    /// Reads a list: one word a line, in the order of their bytes, as `LC_ALL=C sort -u` writes them.
    ///
    /// # Errors
    /// [`WordListError`]: the file cannot be read or is not trusted, or is not such a list.
    pub fn open(path: &Path) -> Result<WordList, WordListError> {
        let bytes = read_trusted(path, MAX_BYTES).map_err(WordListError::Storage)?;
        WordList::parse(bytes).map_err(|problem| WordListError::List { path: path.to_owned(), problem })
    }

    /// The list in these bytes.
    ///
    /// # Errors
    /// [`ListProblem`].
    pub fn parse(bytes: Vec<u8>) -> Result<WordList, ListProblem> {
        let text = String::from_utf8(bytes).map_err(|_| ListProblem::NotUtf8)?;
        let (mut words, mut at, mut before) = (Vec::new(), 0_usize, "");
        let (mut shortest, mut longest) = (usize::MAX, 0);
        let lines = text.strip_suffix('\n').unwrap_or(&text);
        for (number, word) in lines.split('\n').enumerate() {
            let line = number.saturating_add(1);
            if !is_word(word) {
                return Err(ListProblem::NotAWord { line });
            }
            if word <= before {
                return Err(ListProblem::NotSorted { line });
            }
            let end = at.saturating_add(word.len());
            words.push(at..end);
            (at, before) = (end.saturating_add(1), word);
            (shortest, longest) = (shortest.min(word.chars().count()), longest.max(word.len()));
        }
        if words.len() < MIN_WORDS {
            return Err(ListProblem::TooFew { words: words.len() });
        }
        Ok(WordList { text, words, shortest, longest })
    }

    /// The number of words.
    #[allow(clippy::len_without_is_empty, reason = "there are always words")]
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Characters of the shortest word.
    pub(super) fn shortest(&self) -> usize {
        self.shortest
    }

    /// Bytes of the longest word.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// A random word, all equally likely.
    pub(super) fn draw(&self, random: &mut impl RandomSource) -> io::Result<&str> {
        let drawn = random.below(self.words.len() as u64)?;
        let word = usize::try_from(drawn).ok().and_then(|at| self.text.get(self.words.get(at)?.clone()));
        word.ok_or_else(|| io::ErrorKind::InvalidData.into())
    }
}

/// True for lower-case letters only, which are easy to type and to say. A carriage return is not one of them.
fn is_word(word: &str) -> bool {
    LENGTHS.contains(&word.chars().count()) && word.chars().all(|c| c.is_alphabetic() && !c.is_uppercase())
}

/// The reason why no words can be drawn from a list.
#[derive(Debug)]
#[non_exhaustive]
pub enum WordListError {
    /// The file cannot be read or is not trusted.
    Storage(StorageError),
    /// It is not a list of words.
    List {
        /// The file.
        path: PathBuf,
        /// Its error.
        problem: ListProblem,
    },
}

/// An error in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ListProblem {
    /// It is not UTF-8.
    NotUtf8,
    /// A line is not a word of 3 to 12 lower-case letters.
    NotAWord {
        /// The line, from 1.
        line: usize,
    },
    /// A word does not follow the one before it in order, so that it could be a duplicate.
    NotSorted {
        /// The line, from 1.
        line: usize,
    },
    /// There are fewer than `MIN_WORDS`.
    TooFew {
        /// Their number.
        words: usize,
    },
}

impl fmt::Display for ListProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ListProblem::NotUtf8 => f.write_str("is not UTF-8 text"),
            ListProblem::NotAWord { line } => {
                write!(f, "line {line} is not a word of 3 to 12 lower-case letters")
            }
            ListProblem::NotSorted { line } => {
                write!(f, "line {line} is not in order; sort the list with LC_ALL=C sort -u")
            }
            ListProblem::TooFew { words } => {
                write!(f, "has {words} words; passphrases need a list of at least {MIN_WORDS}")
            }
        }
    }
}

impl fmt::Display for WordListError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WordListError::Storage(error) => error.fmt(f),
            WordListError::List { path, problem } => write!(f, "{}: {problem}", path.display()),
        }
    }
}

impl Keyed for WordListError {
    fn key(&self) -> MessageKey {
        match self {
            WordListError::Storage(error) => error.key(),
            WordListError::List { .. } => keys::SUGGEST_WORDS,
        }
    }
}

impl Error for WordListError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            WordListError::Storage(error) => Some(error),
            WordListError::List { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(count: usize) -> Vec<String> {
        let letter = |digit: usize| char::from(b'a' + u8::try_from(digit % 26).unwrap());
        (0..count).map(|n| [n / 676, n / 26, n].map(letter).iter().collect()).collect()
    }

    fn problem(words: &[String]) -> Option<ListProblem> {
        WordList::parse(words.join("\n").into_bytes()).err()
    }

    #[test]
    fn a_list_is_sorted_words_of_letters() {
        let words = numbered(1000);
        assert_eq!(problem(&words), None);
        assert_eq!(problem(&numbered(999)), Some(ListProblem::TooFew { words: 999 }));
        for wrong in ["ab", "abcdefghijklm", "aaB", "a-b", "aa1", "aaa\r", "", " aaa"] {
            let mut words = words.clone();
            words[7] = wrong.to_owned();
            assert_eq!(problem(&words), Some(ListProblem::NotAWord { line: 8 }), "{wrong:?}");
        }
        let mut twice = words.clone();
        twice[8] = twice[7].clone();
        assert_eq!(problem(&twice), Some(ListProblem::NotSorted { line: 9 }));
        assert!(matches!(WordList::parse(vec![0xff]), Err(ListProblem::NotUtf8)));
    }

    #[test]
    fn words_need_not_be_ascii() {
        let words: Vec<String> = numbered(1000).iter().map(|word| format!("é{word}")).collect();
        let list = WordList::parse(words.join("\n").into_bytes()).unwrap();
        assert_eq!((list.shortest(), list.longest(), list.len()), (4, 5, 1000));
    }

    #[test]
    fn a_list_that_is_not_there_is_named() {
        let error = WordList::open(Path::new("/nonexistent/words.lst")).err().unwrap();
        assert!(error.to_string().contains("/nonexistent"), "{error}");
    }
}
