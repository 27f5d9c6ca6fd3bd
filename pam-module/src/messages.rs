//! The messages of the module: the code for libpam, the message for the user and the log line of each
//! outcome. The sentences for users are in [`sentences`], in the language of libpam's prompts if there is a
//! [`catalogue`]; the further lines of the system log are in [`log`], the line of each decision in
//! [`decision`].

mod catalogue;
pub(crate) mod decision;
mod lines;
pub(crate) mod log;
mod phrase;
#[cfg(test)]
mod readers;
pub(crate) mod sentences;
#[cfg(test)]
mod translations;

use nearmiss_policy::site::Cause;
use pam::constants::PamResultCode;
use zeroize::Zeroizing;

pub(crate) use self::phrase::Phrase;
use self::{catalogue::Catalogue, lines::in_lines, log::Line, phrase::phrase};

/// A sentence in this language, that of the prompts around it, in lines; none means English.
pub(crate) fn in_language(language: Option<&str>, phrase: &Phrase) -> Zeroizing<String> {
    let catalogue = language.and_then(Catalogue::of);
    in_lines(&phrase.text(catalogue.as_ref()))
}

/// The two calls of a password change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pass {
    /// Before anything is typed.
    Preliminary,
    /// The one that changes the password.
    Update,
}

/// The outcome of a call of the password hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangeOutcome {
    /// Preliminary call: a password can be checked here.
    Ready,
    /// The password is acceptable, or the verdict does not bind the user.
    Accepted,
    /// The only attempt was rejected or mistyped; the user has seen the reason.
    Rejected,
    /// All attempts were rejected or mistyped.
    TriesUsedUp,
    /// The user typed nothing, or the conversation ended.
    Aborted,
    /// `use_authtok`, but no earlier module set a password.
    NoPassword,
    /// libpam does not know whose password it is.
    NoUser,
    /// A part of the check cannot be used, and the refusal binds the user.
    Unusable { cause: Cause, pass: Pass },
    /// Neither of the two calls of a password change.
    UnknownCall,
}

/// The code and the messages of an outcome.
pub(crate) struct Meaning {
    /// The code for libpam.
    pub(crate) code: PamResultCode,
    /// The message for the user.
    pub(crate) user: Option<Phrase>,
    /// The line for the system log; the cause, if there is one, was logged before.
    pub(crate) log: Option<Line>,
}

impl ChangeOutcome {
    /// A fault of this program, caught before it could reach libpam.
    pub(crate) const FAULT: ChangeOutcome =
        ChangeOutcome::Unusable { cause: Cause::Fault, pass: Pass::Update };

    /// The code and the messages of the outcome: one row for each, and decided nowhere else.
    pub(crate) fn row(self) -> Meaning {
        use PamResultCode as Code;
        let silent = |code, log| Meaning { code, user: None, log };
        match self {
            ChangeOutcome::Ready | ChangeOutcome::Accepted => silent(Code::PAM_SUCCESS, None),
            ChangeOutcome::Rejected => silent(Code::PAM_AUTHTOK_ERR, Some(log::NOT_ACCEPTED)),
            ChangeOutcome::TriesUsedUp => silent(Code::PAM_MAXTRIES, Some(log::TRIES_USED_UP)),
            ChangeOutcome::Aborted => silent(Code::PAM_AUTHTOK_ERR, Some(log::ABORTED)),
            ChangeOutcome::NoPassword => silent(Code::PAM_AUTHTOK_ERR, Some(log::NO_PASSWORD)),
            ChangeOutcome::NoUser => silent(Code::PAM_AUTHTOK_ERR, Some(log::UNKNOWN_USER)),
            ChangeOutcome::UnknownCall => silent(Code::PAM_SERVICE_ERR, Some(log::UNKNOWN_CALL)),
            ChangeOutcome::Unusable { cause, pass } => unusable(cause, pass),
        }
    }

    /// True if the stack continues, so that the password must stay for the modules that follow.
    pub(crate) fn lets_stack_continue(self) -> bool {
        matches!(self, ChangeOutcome::Ready | ChangeOutcome::Accepted)
    }
}

/// Before anything was typed the user may try again later; an internal fault ends the transaction.
fn unusable(cause: Cause, pass: Pass) -> Meaning {
    use PamResultCode as Code;
    let (code, user) = match cause {
        Cause::Filter | Cause::Ladder | Cause::Guesses => {
            (Code::PAM_AUTHTOK_ERR, Some(sentences::filter_unusable()))
        }
        Cause::Configuration => (Code::PAM_SERVICE_ERR, Some(sentences::configuration_broken())),
        Cause::Fault => (Code::PAM_ABORT, None),
    };
    let is_early = pass == Pass::Preliminary && cause != Cause::Fault;
    let code = if is_early { Code::PAM_TRY_AGAIN } else { code };
    Meaning { code, user, log: Some(log::refused_for(cause)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::priority::Priority;

    fn all() -> Vec<ChangeOutcome> {
        let passes = [Pass::Preliminary, Pass::Update];
        let unusable = Cause::ALL
            .into_iter()
            .flat_map(|cause| passes.map(|pass| ChangeOutcome::Unusable { cause, pass }));
        let others = [
            ChangeOutcome::Ready,
            ChangeOutcome::Accepted,
            ChangeOutcome::Rejected,
            ChangeOutcome::TriesUsedUp,
            ChangeOutcome::Aborted,
            ChangeOutcome::NoPassword,
            ChangeOutcome::NoUser,
            ChangeOutcome::UnknownCall,
        ];
        others.into_iter().chain(unusable).collect()
    }

    #[test]
    fn only_what_lets_the_stack_continue_returns_success() {
        for outcome in all() {
            let row = outcome.row();
            let continues = row.code == PamResultCode::PAM_SUCCESS;
            assert_eq!(continues, outcome.lets_stack_continue(), "{outcome:?}");
            assert_eq!(row.log.is_none(), outcome.lets_stack_continue(), "{outcome:?}");
        }
    }

    #[test]
    fn codes_are_those_a_password_hook_may_return() {
        for outcome in all() {
            let code = outcome.row().code as i32;
            assert!([0, 3, 11, 20, 24, 26].contains(&code), "{outcome:?} returns {code}");
        }
    }

    #[test]
    fn try_again_belongs_to_the_preliminary_call() {
        for outcome in all() {
            let is_preliminary = matches!(
                outcome,
                ChangeOutcome::Unusable { cause, pass: Pass::Preliminary } if cause != Cause::Fault
            );
            assert_eq!(outcome.row().code == PamResultCode::PAM_TRY_AGAIN, is_preliminary, "{outcome:?}");
        }
    }

    #[test]
    fn a_refusal_that_is_no_fault_of_the_user_names_the_administrator() {
        for outcome in all() {
            let Some(sentence) = outcome.row().user.map(|phrase| phrase.english) else { continue };
            assert!(sentence.contains("administrator"), "{outcome:?}");
            assert!(!sentence.contains("BAD PASSWORD"), "{outcome:?}");
            let priority = outcome.row().log.map(|line| line.priority);
            assert_eq!(priority, Some(Priority::Critical), "{outcome:?}");
        }
    }
}
