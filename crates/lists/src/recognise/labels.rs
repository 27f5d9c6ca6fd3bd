//! Lines that name each value, as programs print what they tried: `login: anna  password: x`. The columns
//! that their colons make have a name and the value before it together.

use super::Beginning;
use crate::{
    line::is_most,
    recognise::names::{PASSWORD_NAMES, is_of_words},
    refusal::Refusal,
};

/// What is between the value of a label and the next label: the text, and the expression of sed for it.
const ENDS: [(&str, &str); 6] =
    [(", ", ", "), ("; ", "; "), ("\t", "[[:blank:]]"), (" ", " "), ("&", "&"), (";", ";")];

/// Refuses lines of which nearly each has the same name of passwords before a colon or an equals sign, and
/// something else before that.
///
/// # Errors
/// The [`Refusal`].
pub(super) fn refused(beginning: &Beginning<'_>) -> Result<(), Refusal> {
    let lines = || beginning.lines.iter().map(|line| String::from_utf8_lossy(line));
    let labels = || lines().find_map(|line| password_label(&line));
    let Some(label) = labels().filter(|label| beginning.most(|line| value(line, label).is_some())) else {
        return Ok(());
    };
    let values: Vec<Vec<u8>> = beginning.lines.iter().filter_map(|line| value(line, &label)).collect();
    let has = |text: &str| {
        is_most(values.iter().map(Vec::as_slice), |value| {
            memchr::memmem::find(value, text.as_bytes()).is_some()
        })
    };
    let end = ENDS.iter().find(|(text, _)| has(text));
    let cut = end.map(|(_, end)| format!("; s|{end}.*||")).unwrap_or_default();
    let copy =
        format!("of what is behind it (sed 's|^.*[^[:alnum:]]{label}[[:blank:]]*[:=][[:blank:]]*||{cut}')");
    Err(Refusal::or_copy(format!("lines with labels, such as '{label}'"), copy))
}

/// The name of passwords, or else of words, that a line has as a label behind something else, as it is
/// written.
fn password_label(line: &str) -> Option<String> {
    let labels = || line.match_indices([':', '=']).filter_map(|(at, _)| line.get(..at).map(str::trim_end));
    let found = labels().find_map(name_of_password).or_else(|| labels().find_map(name_of_word));
    found.map(str::to_owned)
}

/// The name of passwords at the end of the text before a sign.
fn name_of_password(before: &str) -> Option<&str> {
    let lower = before.to_lowercase();
    let starts = PASSWORD_NAMES.iter().filter_map(|name| lower.strip_suffix(name));
    starts.map(str::len).find_map(|start| before.get(start..).filter(|_| is_behind(before.get(..start))))
}

/// The name of words at the end of the text before a sign.
fn name_of_word(before: &str) -> Option<&str> {
    let name = before.rsplit(|c: char| !c.is_alphabetic()).next()?;
    (name.len() < before.len() && is_of_words(&name.to_lowercase())).then_some(name)
}

/// True for a text before a label: not empty, and not the beginning of a longer name.
fn is_behind(before: Option<&str>) -> bool {
    before.and_then(|before| before.chars().next_back()).is_some_and(|c| !c.is_alphanumeric())
}

/// What is behind the last label of this name.
fn value(line: &[u8], label: &str) -> Option<Vec<u8>> {
    let line = String::from_utf8_lossy(line);
    let found = line.rmatch_indices(label).find_map(|(at, _)| {
        let rest = line.get(at.checked_add(label.len())?..)?.trim_start();
        let value = rest.strip_prefix([':', '='])?.trim();
        is_behind(line.get(..at)).then_some(value)
    })?;
    Some(found.as_bytes().to_vec())
}
