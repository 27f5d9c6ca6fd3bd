//! The installed ladder behind the [`Ladder`] trait, and what its failures mean.

use std::io;

use nearmiss_filters::{
    config::OnError,
    ladder::{Choice, ChosenLadder, Claim, LadderError},
};

use super::unusable;
use crate::judge::{Cause, Ladder, Unusable};

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

    fn count(&self, password: &[u8], choice: &Choice<'_>) -> Result<Claim, Unusable> {
        self.ladder.count(password, choice).map_err(|error| self.broken(&error))
    }
}

impl Chosen {
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
        config::LadderFiles,
        ladder::{NewLadder, Params, create},
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
        let new = NewLadder { params: Params::new(1 << 22, 32, 32, 2).unwrap(), cost: None, stamps: 256 };
        create(&LadderFiles { file, key }, &new, false).unwrap();
        let ladder = Installed::new(&options).open_ladder().unwrap();
        (folder, ladder.unwrap())
    }

    fn count(ladder: &dyn Ladder, account: &[u8], shadow_field: Option<&[u8]>, day: u64) -> Claim {
        ladder.count(b"rare", &Choice { account, shadow_field, day }).unwrap()
    }

    #[test]
    fn what_many_accounts_chose_is_too_common() {
        let (_folder, ladder) = opened();
        assert!(!ladder.is_too_common(b"rare").unwrap());
        for user in 0_u8..32 {
            assert_eq!(count(&*ladder, &[user], None, 7), Claim::Granted);
        }
        assert!(ladder.is_too_common(b"rare").unwrap() && !ladder.is_too_common(b"other").unwrap());
    }

    #[test]
    fn what_one_account_chose_often_is_not() {
        let (_folder, ladder) = opened();
        for turn in 0_u8..100 {
            count(&*ladder, b"ann", Some(&[b'$', turn]), 7);
            count(&*ladder, b"bob", None, 7);
        }
        assert!(!ladder.is_too_common(b"rare").unwrap());
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
