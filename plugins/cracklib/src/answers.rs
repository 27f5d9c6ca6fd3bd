//! What the functions return: nothing for a good password, else a sentence; and what goes to the system log.

use std::{
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
};

use nearmiss_checker::{Answer, Checker, DEFAULT_PATH, Facts, Setting, Shared, Verdict};

/// The filter that anyone may read: the package's, of the built-in list.
pub(crate) const PUBLIC: &str = "/usr/share/nearmiss/common.filter";

/// The priority of a line of the system log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Priority {
    Critical,
    Notice,
}

/// Checks a password; none if it may be set, else the sentence. Never none if it was not checked.
pub(crate) fn sentence(password: &[u8], facts: &Facts<'_>, log: fn(Priority, &str)) -> Option<String> {
    let answer = checker().check(password, facts);
    report(&answer, log);
    (answer.verdict != Verdict::Accepted).then(|| told(answer))
}

fn told(answer: Answer) -> String {
    if answer.sentence.is_empty() {
        "the password check on this system failed".to_owned()
    } else {
        answer.sentence
    }
}

fn checker() -> &'static Checker {
    static CHECKER: Shared = Shared::new();
    CHECKER.of(|| Setting { public: Some(PUBLIC.into()), ..Setting::of(Path::new(DEFAULT_PATH)) })
}

/// The callers of cracklib have no place for the administrator's line: it goes to the system log. That less
/// than the whole site was asked is said once a process.
fn report(answer: &Answer, log: fn(Priority, &str)) {
    static SAID: AtomicBool = AtomicBool::new(false);
    let priority = match answer.verdict {
        _ if answer.detail.is_empty() => return,
        Verdict::Unusable | Verdict::Fault => Priority::Critical,
        Verdict::Accepted | Verdict::Rejected if SAID.swap(true, Ordering::Relaxed) => return,
        Verdict::Accepted | Verdict::Rejected => Priority::Notice,
    };
    log(priority, &format!("nearmiss: {}", answer.detail));
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    static LOGGED: Mutex<Vec<(Priority, String)>> = Mutex::new(Vec::new());

    fn log(priority: Priority, line: &str) {
        LOGGED.lock().unwrap().push((priority, line.to_owned()));
    }

    #[test]
    fn what_cannot_be_used_is_logged_each_time_and_what_is_left_out_once() {
        let noted = Answer {
            verdict: Verdict::Accepted,
            reason: None,
            sentence: String::new(),
            detail: "/f: cannot be opened".to_owned(),
        };
        report(&Answer { detail: String::new(), ..noted.clone() }, log);
        assert!(LOGGED.lock().unwrap().is_empty());
        report(&noted, log);
        report(&noted, log);
        let unusable = Answer { verdict: Verdict::Unusable, ..noted };
        report(&unusable, log);
        report(&unusable, log);
        let line = "nearmiss: /f: cannot be opened".to_owned();
        let expected =
            [Priority::Notice, Priority::Critical, Priority::Critical].map(|it| (it, line.clone()));
        assert_eq!(*LOGGED.lock().unwrap(), expected);
    }

    #[test]
    fn a_refusal_without_words_gets_some() {
        let fault = Answer { sentence: String::new(), ..Answer::fault("x") };
        assert_eq!(told(fault.clone()), "the password check on this system failed");
        assert_eq!(told(Answer { sentence: "it is a word".to_owned(), ..fault }), "it is a word");
    }
}
