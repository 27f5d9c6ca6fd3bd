//! The agent's log: lines on standard error, each kind at most once a minute. Where journald reads them, each
//! begins with its priority (sd-daemon(3)).

use std::{
    collections::HashMap,
    env,
    ffi::OsStr,
    fmt,
    io::{self, Write},
    sync::Mutex,
    time::{Duration, Instant},
};

use nearmiss_cli::keys::MessageKey;
use nearmiss_filters::text::is_steering;
use rustix::fs::fstat;

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
    let mut stderr = io::stderr().lock();
    let named = env::var_os("JOURNAL_STREAM");
    let file = fstat(&stderr).map(|stat| (stat.st_dev, stat.st_ino)).ok();
    let priority = if is_journal(named.as_deref(), file) { priority } else { "" };
    let _ = writeln!(stderr, "{priority}{words}");
}

/// True if a file with this device and inode is the stream to the journal that systemd names
/// (`$JOURNAL_STREAM`, systemd.exec(5)). The variable is inherited where standard error may be another file.
fn is_journal(named: Option<&OsStr>, file: Option<(u64, u64)>) -> bool {
    let named = named.and_then(OsStr::to_str).and_then(|named| named.split_once(':'));
    let number = |text: &str| text.parse::<u64>().ok();
    let named = named.and_then(|(device, inode)| Some((number(device)?, number(inode)?)));
    named.is_some() && named == file
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
    fn a_priority_is_for_the_stream_to_the_journal_alone() {
        let is = |named: &str, file| is_journal(Some(OsStr::new(named)), file);
        assert!(is("8:41521", Some((8, 41_521))));
        assert!(
            !is("8:41521", Some((8, 41_522))) && !is("8:41521", Some((9, 41_521))) && !is("8:41521", None)
        );
        assert!(!is_journal(None, Some((8, 41_521))) && !is_journal(None, None));
        for named in ["", "8", ":", "8:x", "8:41521:1"] {
            assert!(!is(named, Some((8, 41_521))) && !is(named, None), "{named}");
        }
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
