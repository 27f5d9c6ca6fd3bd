//! Parts of the check that cannot be used: when the change is refused, when it continues without them, and
//! what is logged and shown.

use nearmiss_policy::{config::Enforce, guard, site::Unusable};

use super::PasswordChange;
use crate::{
    checks::Checks,
    host::Host,
    messages::{ChangeOutcome, Pass, log, sentences},
    priority::Priority,
};

impl<H: Host, C: Checks> PasswordChange<'_, H, C> {
    pub(super) fn unusable(&self) -> Vec<Unusable> {
        guard::catch(|| self.checks.unusable()).unwrap_or_else(|_| vec![Unusable::fault()])
    }

    /// Continues without this check if that is allowed; logs the cause once in either case.
    pub(super) fn allow_unchecked(&mut self, unusable: Unusable) -> Result<(), ChangeOutcome> {
        if self.gone_without.iter().any(|gone| gone.detail == unusable.detail) {
            return Ok(());
        }
        if unusable.is_out_of_reach {
            self.log(log::cause(&unusable).at(Priority::Debug));
        } else {
            self.log(log::cause(&unusable));
            self.report_unchecked(&unusable)?;
        }
        self.gone_without.push(unusable);
        Ok(())
    }

    fn report_unchecked(&mut self, unusable: &Unusable) -> Result<(), ChangeOutcome> {
        if self.must_refuse(unusable) {
            return Err(self.refuse(unusable, Pass::Update));
        }
        if unusable.is_allowed || !self.rejects() {
            self.log(log::allowed_without(unusable.cause));
        } else {
            self.log(log::set_by_root_without(unusable.cause));
            self.show(&sentences::unchecked(unusable.cause));
        }
        Ok(())
    }

    pub(super) fn must_refuse(&self, unusable: &Unusable) -> bool {
        self.is_enforced() && !unusable.is_allowed && self.rejects()
    }

    /// False if the line only warns or counts: then no failure refuses a change, not even a broken
    /// configuration.
    fn rejects(&self) -> bool {
        self.options.enforce.unwrap_or_default() == Enforce::Reject
    }
}
