//! The password hook: `pam_pwquality`'s loop, extended for a check that may be unavailable.
//!
//! Preliminary call: test whether a password can be checked at all, before the user types one. Update call:
//! prompt, check, prompt again, as often as `retry=` allows; a password that came before this line is checked
//! once. Root is warned and let through, unless the line says otherwise or the change is forced by an expired
//! password. Every outcome that stops the stack clears the new password first. An accepted password leaves
//! the state before the change, and a hash, for the line that records it.

mod bypassed;
mod enforce;
#[cfg(test)]
mod ladder_tests;
mod refusal;
#[cfg(test)]
mod tests;
mod unchecked;

use libc::c_uint;
use nearmiss_policy::{guard, policy::Context, secret::Secret, site::Unusable};

use self::enforce::WeakOnes;
pub(crate) use self::refusal::report_fault;
use crate::{
    before_change::BeforeChange,
    checks::Checks,
    ffi::sys,
    host::{Host, Retyped},
    messages::{
        self, ChangeOutcome, Pass, Phrase,
        decision::{Refusal, Verdict},
        log::{self, Line},
    },
    priority::Priority,
};
use nearmiss_policy::config::stack_options::Options;

/// The flags that libpam passes to the hook.
#[derive(Clone, Copy)]
pub(crate) struct Flags(pub(crate) c_uint);

impl Flags {
    pub(crate) fn has(self, flag: c_uint) -> bool {
        self.0 & flag != 0
    }
}

/// One call of the hook.
pub(crate) struct PasswordChange<'a, H, C> {
    host: &'a mut H,
    checks: &'a C,
    options: &'a Options,
    flags: Flags,
    /// Skipped checks, each logged once.
    gone_without: Vec<Unusable>,
    /// The failed part of the check that caused the refusal.
    refused_for: Option<Refusal>,
    /// The number of decisions in this change.
    decisions: u32,
    /// The weak passwords that were typed so far.
    weak: WeakOnes,
}

/// The facts about the user, in memory of our own.
struct AccountFacts {
    user: Vec<u8>,
    gecos: Vec<u8>,
    host: Vec<u8>,
    old_password: Option<Secret>,
    /// False for a user whom `local_users_only` excludes.
    is_checked: bool,
}

impl AccountFacts {
    fn context(&self) -> Context<'_> {
        let old_password = self.old_password.as_ref().map(Secret::bytes);
        Context { user: &self.user, gecos: &self.gecos, host: &self.host, old_password, in_locale: None }
    }
}

