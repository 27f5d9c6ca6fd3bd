//! Words with marks: whole quotes, the points of a list, labels, and the same sign at both ends.

use std::collections::HashMap;

use crate::{
    line::{nine_in_ten, unquoted},
    refusal::Refusal,
};

/// What is before the entries of a list of points.
const POINTS: [&str; 6] = ["- ", "* ", "> ", "+ ", "\u{2022} ", "\u{2013} "];

/// The most characters of a label, and of the signs at an end.
const LONGEST_LABEL: usize = 30;
const LONGEST_SIGNS: usize = 3;

/// Refuses words of which more than one in ten are in quotes or have a label, more than one in three have the
/// mark of a list, and nine in ten have the same signs at both ends.
///
/// # Errors
/// The [`Refusal`].
pub(super) fn judge(words: &[String], doubts: &mut Vec<String>) -> Result<(), Refusal> {
    quoted(words, doubts)?;
    pointed(words, doubts)?;
    labelled(words)?;
    between(words)
}

fn quoted(words: &[String], doubts: &mut Vec<String>) -> Result<(), Refusal> {
    let quoted: Vec<&String> =
        words.iter().filter(|word| word.len() > 2 && unquoted(word.as_bytes()).is_some()).collect();
    let content = format!("words in quotes: {} of {} that were looked at", quoted.len(), words.len());
    if super::is_part(quoted.len(), words.len(), 10) {
        let are_double = quoted.first().is_some_and(|word| !word.starts_with('\''));
        let signs = if are_double { "'\"`,'" } else { "\"',\"" };
        return Err(Refusal::or_copy(content, format!("without the quotes (tr -d {signs})")));
    }
    if super::is_part(quoted.len(), words.len(), super::DOUBTED) {
        doubts.push(format!("has {content}"));
    }
    Ok(())
}

fn pointed(words: &[String], doubts: &mut Vec<String>) -> Result<(), Refusal> {
    let number = |point: &str| words.iter().filter(|word| word.starts_with(point)).count();
    let most = POINTS.iter().map(|point| (number(point), point)).max_by_key(|(number, _)| *number);
    let Some((number, point)) = most else { return Ok(()) };
    let content =
        format!("words with a mark before them ('{point}'): {number} of {} that were looked at", words.len());
    // The name of the list is before a short one of YAML.
    let is_short = words.len() < super::SOME && number == words.len().saturating_sub(1) && number > 1;
    if is_short || super::is_part(number, words.len(), 3) {
        return Err(Refusal::or_copy(content, format!("without it (sed 's/^[{}] *//')", point.trim_end())));
    }
    if super::is_part(number, words.len(), super::DOUBTED) {
        doubts.push(format!("has {content}"));
    }
    Ok(())
}

fn labelled(words: &[String]) -> Result<(), Refusal> {
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    for label in words.iter().filter_map(|word| label(word)) {
        let number = numbers.entry(label).or_default();
        *number = number.saturating_add(1);
    }
    let is_common = |(_, number): &(&str, usize)| *number >= 3 && super::is_part(*number, words.len(), 10);
    let is_password = |label: &str| label.to_lowercase().contains("pass");
    // The label of the passwords, if they have one.
    let found: Vec<(&str, usize)> = numbers.into_iter().filter(is_common).collect();
    let is_only = found.len() == 1;
    let Some((label, _)) =
        found.into_iter().max_by_key(|&(label, number)| (is_password(label), number, label))
    else {
        return Ok(());
    };
    let content = format!("lines with labels, such as '{label}'");
    // The lines without one are words, unless other lines have other labels.
    let (only, print) = if is_only { ("", "") } else { ("-n ", "p") };
    Err(Refusal::or_copy(
        content,
        format!("of what is behind it (sed {only}'s|^ *{label} *[:=] *||{print}')"),
    ))
}

/// The text before a colon or an equals sign, in letters.
fn label(word: &str) -> Option<&str> {
    let (label, value) = word.split_once([':', '='])?;
    let label = label.trim();
    let is_of_label = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-');
    let is_one = label.starts_with(char::is_alphabetic)
        && label.chars().all(is_of_label)
        && (2..=LONGEST_LABEL).contains(&label.chars().count());
    let is_value = value.trim().chars().count() > 1 && !value.starts_with("//");
    (is_one && is_value).then_some(label)
}

fn between(words: &[String]) -> Result<(), Refusal> {
    let mut numbers: HashMap<(&str, &str), usize> = HashMap::new();
    for signs in words.iter().filter_map(|word| signs(word)) {
        let number = numbers.entry(signs).or_default();
        *number = number.saturating_add(1);
    }
    let most = numbers.into_iter().max_by_key(|&(signs, number)| (number, signs));
    let Some(((before, behind), _)) = most.filter(|(_, number)| nine_in_ten(*number, words.len())) else {
        return Ok(());
    };
    let ends = if before == behind {
        format!("begins and ends with '{before}'")
    } else {
        format!("begins with '{before}' and ends with '{behind}'")
    };
    let copy = format!("without them (tr -d '{}')", removed(before, behind));
    Err(Refusal::or_copy(format!("more than words: nearly each {ends}"), copy))
}

/// The signs as `tr` reads them between the shell's single quotes: a hyphen is a range, but at the end.
fn removed(before: &str, behind: &str) -> String {
    let mut signs: Vec<char> = before.chars().chain(behind.chars()).collect();
    signs.sort_unstable_by_key(|sign| (*sign == '-', *sign));
    signs.dedup();
    signs.into_iter().collect::<String>().replace('\\', "\\\\").replace('\'', "'\\''")
}

/// The signs before and behind a word that has both.
fn signs(word: &str) -> Option<(&str, &str)> {
    let is_inner = |c: char| !c.is_ascii_punctuation();
    let (first, last) = (word.find(is_inner)?, word.rfind(is_inner)?);
    let before = word.get(..first)?;
    let behind = word.get(last..)?.trim_start_matches(is_inner);
    let is_some = |signs: &str| (1..=LONGEST_SIGNS).contains(&signs.len());
    let is_around = before == behind || behind.chars().eq(before.chars().rev().map(closing));
    (is_some(before) && is_some(behind) && is_around).then_some((before, behind))
}

/// The sign that is behind what another is before.
fn closing(sign: char) -> char {
    match sign {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_and_signs_are_those_of_forms() {
        assert_eq!(label("Password : x1"), Some("Password"));
        assert_eq!(label("text = \"word\""), Some("text"));
        for word in ["http://a", "word:)", "12:34", "w0rd", "p$w:word"] {
            assert_eq!(label(word), None, "{word}");
        }
        assert_eq!(signs("**word**"), Some(("**", "**")));
        assert_eq!(signs("[wörd]"), Some(("[", "]")));
        for word in ["word!", "#word", "word", "****", "!!!!word!!!!", "$a['b';", "(acme!"] {
            assert_eq!(signs(word), None, "{word}");
        }
    }
}
