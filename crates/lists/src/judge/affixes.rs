//! Words that nearly all begin or end in the same way, with a sign: the syntax of a program, a comment.

use std::collections::HashMap;

use crate::{line::nine_in_ten, refusal::Refusal};

/// The most characters of an affix.
const MOST: usize = 8;

/// Refuses words that have an affix with a sign in common.
///
/// # Errors
/// The [`Refusal`].
pub(super) fn judge(words: &[String]) -> Result<(), Refusal> {
    let at_start = affix(words, |word, length| word.chars().take(length).collect());
    let at_end = affix(words, |word, length| {
        let end: Vec<char> = word.chars().rev().take(length).collect();
        end.into_iter().rev().collect()
    });
    let has_sign = |affix: &&String| affix.chars().any(is_sign) || has_sign_beside_blank(affix);
    for (affix, place) in [(at_start, "begins"), (at_end, "ends")] {
        if let Some(affix) = affix.as_ref().filter(has_sign) {
            let content = format!("more than words: nearly each {place} with '{affix}'");
            return Err(super::more_than_words(content));
        }
    }
    Ok(())
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
            assert!(judge(&list).is_err(), "{list:?}");
        }
        for list in [
            words(|n| format!("x{n}word!")),
            words(|n| format!("the {n}word")),
            words(|n| format!("password{n}")),
            words(|n| format!("x{n}word@123")),
            words(|_| "x".to_owned()),
        ] {
            assert_eq!(judge(&list), Ok(()), "{list:?}");
        }
    }
}
