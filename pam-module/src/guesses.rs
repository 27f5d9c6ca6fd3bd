//! The three lines about guessed passwords. `failed`: a login failed, count its password. `passed`: a login
//! succeeded, look whether its password is often guessed here. `guessed`: tell its owner, and with `demand`
//! ask for a change.
//!
//! None of them fails or delays a login, whatever goes wrong. All return `PAM_IGNORE`, but for `guessed
//! demand`. None logs a user name, a password, or a remote host that is not an address.

#[cfg(test)]
mod tests;

use nearmiss_filters::{
    policy::MAX_PASSWORD_BYTES,
    secret::Secret,
    site::{Cause, FailedLogin, Guess, Unusable, address},
};
use pam::constants::PamResultCode;

use crate::{
    change::{Flags, guarded},
    checks::Checks,
    entry_call::EntryCall,
    host::{GuessNotice, Host},
    messages::{
        self,
        log::{self, EntryOutcome},
        sentences,
    },
    priority::Priority,
    record::is_hash,
};

impl<H: Host, C: Checks> EntryCall<'_, H, C> {
    /// Counts the password of a login that failed, and names the address that guesses often.
    pub(crate) fn failed(mut self) {
        match guarded(|| self.count_failure()) {
            Ok(done) => {
                let (priority, line) = done.line();
                self.log(priority, line);
            }
            Err(unusable) => self.warn(&log::guess_not_counted(&unusable), unusable.cause),
        }
    }

    fn count_failure(&mut self) -> Result<EntryOutcome, Unusable> {
        if !self.host.is_privileged() {
            return Ok(EntryOutcome::NotRoot);
        }
        let Some(password) = self.host.password() else { return Ok(EntryOutcome::NoPassword) };
        let Some(user) = self.host.user() else { return Ok(EntryOutcome::NoUser) };
        let (account, remote_host) = (self.host.account_name(&user), self.host.remote_host());
        let login = FailedLogin {
            account: &account,
            password: password.bytes(),
            remote_host: remote_host.as_deref(),
            now: self.host.now(),
        };
        // A locked account's right password runs into the lines for failures. It takes as long as another: a
        // shorter time would say that it is right.
        if self.host.unix_accepted() {
            self.checks.leave_out_guess(&login)?;
            return Ok(EntryOutcome::RightPassword);
        }
        let guess = self.checks.count_guess(&login)?;
        if matches!(guess, Guess::Seen { is_frequent: true, .. }) {
            let numeric = remote_host.as_deref().filter(|host| address(host).is_some());
            self.log(Priority::Notice, &log::guess_from(numeric));
        }
        Ok(EntryOutcome::Guessed(guess))
    }

    /// Leaves the verdict on the password of a login that succeeded for the account lines.
    pub(crate) fn passed(mut self) {
        let guessed = guarded(|| self.is_guessed());
        let is_guessed = matches!(guessed, Ok(true));
        if is_guessed || self.host.guess_notice() != GuessNotice::None {
            self.host.set_guess_notice(if is_guessed { GuessNotice::Guessed } else { GuessNotice::None });
        }
        if let Err(unusable) = guessed {
            self.warn(&log::login_not_looked_up(&unusable), unusable.cause);
        }
    }

    fn is_guessed(&mut self) -> Result<bool, Unusable> {
        let is_countable = |password: &Secret| (1..=MAX_PASSWORD_BYTES).contains(&password.bytes().len());
        match self.host.password().filter(is_countable) {
            Some(password) => self.checks.is_guessed(password.bytes()),
            None => Ok(false),
        }
    }

    /// The account line: shows the owner of a guessed password what to do, once a login.
    pub(crate) fn account(mut self, flags: Flags) -> PamResultCode {
        let guess_notice = self.host.guess_notice();
        if guess_notice == GuessNotice::None {
            return PamResultCode::PAM_IGNORE;
        }
        if guess_notice == GuessNotice::Guessed && !flags.has(pam::constants::PAM_SILENT) {
            self.host
                .show_error(&messages::in_language(self.host.language().as_deref(), &sentences::guessed()));
            self.host.set_guess_notice(GuessNotice::Shown);
        }
        if self.options.demand && self.may_be_expired() {
            PamResultCode::PAM_NEW_AUTHTOK_REQD
        } else {
            PamResultCode::PAM_IGNORE
        }
    }

    /// False for root, who must get in to repair, and for accounts whose password is not in the shadow file,
    /// which nothing here could expire.
    fn may_be_expired(&mut self) -> bool {
        let Some(user) = self.host.user() else { return false };
        let field = self.host.shadow_field(&user);
        let has_hash = field.is_some_and(|field| is_hash(field.bytes()));
        has_hash && self.host.is_local(&user) == Some(true) && !self.host.is_superuser(&user)
    }

    /// One warning a minute of all processes: whoever guesses must not fill the log.
    fn warn(&mut self, text: &str, cause: Cause) {
        let is_own_matter = cause == Cause::OutOfReach || !self.host.is_privileged();
        if !is_own_matter && self.host.may_warn() {
            self.log(Priority::Warning, text);
        } else {
            self.log(Priority::Debug, text);
        }
    }
}
