//! The state that an update writes beside the filter.

use std::{os::unix::fs::MetadataExt, path::Path};

use nearmiss_cli::{
    failure::{self, Failure, printable},
    keys,
};
use nearmiss_filters::{
    format::Header,
    storage::{Act, StorageError},
};
use nearmiss_policy::config::PACKAGED;

use super::sources::OpenList;
use crate::{
    filter_file::{
        change::Written,
        provenance::Provenance,
        update_state::{self, DroppedList, UpdateState, UsedList},
    },
    host::syslog,
};

/// The state of the earlier update.
pub(super) struct UpdateMemory<'a> {
    filter: &'a Path,
    /// The state; none if there is no usable one.
    state: Option<UpdateState>,
}

impl<'a> UpdateMemory<'a> {
    /// The state beside this filter.
    pub(super) fn of(filter: &'a Path) -> UpdateMemory<'a> {
        UpdateMemory { filter, state: UpdateState::read(filter).ok().flatten() }
    }

    /// The state, or an empty one.
    pub(super) fn state(&self) -> UpdateState {
        self.state.clone().unwrap_or_default()
    }

    /// A failure is recorded beside the packaged filter and beside any filter that exists: at another path, a
    /// filter that was never built is not in use.
    fn is_kept(&self) -> bool {
        PACKAGED.iter().any(|file| self.filter == Path::new(file))
            || self.filter.exists()
            || self.state.is_some()
    }

    /// A rebuild begins.
    pub(super) fn begin(&self) {
        if self.is_kept() {
            // A fault that stops this write also stops the write of the filter, and is reported there.
            let _ = self.state().begun().write(self.filter);
        }
    }

    /// The update failed. A concurrent update records its own result, and of a filter that was installed
    /// meanwhile nothing is recorded.
    pub(super) fn fail(&self, failure: &Failure) {
        let is_concurrent = |error: &StorageError| [Act::Busy, Act::Replaced].contains(&error.act);
        if failure.source_as::<StorageError>().is_some_and(is_concurrent) || !self.is_kept() {
            return;
        }
        let reason = printable(&failure.to_string());
        syslog::warning(&format!("not updated: {reason}"));
        let written = self.state().failed_by(failure).write(self.filter);
        if let Some(error) = written.err().filter(|error| !error.is_denied()) {
            failure::warn(
                keys::UPDATE_FAILED,
                &format!("{error}; the failure of this update is not recorded"),
            );
        }
    }

    /// The filter was rebuilt.
    ///
    /// # Errors
    /// The state cannot be written.
    pub(super) fn rebuilt(
        &self,
        written: &Written,
        sources: &[OpenList],
        dropped: Vec<DroppedList>,
    ) -> Result<(), Failure> {
        let words = |path: &str| {
            written.lists.iter().find(|tally| tally.name() == path).map(|tally| Some(tally.accepted()))
        };
        self.write(&UpdateState::rebuilt(written.header.created, used(sources, words), dropped))
    }

    /// The filter is up to date, except for these lists. A lost state is restored, as far as the filter and
    /// its record allow.
    ///
    /// # Errors
    /// The state has to change and cannot be written.
    pub(super) fn up_to_date(
        &self,
        (header, record): (&Header, &Provenance),
        sources: &[OpenList],
        dropped: &[DroppedList],
    ) -> Result<(), Failure> {
        let is_used = |path: &str| record.lists.iter().any(|list| list == path).then_some(None);
        let known = self.state.clone().filter(|state| state.rebuilt.is_some());
        let current =
            known.unwrap_or_else(|| UpdateState::rebuilt(header.created, used(sources, is_used), Vec::new()));
        let mut current = current.fixed();
        current.dropped = dropped.to_vec();
        if self.state.as_ref() == Some(&current) { Ok(()) } else { self.write(&current) }
    }

    /// The filter was built by another command: the state of updates does not apply to it.
    ///
    /// # Errors
    /// There is a state, and it cannot be removed.
    pub(super) fn not_ours(&self) -> Result<(), Failure> {
        UpdateState::remove(self.filter).map_err(unwritable)
    }

    fn write(&self, state: &UpdateState) -> Result<(), Failure> {
        state.write(self.filter).map_err(unwritable)
    }
}

fn unwritable(error: StorageError) -> Failure {
    Failure::new("cannot record the update", error)
}

/// The lists of the filter, with the number of their words if `words` knows it.
fn used(sources: &[OpenList], words: impl Fn(&str) -> Option<Option<u64>>) -> Vec<UsedList> {
    let used = |source: &OpenList| {
        let path = source.path.display().to_string();
        Some(UsedList { words: words(&path)?, modified: modified(source), path })
    };
    sources.iter().filter_map(used).collect()
}

fn modified(source: &OpenList) -> Option<u64> {
    source.file.metadata().ok().and_then(|metadata| u64::try_from(metadata.mtime()).ok())
}

/// True for the file that is kept beside a filter.
pub(super) fn is_own(filter: &Path, list: &Path) -> bool {
    list == update_state::path_for(filter)
}

#[cfg(test)]
mod tests {
    use std::{fs, path::PathBuf};

    use super::*;

    fn filter() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let filter = folder.path().join("words.filter");
        (folder, filter)
    }

    /// The reason of the failure that is remembered.
    fn remembered(filter: &Path) -> Option<String> {
        UpdateState::read(filter).unwrap()?.failed.map(|failed| failed.reason)
    }

    #[test]
    fn what_was_never_built_in_another_place_leaves_nothing_behind() {
        let (folder, filter) = filter();
        UpdateMemory::of(&filter).begin();
        UpdateMemory::of(&filter).fail(&Failure::plain(keys::UPDATE_FAILED, "no luck"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_failure_is_remembered_beside_every_filter_and_where_one_was() {
        let (_folder, filter) = filter();
        let fail =
            |reason: &str| UpdateMemory::of(&filter).fail(&Failure::plain(keys::UPDATE_FAILED, reason));
        fs::write(&filter, "of another command").unwrap();
        fail("no luck");
        assert_eq!(remembered(&filter).as_deref(), Some("no luck"));
        fs::remove_file(&filter).unwrap();
        fail("no luck again");
        assert_eq!(remembered(&filter).as_deref(), Some("no luck again"));
    }

    /// Nobody can change a password while they are missing.
    #[test]
    fn a_failure_is_remembered_in_the_place_of_each_packaged_filter() {
        for file in PACKAGED {
            assert!(UpdateMemory { filter: Path::new(file), state: None }.is_kept(), "{file}");
        }
    }

    #[test]
    fn an_update_that_meets_another_leaves_the_memory_to_it() {
        let (_folder, filter) = filter();
        fs::write(&filter, "").unwrap();
        UpdateMemory::of(&filter).begin();
        let begun = remembered(&filter);
        for act in [Act::Busy, Act::Replaced] {
            let busy = StorageError::rule(&filter, act);
            UpdateMemory::of(&filter).fail(&Failure::new("cannot write the filter", busy));
        }
        assert!(begun.is_some() && remembered(&filter) == begun);
    }
}
