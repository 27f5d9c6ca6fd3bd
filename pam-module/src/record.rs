//! The ladder's two lines. `record`: after a password was set, count it. `submit`: at a login, count a
//! password that was not counted when it was set: before the ladder existed, or as the second one of a day.
//! An account counts once a day for both together, and once more for a password that root sets.
//!
//! Both always return `PAM_IGNORE`: no error here fails a password change or a login. It is logged on one
//! line.

#[cfg(test)]
mod tests;

use nearmiss_filters::ladder::{AccountChoice, Setter};
use nearmiss_policy::{
    policy::MAX_PASSWORD_BYTES,
    secret::Secret,
    site::{Unusable, is_junk_of_sshd},
};

use crate::{
    change::{Flags, guarded},
    checks::Checks,
    entry_call::EntryCall,
    ffi::sys,
    host::Host,
    messages::log::{self, EntryOutcome, Line},
    priority::Priority,
};

impl<H: Host, C: Checks> EntryCall<'_, H, C> {
    /// The recording line: counts the password if this is the pass that sets it, and it was set.
    pub(crate) fn record(mut self, flags: Flags) {
        if flags.has(sys::PAM_UPDATE_AUTHTOK) {
            let done = guarded(|| self.count_new(flags));
            self.close(done, log::not_recorded_when_set);
        }
    }

    /// The submitting line: counts the password of a successful login, unless it was counted before.
    pub(crate) fn submit(mut self) {
        let done = guarded(|| self.count_old());
        self.close(done, log::not_recorded_at_login);
    }

    fn count_new(&mut self, flags: Flags) -> Result<EntryOutcome, Unusable> {
        let Some(user) = self.host.user() else { return Ok(EntryOutcome::NoUser) };
        let Some(password) = self.countable() else { return Ok(EntryOutcome::NoPasswordSet) };
        let Some(before) = self.host.before_change() else { return Ok(EntryOutcome::NoStateBefore) };
        let field = self.host.shadow_field(&user);
        let shadow_field = field.as_ref().map(Secret::bytes);
        if !before.was_changed(&user, shadow_field) {
            return Ok(EntryOutcome::NotSet);
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

    fn count_old(&mut self) -> Result<EntryOutcome, Unusable> {
        if !self.host.is_privileged() {
            return Ok(EntryOutcome::NotRoot);
        }
        let password = self.countable().filter(|password| !is_junk_of_sshd(password.bytes()));
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

    /// The password, if a system can store it.
    fn countable(&mut self) -> Option<Secret> {
        let password = self.host.password()?;
        let length = password.bytes().len();
        (1..=MAX_PASSWORD_BYTES).contains(&length).then_some(password)
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

/// False for the field of an account without a password or with a locked one: the typed password was for
/// something else.
pub(crate) fn is_hash(field: &[u8]) -> bool {
    field.first().is_some_and(|first| !b"!*".contains(first)) && field != b"x"
}
