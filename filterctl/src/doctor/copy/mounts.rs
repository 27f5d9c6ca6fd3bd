//! The mounts of the copy: folders that a change may write are overlays in memory, the rest is read-only.

use std::{
    ffi::OsStr,
    fs::{self, Permissions},
    io,
    os::{
        fd::OwnedFd,
        unix::{
            ffi::OsStrExt,
            fs::{FileTypeExt, PermissionsExt, symlink},
        },
    },
    path::{Path, PathBuf},
};

use nearmiss_filters::text::system_reason;
use nix::sched::{CloneFlags, unshare};
use rustix::{
    fs::{AtFlags, FileType, Mode, OFlags, open, statat, unlinkat},
    mount::{
        MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_change, mount_remount,
        unmount,
    },
};

use super::{
    MARK, Report,
    table::{Mount, parse, path_of},
    writable,
};
use crate::doctor::child::{self, Failed};

/// Folders that a change may write: accounts, state, logs, locks, and the files of people.
const WRITABLE: [&str; 6] = ["/etc", "/var", "/run", "/tmp", "/home", "/root"];

/// Mount points for the tmpfs that holds the overlays; the first existing folder is used, and its own overlay
/// later covers it.
const BASES: [&str; 3] = ["/tmp", "/run", "/var"];

/// The devices that modules read.
const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];

/// The most entries below a folder that are looked through for sockets.
const MAX_ENTRIES: usize = 1_000_000;

/// The sockets of this machine.
const SOCKETS: &str = "/proc/net/unix";

/// Makes the copy and starts its first process, whose report this one passes on. The request is on standard
/// input.
pub(in crate::doctor) fn make() -> impl serde::Serialize {
    try_run().unwrap_or_else(|error| Report { error: Some(error), ends: Vec::new() })
}

fn try_run() -> Result<Report, String> {
    let request = io::read_to_string(io::stdin()).map_err(|error| error.to_string())?;
    child::end_with_parent().map_err(|error| system_reason(&error.into()))?;
    let sockets = fs::read(SOCKETS).map_err(|error| format!("{SOCKETS}: {}", system_reason(&error)))?;
    let mounts = fs::read("/proc/self/mountinfo").map_err(|error| system_reason(&error))?;
    let mounts = parse(&String::from_utf8_lossy(&mounts));
    let namespaces = CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWNET
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWUTS
        | CloneFlags::CLONE_NEWPID;
    unshare(namespaces).map_err(|error| format!("no namespaces can be made here: {}", error.desc()))?;
    build(&mounts).map_err(|error| format!("no copy of this machine can be made: {error}"))?;
    paths_of_sockets(&sockets).try_for_each(hide_socket)?;
    for folder in ["/run", "/var/run", "/tmp"] {
        remove_sockets(Path::new(folder))?;
    }
    match child::ask::<Report>(&[OsStr::new("inside")], &request, child::MANY) {
        Ok(report) => Ok(report),
        Err(Failed::NotStarted(reason)) => Err(reason),
        Err(Failed::Ended(words)) => Err(format!("the first process of the copy {words}")),
    }
}

fn build(mounts: &[Mount]) -> Result<(), String> {
    let failed = |path: &Path| {
        let path = path.display().to_string();
        move |error: rustix::io::Errno| format!("{path}: {}", system_reason(&error.into()))
    };
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change("/", private).map_err(failed(Path::new("/")))?;
    // What is mounted below another one comes after it, and goes with it.
    for remote in mounts.iter().rev().filter(|mount| mount.is_remote()) {
        unmount(&remote.folder, UnmountFlags::DETACH).map_err(failed(&remote.folder))?;
    }
    let local = without_remote(mounts);
    let folders = writable::folders(&WRITABLE, &local);
    let handles: Vec<(&PathBuf, OwnedFd)> =
        folders.iter().filter_map(|folder| Some((folder, handle(folder).ok()?))).collect();
    let devices: Vec<(&str, OwnedFd)> = DEVICES
        .iter()
        .filter_map(|name| Some((*name, handle(&Path::new("/dev").join(name)).ok()?)))
        .collect();
    let base = BASES.iter().map(Path::new).find(|base| base.is_dir()).ok_or("there is no /tmp")?;
    mount("nearmiss-doctor", base, "tmpfs", MountFlags::NODEV | MountFlags::NOSUID, Some(c"mode=0700"))
        .map_err(failed(base))?;
    let base = handle(base).map_err(failed(base))?;
    for (number, (folder, lower)) in handles.iter().enumerate() {
        writable::make(&path_of(&base), number, folder, lower)?;
    }
    make_devices(&devices).map_err(|error| format!("/dev: {}", system_reason(&error)))?;
    let is_covered =
        |folder: &Path| WRITABLE.iter().chain(&["/dev", "/proc"]).any(|top| folder.starts_with(top));
    for own in local.iter().filter(|own| !is_covered(&own.folder)) {
        let flags = own.flags | MountFlags::BIND | MountFlags::RDONLY;
        mount_remount(&own.folder, flags, c"").map_err(failed(&own.folder))?;
    }
    Ok(())
}

/// The mounts that are left: the local ones, but for those that were mounted below a remote one.
fn without_remote(mounts: &[Mount]) -> Vec<&Mount> {
    let mut remote: Vec<&Mount> = Vec::new();
    let mut local = Vec::new();
    for mount in mounts {
        if mount.is_remote() {
            remote.push(mount);
        } else if !remote.iter().any(|above| mount.folder.starts_with(&above.folder)) {
            local.push(mount);
        }
    }
    local
}

