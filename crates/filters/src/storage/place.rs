//! The location of a file that is written under a name from the command line or the configuration.
//!
//! The file belongs to the user who runs the program, while folders on its path may belong to others. The
//! walk goes from `/` one component at a time and keeps the last folder open: a file is created, renamed and
//! removed in that folder, even if the path of the folder changes meanwhile. The last name is never resolved.
//! A symbolic link on the path is followed only if no other user can have created it ([`Way`]).

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    sync::Arc,
};

use rustix::{
    fs::{
        AtFlags, FileType, Mode, OFlags, RenameFlags, Stat, fchmod, fstat, linkat, mkdirat, openat, renameat,
        renameat_with, statat, symlinkat, unlinkat,
    },
    io::Errno,
    process::geteuid,
};

use super::{
    Act, StorageError,
    access::drop_acl,
    descriptors::{above_standard, open_above},
    trusted::open_root,
    way::{Way, enter, name_of, refusal},
};

/// A name in an open folder.
#[derive(Clone, Debug)]
pub struct Place {
    folder: Arc<OwnedFd>,
    name: OsString,
    path: PathBuf,
}

impl Place {
    /// Walks to the folder of a file, which need not exist.
    ///
    /// # Errors
    /// [`Act::Open`] naming the first folder that is missing or cannot be opened; [`Act::NotRegular`] for one
    /// that is not a folder, for a link that others can have created, and for a path without a last name.
    pub fn of(path: &Path) -> Result<Place, StorageError> {
        let name = path.file_name().ok_or_else(|| StorageError::rule(path, Act::NotRegular))?;
        let way = way_to(path.parent().unwrap_or(Path::new("")), None)?;
        Ok(Place { path: way.at.join(name), folder: way.end, name: name.to_owned() })
    }

    /// The path, with its links resolved and the last name as given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Another name in the same folder.
    #[must_use]
    pub fn beside(&self, name: &OsStr) -> Place {
        Place {
            folder: Arc::clone(&self.folder),
            name: name.to_owned(),
            path: self.path.with_file_name(name),
        }
    }

    /// The metadata of the entry, without following a link; none if there is no entry.
    ///
    /// # Errors
    /// Any error except a missing file.
    pub(super) fn look(&self) -> Result<Option<Stat>, Errno> {
        match statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// True if an entry has this name, even a dangling link.
    pub fn is_taken(&self) -> bool {
        self.look().is_ok_and(|found| found.is_some())
    }

    /// Creates a new file for its owner only, open for reading and writing.
    ///
    /// # Errors
    /// An entry exists already; the folder cannot be written.
    pub fn create_new(&self) -> Result<File, StorageError> {
        self.made().map_err(|e| self.failed(Act::Create, e))
    }

    /// [`Place::create_new`] with the system's error.
    pub(super) fn made(&self) -> Result<File, Errno> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(&self.folder, &self.name, flags, Mode::RUSR | Mode::WUSR)?;
        let above = above_standard(file).map_err(|e| Errno::from_io_error(&e).unwrap_or(Errno::MFILE))?;
        Ok(File::from(above))
    }

    /// Opens the entry, without following a link or waiting for a pipe.
    pub(super) fn open(&self, access: OFlags) -> Result<File, Errno> {
        let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        open_above(&self.folder, &self.name, flags).map(File::from)
    }

    /// Opens a regular file for reading. It does not follow a link or wait for a pipe.
    ///
    /// # Errors
    /// [`Act::Open`]; [`Act::NotRegular`].
    pub fn open_regular(&self) -> Result<File, StorageError> {
        let file = self.open(OFlags::RDONLY).map_err(|e| refusal(&self.path, e))?;
        let stat = fstat(&file).map_err(|e| self.failed(Act::Read, e))?;
        if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile {
            Ok(file)
        } else {
            Err(StorageError::rule(&self.path, Act::NotRegular))
        }
    }

    /// Creates a folder of this name with this mode, whatever the umask, unless an entry exists.
    ///
    /// # Errors
    /// [`Act::Create`].
    pub fn make_folder(&self, mode: u32) -> Result<(), StorageError> {
        let failed = |error| self.failed(Act::Create, error);
        match mkdirat(&self.folder, &self.name, Mode::RWXU) {
            Ok(()) => {}
            Err(Errno::EXIST) => return Ok(()),
            Err(error) => return Err(failed(error)),
        }
        let folder = self.open(OFlags::RDONLY | OFlags::DIRECTORY).map_err(failed)?;
        drop_acl(&folder).map_err(|e| StorageError::io(&self.path, Act::Create, e))?;
        fchmod(&folder, Mode::from_raw_mode(mode)).map_err(failed)
    }

    /// Renames the file in its folder, replacing an entry of that name.
    ///
    /// # Errors
    /// [`Act::Rename`], with the other path.
    pub fn rename(&self, to: &Place) -> Result<(), StorageError> {
        renameat(&self.folder, &self.name, &to.folder, &to.name).map_err(|e| to.failed(Act::Rename, e))
    }

