//! The last result of `filterctl verify --all --record`: its time, and the damaged filters.
//!
//! The timer `nearmiss-verify.timer` runs it. A filter that was replaced since is ignored until the next run:
//! see [`VerifiedFilter::is_current`].

use std::{fs, os::unix::fs::MetadataExt, path::Path};

use nearmiss_cli::clock::now;
use nearmiss_filters::storage::StorageError;
use serde::{Deserialize, Serialize};

use crate::{
    host::state_file::{self, StateError},
    report::SCHEMA,
};

/// The result of the last verification of all filters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct VerifyState {
    schema: u32,
    /// The time, in seconds since 1970.
    pub(crate) at: u64,
    /// Every filter of the configuration.
    pub(crate) filters: Vec<VerifiedFilter>,
}

/// A filter that was verified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct VerifiedFilter {
    /// Its path.
    pub(crate) path: String,
    /// The file's time, in seconds since 1970; none if there was no file.
    #[serde(default)]
    pub(crate) modified: Option<u64>,
    /// Its faults; none if it is intact and the module accepts it.
    #[serde(default)]
    pub(crate) problem: Option<String>,
}

impl VerifyState {
    /// These filters were verified now.
    pub(crate) fn new(filters: Vec<VerifiedFilter>) -> VerifyState {
        VerifyState { schema: SCHEMA, at: now(), filters }
    }

    /// Reads the state in a file; none if there is no file.
    ///
    /// # Errors
    /// [`StateError`]: it is there and cannot be read or understood, or is not trusted.
    pub(crate) fn read(path: &Path) -> Result<Option<VerifyState>, StateError> {
        state_file::read(path)
    }

    /// Writes the state, for its owner alone.
    ///
    /// # Errors
    /// [`StorageError`].
    pub(crate) fn write(&self, path: &Path) -> Result<(), StorageError> {
        state_file::write(path, self)
    }
}

impl VerifiedFilter {
    /// The filter at this path, and its fault.
    pub(crate) fn new(path: &Path, problem: Option<String>) -> VerifiedFilter {
        VerifiedFilter { path: path.display().to_string(), modified: modified(path), problem }
    }

    /// True while the file is the one that was verified.
    pub(crate) fn is_current(&self) -> bool {
        self.modified == modified(Path::new(&self.path))
    }
}

fn modified(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().and_then(|metadata| u64::try_from(metadata.mtime()).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_holds_for_the_file_that_was_verified() {
        let folder = tempfile::tempdir().unwrap();
        let [filter, state] = ["f", "verified"].map(|name| folder.path().join(name));
        fs::write(&filter, "").unwrap();
        let verified = VerifiedFilter::new(&filter, Some("page 3".to_owned()));
        let missing = VerifiedFilter::new(&folder.path().join("none"), None);
        let written = VerifyState::new(vec![verified.clone(), missing.clone()]);
        assert!(VerifyState::read(&state).unwrap().is_none());
        written.write(&state).unwrap();
        assert_eq!(VerifyState::read(&state).unwrap(), Some(written));
        assert_eq!(fs::metadata(&state).unwrap().mode() & 0o7777, 0o600);
        assert!(verified.is_current() && missing.is_current());
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(100);
        fs::File::options().write(true).open(&filter).unwrap().set_modified(later).unwrap();
        assert!(!verified.is_current());
        fs::write(&state, "{\"schema\":2}").unwrap();
        assert!(matches!(VerifyState::read(&state), Err(StateError::Unknown(_))));
    }
}
