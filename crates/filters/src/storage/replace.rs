//! Atomic replacement: readers see either the complete old file or the complete new one, at any time.
//!
//! The bytes are written to `.NAME.new` next to the target, synced and renamed over the target, and the
//! folder is synced. All of this happens in the folder that [`Place`] walked to. The temporary file is
//! created for this user only, and gets its permissions when it is complete. It is locked while it is
//! written: a second writer is refused, and the next writer removes a file that a killed one left behind.

mod temporary;
mod unfinished;

use std::{
    fs::File,
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
    /// As [`Replacement::complete`] and [`CompleteFile::commit`].
    pub fn commit(self) -> Result<(), StorageError> {
        self.complete()?.commit()
    }

    /// As [`Replacement::commit`], only where nothing has the name of the target: false if something has it
    /// by now, which stays.
    ///
    /// # Errors
    /// As [`Replacement::commit`].
    pub fn commit_new(self) -> Result<bool, StorageError> {
        let CompleteFile { mut file, folder } = self.complete()?;
        if !file.temporary.rename_new(&file.place, &file.target)? {
            return Ok(false);
        }
        file.is_done = true;
        file.place.sync(&folder).map(|()| true)
    }

    /// Gives the new file its permissions, syncs it, and opens the folder that is synced after the rename: a
    /// full disk and a limit of open files are noticed here, while nothing has changed.
    ///
    /// # Errors
    /// [`Act::Write`], [`Act::Sync`], [`Act::Create`]; the target is unchanged.
    pub fn complete(self) -> Result<CompleteFile, StorageError> {
        self.access.allow(&self.temporary.file).map_err(|e| self.error(Act::Write, e))?;
        self.temporary.file.sync_all().map_err(|e| self.error(Act::Sync, e))?;
        let folder = self.place.open_folder().map_err(|error| unreachable(&self.target, error))?;
        Ok(CompleteFile { file: self, folder })
    }
}

/// A file that is written and synced, and does not have its name yet; it vanishes when dropped.
#[derive(Debug)]
pub struct CompleteFile {
    file: Replacement,
    folder: File,
}

impl CompleteFile {
    /// Renames the file over the target and syncs the folder.
    ///
    /// # Errors
    /// [`Act::Rename`], or [`Act::Displaced`] if another process renamed or removed the temporary file: the
    /// target is unchanged. [`Act::Sync`]: it is replaced, and only the last sync failed.
    pub fn commit(self) -> Result<(), StorageError> {
        let CompleteFile { mut file, folder } = self;
        file.temporary.rename(&file.place, &file.target)?;
        file.is_done = true;
        file.place.sync(&folder)
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
mod tests;
