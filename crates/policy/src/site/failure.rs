//! The effect of a part of a site that cannot be used.

use std::{error::Error, fmt};

use nearmiss_filters::{
    keys::{self, Keyed, MessageKey},
    ladder::LadderError,
};

use super::{error::OpenError, trouble::Trouble};
use crate::{
    config::{Config, ConfigError, Enforce, OnError},
    policy::SourceError,
};

/// A part of the site that cannot be used, so that a password was not checked against it, or not counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable {
    /// Which part.
    pub cause: Cause,
    /// True if `on_error = "allow"` accepts the password without this part. Never true for a failure that the
    /// caller of a setuid program can provoke.
    pub is_allowed: bool,
    /// True for a ladder that only root may read, in an unprivileged process: it could not set a password
    /// either.
    pub is_out_of_reach: bool,
    /// True for a ladder of the fleet, not of this host.
    pub is_of_fleet: bool,
    /// What is wrong with it.
    pub trouble: Trouble,
    /// The file and its error, for administrators.
    pub detail: String,
    /// The key of `detail`.
    pub key: MessageKey,
}

/// The part of a site that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A dictionary filter.
    Filter,
    /// The ladder of chosen passwords, of this host or of its fleet.
    Ladder,
    /// The ladder of guessed passwords, or the file of recent failures.
    Guesses,
    /// The configuration.
    Configuration,
    /// The program itself: a panic was caught.
    Fault,
}

impl Cause {
    /// Each of them once.
    pub const ALL: [Cause; 5] =
        [Cause::Filter, Cause::Ladder, Cause::Guesses, Cause::Configuration, Cause::Fault];
}

impl Unusable {
    /// The detail followed by its key: a complete message.
    pub fn message(&self) -> String {
        format!("{} {}", self.detail, self.key)
    }

    /// The check panicked: there is no verdict.
    pub fn fault() -> Unusable {
        Unusable {
            cause: Cause::Fault,
            is_allowed: false,
            is_out_of_reach: false,
            is_of_fleet: false,
            trouble: Trouble::Panic,
            detail: "internal error in the check".to_owned(),
            key: keys::INTERNAL_ERROR,
        }
    }

    fn new<'e, E>(cause: Cause, is_allowed: bool, error: &'e E) -> Unusable
    where
        E: fmt::Display + Keyed,
        Trouble: From<&'e E>,
    {
        let (trouble, detail, key) = (error.into(), error.to_string(), error.key());
        Unusable { cause, is_allowed, is_out_of_reach: false, is_of_fleet: false, trouble, detail, key }
    }

    pub(super) fn configuration(error: &ConfigError) -> Unusable {
        Unusable::new(Cause::Configuration, false, error)
    }

    pub(super) fn filter(error: &OpenError, on_error: OnError, enforce: Enforce) -> Unusable {
        let is_allowed = is_allowed(error.may_be_provoked(), on_error) || enforce != Enforce::Reject;
        Unusable::new(Cause::Filter, is_allowed, error)
    }

    pub(super) fn ladder(cause: Cause, error: &LadderError, on_error: OnError) -> Unusable {
        Unusable::new(cause, is_allowed(error.may_be_provoked(), on_error), error)
    }

    /// The effect of a ladder that cannot be opened. An unprivileged process that may not read it (a screen
    /// locker) does without: it could not set a password in the shadow file either. Setuid programs are
    /// privileged.
    pub(super) fn ladder_opened_by(
        is_root: bool,
        cause: Cause,
        error: &LadderError,
        on_error: OnError,
        enforce: Enforce,
    ) -> Unusable {
        let unusable = Unusable::ladder(cause, error, on_error);
        if enforce != Enforce::Reject {
            return Unusable { is_allowed: true, ..unusable };
        }
        if error.is_denied() && !is_root {
            return Unusable { is_out_of_reach: true, is_allowed: true, ..unusable };
        }
        unusable
    }

    /// The effect of a source that failed during a lookup. It is no longer known which of several
    /// dictionaries it was, so a filter's failure is allowed only if the whole site rejects nothing.
    pub(super) fn source(error: &SourceError, config: &Config) -> Unusable {
        let of_ladder = (config.ladder_on_error, config.enforce_of_ladder());
        let (cause, (on_error, enforce)) = match error {
            SourceError::Filter(_) => (Cause::Filter, (config.on_error, config.strictest())),
            SourceError::Ladder(_) => (Cause::Ladder, of_ladder),
            SourceError::Guesses(_) => (Cause::Guesses, of_ladder),
        };
        let is_allowed = is_allowed(error.may_be_provoked(), on_error) || enforce != Enforce::Reject;
        Unusable::new(cause, is_allowed, error)
    }
}

/// A failure that a caller can provoke must not become a bypass.
fn is_allowed(is_provoked: bool, on_error: OnError) -> bool {
    on_error == OnError::Allow && !is_provoked
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

impl Keyed for Unusable {
    fn key(&self) -> MessageKey {
        self.key
    }
}

impl Error for Unusable {}

#[cfg(test)]
mod tests {
    use std::io::{self, ErrorKind};

    use super::*;
    use crate::config::DictionaryRule;
    use nearmiss_filters::{
        dictionary::{FilterError, Problem},
        storage::{Act, StorageError},
    };

    /// It is not known which dictionary failed: it may be the one that rejects.
    #[test]
    fn a_filter_that_fails_while_it_is_asked_is_judged_by_the_strictest_part() {
        let failed = |own: Option<Enforce>, site: Enforce| {
            let rule = DictionaryRule { enforce: own, ..DictionaryRule::new("/f".into()) };
            let config = Config { enforce: site, dictionaries: vec![rule], ..Config::default() };
            let error = FilterError { path: Some("/f".into()), problem: Problem::DamagedPage { index: 3 } };
            Unusable::source(&SourceError::Filter(error), &config)
        };
        assert!(!failed(Some(Enforce::Reject), Enforce::Audit).is_allowed, "the list rejects");
        assert!(!failed(Some(Enforce::Audit), Enforce::Reject).is_allowed, "the policy rejects");
        assert!(failed(Some(Enforce::Warn), Enforce::Audit).is_allowed, "nothing rejects");
    }

    #[test]
    fn a_ladder_that_cannot_be_opened_refuses_only_where_it_rejects_and_root_asks() {
        let denied = LadderError::Access { path: "/l".into(), source: ErrorKind::Other.into() };
        let source = io::Error::from(ErrorKind::PermissionDenied);
        let refused = StorageError::io("/l".as_ref(), Act::Open, source).into();
        let opened = |is_root, error: &LadderError, enforce| {
            let unusable =
                Unusable::ladder_opened_by(is_root, Cause::Ladder, error, OnError::Reject, enforce);
            (unusable.is_out_of_reach, unusable.is_allowed)
        };
        for error in [&denied, &refused] {
            assert_eq!(opened(true, error, Enforce::Reject), (false, false));
            for enforce in [Enforce::Warn, Enforce::Audit] {
                assert_eq!(opened(false, error, enforce), (false, true));
            }
        }
        assert_eq!(opened(false, &denied, Enforce::Reject), (false, false));
        assert_eq!(opened(false, &refused, Enforce::Reject), (true, true));
    }
}
