//! A lock on folders, for changes of several files that belong together: a ladder and its key.
//!
//! Reading and recording do not take it. It is never waited for: a lock that another process holds is an
//! error, so that no process can block this one.

use std::{fs::File, os::unix::fs::MetadataExt, path::Path};

use rustix::{
    fs::{FlockOperation, flock},
    io::Errno,
};

use super::{Act, Place, StorageError};

/// Locked folders; dropping it, or the end of the process, unlocks them.
#[derive(Debug)]
pub struct FolderLock {
    _folders: Vec<File>,
}

impl FolderLock {
    /// Locks the folders that these files are in, or are going to be in.
    ///
    /// # Errors
    /// [`Act::Busy`] if another process has locked one of them; as [`Place::of`] if one cannot be opened.
    pub fn of(files: &[&Path]) -> Result<FolderLock, StorageError> {
        let (mut folders, mut seen) = (Vec::new(), Vec::new());
        for path in files {
            let folder = Place::of(path)?.open_folder()?;
            let metadata = folder.metadata().map_err(|e| StorageError::io(path, Act::Open, e))?;
            let name = (metadata.dev(), metadata.ino());
            // A lock belongs to the open file: this process would block itself.
            if !seen.contains(&name) {
                flock(&folder, FlockOperation::NonBlockingLockExclusive).map_err(|e| refusal(path, e))?;
                seen.push(name);
                folders.push(folder);
            }
        }
        Ok(FolderLock { _folders: folders })
    }
}

fn refusal(path: &Path, error: Errno) -> StorageError {
    match error {
        Errno::WOULDBLOCK => StorageError::rule(path, Act::Busy),
        other => StorageError::io(path, Act::Open, other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn act(files: &[&Path]) -> Option<Act> {
        FolderLock::of(files).err().map(|error| error.act)
    }

    #[test]
    fn a_folder_is_locked_by_one_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let [one, two] = ["one", "two"].map(|name| dir.path().join(name));
        for folder in [&one, &two] {
            std::fs::create_dir(folder).unwrap();
        }
        let [a, b, c] = [one.join("a"), two.join("b"), one.join("c")];
        let lock = FolderLock::of(&[&a, &b, &c]).unwrap();
        assert_eq!([act(&[&c]), act(&[&b]), act(&[&dir.path().join("d"), &b])], [Some(Act::Busy); 3]);
        assert_eq!(act(&[&one]), None, "the folder above is another one");
        drop(lock);
        assert_eq!(act(&[&b, &a]), None);
    }

    #[test]
    fn what_is_in_no_folder_cannot_be_locked() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("file"), "").unwrap();
        for (nowhere, why) in [("none/file", Act::Open), ("file/file", Act::NotRegular)] {
            assert_eq!(act(&[&dir.path().join(nowhere)]), Some(why));
        }
        assert_eq!(act(&[Path::new("in-the-working-folder")]), None);
        assert_eq!(refusal(Path::new("/f"), Errno::NOLCK).act, Act::Open);
    }
}
