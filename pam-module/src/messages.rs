//! Everything the module says: what each outcome of the flow means to libpam, to the user and to the system
//! log, and the sentences that users read. The further lines of the system log are in [`log`].
//!
//! Sentences are whole, with named holes, so that they can be translated. Never in any of them: the password,
//! its length, its hash, or the word it is near to.

pub(crate) mod log;

use std::fmt;

use nearmiss_filters::{
    policy::{MAX_PASSWORD_BYTES, Reason},
    site::Cause,
};
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

/// The two calls of a password change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pass {
    /// Before anything is typed.
    Preliminary,
    /// The one that changes the password.
    Update,
}

/// How a call of the password hook ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Preliminary call: a password can be checked here.
    Ready,
    /// The password is good, or the user is not bound by the verdict.
    Accepted,
    /// The line has nothing to do in this call.
    Ignored,
    /// The only try was rejected or mistyped; the user has been shown why.
    Rejected,
    /// All of several tries were rejected or mistyped.
    TriesUsedUp,
    /// The user typed nothing, or the conversation ended.
    Aborted,
    /// `use_authtok` without a password of an earlier module.
    NoPassword,
    /// libpam does not know whose password it is.
    NoUser,
    /// A part of the check cannot be used, and the user is bound by it.
    Unusable { cause: Cause, pass: Pass },
    /// Neither of the two calls of a password change.
    UnknownCall,
}

/// What an outcome means.
pub(crate) struct Row {
    /// The code for libpam.
    pub(crate) code: PamResultCode,
    /// What the user reads.
    pub(crate) user: Option<&'static str>,
    /// What the system log reads; the cause, where there is one, was logged before.
    pub(crate) log: Option<(Priority, &'static str)>,
}

impl Outcome {
    /// A fault of this program, caught before it could reach libpam.
    pub(crate) const FAULT: Outcome = Outcome::Unusable { cause: Cause::Fault, pass: Pass::Update };

    /// The meaning of the outcome: one row for each, and decided nowhere else.
    pub(crate) fn row(self) -> Row {
        use PamResultCode as Code;
        use Priority::{Debug, Error, Info};
        let silent = |code, log| Row { code, user: None, log };
        match self {
            Outcome::Ready | Outcome::Accepted => silent(Code::PAM_SUCCESS, None),
            Outcome::Ignored => silent(Code::PAM_IGNORE, None),
            Outcome::Rejected => silent(Code::PAM_AUTHTOK_ERR, Some((Debug, log::NOT_ACCEPTED))),
            Outcome::TriesUsedUp => silent(Code::PAM_MAXTRIES, Some((Debug, log::TRIES_USED_UP))),
            Outcome::Aborted => silent(Code::PAM_AUTHTOK_ERR, Some((Info, log::ABORTED))),
            Outcome::NoPassword => silent(Code::PAM_AUTHTOK_ERR, Some((Error, log::NO_PASSWORD))),
            Outcome::NoUser => silent(Code::PAM_AUTHTOK_ERR, Some((Error, log::UNKNOWN_USER))),
            Outcome::UnknownCall => silent(Code::PAM_SERVICE_ERR, Some((Error, log::UNKNOWN_CALL))),
            Outcome::Unusable { cause, pass } => unusable(cause, pass),
        }
    }

    /// True when the stack goes on, so that the password must stay for the modules that follow.
    pub(crate) fn lets_stack_continue(self) -> bool {
        matches!(self, Outcome::Ready | Outcome::Accepted | Outcome::Ignored)
    }
}

/// Before anything was typed the user may try again later; a fault of ours ends the transaction.
fn unusable(cause: Cause, pass: Pass) -> Row {
    use PamResultCode as Code;
    let (code, user) = match cause {
        Cause::Filter | Cause::Ladder | Cause::OutOfReach => (Code::PAM_AUTHTOK_ERR, Some(FILTER_UNUSABLE)),
        Cause::Configuration => (Code::PAM_SERVICE_ERR, Some(CONFIGURATION_BROKEN)),
        Cause::Fault => (Code::PAM_ABORT, None),
    };
    let is_early = pass == Pass::Preliminary && cause != Cause::Fault;
    let code = if is_early { Code::PAM_TRY_AGAIN } else { code };
    Row { code, user, log: Some((Priority::Critical, log::refused_for(cause))) }
}

const FILTER_UNUSABLE: &str = "\
    The administrator's password filter on this system cannot be used, so passwords cannot be changed now. \
    Your password is not at fault. Please tell your administrator.";
const CONFIGURATION_BROKEN: &str = "\
    The administrator's password policy on this system has an error, so passwords cannot be changed now. \
    Your password is not at fault. Please tell your administrator.";

/// What root reads when a part of the check was not possible and root is let through.
pub(crate) fn unchecked(cause: Cause) -> &'static str {
    match cause {
        Cause::Filter => {
            "A password filter on this system cannot be used; this password was not checked against it. \
             See the system log."
        }
        Cause::Ladder | Cause::OutOfReach => {
            "The ladder of chosen passwords on this system cannot be used; whether this password is too \
             common here was not checked. See the system log."
        }
        Cause::Configuration => {
            "The password policy on this system has an error; this password was not checked. \
             See the system log."
        }
        Cause::Fault => {
            "The password check on this system failed; this password was not checked. See the system log."
        }
    }
}

/// What root reads behind the reason: the password is not rejected.
pub(crate) fn accepted_for_root(user: &[u8]) -> String {
    let user = log::one_line(&String::from_utf8_lossy(user));
    format!("It is accepted for {user} all the same, because the check does not bind root.")
}

