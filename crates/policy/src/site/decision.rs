//! Combines the levels of enforcement of a site's parts into one decision.
//!
//! Parts of a site may be enforced at different levels. They are queried level by level from the strictest,
//! each time together with the stricter ones, so that a part that only counts never hides one that rejects.
//! If one level applies to all, that is one examination.

use super::{Site, failure::Unusable};
use crate::{
    config::Enforce,
    policy::{Context, Examination, Finding, Ladders},
};

/// The decision about a password: the only result of a [`Site`].
///
/// ```
/// use nearmiss_policy::{Config, Context, Site, config::Enforce};
/// # use std::path::Path;
///
/// let text = b"packaged = false\nmin_length = 8\nenforce = \"warn\"\n";
/// let site = Site::without_ladder(Config::parse(Path::new("/etc/site.conf"), text)?);
/// let decision = site.decide(b"short", &Context::default());
/// assert!(decision.finding.is_some() && decision.enforce == Enforce::Warn);
/// assert!(matches!(decision.rejection(), Ok(None)), "its user is warned, and the password accepted");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Decision {
    /// The reason why the password is weak, with the evidence for an administrator.
    pub finding: Option<Finding>,
    /// The level at which the finding is enforced: only [`Enforce::Reject`] rejects the password.
    pub enforce: Enforce,
    /// The parts of the site that failed.
    pub failures: Vec<Unusable>,
}

impl Decision {
    /// The reason to reject the password; `None` accepts it, perhaps with a warning or a line in the log.
    ///
    /// # Errors
    /// The first part that failed and without which `on_error` does not accept a password
    /// ([`Unusable::is_allowed`]): the password must not be set.
    pub fn rejection(&self) -> Result<Option<&Finding>, &Unusable> {
        match self.failures.iter().find(|unusable| !unusable.is_allowed) {
            Some(unusable) => Err(unusable),
            None => Ok(self.finding.as_ref().filter(|_| self.enforce == Enforce::Reject)),
        }
    }

    /// The finding, for a caller that reports it and sets no password.
    ///
    /// # Errors
    /// The first part that failed, regardless of `on_error`. A ladder that an unprivileged process cannot
    /// reach is not a failure of the site.
    pub fn complete(self) -> Result<Option<Finding>, Unusable> {
        let failed = self.failures.into_iter().find(|unusable| !unusable.is_out_of_reach);
        failed.map_or(Ok(self.finding), Err)
    }

    /// The failed parts in one line for the log; empty if there is none. A ladder that an unprivileged
    /// process cannot reach is not a failure of the site.
    pub fn unasked(&self) -> String {
        let failures = self.failures.iter().filter(|unusable| !unusable.is_out_of_reach);
        let messages: Vec<String> = failures.map(Unusable::message).collect();
        messages.join("; ")
    }
}

/// The decision if no part could be queried.
impl From<Unusable> for Decision {
    fn from(unusable: Unusable) -> Decision {
        Decision { finding: None, enforce: Enforce::Reject, failures: vec![unusable] }
    }
}

impl Site {
    /// Examines a password and decides about it. Changes nothing.
    pub fn decide(&self, password: &[u8], context: &Context<'_>) -> Decision {
        let mut failures = self.unusable();
        for enforce in Enforce::ALL.into_iter().filter(|&level| self.has_level(level)) {
            let finding = self.examine_at(enforce, password, context, &mut failures);
            if finding.is_some() {
                return Decision { finding, enforce, failures };
            }
        }
        Decision { finding: None, enforce: self.config.enforce, failures }
    }

    /// True if a part of the site is enforced at this level.
    fn has_level(&self, level: Enforce) -> bool {
        let config = &self.config;
        config.enforce == level
            || config.enforce_of_ladder() == level
            || config.dictionaries.iter().any(|rule| config.enforce_of(rule) == level)
    }

    /// Queries all parts of this level and of stricter ones.
    fn examine_at(
        &self,
        level: Enforce,
        password: &[u8],
        context: &Context<'_>,
        failures: &mut Vec<Unusable>,
    ) -> Option<Finding> {
        let config = &self.config;
        let rules = self.rules();
        let rules = rules.get(..self.dictionaries().opened_until(level)).unwrap_or(rules);
        let is_asked = config.enforce_of_ladder() <= level;
        let chosen = self.chosen().ok().flatten().filter(|_| is_asked);
        let guessed = self.rejecting().ok().flatten().filter(|_| is_asked);
        let fleet_chosen = is_asked.then(|| self.fleet());
        let fleet_guessed = fleet_chosen.filter(|_| config.guesses.reject);
        let examination = Examination::new(rules, Ladders { chosen, guessed, fleet_chosen, fleet_guessed });
        let bare;
        let policy = if config.enforce <= level {
            &config.policy
        } else {
            bare = config.policy.lookups_only();
            &bare
        };
        let examined = policy.examine(password, context, examination);
        for error in &examined.failures {
            let failure = Unusable::source(error, config);
            if !failures.contains(&failure) {
                failures.push(failure);
            }
        }
        examined.finding
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No failure is overlooked, in any order of opening.
    #[test]
    fn one_failure_that_is_not_allowed_refuses_wherever_it_stands() {
        let refused = Unusable { detail: "the second".to_owned(), ..Unusable::fault() };
        let allowed = Unusable { is_allowed: true, ..Unusable::fault() };
        let decided = |failures: &[&Unusable]| Decision {
            finding: None,
            enforce: Enforce::Reject,
            failures: failures.iter().map(|unusable| (*unusable).clone()).collect(),
        };
        for failures in [[&refused, &allowed], [&allowed, &refused]] {
            assert_eq!(decided(&failures).rejection().err(), Some(&refused));
        }
        assert!(decided(&[&allowed, &allowed]).rejection().is_ok_and(|finding| finding.is_none()));
    }
}
