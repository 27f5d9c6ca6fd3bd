//! What to write instead of a value with quotes, brackets or a comma too many or too few.

use std::ops::Range;

use super::document::{Mistake, Write};

/// The longest value that a message shows, in bytes.
const LONGEST: usize = 64;

/// The advice for a text that the parser refuses with the words `said`.
#[cold]
#[inline(never)]
pub(super) fn refused(text: &str, span: Range<usize>, said: &str) -> Mistake {
    if said.starts_with("missing comma") {
        return Mistake::at(span, "write a comma between the values of a list");
    }
    // The parser judges a word without quotes by its first letter: it takes `near` for `nan`.
    let is_word = ["string values must be quoted", "invalid float", "invalid boolean"];
    if !is_word.iter().any(|start| said.starts_with(start)) {
        return Mistake::at(span, format!("not TOML: {said}"));
    }
    let span = word_at(text, span.start);
    let (words, write) = advice(text.get(span.clone()).unwrap_or_default());
    Mistake { span, words: words.to_owned(), write }
}

fn advice(word: &str) -> (&'static str, Write) {
    let number = word.trim_end_matches(|end: char| !end.is_ascii_alphanumeric());
    let is = |words: &[&str]| words.iter().any(|other| word.eq_ignore_ascii_case(other));
    match word {
        "" => ("write a value behind the '='", Write::Nothing),
        _ if is(&["true", "yes", "on"]) => ("write true or false", Write::This("true")),
        _ if is(&["false", "no", "off"]) => ("write true or false", Write::This("false")),
        _ if number.bytes().all(|byte| byte.is_ascii_digit()) => ("write only the number", Write::Nothing),
        _ => ("write the value in quotes", Write::Quoted),
    }
}

/// The word around a position.
fn word_at(text: &str, at: usize) -> Range<usize> {
    let is_outside = |letter: char| letter.is_whitespace() || "=[]{},#\"'".contains(letter);
    let (before, behind) = text.split_at_checked(at).unwrap_or((text, ""));
    let lead = before.rsplit(is_outside).next().unwrap_or_default().len();
    let rest = behind.split(is_outside).next().unwrap_or_default().len();
    at.saturating_sub(lead)..at.saturating_add(rest)
}

/// The sentence of a mistake: with the key, if the value is not inside a list, and the line to write.
#[cold]
#[inline(never)]
pub(super) fn sentence(text: &str, mistake: &Mistake) -> String {
    let words = &mistake.words;
    let Some(key) = key_before(text, mistake.span.start).filter(|_| mistake.write != Write::Words) else {
        return words.clone();
    };
    let raw = text.get(mistake.span.clone()).unwrap_or_default();
    let value = match mistake.write {
        _ if raw.len() > LONGEST || raw.contains(char::is_control) => return format!("{key}: {words}"),
        Write::Words | Write::Nothing => return format!("{key}: {words}"),
        Write::This(value) => value.to_owned(),
        Write::Bare => raw.trim_matches(['"', '\'']).to_owned(),
        Write::Quoted => format!("\"{raw}\""),
        Write::Listed => format!("[{raw}]"),
    };
    format!("{key}: {words}: {key} = {value}")
}

/// The key whose value begins at `at`; none for an element of a list.
fn key_before(text: &str, at: usize) -> Option<&str> {
    let before = text.get(..at)?.trim_end().strip_suffix('=')?.trim_end();
    let is_outside = |letter: char| !letter.is_ascii_alphanumeric() && !"_-.".contains(letter);
    before.rsplit(is_outside).next().filter(|key| !key.is_empty())
}
