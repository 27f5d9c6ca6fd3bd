//! The ladder of chosen passwords, as the PAM module uses it: tests whether a new password is too common
//! here, and records it after it was set.
//!
//! An [`Element`] costs one slow hash. Checking changes nothing; counting claims the account's stamp
//! (`stamps.rs`), then takes the ladder's steps through the shared map; it cannot block, grow the file or
//! leave a partial write.

use std::ops::Deref;

use super::array::{FileWords, LadderFiles};
use super::error::LadderError;
use super::opened::OpenLadder;
use super::slow_hash::Element;
use super::stamps::{AccountChoice, Claim, StampKeys, Stamps};
use crate::storage::Walk;

/// An open ladder of chosen passwords: an [`OpenLadder`] with stamps, by which an account counts once a day
/// for a password that its owner sets, and once for one that root sets.
///
/// ```
/// use nearmiss_filters::ladder::{AccountChoice, ChosenLadder, Claim, Setter};
/// use nearmiss_filters::ladder::{LadderFiles, NewLadder, Params, create};
///
/// let folder = tempfile::tempdir()?;
/// let files = LadderFiles { file: folder.path().join("state/chosen"), key: folder.path().join("etc/key") };
/// let params = Params::new(1 << 20, 16, 16, 3)?;
/// create(&files, &NewLadder { params, cost: None, stamps: 8192 }, false)?;
/// let ladder = ChosenLadder::open(&files)?.expect("it was just made");
/// let choice = AccountChoice { account: b"anna", shadow_field: None, day: 20_000, by: Setter::Owner };
/// assert_eq!(ladder.count(b"Summer2026!", &choice)?, Claim::Granted);
/// assert_ne!(ladder.count(b"Summer2026!", &choice)?, Claim::Granted, "an account counts once a day");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ChosenLadder {
    opened: OpenLadder,
    stamp_keys: StampKeys,
}

impl Deref for ChosenLadder {
    type Target = OpenLadder;

    fn deref(&self) -> &OpenLadder {
        &self.opened
    }
}

impl ChosenLadder {
    /// Opens the ladder and its key. `None` if the ladder was never created: it is off.
    ///
    /// # Errors
    /// As [`OpenLadder::open`].
    pub fn open(files: &LadderFiles) -> Result<Option<Self>, LadderError> {
        Self::open_on(&Walk::default(), files)
    }

    /// [`ChosenLadder::open`] on a walk that is shared with other files.
    ///
    /// # Errors
    /// As [`ChosenLadder::open`].
    pub fn open_on(walk: &Walk, files: &LadderFiles) -> Result<Option<Self>, LadderError> {
        let opened = OpenLadder::open_with_key(walk, files)?;
        Ok(opened.map(|(opened, key)| {
            let stamp_keys = StampKeys::new(&key, &opened.header().id);
            Self { opened, stamp_keys }
        }))
    }

    /// True if too many accounts here have chosen this password, so that it must be rejected. Changes
    /// nothing.
    ///
    /// # Errors
    /// [`LadderError::Access`].
    pub fn is_too_common(&self, element: &Element) -> Result<bool, LadderError> {
        self.is_frequent(element)
    }

    /// Counts an account's password, unless it was counted before or another one by the same setter was
    /// counted for the account today: at a change, at a login, or both. Any failure leaves it uncounted,
    /// which is not a reason to fail a change.
    ///
    /// The slow hash comes first, since it may fail, and is computed only if the password will be counted.
    /// Then follow the claim and the steps: a process that is killed in between counts too few, never twice.
    ///
    /// # Errors
    /// [`LadderError::SlowHash`]; [`LadderError::Access`]: on a read-only file system, for instance.
    pub fn count(&self, password: &[u8], choice: &AccountChoice<'_>) -> Result<Claim, LadderError> {
        self.count_by(choice, || self.element(password), |element| self.record(element).map(drop))
    }

    fn count_by(
        &self,
        choice: &AccountChoice<'_>,
        element: impl FnOnce() -> Result<Element, LadderError>,
        take_steps: impl FnOnce(&Element) -> Result<(), LadderError>,
    ) -> Result<Claim, LadderError> {
        match self.reached(self.stamps().look(choice))? {
            Claim::Granted => {}
            refused => return Ok(refused),
        }
        let element = element()?;
        let claim = self.reached(self.stamps().claim(choice))?;
        if claim == Claim::Granted {
            take_steps(&element)?;
        }
        Ok(claim)
    }

    /// Accounts that have a stamp.
    ///
    /// # Errors
    /// [`LadderError::Access`].
    pub fn stamped_accounts(&self) -> Result<u32, LadderError> {
        self.reached(self.stamps().taken())
    }

    fn stamps(&self) -> Stamps<'_, FileWords<'_>> {
        let words = self.ladder().bits().words();
        Stamps::new(words, self.header().stamps, &self.stamp_keys)
    }
}