    /// Renames the file in its folder, unless an entry has the other name: then it returns false. Where the
    /// file system cannot tell in one step, an entry that is created in between is replaced: writers that
    /// lock the name exclude each other.
    ///
    /// # Errors
    /// [`Act::Rename`], with the other path.
    pub(super) fn rename_new(&self, to: &Place) -> Result<bool, StorageError> {
        match renameat_with(&self.folder, &self.name, &to.folder, &to.name, RenameFlags::NOREPLACE) {
            Ok(()) => Ok(true),
            Err(Errno::EXIST) => Ok(false),
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) if to.is_taken() => Ok(false),
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => self.rename(to).map(|()| true),
            Err(error) => Err(to.failed(Act::Rename, error)),
        }
    }

    /// Exchanges two files in one step: at each moment both names have one of them. False where the file
    /// system cannot; nothing has changed then.
    ///
    /// # Errors
    /// [`Act::Rename`], with the other path.
    pub fn exchange(&self, with: &Place) -> Result<bool, StorageError> {
        let exchanged =
            renameat_with(&self.folder, &self.name, &with.folder, &with.name, RenameFlags::EXCHANGE);
        match exchanged {
            Ok(()) => Ok(true),
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => Ok(false),
            Err(error) => Err(with.failed(Act::Rename, error)),
        }
    }

    /// Gives the file a second name in its folder.
    ///
    /// # Errors
    /// [`Act::Create`], with the other path.
    pub fn link(&self, to: &Place) -> Result<(), StorageError> {
        let linked = linkat(&self.folder, &self.name, &to.folder, &to.name, AtFlags::empty());
        linked.map_err(|e| to.failed(Act::Create, e))
    }

    /// Creates a symbolic link of this name, unless an entry exists.
    ///
    /// # Errors
    /// [`Act::Create`].
    pub fn link_to(&self, target: &Path) -> Result<(), StorageError> {
        match symlinkat(target, &self.folder, &self.name) {
            Ok(()) | Err(Errno::EXIST) => Ok(()),
            Err(error) => Err(self.failed(Act::Create, error)),
        }
    }

    /// Removes the entry, if it exists.
    ///
    /// # Errors
    /// [`Act::Write`].
    pub fn remove(&self) -> Result<(), StorageError> {
        match unlinkat(&self.folder, &self.name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(self.failed(Act::Write, error)),
        }
    }

    /// Removes the folder of this name, if it is there and empty.
    pub fn remove_empty_folder(&self) {
        let _ = unlinkat(&self.folder, &self.name, AtFlags::REMOVEDIR);
    }

    /// Syncs the folder: created and removed names are then on the disk.
    ///
    /// # Errors
    /// [`Act::Sync`], with the folder's path.
    pub fn sync_folder(&self) -> Result<(), StorageError> {
        let folder = self.folder().map_err(|e| self.unsynced(e.into()))?;
        self.sync(&folder)
    }

    /// The same with the folder that is open already.
    pub(super) fn sync(&self, folder: &File) -> Result<(), StorageError> {
        folder.sync_all().map_err(|e| self.unsynced(e))
    }

    fn unsynced(&self, error: std::io::Error) -> StorageError {
        StorageError::io(self.path.parent().unwrap_or(&self.path), Act::Sync, error)
    }

    /// Opens the folder for reading, to lock or to sync it.
    pub(super) fn open_folder(&self) -> Result<File, StorageError> {
        self.folder().map_err(|e| self.failed(Act::Open, e))
    }

    fn folder(&self) -> Result<File, Errno> {
        open_above(&self.folder, ".", OFlags::RDONLY | OFlags::DIRECTORY).map(File::from)
    }

    fn failed(&self, act: Act, error: Errno) -> StorageError {
        StorageError::io(&self.path, act, error)
    }
}

/// Creates a folder and its missing parents, by the same walk, with these permissions; returns its path with
/// the links resolved. An existing folder is unchanged.
///
/// # Errors
/// As [`Place::of`]; [`Act::Create`].
pub fn make_folders(path: &Path, mode: u32) -> Result<PathBuf, StorageError> {
    way_to(path, Some(Mode::from_raw_mode(mode))).map(|way| way.at)
}

/// Walks to this folder, whoever owns it; missing ones are created if a mode is given.
fn way_to(path: &Path, make: Option<Mode>) -> Result<Way, StorageError> {
    let absolute =
        if path.as_os_str().is_empty() { std::env::current_dir() } else { std::path::absolute(path) };
    let absolute = absolute.map_err(|e| StorageError::io(path, Act::Open, e))?;
    Way::to(&absolute, Arc::new(open_root()?), geteuid().as_raw(), true, &|folder, at, _| {
        let entered = match (enter(folder, at), make) {
            (Err(error), Some(mode)) if error.is_missing() => made(folder, at, mode),
            (entered, _) => entered,
        };
        entered.map(Arc::new)
    })
}

fn made(folder: &OwnedFd, at: &Path, mode: Mode) -> Result<OwnedFd, StorageError> {
    match mkdirat(folder, name_of(at), mode) {
        Ok(()) | Err(Errno::EXIST) => enter(folder, at),
        Err(error) => Err(StorageError::io(at, Act::Create, error)),
    }
}
