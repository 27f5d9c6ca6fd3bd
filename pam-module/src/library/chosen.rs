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
    let broken = of_ladder(error, on_error);
    if is_denied(error) && !rustix::process::geteuid().is_root() {
        return Unusable { cause: Cause::OutOfReach, allowed: true, ..broken };
    }
    broken
}

fn is_denied(error: &LadderError) -> bool {
    let LadderError::Storage(error) = error else { return false };
    error.source.as_ref().is_some_and(|source| source.kind() == io::ErrorKind::PermissionDenied)
}
