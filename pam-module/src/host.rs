//! The interface of the flows to PAM and the system, implemented by `ffi::Pam` and, in tests, by a script.

#[cfg(test)]
pub(crate) mod scripted;

use std::{
    io::{BufRead, BufReader, Read},
    time::{SystemTime, UNIX_EPOCH},
};

use nearmiss_filters::word::Word;
use nearmiss_policy::{config::stack_options::Options, secret::Secret, site::Listed};

use crate::{before_change::BeforeChange, priority::Priority};

/// libpam has no new password: nothing was typed, or prompting was not allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoAnswer;

/// The result of prompting for the new password a second time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Retyped {
    Same,
    Different,
    NoAnswer,
}

/// The verdict about the password of this login.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LoginNotice {
    /// It is often guessed here.
    pub(crate) is_guessed: bool,
    /// It is in a list of leaked passwords.
    pub(crate) listed: Listed,
    /// Its owner has been warned.
    pub(crate) is_shown: bool,
}

/// PAM and the system, as the flow sees them.
pub(crate) trait Host {
    /// True if the real user of the process is root (not the effective one: `passwd` is setuid).
    fn is_root(&self) -> bool;

    /// True if the process is privileged (the effective user is root: `passwd` is setuid).
    fn is_privileged(&self) -> bool;

    /// The user; none if libpam does not know.
    fn user(&mut self) -> Option<Vec<u8>>;

    /// The account's name as the system lists it: a directory may accept several spellings for the same
    /// account.
    fn account_name(&self, user: &[u8]) -> Vec<u8>;

    /// True for the account with root's uid.
    fn is_superuser(&self, user: &[u8]) -> bool;

    /// The remote host: an address or a name; none for a local login.
    fn remote_host(&mut self) -> Option<Vec<u8>>;

    /// True if `pam_unix` accepted the password in this transaction.
    fn unix_accepted(&self) -> bool;

    /// The verdict that an earlier line of this transaction left.
    fn login_notice(&self) -> Option<LoginNotice>;

    /// Leaves a verdict for later lines of this transaction, if there is memory for it.
    fn set_login_notice(&mut self, notice: LoginNotice);

    /// True if a warning about failed logins may be logged: one a minute.
    fn may_warn(&self) -> bool;

    /// Seconds since 1970-01-01 UTC; 0 before it.
    fn now(&self) -> u64;

    /// Whole days since 1970-01-01 UTC.
    fn today(&self) -> u64 {
        day_of(self.now())
    }

    /// The account's GECOS field, empty if there is none.
    fn gecos(&self, user: &[u8]) -> Vec<u8>;

    /// This machine's name.
    fn host_name(&self) -> Vec<u8>;

    /// True if the user is in `/etc/passwd`; none if that cannot be determined.
    fn is_local(&self, user: &[u8]) -> Option<bool>;

    /// The password that is being replaced, if it is known.
    fn old_password(&mut self) -> Option<Secret>;

    /// The password field of the account's shadow entry; none if it does not exist or this process may not
    /// read it.
    fn shadow_field(&self, user: &[u8]) -> Option<Secret>;

    /// The state before the change that an earlier line of this transaction left.
    fn before_change(&self) -> Option<BeforeChange>;

    /// Leaves the state before the change for later lines of this transaction; false without memory.
    fn set_before_change(&mut self, before: BeforeChange) -> bool;

    /// The password in the stack: the new one, or that of a login. The user is not prompted.
    fn password(&mut self) -> Option<Secret>;

    /// The new password, from an earlier module or typed by the user.
    ///
    /// # Errors
    /// [`NoAnswer`].
    fn new_password(&mut self) -> Result<Secret, NoAnswer>;

    /// A password that is not UTF-8, as the charset of the application's locale reads it; none if it is
    /// nothing there, or is UTF-8.
    fn read_in_locale(&self, password: &[u8]) -> Option<Word>;

