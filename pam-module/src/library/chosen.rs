//! The installed ladder behind the [`Ladder`] trait, and what its failures mean.

use std::io;

use nearmiss_filters::{
    config::OnError,
    ladder::{ChosenLadder, LadderError},
};

use super::unusable;
use crate::judge::{Account, Cause, Ladder, Unusable};

/// The open ladder of chosen passwords, and what its damage means.
pub(super) struct Chosen {
    pub(super) ladder: ChosenLadder,
    pub(super) on_error: OnError,
}

impl Ladder for Chosen {
    fn is_too_common(&self, password: &[u8]) -> Result<bool, Unusable> {
        let element = self.ladder.element(password);
        element.and_then(|element| self.ladder.is_too_common(&element)).map_err(|error| self.broken(&error))
    }

    fn record(&self, password: &[u8], account: &Account<'_>) -> Result<(), Unusable> {
        self.try_record(password, account).map_err(|error| self.broken(&error))
    }

    fn backfill(&self, password: &[u8], account: &Account<'_>) -> Result<bool, Unusable> {
        self.try_backfill(password, account).map_err(|error| self.broken(&error))
    }
}

impl Chosen {
    /// The stamp comes first: a process that is killed in between counts a password too seldom, never twice.
    fn try_record(&self, password: &[u8], account: &Account<'_>) -> Result<(), LadderError> {
        let element = self.ladder.element(password)?;
        if let Some(field) = account.shadow_field {
            self.ladder.mark_recorded(account.user, field)?;
        }
        self.ladder.record(&element).map(|_| ())
    }

    /// The slow hash is paid once an account, not at every login.
    fn try_backfill(&self, password: &[u8], account: &Account<'_>) -> Result<bool, LadderError> {
        let Some(field) = account.shadow_field else { return Ok(false) };
        if self.ladder.is_recorded(account.user, field)? {
            return Ok(false);
        }
        let element = self.ladder.element(password)?;
        let is_new = self.ladder.mark_recorded(account.user, field)?;
        if is_new {
            self.ladder.record(&element)?;
        }
        Ok(is_new)
    }

    fn broken(&self, error: &LadderError) -> Unusable {
        of_ladder(error, self.on_error)
    }
}

fn of_ladder(error: &LadderError, on_error: OnError) -> Unusable {
    Unusable { cause: Cause::Ladder, ..unusable(error, on_error) }
}

/// What it means that the ladder cannot be opened. A process without root's power that may not look at it (a screen
/// locker) goes without: it could not set a password in the shadow file either. Setuid programs have that power.
pub(super) fn not_opened(error: &LadderError, on_error: OnError) -> Unusable {
    not_opened_by(rustix::process::geteuid().is_root(), error, on_error)
}

fn not_opened_by(has_power: bool, error: &LadderError, on_error: OnError) -> Unusable {
    let broken = of_ladder(error, on_error);
    if is_denied(error) && !has_power {
        return Unusable { cause: Cause::OutOfReach, allowed: true, ..broken };
    }
    broken
}

fn is_denied(error: &LadderError) -> bool {
    let LadderError::Storage(error) = error else { return false };
    error.source.as_ref().is_some_and(|source| source.kind() == io::ErrorKind::PermissionDenied)
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use nearmiss_filters::{
        ladder::{LadderFiles, NewLadder, Params, create},
        storage::{Act, StorageError},
    };

    use super::*;
    use crate::{judge::Library, library::Installed, options::Options};

    /// A new ladder without a slow hash, opened as a line of the stack opens it. That a password is too common at once has
    /// probability 2⁻³².
    fn opened() -> (tempfile::TempDir, Box<dyn Ladder>) {
        let folder = tempfile::tempdir().unwrap();
        let [conf, file, key] = ["nearmiss.conf", "l.ladder", "l.key"].map(|name| folder.path().join(name));
        fs::write(&conf, format!("[ladder]\nfile = {file:?}\nkey = {key:?}\n")).unwrap();
        let options = Options { conf: Some(conf), ..Options::default() };
        assert!(Installed::new(&options).open_ladder().unwrap().is_none(), "none was made");
        let new = NewLadder { params: Params::new(1 << 22, 32, 32, 2).unwrap(), cost: None, stamps: 512 };
        create(&LadderFiles { file, key }, &new, false).unwrap();
        let ladder = Installed::new(&options).open_ladder().unwrap();
        (folder, ladder.unwrap())
    }

    fn account<'a>(user: &'a [u8], field: Option<&'a [u8]>) -> Account<'a> {
        Account { user, shadow_field: field }
    }

    #[test]
    fn what_is_recorded_often_is_too_common() {
        let (_folder, ladder) = opened();
        assert!(!ladder.is_too_common(b"rare").unwrap());
        for _ in 0..32 {
            ladder.record(b"rare", &account(b"ann", None)).unwrap();
        }
        assert!(ladder.is_too_common(b"rare").unwrap() && !ladder.is_too_common(b"other").unwrap());
    }

    #[test]
    fn a_login_counts_a_password_once_for_each_account() {
        let (_folder, ladder) = opened();
        for _ in 0..32 {
            ladder.backfill(b"rare", &account(b"ann", Some(b"$y$ann"))).unwrap();
            assert!(!ladder.backfill(b"rare", &account(b"bob", None)).unwrap());
        }
        assert!(!ladder.is_too_common(b"rare").unwrap());
        for user in 0_u8..32 {
            assert!(ladder.backfill(b"rare", &account(&[user], Some(b"$y$"))).unwrap());
            assert!(!ladder.backfill(b"rare", &account(&[user], Some(b"$y$"))).unwrap());
        }
        assert!(ladder.is_too_common(b"rare").unwrap());
    }

    #[test]
    fn what_is_recorded_when_it_is_set_is_not_counted_at_a_login() {
        let (_folder, ladder) = opened();
        ladder.record(b"rare", &account(b"ann", Some(b"$y$new"))).unwrap();
        assert!(!ladder.backfill(b"rare", &account(b"ann", Some(b"$y$new"))).unwrap());
        assert!(ladder.backfill(b"rare", &account(b"ann", Some(b"$y$newer"))).unwrap());
    }

    fn answered(code: i32) -> LadderError {
        let answer = io::Error::from_raw_os_error(code);
        LadderError::Storage(StorageError::io(Path::new("/l"), Act::Open, answer))
    }

    #[test]
    fn a_ladder_is_out_of_reach_only_for_a_process_without_power_that_is_denied() {
        let meaning = |has_power, code, on_error| {
            let unusable = not_opened_by(has_power, &answered(code), on_error);
            (unusable.cause, unusable.allowed)
        };
        for on_error in [OnError::Reject, OnError::Allow] {
            assert_eq!(meaning(false, libc::EACCES, on_error), (Cause::OutOfReach, true));
            assert_eq!(meaning(true, libc::EACCES, on_error), (Cause::Ladder, false));
            for has_power in [false, true] {
                let is_allowed = on_error == OnError::Allow;
                assert_eq!(meaning(has_power, libc::EIO, on_error), (Cause::Ladder, is_allowed));
                assert_eq!(meaning(has_power, libc::EMFILE, on_error), (Cause::Ladder, false));
            }
        }
    }
}
