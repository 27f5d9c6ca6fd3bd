//! Text files of a system, which other programs write in whatever charset.

use std::{
    fs::File,
    io::{self, Read},
    os::fd::OwnedFd,
    path::Path,
};

use rustix::fs::{Mode, OFlags, ResolveFlags, open, openat2};

/// The text of a file of the system below a root, with a replacement character for each byte that is not
/// UTF-8: one name in another charset takes nothing else away.
///
/// # Errors
/// As for [`read_below`].
pub(crate) fn read_lossy(root: &Path, file: &Path) -> io::Result<String> {
    read_below(root, file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// The bytes of a regular file of the system below a root.
///
/// # Errors
/// It does not exist there, is no regular file, or cannot be read.
pub(crate) fn read_below(root: &Path, file: &Path) -> io::Result<Vec<u8>> {
    read_at_most(root, file, u64::MAX)
}

/// The same of a file with no more than `most` bytes.
///
/// # Errors
/// As for [`read_below`]; it is larger.
pub(crate) fn read_at_most(root: &Path, file: &Path, most: u64) -> io::Result<Vec<u8>> {
    // A pipe in its place is not waited for, and no terminal becomes this program's.
    let file = open_below(root, file, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY);
    let file = File::from(file?);
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

/// True if something is there, of whatever kind.
pub(crate) fn exists_below(root: &Path, file: &Path) -> bool {
    open_below(root, file, OFlags::PATH).is_ok()
}

/// True if a regular file is there, also one that this user may not read.
pub(crate) fn is_file_below(root: &Path, file: &Path) -> bool {
    let found = open_below(root, file, OFlags::PATH).map(File::from);
    found.and_then(|file| file.metadata()).is_ok_and(|found| found.is_file())
}

/// Opens a file of the system below a root. Links lead within that root: an image's own absolute links do not
/// lead to the files of this system.
fn open_below(root: &Path, file: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let flags = flags | OFlags::CLOEXEC;
    if root == Path::new("/") {
        return Ok(open(file, flags, Mode::empty())?);
    }
    let folder = open(root, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    let inside = file.strip_prefix(root).unwrap_or(file);
    Ok(openat2(&folder, inside, flags, Mode::empty(), ResolveFlags::IN_ROOT)?)
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    #[test]
    fn an_absolute_link_of_an_image_leads_within_it() {
        let (image, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = image.path();
        let there = outside.path().join("file");
        fs::write(&there, "of this system").unwrap();
        symlink(&there, root.join("link")).unwrap();
        assert!(read_below(root, &root.join("link")).is_err() && !is_file_below(root, &root.join("link")));
        let within = root.join(there.strip_prefix("/").unwrap());
        fs::create_dir_all(within.parent().unwrap()).unwrap();
        fs::write(&within, "of the image").unwrap();
        assert_eq!(read_below(root, &root.join("link")).unwrap(), b"of the image");
        assert!(is_file_below(root, &root.join("link")));
    }

    #[test]
    fn what_is_no_file_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, Mode::RUSR).unwrap();
        for root in [Path::new("/"), folder.path()] {
            assert!(read_below(root, &pipe).is_err() && !is_file_below(root, &pipe));
            assert!(exists_below(root, &pipe) && !exists_below(root, &folder.path().join("none")));
            assert!(read_below(root, folder.path()).is_err() && !is_file_below(root, folder.path()));
        }
    }

    #[test]
    fn a_file_of_more_bytes_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), b"text").unwrap();
        let read = |most| read_at_most(Path::new("/"), file.path(), most).map_err(|error| error.kind());
        assert_eq!((read(4).unwrap(), read(3)), (b"text".to_vec(), Err(io::ErrorKind::FileTooLarge)));
    }

    #[test]
    fn a_name_in_another_charset_hides_no_other_line() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), b"anna:x:1000:1000:Andr\xe9:/:\nbob:x:1001:1001::/:\n").unwrap();
        let text = read_lossy(Path::new("/"), file.path()).unwrap();
        assert_eq!(text.lines().nth(1), Some("bob:x:1001:1001::/:"));
    }
}
