//! Changes that are refused though no password is at fault: one line in the log for each.

use nearmiss_policy::site::Unusable;

use super::{PasswordChange, enforce::log_line};
use crate::{
    checks::Checks,
    ffi::sys,
    host::Host,
    messages::{
        ChangeOutcome, Pass,
        decision::{Lack, Refusal, Verdict},
    },
};

impl<H: Host, C: Checks> PasswordChange<'_, H, C> {
    /// The outcome for a part that cannot be used.
    pub(super) fn refuse(&mut self, unusable: &Unusable, pass: Pass) -> ChangeOutcome {
        self.refused_for = Some(Refusal::of(unusable));
        ChangeOutcome::Unusable { cause: unusable.cause, pass }
    }

    /// Logs the decision if the outcome is a refusal. A stack may continue after a refusal in the preliminary
    /// call (`optional`): the refusal in the update call is then the same decision.
    pub(super) fn report_refusal(&mut self, outcome: ChangeOutcome) {
        let was_reported = self.host.take_refusal(self.options);
        let Some(refusal) = self.refusal(outcome) else { return };
        let is_early = self.flags.has(sys::PAM_PRELIM_CHECK);
        if is_early {
            self.host.leave_refusal(self.options);
        }
        if is_early || !was_reported {
            let user = match refusal {
                Refusal::Stack(Lack::User) => None, // asked already
                _ => self.host.user(),
            };
            self.log_decision(Verdict::Refuse(refusal), &user.unwrap_or_default());
        }
    }

    fn refusal(&self, outcome: ChangeOutcome) -> Option<Refusal> {
        match outcome {
            ChangeOutcome::Unusable { .. } => Some(self.refused_for.unwrap_or_else(Refusal::fault)),
            ChangeOutcome::NoPassword => Some(Refusal::Stack(Lack::Password)),
            ChangeOutcome::NoUser => Some(Refusal::Stack(Lack::User)),
            ChangeOutcome::UnknownCall => Some(Refusal::Stack(Lack::Call)),
            ChangeOutcome::Ready
            | ChangeOutcome::Accepted
            | ChangeOutcome::Rejected
            | ChangeOutcome::TriesUsedUp
            | ChangeOutcome::Aborted => None,
        }
    }
}

/// Logs the refusal for a panic that left the flow.
pub(crate) fn report_fault(host: &mut impl Host) {
    let user = host.user().unwrap_or_default();
    log_line(host, Verdict::Refuse(Refusal::fault()), 1, &user);
}
