//! Small files of JSON in which a command leaves how it ended: read with distrust, replaced in one step.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use nearmiss_filters::{
    keys::{Keyed, MessageKey},
    storage::{Access, Replacement, StorageError, read_trusted},
};
use serde::{Deserialize, de::DeserializeOwned};

use crate::{keys, paths, report::SCHEMA};

/// The most bytes of such a file.
pub(crate) const MAX_STATE_BYTES: usize = 16 << 20;

/// The file is there, and says nothing.
#[derive(Debug)]
pub(crate) enum StateError {
    /// It cannot be read, or is not trusted.
    Storage(StorageError),
    /// It is something else, is damaged, or was written by another version.
    Unknown(PathBuf),
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StateError::Storage(error) => error.fmt(f),
            StateError::Unknown(path) => {
                let path = path.display();
                write!(f, "{path}: is damaged, or of another version; the command that wrote it fixes it")
            }
        }
    }
}

impl Keyed for StateError {
    fn key(&self) -> MessageKey {
        match self {
            StateError::Storage(error) => error.key(),
            StateError::Unknown(_) => keys::STATE_FILE,
        }
    }
}

impl std::error::Error for StateError {}

#[derive(Deserialize)]
struct VersionedState {
    schema: u32,
}

/// The file's content; none if there is no file.
///
/// # Errors
/// [`StateError`]: it is there and cannot be read or understood, or is not trusted.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, StateError> {
    let path = paths::real(path);
    let bytes = match read_trusted(&path, MAX_STATE_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.is_missing() => return Ok(None),
        Err(error) => return Err(StateError::Storage(error)),
    };
    let is_known = serde_json::from_slice::<VersionedState>(&bytes).is_ok_and(|file| file.schema == SCHEMA);
    let state = is_known.then(|| serde_json::from_slice(&bytes).ok()).flatten();
    state.map(Some).ok_or(StateError::Unknown(path))
}

/// Replaces the file by these bytes, for its owner alone.
///
/// # Errors
/// [`StorageError`].
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), StorageError> {
    let mut file = Replacement::create(path, Access::Private)?;
    file.write(bytes).and_then(|()| file.commit())
}
