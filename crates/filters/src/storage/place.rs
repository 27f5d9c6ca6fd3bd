//! The place of a file that is written under a name that somebody gave.
//!
//! What is written belongs to whoever runs the program, and the folders on the way may belong to others. The
//! walk goes from `/` one component at a time and keeps the last folder open: a file is made, renamed and
//! removed in it, wherever the folder's own name leads meanwhile. The last name is never resolved. A symbolic
//! link on the way is followed only where nobody else can have put it: in a folder that root, or this user,
//! alone can write, below folders that nobody else can exchange.

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    os::{
        fd::{AsFd, OwnedFd},
        unix::ffi::OsStringExt,
    },
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use rustix::{
    fs::{
        AtFlags, FileType, Mode, OFlags, Stat, fstat, linkat, mkdirat, openat, readlinkat, renameat, statat,
        unlinkat,
    },
    io::Errno,
    process::geteuid,
};

use super::{
    Act, StorageError,
    descriptors::{above_standard, open_above},
    trusted,
};

/// The most symbolic links on one way, as for the kernel.
const MOST_LINKS: u32 = 40;

/// A name in an open folder.
#[derive(Clone, Debug)]
pub struct Place {
    folder: Arc<OwnedFd>,
    name: OsString,
    path: PathBuf,
}

impl Place {
    /// Walks to the folder of a file, which need not be there.
    ///
    /// # Errors
    /// [`Act::Open`] naming the first folder that is missing or cannot be opened; [`Act::NotRegular`] for one
    /// that is not a folder or a link that others can have put there, and for a path without a last name.
    pub fn of(path: &Path) -> Result<Place, StorageError> {
        let name = path.file_name().ok_or_else(|| StorageError::rule(path, Act::NotRegular))?;
        let way = Way::to(path.parent().unwrap_or(Path::new("")), None)?;
        Ok(Place { folder: Arc::new(way.folder), name: name.to_owned(), path: way.at.join(name) })
    }

    /// The path, with the links on the way resolved and the last name as it was given.
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

    /// What lies there, a link not followed; none if there is nothing.
    ///
    /// # Errors
    /// Any other than a missing file.
    pub(super) fn look(&self) -> Result<Option<Stat>, Errno> {
        match statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// True where anything lies under this name, be it a link to nothing.
    pub fn is_taken(&self) -> bool {
        self.look().is_ok_and(|found| found.is_some())
    }

    /// Makes a new file for its owner alone, open for reading and writing.
    ///
    /// # Errors
    /// Anything is there already; the folder cannot be written.
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

    /// Opens what lies there, without following a link or waiting for a pipe.
    pub(super) fn open(&self, access: OFlags) -> Result<File, Errno> {
        let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        open_above(&self.folder, &self.name, flags).map(File::from)
    }

    /// Opens a regular file for reading. A link is not followed, and a pipe is not waited for.
    ///
    /// # Errors
    /// [`Act::Open`]; [`Act::NotRegular`].
    pub fn open_regular(&self) -> Result<File, StorageError> {
        let file = self.open(OFlags::RDONLY).map_err(|e| trusted::refusal(&self.path, e))?;
        let stat = fstat(&file).map_err(|e| self.failed(Act::Read, e))?;
        if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile {
            Ok(file)
        } else {
            Err(StorageError::rule(&self.path, Act::NotRegular))
        }
    }

    /// Makes a folder of this name, unless something is there.
    ///
    /// # Errors
    /// [`Act::Create`].
    pub fn make_folder(&self, mode: u32) -> Result<(), StorageError> {
        match mkdirat(&self.folder, &self.name, Mode::from_raw_mode(mode)) {
            Ok(()) | Err(Errno::EXIST) => Ok(()),
            Err(error) => Err(self.failed(Act::Create, error)),
        }
    }

    /// Gives the file another name in its folder, in place of what lies there.
    ///
    /// # Errors
    /// [`Act::Rename`], with the other path.
    pub fn rename(&self, to: &Place) -> Result<(), StorageError> {
        renameat(&self.folder, &self.name, &to.folder, &to.name).map_err(|e| to.failed(Act::Rename, e))
    }

    /// Gives the file a second name in its folder.
    ///
    /// # Errors
    /// [`Act::Create`], with the other path.
    pub fn link(&self, to: &Place) -> Result<(), StorageError> {
        let linked = linkat(&self.folder, &self.name, &to.folder, &to.name, AtFlags::empty());
        linked.map_err(|e| to.failed(Act::Create, e))
    }

    /// Removes the name, if it is there.
    ///
    /// # Errors
    /// [`Act::Write`].
    pub fn remove(&self) -> Result<(), StorageError> {
        match unlinkat(&self.folder, &self.name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(self.failed(Act::Write, error)),
        }
    }

    /// Syncs the folder: a name that was given or taken is then on the disk.
    ///
    /// # Errors
    /// [`Act::Sync`], with the folder's path.
    pub fn sync_folder(&self) -> Result<(), StorageError> {
        let folder = self.path.parent().unwrap_or(&self.path);
        let opened = open_above(&self.folder, ".", OFlags::RDONLY | OFlags::DIRECTORY).map(File::from);
        let synced = opened.map_err(std::io::Error::from).and_then(|opened| opened.sync_all());
        synced.map_err(|e| StorageError::io(folder, Act::Sync, e))
    }

    fn failed(&self, act: Act, error: Errno) -> StorageError {
        StorageError::io(&self.path, act, error)
    }
}

/// Makes a folder and those above it that are missing, by the same walk, with these permissions; returns its
/// path with the links resolved. One that is there stays as it is.
///
/// # Errors
/// As [`Place::of`]; [`Act::Create`].
pub fn make_folders(path: &Path, mode: u32) -> Result<PathBuf, StorageError> {
    Way::to(path, Some(Mode::from_raw_mode(mode))).map(|way| way.at)
}

/// A walk as far as it has come.
struct Way {
    folder: OwnedFd,
    at: PathBuf,
    /// Nobody but root and this user can exchange a folder on the way so far.
    is_safe: bool,
    /// Nor put anything into this one.
    is_closed: bool,
}

impl Way {
    fn root() -> Result<Way, StorageError> {
        let (folder, at) = (trusted::open_root()?, PathBuf::from("/"));
        let mut way = Way { folder, at, is_safe: true, is_closed: true };
        way.judge()?;
        Ok(way)
    }

