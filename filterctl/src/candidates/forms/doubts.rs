//! Candidates of which a part has more than a password, and users before passwords that may be phrases: they
//! are worth a warning.

use std::collections::HashSet;

use super::{CONVERT, FORMS, LineForm, SOME, count, examined, is_over_half, of_line};

/// Fewer lines than this in a part may be so by chance.
const FEWEST: usize = SOME / 2;

/// Among fewer phrases than this, no word may come twice.
const PHRASES: usize = 100;

/// Names before a sign. In long random passwords, each sign is in one of five, but seldom behind letters and
/// digits alone.
const NAMED: [LineForm; 4] = [
    LineForm {
        name: "a name and a colon before the password",
        way: "pass --columns user,password if all have a user, or print the passwords alone, one a line",
        is_of: |line| of_line::has_name_before(line, b':'),
    },
    LineForm {
        name: "a name and a comma before the password",
        way: CONVERT,
        is_of: |line| of_line::has_name_before(line, b','),
    },
    LineForm {
        name: "a name and a semicolon before the password",
        way: CONVERT,
        is_of: |line| of_line::has_name_before(line, b';'),
    },
    LineForm {
        name: "a name and a bar before the password",
        way: CONVERT,
        is_of: |line| of_line::has_name_before(line, b'|'),
    },
];

/// The form that a fifth of the lines or more have, or that lines seem to have, and the way to read it.
pub(super) fn of(lines: &[u8]) -> Option<(&'static str, &'static str)> {
    let all = examined(lines).count();
    let is_part = |form: &&LineForm| {
        let so = count(lines, form.is_of);
        so >= FEWEST && so.saturating_mul(5) >= all
    };
    let found = FORMS.iter().chain(&NAMED).find(is_part).map(|form| (form.name, form.way));
    found.or_else(|| may_have_users(lines, all).then_some((USERS, CONVERT)))
}

/// The name of the form of lines such as `anna password`.
pub(super) const USERS: &str = "a user and a blank before the password";

/// True if nine in ten lines have a name and one blank before the rest, and the names are one with numbers:
/// `user1`, `user2`. Phrases begin with several words.
pub(super) fn have_users(lines: &[u8]) -> bool {
    let all = examined(lines).count();
    let Some(first) = pairs(lines).next().map(|(name, _)| stem(name)) else { return false };
    let of_stem = pairs(lines).filter(|(name, _)| stem(name) == first && name.len() > first.len()).count();
    let names: HashSet<&[u8]> = pairs(lines).map(|(name, _)| name).collect();
    all >= SOME && are_most(of_stem, all) && are_most(names.len(), all)
}

/// True if lines have a name and one blank before the rest, no name comes twice, and many have numbers or
/// signs: users come once, and words of phrases again.
fn may_have_users(lines: &[u8], all: usize) -> bool {
    let of_pairs = pairs(lines).count();
    let stems: HashSet<&[u8]> = pairs(lines).map(|(name, _)| stem(name)).collect();
    let is_marked = |text: &[u8]| text.iter().any(|byte| byte.is_ascii() && !byte.is_ascii_alphabetic());
    let marked = pairs(lines).filter(|(name, rest)| is_marked(name) || is_marked(rest)).count();
    let is_once = stems.len().saturating_mul(100) >= of_pairs.saturating_mul(99);
    all >= PHRASES && are_most(of_pairs, all) && is_once && marked.saturating_mul(4) >= of_pairs
}

fn are_most(so: usize, all: usize) -> bool {
    is_over_half(so, all) && so.saturating_mul(10) >= all.saturating_mul(9)
}

/// The lines of a name and one blank before the rest, divided.
fn pairs(lines: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    examined(lines).filter_map(of_line::pair)
}

/// A name without the number at its end.
fn stem(name: &[u8]) -> &[u8] {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    name.get(..name.len().saturating_sub(digits)).unwrap_or(name)
}
