//! The table of mounts, as the kernel prints it.

use std::{
    os::fd::{AsRawFd, OwnedFd},
    path::PathBuf,
};

use rustix::mount::MountFlags;

/// File systems whose server may not reply: they are not in the copy.
const REMOTE: [&str; 10] =
    ["nfs", "nfs4", "cifs", "smb3", "ceph", "glusterfs", "afs", "autofs", "fuse.sshfs", "fuse.glusterfs"];

/// A mount of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mount {
    pub(super) folder: PathBuf,
    pub(super) flags: MountFlags,
    file_system: String,
}

impl Mount {
    /// True for a file system whose server may not reply.
    pub(super) fn is_remote(&self) -> bool {
        self.is_of(&REMOTE)
    }

    /// True for a mount of one of these file systems.
    pub(super) fn is_of(&self, file_systems: &[&str]) -> bool {
        file_systems.contains(&self.file_system.as_str())
    }
}

/// The mounts of a text (`proc_pid_mountinfo(5)`), in their order.
pub(super) fn parse(text: &str) -> Vec<Mount> {
    text.lines().filter_map(parse_line).collect()
}

fn parse_line(line: &str) -> Option<Mount> {
    let (own, of_file_system) = line.split_once(" - ")?;
    let mut fields = own.split(' ').skip(4);
    let folder = PathBuf::from(unescaped(fields.next()?));
    let flags = fields.next()?.split(',').filter_map(flag).collect();
    Some(Mount { folder, flags, file_system: of_file_system.split(' ').next()?.to_owned() })
}

fn flag(name: &str) -> Option<MountFlags> {
    Some(match name {
        "nosuid" => MountFlags::NOSUID,
        "nodev" => MountFlags::NODEV,
        "noexec" => MountFlags::NOEXEC,
        "noatime" => MountFlags::NOATIME,
        "nodiratime" => MountFlags::NODIRATIME,
        "relatime" => MountFlags::RELATIME,
        "ro" => MountFlags::RDONLY,
        _ => return None,
    })
}

/// A path as the kernel writes it, with blanks and backslashes as three octal digits.
fn unescaped(text: &str) -> String {
    let text = [("\\040", " "), ("\\011", "\t"), ("\\012", "\n")]
        .iter()
        .fold(text.to_owned(), |text, (code, sign)| text.replace(code, sign));
    text.replace("\\134", "\\")
}

/// The path by which the kernel finds what a handle leads to.
pub(super) fn path_of(handle: &OwnedFd) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", handle.as_raw_fd()))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn mounts_are_read_with_their_flags_and_odd_names() {
        let text = "27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard\n\
                    31 27 0:29 / /srv/a\\040b ro,nosuid,nodev - nfs4 host:/x rw\nodd\n";
        let read = parse(text);
        let flags = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
        let [root, remote] = read.as_slice() else { panic!("{read:?}") };
        assert_eq!(
            (root.folder.as_path(), root.flags, root.is_remote()),
            (Path::new("/"), MountFlags::RELATIME, false)
        );
        assert_eq!(
            (remote.folder.as_path(), remote.flags, remote.is_remote()),
            (Path::new("/srv/a b"), flags, true)
        );
    }
}
