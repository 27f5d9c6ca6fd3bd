//! The steps of every walk: from `/` one name at a time, each opened in the folder before it, so that no path
//! is resolved twice. The folders on the way stay open: `..` returns to the one before.
//!
//! A symbolic link is as good as the name that it takes the place of if only root (and this process's own
//! user) can have made it: it belongs to one of them, and others can write neither to its folder nor exchange
//! a folder above. The names that it contains are then steps like all others.

use std::{
    ffi::OsStr,
    mem,
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
    /// What was opened last, at that path.
    pub(super) end: Arc<OwnedFd>,
    /// The folders above it, the root first.
    above: Vec<Arc<OwnedFd>>,
    /// The names ahead.
    ahead: PathBuf,
    links: u32,
    /// The last link that was followed.
    link: PathBuf,
    /// As long as so many bytes are ahead, the present name is from a link.
    until: usize,
    own: u32,
    /// True if the last name may be a link.
    ends_in_link: bool,
    /// True if the last name must be a folder's.
    ends_in_folder: bool,
}

impl Way {
    /// Walks to the end of an absolute path, which may contain `..`. A link as the last name is followed if
    /// `ends_in_link`.
    pub(super) fn to(
        path: &Path,
        root: Arc<OwnedFd>,
        own: u32,
        ends_in_link: bool,
        open: Open<'_>,
    ) -> Result<Way, StorageError> {
        if !path.has_root() {
            return Err(StorageError::rule(path, Act::NotAbsolute));
        }
        let mut way = Way {
            at: PathBuf::new(),
            end: root,
            above: Vec::new(),
            ahead: path.to_owned(),
            links: 0,
            link: PathBuf::new(),
            until: usize::MAX,
            own,
            ends_in_link,
            ends_in_folder: names_folder(path),
        };
        loop {
            let ahead = mem::take(&mut way.ahead);
            let mut names = ahead.components();
            let Some(name) = names.next() else { return Ok(way) };
            names.as_path().clone_into(&mut way.ahead);
            match name {
                Component::RootDir => {
                    way.above.truncate(1);
                    way.up();
                    way.at.push("/");
                }
                Component::ParentDir => way.up(),
                Component::Normal(name) => way.step(way.at.join(name), open)?,
                Component::CurDir | Component::Prefix(_) => {}
            }
        }
    }

    /// Returns to the folder above; the one above the root is the root.
    fn up(&mut self) {
        self.at.pop();
        if let Some(above) = self.above.pop() {
            self.end = above;
        }
    }

    fn step(&mut self, at: PathBuf, open: Open<'_>) -> Result<(), StorageError> {
        let left = self.ahead.as_os_str().len();
        match open(&self.end, &at, left == 0 && !self.ends_in_folder) {
            Ok(next) => {
                self.above.push(mem::replace(&mut self.end, next));
                self.at = at;
                Ok(())
            }
            Err(error) if error.act == Act::NotRegular && (left > 0 || self.ends_in_link) => {
                self.follow(at, left).unwrap_or(Err(error))
            }
            Err(error) if left >= self.until && error.is_missing() => {
                Err(StorageError::rule(&self.link, Act::DanglingLink))
            }
            Err(error) => Err(error),
        }
    }

    /// Puts the target of a link in its place; none if the entry is something else.
    fn follow(&mut self, at: PathBuf, left: usize) -> Option<Result<(), StorageError>> {
        let link = open_above(&self.end, name_of(&at), OFlags::PATH | OFlags::NOFOLLOW).ok()?;
        let mut target = vec![0; TARGET_BYTES];
        // Only a link can be read by an empty name (readlinkat(2)).
        let length = readlinkat_raw(&link, "", target.as_mut_slice()).ok()?;
        let refused = if !is_trusted_owner(fstat(&link).ok()?.st_uid, self.own) {
            Act::ForeignLink
        } else if !self.is_ours() {
            Act::OpenLink
        } else if self.links == MOST_LINKS {
            Act::TooManyLinks
        } else {
            self.links = self.links.saturating_add(1);
            self.until = self.until.min(left);
            target.truncate(length);
            let target = Path::new(OsStr::from_bytes(&target));
            self.ends_in_folder |= left == 0 && names_folder(target);
            self.ahead = target.join(&self.ahead);
            self.link = at;
            return Some(Ok(()));
        };
        Some(Err(StorageError::rule(&at, refused)))
    }

    /// True if only trusted users can create entries in the present folder, and exchange it.
    fn is_ours(&self) -> bool {
        let is_kept = |folder: &OwnedFd, may_be_sticky| {
            fstat(folder).is_ok_and(|stat| keeps_entries(&stat, self.own, may_be_sticky))
        };
        is_kept(&self.end, false) && self.above.iter().all(|folder| is_kept(folder, true))
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

/// True for a path whose form says that it leads to a folder; [`Path::components`] leaves that out.
fn names_folder(path: &Path) -> bool {
    let bytes = path.as_os_str().as_bytes();
    bytes.ends_with(b"/") || bytes.ends_with(b"/.")
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
