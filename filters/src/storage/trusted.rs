//! The trusted walk: from `/` one component at a time, without following a symbolic link, and every component
//! must belong to root and be writable by nobody else.
//!
//! When the process does not run as root, its own user counts as trusted too: that lets tests and
//! administrators' dry runs work unprivileged and adds no power, since such a process can do no more than its
//! user.

use std::{
    ffi::OsStr,
    fs::File,
    io::Read,
    os::fd::OwnedFd,
    path::{Component, Path, PathBuf},
};

use rustix::{
    fs::{CWD, FileType, OFlags, fstat},
    io::Errno,
};

use super::{Act, StorageError, descriptors::open_above};

const STICKY: u32 = 0o1000;
const OTHERS_MAY_WRITE: u32 = 0o022;

/// Opens a file for reading after the trusted walk.
///
/// # Errors
/// [`StorageError`] naming the first component that is missing, foreign, writable by others, or no real
/// folder; or the file itself when it is not a regular file.
pub fn open_trusted(path: &Path) -> Result<File, StorageError> {
    open_after_walk(path, OFlags::RDONLY)
}

/// Opens an existing file for reading and writing after the trusted walk: the ladder, whose bits are stored
/// through a shared map.
///
/// # Errors
/// As [`open_trusted`].
pub fn open_trusted_for_update(path: &Path) -> Result<File, StorageError> {
    open_after_walk(path, OFlags::RDWR)
}

/// Reads a whole trusted file of at most `max_bytes` bytes: configuration and keys.
///
/// # Errors
/// As [`open_trusted`]; [`Act::TooLarge`] for a larger file; [`Act::Read`].
pub fn read_trusted(path: &Path, max_bytes: usize) -> Result<Vec<u8>, StorageError> {
    let file = open_trusted(path)?;
    let length = file.metadata().map_err(|e| StorageError::io(path, Act::Read, e))?.len();
    let length = usize::try_from(length).ok().filter(|&n| n <= max_bytes);
    let length = length.ok_or_else(|| StorageError::rule(path, Act::TooLarge))?;
    let mut bytes = Vec::with_capacity(length);
    let limit = (max_bytes as u64).saturating_add(1);
    file.take(limit).read_to_end(&mut bytes).map_err(|e| StorageError::io(path, Act::Read, e))?;
    if bytes.len() > max_bytes { Err(StorageError::rule(path, Act::TooLarge)) } else { Ok(bytes) }
}

fn open_after_walk(path: &Path, access: OFlags) -> Result<File, StorageError> {
    let names = components(path)?;
    let (name, folders) = names.split_last().ok_or_else(|| StorageError::rule(path, Act::NotAbsolute))?;
    let folder = walk(open_root()?, folders)?;
    let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = open_above(&folder, *name, flags).map_err(|e| refusal(path, e))?;
    check(&file, path, FileType::RegularFile)?;
    Ok(File::from(file))
}

/// Opens a folder, to be listed, after the trusted walk.
pub(super) fn open_folder(path: &Path) -> Result<OwnedFd, StorageError> {
    let place = walk(open_root()?, &components(path)?)?;
    open_above(&place, ".", OFlags::RDONLY).map_err(|e| StorageError::io(path, Act::Open, e))
}

/// The folder that these names lead to from the root.
fn walk(root: OwnedFd, names: &[&OsStr]) -> Result<OwnedFd, StorageError> {
    let (mut at, mut folder) = (PathBuf::from("/"), root);
    check(&folder, &at, FileType::Directory)?;
    for step in names {
        at.push(step);
        folder = step_into(&folder, step, &at)?;
        check(&folder, &at, FileType::Directory)?;
    }
    Ok(folder)
}

fn components(path: &Path) -> Result<Vec<&OsStr>, StorageError> {
    let mut parts = path.components();
    if parts.next() != Some(Component::RootDir) {
        return Err(StorageError::rule(path, Act::NotAbsolute));
    }
    parts
        .map(|part| match part {
            Component::Normal(name) => Ok(name),
            _ => Err(StorageError::rule(path, Act::NotAbsolute)),
        })
        .collect()
}

fn open_root() -> Result<OwnedFd, StorageError> {
    let flags = OFlags::PATH | OFlags::DIRECTORY;
    open_above(CWD, "/", flags).map_err(|e| StorageError::io(Path::new("/"), Act::Open, e))
}

fn step_into(folder: &OwnedFd, name: &OsStr, at: &Path) -> Result<OwnedFd, StorageError> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::DIRECTORY;
    open_above(folder, name, flags).map_err(|e| refusal(at, e))
}

/// Why a file or folder could not be opened. A symbolic link shows as ELOOP or ENOTDIR, depending on the
/// flags it was opened with.
pub(super) fn refusal(path: &Path, error: Errno) -> StorageError {
    match error {
        Errno::LOOP | Errno::NOTDIR => StorageError::rule(path, Act::NotRegular),
        other => StorageError::io(path, Act::Open, other),
    }
}

/// Refuses what is not of this type, is owned by a user who is not trusted, or can be written by others.
pub(super) fn check(fd: &OwnedFd, path: &Path, wanted: FileType) -> Result<(), StorageError> {
    let stat = fstat(fd).map_err(|e| StorageError::io(path, Act::Read, e))?;
    if FileType::from_raw_mode(stat.st_mode) != wanted {
        return Err(StorageError::rule(path, Act::NotRegular));
    }
    if !is_trusted_owner(stat.st_uid, rustix::process::geteuid().as_raw()) {
        return Err(StorageError::rule(path, Act::ForeignOwner));
    }
    let is_sticky_folder = wanted == FileType::Directory && stat.st_mode & STICKY != 0;
    if stat.st_mode & OTHERS_MAY_WRITE != 0 && !is_sticky_folder {
        return Err(StorageError::rule(path, Act::OthersMayWrite));
    }
    Ok(())
}

