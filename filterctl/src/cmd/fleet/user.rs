//! The store's user in the agent's configuration. Only its line is changed.

use std::{
    io::{self, Read},
    path::Path,
};

use nearmiss_cli::{failure::Failure, keys};
use nearmiss_filters::storage::{Access, Place, Replacement};
use toml::de::DeTable;

/// More bytes than the agent reads.
const MAX_BYTES: u64 = 1 << 20;

/// Letters, digits, `.`, `_` and `-`: characters that need no quotes in the configuration and in the store's
/// file of users.
///
/// # Errors
/// The name contains another character, or has the wrong length.
pub(super) fn name(text: &str) -> Result<String, String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let is_name = (1..=64).contains(&text.len()) && text.bytes().all(is_plain);
    let wrong = || "expected 1 to 64 characters of A-Z, a-z, 0-9, ., _ and -".to_owned();
    is_name.then(|| text.to_owned()).ok_or_else(wrong)
}

/// Writes this user into the configuration. Returns true if another one was named before.
///
/// # Errors
/// The file cannot be read or written.
pub(super) fn set(file: &Path, user: &str) -> Result<bool, Failure> {
    let shown = file.display();
    let cannot = || format!("cannot write the user into {shown}");
    let (unreadable, unwritable) = (|e: io::Error| Failure::new(cannot(), e), |e| Failure::new(cannot(), e));
    let mut opened = Place::of(file).and_then(|place| place.open_regular()).map_err(unwritable)?;
    let metadata = opened.metadata().map_err(unreadable)?;
    if metadata.len() > MAX_BYTES {
        return Err(Failure::plain(
            keys::FILE_TOO_LARGE,
            format!("{shown}: is too large for a configuration of the agent"),
        ));
    }
    let mut text = String::new();
    opened.read_to_string(&mut text).map_err(unreadable)?;
    let new = with_user(&text, user);
    if new == text {
        return Ok(false);
    }
    if !names_only(&text, &new, user) {
        let message = format!("{shown}: cannot change the user there; write user = \"{user}\" into it");
        return Err(Failure::plain(nearmiss_filters::keys::CONFIGURATION_MISTAKE, message));
    }
    let replacement = Replacement::create(file, Access::of(&metadata));
    let mut replacement = replacement.map_err(unwritable)?;
    replacement.write(new.as_bytes()).map_err(unwritable)?;
    replacement.commit().map_err(unwritable)?;
    Ok(true)
}

/// The text with the user in the line that names one, else in the packaged comment, else on a new first line.
fn with_user(text: &str, user: &str) -> String {
    let line = format!("user = \"{user}\"");
    let key = |line: &str| line.split_once('=').is_some_and(|(key, _)| key.trim() == "user");
    let is_comment = |line: &str| line.trim_start().strip_prefix('#').is_some_and(key);
    let place = text.lines().position(key).or_else(|| text.lines().position(is_comment));
    let Some(place) = place else { return format!("{line}\n{text}") };
    let lines = text.split_inclusive('\n').enumerate();
    lines.map(|(at, old)| if at == place { format!("{line}\n") } else { old.to_owned() }).collect()
}

/// True if the new text is TOML with this user and the old one's other keys. One that is written in quotes,
/// over several lines or in a table is not what a line of text shows.
fn names_only(old: &str, new: &str, user: &str) -> bool {
    let (Ok(old), Ok(new)) = (DeTable::parse(old), DeTable::parse(new)) else { return false };
    let others = |table: &DeTable<'_>| {
        table.keys().map(|key| key.get_ref().to_string()).filter(|key| key != "user").collect::<Vec<_>>()
    };
    let named = new.get_ref().get("user").and_then(|value| value.get_ref().as_str());
    named == Some(user) && others(old.get_ref()) == others(new.get_ref())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The agent would not start again with such a file.
    #[test]
    fn what_a_line_cannot_change_is_left_to_the_administrator() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("agent.toml");
        for (text, is_changed) in [
            ("nodes = []\nuser = \"a\"\n", true),
            ("nodes = []\n", true),
            ("\"user\" = \"a\"\n", false),
            ("user = \"\"\"\na\"\"\"\n", false),
            ("nodes = [\n\"\"\"\nuser = 1\n\"\"\"]\n", false),
            ("nodes = []\n[far]\nuser = \"a\"\n", false),
            ("nodes = [\n", false),
        ] {
            std::fs::write(&file, text).unwrap();
            let result = set(&file, "host1");
            let left = std::fs::read_to_string(&file).unwrap();
            assert_eq!((result.is_ok(), left != text), (is_changed, is_changed), "{text:?}: {left:?}");
        }
    }

    #[test]
    fn one_line_is_changed_and_no_other() {
        let named = "nodes = []\nuser = \"host1\"\n";
        for (before, after) in [
            ("nodes = []\n  user=\"a\"\n", named),
            ("nodes = []\n#user = \"nmagent\"\n", named),
            (named, named),
            ("", "user = \"host1\"\n"),
            ("# The store's user = that\nx = 1", "user = \"host1\"\n# The store's user = that\nx = 1"),
            ("#user = \"a\"\nuser = \"b\"", "#user = \"a\"\nuser = \"host1\"\n"),
        ] {
            assert_eq!(with_user(before, "host1"), after, "{before:?}");
        }
        let packaged = include_str!("../../../../packaging/fleet/agent.toml");
        let changed = with_user(packaged, "host1");
        let differ =
            packaged.lines().zip(changed.lines()).filter(|(old, new)| old != new).collect::<Vec<_>>();
        assert_eq!(differ, [("#user = \"nmagent\"", "user = \"host1\"")]);
    }

    #[test]
    fn a_name_needs_no_quotes() {
        assert!(["host1", "a.example-net_2"].iter().all(|text| name(text).is_ok()));
        let long = "x".repeat(65);
        assert!(["", "a b", "a\"", "a\n", "ü", "#a", &long].iter().all(|text| name(text).is_err()));
    }
}
