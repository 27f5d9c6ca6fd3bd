//! The ladder's two lines. `record`: once a password was really set, count it. `submit`: at a login, count a password
//! that was not counted when it was set: before the ladder was there, or as the second of a day. An account counts
//! once a day for both together.
//!
//! Both answer `PAM_IGNORE` whatever happens: nothing that goes wrong here fails a password change or a login. It is logged
//! on one line.

#[cfg(test)]
mod tests;

use nearmiss_filters::{
    ladder::{Choice, Claim},
    policy::MAX_PASSWORD_BYTES,
};

use crate::{
    chauthtok::{Flags, guarded},
    ffi::sys,
    host::Host,
    judge::{Cause, Ladder, Library, Unusable},
    messages::{self, Priority},
    options::Options,
    secret::Secret,
};

/// One call of one of the two lines.
pub(crate) struct Recorder<'a, H, L> {
    pub(crate) host: &'a mut H,
    pub(crate) library: &'a L,
    pub(crate) options: &'a Options,
}

/// What was done, in words for the debug log.
type Done = &'static str;

impl<H: Host, L: Library> Recorder<'_, H, L> {
    /// The recording line: counts the password if this is the pass that sets it, and it was set.
    pub(crate) fn record(mut self, flags: Flags) {
        if flags.has(sys::PAM_UPDATE_AUTHTOK) {
            let done = guarded(|| self.count_new());
            self.close(done, "the password is set, but not recorded in the ladder");
        }
    }

    /// The submitting line: counts the password of a login that succeeded, unless it was counted before.
    pub(crate) fn submit(mut self) {
        let done = guarded(|| self.count_old());
        self.close(done, "the password of this login is not recorded in the ladder");
    }

    fn count_new(&mut self) -> Result<Done, Unusable> {
        let Some(user) = self.host.user() else { return Ok("no user") };
        let Some(password) = self.countable() else { return Ok("no password was set") };
        let Some(mark) = self.host.mark() else {
            return Ok("no password passed a checking line with a ladder");
        };
        let field = self.host.shadow_field(&user);
        let shadow_field = field.as_ref().map(Secret::bytes);
        if !mark.shows_a_change(&user, shadow_field) {
            return Ok("the password was not set, or is recorded");
        }
        if self.host.old_password().is_some_and(|old| old.bytes() == password.bytes()) {
            return Ok("the password is the one there was");
        }
        let Some(ladder) = self.library.open_ladder()? else { return Ok(NO_LADDER) };
        // Before the steps, so that not even a fault can have them taken twice.
        self.host.set_mark(mark.spent());
        self.count(&*ladder, &password, &user, shadow_field)
    }

    fn count_old(&mut self) -> Result<Done, Unusable> {
        if !self.host.is_privileged() {
            return Ok("not a process of root");
        }
        let Some(password) = self.countable() else { return Ok("no password") };
        if is_junk_of_sshd(password.bytes()) {
            return Ok("no password");
        }
        let Some(user) = self.host.user() else { return Ok("no user") };
        let field = self.host.shadow_field(&user);
        let shadow_field = field.as_ref().map(Secret::bytes).filter(|field| is_hash(field));
        if shadow_field.is_none() {
            return Ok("no account with a password in the shadow file");
        }
        let Some(ladder) = self.library.open_ladder()? else { return Ok(NO_LADDER) };
        self.count(&*ladder, &password, &user, shadow_field)
    }

    fn count(
        &mut self,
        ladder: &dyn Ladder,
        password: &Secret,
        user: &[u8],
        shadow_field: Option<&[u8]>,
    ) -> Result<Done, Unusable> {
        let (account, day) = (&self.host.account_name(user), self.host.today());
        Ok(match ladder.count(password.bytes(), &Choice { account, shadow_field, day })? {
            Claim::Granted => "the password is recorded",
            Claim::Counted => "the password was recorded before",
            Claim::Today => "a password of this account was recorded today already",
            Claim::NoRoom => {
                self.log(Priority::Warning, NO_ROOM);
                "the password is not recorded"
            }
        })
    }

    /// The password, if it is one that a system keeps.
    fn countable(&mut self) -> Option<Secret> {
        let password = self.host.password()?;
        let length = password.bytes().len();
        (1..=MAX_PASSWORD_BYTES).contains(&length).then_some(password)
    }

    fn close(&mut self, done: Result<Done, Unusable>, failure: &str) {
        match done {
            Ok(done) => self.log(Priority::Debug, done),
            Err(Unusable { cause: Cause::OutOfReach, detail, .. }) => self.log(Priority::Debug, &detail),
            Err(unusable) => self.log(Priority::Warning, &format!("{failure}: {}", unusable.detail)),
        }
    }

    fn log(&mut self, priority: Priority, text: &str) {
        if priority != Priority::Debug || self.options.debug {
            self.host.log(priority, &messages::one_line(text));
        }
    }
}

const NO_LADDER: Done = "there is no ladder";
const NO_ROOM: &str = "no room in the ladder for a stamp of this account: its passwords are not recorded; make a larger \
                       ladder (filterctl ladder doctor)";

/// True for what `sshd` hands to PAM instead of the password of a user it will not let in: this pattern, over and over,
/// up to the length of what was typed (`auth-pam.c`).
fn is_junk_of_sshd(password: &[u8]) -> bool {
    const PATTERN: &[u8] = b"\x08\n\r\x7fINCORRECT";
    password.iter().eq(PATTERN.iter().cycle().take(password.len()))
}

/// False for the field of an account without a password or with a locked one: what was typed opened something else.
fn is_hash(field: &[u8]) -> bool {
    field.first().is_some_and(|first| !b"!*".contains(first)) && field != b"x"
}
