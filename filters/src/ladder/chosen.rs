//! The ladder of chosen passwords, as the PAM module uses it: is a new password too common here, and record it once it
//! was really set.
//!
//! An [`Element`] costs one slow hash and serves the check and the record. Checking changes nothing; recording takes the
//! ladder's steps through the shared map and cannot block, grow or half-write anything.

use std::io;
use std::path::PathBuf;

use super::error::LadderError;
use super::file::{FileBits, LadderFiles, open_array};
use super::filter::LadderFilter;
use super::header::Header;
use super::key_file::read_key;
use super::random::{RandomSource, SystemRandom};
use super::rungs::{Purpose, Subkey};
use super::slow_hash::Element;
use super::stamps::Stamps;

/// An open ladder of chosen passwords.
pub struct ChosenLadder {
    path: PathBuf,
    header: Header,
    ladder: LadderFilter<FileBits>,
    salt: Subkey,
    stamp_key: Subkey,
}

impl ChosenLadder {
    /// Opens the ladder and its key. `None` when the ladder was never made: it is off.
    ///
    /// # Errors
    /// [`LadderError`]: the ladder exists but cannot be used. That includes a missing key.
    pub fn open(files: &LadderFiles) -> Result<Option<Self>, LadderError> {
        let Some((header, bits)) = open_array(&files.file)? else { return Ok(None) };
        let key = read_key(&files.key)?;
        if !header.is_of(&key) {
            return Err(LadderError::OtherKey { path: files.file.clone(), key: files.key.clone() });
        }
        Ok(Some(Self {
            path: files.file.clone(),
            ladder: LadderFilter::new(header.params, &key, &header.id, bits),
            salt: key.subkey(Purpose::Salt, &header.id),
            stamp_key: key.subkey(Purpose::Stamp, &header.id),
            header,
        }))
    }

    /// What the file says of itself.
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// The ladder under it.
    pub const fn ladder(&self) -> &LadderFilter<FileBits> {
        &self.ladder
    }

    /// What the ladder knows of a password: its slow hash, in about the time of a login.
    ///
    /// # Errors
    /// [`LadderError::SlowHash`].
    pub fn element(&self, password: &[u8]) -> Result<Element, LadderError> {
        match &self.header.cost {
            Some(cost) => Ok(cost.hash(self.salt.bytes(), password)?),
            None => Ok(Element::plain(password)),
        }
    }

    /// Height of a password, 0 to H.
    ///
    /// # Errors
    /// [`LadderError::Access`].
    pub fn height(&self, element: &Element) -> Result<u32, LadderError> {
        self.reached(self.ladder.height(&self.ladder.rungs_of(element.bytes())))
    }

    /// Whether so many here chose this password that it is to be rejected. Changes nothing.
    ///
    /// # Errors
    /// [`LadderError::Access`].
    pub fn is_too_common(&self, element: &Element) -> Result<bool, LadderError> {
        Ok(self.height(element)? >= self.header.params.threshold())
    }

    /// Takes the steps of one password that was really set. Gives its height before.
    ///
    /// # Errors
    /// [`LadderError::Access`]: on a read-only file system, for instance. Never a reason to fail the change.
    pub fn record(&self, element: &Element) -> Result<u32, LadderError> {
        self.record_with(element, &mut SystemRandom)
    }

    /// As [`ChosenLadder::record`] with another random source: a buffered one, to prime a ladder with many passwords.
    ///
    /// # Errors
    /// As [`ChosenLadder::record`].
    pub fn record_with(&self, element: &Element, random: &mut impl RandomSource) -> Result<u32, LadderError> {
        self.reached(self.ladder.record(&self.ladder.rungs_of(element.bytes()), random))
    }

    /// Takes `count` single steps. Gives the height before the first; `None` for no step.
    ///
    /// # Errors
    /// As [`ChosenLadder::record`].
    pub fn step(
        &self,
        element: &Element,
        count: u32,
        random: &mut impl RandomSource,
    ) -> Result<Option<u32>, LadderError> {
        let rungs = self.ladder.rungs_of(element.bytes());
        let mut first = None;
        for _ in 0..count {
            let height = self.reached(self.ladder.step(&rungs, random))?;
            first.get_or_insert(height);
        }
        Ok(first)
    }

    /// Whether the password behind an account's shadow field was recorded already. True also where the ladder has no room
    /// to remember it, so that nothing is ever recorded at every login.
    ///
    /// # Errors
    /// [`LadderError::Access`].
    pub fn is_recorded(&self, account: &[u8], shadow_field: &[u8]) -> Result<bool, LadderError> {
        self.reached(self.stamps().is_recorded(account, shadow_field))
    }

    /// Remembers that the password behind an account's shadow field is recorded. True when that is new: take the steps
    /// only then, and of two logins at once only one does.
    ///
    /// # Errors
    /// [`LadderError::Access`].
    pub fn mark_recorded(&self, account: &[u8], shadow_field: &[u8]) -> Result<bool, LadderError> {
        self.reached(self.stamps().mark_recorded(account, shadow_field))
    }

    /// Accounts that have a stamp.
    ///
    /// # Errors
    /// [`LadderError::Access`].
    pub fn stamped_accounts(&self) -> Result<u32, LadderError> {
        self.reached(self.stamps().taken())
    }

    fn stamps(&self) -> Stamps<'_> {
        Stamps {
            shared: &self.ladder.bits().shared,
            first_byte: self.header.byte_part(),
            count: self.header.stamps,
            key: &self.stamp_key,
        }
    }

    fn reached<T>(&self, result: io::Result<T>) -> Result<T, LadderError> {
        result.map_err(|source| LadderError::Access { path: self.path.clone(), source })
    }
}
