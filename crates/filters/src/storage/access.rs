//! The users other than its owner who may read a file, for new and for existing files.
//!
//! Anyone who can read a filter can observe, through the page cache, the pages that a password check reads,
//! and so learn the password. That is why filters are private by default.

use std::{
    ffi::CStr,
    fs::{self, File, Metadata, Permissions},
    io,
    os::{
        fd::AsFd,
        unix::fs::{MetadataExt, PermissionsExt, fchown},
    },
    path::Path,
};

use rustix::{
    fs::{fgetxattr, fremovexattr},
    io::Errno,
    process::geteuid,
};

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
        drop_acl(file)?;
        file.set_permissions(Permissions::from_mode(self.mode()))
    }
}

/// The attribute with the access control list of a file or folder. With one, the permission bits of the group
/// are only the most that any user or group in the list has.
const ACL: &CStr = c"system.posix_acl_access";

/// Removes the access control list that a new file or folder has from its folder's default one.
pub(super) fn drop_acl(file: impl AsFd) -> io::Result<()> {
    match fremovexattr(file, ACL) {
        Ok(()) | Err(Errno::NODATA | Errno::NOTSUP) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// True if a file has an access control list.
pub(super) fn has_acl(file: impl AsFd) -> bool {
    fgetxattr(file, ACL, &mut [0_u8; 0][..]).is_ok()
}

#[cfg(test)]
mod tests {
    use super::{super::Place, *};

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

    /// An ACL of a folder or file: the owner, the user 4343, the group, the mask and others.
    fn acl_for_a_user() -> Vec<u8> {
        let nobody = u32::MAX;
        let entries =
            [(1_u16, 7_u16, nobody), (2, 4, 4343), (4, 5, nobody), (0x10, 7, nobody), (0x20, 5, nobody)];
        let entry = |(tag, rights, id): (u16, u16, u32)| {
            [&tag.to_le_bytes()[..], &rights.to_le_bytes(), &id.to_le_bytes()].concat()
        };
        [2_u32.to_le_bytes().to_vec(), entries.map(entry).concat()].concat()
    }

    /// The mode of a file with an ACL is that of its mask: 0640 may let any user read it.
    #[test]
    fn an_acl_of_the_folder_lets_nobody_in() {
        use super::super::{Replacement, Walk};
        use rustix::fs::{XattrFlags, setxattr};

        let folder = tempfile::tempdir().unwrap();
        let open = |path: &Path| Walk::default().open(path).unwrap();
        let set = |path: &Path, name: &CStr| setxattr(path, name, &acl_for_a_user(), XattrFlags::empty());
        if set(folder.path(), c"system.posix_acl_default") == Err(Errno::NOTSUP) {
            println!("SKIPPED: this file system has no ACLs");
            return;
        }
        let target = folder.path().join("file");
        let group = fs::metadata(folder.path()).unwrap().gid();
        let new = Replacement::create(&target, Access::Group(group)).unwrap();
        new.commit().unwrap();
        assert!(!has_acl(File::open(&target).unwrap()));
        assert_eq!(open(&target).access, Access::Group(group));
        fs::set_permissions(&target, Permissions::from_mode(0o600)).unwrap();
        set(&target, ACL).unwrap();
        assert!(has_acl(File::open(&target).unwrap()));
        fs::set_permissions(&target, Permissions::from_mode(0o640)).unwrap();
        assert_eq!(open(&target).access, Access::Public, "the user 4343 may read it");
        fs::set_permissions(&target, Permissions::from_mode(0o600)).unwrap();
        assert_eq!(open(&target).access, Access::Private, "the mask lets nobody in");
        let made = folder.path().join("made");
        Place::of(&made).unwrap().make_folder(0o711).unwrap();
        assert!(!has_acl(File::open(&made).unwrap()));
        assert_eq!(fs::metadata(&made).unwrap().mode() & 0o7777, 0o711);
    }

    /// Root's umask may be 027 or 077 on a hardened host: servers pass these folders all the same.
    #[test]
    #[cfg_attr(miri, ignore = "miri starts no programs")]
    fn the_umask_decides_no_mode_of_a_folder() {
        let name = concat!(module_path!(), "::the_umask_decides_no_mode_of_a_folder");
        for mask in ["0077", "0027", "0000"] {
            if crate::alone::alone(name, &format!("umask {mask}")).is_none() {
                let dir = tempfile::tempdir().unwrap();
                let path = dir.path().join("made");
                Place::of(&path).unwrap().make_folder(0o711).unwrap();
                assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o711);
                return;
            }
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
