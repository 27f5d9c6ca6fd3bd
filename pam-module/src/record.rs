//! The ladder's two lines. `record`: after a password was set, count it. `submit`: at a login, count a
//! password that was not counted when it was set: before the ladder existed, or as the second one of a day.
//! An account counts once a day for both together, and once more for a password that root sets.
//!
//! `record` also judges a password that the check did not let through: see [`PasswordChange::judge_set`].
//!
//! Both return `PAM_IGNORE`, except that `record force-change` lets the next line expire such a password: no
//! error here fails a password change or a login. It is logged on one line.

#[cfg(test)]
mod tests;

use nearmiss_filters::ladder::{AccountChoice, Setter};
use nearmiss_policy::{
    secret::Secret,
    site::{Unusable, is_junk_of_sshd},
};

use crate::{
    before_change::BeforeChange,
    change::{Flags, PasswordChange, guarded},
    checks::Checks,
    entry_call::{EntryCall, is_countable, is_hash},
    ffi::sys,
    host::Host,
    messages::log::{self, EntryOutcome, Line},
    priority::Priority,
};
use pam::constants::PamResultCode;

impl<H: Host, C: Checks> EntryCall<'_, H, C> {
    /// The recording line: leaves the state of the account in the preliminary pass; in the pass that sets the
    /// password, judges one that was not checked and counts it, if it was set.
    pub(crate) fn record(mut self, flags: Flags) -> PamResultCode {
        let mut code = PamResultCode::PAM_IGNORE;
        if flags.has(sys::PAM_PRELIM_CHECK) {
            self.leave_state();
        } else if flags.has(sys::PAM_UPDATE_AUTHTOK) {
            let done = guarded(|| self.count_new(flags, &mut code));
            self.close(done, log::not_recorded_when_set);
        }
        code
    }

    /// Replaces the note of an earlier change of the same transaction, too.
    fn leave_state(&mut self) {
        let Some(user) = self.host.user() else { return };
        let field = self.host.shadow_field(&user);
        let before = BeforeChange::of(&user, field.as_ref().map(Secret::bytes));
        if !before.is_some_and(|before| self.host.set_before_change(before)) {
            self.log(&log::NO_STATE_LEFT);
        }
    }

    /// The submitting line: counts the password of a successful login, unless it was counted before.
    pub(crate) fn submit(mut self) {
        let done = guarded(|| self.count_old());
        self.close(done, log::not_recorded_at_login);
    }

    fn count_new(&mut self, flags: Flags, code: &mut PamResultCode) -> Result<EntryOutcome, Unusable> {
        let Some(user) = self.host.user() else { return Ok(EntryOutcome::NoUser) };
        let Some(password) = self.host.password() else { return Ok(EntryOutcome::NoPasswordSet) };
        let Some(mut before) = self.host.before_change() else { return Ok(EntryOutcome::NoStateBefore) };
        let field = self.host.shadow_field(&user);
        let shadow_field = field.as_ref().map(Secret::bytes);
        if !before.was_changed(&user, shadow_field) {
            return Ok(EntryOutcome::NotSet);
        }
        if !before.has_accepted(password.bytes()) {
            *code = self.judge(&before, &user, &password, flags);
            // A second line does not judge it again.
            before = before.accepting(password.bytes(), 0);
            self.host.set_before_change(before.clone());
        }
        if before.is_recorded() {
            return Ok(EntryOutcome::NotSet);
        }
        if !is_countable(&password) {
            return Ok(EntryOutcome::NoPasswordSet);
        }
        let old_password = self.host.old_password();
        if old_password.as_ref().is_some_and(|old| old.bytes() == password.bytes()) {
            return Ok(EntryOutcome::SameAsBefore);
        }
        let by = setter(self.host.is_root(), old_password.is_some(), flags);
        if !self.checks.has_ladder()? {
            return Ok(EntryOutcome::NoLadder);
        }
        // Set before the steps, so that even a fault cannot repeat them.
        self.host.set_before_change(before.recorded());
        self.count(&password, &user, shadow_field, by)
    }

    /// Judges a password that the check did not let through; a code other than `PAM_IGNORE` lets the next
    /// line expire it.
    fn judge(
        &mut self,
        before: &BeforeChange,
        user: &[u8],
        password: &Secret,
        flags: Flags,
    ) -> PamResultCode {
        if self.options.local_users_only && self.host.is_local(user) == Some(false) {
            return PamResultCode::PAM_IGNORE;
        }
        let change = PasswordChange::new(self.host, self.checks, self.options, flags);
        if !change.judge_set(before, user.to_vec(), password) || !self.options.force_change {
            return PamResultCode::PAM_IGNORE;
        }
        if self.may_be_expired() {
            return PamResultCode::PAM_NEW_AUTHTOK_REQD;
        }
        self.log(&log::NOT_EXPIRED);
        PamResultCode::PAM_IGNORE
    }

    fn count_old(&mut self) -> Result<EntryOutcome, Unusable> {
        if !self.host.is_privileged() {
            return Ok(EntryOutcome::NotRoot);
        }
        let is_typed = |password: &Secret| is_countable(password) && !is_junk_of_sshd(password.bytes());
        let password = self.host.password().filter(is_typed);
        let Some(password) = password else { return Ok(EntryOutcome::NoPassword) };
        let Some(user) = self.host.user() else { return Ok(EntryOutcome::NoUser) };
        let field = self.host.shadow_field(&user);
        let shadow_field = field.as_ref().map(Secret::bytes).filter(|field| is_hash(field));
        if shadow_field.is_none() {
            return Ok(EntryOutcome::NoAccount);
        }
        self.count(&password, &user, shadow_field, Setter::Owner)
    }

    fn count(
        &mut self,
        password: &Secret,
        user: &[u8],
        shadow_field: Option<&[u8]>,
        by: Setter,
    ) -> Result<EntryOutcome, Unusable> {
        let (account, day) = (&self.host.account_name(user), self.host.today());
        let claim =
            self.checks.record(password.bytes(), &AccountChoice { account, shadow_field, day, by })?;
        Ok(claim.map_or(EntryOutcome::NoLadder, EntryOutcome::Claimed))
    }

    fn close(&mut self, done: Result<EntryOutcome, Unusable>, failure: fn(&Unusable) -> Line) {
        match done {
            Ok(done) => self.log(&done.line()),
            Err(unusable) if unusable.is_out_of_reach => {
                self.log(&log::cause(&unusable).at(Priority::Debug));
            }
            Err(unusable) => self.log(&failure(&unusable)),
        }
    }
}

/// The user who sets the password: root, if a process of root requests it on its own. A process that knows
/// the old password, or that requires the change of an expired one, acts for the owner: a login, for
/// instance, is a process of root.
fn setter(is_root: bool, knows_old: bool, flags: Flags) -> Setter {
    let is_for_owner = knows_old || flags.has(pam::constants::PAM_CHANGE_EXPIRED_AUTHTOK);
    if is_root && !is_for_owner { Setter::Root } else { Setter::Owner }
}
