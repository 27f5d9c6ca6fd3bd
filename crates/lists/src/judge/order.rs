//! Numbers at the ends of words that are in the order of the lines: the numbers of a list's entries, or
//! counts.

use crate::{line::nine_in_ten, refusal::Refusal};

/// The most digits of such a number.
const MOST_DIGITS: usize = 9;

/// Refuses words of which nine in ten have a number before them that rises from line to line, or one behind a
/// sign that falls.
///
/// # Errors
/// The [`Refusal`].
pub(super) fn judge(words: &[String]) -> Result<(), Refusal> {
    if words.len() < super::SOME {
        return Ok(());
    }
    let is_padded = are_padded(words);
    let before: Vec<u32> = words.iter().filter_map(|word| number_before(word, is_padded)).collect();
    if are_in_order(&before, words.len(), |a, b| a < b) {
        let content = format!("numbered words: {} of {} that were looked at", before.len(), words.len());
        return Err(Refusal::or_copy(content, "without the numbers (sed 's/^[0-9]*[^[:alnum:]]*//')"));
    }
    let behind: Vec<u32> = words.iter().filter_map(|word| number_behind(word)).collect();
    if are_in_order(&behind, words.len(), |a, b| a >= b) && behind.first() > behind.last() {
        let found = behind.len();
        let content =
            format!("words with numbers beside them: {found} of {} that were looked at", words.len());
        return Err(Refusal::or_copy(content, "without the numbers (sed 's/[^[:alnum:]]*[0-9]*$//')"));
    }
    Ok(())
}

fn are_in_order(numbers: &[u32], words: usize, is_next: impl Fn(u32, u32) -> bool) -> bool {
    let next = numbers.windows(2).filter(|pair| matches!(pair, [a, b] if is_next(*a, *b))).count();
    let pairs = numbers.len().saturating_sub(1);
    nine_in_ten(numbers.len(), words) && nine_in_ten(next, pairs)
}

/// True for numbers with zeros before them, so that all have as many digits.
fn are_padded(words: &[String]) -> bool {
    let digits = |word: &String| word.find(|c: char| !c.is_ascii_digit());
    let (first, last) = (words.first(), words.last());
    first.is_some_and(|word| word.starts_with("00")) && first.and_then(digits) == last.and_then(digits)
}

/// The number before a text with letters, with a sign between them if it is not padded.
fn number_before(word: &str, is_padded: bool) -> Option<u32> {
    let end = word.find(|c: char| !c.is_ascii_digit()).filter(|end| (1..=MOST_DIGITS).contains(end))?;
    let (digits, rest) = word.split_at_checked(end)?;
    let is_divided = is_padded || !rest.starts_with(char::is_alphabetic);
    (is_divided && rest.contains(char::is_alphabetic)).then(|| digits.parse().ok())?
}

/// The number behind a text with letters and a sign.
fn number_behind(word: &str) -> Option<u32> {
    let before = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = word.get(before.len()..).filter(|digits| digits.len() <= MOST_DIGITS)?;
    let is_behind_sign = before.ends_with(|c: char| c.is_ascii_punctuation());
    (is_behind_sign && before.contains(char::is_alphabetic)).then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_before_and_behind_letters() {
        let numbers = ["1. word", "0012word", "12", "word"];
        assert_eq!(numbers.map(|word| number_before(word, true)), [Some(1), Some(12), None, None]);
        assert_eq!(numbers.map(|word| number_before(word, false)), [Some(1), None, None, None]);
        assert_eq!(
            ["word-12", "word.7", "word12", "1-2"].map(number_behind),
            [Some(12), Some(7), None, None]
        );
    }
}
