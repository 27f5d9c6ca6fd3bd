//! The trusted walk: from `/` one name at a time ([`Way`]), and every folder and the file must belong to root
//! and be writable by no other user. A symbolic link is followed if root made it.
//!
//! If the process does not run as root, its own user is trusted, too: so tests and dry runs work
//! unprivileged, and no power is added, since such a process can do no more than its user.

#[cfg(test)]
mod tests;

use std::{
    fs::File,
    io::Read,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, TryLockError},
};

use rustix::fs::{CWD, FileType, OFlags, Stat, fstat};

use super::{
    Access, Act, StorageError,
    access::has_acl,
    descriptors::open_above,
    way::{OTHERS_MAY_WRITE, Open, Way, enter, is_sticky_folder, is_trusted_owner, name_of, refusal},
};

const ALL_OF_OTHERS: u32 = 0o077;

/// A regular file that passed the walk, and its properties at that time.
#[derive(Debug)]
pub struct TrustedFile {
    /// The open file.
    pub file: File,
    /// Its length in bytes.
    pub length: u64,
    /// The users other than its owner who may read it.
    pub access: Access,
    mode: u32,
}

impl TrustedFile {
    pub(super) fn new(file: OwnedFd, stat: &Stat) -> TrustedFile {
        let access = match Access::of_mode(stat.st_mode, stat.st_gid) {
            // The list may name any user.
            Access::Group(_) if has_acl(&file) => Access::Public,
            access => access,
        };
        // A length is never negative.
        let length = u64::try_from(stat.st_size).unwrap_or(0);
        TrustedFile { file: File::from(file), length, access, mode: stat.st_mode }
    }

    /// Refuses a file to which others than its owner have any access: it holds a secret.
    ///
    /// # Errors
    /// [`Act::OthersMayRead`], with the path that it was opened by.
    // Three copies would be 160 bytes of the module.
    #[inline(never)]
    pub fn refuse_others(&self, path: &Path) -> Result<(), StorageError> {
        if self.mode & ALL_OF_OTHERS == 0 {
            return Ok(());
        }
        Err(StorageError::rule(path, Act::OthersMayRead))
    }
}

/// One walk to several files: a folder that was checked stays open, and the walk to files below it starts
/// there. Dropping it closes the folders.
///
/// No thread ever waits for another: if a process forks while another of its threads holds the folders, that
/// thread does not exist in the child to release them. Such a child walks without keeping folders open.
#[derive(Debug)]
pub struct Walk {
    /// The user whose files are trusted in addition to root's.
    own: u32,
    folders: Mutex<Folders>,
}

/// Checked folders and their paths.
type Folders = Vec<(PathBuf, Arc<OwnedFd>)>;

impl Default for Walk {
    fn default() -> Walk {
        Walk { own: rustix::process::geteuid().as_raw(), folders: Mutex::default() }
    }
}

impl Walk {
    /// Opens a file for reading after the trusted walk.
    ///
    /// # Errors
    /// [`StorageError`] naming the first component that is missing, foreign, writable by others, or not a
    /// folder; or the file itself if it is not a regular file; or a link that is not followed.
    pub fn open(&self, path: &Path) -> Result<TrustedFile, StorageError> {
        self.open_with(path, OFlags::RDONLY)
    }

    /// Opens an existing file for reading and writing after the trusted walk: the ladder, whose bits are
    /// stored through a shared map. A link under the file's own name is refused, as [`Replacement`] does.
    ///
    /// [`Replacement`]: super::Replacement
    ///
    /// # Errors
    /// As [`Walk::open`].
    pub fn open_for_update(&self, path: &Path) -> Result<TrustedFile, StorageError> {
        self.open_with(path, OFlags::RDWR)
    }

    /// Opens a folder for listing after the trusted walk.
    pub(super) fn folder(&self, path: &Path) -> Result<OwnedFd, StorageError> {
        let place = self.way(path, None)?.end;
        open_above(&place, ".", OFlags::RDONLY).map_err(|e| StorageError::io(path, Act::Open, e))
    }

    /// Reads a whole trusted file of at most `max_bytes` bytes: configuration and keys.
    ///
    /// # Errors
    /// As [`Walk::open`]; [`Act::TooLarge`] for a larger file; [`Act::Read`].
    pub fn read(&self, path: &Path, max_bytes: usize) -> Result<Vec<u8>, StorageError> {
        let TrustedFile { mut file, length, .. } = self.open(path)?;
        let length = usize::try_from(length).ok().filter(|&length| length <= max_bytes);
        let length = length.ok_or_else(|| StorageError::rule(path, Act::TooLarge))?;
        let mut bytes = vec![0; length];
        file.read_exact(&mut bytes).map_err(|e| StorageError::io(path, Act::Read, e))?;
        Ok(bytes)
    }