    /// Prompts the user to type the new password again, unless an earlier module did.
    fn retype(&mut self) -> Retyped;

    /// Withdraws the new password from the modules that follow.
    fn clear_new_password(&mut self);

    /// The name of the program's service; none if libpam does not know it.
    fn service(&mut self) -> Option<Vec<u8>>;

    /// Notes for the update call that the preliminary call of a line with these options refused the change;
    /// without memory for it the update call reports it again.
    fn leave_refusal(&mut self, options: &Options);

    /// True once after [`Host::leave_refusal`].
    fn take_refusal(&mut self, options: &Options) -> bool;

    /// Writes a decision to the system log.
    fn log_decision(&mut self, line: &str);

    /// The language of libpam's prompts, as named in its catalogue; none for English.
    fn language(&self) -> Option<String>;

    /// Shows the user an error.
    fn show_error(&mut self, text: &str);

    /// Shows the user a message that is not an error; no copy of it is left.
    fn show_info(&mut self, text: &str);

    /// Writes to the system log.
    fn log(&mut self, priority: Priority, text: &str);
}

/// Seconds since 1970-01-01 UTC; 0 before it, for a clock without a battery.
pub(crate) fn seconds_of(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn day_of(seconds: u64) -> u64 {
    seconds / 86_400
}

/// The size of the longest account file that is searched, in bytes.
const LONGEST_ACCOUNTS: u64 = 64 << 20;

/// Searches for `user:` at the start of a line; none if the accounts cannot be read to the end.
pub(crate) fn has_account(accounts: impl Read, user: &[u8]) -> Option<bool> {
    let mut accounts = BufReader::new(accounts.take(LONGEST_ACCOUNTS));
    for line in accounts.by_ref().split(b'\n') {
        let line = line.ok()?;
        if line.strip_prefix(user).is_some_and(|rest| rest.starts_with(b":")) {
            return Some(true);
        }
    }
    (accounts.get_ref().limit() > 0).then_some(false)
}

#[cfg(test)]
mod tests {
    use std::{io, time::Duration};

    use super::*;

    #[test]
    fn days_begin_at_midnight_utc() {
        let day = |seconds| day_of(seconds_of(UNIX_EPOCH + Duration::from_secs(seconds)));
        // 2026-03-01 begins at 1772323200.
        assert_eq!([day(0), day(86_399), day(86_400)], [0, 0, 1]);
        assert_eq!([day(1_772_323_199), day(1_772_323_200)], [20_512, 20_513]);
        assert_eq!(seconds_of(UNIX_EPOCH - Duration::from_secs(1)), 0);
    }

    const ACCOUNTS: &[u8] = b"root:x:0:0:root:/root:/bin/sh\nann\xe9:x:7:7::/:/bin/sh\nann:x:8:8::/:/bin/sh";

    #[test]
    fn an_account_is_found_by_its_whole_name() {
        assert_eq!(has_account(ACCOUNTS, b"root"), Some(true));
        assert_eq!(has_account(ACCOUNTS, b"ann\xe9"), Some(true));
        assert_eq!(has_account(ACCOUNTS, b"ann"), Some(true));
        assert_eq!(has_account(ACCOUNTS, b"an"), Some(false));
        assert_eq!(has_account(ACCOUNTS, b"roots"), Some(false));
        assert_eq!(has_account(ACCOUNTS, b""), Some(false));
    }

    #[test]
    fn an_unreadable_account_file_tells_nothing() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::ErrorKind::Other.into())
            }
        }
        assert_eq!(has_account(Broken, b"root"), None);
    }

    /// What lies behind the limit may be the account.
    #[test]
    fn an_account_file_that_is_too_long_tells_only_what_was_found() {
        let long = || ACCOUNTS.chain(b"\n".as_slice()).chain(io::repeat(b'x'));
        assert_eq!(has_account(long(), b"ann"), Some(true));
        assert_eq!(has_account(long(), b"bob"), None);
    }
}
