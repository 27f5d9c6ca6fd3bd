//! The three lines about passwords of logins. `failed`: after a failed login, count its password as a guess.
//! `passed`: after a successful login, check whether its password is often guessed here or in a list of
//! leaked ones. `notify`: warn its owner, and with `force-change` require a change.
//!
//! No error in them fails or delays a login. All return `PAM_IGNORE`, except `notify force-change`. None logs
//! a password, or a remote host that is not an address; a user name is only logged with `log_users`.

#[cfg(test)]
mod leaked_tests;
#[cfg(test)]
mod tests;

use nearmiss_policy::{
    secret::Secret,
    site::{FailedLogin, Guess, Listed, LoginLog, Unusable, address},
};
use pam::constants::PamResultCode;

use crate::{
    change::{Flags, guarded},
    checks::Checks,
    entry_call::{EntryCall, is_countable, is_hash},
    host::{Host, LoginNotice},
    messages::{
        self,
        decision::{Scene, Verdict, decision},
        log::{self, EntryOutcome, Line},
        sentences,
    },
    priority::Priority,
};

impl<H: Host, C: Checks> EntryCall<'_, H, C> {
    /// Counts the password of a failed login, and logs the address of a frequent guess.
    pub(crate) fn failed(mut self) {
        match guarded(|| self.count_failure()) {
            Ok(done) => self.log(&done.line()),
            Err(unusable) => self.warn(log::guess_not_counted(&unusable), unusable.is_out_of_reach),
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
        // The correct password of a locked account reaches the lines for failures, too. It takes the same
        // time as a wrong one, since a shorter time would reveal that it is correct.
        if self.host.unix_accepted() {
            self.checks.leave_out_guess(&login)?;
            return Ok(EntryOutcome::RightPassword);
        }
        let guess = self.checks.count_guess(&login)?;
        if matches!(guess, Guess::Seen { is_frequent: true, .. }) {
            let numeric = remote_host.as_deref().filter(|host| address(host).is_some());
            self.log(&log::guess_from(numeric));
        }
        Ok(EntryOutcome::Guessed(guess))
    }

    /// Leaves the result for the password of a successful login for the account lines.
    pub(crate) fn passed(mut self) {
        let (earlier, password) = (self.host.login_notice(), self.host.password().filter(is_countable));
        let asked = guarded(|| {
            let ask = |password: &Secret| {
                (self.checks.is_guessed(password.bytes()), self.checks.look_up_login(password.bytes()))
            };
            Ok(password.as_ref().map_or((Ok(false), None), ask))
        });
        let (guessed, lookup) = asked.unwrap_or_else(|fault| (Err(fault), None));
        let is_guessed = matches!(guessed, Ok(true));
        let listed = lookup.as_ref().map_or(Listed::No, |lookup| lookup.listed);
        // A second line of the stack looks it up again, but counts nothing.
        if let (Some(lookup), None) = (&lookup, earlier) {
            let logged = self.checks.count_login(lookup);
            self.log_listed(logged);
        }
        if is_guessed || lookup.is_some() || earlier.is_some() {
            self.host.set_login_notice(LoginNotice { is_guessed, listed, is_shown: false });
        }
        if let Err(unusable) = guessed {
            self.warn(log::login_not_looked_up(&unusable), unusable.is_out_of_reach);
        }
        if let Some(unusable) = lookup.and_then(|lookup| lookup.unusable) {
            self.warn(log::login_not_listed(&unusable), unusable.is_out_of_reach);
        }
    }

    /// Logs a login with a leaked password, with the user only if that is configured.
    fn log_listed(&mut self, logged: LoginLog) {
        let (user, remote_host) = match logged {
            LoginLog::Nothing => return,
            LoginLog::Nobody => (None, None),
            LoginLog::User => (self.host.user(), self.host.remote_host()),
        };
        let service = self.host.service();
        let scene = Scene {
            number: 1,
            user: user.as_deref().unwrap_or_default(),
            service: service.as_deref(),
            remote_host: remote_host.as_deref(),
        };
        self.host.log_decision(&decision(Verdict::Listed, &scene));
    }

    /// The account line: shows the owner of a guessed or leaked password what to do, once a login.
    pub(crate) fn account(mut self, flags: Flags) -> PamResultCode {
        let Some(notice) = self.host.login_notice() else { return PamResultCode::PAM_IGNORE };
        let sentence = match notice {
            LoginNotice { is_guessed: true, .. } => sentences::guessed(),
            LoginNotice { listed: Listed::Likely | Listed::Surely, .. } => sentences::leaked(),
            LoginNotice { is_guessed: false, listed: Listed::No, .. } => return PamResultCode::PAM_IGNORE,
        };
        if !notice.is_shown && !flags.has(pam::constants::PAM_SILENT) {
            self.host.show_error(&messages::in_language(self.host.language().as_deref(), &sentence));
            self.host.set_login_notice(LoginNotice { is_shown: true, ..notice });
        }
        // A finding of a filter with too many false positives is only shown.
        let is_certain = notice.is_guessed || notice.listed == Listed::Surely;
        if self.options.force_change && is_certain && self.may_be_expired() {
            PamResultCode::PAM_NEW_AUTHTOK_REQD
        } else {
            PamResultCode::PAM_IGNORE
        }
    }

    /// False for root, who must be able to log in for repairs, and for accounts without a password in the
    /// shadow file, which cannot be expired here.
    pub(crate) fn may_be_expired(&mut self) -> bool {
        let Some(user) = self.host.user() else { return false };
        let field = self.host.shadow_field(&user);
        let has_hash = field.is_some_and(|field| is_hash(field.bytes()));
        has_hash && self.host.is_local(&user) == Some(true) && !self.host.is_superuser(&user)
    }

    /// At most one warning a minute among all processes: an attacker must not fill the log.
    fn warn(&mut self, line: Line, is_out_of_reach: bool) {
        let is_own_matter = is_out_of_reach || !self.host.is_privileged();
        let may_warn = !is_own_matter && self.host.may_warn();
        self.log(&if may_warn { line } else { line.at(Priority::Debug) });
    }
}
