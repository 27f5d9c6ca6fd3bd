//! The spelling experiment of Manber and Wu: of the distinct words of texts, how many are in no list, how
//! many of these are one edit away from a word, and how many of those are mistakes; beside other checkers.

use std::{
    collections::{BTreeSet, HashSet},
    io,
};

use nearmiss_filters::dictionary::FilterError;
use serde::Serialize;

use crate::{
    spell::{Speller, Want, stem},
    table::Table,
};

mod peers;

pub(crate) use peers::SpellPeer;

/// A checker's answers for the distinct words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Found {
    /// The checker.
    pub(crate) checker: String,
    /// Why it was not asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) skipped: Option<String>,
    /// Distinct words.
    pub(crate) words: u64,
    /// Words it does not know.
    pub(crate) unknown: u64,
    /// Unknown words for which it knows one that is one edit away.
    pub(crate) near: u64,
    /// Of the near ones: those that are known to be mistakes; none if nobody said which are.
    pub(crate) mistakes: Option<u64>,
    /// The near words.
    #[serde(skip)]
    pub(crate) near_words: BTreeSet<String>,
}

/// The distinct words of texts, without possessive endings; case counts.
pub(crate) fn distinct<'t>(tokens: impl Iterator<Item = &'t str>) -> Vec<String> {
    let words: BTreeSet<String> = tokens.map(|token| stem(token).to_owned()).collect();
    words.into_iter().collect()
}

impl Found {
    /// Counts by the unknown words, each with whether it is near.
    fn of(
        checker: &str,
        words: &[String],
        unknown: &[(String, bool)],
        mistakes: Option<&HashSet<String>>,
    ) -> Found {
        let near_words: BTreeSet<String> =
            unknown.iter().filter(|(_, is_near)| *is_near).map(|(word, _)| word.clone()).collect();
        let of_mistakes = |mistakes: &HashSet<String>| {
            near_words.iter().filter(|word| mistakes.contains(&word.to_lowercase())).count() as u64
        };
        Found {
            checker: checker.to_owned(),
            skipped: None,
            words: words.len() as u64,
            unknown: unknown.len() as u64,
            near: near_words.len() as u64,
            mistakes: mistakes.map(of_mistakes),
            near_words,
        }
    }
}

/// The filters' answers.
///
/// # Errors
/// A [`FilterError`] for a page that cannot be read.
pub(crate) fn by_filters(
    speller: &mut Speller,
    words: &[String],
    mistakes: Option<&HashSet<String>>,
) -> Result<Found, FilterError> {
    let mut unknown = Vec::new();
    let counts = std::collections::HashMap::new();
    for word in words {
        if !speller.is_known(word)? {
            let is_near = speller.spelling(word, Want::Near, &counts)?.is_near == Some(true);
            unknown.push((word.clone(), is_near));
        }
    }
    Ok(Found::of("filterlab", words, &unknown, mistakes))
}

/// Another checker's answer, or the reason why it cannot be asked.
///
/// # Errors
/// It did not answer for each word.
pub(crate) fn by_peer(
    peer: SpellPeer,
    words: &[String],
    mistakes: Option<&HashSet<String>>,
) -> io::Result<Found> {
    match peer.unknown(words) {
        Ok(unknown) => Ok(Found::of(peer.program(), words, &unknown, mistakes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Found {
            checker: peer.program().to_owned(),
            skipped: Some(format!("{} is not installed", peer.program())),
            ..Found::default()
        }),
        Err(error) => Err(error),
    }
}

/// The counts as CSV.
pub(crate) fn csv(all: &[Found]) -> String {
    let mut table = Table::new(&["checker", "words", "unknown", "near", "mistakes"]);
    for found in all.iter().filter(|found| found.skipped.is_none()) {
        let mistakes = found.mistakes.map_or(String::new(), |count| count.to_string());
        table.row(&[&found.checker, &found.words, &found.unknown, &found.near, &mistakes]);
    }
    table.into_csv()
}

/// True when one letter more, less or other, or two neighbouring ones exchanged, make one word of the other.
fn is_one_edit(a: &str, b: &str) -> bool {
    let [a, b]: [Vec<char>; 2] = [a, b].map(|text| text.to_lowercase().chars().collect());
    let [short, long] = if a.len() <= b.len() { [&a, &b] } else { [&b, &a] };
    let same = short.iter().zip(long).take_while(|(a, b)| a == b).count();
    let [short, long] = [short, long].map(|text| text.get(same..).unwrap_or_default());
    match (short, long) {
        ([a, b, rest @ ..], [c, d, others @ ..]) if a == d && b == c && rest == others => true,
        ([_, rest @ ..], [_, others @ ..]) if short.len() == long.len() => rest == others,
        (_, [_, others @ ..]) => short == others,
        (_, []) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_edit_is_one_edit() {
        for (a, b) in [("teh", "the"), ("wrod", "word"), ("wor", "word"), ("words", "word"), ("ward", "Word")]
        {
            assert!(is_one_edit(a, b) && is_one_edit(b, a), "{a} {b}");
        }
        for (a, b) in [("word", "word"), ("wo", "word"), ("drow", "word"), ("abcd", "badc"), ("", "")] {
            assert!(!is_one_edit(a, b), "{a} {b}");
        }
    }

    #[test]
    fn words_are_counted_once_and_mistakes_by_the_list_of_them() {
        let words = distinct(["dog's", "dog", "teh", "qqqq", "dgo"].into_iter());
        assert_eq!(words, ["dgo", "dog", "qqqq", "teh"]);
        let unknown = [("dgo".to_owned(), true), ("teh".to_owned(), true), ("qqqq".to_owned(), false)];
        let found = Found::of("x", &words, &unknown, Some(&HashSet::from(["teh".to_owned()])));
        assert_eq!((found.words, found.unknown, found.near, found.mistakes), (4, 3, 2, Some(1)));
    }
}
