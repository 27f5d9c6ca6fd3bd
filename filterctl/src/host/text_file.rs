//! Text files of the system, which other programs write in whatever charset.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::Path,
};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};

/// The text of a file, with a replacement character for each byte that is not UTF-8: one name in another
/// charset takes nothing else away.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn read_lossy(path: &Path) -> io::Result<String> {
    fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// A regular file of the system below a root, whose links lead within that root: an image's own absolute
/// links do not lead to the files of this system.
///
/// # Errors
/// It does not exist there, is no regular file, or cannot be opened.
pub(crate) fn open_below(root: &Path, file: &Path) -> io::Result<File> {
    let opened = if root == Path::new("/") {
        File::open(file)?
    } else {
        let inside = file.strip_prefix(root).unwrap_or(file);
        let folder =
            openat2(CWD, root, OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), ResolveFlags::empty())?;
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        File::from(openat2(&folder, inside, flags, Mode::empty(), ResolveFlags::IN_ROOT)?)
    };
    if opened.metadata()?.is_file() { Ok(opened) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

/// The bytes of such a file.
///
/// # Errors
/// It cannot be opened or read.
pub(crate) fn read_below(root: &Path, file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_below(root, file)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn an_absolute_link_of_an_image_leads_within_it() {
        let (image, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = image.path();
        let there = outside.path().join("file");
        fs::write(&there, "of this system").unwrap();
        symlink(&there, root.join("link")).unwrap();
        assert!(read_below(root, &root.join("link")).is_err());
        let within = root.join(there.strip_prefix("/").unwrap());
        fs::create_dir_all(within.parent().unwrap()).unwrap();
        fs::write(&within, "of the image").unwrap();
        assert_eq!(read_below(root, &root.join("link")).unwrap(), b"of the image");
    }

    #[test]
    fn a_name_in_another_charset_hides_no_other_line() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), b"anna:x:1000:1000:Andr\xe9:/:\nbob:x:1001:1001::/:\n").unwrap();
        let text = read_lossy(file.path()).unwrap();
        assert_eq!(text.lines().nth(1), Some("bob:x:1001:1001::/:"));
    }
}
