//! Words that nearly all begin or end in the same way, with a sign: the syntax of a program, a comment.

use std::collections::HashMap;

use crate::{line::nine_in_ten, refusal::Refusal};

/// The most characters of an affix.
const MOST: usize = 40;

/// More than one word in so many that end with the same sign of passwords are a doubt. Of leaked passwords
/// and the built-in lists, at most one in 100 ends with one of them (`!`), and more where a rule demands
/// signs.
const DOUBTED_SIGNS: usize = 5;

/// Fewer words may begin or end with the same sign by chance: random ones do so in one of 94.
const FEWEST_WITH_SIGN: usize = 8;

/// Refuses words that have an affix with a sign in common; the same sign in a part of them is a doubt. Of
/// leaked passwords and the built-in lists, at most one in 500 begins with the same sign, or ends with the
/// same sign of syntax.
///
/// # Errors
/// The [`Refusal`].
pub(super) fn judge(words: &[String], doubts: &mut Vec<String>) -> Result<(), Refusal> {
    let at_start = affix(words, |word, length| word.chars().take(length).collect());
    let at_end = affix(words, |word, length| {
        let end: Vec<char> = word.chars().rev().take(length).collect();
        end.into_iter().rev().collect()
    });
    // Letters beside the signs may belong to the words, if these are in the order of the alphabet.
    let is_letter = |c: char| c.is_alphanumeric();
    let at_start = at_start.map(|affix| affix.trim_end_matches(is_letter).to_owned());
    let at_end = at_end.map(|affix| affix.trim_start_matches(is_letter).to_owned());
    let has_sign = |affix: &String| affix.chars().any(is_sign) || has_sign_beside_blank(affix);
    let refusal = |said: String, expression: String| {
        let content = format!("more than words: nearly each {said}");
        Refusal::or_copy(content, format!("without it (sed '{expression}')"))
    };
    let (start, end) = (at_start.filter(has_sign), at_end.filter(has_sign));
    match (start.as_deref(), end.as_deref()) {
        (Some(start), Some(end)) => Err(refusal(
            format!("begins with '{start}' and ends with '{end}'"),
            format!("s|^{}||; {}", expression(start), without_end(end)),
        )),
        (Some(start), None) => {
            Err(refusal(format!("begins with '{start}'"), format!("s|^{}||", expression(start))))
        }
        (None, Some(end)) => Err(refusal(format!("ends with '{end}'"), without_end(end))),
        (None, None) => Ok(()),
    }?;
    doubts.extend(doubt(words, "begin", |word| first_sign(word).map(|sign| (sign, super::DOUBTED))));
    doubts.extend(doubt(words, "end", last_sign));
    Ok(())
}

/// The doubt about words that begin or end with the same sign: `sign` gives that of a word, and of how many
/// words more than one must have it.
fn doubt(words: &[String], place: &str, sign: impl Fn(&str) -> Option<(char, usize)>) -> Option<String> {
    let mut counts: HashMap<(char, usize), usize> = HashMap::new();
    for found in words.iter().filter_map(|word| sign(word)) {
        let count = counts.entry(found).or_default();
        *count = count.saturating_add(1);
    }
    let is_part = |((_, parts), count): &((char, usize), usize)| {
        *count >= FEWEST_WITH_SIGN && super::is_part(*count, words.len(), *parts)
    };
    let ((sign, _), count) = counts.into_iter().filter(is_part).max_by_key(|&(sign, count)| (count, sign))?;
    let all = words.len();
    Some(format!(
        "has words that {place} with '{sign}': {count} of {all} that were looked at; does it belong to them?"
    ))
}

/// The sign that a word begins with, unless it is a face or a question in Spanish.
fn first_sign(word: &str) -> Option<char> {
    let mut characters = word.chars();
    let first = characters.next().filter(|&c| c.is_ascii_punctuation() || is_sign(c))?;
    let is_face = is_eyes(first) && characters.next().is_some_and(|c| c.is_ascii_punctuation());
    (!is_face && !matches!(first, '\u{a1}' | '\u{bf}' | '\u{2019}')).then_some(first)
}

