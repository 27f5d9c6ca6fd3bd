//! The names of columns, as the first line of a table has them.

use crate::{
    columns::{COUNT_NAMES, RANK_NAMES, Role},
    json::WORD_NAMES,
};

/// Names of columns that are neither of words nor of numbers, and what they contain.
const OTHER_NAMES: [(&str, Role); 13] = [
    ("user", Role::User),
    ("username", Role::User),
    ("login", Role::User),
    ("email", Role::User),
    ("e-mail", Role::User),
    ("mail", Role::User),
    ("hash", Role::Hash),
    ("sha1", Role::Hash),
    ("md5", Role::Hash),
    ("ntlm", Role::Hash),
    ("url", Role::Url),
    ("site", Role::Url),
    ("score", Role::Other),
];

/// Names of passwords, which are also found at the end of a name: `login_password`.
pub const PASSWORD_NAMES: [&str; 17] = [
    "password",
    "passwd",
    "pwd",
    "pass",
    "passphrase",
    "passwort",
    "kennwort",
    "contraseña",
    "mot de passe",
    "senha",
    "wachtwoord",
    "hasło",
    "heslo",
    "пароль",
    "parola",
    "secret",
    "pw",
];

/// True for a name in lower case that a column of a list may have, alone or at its end.
pub(super) fn is_known(name: &str) -> bool {
    let is_one =
        |name: &str| other(name).is_some() || WORD_NAMES.contains(&name) || PASSWORD_NAMES.contains(&name);
    is_one(name) || is_one(end_of(name))
}

/// True for a whole name in lower case of a column of words.
pub(super) fn is_of_words(name: &str) -> bool {
    WORD_NAMES.contains(&name)
}

/// True for a name in lower case of a column of passwords.
pub(super) fn is_of_passwords(name: &str) -> bool {
    PASSWORD_NAMES.contains(&name) || PASSWORD_NAMES.contains(&end_of(name))
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
    other(name).unwrap_or(Role::Other)
}

fn other(name: &str) -> Option<Role> {
    let listed = || OTHER_NAMES.iter().find(|(known, _)| *known == name).map(|(_, role)| *role);
    match name {
        _ if COUNT_NAMES.contains(&name) => Some(Role::Count),
        _ if RANK_NAMES.contains(&name) => Some(Role::Rank),
        _ => listed(),
    }
}

/// The last part of a name with several.
pub(super) fn end_of(name: &str) -> &str {
    name.rsplit(['_', ' ', '.', '-']).next().unwrap_or(name)
}
