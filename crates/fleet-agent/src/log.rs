//! The agent's log: lines on standard error with the priority in journald's format, each kind at most once a
//! minute.

use std::{
    collections::HashMap,
    fmt,
    io::{self, Write},
    sync::Mutex,
    time::{Duration, Instant},
};

use nearmiss_cli::keys::MessageKey;
use nearmiss_filters::text::is_steering;

const MINUTE: Duration = Duration::from_secs(60);
/// The number of kinds of warnings that are remembered: nodes are added and removed, and this must not grow
/// forever.
const MAX_KINDS: usize = 256;
/// The length limit of a line, in characters: a store may send any text of any length.
const MAX_CHARS: usize = 300;

/// The time at which each kind of warning was last logged.
#[derive(Debug, Default)]
pub struct Log {
    last: Mutex<HashMap<String, Instant>>,
}

impl Log {
    /// Logs a warning, unless one of this kind was logged within a minute.
    pub fn warn(&self, kind: &str, key: MessageKey, words: &dyn fmt::Display) {
        if self.is_due(kind, Instant::now()) {
            line("<4>", &warning(key, words));
        }
    }

    /// True if none of this kind was logged within a minute; then it counts as logged now.
    pub(crate) fn is_due(&self, kind: &str, now: Instant) -> bool {
        let Ok(mut last) = self.last.lock() else { return false };
        let is_old = |then: &Instant| now.duration_since(*then) >= MINUTE;
        if last.get(kind).is_some_and(|then| !is_old(then)) {
            return false;
        }
        if last.len() >= MAX_KINDS {
            last.retain(|_, then| !is_old(then));
        }
        if last.len() >= MAX_KINDS {
            return false;
        }
        last.insert(kind.to_owned(), now);
        true
    }
}

/// Logs a rare event.
pub fn notice(words: &dyn fmt::Display) {
    line("<5>", &printable(words));
}

fn line(priority: &str, words: &dyn fmt::Display) {
    let _ = writeln!(io::stderr().lock(), "{priority}{words}");
}

/// The line for an administrator, with its key.
fn warning(key: MessageKey, words: &dyn fmt::Display) -> String {
    format!("{} {key}", printable(words))
}

/// On one line, without characters that steer a terminal.
pub(crate) fn printable(words: &dyn fmt::Display) -> String {
    words.to_string().chars().take(MAX_CHARS).map(|c| if is_steering(c) { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use nearmiss_cli::keys;

    use super::*;

    #[test]
    fn what_a_node_says_begins_no_line_and_moves_no_cursor() {
        assert_eq!(printable(&"ERR no\n<2>forged\r\u{1b}[2J\0\u{9b}\u{202e}x"), "ERR no <2>forged  [2J   x");
        assert_eq!(printable(&"\u{e9}".repeat(1000)).chars().count(), MAX_CHARS);
    }

    #[test]
    fn a_warning_ends_with_its_key_however_long_it_is() {
        let said = warning(keys::STORE_ACCOUNT, &"x".repeat(1000));
        assert!(said.starts_with("xxx") && said.ends_with("x [store-account]"), "{said}");
    }

    #[test]
    fn each_kind_is_due_once_a_minute() {
        let (log, now) = (Log::default(), Instant::now());
        assert!(log.is_due("a", now) && !log.is_due("a", now + MINUTE / 2) && log.is_due("b", now));
        assert!(log.is_due("a", now + MINUTE));
        for kind in 0..1000 {
            log.is_due(&kind.to_string(), now);
        }
        assert!(log.last.lock().unwrap().len() <= MAX_KINDS);
        assert!(!log.is_due("0", now), "others in between take nothing back");
        assert!(log.is_due("new", now + 2 * MINUTE));
    }
}