    /// Walks to this folder; a missing one is made where a mode is given.
    fn to(path: &Path, make: Option<Mode>) -> Result<Way, StorageError> {
        let absolute =
            if path.as_os_str().is_empty() { std::env::current_dir() } else { std::path::absolute(path) };
        let absolute = absolute.map_err(|e| StorageError::io(path, Act::Open, e))?;
        let (mut way, mut rest, mut links) = (Way::root()?, reversed(&absolute), 0_u32);
        while let Some(name) = rest.pop() {
            match way.step(&name, make)? {
                None => {}
                Some(target) if links < MOST_LINKS => {
                    links = links.saturating_add(1);
                    if target.is_absolute() {
                        way = Way::root()?;
                    }
                    rest.extend(reversed(&target));
                }
                Some(_) => return Err(StorageError::io(&way.at.join(&name), Act::Open, Errno::LOOP)),
            }
        }
        Ok(way)
    }

    /// Goes into a folder; or returns where the link of this name points to.
    fn step(&mut self, name: &OsStr, make: Option<Mode>) -> Result<Option<PathBuf>, StorageError> {
        let at = self.at.join(name);
        let next = match enter(&self.folder, name) {
            Err(Errno::NOENT) if make.is_some() => self.made(name, &at, make),
            Err(Errno::LOOP | Errno::NOTDIR) => return self.link(name, &at).map(Some),
            other => other.map_err(|e| StorageError::io(&at, Act::Open, e)),
        }?;
        self.folder = next;
        if name == ".." {
            self.at.pop();
        } else {
            self.at = at;
        }
        self.judge().map(|()| None)
    }

    fn made(&self, name: &OsStr, at: &Path, make: Option<Mode>) -> Result<OwnedFd, StorageError> {
        let failed = |e| StorageError::io(at, Act::Create, e);
        let mode = make.unwrap_or(Mode::RWXU);
        match mkdirat(&self.folder, name, mode) {
            Ok(()) | Err(Errno::EXIST) => enter(&self.folder, name).map_err(|e| trusted::refusal(at, e)),
            Err(error) => Err(failed(error)),
        }
    }

    fn link(&self, name: &OsStr, at: &Path) -> Result<PathBuf, StorageError> {
        let refused = || StorageError::rule(at, Act::NotRegular);
        if !(self.is_safe && self.is_closed) {
            return Err(refused());
        }
        let target = readlinkat(&self.folder, name, Vec::new()).map_err(|_| refused())?;
        Ok(PathBuf::from(OsString::from_vec(target.into_bytes())))
    }

    /// Looks who can change the folder that the walk has come to.
    fn judge(&mut self) -> Result<(), StorageError> {
        let stat = fstat(&self.folder).map_err(|e| StorageError::io(&self.at, Act::Read, e))?;
        let own = geteuid().as_raw();
        self.is_safe &= trusted::keeps_entries(&stat, own);
        self.is_closed = trusted::is_closed(&stat, own);
        Ok(())
    }
}

fn enter(folder: impl AsFd, name: &OsStr) -> Result<OwnedFd, Errno> {
    open_above(folder, name, OFlags::PATH | OFlags::NOFOLLOW | OFlags::DIRECTORY)
}

/// The names of a path, the last one first, so that the next is popped.
fn reversed(path: &Path) -> Vec<OsString> {
    let names = path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some(OsString::from("..")),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    });
    let mut names: Vec<OsString> = names.collect();
    names.reverse();
    names
}
