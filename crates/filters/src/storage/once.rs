//! A file that is created once, by the first process that finds it missing, and is complete as soon as it has
//! its name: for state in `/run`.

use std::{
    ffi::OsStr,
    io,
    os::fd::{AsRawFd, OwnedFd},
    path::Path,
};

use rustix::{
    fs::{AtFlags, CWD, Mode, OFlags, chmodat, fchmod, ftruncate, linkat, mkdirat, openat},
    io::{Errno, write},
    process::{Resource, getrlimit},
};

use super::{Act, StorageError, above_standard, trusted::open_folder};

/// Creates a file of `length` bytes that begins with these and is zero after them, for this user only, unless
/// it exists. Its folder is created, too, if only that is missing.
///
/// The file gets its name when it is complete: a process that is killed leaves nothing. Nothing is created if
/// the process has a limit on the size of files, which a user can set for a setuid program, and beyond which
/// the system kills it.
///
/// # Errors
/// [`StorageError`]: the folder is not trusted, or the file cannot be created in it.
pub fn make_once(path: &Path, first: &[u8], length: u64) -> Result<(), StorageError> {
    if getrlimit(Resource::Fsize).current.is_some() {
        return Err(StorageError::io(path, Act::Create, Errno::FBIG));
    }
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(StorageError::rule(path, Act::NotAbsolute));
    };
    let folder = match open_folder(folder) {
        Err(error) if error.is_missing() => made(folder)?,
        opened => opened?,
    };
    let written = written(&folder, first, length).and_then(|file| Ok(named(&file, &folder, name)?));
    match written {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Err(StorageError::io(path, Act::Create, error))
        }
        _ => Ok(()),
    }
}

/// A complete file without a name.
fn written(folder: &OwnedFd, first: &[u8], length: u64) -> io::Result<OwnedFd> {
    let private = Mode::RUSR | Mode::WUSR;
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let file = above_standard(openat(folder, ".", flags, private)?)?;
    // Independent of the caller's umask.
    fchmod(&file, private)?;
    if write(&file, first)? != first.len() {
        return Err(io::ErrorKind::StorageFull.into());
    }
    ftruncate(&file, length)?;
    Ok(file)
}

/// Gives a file its name.
fn named(file: &OwnedFd, folder: &OwnedFd, name: &OsStr) -> Result<(), Errno> {
    linkat(file, "", folder, name, AtFlags::EMPTY_PATH).or_else(|_| {
        // Without CAP_DAC_READ_SEARCH, by the name that the descriptor has in /proc (open(2), O_TMPFILE).
        let descriptor = format!("/proc/self/fd/{}", file.as_raw_fd());
        linkat(CWD, descriptor, folder, name, AtFlags::SYMLINK_FOLLOW)
    })
}

/// The folder, created for this user only inside an existing one.
fn made(folder: &Path) -> Result<OwnedFd, StorageError> {
    let failed = |error: Errno| StorageError::io(folder, Act::Create, error);
    let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) else {
        return Err(StorageError::rule(folder, Act::NotAbsolute));
    };
    let parent = open_folder(parent)?;
    match mkdirat(&parent, name, Mode::RWXU) {
        Ok(()) => {
            // Independent of the caller's umask. No other user may write to the parent, so this is the folder
            // that was created.
            chmodat(&parent, name, Mode::RWXU, AtFlags::empty()).map_err(failed)?;
            open_folder(folder)
        }
        Err(Errno::EXIST) => open_folder(folder),
        Err(error) => Err(failed(error)),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;
    use crate::alone::alone;

    #[test]
    fn it_is_made_once_private_and_whole_with_its_folder() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state/file");
        make_once(&path, b"first", 100).unwrap();
        make_once(&path, b"other", 50).unwrap();
        let bytes = fs::read(&path).unwrap();
        assert_eq!((&bytes[..5], bytes.len()), (b"first".as_slice(), 100));
        assert!(bytes[5..].iter().all(|byte| *byte == 0));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn only_one_folder_is_made_and_only_where_nobody_else_may_write() {
        let dir = tempfile::tempdir().unwrap();
        let missing = make_once(&dir.path().join("a/b/file"), b"", 8).unwrap_err();
        assert!(missing.is_missing() && !dir.path().join("a").exists());
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let refused = make_once(&dir.path().join("file"), b"", 8).unwrap_err();
        assert_eq!(refused.act, Act::OthersMayWrite);
        assert!(make_once(Path::new("/"), b"", 8).is_err());
    }

    #[test]
    fn what_cannot_be_named_is_not_made() {
        let dir = tempfile::tempdir().unwrap();
        let refused = make_once(&dir.path().join("n".repeat(256)), b"first", 8).unwrap_err();
        assert_eq!(refused.act, Act::Create);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn of_many_at_once_one_makes_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::thread::scope(|scope| {
            for number in 0_u8..8 {
                let path = &path;
                scope.spawn(move || make_once(path, &[number; 8], 4096).unwrap());
            }
        });
        let bytes = fs::read(&path).unwrap();
        assert!(bytes.len() == 4096 && bytes[..8].iter().all(|byte| *byte == bytes[0]));
    }

    /// A user sets the umask of a setuid program.
    #[test]
    #[cfg_attr(miri, ignore = "miri starts no programs")]
    fn the_umask_of_the_caller_decides_no_mode() {
        let name = concat!(module_path!(), "::the_umask_of_the_caller_decides_no_mode");
        for mask in ["0777", "0000"] {
            if alone(name, &format!("umask {mask}")).is_none() {
                let dir = tempfile::tempdir().unwrap();
                let path = dir.path().join("state/file");
                fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o700)).unwrap();
                make_once(&path, b"first", 100).unwrap();
                let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
                assert_eq!((mode(path.parent().unwrap()), mode(&path)), (0o700, 0o600));
                return;
            }
        }
    }

    /// Beyond that limit the system kills the program: `su` of a user whose login failed.
    #[test]
    #[cfg_attr(miri, ignore = "miri starts no programs")]
    fn nothing_is_made_under_a_limit_on_the_size_of_files() {
        let name = concat!(module_path!(), "::nothing_is_made_under_a_limit_on_the_size_of_files");
        if alone(name, "ulimit -f 1000").is_none() {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("file");
            let refused = make_once(&path, b"first", 100).unwrap_err();
            assert!(refused.may_be_provoked() && refused.act == Act::Create, "{refused}");
            assert!(!path.exists());
        }
    }
}
