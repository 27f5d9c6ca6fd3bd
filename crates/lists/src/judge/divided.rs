//! Words that have the same sign between two texts: columns in a part of a list, in too few lines to be its
//! form.

use crate::{
    line::nine_in_ten,
    refusal::{Refusal, Way},
};

/// What divides columns: the text, its name, and true for a sign of a table.
const SIGNS: [(&str, &str, bool); 10] = [
    (":", "colons", true),
    (";", "semicolons", true),
    (",", "commas", true),
    ("|", "vertical bars", true),
    ("=", "'='", false),
    (" # ", "' # '", false),
    (" // ", "' // '", false),
    (" / ", "' / '", false),
    (" -> ", "' -> '", false),
    ("</", "'</'", false),
];

/// Refuses words of which more than one in three are divided; more than one in fifteen by one sign are a
/// doubt. Passwords have signs by chance, and seldom one with a name before it.
///
/// # Errors
/// The [`Refusal`].
pub(super) fn judge(words: &[String], doubts: &mut Vec<String>) -> Result<(), Refusal> {
    let number = |sign: &str| words.iter().filter(|word| is_divided(word, sign)).count();
    let most = SIGNS.iter().map(|sign| (number(sign.0), sign)).max_by_key(|(number, _)| *number);
    let Some((number, (sign, name, is_of_table))) = most else { return Ok(()) };
    let any = words.iter().filter(|word| SIGNS.iter().any(|(sign, ..)| is_divided(word, sign))).count();
    let found = || format!("columns by {name} in a part of its lines: {number} of {}", words.len());
    let is_refused = match words.len() {
        0..super::SOME => {
            nine_in_ten(any, words.len()) || !is_of_table && super::is_part(number, words.len(), 3)
        }
        _ => super::is_part(any, words.len(), 3),
    };
    if is_refused {
        let content = format!("{} that were looked at", found());
        return Err(Refusal::or_plain(content, way(sign, *is_of_table)));
    }
    if super::is_part(number, words.len(), super::DOUBTED) {
        doubts.push(format!("has {} that were looked at; is each line a word?", found()));
    }
    Ok(())
}

/// The two kinds of lines apart, or what is on one side of the sign.
fn way(sign: &str, is_of_table: bool) -> Way {
    if is_of_table {
        Way::Other(format!("two lists of it, grep '{sign}' LIST and grep -v '{sign}' LIST"))
    } else {
        Way::Copy(format!("of what is before it (sed 's|{sign}.*||') or behind it (sed 's|.*{sign}||')"))
    }
}

/// A name, the sign, and a text that is more than a smiley: not a time, an address, or a sentence.
fn is_divided(word: &str, sign: &str) -> bool {
    let address = behind_scheme(word);
    let Some((before, after)) = address.unwrap_or(word).split_once(sign) else { return false };
    let is_of_name = |c: char| {
        c.is_alphanumeric() || " ._-@+/:\\\"'".contains(c) || address.is_some() && "?&=%#~$".contains(c)
    };
    // An address has settings with this sign.
    let is_setting = address.is_some() && sign == "=";
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
    let is_sentence = after.starts_with(' ') && [":", ";", ","].contains(&sign) && !after.contains(sign);
    (address.is_some() || before.chars().count() > 1)
        && before.chars().all(is_of_name)
        && after.chars().count() > 1
        && after.contains(char::is_alphanumeric)
        && !after.starts_with("//")
        && !is_sentence
        && !is_setting
        && !(is_digits(before) && is_digits(after))
}

/// The path of an address, or its host and path; none for another text. A port is no column.
fn behind_scheme(word: &str) -> Option<&str> {
    let (scheme, rest) = word.split_once("://")?;
    if scheme.is_empty() || !scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    let port = rest.split_once(':').map(|(_, port)| port);
    let behind = port.map(|port| (port, port.trim_start_matches(|c: char| c.is_ascii_digit())));
    match behind {
        Some((port, path)) if path.len() < port.len() && (path.is_empty() || path.starts_with('/')) => {
            Some(path)
        }
        _ => Some(rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_divided_and_sentences_are_not() {
        for (word, sign) in [
            ("anna:pw", ":"),
            ("a@b.example;x1", ";"),
            ("a, b, c", ","),
            ("key = x1", "="),
            ("corp\\anna:pw", ":"),
            ("http://a.example/?b=c:anna:pw", ":"),
            ("http://a.example:80/:anna:pw", ":"),
            ("http://a.example:anna:pw", ":"),
        ] {
            assert!(is_divided(&format!("x{word}"), sign), "{word}");
        }
        for (word, sign) in [
            ("12:34", ":"),
            ("http://a", ":"),
            ("http://a.example:8080", ":"),
            ("http://a.example:8080/b", ":"),
            ("http://a.example/?b=12", "="),
            ("word:)", ":"),
            ("Acme, Inc.", ","),
            ("p$:w0rd", ":"),
            ("a:", ":"),
        ] {
            assert!(!is_divided(word, sign), "{word}");
        }
    }
}
