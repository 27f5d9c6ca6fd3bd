//! A password that was set but that the check did not let through: another module prompted for it behind the
//! check, or no line checked it.

use nearmiss_policy::secret::Secret;

use super::{Flags, PasswordChange};
use crate::{
    before_change::BeforeChange,
    checks::Checks,
    host::Host,
    messages::decision::{Bound, Refusal, Verdict},
};

impl<H: Host, C: Checks> PasswordChange<'_, H, C> {
    /// Judges the password like the check, and logs the decision; nothing is shown. True if the check would
    /// have rejected it, or refused the change because of a failure that the user may have provoked, such as
    /// a limit of the process.
    pub(crate) fn judge_set(mut self, before: &BeforeChange, user: Vec<u8>, password: &Secret) -> bool {
        self.flags = Flags(self.flags.0 | pam::constants::PAM_SILENT);
        self.decisions = before.decisions();
        let user = self.facts(user, true);
        let verdict = match self.weakness(password, &user) {
            Err(_) => Verdict::Unjudged(self.refused_for.unwrap_or_else(Refusal::fault)),
            Ok(None) => self.accepted(),
            Ok(Some((reason, enforce))) => Verdict::Bypassed(reason, self.bound(enforce)),
        };
        self.log_decision(verdict, &user.user);
        match verdict {
            Verdict::Unjudged(refusal) => refusal.may_be_provoked(),
            verdict => matches!(verdict, Verdict::Bypassed(_, Bound::Yes)),
        }
    }
}
