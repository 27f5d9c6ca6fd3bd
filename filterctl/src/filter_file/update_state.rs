//! The last `filterctl update`, in the file `NAME.update` beside the filter `NAME`.
//!
//! The filter itself cannot record that a later rebuild failed, or the lists that it lacks. The file is
//! replaced in one step. If the disk is full, the file is overwritten in place: it is longer than its text,
//! so that the message of a failure fits into its existing blocks.

use std::{
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use nearmiss_cli::{
    clock::now,
    failure::{self, Failure},
};
use nearmiss_filters::{
    keys::Keyed,
    storage::{Place, StorageError, with_ending},
};
use serde::{Deserialize, Serialize};

use crate::{
    host::state_file::{self, StateError},
    report::SCHEMA,
};

/// The most lists that are kept.
const MAX_LISTS: usize = 2000;

/// The most characters of a reason that are kept.
const MAX_CHARACTERS: usize = 500;

/// The room for a failure in every file, in bytes.
const RESERVE_BYTES: usize = 4 * MAX_CHARACTERS + 160;

/// The message for a rebuild that began and neither ended nor failed.
const UNFINISHED: &str = "the rebuild did not finish: it was killed, or the system stopped";

/// The last `filterctl update` of a filter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct UpdateState {
    schema: u32,
    /// The filter's last rebuild, in seconds since 1970; none if no rebuild succeeded.
    #[serde(default)]
    pub(crate) rebuilt: Option<u64>,
    /// The last attempt, where it failed. The next one that succeeds removes it.
    #[serde(default)]
    pub(crate) failed: Option<FailedUpdate>,
    /// The lists that the filter was built from, without the built-in one.
    #[serde(default)]
    pub(crate) lists: Vec<UsedList>,
    /// The lists and folders that are configured, or were part of an earlier filter, and could not be used.
    #[serde(default)]
    pub(crate) dropped: Vec<DroppedList>,
}

/// An attempt to rebuild the filter that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FailedUpdate {
    /// The time, in seconds since 1970.
    pub(crate) at: u64,
    /// The message of the failure.
    pub(crate) reason: String,
    /// The key of the message; none if only the reason was recorded.
    #[serde(default)]
    pub(crate) key: Option<String>,
}

/// A list that the filter was built from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct UsedList {
    /// Its path.
    pub(crate) path: String,
    /// The number of its lines in the filter; none if the state was lost since.
    #[serde(default)]
    pub(crate) words: Option<u64>,
    /// The list's last change, in seconds since 1970; none if that is not known.
    #[serde(default)]
    pub(crate) modified: Option<u64>,
}

/// A list or a folder of lists that the filter lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DroppedList {
    /// Its path.
    pub(crate) path: String,
    /// The reason why it could not be used.
    pub(crate) reason: String,
}

impl Default for UpdateState {
    fn default() -> UpdateState {
        UpdateState { schema: SCHEMA, rebuilt: None, failed: None, lists: Vec::new(), dropped: Vec::new() }
    }
}

impl UpdateState {
    /// The state beside a filter; none if `filterctl update` left none.
    ///
    /// # Errors
    /// [`StateError`]: the file is there and cannot be read or understood, or is not trusted.
    pub(crate) fn read(filter: &Path) -> Result<Option<UpdateState>, StateError> {
        state_file::read(&path_for(filter))
    }

    /// The filter was rebuilt at this time, from `lists` and without `dropped`.
    pub(crate) fn rebuilt(at: u64, mut lists: Vec<UsedList>, dropped: Vec<DroppedList>) -> UpdateState {
        lists.truncate(MAX_LISTS);
        UpdateState { rebuilt: Some(at), lists, dropped, ..UpdateState::default() }
    }

    /// The same, with an attempt that failed now.
    #[must_use]
    pub(crate) fn failed(self, reason: &str) -> UpdateState {
        let reason = reason.chars().take(MAX_CHARACTERS).collect();
        UpdateState { failed: Some(FailedUpdate { at: now(), reason, key: None }), ..self }
    }

    /// The same, with the key of the failure's message.
    #[must_use]
    pub(crate) fn failed_by(self, failure: &Failure) -> UpdateState {
        let mut state = self.failed(&failure.to_string());
        if let Some(failed) = &mut state.failed {
            failed.key = Some(failure.key().as_str().to_owned());
        }
        state
    }

    /// The same, with an attempt that began now: the state after a kill or a power failure.
    #[must_use]
    pub(crate) fn begun(self) -> UpdateState {
        self.failed(UNFINISHED)
    }

    /// The same, without the attempt that failed.
    #[must_use]
    pub(crate) fn fixed(self) -> UpdateState {
        UpdateState { failed: None, ..self }
    }

    /// Writes the state beside the filter, readable by its owner only: in one step, or over the earlier state
    /// if there is no room for a new file.
    ///
    /// # Errors
    /// [`StorageError`] of the first way, when the second fails, too.
    pub(crate) fn write(&self, filter: &Path) -> Result<(), StorageError> {
        state_file::keep(&path_for(filter), &self.encode())
    }

