//! Words that are more than one thing: a word and a number that were not divided, or several words.

use std::collections::HashSet;

use crate::{line::nine_in_ten, refusal::Refusal};

/// Fewer words by blanks may all be different by chance.
const FEWEST_DIFFERENT: usize = 200;

/// Refuses words of which more than one in ten have a number before or after them, and lines of many words.
///
/// # Errors
/// The [`Refusal`].
pub(super) fn judge(words: &[String], doubts: &mut Vec<String>) -> Result<(), Refusal> {
    let counted = words.iter().filter(|word| has_number(word)).count();
    let joined = joined_counts(words);
    let is_counted = match words.len() {
        0..super::SOME => nine_in_ten(counted, words.len()),
        _ => super::is_part(counted, words.len(), 10),
    };
    if is_counted || joined.is_some() {
        let shown = joined.unwrap_or(counted);
        let content =
            format!("words with numbers beside them: {shown} of {} that were looked at", words.len());
        return Err(super::more_than_words(content));
    }
    if super::is_part(counted, words.len(), 20) {
        doubts.push(format!(
            "has words with numbers beside them: {counted} of {} that were looked at; are these counts?",
            words.len()
        ));
    }
    if is_running_text(words) {
        return Err(Refusal::or_copy("several words a line", "with a word a line (tr -s ' ' '\\n')"));
    }
    Ok(())
}

/// A number and a word, with blanks or a sign of a table between them.
fn has_number(word: &str) -> bool {
    let is_between = |c: char| c.is_whitespace() || matches!(c, ':' | ';' | ',' | '|' | '=');
    word.split_once(is_between).is_some_and(is_pair) || word.rsplit_once(is_between).is_some_and(is_pair)
}

/// The number of words that have a number behind or before a sign that passwords also have, if almost all
/// have one. Counts differ from line to line; what people add to words, as in `Acme@123`, is often the same.
fn joined_counts(words: &[String]) -> Option<usize> {
    let numbers: Vec<&str> = words.iter().filter_map(|word| joined_number(word)).collect();
    let different = numbers.iter().collect::<HashSet<_>>().len();
    let is_counted = nine_in_ten(numbers.len(), words.len()) && different.saturating_mul(2) > numbers.len();
    is_counted.then_some(numbers.len())
}

fn joined_number(word: &str) -> Option<&str> {
    let pair = word.rsplit_once(['@', '#', '*', '^', '~']).filter(|pair| is_pair(*pair))?;
    Some(if is_number(pair.1) { pair.1 } else { pair.0 })
}

fn is_pair((before, after): (&str, &str)) -> bool {
    is_number(before) && is_word(after) || is_word(before) && is_number(after)
}

fn is_number(text: &str) -> bool {
    let text = text.trim();
    text.bytes().any(|byte| byte.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b',' | b'.' | b'\''))
}

fn is_word(text: &str) -> bool {
    text.chars().any(char::is_alphabetic)
}

/// Lines of three words and more that are all different: phrases have some in common. In a part of a list
/// they are longer: names of people have three.
fn is_running_text(words: &[String]) -> bool {
    let longer_than = |least: usize| {
        words.iter().filter(move |word| word.split_whitespace().count() > least).collect::<Vec<_>>()
    };
    let (some, long) = (longer_than(2), longer_than(4));
    let lines = if nine_in_ten(some.len(), words.len()) { some } else { long };
    if !super::is_part(lines.len(), words.len(), 20) {
        return false;
    }
    let parts: Vec<&str> = lines.iter().flat_map(|word| word.split_whitespace()).collect();
    let different = parts.iter().collect::<HashSet<_>>().len();
    different >= FEWEST_DIFFERENT && different.saturating_mul(20) >= parts.len().saturating_mul(19)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_beside_words_are_counts_and_in_words_are_not() {
        for word in ["99 word", "word 99,901", "word\t9", "word:99", "99\u{3000}word", "word = 9.5"] {
            assert!(has_number(word), "{word}");
        }
        for word in ["word99", "12:34", "1 2 3", "the word", "p4ss,word", "a1 b2", "99"] {
            assert!(!has_number(word), "{word}");
        }
        assert_eq!(["word#99", "99*word", "word#a"].map(joined_number), [Some("99"), Some("99"), None]);
    }

    #[test]
    fn numbers_that_people_add_are_no_counts() {
        let counts = (0..100).map(|n| format!("Acme{n}@{}", 9000 - n));
        let habits = (0..20).flat_map(|n| [1, 12, 123, 2025].map(|added| format!("Acme{n}@{added}")));
        assert_eq!(joined_counts(&counts.collect::<Vec<_>>()), Some(100));
        assert_eq!(joined_counts(&habits.collect::<Vec<_>>()), None);
    }

    #[test]
    fn phrases_have_words_in_common_and_wrapped_lists_have_none() {
        let wrapped: Vec<String> = (0..100).map(|n| format!("a{n} b{n} c{n}")).collect();
        let phrases: Vec<String> = (0..100).map(|n| format!("the a{n} of b{n}")).collect();
        assert!(is_running_text(&wrapped) && !is_running_text(&phrases));
        let long = |n: usize| (0..8).map(|at| format!("a{n}b{at}")).collect::<Vec<_>>().join(" ");
        let part = |n: usize| if n % 3 == 0 { long(n) } else { format!("a{n}") };
        assert!(is_running_text(&(0..100).map(part).collect::<Vec<_>>()));
        let people = |n: usize| format!("a{n}{}", [" b", " c d"][n % 2].repeat(1 + n % 2));
        assert!(!is_running_text(&(0..100).map(people).collect::<Vec<_>>()));
    }
}
