//! Everything the module says and answers, in one place: what each outcome of the flow means to libpam, to the
//! user and to the system log.
//!
//! Never in any of it: the password, its length, its hash, or the word it is near to.

use nearmiss_filters::{policy::Reason, text::is_steering};
use pam::constants::PamResultCode;

/// How urgent a line of the system log is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Priority {
    Critical,
    Error,
    Warning,
    Info,
    Debug,
}

/// How a call of the password hook ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Preliminary call: a password can be judged here.
    Ready,
    /// The password is good, or the user is not bound by the verdict.
    Accepted,
    /// The line has nothing to do in this call.
    Ignored,
    /// The only try was refused or mistyped; the user was told why.
    Rejected,
    /// All of several tries were refused or mistyped.
    TriesUsedUp,
    /// The user typed nothing, or the conversation ended.
    Aborted,
    /// `use_authtok` without a password of an earlier module.
    NoPassword,
    /// libpam does not know whose password it is.
    NoUser,
    /// Preliminary call: a filter cannot be used, and the user is bound by it.
    FilterUnusableYet,
    /// Update call: the same.
    FilterUnusable,
    /// Preliminary call: the ladder cannot be used, and the user is bound by it.
    LadderUnusableYet,
    /// Update call: the same.
    LadderUnusable,
    /// Preliminary call: the configuration file cannot be used.
    ConfigurationBrokenYet,
    /// Update call: the same.
    ConfigurationBroken,
    /// The check itself failed by a fault of this program.
    InternalError,
    /// Neither of the two calls of a password change.
    UnknownCall,
}

/// What an outcome means.
pub(crate) struct Row {
    /// The answer to libpam.
    pub(crate) code: PamResultCode,
    /// What the user reads.
    pub(crate) user: Option<&'static str>,
    /// What the system log reads; the cause, where there is one, was logged before.
    pub(crate) log: Option<(Priority, &'static str)>,
}

const FILTER_SENTENCE: &str = "The administrator's password filter on this system cannot be used, so passwords cannot be \
                               changed now. Your password is not at fault. Please tell your administrator.";
const CONFIGURATION_SENTENCE: &str = "The administrator's password policy on this system has an error, so passwords cannot \
                                      be changed now. Your password is not at fault. Please tell your administrator.";

/// What root reads when the check was not possible and root is let through.
pub(crate) const UNCHECKED_SENTENCE: &str =
    "The password filter on this system cannot be used; this password was not checked. See the system log.";

/// The same where only the ladder cannot be used.
pub(crate) const UNCHECKED_LADDER_SENTENCE: &str = "The ladder of chosen passwords on this system cannot be used; whether this \
                                                     password is too common here was not checked. See the system log.";

impl Outcome {
    /// The meaning of the outcome: one row for each, and there is no other place that decides it.
    pub(crate) fn row(self) -> Row {
        use PamResultCode as Code;
        use Priority::{Critical, Debug, Error, Info};
        let (code, user, log) = match self {
            Outcome::Ready | Outcome::Accepted => (Code::PAM_SUCCESS, None, None),
            Outcome::Ignored => (Code::PAM_IGNORE, None, None),
            Outcome::Rejected => {
                (Code::PAM_AUTHTOK_ERR, None, Some((Debug, "the password was not accepted")))
            }
            Outcome::TriesUsedUp => {
                (Code::PAM_MAXTRIES, None, Some((Debug, "no password was accepted in all tries")))
            }
            Outcome::Aborted => (Code::PAM_AUTHTOK_ERR, None, Some((Info, "user aborted password change"))),
            Outcome::NoPassword => (
                Code::PAM_AUTHTOK_ERR,
                None,
                Some((Error, "no password from an earlier module, and asking is not allowed")),
            ),
            Outcome::NoUser => {
                (Code::PAM_AUTHTOK_ERR, None, Some((Error, "cannot tell whose password it is")))
            }
            Outcome::FilterUnusableYet => (Code::PAM_TRY_AGAIN, Some(FILTER_SENTENCE), FILTER_LINE),
            Outcome::FilterUnusable => (Code::PAM_AUTHTOK_ERR, Some(FILTER_SENTENCE), FILTER_LINE),
            Outcome::LadderUnusableYet => (Code::PAM_TRY_AGAIN, Some(FILTER_SENTENCE), LADDER_LINE),
            Outcome::LadderUnusable => (Code::PAM_AUTHTOK_ERR, Some(FILTER_SENTENCE), LADDER_LINE),
            Outcome::ConfigurationBrokenYet => {
                (Code::PAM_TRY_AGAIN, Some(CONFIGURATION_SENTENCE), CONFIGURATION_LINE)
            }
            Outcome::ConfigurationBroken => {
                (Code::PAM_SERVICE_ERR, Some(CONFIGURATION_SENTENCE), CONFIGURATION_LINE)
            }
            Outcome::InternalError => {
                (Code::PAM_ABORT, None, Some((Critical, "internal error: password change refused")))
            }
            Outcome::UnknownCall => {
                (Code::PAM_SERVICE_ERR, None, Some((Error, "called with neither of the two passes")))
            }
        };
        Row { code, user, log }
    }

