//! Atomic replacement: readers see either the complete old file or the complete new one, at any time.
//!
//! The bytes are written to `.NAME.new` next to the target, synced and renamed over the target, and the
//! folder is synced. All of this happens in the folder that [`Place`] walked to. The temporary file is
//! created for this user only, and gets its permissions when it is complete. It is locked while it is
//! written: a second writer is refused, and the next writer removes a file that a killed one left behind.

mod temporary;
mod unfinished;

use std::{
    io::{self, Read, Seek, Write},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use rustix::fs::{FileType, fstat};

use super::{Access, Act, Occupant, Place, StorageError, TrustedFile};

use temporary::Temporary;
pub use unfinished::{Abandoned, abandon_replacements};

/// The bytes copied at once.
const BLOCK_BYTES: u64 = 1 << 20;

/// The reason why a file was not copied.
#[derive(Debug)]
pub enum CopyError {
    /// It cannot be read.
    Read(io::Error),
    /// The new file cannot be written.
    Write(StorageError),
}

/// A file being written that will replace its target in one step, or vanish when dropped.
#[derive(Debug)]
pub struct Replacement {
    target: PathBuf,
    place: Place,
    temporary: Temporary,
    access: Access,
    is_done: bool,
}

impl Replacement {
    /// Starts replacing `target` by a file with this `access`, once it is complete.
    ///
    /// # Errors
    /// [`Act::Create`] if the folder is missing or cannot be written, [`Act::Busy`] if another process is
    /// replacing the same file, [`Act::NotRegular`] if the target exists and is not a regular file, or a link
    /// that others can have created is on the path, [`Act::Occupied`] if another user's file, a link or
    /// something that is not a file has the name of the temporary file, [`Act::Give`] if this process may not
    /// assign the file to its group.
    pub fn create(target: &Path, access: Access) -> Result<Replacement, StorageError> {
        let place = Place::of(target).map_err(|error| unreachable(target, error))?;
        refuse_irregular(&place, target)?;
        let temporary = Temporary::create(&place, target)?;
        let replacement = Replacement { target: target.to_owned(), place, temporary, access, is_done: false };
        access.give(&replacement.temporary.file).map_err(|e| replacement.error(Act::Give, e))?;
        Ok(replacement)
    }

    fn error(&self, act: Act, source: io::Error) -> StorageError {
        StorageError::io(&self.target, act, source)
    }

    /// Writes the next bytes.
    ///
    /// # Errors
    /// [`Act::Write`], with the target's name: a full disk, for instance. The target is unchanged.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), StorageError> {
        self.temporary.file.write_all(bytes).map_err(|e| StorageError::io(&self.target, Act::Write, e))
    }

    /// Writes the rest of a file from its current position.
    ///
    /// # Errors
    /// [`CopyError`], with the file that failed.
    pub fn copy(&mut self, mut from: impl Read) -> Result<(), CopyError> {
        let mut block = Vec::new();
        loop {
            block.clear();
            from.by_ref().take(BLOCK_BYTES).read_to_end(&mut block).map_err(CopyError::Read)?;
            if block.is_empty() {
                return Ok(());
            }
            self.write(&block).map_err(CopyError::Write)?;
        }
    }

    /// Overwrites the first bytes, which are known only after the rest; the bytes after them are unchanged.
    ///
    /// # Errors
    /// [`Act::Write`].
    pub fn write_start(&mut self, bytes: &[u8]) -> Result<(), StorageError> {
        self.temporary.file.write_all_at(bytes, 0).map_err(|e| self.error(Act::Write, e))
    }

    /// Starts again with an empty file.
    ///
    /// # Errors
    /// [`Act::Write`].
    pub fn restart(&mut self) -> Result<(), StorageError> {
        let file = &mut self.temporary.file;
        let emptied = file.rewind().and_then(|()| file.set_len(0));
        emptied.map_err(|e| StorageError::io(&self.target, Act::Write, e))
    }

    /// The new file as it is so far, to be read before it replaces its target.
    ///
    /// # Errors
    /// [`Act::Read`].
    pub(crate) fn written(&self) -> Result<TrustedFile, StorageError> {
        let unreadable = |e: io::Error| self.error(Act::Read, e);
        let file = self.temporary.file.try_clone().map_err(unreadable)?;
        let stat = fstat(&file).map_err(|e| unreadable(e.into()))?;
        Ok(TrustedFile::new(file.into(), &stat))
    }

    /// Refuses to replace anything but what had the name of the target when it was read.
    ///
    /// # Errors
    /// [`Act::Replaced`]; [`Act::Open`], if the name cannot be looked up.
    pub fn refuse_another(&self, seen: &Occupant) -> Result<(), StorageError> {
        if Occupant::at(&self.place, &self.target)? == *seen {
            Ok(())
        } else {
            Err(StorageError::rule(&self.target, Act::Replaced))
        }
    }

    /// Sets the permissions of the new file, syncs it, renames it over the target and syncs the folder.
    ///
    /// # Errors
    /// [`Act::Write`], [`Act::Sync`], [`Act::Rename`], or [`Act::Displaced`] if another process renamed or
    /// removed the temporary file; the target is unchanged unless only the last sync failed.
    pub fn commit(mut self) -> Result<(), StorageError> {
        self.complete()?;
        self.temporary.rename(&self.place, &self.target)?;
        self.is_done = true;
        self.place.sync_folder()
    }

    /// As [`Replacement::commit`], only where nothing has the name of the target: false if something has it
    /// by now, which stays.
    ///
    /// # Errors
    /// As [`Replacement::commit`].
    pub fn commit_new(mut self) -> Result<bool, StorageError> {
        self.complete()?;
        if !self.temporary.rename_new(&self.place, &self.target)? {
            return Ok(false);
        }
        self.is_done = true;
        self.place.sync_folder().map(|()| true)
    }

    /// Gives the new file its permissions, and syncs it.
    fn complete(&self) -> Result<(), StorageError> {
        self.access.allow(&self.temporary.file).map_err(|e| self.error(Act::Write, e))?;
        self.temporary.file.sync_all().map_err(|e| self.error(Act::Sync, e))
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if !self.is_done {
            self.temporary.remove();
        }
    }
}