    /// Replaces a filter by one that no update built. The state beside it is removed first, so that it never
    /// describes another filter, and is restored if the replacement fails.
    ///
    /// # Errors
    /// The errors of `replace`; or the state cannot be removed, and nothing is replaced.
    pub(crate) fn forgotten<T>(
        filter: &Path,
        replace: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let state = UpdateState::read(filter).ok().flatten();
        // A replacement can fail after the rename, when the folder is synced.
        let file = || std::fs::symlink_metadata(filter).map(|found| (found.dev(), found.ino())).ok();
        let before = file();
        UpdateState::remove(filter)
            .map_err(|e| Failure::new("cannot remove the state of the last update", e))?;
        replace().inspect_err(|_| {
            let state = state.filter(|_| file() == before);
            if let Some(Err(error)) = state.map(|state| state.write(filter)) {
                failure::warn(&error, &error.to_string());
            }
        })
    }

    /// Removes the state beside a filter, if there is one.
    ///
    /// # Errors
    /// [`StorageError`].
    pub(crate) fn remove(filter: &Path) -> Result<(), StorageError> {
        let path = path_for(filter);
        Place::of(&path).and_then(|place| place.remove())
    }

    /// The text, padded with room for a failure.
    fn encode(&self) -> Vec<u8> {
        // Strings and numbers can always be written as JSON.
        let text = serde_json::to_vec(self).unwrap_or_default();
        state_file::padded(text, if self.failed.is_none() { RESERVE_BYTES } else { 0 })
    }
}

/// The path of a filter's state.
pub(crate) fn path_for(filter: &Path) -> PathBuf {
    with_ending(filter, ".update")
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use nearmiss_cli::keys;
    use nearmiss_filters::storage::Act;

    use super::*;
    use crate::host::state_file::MAX_STATE_BYTES;

    fn filter() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let filter = folder.path().join("words.filter");
        (folder, filter)
    }

    fn full() -> UpdateState {
        let list = UsedList { path: "/usr/share/dict/words".to_owned(), words: Some(3), modified: Some(7) };
        let dropped = DroppedList { path: "/srv/company".to_owned(), reason: "is \"gone\"".to_owned() };
        UpdateState::rebuilt(1_700_000_000, vec![list], vec![dropped])
    }

    #[test]
    fn what_is_written_is_read_by_its_owner_alone() {
        let (_folder, filter) = filter();
        assert!(UpdateState::read(&filter).unwrap().is_none());
        for state in [full(), full().failed("no luck"), full().begun(), UpdateState::default()] {
            state.write(&filter).unwrap();
            assert_eq!(UpdateState::read(&filter).unwrap(), Some(state));
        }
        assert_eq!(fs::metadata(path_for(&filter)).unwrap().mode() & 0o7777, 0o600);
        assert_eq!(full().failed("no luck").fixed(), full());
        UpdateState::remove(&filter).unwrap();
        UpdateState::remove(&filter).unwrap();
        assert!(UpdateState::read(&filter).unwrap().is_none());
    }

    #[test]
    fn a_failure_fits_into_the_file_of_every_success() {
        let mut state = full();
        for count in 0..200_usize {
            state.lists.push(UsedList { path: "x".repeat(count), ..state.lists[0].clone() });
            let failure = Failure::plain(keys::FILTER_LACKS_COMMON, "\u{1b}\"\\é".repeat(MAX_CHARACTERS));
            let failed = state.clone().failed_by(&failure);
            assert!(failed.encode().len() <= state.encode().len(), "{count} lists");
        }
    }

    #[test]
    fn a_failure_is_written_over_the_state_where_no_file_can_be_made() {
        let (folder, filter) = filter();
        full().write(&filter).unwrap();
        // A foreign file at the path of the new file must not be removed by this program.
        fs::create_dir(folder.path().join(".words.filter.update.new")).unwrap();
        let failed = full().failed("the disk is full");
        failed.write(&filter).unwrap();
        assert_eq!(UpdateState::read(&filter).unwrap(), Some(failed));
        full().write(&filter).unwrap();
        assert_eq!(UpdateState::read(&filter).unwrap().unwrap().failed, None);
        UpdateState::remove(&filter).unwrap();
        assert_eq!(full().write(&filter).unwrap_err().act, Act::Occupied);
    }

    #[test]
    fn what_is_damaged_of_another_version_or_not_trusted_is_an_error() {
        let (_folder, filter) = filter();
        let path = path_for(&filter);
        for text in ["", "{}", "[]", "{\"schema\":2}", "{\"schema\":1,\"lists\":7}", "{\"schema\":1"] {
            fs::write(&path, text).unwrap();
            let error = UpdateState::read(&filter).unwrap_err();
            assert!(matches!(error, StateError::Unknown(_)), "{text}: {error}");
        }
        full().write(&filter).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        assert!(
            matches!(UpdateState::read(&filter), Err(StateError::Storage(e)) if e.act == Act::OthersMayWrite)
        );
        fs::remove_file(&path).unwrap();
        let large = fs::File::create(&path).unwrap();
        large.set_len(MAX_STATE_BYTES as u64 + 1).unwrap();
        assert!(matches!(UpdateState::read(&filter), Err(StateError::Storage(e)) if e.act == Act::TooLarge));
    }
}
