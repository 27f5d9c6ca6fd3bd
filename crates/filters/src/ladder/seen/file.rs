//! The set in a file of fixed size on a file system in memory: `/run/nearmiss/failures`. The first failure
//! creates it, and it is lost when the system stops.

use std::io;
use std::path::Path;

use super::{KEY_AT, MAGIC, SEEN_BYTES, SeenFailures};
use crate::ladder::file::error::LadderError;
use crate::ladder::file::words::WordStore;
use crate::random::{RandomSource, SystemRandom};
use crate::storage::mapped::SharedBits;
use crate::storage::{Act, StorageError, TrustedFile, Walk, make_once};

/// The words of a mapped file.
#[derive(Debug)]
pub struct SeenFile {
    shared: SharedBits,
}

impl WordStore for SeenFile {
    fn load(&self, word: u64) -> io::Result<u64> {
        self.shared.load_word(offset(word)?)
    }

    fn replace(&self, word: u64, old: u64, new: u64) -> io::Result<bool> {
        self.shared.replace_word(offset(word)?, old, new)
    }
}

fn offset(word: u64) -> io::Result<usize> {
    let offset = word.checked_mul(8).and_then(|offset| usize::try_from(offset).ok());
    offset.ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

impl SeenFailures<SeenFile> {
    /// Opens the set for reading; `None` if it does not exist. It may be on a read-only file system.
    ///
    /// # Errors
    /// [`LadderError`]: it cannot be opened, is not trusted, or is not such a file.
    pub fn open(path: &Path) -> Result<Option<Self>, LadderError> {
        Self::opened(path, Walk::default().open(path), false)
    }

    /// The same, for updates.
    fn open_for_update(path: &Path) -> Result<Option<Self>, LadderError> {
        Self::opened(path, Walk::default().open_for_update(path), true)
    }

    fn opened(
        path: &Path,
        file: Result<TrustedFile, StorageError>,
        is_writable: bool,
    ) -> Result<Option<Self>, LadderError> {
        let file = match file {
            Ok(file) => file,
            Err(error) if error.is_missing() => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        file.refuse_others(path)?;
        let wrong = || LadderError::NotSeen { path: path.to_owned() };
        if file.length != SEEN_BYTES {
            return Err(wrong());
        }
        let shared = SharedBits::new(file.file, path, (0, SEEN_BYTES >> 3), is_writable)?;
        let set = Self::new(SeenFile { shared });
        let set = set.map_err(|source| LadderError::Access { path: path.to_owned(), source })?;
        set.map(Some).ok_or_else(wrong)
    }

    /// Opens the set for updates, and creates it if it does not exist: atomically, for this user only. Two
    /// concurrent processes both open the file of the first.
    ///
    /// # Errors
    /// As [`SeenFailures::open`] and `make_once`; [`LadderError::Random`].
    pub fn open_or_make(path: &Path, now: u64) -> Result<Self, LadderError> {
        if let Some(set) = Self::open_for_update(path)? {
            return Ok(set);
        }
        make_once(path, &header(now)?, SEEN_BYTES)?;
        Self::open_for_update(path)?.ok_or_else(|| StorageError::rule(path, Act::Displaced).into())
    }
}

/// The words up to the counters, which are zeros.
fn header(now: u64) -> Result<Vec<u8>, LadderError> {
    let halves: [u64; KEY_AT.len()] = SystemRandom.words().map_err(LadderError::Random)?;
    let words = [MAGIC, now].into_iter().chain(halves);
    Ok(words.flat_map(u64::to_le_bytes).collect())
}