fn is_trusted_owner(owner: u32, own: u32) -> bool {
    owner == 0 || owner == own
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use rustix::{
        fs::{Mode, fcntl_getfl, mknodat},
        io::{FdFlags, fcntl_getfd},
    };

    use super::{super::in_time, *};

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    fn act_of(result: Result<File, StorageError>) -> Act {
        result.unwrap_err().act
    }

    #[test]
    fn reads_what_passes_the_walk() {
        let dir = folder();
        let path = dir.path().join("good");
        fs::write(&path, "bytes").unwrap();
        assert_eq!(read_trusted(&path, 5).unwrap(), b"bytes");
        assert_eq!(read_trusted(&path, 6).unwrap(), b"bytes");
        assert_eq!(read_trusted(&path, 4).unwrap_err().act, Act::TooLarge);
    }

    #[test]
    fn refuses_relative_and_climbing_paths() {
        assert_eq!(act_of(open_trusted(Path::new("etc/passwd"))), Act::NotAbsolute);
        assert_eq!(act_of(open_trusted(Path::new("/etc/../etc/passwd"))), Act::NotAbsolute);
        assert_eq!(act_of(open_trusted(Path::new("/"))), Act::NotAbsolute);
    }

    #[test]
    fn refuses_links_folders_and_pipes() {
        let dir = folder();
        let path = dir.path().join("real");
        fs::write(&path, "x").unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert_eq!(act_of(open_trusted(&link)), Act::NotRegular);
        let linked_folder = dir.path().join("folder");
        std::os::unix::fs::symlink(dir.path(), &linked_folder).unwrap();
        assert_eq!(act_of(open_trusted(&linked_folder.join("real"))), Act::NotRegular);
        assert_eq!(act_of(open_trusted(dir.path())), Act::NotRegular);
        let pipe = dir.path().join("pipe");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR, 0).unwrap();
        assert_eq!(in_time(move || act_of(open_trusted(&pipe))), Act::NotRegular);
    }

    #[test]
    fn a_file_is_opened_without_waiting_and_as_what_was_asked_for() {
        let dir = folder();
        let path = dir.path().join("file");
        fs::write(&path, "x").unwrap();
        let flags = |file: File| fcntl_getfl(file).unwrap();
        let (read, update) =
            (flags(open_trusted(&path).unwrap()), flags(open_trusted_for_update(&path).unwrap()));
        assert!(read.contains(OFlags::NONBLOCK) && update.contains(OFlags::NONBLOCK | OFlags::RDWR));
        assert!(!read.contains(OFlags::RDWR));
    }

    #[test]
    fn the_root_is_checked_as_every_other_folder() {
        let dir = folder();
        fs::create_dir(dir.path().join("sub")).unwrap();
        let walk = || walk(OwnedFd::from(File::open(dir.path()).unwrap()), &["sub".as_ref()]);
        assert!(walk().is_ok());
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let error = walk().unwrap_err();
        assert_eq!((error.act, error.path.as_path()), (Act::OthersMayWrite, Path::new("/")));
        let file = dir.path().join("file");
        fs::write(&file, "x").unwrap();
        assert_eq!(
            super::walk(OwnedFd::from(File::open(&file).unwrap()), &[]).unwrap_err().act,
            Act::NotRegular
        );
    }

    #[test]
    fn refuses_what_others_may_write() {
        let dir = folder();
        let path = dir.path().join("loose");
        fs::write(&path, "x").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        assert_eq!(act_of(open_trusted(&path)), Act::OthersMayWrite);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o777)).unwrap();
        assert_eq!(act_of(open_trusted(&path)), Act::OthersMayWrite);
    }

    #[test]
    fn a_sticky_folder_is_trusted_and_a_sticky_file_is_not() {
        let dir = folder();
        let path = dir.path().join("file");
        fs::write(&path, "x").unwrap();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o1777)).unwrap();
        assert!(open_trusted(&path).is_ok());
        for mode in [0o1666, 0o620, 0o602] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(act_of(open_trusted(&path)), Act::OthersMayWrite, "{mode:o}");
        }
    }

    #[test]
    fn root_and_the_own_user_are_trusted_and_nobody_else() {
        for (owner, own, is_trusted) in
            [(0, 0, true), (0, 7, true), (7, 7, true), (7, 0, false), (7, 8, false), (u32::MAX, 0, false)]
        {
            assert_eq!(is_trusted_owner(owner, own), is_trusted, "{owner} {own}");
        }
    }

    #[test]
    fn folders_are_opened_as_places_only_and_nothing_stays_open_in_a_child() {
        let dir = folder();
        let path = dir.path().join("file");
        fs::write(&path, "x").unwrap();
        let root = open_root().unwrap();
        let etc = step_into(&root, "etc".as_ref(), Path::new("/etc")).unwrap();
        for place in [&root, &etc] {
            assert!(fcntl_getfl(place).unwrap().contains(OFlags::PATH));
            assert!(fcntl_getfd(place).unwrap().contains(FdFlags::CLOEXEC));
        }
        for file in [open_trusted(&path).unwrap(), open_trusted_for_update(&path).unwrap()] {
            assert!(fcntl_getfd(&file).unwrap().contains(FdFlags::CLOEXEC));
        }
    }

    #[test]
    fn says_that_a_file_is_missing() {
        let error = open_trusted(&folder().path().join("none")).unwrap_err();
        assert!(error.is_missing());
        assert!(error.to_string().contains("cannot be opened"), "{error}");
    }
}
