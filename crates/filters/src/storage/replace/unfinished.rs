//! The temporary files of this process: registered until they are renamed or removed, so that a process that
//! is terminated by a signal can remove them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::super::Place;

/// The location and the identity of a file.
#[derive(Clone, Debug)]
pub(super) struct TemporaryName {
    pub(super) place: Place,
    pub(super) device: u64,
    pub(super) inode: u64,
}

impl TemporaryName {
    /// True while the file has its name.
    pub(super) fn is_there(&self) -> bool {
        let found = self.place.look().ok().flatten();
        found.is_some_and(|at| (at.st_dev, at.st_ino) == (self.device, self.inode))
    }

    fn is(&self, other: &TemporaryName) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }

    /// Removes the file, unless another one has its name by now.
    pub(super) fn remove(&self) {
        if self.is_there() {
            // A failure is ignored: the next writer removes the file.
            let _ = self.place.remove();
        }
    }
}

static UNFINISHED: Mutex<Vec<TemporaryName>> = Mutex::new(Vec::new());

/// The list of unfinished files, locked: while it is locked, no file of this process is created, renamed or
/// removed.
#[derive(Debug)]
pub(super) struct Unfinished(MutexGuard<'static, Vec<TemporaryName>>);

impl Unfinished {
    /// Waits for the list.
    pub(super) fn lock() -> Unfinished {
        Unfinished(UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Registers a file.
    pub(super) fn add(&mut self, file: TemporaryName) {
        self.0.push(file);
    }

    /// Unregisters a file that was renamed or removed.
    pub(super) fn forget(&mut self, file: &TemporaryName) {
        self.0.retain(|named| !named.is(file));
    }
}

/// While this value is held, no file of this process is replaced: a thread that tries to do so waits.
#[derive(Debug)]
#[must_use = "files are replaced again as soon as it is dropped"]
pub struct Abandoned {
    _unfinished: Unfinished,
}

/// Removes all files that this process is writing to replace others: for a process that is about to be
/// terminated by a signal, and would leave them behind.
pub fn abandon_replacements() -> Abandoned {
    let mut unfinished = Unfinished::lock();
    remove_all(&mut unfinished.0);
    Abandoned { _unfinished: unfinished }
}

fn remove_all(files: &mut Vec<TemporaryName>) {
    files.drain(..).for_each(|named| named.remove());
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::MetadataExt, path::Path};

    use super::*;

    fn named(path: &Path) -> TemporaryName {
        fs::write(path, "").unwrap();
        let metadata = fs::metadata(path).unwrap();
        TemporaryName { place: Place::of(path).unwrap(), device: metadata.dev(), inode: metadata.ino() }
    }

    fn is_known(unfinished: &Unfinished, file: &TemporaryName) -> bool {
        unfinished.0.iter().any(|named| named.is(file))
    }

    #[test]
    fn a_file_is_known_until_it_is_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        let [one, two] = ["one", "two"].map(|name| named(&dir.path().join(name)));
        Unfinished::lock().add(one.clone());
        Unfinished::lock().add(two.clone());
        assert!(is_known(&Unfinished::lock(), &one));
        Unfinished::lock().forget(&one);
        let left = Unfinished::lock();
        assert!(!is_known(&left, &one) && is_known(&left, &two));
        drop(left);
        Unfinished::lock().forget(&two);
    }

    #[test]
    fn only_the_files_themselves_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        let [one, two, three] = ["one", "two", "three"].map(|name| named(&dir.path().join(name)));
        fs::rename(two.place.path(), dir.path().join("renamed")).unwrap();
        fs::write(two.place.path(), "another's").unwrap();
        fs::remove_file(three.place.path()).unwrap();
        let mut all = vec![one.clone(), two.clone(), three];
        assert_eq!((one.is_there(), two.is_there()), (true, false));
        remove_all(&mut all);
        assert!(all.is_empty() && !one.place.is_taken() && two.place.is_taken());
    }
}