/// The sign that a word ends with, and of how many words more than one must have it for a doubt. People put
/// some signs behind words, notes in brackets behind names, and full stops behind short forms.
fn last_sign(word: &str) -> Option<(char, usize)> {
    // Line ends that a program has written in letters.
    let word = word.strip_suffix("\\n").map_or(word, |_| "\\");
    let word = word.strip_suffix("^M").map_or(word, |_| "^");
    let last = word.chars().next_back().filter(|&c| c.is_ascii_punctuation() || is_sign(c))?;
    let before = word.chars().nth_back(1);
    let is_share = last == '%' && before.is_some_and(|c| c.is_ascii_digit());
    let is_face = !is_eyes(last) && before.is_some_and(is_eyes);
    let is_note = last == ')' && word.rsplit_once(" (").is_some_and(|(_, note)| is_of_note(note));
    let is_short_form = last == '.' && word.contains(' ');
    if is_face
        || is_note
        || is_short_form
        || is_share
        || matches!(last, '!' | '?' | '*' | '\u{aa}' | '\u{ba}' | '\u{2019}')
    {
        return None;
    }
    Some((last, if is_sign(last) { super::DOUBTED } else { DOUBTED_SIGNS }))
}

/// True for the eyes, or the nose, of a face of signs.
fn is_eyes(c: char) -> bool {
    matches!(c, ':' | ';' | '=' | '-')
}

/// True for a note in words: a number alone is a count.
fn is_of_note(note: &str) -> bool {
    let is_of_note = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '.');
    note.contains(char::is_alphabetic) && note.trim_end_matches(')').chars().all(is_of_note)
}

/// The command of sed that removes this end of a word, and the separators that were behind it on its line.
fn without_end(end: &str) -> String {
    format!("s|{}[,;[:blank:]]*$||", expression(end))
}

/// The expression of sed for this text between single quotes and bars.
fn expression(text: &str) -> String {
    let of = |c: char| match c {
        '\\' | '[' | ']' | '*' | '^' | '$' => format!("\\{c}"),
        // Another sign does as well in its place.
        '\'' | '|' => ".".to_owned(),
        other => other.to_string(),
    };
    text.chars().map(of).collect()
}

/// The longest affix that nine in ten words have; less than the shortest word, so that a list of the same
/// word has none.
fn affix(words: &[String], of: impl Fn(&str, usize) -> String) -> Option<String> {
    let mut longest = None;
    for length in 1..=MOST {
        let mut counts: HashMap<String, usize> = HashMap::new();
        for word in words.iter().filter(|word| word.chars().nth(length).is_some()) {
            let count = counts.entry(of(word, length)).or_default();
            *count = count.saturating_add(1);
        }
        let most = counts.into_iter().max_by_key(|(_, count)| *count);
        let Some((affix, _)) = most.filter(|(_, count)| nine_in_ten(*count, words.len())) else {
            break;
        };
        longest = Some(affix);
    }
    longest
}

/// The signs of syntax: those that people put around passwords (`!`, `.`, `@`, `#`, `-`) are none.
fn is_sign(c: char) -> bool {
    let is_of_passwords = matches!(c, '!' | '?' | '.' | '-' | '_' | '+' | '&' | '@' | '#' | '$' | '*' | '%');
    let is_mark = matches!(u32::from(c), 0xa1..=0xbf | 0x2010..=0x2bff | 0x3000..=0x303f);
    c.is_ascii_punctuation() && !is_of_passwords || is_mark
}

/// True for any sign with a blank beside it, as before a comment; phrases may begin with the same word.
fn has_sign_beside_blank(affix: &str) -> bool {
    let signs: Vec<(bool, bool)> =
        affix.chars().map(|c| (c.is_whitespace(), c.is_ascii_punctuation())).collect();
    let is_beside = |pair: &[(bool, bool)]| matches!(pair, [(true, _), (_, true)] | [(_, true), (true, _)]);
    signs.windows(2).any(is_beside)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(word: impl Fn(u32) -> String) -> Vec<String> {
        (0..50).map(word).collect()
    }

    #[test]
    fn syntax_at_the_ends_is_refused_and_what_people_append_is_not() {
        for list in [
            words(|n| format!("'word{n}")),
            words(|n| format!("x{n}y # a word")),
            words(|n| format!("$w[] = {n}x")),
            words(|n| format!("• word{n}")),
        ] {
            assert!(judge(&list, &mut Vec::new()).is_err(), "{list:?}");
        }
        for list in [
            words(|n| format!("x{n}word!")),
            words(|n| format!("the {n}word")),
            words(|n| format!("password{n}")),
            words(|n| format!("x{n}word@123")),
            words(|_| "x".to_owned()),
        ] {
            assert_eq!(judge(&list, &mut Vec::new()), Ok(()), "{list:?}");
        }
    }
}
