//! The result of a check.

use nearmiss_filters::{
    keys::{self, MessageKey},
    text::is_steering,
};
use nearmiss_policy::{
    policy::Reason,
    site::{Decision, Unusable},
};

use crate::sentence;

/// The verdict about a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It may be set.
    Accepted,
    /// It must not be set, and the user can choose another one.
    Rejected,
    /// It must not be set: it was not checked, because a filter, the ladder or the configuration cannot be
    /// used.
    Unusable,
    /// It must not be set: the check itself failed.
    Fault,
}

/// A verdict with its texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// The reason why a password is rejected.
    pub reason: Option<Reason>,
    /// A clause for the user; empty for a password that is accepted.
    pub sentence: String,
    /// One line for the administrator's log: the file that cannot be used and its error, or the part that was
    /// skipped. Empty if there is nothing to report. That the process may not read the ladders, which only
    /// root may read, is reported once, in a checker's first answer.
    pub detail: String,
    /// True if the level alone keeps the password from being rejected: `detail` is then about this password.
    pub is_audited: bool,
}

impl Answer {
    /// The check panicked, at the given location.
    pub fn fault(detail: &str) -> Answer {
        let fault = Unusable { detail: detail.to_owned(), ..Unusable::fault() };
        Answer { verdict: Verdict::Fault, ..Answer::unusable(&fault) }
    }

    /// The calling program passed no password.
    pub fn no_password() -> Answer {
        let misused =
            Unusable { detail: "no password".to_owned(), key: keys::HOST_PROGRAM, ..Unusable::fault() };
        Answer { verdict: Verdict::Fault, ..Answer::unusable(&misused) }
    }

    pub(crate) fn unusable(unusable: &Unusable) -> Answer {
        Answer {
            verdict: Verdict::Unusable,
            reason: None,
            sentence: sentence::unusable(unusable.cause).to_owned(),
            detail: keyed(&unusable.detail, unusable.key),
            is_audited: false,
        }
    }

    /// The site's decision.
    pub(crate) fn of(decision: &Decision) -> Answer {
        match decision.rejection() {
            Ok(None) => Answer::found(None, &decision.unasked()).counted(decision),
            Ok(Some(finding)) => Answer::found(Some(finding.reason), &decision.unasked()),
            Err(unusable) => Answer::unusable(unusable),
        }
    }

    /// The same with a note about what the level does not reject: the one trace of an audit in a server.
    fn counted(mut self, decision: &Decision) -> Answer {
        if let Some(finding) = &decision.finding {
            let (code, level) = (finding.reason.code(), decision.enforce.name());
            let note = format!("accepted, since enforce is \"{level}\"; else rejected: {code}");
            self.detail = if self.detail.is_empty() { note } else { format!("{note}; {}", self.detail) };
            self.is_audited = true;
        }
        self
    }

    fn found(reason: Option<Reason>, unasked: &str) -> Answer {
        let answer = Answer {
            verdict: if reason.is_some() { Verdict::Rejected } else { Verdict::Accepted },
            reason,
            sentence: reason.map(sentence::rejection).unwrap_or_default(),
            detail: String::new(),
            is_audited: false,
        };
        if unasked.is_empty() { answer } else { answer.without(unasked) }
    }

    /// The same with a note for the log about a part that was not checked.
    pub(crate) fn without(mut self, part: &str) -> Answer {
        self.detail = if self.detail.is_empty() {
            one_line(&format!("not checked: {part}"))
        } else {
            format!("{}; {}", self.detail, one_line(part))
        };
        self
    }

    /// An acceptance with a note for the log that needs an administrator's action.
    pub(crate) fn noted_with(key: MessageKey, detail: &str) -> Answer {
        Answer::noted(&keyed(detail, key))
    }

    /// An acceptance with a note for the log.
    pub(crate) fn noted(detail: &str) -> Answer {
        Answer { detail: detail.to_owned(), ..Answer::found(None, "") }
    }
}

/// The longest detail with its key, in bytes: the structure of libnearmiss has room for it and a null byte.
pub const MAX_DETAIL_BYTES: usize = 511;

/// One line with its key, which is kept if the line is truncated.
fn keyed(detail: &str, key: MessageKey) -> String {
    let (line, key) = (one_line(detail), format!(" {key}"));
    let room = MAX_DETAIL_BYTES.saturating_sub(key.len());
    if line.len() <= room {
        return line + &key;
    }
    let end = (0..=room.saturating_sub(3)).rev().find(|&end| line.is_char_boundary(end)).unwrap_or(0);
    format!("{}...{key}", line.get(..end).unwrap_or_default())
}

/// One line without characters that steer a terminal.
fn one_line(text: &str) -> String {
    let parts: Vec<&str> = text.lines().map(str::trim).filter(|line| !matches!(*line, "" | "|")).collect();
    parts.join(": ").chars().map(|c| if is_steering(c) { '?' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_never_an_acceptance_and_names_its_place() {
        let answer = Answer::fault("internal error at site.rs line 7");
        assert_eq!((answer.verdict, answer.reason), (Verdict::Fault, None));
        assert_eq!(answer.detail, "internal error at site.rs line 7 [internal-error]");
        assert!(answer.sentence.contains("not at fault"));
    }

    /// A path may be longer than the room in the structure of the C library.
    #[test]
    fn a_detail_that_is_cut_keeps_its_key() {
        let told = |bytes: usize| {
            Answer::unusable(&Unusable { detail: "\u{e9}".repeat(bytes / 2), ..Unusable::fault() }).detail
        };
        for bytes in [2, 490, 494, 496, 498, 4096] {
            let detail = told(bytes);
            assert!(detail.ends_with(" [internal-error]") && detail.len() <= MAX_DETAIL_BYTES, "{detail}");
            assert_eq!(detail.contains("..."), bytes > 494, "{bytes}");
        }
        assert_eq!(Answer::no_password().detail, "no password [host-program]");
    }

    #[test]
    fn a_detail_is_one_plain_line() {
        assert_eq!(one_line("/c: line 2\n  |\n2 | leet=1\n  | ^\x1b"), "/c: line 2: 2 | leet=1: | ^?");
    }
}
