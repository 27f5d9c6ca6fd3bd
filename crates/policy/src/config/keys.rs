//! The keys of each section that are no rules, and the section in which a key belongs.

use crate::policy::RULES;

/// Before the first section; `update` is for `filterctl update`: see `UpdateRules`.
pub(super) const TOP: &str = "min_length on_error enforce log private_copy packaged enforce_for_root retry \
    local_users_only codes debug hint suggest suggest_bits suggest_words dictionary policy \
    variants context ladder guesses fleet logins update";

pub(super) const POLICY: &str = "forbidden_words forbidden_words_file";
pub(super) const LADDER: &str = "file key on_error enforce";
pub(super) const GUESSES: &str = "file reject repeats from not_from memory";
pub(super) const LOGINS: &str = "log_users";
pub(super) const FLEET: &str = "socket guessed chosen also servers";
pub(super) const UPDATE: &str = "common lists columns folders kind match group false_rejection";

/// True if a text of names, separated by blanks, has this one.
#[inline(never)]
pub(super) fn has(names: &str, key: &str) -> bool {
    names.split(' ').any(|name| name == key)
}

/// The section in which this key exists, empty for the keys before the first one; none for a key that does
/// not exist, or exists in a section without rules alone.
#[cold]
pub(super) fn section_of(key: &str) -> Option<&'static str> {
    match key {
        _ if has(TOP, key) => Some(""),
        _ if has(POLICY, key) => Some("policy"),
        _ => RULES.iter().find(|rule| rule.key == key).map(|rule| rule.section.name()),
    }
}
