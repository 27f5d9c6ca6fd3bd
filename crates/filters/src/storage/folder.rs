//! An open folder: it is listed, and its files are opened relative to it, so that its own path is looked up
//! once.

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    os::{fd::OwnedFd, unix::ffi::OsStrExt},
    path::{Path, PathBuf},
};

use rustix::fs::{AtFlags, CWD, Dir, FileType, OFlags, fstat, statat};

use super::{Act, StorageError, Walk, descriptors::open_above, trusted, way::refusal};

/// The type of a directory entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryType {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A device, a pipe, a socket.
    Other,
}

/// An open folder.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    place: OwnedFd,
}

impl Folder {
    /// Opens the folder of this name, symbolic links followed.
    ///
    /// # Errors
    /// [`Act::Open`] if it is missing, is not a folder or cannot be read.
    pub fn open(path: &Path) -> Result<Folder, StorageError> {
        let place = open_above(CWD, path, OFlags::RDONLY | OFlags::DIRECTORY);
        let place = place.map_err(|e| StorageError::io(path, Act::Open, e))?;
        Ok(Folder { path: path.to_owned(), place })
    }

    /// Opens a folder after the trusted walk (see [`open_trusted`](super::open_trusted)).
    ///
    /// # Errors
    /// [`StorageError`] naming the first component that is missing, foreign, writable by others, or not a
    /// real folder.
    pub fn open_trusted(path: &Path) -> Result<Folder, StorageError> {
        Folder::open_trusted_on(&Walk::default(), path)
    }

    /// [`Folder::open_trusted`] on a walk that is used for further files.
    ///
    /// # Errors
    /// As [`Folder::open_trusted`].
    #[inline(never)]
    pub fn open_trusted_on(walk: &Walk, path: &Path) -> Result<Folder, StorageError> {
        Ok(Folder { path: path.to_owned(), place: walk.folder(path)? })
    }

    /// The path of this name in the folder.
    pub fn join(&self, name: &OsStr) -> PathBuf {
        self.path.join(name)
    }

    /// The names of all entries, in no order.
    ///
    /// # Errors
    /// [`Act::Read`], at once or at an entry.
    pub fn names(&self) -> Result<impl Iterator<Item = Result<OsString, StorageError>>, StorageError> {
        let failed = |error| StorageError::io(&self.path, Act::Read, error);
        let again = open_above(&self.place, ".", OFlags::RDONLY).map_err(failed)?;
        let entries = Dir::new(again).map_err(failed)?;
        Ok(entries.filter_map(move |entry| match entry {
            Ok(entry) => {
                let name = entry.file_name().to_bytes();
                (name != b"." && name != b"..").then(|| Ok(OsStr::from_bytes(name).to_owned()))
            }
            Err(error) => Some(Err(failed(error))),
        }))
    }

