//! The file that will replace another one: created for this user only, locked while it is written, and
//! registered until it is renamed or removed.
//!
//! It has one fixed name, so that a file that a killed writer left is found and removed instead of
//! accumulating. The folder may belong to others, who can create anything under that name before: an existing
//! entry is never written to.

use std::{ffi::OsString, fs::File, io, os::unix::fs::MetadataExt, path::Path};

use rustix::{
    fs::{FileType, FlockOperation, OFlags, flock, fstat},
    io::Errno,
    process::geteuid,
};

use super::{
    super::{Act, Place, StorageError},
    unfinished::{TemporaryName, Unfinished},
};

/// The number of attempts while other writers use the name.
const TRIES: usize = 16;

/// A new file under its temporary name, locked.
#[derive(Debug)]
pub(super) struct Temporary {
    pub(super) file: File,
    named: TemporaryName,
}

impl Temporary {
    /// Creates the empty file of mode 0600 that will replace the one at this location, which messages call
    /// `target`.
    ///
    /// # Errors
    /// As [`Replacement::create`](super::Replacement::create).
    pub(super) fn create(place: &Place, target: &Path) -> Result<Temporary, StorageError> {
        let place = place.beside(&name_of(target)?);
        let mut unfinished = Unfinished::lock();
        let file = create_locked(&place, target)?;
        let metadata = file.metadata().map_err(|e| StorageError::io(target, Act::Create, e))?;
        let named = TemporaryName { place, device: metadata.dev(), inode: metadata.ino() };
        unfinished.add(named.clone());
        Ok(Temporary { file, named })
    }

    /// Renames the file over its target. Only this file is ever renamed.
    ///
    /// # Errors
    /// [`Act::Displaced`], [`Act::Rename`].
    pub(super) fn rename(&self, place: &Place, target: &Path) -> Result<(), StorageError> {
        self.renamed(target, |from| from.rename(place).map(|()| true)).map(|_| ())
    }

    /// Renames the file to its target, unless something has that name: then it returns false.
    ///
    /// # Errors
    /// As [`Temporary::rename`].
    pub(super) fn rename_new(&self, place: &Place, target: &Path) -> Result<bool, StorageError> {
        self.renamed(target, |from| from.rename_new(place))
    }

    fn renamed(
        &self,
        target: &Path,
        rename: impl FnOnce(&Place) -> Result<bool, StorageError>,
    ) -> Result<bool, StorageError> {
        let mut unfinished = Unfinished::lock();
        if !self.named.is_there() {
            return Err(StorageError::rule(target, Act::Displaced));
        }
        let named = |error: StorageError| StorageError { path: target.to_owned(), ..error };
        let is_renamed = rename(&self.named.place).map_err(named)?;
        if is_renamed {
            unfinished.forget(&self.named);
        }
        Ok(is_renamed)
    }

    /// Removes the file, unless another one has its name by now.
    pub(super) fn remove(&self) {
        let mut unfinished = Unfinished::lock();
        self.named.remove();
        unfinished.forget(&self.named);
    }
}

fn name_of(target: &Path) -> Result<OsString, StorageError> {
    let name = target.file_name().ok_or_else(|| StorageError::rule(target, Act::NotRegular))?;
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(".new");
    Ok(hidden)
}

fn create_locked(place: &Place, target: &Path) -> Result<File, StorageError> {
    let failed = |error: Errno| StorageError::io(target, Act::Create, error);
    for _ in 0..TRIES {
        match place.made() {
            Ok(file) => match lock(&file, place) {
                Ok(true) => return Ok(file),
                // Another writer mistook it for a leftover before it could be locked.
                Ok(false) | Err(Errno::WOULDBLOCK) => {}
                Err(error) => {
                    let _ = place.remove();
                    return Err(failed(error));
                }
            },
            Err(Errno::EXIST) => remove_left_behind(place, target)?,
            Err(error) => return Err(failed(error)),
        }
    }
    Err(StorageError::rule(target, Act::Busy))
}

/// Locks a file; false if it no longer has this name: its writer renamed or removed it since it was opened.
fn lock(file: &File, place: &Place) -> Result<bool, Errno> {
    flock(file, FlockOperation::NonBlockingLockExclusive)?;
    Ok(is_same_file(file, place))
}

/// Removes the file of a killed writer: a regular file of this user with one name and without a lock.
/// Anything else was created by another user, and stays.
fn remove_left_behind(place: &Place, target: &Path) -> Result<(), StorageError> {
    let failed = |error: io::Error| StorageError::io(target, Act::Create, error);
    // Messages use the name next to the given one.
    let occupied = || {
        let name = place.path().file_name().unwrap_or_default();
        StorageError::rule(&target.with_file_name(name), Act::Occupied)
    };
    let file = match place.open(OFlags::WRONLY) {
        Ok(file) => file,
        Err(Errno::NOENT) => return Ok(()),
        Err(Errno::LOOP | Errno::NXIO | Errno::ISDIR | Errno::ACCESS) => return Err(occupied()),
        Err(error) => return Err(failed(error.into())),
    };
    if !is_left_behind(&file).map_err(|e| failed(e.into()))? {
        return Err(occupied());
    }
    match lock(&file, place) {
        Ok(true) => place.remove().map_err(|error| StorageError { path: target.to_owned(), ..error }),
        Ok(false) => Ok(()),
        Err(Errno::WOULDBLOCK) => Err(StorageError::rule(target, Act::Busy)),
        Err(error) => Err(failed(error.into())),
    }
}

fn is_left_behind(file: &File) -> Result<bool, Errno> {
    let stat = fstat(file)?;
    let is_regular = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
    Ok(is_regular && stat.st_uid == geteuid().as_raw() && stat.st_nlink == 1)
}

