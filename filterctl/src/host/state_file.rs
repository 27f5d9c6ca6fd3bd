//! Small JSON files in which a command records its result: not trusted when read, and replaced in one step.

use std::{
    fmt,
    os::unix::fs::{FileExt, MetadataExt},
    path::{Path, PathBuf},
};

use nearmiss_cli::{keys, paths};
use nearmiss_filters::{
    keys::{Keyed, MessageKey},
    storage::{Access, Act, Replacement, StorageError, Walk, read_trusted},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::report::SCHEMA;

/// The most bytes of such a file.
pub(crate) const MAX_STATE_BYTES: usize = 16 << 20;

/// The result of the last `filterctl doctor --record`: the file that the timer writes.
pub(crate) const DEFAULT_EXAMINED: &str = "/var/cache/nearmiss/examined";

/// The result of the last `filterctl verify --all --record`: the file that the timer writes.
pub(crate) const DEFAULT_VERIFIED: &str = "/var/cache/nearmiss/verified";

/// The file exists, but is of no use.
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
                write!(f, "{path}: damaged, or of another version; run the command that wrote it again")
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
    let path = paths::absolute(path);
    let bytes = match read_trusted(&path, MAX_STATE_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.is_missing() => return Ok(None),
        Err(error) => return Err(StateError::Storage(error)),
    };
    let is_known = serde_json::from_slice::<VersionedState>(&bytes).is_ok_and(|file| file.schema == SCHEMA);
    let state = is_known.then(|| serde_json::from_slice(&bytes).ok()).flatten();
    state.map(Some).ok_or(StateError::Unknown(path))
}

/// A file is as long as a multiple of this many bytes.
const BLOCK_BYTES: usize = 4096;

/// The text, padded with this many bytes, so that the file has blocks for the message of a failure.
pub(crate) fn padded(mut text: Vec<u8>, reserve: usize) -> Vec<u8> {
    let length = text.len().saturating_add(reserve).saturating_add(1);
    text.resize(length.next_multiple_of(BLOCK_BYTES).saturating_sub(1), b' ');
    text.push(b'\n');
    text
}

/// Writes the file, readable by its owner only: in one step, or over the earlier one if there is no room for
/// a new file.
///
/// # Errors
/// [`StorageError`] of the first way, when the second fails, too.
pub(crate) fn keep(path: &Path, bytes: &[u8]) -> Result<(), StorageError> {
    match replace(path, bytes) {
        Err(error) if error.act != Act::Busy => over(path, bytes).map_err(|_| error),
        other => other,
    }
}

/// Overwrites a file that is trusted and long enough; the rest of its earlier text becomes blank.
fn over(path: &Path, bytes: &[u8]) -> Result<(), StorageError> {
    let path = paths::written(path);
    let file = Walk::default().open_for_update(&path)?;
    let length = usize::try_from(file.length).unwrap_or(usize::MAX);
    if length < bytes.len() || length > MAX_STATE_BYTES {
        return Err(StorageError::rule(&path, Act::TooLarge));
    }
    // A second name would be another file's.
    let names = file.file.metadata().map_err(|e| StorageError::io(&path, Act::Read, e))?.nlink();
    if names != 1 {
        return Err(StorageError::rule(&path, Act::Occupied));
    }
    let mut whole = bytes.to_vec();
    whole.resize(length, b' ');
    let written = file.file.write_all_at(&whole, 0);
    written.map_err(|e| StorageError::io(&path, Act::Write, e))?;
    file.file.sync_all().map_err(|e| StorageError::io(&path, Act::Sync, e))
}

/// Replaces the file by this result as JSON, which consists of texts and numbers, for its owner alone.
///
/// # Errors
/// [`StorageError`].
pub(crate) fn write(path: &Path, state: &impl Serialize) -> Result<(), StorageError> {
    let mut bytes = serde_json::to_vec(state).unwrap_or_default();
    bytes.push(b'\n');
    replace(path, &bytes)
}

/// Replaces the file by these bytes, for its owner alone.
///
/// # Errors
/// [`StorageError`].
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), StorageError> {
    let mut file = Replacement::create(path, Access::Private)?;
    file.write(bytes).and_then(|()| file.commit())
}