/// Reports a folder that cannot be opened as one in which no file can be created.
fn unreachable(target: &Path, error: StorageError) -> StorageError {
    match error.source {
        Some(source) => StorageError::io(target, Act::Create, source),
        None => error,
    }
}

fn refuse_irregular(place: &Place, target: &Path) -> Result<(), StorageError> {
    match place.look() {
        Ok(Some(stat)) if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile => {
            Err(StorageError::rule(target, Act::NotRegular))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs::{self, File},
        os::unix::fs::MetadataExt,
    };

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
    fn the_start_is_written_again_and_all_of_it_after_a_restart() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("file");
        let mut new = Replacement::create(&target, Access::Private).unwrap();
        new.write(b"a longer first try").unwrap();
        new.restart().unwrap();
        new.write(b"____ and").unwrap();
        new.write_start(b"head").unwrap();
        new.write(b" tail").unwrap();
        new.commit().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"head and tail");
    }

    #[test]
    fn all_that_a_file_has_is_copied_behind_what_was_written() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("file");
        let length = usize::try_from(2 * BLOCK_BYTES + 1).unwrap();
        let content: Vec<u8> = (0_u8..=255).cycle().take(length).collect();
        let mut new = Replacement::create(&target, Access::Private).unwrap();
        new.write(b"head").unwrap();
        new.copy(content.as_slice()).unwrap();
        new.commit().unwrap();
        assert!(fs::read(&target).unwrap() == [b"head".as_slice(), &content].concat());
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
    fn what_was_created_meanwhile_stays_where_a_new_file_is_to_be() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("file");
        let new = |bytes: &[u8]| {
            let mut new = Replacement::create(&target, Access::Private).unwrap();
            new.write(bytes).unwrap();
            new
        };
        let (first, meanwhile) = (new(b"one"), || fs::write(&target, "meanwhile").unwrap());
        meanwhile();
        assert_eq!(first.commit_new().ok(), Some(false));
        assert_eq!(
            (fs::read(&target).unwrap(), fs::read_dir(dir.path()).unwrap().count()),
            (b"meanwhile".into(), 1)
        );
        fs::remove_file(&target).unwrap();
        assert_eq!(new(b"two").commit_new().ok(), Some(true));
        assert_eq!(
            (fs::read(&target).unwrap(), fs::read_dir(dir.path()).unwrap().count()),
            (b"two".into(), 1)
        );
    }

    #[test]
    fn only_what_was_read_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let [target, other] = ["file", "other"].map(|name| dir.path().join(name));
        fs::write(&target, "old").unwrap();
        let seen = Occupant::of(&target).unwrap();
        let new = Replacement::create(&target, Access::Private).unwrap();
        new.refuse_another(&seen).unwrap();
        fs::write(&other, "another").unwrap();
        fs::rename(&other, &target).unwrap();
        let refused = new.refuse_another(&seen).unwrap_err();
        assert_eq!((refused.act, refused.path), (Act::Replaced, target));
    }

    #[test]
    fn leaves_nothing_behind_when_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("file");
        drop(Replacement::create(&target, Access::Public).unwrap());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_second_writer_is_refused() {
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
    fn others_may_read_it_only_when_it_is_complete() {
        let dir = tempfile::tempdir().unwrap();
        let [target, temporary] = ["file", ".file.new"].map(|name| dir.path().join(name));
        let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
        let mut new = Replacement::create(&target, Access::Public).unwrap();
        assert_eq!(mode(&temporary), 0o600);
        new.write(b"half").unwrap();
        assert_eq!(mode(&temporary), 0o600);
        new.commit().unwrap();
        assert_eq!(mode(&target), 0o644);
    }

    #[test]
    fn a_temporary_file_that_was_renamed_meanwhile_replaces_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let [target, temporary, other] = ["file", ".file.new", "other"].map(|name| dir.path().join(name));
        fs::write(&target, "old").unwrap();
        let mut new = Replacement::create(&target, Access::Public).unwrap();
        new.write(b"new").unwrap();
        fs::rename(&temporary, &other).unwrap();
        fs::write(&temporary, "another's").unwrap();
        assert_eq!(new.commit().unwrap_err().act, Act::Displaced);
        assert_eq!(
            (fs::read(&target).unwrap(), fs::read(&temporary).unwrap()),
            (b"old".into(), b"another's".into())
        );
    }

    #[test]
    fn refuses_a_folder_and_a_missing_folder() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Replacement::create(dir.path(), Access::Public).unwrap_err().act, Act::NotRegular);
        let nowhere = dir.path().join("none").join("file");
        assert_eq!(Replacement::create(&nowhere, Access::Public).unwrap_err().act, Act::Create);
    }
}