#[cfg(test)]
mod tests {
    use super::super::array::{NewLadder, create};
    use super::super::key_file::read_key;
    use super::super::slow_hash::{Cost, SlowHashError};
    use super::super::stamps::Setter;
    use super::*;
    use crate::ladder::structure::keys::{ID_BYTES, MasterKey, Purpose};
    use crate::ladder::structure::params::Params;

    /// A small ladder with the least slow hash that a file can name.
    fn made() -> (tempfile::TempDir, LadderFiles, ChosenLadder) {
        let folder = tempfile::tempdir().unwrap();
        let files = LadderFiles { file: folder.path().join("s/l"), key: folder.path().join("k/l") };
        let params = Params::new(1 << 16, 64, 64, 1).unwrap();
        create(&files, &NewLadder { params, cost: Cost::new(8, 1), stamps: 256 }, false).unwrap();
        let ladder = ChosenLadder::open(&files).unwrap().unwrap();
        (folder, files, ladder)
    }

    fn choice(day: u64) -> AccountChoice<'static> {
        AccountChoice { account: b"alice", shadow_field: Some(b"$y$"), day, by: Setter::Owner }
    }

    #[test]
    #[cfg_attr(miri, ignore = "miri cannot map files")]
    fn the_claim_stands_when_the_steps_are_taken() {
        let (_folder, _, ladder) = made();
        let element = || ladder.element(b"password");
        let killed = |_: &Element| Err(LadderError::SlowHash(SlowHashError::Memory));
        assert!(ladder.count_by(&choice(1), element, killed).is_err());
        let no_steps = |_: &Element| panic!("steps were taken without a claim");
        let no_hash = || panic!("a slow hash was computed for nothing");
        assert_eq!(ladder.count_by(&choice(1), no_hash, no_steps).unwrap(), Claim::Counted);
        let other = AccountChoice { shadow_field: None, ..choice(1) };
        assert_eq!(ladder.count_by(&other, no_hash, no_steps).unwrap(), Claim::Today);
    }

    #[test]
    #[cfg_attr(miri, ignore = "miri cannot map files")]
    fn a_slow_hash_that_fails_claims_nothing() {
        let (_folder, _, ladder) = made();
        let failed = || Err(LadderError::SlowHash(SlowHashError::Memory));
        assert!(ladder.count_by(&choice(1), failed, |_| panic!("steps were taken")).is_err());
        assert_eq!(ladder.count(b"password", &choice(1)).unwrap(), Claim::Granted);
        // Of two at once the second finds the claim taken when its slow hash is done.
        let [first, second] =
            [b"$y$1", b"$y$2"].map(|field| AccountChoice { shadow_field: Some(field), ..choice(2) });
        let meanwhile = || {
            assert_eq!(ladder.count(b"password", &first).unwrap(), Claim::Granted);
            ladder.element(b"password")
        };
        let late = ladder.count_by(&second, meanwhile, |_| panic!("steps were taken twice"));
        assert_eq!(late.unwrap(), Claim::Today);
    }

    /// The same password is a different element in every ladder, even if ladders share a key: a table of
    /// hashes for one is useless for another.
    #[test]
    #[cfg_attr(miri, ignore = "miri cannot map files")]
    fn the_salt_of_the_slow_hash_is_the_ladders_own() {
        let (_folder, files, ladder) = made();
        let key = read_key(&files.key).unwrap();
        let salt = key.subkey(Purpose::Salt, &ladder.header().id);
        let cost = Cost::new(8, 1).unwrap();
        let element = ladder.element(b"password").unwrap();
        assert_eq!(element.bytes(), cost.hash(salt.bytes(), b"password").unwrap().bytes());
        create(&files, &NewLadder { params: *ladder.ladder().params(), cost: Some(cost), stamps: 0 }, true)
            .unwrap();
        let again = ChosenLadder::open(&files).unwrap().unwrap();
        assert_ne!(again.element(b"password").unwrap().bytes(), element.bytes());
    }

    /// The vector of FORMAT-LADDER.md.
    #[test]
    #[cfg_attr(miri, ignore = "miri cannot map memory")]
    fn the_element_of_the_format_text() {
        let key = MasterKey::new(std::array::from_fn(|i| u8::try_from(i).unwrap()));
        let id: [u8; ID_BYTES] = std::array::from_fn(|i| u8::try_from(i + 32).unwrap());
        let salt = key.subkey(Purpose::Salt, &id);
        let element = Cost::new(64, 2).unwrap().hash(salt.bytes(), b"password").unwrap();
        let expected =
            [0x14eb_2af2_1c8e_b72c_7f4a_4fe3_3cd1_03d8_u128, 0x9fcb_8afb_9b3a_890b_9c21_66e2_8b11_4ec1];
        assert_eq!(element.bytes(), expected.map(u128::to_be_bytes).as_flattened());
    }
}