    /// The type of this entry, and its size in bytes; a symbolic link is not followed. For messages and sums
    /// only: the file that is opened later may be a different one.
    ///
    /// # Errors
    /// [`Act::Read`].
    pub fn look_at(&self, name: &OsStr) -> Result<(EntryType, u64), StorageError> {
        let stat = statat(&self.place, name, AtFlags::SYMLINK_NOFOLLOW);
        let stat = stat.map_err(|e| StorageError::io(&self.join(name), Act::Read, e))?;
        let entry_type = match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => EntryType::File,
            FileType::Directory => EntryType::Folder,
            FileType::Symlink => EntryType::Link,
            _ => EntryType::Other,
        };
        Ok((entry_type, u64::try_from(stat.st_size).unwrap_or(0)))
    }

    /// Opens a regular file of this folder for reading. It does not follow symbolic links or wait for a pipe.
    ///
    /// # Errors
    /// [`Act::Open`]; [`Act::NotRegular`].
    pub fn open_regular(&self, name: &OsStr) -> Result<File, StorageError> {
        let (path, file) = self.open_entry(name)?;
        let stat = fstat(&file).map_err(|e| StorageError::io(&path, Act::Read, e))?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(StorageError::rule(&path, Act::NotRegular));
        }
        Ok(File::from(file))
    }

    /// Opens a regular file of this folder that no untrusted user may write, by the rules of
    /// [`open_trusted`](super::open_trusted).
    ///
    /// # Errors
    /// As [`Folder::open_regular`]; [`Act::ForeignOwner`], [`Act::OthersMayWrite`].
    pub fn open_trusted_file(&self, name: &OsStr) -> Result<File, StorageError> {
        let (path, file) = self.open_entry(name)?;
        trusted::check_file(&file, &path)?;
        Ok(File::from(file))
    }

    fn open_entry(&self, name: &OsStr) -> Result<(PathBuf, OwnedFd), StorageError> {
        let path = self.join(name);
        if Path::new(name).file_name() != Some(name) {
            return Err(StorageError::rule(&path, Act::NotRegular));
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = open_above(&self.place, name, flags).map_err(|e| refusal(&path, e))?;
        Ok((path, file))
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs::{self, Permissions},
        io::Read,
        os::unix::fs::{PermissionsExt, symlink},
    };

    use super::{super::in_time, *};

    fn filled() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("folder");
        fs::create_dir(&path).unwrap();
        for name in ["a", "b"] {
            fs::write(path.join(name), name).unwrap();
        }
        (dir, path)
    }

    fn names(folder: &Folder) -> Vec<OsString> {
        let mut names: Vec<_> = folder.names().unwrap().map(Result::unwrap).collect();
        names.sort();
        names
    }

    #[test]
    fn lists_and_opens_what_was_the_folder_when_it_was_opened() {
        let (dir, path) = filled();
        for folder in [Folder::open(&path).unwrap(), Folder::open_trusted(&path).unwrap()] {
            let moved = dir.path().join("moved");
            fs::rename(&path, &moved).unwrap();
            symlink("/etc", &path).unwrap();
            assert_eq!(
                (names(&folder), names(&folder)),
                (vec!["a".into(), "b".into()], vec!["a".into(), "b".into()])
            );
            let mut text = String::new();
            folder.open_trusted_file("b".as_ref()).unwrap().read_to_string(&mut text).unwrap();
            assert_eq!((text.as_str(), folder.join("b".as_ref())), ("b", path.join("b")));
            fs::remove_file(&path).unwrap();
            fs::rename(&moved, &path).unwrap();
        }
    }

    #[test]
    fn only_regular_files_of_the_folder_itself_are_opened() {
        let (_dir, path) = filled();
        let folder = Folder::open(&path).unwrap();
        symlink("a", path.join("link")).unwrap();
        rustix::fs::mknodat(CWD, path.join("pipe"), FileType::Fifo, rustix::fs::Mode::RUSR, 0).unwrap();
        fs::create_dir(path.join("sub")).unwrap();
        in_time(move || {
            for name in ["link", "pipe", "sub", "..", ".", "", "sub/../a", "/etc/passwd"] {
                assert_eq!(folder.open_regular(name.as_ref()).unwrap_err().act, Act::NotRegular, "{name}");
                assert_eq!(
                    folder.open_trusted_file(name.as_ref()).unwrap_err().act,
                    Act::NotRegular,
                    "{name}"
                );
            }
            assert!(folder.open_regular("none".as_ref()).unwrap_err().is_missing());
        });
    }

    #[test]
    fn a_look_follows_no_link() {
        let (_dir, path) = filled();
        let folder = Folder::open(&path).unwrap();
        symlink("a", path.join("link")).unwrap();
        fs::create_dir(path.join("sub")).unwrap();
        drop(std::os::unix::net::UnixListener::bind(path.join("socket")).unwrap());
        let look = |name: &str| folder.look_at(name.as_ref()).unwrap().0;
        assert_eq!(folder.look_at("a".as_ref()).unwrap(), (EntryType::File, 1));
        assert_eq!(
            ["link", "sub", "socket"].map(look),
            [EntryType::Link, EntryType::Folder, EntryType::Other]
        );
        assert!(folder.look_at("none".as_ref()).unwrap_err().is_missing());
    }

    #[test]
    fn a_trusted_file_is_one_that_nobody_else_may_write() {
        let (_dir, path) = filled();
        let folder = Folder::open(&path).unwrap();
        fs::set_permissions(path.join("a"), Permissions::from_mode(0o664)).unwrap();
        assert_eq!(folder.open_trusted_file("a".as_ref()).unwrap_err().act, Act::OthersMayWrite);
        assert!(folder.open_regular("a".as_ref()).is_ok() && folder.open_trusted_file("b".as_ref()).is_ok());
    }

    #[test]
    fn a_trusted_folder_is_one_that_nobody_else_may_write() {
        let (dir, path) = filled();
        let link = dir.path().join("link");
        symlink(&path, &link).unwrap();
        assert!(Folder::open(&link).is_ok() && Folder::open_trusted(&link).is_ok());
        assert_eq!(Folder::open_trusted(&path.join("a")).unwrap_err().act, Act::NotRegular);
        fs::set_permissions(&path, Permissions::from_mode(0o775)).unwrap();
        assert_eq!(Folder::open_trusted(&path).unwrap_err().act, Act::OthersMayWrite);
        assert!(Folder::open(&path).is_ok() && Folder::open_trusted(Path::new("/")).is_ok());
        assert!(Folder::open(&path.join("none")).unwrap_err().is_missing());
        assert_eq!(Folder::open(&path.join("a")).unwrap_err().act, Act::Open, "a file");
    }
}
