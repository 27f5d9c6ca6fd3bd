//! Whether a command that failed has replaced its file: the exit status alone would deny it.

use std::{fs, os::unix::fs::MetadataExt, path::Path};

use nearmiss_cli::failure::Failure;
use nearmiss_filters::storage::{Act, StorageError};

/// A file that a command is about to replace, and what had its name before.
pub(crate) struct Watched<'a> {
    file: &'a Path,
    before: Option<(u64, u64)>,
}

impl<'a> Watched<'a> {
    /// Looks at the file, before the command.
    pub(crate) fn new(file: &'a Path) -> Watched<'a> {
        Watched { file, before: identity(file) }
    }

    /// The result of the command. A failure after the replacement (a report that cannot be printed, a record
    /// that cannot be written, a folder that cannot be synced) says that the file was replaced.
    ///
    /// # Errors
    /// The failure of the command.
    pub(crate) fn told<T>(&self, result: Result<T, Failure>) -> Result<T, Failure> {
        result.map_err(|failure| {
            let now = identity(self.file);
            if now.is_none() || now == self.before || is_anothers(&failure) {
                return failure;
            }
            failure.although(&format!("{} was replaced", self.file.display()))
        })
    }
}

/// A new file of that name has another inode while the earlier one is there.
fn identity(file: &Path) -> Option<(u64, u64)> {
    fs::symlink_metadata(file).map(|found| (found.dev(), found.ino())).ok()
}

/// True if another command is replacing the file, or has done so.
fn is_anothers(failure: &Failure) -> bool {
    let storage = failure.source_as::<StorageError>();
    storage.is_some_and(|error| [Act::Busy, Act::Replaced].contains(&error.act))
}

#[cfg(test)]
mod tests {
    use nearmiss_cli::keys;

    use super::*;

    #[test]
    fn a_failure_names_only_a_file_that_the_command_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let [file, new] = ["file", "new"].map(|name| folder.path().join(name));
        let failure = || Failure::plain(keys::ARGUMENTS, "cannot print");
        let told = |watched: &Watched<'_>, failure| watched.told::<()>(Err(failure)).unwrap_err().to_string();
        let watched = Watched::new(&file);
        assert_eq!(told(&watched, failure()), "cannot print");
        let replaced = format!("{} was replaced, but cannot print", file.display());
        fs::write(&file, "").unwrap();
        assert_eq!(told(&watched, failure()), replaced);
        let watched = Watched::new(&file);
        assert_eq!(told(&watched, failure()), "cannot print");
        fs::write(&new, "").unwrap();
        fs::rename(&new, &file).unwrap();
        assert_eq!(told(&watched, failure()), replaced);
        let busy = Failure::new("cannot write", StorageError::rule(&file, Act::Busy));
        assert!(told(&watched, busy).starts_with("cannot write"));
    }
}
