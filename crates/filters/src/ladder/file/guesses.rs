//! The ladder of guessed passwords: the passwords that are often tried here in failed logins. [SH §VIII-B]
//!
//! It has no slow hash: a failed login must not cost this system a second password hash, and a stranger must
//! not be able to make it allocate memory. SECURITY.md describes what that reveals to an attacker with array
//! *and* key. [`SeenFailures`](super::SeenFailures) filters out repeated failures before.

use super::array::LadderFiles;
use super::error::LadderError;
use super::opened::OpenLadder;
use crate::storage::Walk;

/// An open ladder of guessed passwords.
///
/// ```
/// use nearmiss_filters::ladder::{GuessLadder, LadderFiles, NewLadder, Params, create};
///
/// let folder = tempfile::tempdir()?;
/// let files = LadderFiles { file: folder.path().join("state/guessed"), key: folder.path().join("etc/key") };
/// create(&files, &NewLadder { params: Params::new(1 << 22, 48, 44, 1)?, cost: None, stamps: 0 }, false)?;
/// let ladder = GuessLadder::open(&files)?.expect("it was just made");
/// for _ in 0..48 {
///     ladder.count(b"letmein")?;
/// }
/// assert!(ladder.is_guessed(b"letmein")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct GuessLadder(OpenLadder);

impl GuessLadder {
    /// Opens the ladder and its key. `None` if the ladder was never created: it is off.
    ///
    /// # Errors
    /// As [`OpenLadder::open`]; [`LadderError::SlowGuesses`] for a ladder with a slow hash, for which a
    /// failed login must not wait.
    pub fn open(files: &LadderFiles) -> Result<Option<Self>, LadderError> {
        Self::open_on(&Walk::default(), files)
    }

    /// [`GuessLadder::open`] on a walk that is shared with other files.
    ///
    /// # Errors
    /// As [`GuessLadder::open`].
    pub fn open_on(walk: &Walk, files: &LadderFiles) -> Result<Option<Self>, LadderError> {
        match OpenLadder::open_with_key(walk, files)? {
            Some((ladder, _)) if ladder.header().cost.is_some() => {
                Err(LadderError::SlowGuesses { path: files.file.clone() })
            }
            opened => Ok(opened.map(|(ladder, _)| Self(ladder))),
        }
    }

    /// The ladder under it.
    pub const fn opened(&self) -> &OpenLadder {
        &self.0
    }

    /// True if the password is often guessed here. Changes nothing.
    ///
    /// # Errors
    /// [`LadderError::Access`].
    pub fn is_guessed(&self, password: &[u8]) -> Result<bool, LadderError> {
        self.0.is_frequent(&self.0.element(password)?)
    }

    /// Takes the steps of one failed login. Returns true if the password was often guessed before.
    ///
    /// # Errors
    /// As [`OpenLadder::record`].
    pub fn count(&self, password: &[u8]) -> Result<bool, LadderError> {
        let before = self.0.record(&self.0.element(password)?)?;
        Ok(before >= self.0.header().params.threshold())
    }
}

#[cfg(test)]
mod tests {
    use super::super::array::{NewLadder, create};
    use super::super::slow_hash::Cost;
    use super::*;
    use crate::ladder::structure::params::Params;

    fn made(cost: Option<Cost>) -> (tempfile::TempDir, Result<Option<GuessLadder>, LadderError>) {
        let folder = tempfile::tempdir().unwrap();
        let files = LadderFiles { file: folder.path().join("s/l"), key: folder.path().join("k/l") };
        let params = Params::new(1 << 22, 48, 44, 1).unwrap();
        create(&files, &NewLadder { params, cost, stamps: 0 }, false).unwrap();
        let opened = GuessLadder::open(&files);
        (folder, opened)
    }

    #[test]
    #[cfg_attr(miri, ignore = "miri cannot map files")]
    fn a_password_is_guessed_once_it_stands_at_the_threshold() {
        let (_folder, opened) = made(None);
        let ladder = opened.unwrap().unwrap();
        let element = ladder.opened().element(b"Summer2026!x").unwrap();
        for _ in 0..48 {
            let height = ladder.opened().height(&element).unwrap();
            assert_eq!(ladder.is_guessed(b"Summer2026!x").unwrap(), height >= 44);
            assert_eq!(ladder.count(b"Summer2026!x").unwrap(), height >= 44);
        }
        assert!(ladder.is_guessed(b"Summer2026!x").unwrap());
    }

    #[test]
    #[cfg_attr(miri, ignore = "miri cannot map files")]
    fn a_ladder_with_a_slow_hash_is_refused() {
        let (_folder, opened) = made(Cost::new(8, 1));
        let Err(error) = opened else { panic!("it was opened") };
        assert!(matches!(error, LadderError::SlowGuesses { .. }) && !error.may_be_provoked());
        assert!(
            error.to_string().ends_with("create a new ladder with filterctl ladder init --guessed --replace")
        );
    }
}