impl<'a, H: Host, C: Checks> PasswordChange<'a, H, C> {
    pub(crate) fn new(
        host: &'a mut H,
        checks: &'a C,
        options: &'a Options,
        flags: Flags,
    ) -> PasswordChange<'a, H, C> {
        PasswordChange {
            host,
            checks,
            options,
            flags,
            gone_without: Vec::new(),
            refused_for: None,
            decisions: 0,
            weak: WeakOnes::default(),
        }
    }

    /// Runs the call that the flags name, and reports its outcome to the user and to the log.
    pub(crate) fn run_call(mut self) -> ChangeOutcome {
        let outcome = if self.flags.has(sys::PAM_PRELIM_CHECK) {
            self.preliminary()
        } else if self.flags.has(sys::PAM_UPDATE_AUTHTOK) {
            self.prompt_and_check().unwrap_or_else(|outcome| outcome)
        } else {
            ChangeOutcome::UnknownCall
        };
        self.close(outcome)
    }

    fn close(&mut self, outcome: ChangeOutcome) -> ChangeOutcome {
        if !outcome.lets_stack_continue() {
            self.host.clear_new_password();
        }
        let row = outcome.row();
        self.report_refusal(outcome);
        if let Some(line) = row.log {
            self.log(line);
        }
        if let Some(sentence) = row.user {
            self.show(&sentence);
        }
        outcome
    }

    fn preliminary(&mut self) -> ChangeOutcome {
        if self.options.local_users_only && self.is_not_local() {
            return ChangeOutcome::Ready;
        }
        match self.unusable().into_iter().find(|unusable| self.must_refuse(unusable)) {
            Some(unusable) => {
                self.log(log::cause(&unusable));
                self.refuse(&unusable, Pass::Preliminary)
            }
            None => ChangeOutcome::Ready,
        }
    }

    fn prompt_and_check(&mut self) -> Result<ChangeOutcome, ChangeOutcome> {
        let user = self.host.user().ok_or(ChangeOutcome::NoUser)?;
        let is_checked = self.prepare_checks(&user)?;
        let user = self.facts(user, is_checked);
        // A second prompt would get a password past the module that prompted for the first one.
        let will_ask = !self.options.use_existing_password && self.host.password().is_none();
        if will_ask {
            self.guide(&user);
        }
        let tries = if will_ask { self.options.tries } else { 1 };
        for _ in 0..tries {
            if let Some(outcome) = self.attempt(&user)? {
                self.leave_state_before(outcome, &user);
                return Ok(outcome);
            }
        }
        Ok(if tries > 1 { ChangeOutcome::TriesUsedUp } else { ChangeOutcome::Rejected })
    }

    fn facts(&mut self, user: Vec<u8>, is_checked: bool) -> AccountFacts {
        let (gecos, host) = (self.host.gecos(&user), self.host.host_name());
        AccountFacts { user, gecos, host, old_password: self.host.old_password(), is_checked }
    }

    /// Opens the filters and ladders for the user's passwords; false for a user whose passwords are not
    /// checked.
    fn prepare_checks(&mut self, user: &[u8]) -> Result<bool, ChangeOutcome> {
        if self.options.local_users_only && self.host.is_local(user) == Some(false) {
            self.log(log::NOT_LOCAL);
            return Ok(false);
        }
        for unusable in self.unusable() {
            self.allow_unchecked(unusable)?;
        }
        for filter in self.checks.public_filters() {
            self.log(log::public_filter(&filter));
        }
        Ok(true)
    }

    /// Shows the requirements and the suggestions to a user who is about to type a password, if they are
    /// switched on.
    fn guide(&mut self, user: &AccountFacts) {
        if !user.is_checked || self.is_silent() {
            return;
        }
        let checks = self.checks;
        let guided = guard::catch(|| (checks.hint(), checks.suggested(&user.context())));
        let (hint, suggested) = guided.unwrap_or_else(|_| (None, Err(Unusable::fault().detail)));
        let suggestion = suggested.unwrap_or_else(|cause| {
            self.log(log::nothing_suggested(&cause));
            None
        });
        for phrase in [hint, suggestion].into_iter().flatten() {
            self.host.show_info(&messages::in_language(self.host.language().as_deref(), &phrase));
        }
    }

    /// Prompts for a password and checks it once; none if the user may try again.
    fn attempt(&mut self, user: &AccountFacts) -> Result<Option<ChangeOutcome>, ChangeOutcome> {
        let password = self.host.new_password().map_err(|_| self.missing_password_outcome())?;
        if !user.is_checked {
            return Ok(self.retype());
        }
        Ok(match self.weakness(&password, user)? {
            None => self.accept(&user.user),
            Some((reason, enforce)) => self.enforce(password, reason, enforce, &user.user),
        })
    }

    /// Accepts a password after the user has typed it a second time; a mistyped one is not set.
    fn accept(&mut self, user: &[u8]) -> Option<ChangeOutcome> {
        let outcome = self.retype();
        if outcome == Some(ChangeOutcome::Accepted) {
            self.log_decision(self.accepted(), user);
        }
        outcome
    }

    fn accepted(&self) -> Verdict {
        Verdict::Accept { unchecked: self.gone_without.first().map(|unusable| unusable.trouble.code()) }
    }

    /// Leaves the account's state and a hash of the password for the line that records the password once it
    /// is set.
    fn leave_state_before(&mut self, outcome: ChangeOutcome, user: &AccountFacts) {
        let Some(password) = self.host.password().filter(|_| outcome == ChangeOutcome::Accepted) else {
            return;
        };
        let field = self.host.shadow_field(&user.user);
        let before = BeforeChange::of(&user.user, field.as_ref().map(Secret::bytes));
        let before = before.map(|before| before.accepting(password.bytes(), self.decisions));
        let is_counted = user.is_checked && matches!(guarded(|| self.checks.has_ladder()), Ok(true));
        let before = before.map(|before| if is_counted { before } else { before.recorded() });
        if !before.is_some_and(|before| self.host.set_before_change(before)) {
            self.log(log::NO_STATE_LEFT);
        }
    }

    fn retype(&mut self) -> Option<ChangeOutcome> {
        if self.options.use_existing_password {
            return Some(ChangeOutcome::Accepted);
        }
        match self.host.retype() {
            Retyped::Same => Some(ChangeOutcome::Accepted),
            Retyped::NoAnswer => Some(ChangeOutcome::Aborted),
            Retyped::Different => {
                self.host.clear_new_password();
                None
            }
        }
    }

    fn is_enforced(&self) -> bool {
        let is_expired = self.flags.has(pam::constants::PAM_CHANGE_EXPIRED_AUTHTOK);
        is_expired || self.options.enforce_for_root || !self.host.is_root()
    }

    fn is_not_local(&mut self) -> bool {
        let user = self.host.user();
        user.is_some_and(|user| self.host.is_local(&user) == Some(false))
    }

    fn missing_password_outcome(&self) -> ChangeOutcome {
        if self.options.use_existing_password { ChangeOutcome::NoPassword } else { ChangeOutcome::Aborted }
    }

    fn show(&mut self, sentence: &Phrase) {
        if !self.is_silent() {
            self.host.show_error(&messages::in_language(self.host.language().as_deref(), sentence));
        }
    }

    fn is_silent(&self) -> bool {
        self.flags.has(pam::constants::PAM_SILENT)
    }

    /// A log line of a login never names the user; a line of a change does, like its decision.
    fn log(&mut self, line: Line) {
        let line = match (line.priority, self.options.debug) {
            (Priority::Debug, false) => return,
            (Priority::Debug, true) => line.of_user(&self.host.user().unwrap_or_default()),
            _ => line,
        };
        self.host.log(line.priority, &line.shown());
    }
}

/// Turns a panic in the library into a fault, so that the flow continues.
pub(crate) fn guarded<T>(act: impl FnOnce() -> Result<T, Unusable>) -> Result<T, Unusable> {
    guard::catch(act).unwrap_or_else(|_| Err(Unusable::fault()))
}