/// A folder of memory with the devices that every process may have; no disk, and no log.
fn make_devices(devices: &[(&str, OwnedFd)]) -> io::Result<()> {
    mount("nearmiss-doctor", "/dev", "tmpfs", MountFlags::NOSUID, Some(c"mode=0755"))?;
    for (name, device) in devices {
        let place = Path::new("/dev").join(name);
        fs::write(&place, "")?;
        mount_bind(path_of(device), &place)?;
    }
    fs::write(MARK, "")?;
    fs::create_dir("/dev/shm")?;
    fs::set_permissions("/dev/shm", Permissions::from_mode(0o1777))?;
    symlink("/proc/self/fd", "/dev/fd")
}

/// A handle that leads to a path also when something is mounted over it.
fn handle(path: &Path) -> rustix::io::Result<OwnedFd> {
    open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())
}

/// The paths of the sockets that processes of this machine listen on: the last field of `/proc/net/unix`.
fn paths_of_sockets(text: &[u8]) -> impl Iterator<Item = &Path> {
    let path_of_line = |line: &'_ [u8]| line.windows(2).position(|window| window == b" /");
    text.split(|&byte| byte == b'\n')
        .filter_map(move |line| line.get(path_of_line(line)?.saturating_add(1)..))
        .map(|path| Path::new(OsStr::from_bytes(path)))
}

/// Removes a socket from the copy, if it is there: nothing else that has this name, which another user may
/// have made up. Where its file system cannot be written, a device takes its place.
///
/// # Errors
/// It stays within reach.
fn hide_socket(path: &Path) -> Result<(), String> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Ok(()) };
    // The folder is held: whoever may write it can only lead to other files of it.
    let Ok(folder) = open(folder, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()) else {
        return Ok(());
    };
    let found = statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW);
    let is_socket = found.is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::Socket);
    if !is_socket || unlinkat(&folder, name, AtFlags::empty()).is_ok() {
        return Ok(());
    }
    let place = path_of(&folder).join(name);
    mount_bind("/dev/null", &place).map_err(|error| {
        format!("the socket {} stays within reach: {}", path.display(), system_reason(&error.into()))
    })
}

/// Removes a file of the copy, if it is there.
pub(super) fn remove(path: &Path) {
    // What cannot be removed is on a file system that is read-only, or not there.
    let _ = fs::remove_file(path);
}

/// Removes the sockets and pipes below a folder: through one, a module would reach a process of the machine.
///
/// # Errors
/// There are too many entries to look through.
fn remove_sockets(folder: &Path) -> Result<(), String> {
    let mut folders = vec![folder.to_owned()];
    let mut seen = 0_usize;
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).into_iter().flatten().flatten() {
            seen = seen.saturating_add(1);
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_socket() || kind.is_fifo() {
                remove(&entry.path());
            } else if kind.is_dir() {
                folders.push(entry.path());
            }
        }
        if seen > MAX_ENTRIES {
            return Err(format!(
                "{} has more than {MAX_ENTRIES} files to look through for sockets",
                folder.display()
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_of_the_machine_are_those_with_a_path() {
        let text = "Num RefCount Protocol Flags Type St Inode Path\n\
                    0: 00000002 00000000 00010000 0001 01 1 /run/a b.sock\n\
                    0: 00000003 00000000 00000000 0001 03 3\n";
        // Any user may listen on such a name.
        let text = [b"0: 00000002 00000000 00010000 0001 01 2 @\xff\n", text.as_bytes()].concat();
        assert_eq!(paths_of_sockets(&text).collect::<Vec<_>>(), [Path::new("/run/a b.sock")]);
    }

    #[test]
    fn what_is_mounted_below_a_remote_file_system_goes_with_it() {
        let line = |folder: &str, kind: &str| format!("1 1 0:1 / {folder} rw - {kind} x rw\n");
        let text =
            [("/", "ext4"), ("/net", "autofs"), ("/net/a", "nfs4"), ("/net/a/b", "tmpfs"), ("/srv", "xfs")];
        let mounts = parse(&text.map(|(folder, kind)| line(folder, kind)).concat());
        let left: Vec<&Path> = without_remote(&mounts).iter().map(|mount| mount.folder.as_path()).collect();
        assert_eq!(left, [Path::new("/"), Path::new("/srv")]);
    }

    /// Any user may listen on such a name: a line of the list is then the name of another's file.
    #[test]
    fn what_is_no_socket_stays_whatever_the_list_says() {
        let folder = tempfile::tempdir().unwrap();
        let [socket, file, link] = ["socket", "file", "link"].map(|name| folder.path().join(name));
        let _listening = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        fs::write(&file, "").unwrap();
        symlink(&file, &link).unwrap();
        for path in [&file, &link, &socket, &socket, &file.join("none")] {
            hide_socket(path).unwrap();
        }
        assert_eq!([&socket, &file, &link].map(|path| path.exists()), [false, true, true]);
    }

    #[test]
    fn sockets_and_pipes_are_removed_and_files_stay() {
        let folder = tempfile::tempdir().unwrap();
        let [socket, file] = ["inner/socket", "inner/file"].map(|name| folder.path().join(name));
        fs::create_dir(folder.path().join("inner")).unwrap();
        fs::write(&file, "").unwrap();
        let _listening = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        remove_sockets(folder.path()).unwrap();
        assert!(!socket.exists() && file.exists());
    }
}
