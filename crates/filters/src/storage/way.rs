//! The steps of every walk: from `/` one name at a time, each opened in the folder before it, so that no path
//! is resolved twice. The folders on the way stay open: `..` returns to the one before.
//!
//! A symbolic link is as good as the name that it takes the place of if only root (and this process's own
//! user) can have made it: it belongs to one of them, and others can write neither to its folder nor exchange
//! a folder above. The names that it contains are then steps like all others.

use std::{
    ffi::{OsStr, OsString},
    os::{fd::OwnedFd, unix::ffi::OsStrExt},
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use rustix::{
    fs::{FileType, OFlags, Stat, fstat, readlinkat_raw},
    io::Errno,
};

use super::{Act, StorageError, descriptors::open_above};

const STICKY: u32 = 0o1000;
pub(super) const OTHERS_MAY_WRITE: u32 = 0o022;

/// The highest number of symbolic links on one way.
const MOST_LINKS: u32 = 8;

/// A target of a link is shorter (`PATH_MAX`).
const TARGET_BYTES: usize = 4096;

/// Opens the entry of this path in the folder before it; true if it is the last one. [`Act::NotRegular`] if
/// it may be a link.
pub(super) type Open<'a> = &'a dyn Fn(&OwnedFd, &Path, bool) -> Result<Arc<OwnedFd>, StorageError>;

/// A walk that has ended, or not yet.
pub(super) struct Way {
    /// The path so far, without links.
    pub(super) at: PathBuf,
    /// What was opened for each name of that path, with the root before them.
    opened: Vec<Arc<OwnedFd>>,
    /// The names ahead, the last one first.
    ahead: Vec<OsString>,
    links: u32,
    /// The last link that was followed.
    link: PathBuf,
    /// As long as so many names are ahead, the present one is from a link.
    until: usize,
    own: u32,
}

impl Way {
    /// Walks to the end of an absolute path, which may contain `..`.
    pub(super) fn to(path: &Path, root: Arc<OwnedFd>, own: u32, open: Open<'_>) -> Result<Way, StorageError> {
        if !path.is_absolute() {
            return Err(StorageError::rule(path, Act::NotAbsolute));
        }
        let mut way = Way {
            at: PathBuf::from("/"),
            opened: vec![root],
            ahead: reversed(path),
            links: 0,
            link: PathBuf::new(),
            until: usize::MAX,
            own,
        };
        while let Some(name) = way.ahead.pop() {
            if name == ".." {
                // The parent of the root is the root.
                way.at.pop();
                way.opened.truncate(way.opened.len().saturating_sub(1).max(1));
            } else {
                way.step(&name, open)?;
            }
        }
        Ok(way)
    }

    /// What the walk led to.
    pub(super) fn end(mut self) -> Result<Arc<OwnedFd>, StorageError> {
        self.opened.pop().ok_or_else(|| StorageError::rule(&self.at, Act::NotRegular))
    }

    fn step(&mut self, name: &OsStr, open: Open<'_>) -> Result<(), StorageError> {
        let at = self.at.join(name);
        let Some(folder) = self.opened.last() else { return Ok(()) };
        match open(folder, &at, self.ahead.is_empty()) {
            Ok(next) => {
                self.opened.push(next);
                self.at = at;
                Ok(())
            }
            Err(error) if error.act == Act::NotRegular => match self.link(name) {
                Some((stat, target)) => self.follow(at, &stat, Path::new(OsStr::from_bytes(&target))),
                None => Err(error),
            },
            Err(error) if error.is_missing() && self.ahead.len() >= self.until => {
                Err(StorageError::rule(&self.link, Act::DanglingLink))
            }
            Err(error) => Err(error),
        }
    }

    /// The link of this name and its target; none if it is something else.
    fn link(&self, name: &OsStr) -> Option<(Stat, Vec<u8>)> {
        let link = open_above(self.opened.last()?, name, OFlags::PATH | OFlags::NOFOLLOW).ok()?;
        let stat = fstat(&link).ok()?;
        let mut target = vec![0; TARGET_BYTES];
        // Only a link can be read by an empty name (readlinkat(2)).
        let length = readlinkat_raw(&link, "", target.as_mut_slice()).ok()?;
        target.truncate(length);
        Some((stat, target))
    }

    fn follow(&mut self, at: PathBuf, link: &Stat, target: &Path) -> Result<(), StorageError> {
        let refused = if !is_trusted_owner(link.st_uid, self.own) {
            Act::ForeignLink
        } else if !self.is_ours() {
            Act::OpenLink
        } else if self.links == MOST_LINKS {
            Act::TooManyLinks
        } else {
            self.links = self.links.saturating_add(1);
            self.until = self.until.min(self.ahead.len());
            self.ahead.extend(reversed(target));
            if target.is_absolute() {
                self.opened.truncate(1);
                self.at = PathBuf::from("/");
            }
            self.link = at;
            return Ok(());
        };
        Err(StorageError::rule(&at, refused))
    }

    /// True if only trusted users can create entries in the present folder, and exchange it.
    fn is_ours(&self) -> bool {
        let is_kept = |folder: &Arc<OwnedFd>, may_be_sticky| {
            fstat(folder).is_ok_and(|stat| keeps_entries(&stat, self.own, may_be_sticky))
        };
        self.opened.iter().all(|folder| is_kept(folder, true))
            && self.opened.last().is_some_and(|folder| is_kept(folder, false))
    }
}

/// The reason why a file or folder could not be opened. A symbolic link shows as ELOOP or ENOTDIR, depending
/// on the flags it was opened with.
pub(super) fn refusal(path: &Path, error: Errno) -> StorageError {
    match error {
        Errno::LOOP | Errno::NOTDIR => StorageError::rule(path, Act::NotRegular),
        other => StorageError::io(path, Act::Open, other),
    }
}

/// Opens the folder of this path in the folder before it, as a place only.
pub(super) fn enter(folder: &OwnedFd, at: &Path) -> Result<OwnedFd, StorageError> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::DIRECTORY;
    open_above(folder, name_of(at), flags).map_err(|e| refusal(at, e))
}

/// The last name of a path.
pub(super) fn name_of(path: &Path) -> &OsStr {
    path.file_name().unwrap_or_default()
}

/// True for a folder in which other users cannot rename or remove the entries of trusted users; a folder that
/// may not be sticky is one in which they cannot create entries, either.
fn keeps_entries(folder: &Stat, own: u32, may_be_sticky: bool) -> bool {
    let is_closed = folder.st_mode & OTHERS_MAY_WRITE == 0;
    is_trusted_owner(folder.st_uid, own) && (is_closed || may_be_sticky && is_sticky_folder(folder))
}

pub(super) fn is_sticky_folder(stat: &Stat) -> bool {
    stat.st_mode & STICKY != 0 && FileType::from_raw_mode(stat.st_mode) == FileType::Directory
}

pub(super) fn is_trusted_owner(owner: u32, own: u32) -> bool {
    owner == 0 || owner == own
}

/// The names of a path, the last one first, so that the next is popped.
fn reversed(path: &Path) -> Vec<OsString> {
    let names = path.components().rev().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some(OsString::from("..")),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    });
    names.collect()
}
