//! The keys of each table that are no rules, and the table in which a key belongs.

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

/// The only section in which this key exists, empty for the keys before the first one; none for a key that
/// does not exist, or exists in two sections.
#[cold]
pub(super) fn section_of(key: &str) -> Option<&'static str> {
    let is_in = |keys: &str| keys.split(' ').any(|known| known == key);
    if is_in(TOP) {
        return Some("");
    }
    let sections = [
        ("policy", POLICY),
        ("ladder", LADDER),
        ("guesses", GUESSES),
        ("logins", LOGINS),
        ("fleet", FLEET),
        ("update", UPDATE),
    ];
    let mut found = sections.iter().filter(|(_, keys)| is_in(keys)).map(|(section, _)| *section);
    let rule = RULES.iter().find(|rule| rule.key == key).map(|rule| rule.section.name());
    rule.or_else(|| found.next().filter(|_| found.next().is_none()))
}
