//! What speaks against a password, what follows from it, and the one line of the log about it.

use nearmiss_filters::{
    config::{Enforce, LogRule},
    guard,
    policy::Reason,
    secret::Secret,
    site::Unusable,
};

use super::{Change, UserFacts};
use crate::{
    checks::Checks,
    host::Host,
    messages::{
        Outcome,
        log::{self, Bound, Scene, Verdict},
        sentences,
    },
};

impl<H: Host, C: Checks> Change<'_, H, C> {
    /// What speaks against the password, by all that can be asked, if the password may go without the rest,
    /// and what that means.
    pub(super) fn weakness(
        &mut self,
        password: &Secret,
        user: &UserFacts,
    ) -> Result<Option<(Reason, Enforce)>, Outcome> {
        let checks = self.checks;
        let decided = guard::catch(|| checks.decide(password.bytes(), &user.context()));
        let decision = decided.unwrap_or_else(|_| Unusable::fault().into());
        for unusable in decision.failures {
            self.allow_unchecked(unusable, &user.user)?;
        }
        Ok(decision.finding.map(|finding| (finding.reason, decision.enforce)))
    }

    /// Says why, unless the password is only counted; the rejection binds everybody but root.
    pub(super) fn weak(&mut self, reason: Reason, enforce: Enforce, user: &[u8]) -> Option<Outcome> {
        let bound = match enforce {
            Enforce::Audit => Bound::Audit,
            Enforce::Warn => Bound::Warn,
            Enforce::Reject if self.is_enforced() => Bound::Yes,
            Enforce::Reject => Bound::Root,
        };
        self.log_decision(Verdict::Weak(reason, bound), user);
        if bound != Bound::Audit {
            let sentence = sentences::rejection(reason);
            self.show(&if self.options.codes { sentence.with_code(reason.code()) } else { sentence });
        }
        if bound == Bound::Yes {
            self.host.clear_new_password();
            return None;
        }
        if bound == Bound::Root {
            self.show(&sentences::accepted_for_root(user));
        }
        self.retype()
    }

    pub(super) fn log_decision(&mut self, verdict: Verdict, user: &[u8]) {
        let is_logged = match self.options.log {
            LogRule::Decisions => true,
            LogRule::Rejections => !matches!(verdict, Verdict::Accept { .. }),
            LogRule::None => false,
        };
        if is_logged {
            let (service, remote_host) = (self.host.service(), self.host.remote_host());
            let (service, remote_host) = (service.as_deref(), remote_host.as_deref());
            let scene = Scene { attempt: self.attempt, user, service, remote_host };
            self.host.log_decision(&log::decision(verdict, &scene));
        }
    }
}