    /// Closes the folders; later walks start from the root.
    pub fn forget(&self) {
        if let Some(mut folders) = self.folders() {
            folders.clear();
        }
    }

    /// The open folders, unless another thread holds them.
    fn folders(&self) -> Option<MutexGuard<'_, Folders>> {
        match self.folders.try_lock() {
            Ok(folders) => Some(folders),
            Err(TryLockError::Poisoned(folders)) => Some(folders.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    fn open_with(&self, path: &Path, access: OFlags) -> Result<TrustedFile, StorageError> {
        let way = self.way(path, Some(access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY))?;
        let stat = check(&way.end, &way.at, FileType::RegularFile, self.own)?;
        let file = Arc::into_inner(way.end).ok_or_else(|| StorageError::rule(&way.at, Act::NotRegular))?;
        Ok(TrustedFile::new(file, &stat))
    }

    /// Walks to a file that is opened with these flags, or to a folder.
    fn way(&self, path: &Path, of_file: Option<OFlags>) -> Result<Way, StorageError> {
        let root = self.once(Path::new("/"), &open_root)?;
        let ends_in_link = of_file.is_none_or(|flags| !flags.contains(OFlags::RDWR));
        let open: Open<'_> = &|folder, at, is_last| match of_file.filter(|_| is_last) {
            Some(flags) => open_above(folder, name_of(at), flags).map(Arc::new).map_err(|e| refusal(at, e)),
            None => self.once(at, &|| enter(folder, at)),
        };
        Way::to(path, root, self.own, ends_in_link, open)
    }

    /// The folder at this path, opened and checked before or now.
    fn once(
        &self,
        path: &Path,
        open: &dyn Fn() -> Result<OwnedFd, StorageError>,
    ) -> Result<Arc<OwnedFd>, StorageError> {
        // All paths are built in the same way, so comparing bytes is enough.
        let is_same = |known: &Path| known.as_os_str() == path.as_os_str();
        let known = |folders: MutexGuard<'_, Folders>| {
            folders.iter().find(|(known, _)| is_same(known)).map(|(_, folder)| Arc::clone(folder))
        };
        if let Some(folder) = self.folders().and_then(known) {
            return Ok(folder);
        }
        let folder = Arc::new(open()?);
        check(&folder, path, FileType::Directory, self.own)?;
        if let Some(mut folders) = self.folders() {
            folders.push((path.to_owned(), Arc::clone(&folder)));
        }
        Ok(folder)
    }
}

/// [`Walk::open`] on a walk to only this file.
///
/// # Errors
/// As [`Walk::open`].
pub fn open_trusted(path: &Path) -> Result<File, StorageError> {
    Walk::default().open(path).map(|trusted| trusted.file)
}

/// [`Walk::read`] on a walk to only this file.
///
/// # Errors
/// As [`Walk::read`].
pub fn read_trusted(path: &Path, max_bytes: usize) -> Result<Vec<u8>, StorageError> {
    Walk::default().read(path, max_bytes)
}

/// [`Walk::folder`] on a walk to only this folder.
pub(super) fn open_folder(path: &Path) -> Result<OwnedFd, StorageError> {
    Walk::default().folder(path)
}

/// Refuses a file of a folder that others can change: by the rules of the walk.
pub(super) fn check_file(fd: &OwnedFd, path: &Path) -> Result<(), StorageError> {
    check(fd, path, FileType::RegularFile, rustix::process::geteuid().as_raw()).map(drop)
}

pub(super) fn open_root() -> Result<OwnedFd, StorageError> {
    let flags = OFlags::PATH | OFlags::DIRECTORY;
    open_above(CWD, "/", flags).map_err(|e| StorageError::io(Path::new("/"), Act::Open, e))
}

/// Refuses an entry that does not have this type, is owned by an untrusted user, or can be written by others.
fn check(fd: &OwnedFd, path: &Path, wanted: FileType, own: u32) -> Result<Stat, StorageError> {
    let stat = fstat(fd).map_err(|e| StorageError::io(path, Act::Read, e))?;
    if FileType::from_raw_mode(stat.st_mode) != wanted {
        return Err(StorageError::rule(path, Act::NotRegular));
    }
    if !is_trusted_owner(stat.st_uid, own) {
        return Err(StorageError::rule(path, Act::ForeignOwner));
    }
    if stat.st_mode & OTHERS_MAY_WRITE != 0 && !is_sticky_folder(&stat) {
        return Err(StorageError::rule(path, Act::OthersMayWrite));
    }
    Ok(stat)
}
