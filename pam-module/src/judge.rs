//! What the flow needs of the library: open the filters, judge one password. The flow's tests put a scripted
//! judge in its place.

use nearmiss_filters::policy::{Context, Verdict};

use crate::messages::Outcome;

/// Opens what the configuration names.
pub(crate) trait Library {
    /// Reads the configuration and opens every filter it names.
    ///
    /// # Errors
    /// [`Unusable`] when no verdict can be had.
    fn open(&self) -> Result<Box<dyn Judge>, Unusable>;
}

/// Judges passwords.
pub(crate) trait Judge {
    /// The verdict on one password.
    ///
    /// # Errors
    /// [`Unusable`] when a filter turns out to be damaged or cannot be read.
    fn judge(&self, password: &[u8], context: &Context<'_>) -> Result<Verdict, Unusable>;
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
    Configuration,
    Fault,
}

impl Unusable {
    /// The check panicked; the panic hook has logged where.
    pub(crate) fn fault() -> Unusable {
        Unusable { cause: Cause::Fault, allowed: false, detail: "internal error in the check".to_owned() }
    }

    /// What it means for somebody who is bound by the verdict, before anything is typed.
    pub(crate) fn preliminary_outcome(&self) -> Outcome {
        match self.cause {
            Cause::Filter => Outcome::FilterUnusableYet,
            Cause::Configuration => Outcome::ConfigurationBrokenYet,
            Cause::Fault => Outcome::InternalError,
        }
    }

    /// What it means for somebody who is bound by the verdict, when the password is to be changed.
    pub(crate) fn outcome(&self) -> Outcome {
        match self.cause {
            Cause::Filter => Outcome::FilterUnusable,
            Cause::Configuration => Outcome::ConfigurationBroken,
            Cause::Fault => Outcome::InternalError,
        }
    }
}
