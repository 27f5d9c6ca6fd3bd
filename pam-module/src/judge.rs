//! What the flows need of the library: open filters and ladder, judge one password, count one. The tests of the flows
//! put scripts in its place.

#[cfg(test)]
pub(crate) mod scripted;

use nearmiss_filters::{
    ladder::{Choice, Claim},
    policy::{Context, Verdict},
};

use crate::messages::{self, Outcome};

/// Opens what the configuration names.
pub(crate) trait Library {
    /// Reads the configuration and opens every filter it names.
    ///
    /// # Errors
    /// [`Unusable`] when no verdict can be had.
    fn open(&self) -> Result<Box<dyn Judge>, Unusable>;

    /// Opens the ladder of chosen passwords; none where there was never one.
    ///
    /// # Errors
    /// [`Unusable`] when the ladder or its key cannot be used.
    fn open_ladder(&self) -> Result<Option<Box<dyn Ladder>>, Unusable>;
}

/// Judges passwords.
pub(crate) trait Judge {
    /// The verdict on one password.
    ///
    /// # Errors
    /// [`Unusable`] when a filter turns out to be damaged or cannot be read.
    fn judge(&self, password: &[u8], context: &Context<'_>) -> Result<Verdict, Unusable>;

    /// What the administrator should mend although passwords can be judged, for the system log.
    fn warnings(&self) -> Vec<String>;
}

/// Tells and counts how often a password is chosen here.
pub(crate) trait Ladder {
    /// Whether the password is too common here. Changes nothing.
    ///
    /// # Errors
    /// [`Unusable`]: the slow hash or the array fails.
    fn is_too_common(&self, password: &[u8]) -> Result<bool, Unusable>;

    /// Counts the password of an account, unless it was counted before or another one of the account was today.
    ///
    /// # Errors
    /// As [`Ladder::is_too_common`]; then it is not counted, or not wholly.
    fn count(&self, password: &[u8], choice: &Choice<'_>) -> Result<Claim, Unusable>;
}

/// Why there is no verdict.
#[derive(Debug)]
pub(crate) struct Unusable {
    pub(crate) cause: Cause,
    /// `on_error = "allow"` covers it: the password goes through unchecked.
    pub(crate) allowed: bool,
    /// What and which file, for the system log.
    pub(crate) detail: String,
}

/// What cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    Filter,
    Ladder,
    /// The ladder is root's alone and the process is not root's: it could not set a password either.
    OutOfReach,
    Configuration,
    Fault,
}

impl Unusable {
    /// The check panicked; the panic hook has logged where.
    pub(crate) fn fault() -> Unusable {
        Unusable { cause: Cause::Fault, allowed: false, detail: "internal error in the check".to_owned() }
    }

    /// What the password is not checked against, behind the words "not checked"; root reads the second text.
    pub(crate) fn unchecked(&self) -> (&'static str, &'static str) {
        match self.cause {
            Cause::Ladder | Cause::OutOfReach => (" against the ladder", messages::UNCHECKED_LADDER_SENTENCE),
            _ => ("", messages::UNCHECKED_SENTENCE),
        }
    }

    /// What it means for somebody who is bound by the verdict, before anything is typed.
    pub(crate) fn preliminary_outcome(&self) -> Outcome {
        match self.cause {
            Cause::Filter => Outcome::FilterUnusableYet,
            Cause::Ladder | Cause::OutOfReach => Outcome::LadderUnusableYet,
            Cause::Configuration => Outcome::ConfigurationBrokenYet,
            Cause::Fault => Outcome::InternalError,
        }
    }

    /// What it means for somebody who is bound by the verdict, when the password is to be changed.
    pub(crate) fn outcome(&self) -> Outcome {
        match self.cause {
            Cause::Filter => Outcome::FilterUnusable,
            Cause::Ladder | Cause::OutOfReach => Outcome::LadderUnusable,
            Cause::Configuration => Outcome::ConfigurationBroken,
            Cause::Fault => Outcome::InternalError,
        }
    }
}
