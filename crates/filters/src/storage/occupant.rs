//! What has a name at one moment: so that a writer notices that another process has replaced it since.

use std::path::Path;

use rustix::fs::Stat;

use super::{Act, Place, StorageError};

/// The file that has a name at one moment, or that nothing has it.
///
/// The number of a file that is replaced can be given to the next one, and the time of its last change tells
/// the two apart: a rename, a write and `chmod` each change it.
/// The default is that nothing has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occupant(Option<State>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    device: u64,
    inode: u64,
    changed: (i64, i64),
}

impl Occupant {
    /// What has this name now; a link is not followed.
    ///
    /// # Errors
    /// [`Act::Open`], if the folder is there and cannot be opened.
    pub fn of(path: &Path) -> Result<Occupant, StorageError> {
        match Place::of(path) {
            Ok(place) => Occupant::at(&place, path),
            Err(error) if error.is_missing() => Ok(Occupant(None)),
            Err(error) => Err(error),
        }
    }

    /// What has this name now, which errors call `path`.
    pub(super) fn at(place: &Place, path: &Path) -> Result<Occupant, StorageError> {
        let found = place.look().map_err(|error| StorageError::io(path, Act::Open, error))?;
        Ok(Occupant(found.as_ref().map(State::of)))
    }
}

impl State {
    #[allow(clippy::useless_conversion, clippy::unnecessary_fallible_conversions, reason = "other platforms")]
    fn of(stat: &Stat) -> State {
        let nanoseconds = i64::try_from(stat.st_ctime_nsec).unwrap_or(0);
        State { device: stat.st_dev, inode: stat.st_ino, changed: (stat.st_ctime, nanoseconds) }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn another_file_of_the_same_name_is_another_one() {
        let dir = tempfile::tempdir().unwrap();
        let [file, new] = ["file", "new"].map(|name| dir.path().join(name));
        let now = || Occupant::of(&file).unwrap();
        let none = now();
        assert_eq!(none, Occupant::of(&dir.path().join("none/file")).unwrap());
        fs::write(&file, "one").unwrap();
        let first = now();
        assert_eq!((first == none, first), (false, now()));
        fs::write(&new, "two").unwrap();
        fs::rename(&new, &file).unwrap();
        assert_ne!(now(), first);
        fs::remove_file(&file).unwrap();
        assert_eq!(now(), none);
    }

    #[test]
    fn what_is_in_no_folder_has_no_occupant() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("file"), "").unwrap();
        assert_eq!(Occupant::of(&dir.path().join("file/name")).unwrap_err().act, Act::NotRegular);
    }
}