fn is_same_file(file: &File, place: &Place) -> bool {
    match (fstat(file), place.look()) {
        (Ok(opened), Ok(Some(named))) => (opened.st_ino, opened.st_dev) == (named.st_ino, named.st_dev),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        os::unix::fs::{chown, symlink},
        path::PathBuf,
    };

    use rustix::{
        fs::{CWD, Mode, openat},
        io::{FdFlags, fcntl_getfd},
    };

    use super::*;

    fn stage() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let [target, temporary] = ["file", ".file.new"].map(|name| dir.path().join(name));
        (dir, target, temporary)
    }

    fn create(target: &Path) -> Result<Temporary, StorageError> {
        Temporary::create(&at(target), target)
    }

    fn at(path: &Path) -> Place {
        Place::of(path).unwrap()
    }

    fn refused(target: &Path) -> (Act, PathBuf) {
        let error = create(target).unwrap_err();
        (error.act, error.path)
    }

    #[test]
    fn is_for_this_user_and_this_process_alone() {
        let (_dir, target, path) = stage();
        let temporary = create(&target).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert!(fcntl_getfd(&temporary.file).unwrap().contains(FdFlags::CLOEXEC));
    }

    #[test]
    fn what_a_killed_writer_left_is_removed_and_never_written_to() {
        let (_dir, target, path) = stage();
        fs::write(&path, "a long half-written rest").unwrap();
        let left = File::open(&path).unwrap();
        let temporary = create(&target).unwrap();
        assert_ne!(temporary.named.inode, left.metadata().unwrap().ino());
        assert_eq!((temporary.file.metadata().unwrap().len(), left.metadata().unwrap().nlink()), (0, 0));
    }

    #[test]
    fn links_pipes_and_folders_are_in_the_way_and_stay() {
        let (dir, target, path) = stage();
        let other = dir.path().join("other");
        fs::write(&other, "not to be touched").unwrap();
        let fifo = || rustix::fs::mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0);
        let reader = std::cell::OnceCell::new();
        let ways: [(&str, &dyn Fn()); 6] = [
            ("a link", &|| symlink(&other, &path).unwrap()),
            ("a link to nothing", &|| symlink("none", &path).unwrap()),
            ("a second name of a file", &|| fs::hard_link(&other, &path).unwrap()),
            ("a pipe", &|| fifo().unwrap()),
            ("a pipe somebody reads", &|| {
                fifo().unwrap();
                let flags = OFlags::RDONLY | OFlags::NONBLOCK;
                reader.set(openat(CWD, &path, flags, Mode::empty()).unwrap()).unwrap();
            }),
            ("a socket", &|| drop(std::os::unix::net::UnixListener::bind(&path).unwrap())),
        ];
        for (name, make) in ways {
            make();
            assert_eq!(refused(&target), (Act::Occupied, path.clone()), "{name}");
            fs::remove_file(&path).unwrap();
            assert_eq!(fs::read(&other).unwrap(), b"not to be touched", "{name}");
        }
        fs::create_dir(&path).unwrap();
        assert_eq!(refused(&target), (Act::Occupied, path.clone()));
    }

    #[test]
    fn a_file_of_another_user_is_in_the_way_and_stays() {
        if !geteuid().is_root() {
            eprintln!("SKIPPED: needs root: a file that belongs to another user");
            return;
        }
        let (_dir, target, path) = stage();
        fs::write(&path, "theirs").unwrap();
        chown(&path, Some(4343), None).unwrap();
        assert_eq!(refused(&target), (Act::Occupied, path.clone()));
        assert_eq!(fs::read(&path).unwrap(), b"theirs");
    }

    #[test]
    fn a_file_that_was_renamed_before_it_could_be_locked_is_not_the_one() {
        let (dir, _, path) = stage();
        fs::write(&path, "").unwrap();
        let file = File::open(&path).unwrap();
        assert_eq!(lock(&file, &at(&path)), Ok(true));
        fs::rename(&path, dir.path().join("elsewhere")).unwrap();
        assert_eq!(lock(&file, &at(&path)), Ok(false), "nothing is there");
        fs::write(&path, "").unwrap();
        assert_eq!(lock(&file, &at(&path)), Ok(false), "another one is there");
        assert_eq!(lock(&File::open(&path).unwrap(), &at(&path)), Ok(true));
    }

    #[test]
    fn only_the_file_itself_is_renamed_or_removed() {
        for replaced in [false, true] {
            let (dir, target, path) = stage();
            fs::write(&target, "old").unwrap();
            let temporary = create(&target).unwrap();
            fs::rename(&path, dir.path().join("elsewhere")).unwrap();
            if replaced {
                fs::write(&path, "another's").unwrap();
            }
            assert_eq!(temporary.rename(&at(&target), &target).unwrap_err().act, Act::Displaced);
            assert_eq!(fs::read(&target).unwrap(), b"old");
            temporary.remove();
            assert_eq!(path.exists(), replaced);
        }
    }

    #[test]
    fn a_file_is_the_same_only_under_its_own_name() {
        let dir = tempfile::tempdir().unwrap();
        let [one, other] = ["one", "other"].map(|name| dir.path().join(name));
        fs::write(&one, "").unwrap();
        fs::write(&other, "").unwrap();
        let file = File::open(&one).unwrap();
        assert!(is_same_file(&file, &at(&one)) && !is_same_file(&file, &at(&other)));
        assert!(!is_same_file(&file, &at(&dir.path().join("none"))));
        assert!(!is_same_file(&file, &at(Path::new("/proc/self/status"))));
    }
}
