//! What the functions return: nothing for an accepted password, else a sentence; and the lines for the system
//! log.

use std::{
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
};

use nearmiss_checker::{Answer, DEFAULT_PATH, Facts, Setting, Shared, Verdict};

/// The public filter: the package's, of the built-in list.
pub(crate) const PUBLIC: &str = "/usr/share/nearmiss/common.filter";

/// The priority of a line of the system log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerPriority {
    Critical,
    Notice,
}

/// The answer of the system's own checker for a password.
pub(crate) fn check(password: &[u8], facts: &Facts<'_>) -> Answer {
    static CHECKER: Shared = Shared::new();
    CHECKER.of(setting).check(password, facts)
}

/// The files that are queried: the site's configuration, or the public filter for users who may not read the
/// site's filters.
pub(crate) fn setting() -> Setting {
    Setting { public: Some(PUBLIC.into()), ..Setting::of(Path::new(DEFAULT_PATH)) }
}

/// None for a password that may be set, else the sentence. A password that was not checked always gets a
/// sentence.
pub(crate) fn sentence(answer: Answer, log: fn(AnswerPriority, &str)) -> Option<String> {
    report(&answer, log);
    match answer.verdict {
        Verdict::Accepted => None,
        _ if answer.sentence.is_empty() => Some("the password check on this system failed".to_owned()),
        _ => Some(answer.sentence),
    }
}

/// cracklib's interface has no field for the administrator's line, so it goes to the system log. That only a
/// part of the site was queried is reported once a process, each password that an audit finds weak by itself.
fn report(answer: &Answer, log: fn(AnswerPriority, &str)) {
    static SAID: AtomicBool = AtomicBool::new(false);
    let priority = match answer.verdict {
        _ if answer.detail.is_empty() => return,
        Verdict::Unusable | Verdict::Fault => AnswerPriority::Critical,
        Verdict::Accepted if answer.is_audited => AnswerPriority::Notice,
        Verdict::Accepted | Verdict::Rejected if SAID.swap(true, Ordering::Relaxed) => return,
        Verdict::Accepted | Verdict::Rejected => AnswerPriority::Notice,
    };
    log(priority, &format!("nearmiss: {}", answer.detail));
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    static LOGGED: Mutex<Vec<(AnswerPriority, String)>> = Mutex::new(Vec::new());

    fn log(priority: AnswerPriority, line: &str) {
        LOGGED.lock().unwrap().push((priority, line.to_owned()));
    }

    #[test]
    fn what_cannot_be_used_is_logged_each_time_and_what_is_left_out_once() {
        let noted = Answer {
            verdict: Verdict::Accepted,
            reason: None,
            sentence: String::new(),
            detail: "/f: cannot be opened".to_owned(),
            is_audited: false,
        };
        report(&Answer { detail: String::new(), ..noted.clone() }, log);
        assert!(LOGGED.lock().unwrap().is_empty());
        report(&noted, log);
        report(&noted, log);
        let unusable = Answer { verdict: Verdict::Unusable, ..noted };
        report(&unusable, log);
        report(&unusable, log);
        let line = "nearmiss: /f: cannot be opened".to_owned();
        let expected = [AnswerPriority::Notice, AnswerPriority::Critical, AnswerPriority::Critical]
            .map(|it| (it, line.clone()));
        assert_eq!(*LOGGED.lock().unwrap(), expected);
        let audited = Answer { verdict: Verdict::Accepted, is_audited: true, ..unusable };
        report(&audited, log);
        report(&audited, log);
        assert_eq!(LOGGED.lock().unwrap().len(), expected.len() + 2);
    }

    /// None means acceptance: it is only for a password that was checked and accepted, even if an answer
    /// lacks a sentence.
    #[test]
    fn what_is_not_accepted_has_a_sentence() {
        let of = |verdict, words: &str| {
            let answer = Answer { verdict, sentence: words.to_owned(), ..Answer::fault("") };
            sentence(Answer { detail: String::new(), ..answer }, |_, _| ())
        };
        assert_eq!(of(Verdict::Accepted, ""), None);
        assert_eq!(of(Verdict::Rejected, "it is a word").as_deref(), Some("it is a word"));
        for verdict in [Verdict::Rejected, Verdict::Unusable, Verdict::Fault] {
            assert_eq!(of(verdict, "").as_deref(), Some("the password check on this system failed"));
        }
    }
}
