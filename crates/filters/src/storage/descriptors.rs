//! Descriptors 0, 1 and 2 belong to the program: libpam writes its prompts to 2 and reads the replies from 0,
//! no matter which file they refer to. The system assigns the lowest free number, so in a process that closed
//! one of them the next file that is opened gets its number; prompts would overwrite the header of a ladder
//! at 2. The library leaves no descriptor open.

use std::{
    io,
    os::fd::{AsFd, AsRawFd, OwnedFd, RawFd},
    path::Path,
};

use rustix::{
    fs::{CWD, Mode, OFlags, openat},
    io::{Errno, fcntl_dupfd_cloexec},
};

/// The lowest descriptor that is not standard input, output or error.
const LOWEST: RawFd = 3;

/// The same open file at descriptor 3 or above.
///
/// # Errors
/// The process may not have another descriptor.
pub fn above_standard(file: OwnedFd) -> io::Result<OwnedFd> {
    Ok(at_or_above(LOWEST, file)?)
}

/// Opens a file below a folder, at descriptor 3 or above.
pub(super) fn open_above(folder: impl AsFd, path: impl AsRef<Path>, flags: OFlags) -> Result<OwnedFd, Errno> {
    at_or_above(LOWEST, openat(folder, path.as_ref(), flags | OFlags::CLOEXEC, Mode::empty())?)
}

fn at_or_above(lowest: RawFd, file: OwnedFd) -> Result<OwnedFd, Errno> {
    if file.as_raw_fd() >= lowest {
        return Ok(file);
    }
    // The system calls a limit below `lowest` an invalid argument.
    fcntl_dupfd_cloexec(&file, lowest)
        .map_err(|error| if error == Errno::INVAL { Errno::MFILE } else { error })
}

/// Occupies the closed ones among descriptors 0, 1 and 2 until it is dropped: for calls of libc that keep a
/// descriptor open, such as the connection of `syslog(3)`. The placeholders can be neither read nor written
/// (`O_PATH`), as if they were closed.
#[derive(Debug)]
pub struct StandardTaken {
    _places: Vec<OwnedFd>,
}

impl StandardTaken {
    /// Occupies the closed ones; a process that may not have another descriptor cannot open anything else
    /// either.
    pub fn take() -> StandardTaken {
        StandardTaken { _places: places_below(LOWEST) }
    }
}

fn places_below(lowest: RawFd) -> Vec<OwnedFd> {
    let open = || openat(CWD, "/", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).ok();
    std::iter::repeat_with(open).map_while(|place| place.filter(|place| place.as_raw_fd() < lowest)).collect()
}

#[cfg(test)]
mod tests {
    use std::{
        fs::File,
        os::unix::fs::{FileExt, MetadataExt},
    };

    use rustix::{
        fs::fcntl_getfl,
        io::{FdFlags, fcntl_getfd},
    };

    use super::*;

    #[test]
    fn a_low_descriptor_is_exchanged_for_one_that_is_high_enough() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let file = File::create(&path).unwrap();
        let (number, inode) = (file.as_raw_fd(), file.metadata().unwrap().ino());
        let lowest = number + 200;
        let high = at_or_above(lowest, file.into()).unwrap();
        assert!(high.as_raw_fd() >= lowest && fcntl_getfd(&high).unwrap().contains(FdFlags::CLOEXEC));
        let high = File::from(high);
        assert_eq!(high.metadata().unwrap().ino(), inode);
        high.write_at(b"still writable", 0).unwrap();
        let number = high.as_raw_fd();
        assert_eq!(at_or_above(number, high.into()).unwrap().as_raw_fd(), number, "high enough as it is");
    }

    #[test]
    fn a_limit_below_what_is_asked_for_is_a_lack_of_descriptors() {
        let file = OwnedFd::from(File::open("/").unwrap());
        assert_eq!(at_or_above(RawFd::MAX, file).unwrap_err(), Errno::MFILE);
    }

    #[test]
    fn everything_is_opened_above_and_closed_in_a_child() {
        let file = open_above(CWD, "/etc/passwd", OFlags::RDONLY).unwrap();
        assert!(file.as_raw_fd() >= LOWEST && fcntl_getfd(&file).unwrap().contains(FdFlags::CLOEXEC));
        assert_eq!(open_above(CWD, "/nonexistent", OFlags::RDONLY).unwrap_err(), Errno::NOENT);
    }

    #[test]
    fn places_are_taken_below_and_cannot_be_read() {
        let highest = File::open("/").unwrap().as_raw_fd();
        let places = places_below(highest + 100);
        assert!(!places.is_empty() && places.iter().all(|place| place.as_raw_fd() < highest + 100));
        for place in places {
            assert!(fcntl_getfl(&place).unwrap().contains(OFlags::PATH));
            assert!(fcntl_getfd(&place).unwrap().contains(FdFlags::CLOEXEC));
            assert_eq!(rustix::io::read(&place, &mut [0; 1]).unwrap_err(), Errno::BADF);
        }
        assert!(places_below(0).is_empty());
    }

    /// With descriptor 0 closed, libpam would read a password from the next opened file.
    #[test]
    #[cfg_attr(miri, ignore = "miri starts no programs")]
    fn no_file_takes_the_place_of_a_closed_standard_one() {
        let name = concat!(module_path!(), "::no_file_takes_the_place_of_a_closed_standard_one");
        if crate::alone::alone(name, "").is_some() {
            return;
        }
        nix::unistd::close(0).unwrap();
        let opened = open_above(CWD, "/etc/passwd", OFlags::RDONLY).unwrap();
        let low = openat(CWD, "/etc/passwd", OFlags::CLOEXEC, Mode::empty()).unwrap();
        assert_eq!(low.as_raw_fd(), 0);
        let moved = above_standard(low).unwrap();
        let taken = StandardTaken::take();
        let next = openat(CWD, "/etc/passwd", OFlags::CLOEXEC, Mode::empty()).unwrap();
        assert!([&opened, &moved, &next].iter().all(|file| file.as_raw_fd() >= 3), "{taken:?}");
    }
}
