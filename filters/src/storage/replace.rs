//! Atomic replacement: readers see the old file or the new one, whole, whatever happens in between.
//!
//! The bytes go to `.NAME.new` beside the target, are synced, renamed over the target, and the folder is synced.
//! The temporary file has one fixed name and is locked while it is written: a second writer is told so, and what a
//! killed writer left behind is taken over by the next one instead of piling up. It is private until it is complete:
//! nobody holds open what a killed writer left and another one fills with something else.

use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::Write,
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{FlockOperation, OFlags, flock},
    io::Errno,
};

use super::{Access, Act, StorageError};

/// A file being written that will replace its target in one step, or vanish when dropped.
#[derive(Debug)]
pub struct Replacement {
    target: PathBuf,
    temporary: PathBuf,
    file: File,
    access: Access,
    is_done: bool,
}

impl Replacement {
    /// Starts replacing `target` by a file that is readable as `access` says.
    ///
    /// # Errors
    /// [`Act::Create`] when the folder is missing or cannot be written, [`Act::Busy`] when another process is
    /// replacing the same file, [`Act::NotRegular`] when the target exists and is no regular file, [`Act::Give`] when
    /// this process has no right to give the file to its group.
    pub fn create(target: &Path, access: Access) -> Result<Replacement, StorageError> {
        refuse_irregular(target)?;
        let temporary = temporary_name(target)?;
        let file = open_locked(&temporary, target)?;
        let target = target.to_owned();
        let replacement = Replacement { target, temporary, file, access, is_done: false };
        replacement.start()?;
        Ok(replacement)
    }

    fn start(&self) -> Result<(), StorageError> {
        Access::Private.allow(&self.file).map_err(|e| self.error(Act::Create, e))?;
        self.file.set_len(0).map_err(|e| self.error(Act::Create, e))?;
        self.access.give(&self.file).map_err(|e| self.error(Act::Give, e))
    }

    fn error(&self, act: Act, source: std::io::Error) -> StorageError {
        StorageError::io(&self.target, act, source)
    }

    /// Writes the next bytes.
    ///
    /// # Errors
    /// [`Act::Write`], with the target's name: a full disk, say. The target is as it was.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), StorageError> {
        self.file.write_all(bytes).map_err(|e| StorageError::io(&self.target, Act::Write, e))
    }

    /// Lets those read the new file who may, syncs it, renames it over the target and syncs the folder.
    ///
    /// # Errors
    /// [`Act::Write`], [`Act::Sync`] or [`Act::Rename`]; the target is untouched unless only the last sync failed.
    pub fn commit(mut self) -> Result<(), StorageError> {
        self.access.allow(&self.file).map_err(|e| self.error(Act::Write, e))?;
        self.file.sync_all().map_err(|e| self.error(Act::Sync, e))?;
        fs::rename(&self.temporary, &self.target).map_err(|e| self.error(Act::Rename, e))?;
        self.is_done = true;
        sync_folder(&self.target)
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if !self.is_done {
            // Nothing can be done about a failure here, and the next writer takes the file over.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

fn refuse_irregular(target: &Path) -> Result<(), StorageError> {
    match fs::symlink_metadata(target) {
        Ok(metadata) if !metadata.is_file() => Err(StorageError::rule(target, Act::NotRegular)),
        _ => Ok(()),
    }
}

fn temporary_name(target: &Path) -> Result<PathBuf, StorageError> {
    let name = target.file_name().ok_or_else(|| StorageError::rule(target, Act::NotRegular))?;
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(".new");
    Ok(target.with_file_name(hidden))
}

/// Opens the temporary file and locks it. Between the two another writer may have renamed it away: then the locked
/// inode is no longer the named one, and the name is tried again.
fn open_locked(temporary: &Path, target: &Path) -> Result<File, StorageError> {
    for _ in 0..16 {
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed())
            .open(temporary)
            .map_err(|e| StorageError::io(target, Act::Create, e))?;
        flock(&file, FlockOperation::NonBlockingLockExclusive).map_err(|e| unlocked(target, e))?;
        if is_same_file(&file, temporary) {
            return Ok(file);
        }
    }
    Err(StorageError::rule(target, Act::Busy))
}

/// Another writer holds the lock, or the system gives none; then the file stays, since it may be another's.
fn unlocked(target: &Path, error: Errno) -> StorageError {
    match error {
        Errno::WOULDBLOCK => StorageError::rule(target, Act::Busy),
        other => StorageError::io(target, Act::Create, other),
    }
}

fn is_same_file(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(opened), Ok(named)) => opened.ino() == named.ino() && opened.dev() == named.dev(),
        _ => false,
    }
}