/// The sentence for a password that is rejected, with what to do about it (NIST SP 800-63B-4 §3.1.1.2:
/// verifiers provide the reason and offer guidance), and with the reason's code where the line asks for it.
pub(crate) fn rejection(reason: Reason, with_code: bool) -> String {
    let sentence = match reason {
        Reason::TooShort { min_length } => fill(sentence(reason), &min_length),
        Reason::TooLong => fill(sentence(reason), &MAX_PASSWORD_BYTES),
        _ => fill(sentence(reason), &reason),
    };
    if with_code { format!("{sentence} [{}]", reason.code()) } else { sentence }
}

/// The sentence with this in place of its hole, if it has one.
fn fill(sentence: &str, value: &dyn fmt::Display) -> String {
    let hole = sentence.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?.1)));
    hole.map_or_else(|| sentence.to_owned(), |(before, after)| format!("{before}{value}{after}"))
}

fn sentence(reason: Reason) -> &'static str {
    match reason {
        Reason::Empty => "BAD PASSWORD: it is empty",
        Reason::TooLong => "BAD PASSWORD: it is longer than {most_bytes} bytes; choose a shorter one",
        Reason::TooShort { .. } => {
            "BAD PASSWORD: it is shorter than {min_length} characters; choose a longer one, several \
             words for example"
        }
        Reason::NearUserName => {
            "BAD PASSWORD: it is too close to the user name; choose one that is not made from it"
        }
        Reason::NearRealName => {
            "BAD PASSWORD: it is too close to the user's real name; choose one that is not made from it"
        }
        Reason::NearHostName => {
            "BAD PASSWORD: it is too close to this computer's name; choose one that is not made from it"
        }
        Reason::NearOldPassword => "BAD PASSWORD: it is too close to the old password; choose a new one",
        Reason::Dictionary => {
            "BAD PASSWORD: it is a dictionary word or a common password, perhaps disguised; choose \
             several unrelated words"
        }
        Reason::Breached => {
            "BAD PASSWORD: it is in a list of leaked passwords, perhaps disguised; choose one that was \
             never used anywhere"
        }
        Reason::NearDictionary => {
            "BAD PASSWORD: it is one character away from a dictionary word or common password; choose \
             several unrelated words"
        }
        Reason::TooCommonHere => {
            "BAD PASSWORD: too many people on this system chose it already; choose another one"
        }
        // A reason that a newer library finds.
        _ => "BAD PASSWORD: {reason}",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAUSES: [Cause; 5] =
        [Cause::Filter, Cause::Ladder, Cause::OutOfReach, Cause::Configuration, Cause::Fault];

    fn all() -> Vec<Outcome> {
        let passes = [Pass::Preliminary, Pass::Update];
        let unusable =
            CAUSES.into_iter().flat_map(|cause| passes.map(|pass| Outcome::Unusable { cause, pass }));
        let others = [
            Outcome::Ready,
            Outcome::Accepted,
            Outcome::Ignored,
            Outcome::Rejected,
            Outcome::TriesUsedUp,
            Outcome::Aborted,
            Outcome::NoPassword,
            Outcome::NoUser,
            Outcome::UnknownCall,
        ];
        others.into_iter().chain(unusable).collect()
    }

    #[test]
    fn only_what_lets_the_stack_continue_returns_success_or_ignore() {
        for outcome in all() {
            let row = outcome.row();
            let continues = matches!(row.code, PamResultCode::PAM_SUCCESS | PamResultCode::PAM_IGNORE);
            assert_eq!(continues, outcome.lets_stack_continue(), "{outcome:?}");
            assert_eq!(row.log.is_none(), outcome.lets_stack_continue(), "{outcome:?}");
        }
    }

    #[test]
    fn codes_are_those_a_password_hook_may_return() {
        for outcome in all() {
            let code = outcome.row().code as i32;
            assert!([0, 3, 11, 20, 24, 25, 26].contains(&code), "{outcome:?} returns {code}");
        }
    }

    #[test]
    fn try_again_belongs_to_the_preliminary_call() {
        for outcome in all() {
            let is_preliminary = matches!(
                outcome,
                Outcome::Unusable { cause, pass: Pass::Preliminary } if cause != Cause::Fault
            );
            assert_eq!(outcome.row().code == PamResultCode::PAM_TRY_AGAIN, is_preliminary, "{outcome:?}");
        }
    }

    #[test]
    fn a_refusal_that_is_no_fault_of_the_user_names_the_administrator() {
        for outcome in all() {
            let Some(sentence) = outcome.row().user else { continue };
            assert!(sentence.contains("administrator"), "{outcome:?}");
            assert!(!sentence.contains("BAD PASSWORD"), "{outcome:?}");
            let priority = outcome.row().log.map(|(priority, _)| priority);
            assert_eq!(priority, Some(Priority::Critical), "{outcome:?}");
        }
    }

    #[test]
    fn root_reads_what_was_not_checked_and_where_the_cause_is() {
        for cause in CAUSES {
            let text = unchecked(cause);
            assert!(text.contains("not checked") && text.ends_with("See the system log."), "{text}");
        }
    }

    #[test]
    fn every_reason_has_a_sentence_without_holes_that_says_what_to_do() {
        for reason in Reason::ALL {
            let text = rejection(reason, false);
            assert!(text.starts_with(&format!("BAD PASSWORD: {reason}")), "{text}");
            assert!(text.contains("; choose ") || reason == Reason::Empty, "{text}");
            assert!(!text.contains('{'), "{text}");
            assert_eq!(rejection(reason, true), format!("{text} [{}]", reason.code()));
        }
        assert!(rejection(Reason::TooShort { min_length: 9 }, false).contains("than 9 characters"));
        assert!(rejection(Reason::TooLong, false).contains("than 512 bytes"));
    }
}
