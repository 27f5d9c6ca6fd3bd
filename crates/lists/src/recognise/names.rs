//! The names of columns, as the first line of a table has them.

use crate::{columns::Role, json::WORD_NAMES};

/// Names of columns that are not of words.
const OTHER_NAMES: [&str; 24] = [
    "rank",
    "count",
    "counts",
    "freq",
    "frequency",
    "occurrences",
    "n",
    "id",
    "#",
    "no",
    "nr",
    "user",
    "username",
    "login",
    "email",
    "e-mail",
    "mail",
    "hash",
    "sha1",
    "md5",
    "ntlm",
    "url",
    "site",
    "score",
];

/// Names of passwords, which are also found at the end of a name: `login_password`.
const PASSWORD_NAMES: [&str; 3] = ["password", "passwd", "pwd"];

/// True for a name in lower case that a column of a list may have, alone or at its end.
pub(super) fn is_known(name: &str) -> bool {
    let is_one = |name: &str| OTHER_NAMES.contains(&name) || WORD_NAMES.contains(&name);
    is_one(name) || is_one(end_of(name))
}

/// The column of the word: a password by its whole name or by the end of it, then any other word by its
/// whole name.
pub(super) fn word_among(names: &[String]) -> Option<usize> {
    let whole = |known: &&str| names.iter().position(|name| name == known);
    let at_end = |known: &&str| names.iter().position(|name| end_of(name) == *known);
    let password =
        || PASSWORD_NAMES.iter().find_map(whole).or_else(|| PASSWORD_NAMES.iter().find_map(at_end));
    password().or_else(|| WORD_NAMES.iter().find_map(whole))
}

/// The content of a column with this name that is not the word's.
pub(super) fn role_of(name: &str) -> Role {
    match name {
        "count" | "counts" | "freq" | "frequency" | "occurrences" | "n" => Role::Count,
        "rank" | "id" | "#" | "no" | "nr" => Role::Rank,
        "user" | "username" | "login" | "email" | "e-mail" | "mail" => Role::User,
        "hash" | "sha1" | "md5" | "ntlm" => Role::Hash,
        "url" | "site" => Role::Url,
        _ => Role::Other,
    }
}

/// The last part of a name with several.
fn end_of(name: &str) -> &str {
    name.rsplit(['_', ' ', '.', '-']).next().unwrap_or(name)
}
