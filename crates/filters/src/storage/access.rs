//! The users other than its owner who may read a file, for new and for existing files.
//!
//! Anyone who can read a filter can observe, through the page cache, the pages that a password check reads,
//! and so learn the password. That is why filters are private by default.

use std::{
    fs::{self, File, Metadata, Permissions},
    io,
    os::unix::fs::{MetadataExt, PermissionsExt, fchown},
    path::Path,
};

use rustix::process::geteuid;

const GROUP_MAY_READ: u32 = 0o040;
const OTHERS_MAY_READ: u32 = 0o004;

/// The users other than its owner who may read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// None: mode 0600.
    Private,
    /// The members of the group with this number: mode 0640.
    Group(u32),
    /// All users: mode 0644.
    Public,
}

impl Access {
    /// The access by the permission bits of a file.
    pub fn of(metadata: &Metadata) -> Access {
        Access::of_mode(metadata.mode(), metadata.gid())
    }

    pub(super) fn of_mode(mode: u32, group: u32) -> Access {
        if mode & OTHERS_MAY_READ != 0 {
            Access::Public
        } else if mode & GROUP_MAY_READ != 0 {
            Access::Group(group)
        } else {
            Access::Private
        }
    }

    /// The access of the file at this path; none if it is not a regular file, or belongs to an untrusted
    /// user, who must not decide who may read its replacement.
    pub fn of_replaced(path: &Path) -> Option<Access> {
        let metadata = fs::symlink_metadata(path).ok()?;
        let is_ours = metadata.uid() == 0 || metadata.uid() == geteuid().as_raw();
        (metadata.is_file() && is_ours).then(|| Access::of(&metadata))
    }

    /// The default access of a file that replaces this one: a group keeps its access, all users do not.
    #[must_use]
    pub fn kept(self) -> Access {
        if self == Access::Public { Access::Private } else { self }
    }

    /// The permission bits of a file with this access.
    pub fn mode(self) -> u32 {
        match self {
            Access::Private => 0o600,
            Access::Group(_) => 0o640,
            Access::Public => 0o644,
        }
    }

    /// Assigns a file to the group that is to read it, without read permission yet.
    pub(super) fn give(self, file: &File) -> io::Result<()> {
        match self {
            Access::Group(group) => fchown(file, None, Some(group)),
            Access::Private | Access::Public => Ok(()),
        }
    }

    /// Grants the read permission.
    pub(super) fn allow(self, file: &File) -> io::Result<()> {
        file.set_permissions(Permissions::from_mode(self.mode()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(mode: u32) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        (folder, path)
    }

    #[test]
    fn the_bits_for_reading_decide() {
        for (mode, access) in [
            (0o600, "private"),
            (0o611, "private"),
            (0o622, "private"),
            (0o640, "group"),
            (0o650, "group"),
            (0o604, "public"),
            (0o644, "public"),
        ] {
            let (_folder, path) = file(mode);
            let metadata = fs::metadata(&path).unwrap();
            let expected = match access {
                "private" => Access::Private,
                "group" => Access::Group(metadata.gid()),
                _ => Access::Public,
            };
            assert_eq!(Access::of(&metadata), expected, "{mode:o}");
            assert_eq!(Access::of_replaced(&path), Some(expected), "{mode:o}");
        }
    }

    #[test]
    fn a_successor_keeps_the_group_and_is_never_public() {
        assert_eq!(Access::Private.kept(), Access::Private);
        assert_eq!(Access::Group(7).kept(), Access::Group(7));
        assert_eq!(Access::Public.kept(), Access::Private);
    }

    #[test]
    fn what_is_no_file_of_ours_has_no_say() {
        let (folder, path) = file(0o640);
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        for other in [&link, folder.path(), &folder.path().join("none")] {
            assert_eq!(Access::of_replaced(other), None, "{}", other.display());
        }
        if geteuid().is_root() {
            std::os::unix::fs::chown(&path, Some(4343), None).unwrap();
            assert_eq!(Access::of_replaced(&path), None);
        }
    }

    #[test]
    fn what_is_written_for_somebody_is_read_as_that() {
        let (_folder, path) = file(0o600);
        let opened = File::options().write(true).open(&path).unwrap();
        let group = opened.metadata().unwrap().gid();
        for (access, mode) in
            [(Access::Group(group), 0o640), (Access::Public, 0o644), (Access::Private, 0o600)]
        {
            access.give(&opened).unwrap();
            access.allow(&opened).unwrap();
            let metadata = fs::metadata(&path).unwrap();
            assert_eq!((Access::of(&metadata), metadata.mode() & 0o7777), (access, mode));
        }
    }
}