    /// True when the stack goes on, so that the password must stay for the modules that follow.
    pub(crate) fn goes_on(self) -> bool {
        matches!(self, Outcome::Ready | Outcome::Accepted | Outcome::Ignored)
    }
}

const FILTER_LINE: Option<(Priority, &str)> = Some((
    Priority::Critical,
    "password change refused: a filter cannot be used; check it with filterctl verify",
));
const LADDER_LINE: Option<(Priority, &str)> = Some((
    Priority::Critical,
    "password change refused: the ladder cannot be used; check it with filterctl ladder doctor",
));
const CONFIGURATION_LINE: Option<(Priority, &str)> =
    Some((Priority::Critical, "password change refused: the configuration cannot be used"));

/// The sentence for a password that is refused, with the reason's code where the line asks for it.
pub(crate) fn rejection(reason: Reason, with_code: bool) -> String {
    let sentence = reason.sentence();
    if with_code {
        format!("BAD PASSWORD: {sentence} [{}]", reason.code())
    } else {
        format!("BAD PASSWORD: {sentence}")
    }
}

/// Longest line that is handed to the system log, in bytes.
const LONGEST_LINE: usize = 1000;

/// One line of bounded length without characters that steer a terminal: what was read from files and arguments may hold
/// any.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::new();
    for character in text.chars() {
        if line.len() >= LONGEST_LINE {
            line.push_str("...");
            break;
        }
        match character {
            '\n' => line.push_str(" | "),
            other if is_steering(other) => line.extend(other.escape_unicode()),
            other => line.push(other),
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Outcome; 16] = [
        Outcome::Ready,
        Outcome::Accepted,
        Outcome::Ignored,
        Outcome::Rejected,
        Outcome::TriesUsedUp,
        Outcome::Aborted,
        Outcome::NoPassword,
        Outcome::NoUser,
        Outcome::FilterUnusableYet,
        Outcome::FilterUnusable,
        Outcome::LadderUnusableYet,
        Outcome::LadderUnusable,
        Outcome::ConfigurationBrokenYet,
        Outcome::ConfigurationBroken,
        Outcome::InternalError,
        Outcome::UnknownCall,
    ];

    #[test]
    fn the_table_is_total() {
        // Outcomes are numbered from 0: the last one's number says how many there are.
        assert_eq!(ALL.len(), Outcome::UnknownCall as usize + 1);
        for (number, outcome) in ALL.into_iter().enumerate() {
            assert_eq!(outcome as usize, number);
            let _ = outcome.row();
        }
    }

    #[test]
    fn only_what_goes_on_answers_success_or_ignore() {
        for outcome in ALL {
            let row = outcome.row();
            let lets_on = matches!(row.code, PamResultCode::PAM_SUCCESS | PamResultCode::PAM_IGNORE);
            assert_eq!(lets_on, outcome.goes_on(), "{outcome:?}");
            assert_eq!(row.log.is_none(), outcome.goes_on(), "{outcome:?}");
        }
    }

    #[test]
    fn codes_are_those_a_password_hook_may_return() {
        for outcome in ALL {
            let code = outcome.row().code as i32;
            assert!([0, 3, 11, 20, 24, 25, 26].contains(&code), "{outcome:?} answers {code}");
        }
    }

    #[test]
    fn try_again_belongs_to_the_preliminary_call() {
        for outcome in ALL {
            let is_preliminary = matches!(
                outcome,
                Outcome::FilterUnusableYet | Outcome::LadderUnusableYet | Outcome::ConfigurationBrokenYet
            );
            assert_eq!(outcome.row().code == PamResultCode::PAM_TRY_AGAIN, is_preliminary, "{outcome:?}");
        }
    }

    #[test]
    fn whoever_is_refused_for_no_fault_of_his_reads_whom_to_tell() {
        for outcome in ALL {
            let Some(sentence) = outcome.row().user else { continue };
            assert!(sentence.contains("administrator"), "{outcome:?}");
            assert!(!sentence.contains("BAD PASSWORD"), "{outcome:?}");
            assert_eq!(
                outcome.row().log.map(|(priority, _)| priority),
                Some(Priority::Critical),
                "{outcome:?}"
            );
        }
    }

    #[test]
    fn a_rejection_names_its_code_only_when_asked() {
        assert_eq!(rejection(Reason::Empty, false), "BAD PASSWORD: it is empty");
        assert_eq!(rejection(Reason::Empty, true), "BAD PASSWORD: it is empty [empty]");
    }

    #[test]
    fn a_line_is_one_line_and_bounded() {
        assert_eq!(one_line("line 2\n  ^ here\x1b[31m\0"), "line 2 |   ^ here\\u{1b}[31m\\u{0}");
        assert!(one_line(&"x".repeat(5000)).len() <= LONGEST_LINE + 3);
        assert_eq!(one_line("réseau"), "réseau");
        assert_eq!(one_line("a\u{202e}b\u{2028}c\u{200b}"), "a\\u{202e}b\\u{2028}c\\u{200b}");
    }
}
