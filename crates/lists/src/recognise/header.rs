//! Tables that are known by the names in their first line, whatever is in the others.

use std::borrow::Cow;

use super::{
    Beginning,
    names::{is_known, is_of_passwords, role_of, word_among},
};
use crate::{
    columns::Role,
    line::unquoted,
    table::{Separator, Table},
};

/// The fewest columns that one known name is enough for.
const FEW: usize = 3;

/// The most characters of a name.
const LONGEST: usize = 40;

/// The fewest lines in quotes by which a table of one column is known.
const FEWEST_QUOTED: usize = 3;

/// The table whose first line names its columns, one of them the words'.
pub(super) fn named(beginning: &Beginning<'_>, separator: Separator) -> Option<Table> {
    let names = names(beginning, separator);
    let word = word_among(&names)?;
    let is_header =
        names.len() > 1 && (names.iter().all(|name| is_known(name)) || has_password(&names, separator));
    is_header.then(|| table(&names, separator, word, false))
}

/// The table whose first line has this name, which is in lower case.
pub(super) fn with(beginning: &Beginning<'_>, separator: Separator, name: &str) -> Option<Table> {
    let names = names(beginning, separator);
    let word = names.iter().position(|one| one == name)?;
    (names.len() > 1).then(|| table(&names, separator, word, true))
}

/// The names in the first line, in lower case.
fn names(beginning: &Beginning<'_>, separator: Separator) -> Vec<String> {
    let first = beginning.lines.first().copied().unwrap_or_default();
    let name = |name: &Cow<'_, [u8]>| String::from_utf8_lossy(name).trim().trim_matches('"').to_lowercase();
    separator.fields(first).iter().map(name).collect()
}

fn table(names: &[String], separator: Separator, word: usize, is_from_left: bool) -> Table {
    let mut has_count = false;
    let role = |(at, name): (usize, &String)| match role_of(name) {
        _ if at == word => Role::Word,
        // The first one has the counts.
        Role::Count if std::mem::replace(&mut has_count, true) => Role::Other,
        role => role,
    };
    let roles = names.iter().enumerate().map(role).collect();
    Table { separator, roles, word, has_header: true, is_from_left }
}

/// True for texts like names, one of them that of a password. A login may have the password `password`.
fn has_password(names: &[String], separator: Separator) -> bool {
    let is_text = |name: &String| {
        name.chars().count() <= LONGEST
            && name.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | '_' | '-' | '.' | '/' | '(' | ')'))
    };
    separator.quotes()
        && names.len() >= FEW
        && names.iter().all(is_text)
        && names.iter().any(|name| is_of_passwords(name))
}

/// A table of one column, whose words are in quotes where they have a comma, a semicolon or a quote.
pub(super) fn of_one_column(beginning: &Beginning<'_>) -> Option<Table> {
    let needs_quotes = |line: &[u8]| line.iter().any(|byte| matches!(byte, b',' | b'"'));
    let is_quoted = |line: &[u8]| {
        let inner = line.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).unwrap_or_default();
        unquoted(line).is_some() && inner.iter().any(|byte| matches!(byte, b',' | b'"' | b';'))
    };
    let quoted = beginning.lines.iter().filter(|line| is_quoted(line)).count();
    let is_one = beginning.lines.iter().all(|line| is_quoted(line) || !needs_quotes(line));
    if quoted < FEWEST_QUOTED || !is_one {
        return None;
    }
    let has_header = names(beginning, Separator::Comma).first().is_some_and(|name| is_known(name));
    let roles = vec![Role::Word];
    Some(Table { separator: Separator::Comma, roles, word: 0, has_header, is_from_left: true })
}
