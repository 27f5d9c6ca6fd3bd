//! The sentences for users, as clauses that a program can append to its own "password rejected: ".
//!
//! None of them ever contains the password, its length, its hash, or the word near it.

use nearmiss_policy::{policy::Reason, site::Cause};

/// The clause for a password that is rejected, with what to do about it (NIST SP 800-63B-4 §3.1.1.2:
/// verifiers provide the reason and offer guidance).
pub fn rejection(reason: Reason) -> String {
    reason.advice().map_or_else(|| reason.to_string(), |advice| format!("{reason}; {advice}"))
}

/// The clause for a password that was not checked.
pub(crate) fn unusable(cause: Cause) -> &'static str {
    match cause {
        Cause::Filter | Cause::Ladder | Cause::Guesses => {
            "the administrator's password filter on this system cannot be used, so passwords cannot be \
             changed now; your password is not at fault"
        }
        Cause::Configuration => {
            "the administrator's password policy on this system has an error, so passwords cannot be \
             changed now; your password is not at fault"
        }
        Cause::Fault => {
            "the password check on this system failed, so passwords cannot be changed now; your password is \
             not at fault"
        }
    }
}

/// The PAM module's sentence for a password that was not checked, by which translations are looked up; none
/// for an internal fault, which has no translation.
pub(crate) fn told_by_the_module(clause: &str) -> Option<&'static str> {
    if clause == unusable(Cause::Configuration) {
        return Some(
            "The administrator's password policy on this system has an error, so passwords cannot be changed \
             now. Your password is not at fault. Please tell your administrator.",
        );
    }
    (clause == unusable(Cause::Filter)).then_some(
        "The administrator's password filter on this system cannot be used, so passwords cannot be changed \
         now. Your password is not at fault. Please tell your administrator.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rejection_has_its_reason_and_advice() {
        for reason in Reason::ALL {
            let text = rejection(reason);
            assert!(text.starts_with(&reason.to_string()), "{text}");
            assert!(text.contains("; choose ") || reason == Reason::Empty, "{text}");
        }
        assert!(rejection(Reason::TooShort { min_length: 9 }).contains("than 9 characters"));
    }

    #[test]
    fn a_password_that_was_not_checked_is_not_blamed() {
        assert!(Cause::ALL.map(unusable).iter().all(|text| text.ends_with("your password is not at fault")));
    }
}
