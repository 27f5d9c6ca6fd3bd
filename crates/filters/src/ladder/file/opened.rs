//! A ladder opened from its file with its key: the common part of the ladders of chosen and of guessed
//! passwords.

use std::io;
use std::path::PathBuf;

use super::array::{FileBits, LadderFiles, open_array_on};
use super::error::LadderError;
use super::header::Header;
use super::key_file::read_key_on;
use super::slow_hash::Element;
use crate::ladder::structure::filter::LadderFilter;
use crate::ladder::structure::keys::{MasterKey, Purpose, Subkey};
use crate::random::{RandomSource, SystemRandom};
use crate::storage::Walk;

/// An open ladder with its key: the heights of passwords, and the steps that raise them.
pub struct OpenLadder {
    path: PathBuf,
    header: Header,
    ladder: LadderFilter<FileBits>,
    salt: Subkey,
}

impl OpenLadder {
    /// Opens the ladder and its key. `None` if the ladder was never created: it is off.
    ///
    /// # Errors
    /// [`LadderError`]: the ladder exists but cannot be used. That includes a missing key.
    pub fn open(files: &LadderFiles) -> Result<Option<Self>, LadderError> {
        Ok(Self::open_with_key(&Walk::default(), files)?.map(|(ladder, _)| ladder))
    }

    /// The same on a walk that is shared with other files; also returns the key, from which the caller
    /// derives further keys.
    pub(in crate::ladder) fn open_with_key(
        walk: &Walk,
        files: &LadderFiles,
    ) -> Result<Option<(Self, MasterKey)>, LadderError> {
        let Some((header, bits)) = open_array_on(walk, &files.file)? else { return Ok(None) };
        let key = read_key_on(walk, &files.key)?;
        if !header.is_of(&key) {
            return Err(LadderError::OtherKey { path: files.file.clone(), key: files.key.clone() });
        }
        let ladder = LadderFilter::new(header.params, &key, &header.id, bits);
        let salt = key.subkey(Purpose::Salt, &header.id);
        Ok(Some((Self { path: files.file.clone(), header, ladder, salt }, key)))
    }

    /// The header of the file.
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// The ladder under it.
    pub const fn ladder(&self) -> &LadderFilter<FileBits> {
        &self.ladder
    }

    /// The element of a password: its slow hash, if the ladder has one, which takes about as long as a login.
    ///
    /// # Errors
    /// [`LadderError::SlowHash`].
    pub fn element(&self, password: &[u8]) -> Result<Element, LadderError> {
        match &self.header.cost {
            Some(cost) => Ok(cost.hash(self.salt.bytes(), password)?),
            None => Ok(Element::plain(password)),
        }
    }

    /// The height of a password, 0 to H.
    ///
    /// # Errors
    /// [`LadderError::Access`].
    pub fn height(&self, element: &Element) -> Result<u32, LadderError> {
        self.reached(self.ladder.height(&self.ladder.rungs_of(element.bytes())))
    }

    /// True if the height of a password is at the threshold or above. Changes nothing.
    ///
    /// # Errors
    /// [`LadderError::Access`].
    pub fn is_frequent(&self, element: &Element) -> Result<bool, LadderError> {
        Ok(self.height(element)? >= self.header.params.threshold())
    }

    /// Takes the steps of one observation. Returns the height before.
    ///
    /// # Errors
    /// [`LadderError::Access`]: on a read-only file system, for instance; [`LadderError::Random`].
    pub fn record(&self, element: &Element) -> Result<u32, LadderError> {
        self.reached(self.ladder.record(&self.ladder.rungs_of(element.bytes()), &mut SystemRandom))
    }

    /// Takes `count` single steps. Returns the height before the first; `None` for no step.
    ///
    /// # Errors
    /// As [`OpenLadder::record`].
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

    pub(in crate::ladder) fn reached<T>(&self, result: io::Result<T>) -> Result<T, LadderError> {
        result.map_err(|source| LadderError::Access { path: self.path.clone(), source })
    }
}

#[cfg(test)]
mod tests {
    use super::super::array::{NewLadder, create};
    use super::*;
    use crate::ladder::structure::params::Params;

    #[test]
    fn single_steps_raise_a_password_from_the_height_it_had() {
        let folder = tempfile::tempdir().unwrap();
        let files =
            LadderFiles { file: folder.path().join("chosen.ladder"), key: folder.path().join("ladder.key") };
        assert!(OpenLadder::open(&files).unwrap().is_none());
        let params = Params::new(1 << 20, 64, 64, 1).unwrap();
        create(&files, &NewLadder { params, cost: None, stamps: 0 }, false).unwrap();
        let ladder = OpenLadder::open(&files).unwrap().unwrap();
        let element = ladder.element(b"Summer2026!x").unwrap();
        let before = ladder.height(&element).unwrap();
        assert_eq!(ladder.step(&element, 0, &mut SystemRandom).unwrap(), None);
        assert_eq!(ladder.step(&element, 3, &mut SystemRandom).unwrap(), Some(before));
        assert!(ladder.height(&element).unwrap() > before);
    }
}