fn sync_folder(target: &Path) -> Result<(), StorageError> {
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let opened = File::open(folder).map_err(|e| StorageError::io(folder, Act::Sync, e))?;
    opened.sync_all().map_err(|e| StorageError::io(folder, Act::Sync, e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_only_at_commit() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("file");
        fs::write(&target, "old").unwrap();
        let mut new = Replacement::create(&target, Access::Public).unwrap();
        new.write(b"new").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"old");
        new.commit().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"new");
        assert_eq!(fs::metadata(&target).unwrap().mode() & 0o777, 0o644);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn nobody_else_reads_the_new_file_before_it_is_complete() {
        let dir = tempfile::tempdir().unwrap();
        let [target, temporary] = ["file", ".file.new"].map(|name| dir.path().join(name));
        fs::write(&temporary, "left by a killed writer").unwrap();
        Access::Public.allow(&File::open(&temporary).unwrap()).unwrap();
        let group = fs::metadata(&temporary).unwrap().gid();
        for (access, mode) in [(Access::Public, 0o644), (Access::Group(group), 0o640)] {
            let mut new = Replacement::create(&target, access).unwrap();
            new.write(b"new").unwrap();
            assert_eq!(fs::metadata(&temporary).unwrap().mode() & 0o7777, 0o600);
            new.commit().unwrap();
            let metadata = fs::metadata(&target).unwrap();
            assert_eq!((metadata.mode() & 0o7777, metadata.gid()), (mode, group));
        }
    }

    #[test]
    fn leaves_nothing_behind_when_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("file");
        drop(Replacement::create(&target, Access::Public).unwrap());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_second_writer_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("file");
        let _first = Replacement::create(&target, Access::Public).unwrap();
        assert_eq!(Replacement::create(&target, Access::Public).unwrap_err().act, Act::Busy);
    }

    #[test]
    fn takes_over_what_a_killed_writer_left() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("file");
        fs::write(dir.path().join(".file.new"), "a long half-written rest").unwrap();
        let mut new = Replacement::create(&target, Access::Private).unwrap();
        new.write(b"new").unwrap();
        new.commit().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"new");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_link_in_the_place_of_the_temporary_file_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let [target, other, temporary] = ["file", "other", ".file.new"].map(|name| dir.path().join(name));
        fs::write(&other, "not to be touched").unwrap();
        std::os::unix::fs::symlink(&other, &temporary).unwrap();
        assert_eq!(Replacement::create(&target, Access::Public).unwrap_err().act, Act::Create);
        assert_eq!(fs::read(&other).unwrap(), b"not to be touched");
    }

    #[test]
    fn a_file_is_the_same_only_under_its_own_name() {
        let dir = tempfile::tempdir().unwrap();
        let [one, other] = ["one", "other"].map(|name| dir.path().join(name));
        fs::write(&one, "").unwrap();
        fs::write(&other, "").unwrap();
        let file = File::open(&one).unwrap();
        assert!(is_same_file(&file, &one) && !is_same_file(&file, &other));
        assert!(!is_same_file(&file, &dir.path().join("none")));
        assert!(!is_same_file(&file, Path::new("/proc/self/status")));
    }

    #[test]
    fn the_folder_that_is_synced_is_the_targets() {
        assert!(sync_folder(Path::new("Cargo.toml")).is_ok(), "a bare name is in the working folder");
        assert_eq!(sync_folder(Path::new("/nonexistent/file")).unwrap_err().act, Act::Sync);
    }

    #[test]
    fn refuses_a_folder_and_a_missing_folder() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Replacement::create(dir.path(), Access::Public).unwrap_err().act, Act::NotRegular);
        let nowhere = dir.path().join("none").join("file");
        assert_eq!(Replacement::create(&nowhere, Access::Public).unwrap_err().act, Act::Create);
    }
}
