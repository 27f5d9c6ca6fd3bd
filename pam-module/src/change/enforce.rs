//! The reason to reject a password, its enforcement, and its line in the log.

use nearmiss_filters::word::Word;
use nearmiss_policy::{
    config::{Enforce, LogRule},
    guard,
    policy::{Context, Reason},
    secret::Secret,
    site::Unusable,
};

use super::{AccountFacts, PasswordChange};
use crate::{
    checks::Checks,
    host::Host,
    messages::{
        ChangeOutcome,
        decision::{Bound, Scene, Verdict, decision},
        sentences,
    },
};

/// The weak passwords of one change, in memory that is wiped with it.
#[derive(Default)]
pub(super) struct WeakOnes(Vec<Secret>);

impl WeakOnes {
    /// False for a password that was added before.
    fn add(&mut self, password: Secret) -> bool {
        let is_new = self.0.iter().all(|earlier| earlier.bytes() != password.bytes());
        if is_new {
            self.0.push(password);
        }
        is_new
    }
}

impl<H: Host, C: Checks> PasswordChange<'_, H, C> {
    /// The reason to reject the password, by every usable check (the others may be skipped), and its level of
    /// enforcement.
    pub(super) fn weakness(
        &mut self,
        password: &Secret,
        user: &AccountFacts,
    ) -> Result<Option<(Reason, Enforce)>, ChangeOutcome> {
        let checks = self.checks;
        let (password, host) = (password.bytes(), &*self.host);
        let decided = guard::catch(|| {
            let in_locale = host.read_in_locale(password);
            let in_locale = in_locale.as_ref().map(Word::as_bytes);
            checks.decide(password, &Context { in_locale, ..user.context() })
        });
        let decision = decided.unwrap_or_else(|_| Unusable::fault().into());
        for unusable in decision.failures {
            self.allow_unchecked(unusable)?;
        }
        Ok(decision.finding.map(|finding| (finding.reason, decision.enforce)))
    }

    /// Shows the reason, unless the password is only counted; the rejection binds every user except root. A
    /// repeated password in the same change is not a second decision. A password that a process of root
    /// passes again is not a second attempt: such programs answer each prompt with the same password.
    pub(super) fn enforce(
        &mut self,
        password: Secret,
        reason: Reason,
        enforce: Enforce,
        user: &[u8],
    ) -> Option<ChangeOutcome> {
        let bound = self.bound(enforce);
        if self.weak.add(password) {
            self.log_decision(Verdict::Weak(reason, bound), user);
        } else if bound == Bound::Yes && self.host.is_root() {
            return Some(ChangeOutcome::Rejected);
        }
        if bound != Bound::Audit {
            let sentence = sentences::rejection(reason);
            self.show(&if self.options.codes { sentence.with_code(reason.code()) } else { sentence });
        }
        if bound == Bound::Yes {
            self.host.clear_new_password();
            return None;
        }
        match bound {
            Bound::Root => self.show(&sentences::accepted_for_root(user)),
            Bound::Warn => self.show(&sentences::accepted()),
            Bound::Yes | Bound::Audit => {}
        }
        self.retype()
    }

    /// The effect of a rejection at this level on this user.
    pub(super) fn bound(&self, enforce: Enforce) -> Bound {
        match enforce {
            Enforce::Audit => Bound::Audit,
            Enforce::Warn => Bound::Warn,
            Enforce::Reject if self.is_enforced() => Bound::Yes,
            Enforce::Reject => Bound::Root,
        }
    }

    pub(super) fn log_decision(&mut self, verdict: Verdict, user: &[u8]) {
        self.decisions = self.decisions.saturating_add(1);
        let is_logged = match self.options.log {
            LogRule::Decisions => true,
            LogRule::Rejections => !matches!(verdict, Verdict::Accept { .. }),
            LogRule::None => false,
        };
        if is_logged {
            log_line(self.host, verdict, self.decisions, user);
        }
    }
}

/// Writes the line of the decision with this number in its change.
pub(super) fn log_line(host: &mut impl Host, verdict: Verdict, number: u32, user: &[u8]) {
    let (service, remote_host) = (host.service(), host.remote_host());
    let (service, remote_host) = (service.as_deref(), remote_host.as_deref());
    host.log_decision(&decision(verdict, &Scene { number, user, service, remote_host }));
}
