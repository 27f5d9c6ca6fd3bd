//! A folder of the copy that can be written: an overlay of the machine's folder, or, where the kernel makes
//! none, a copy of its files.

use std::{
    ffi::CString,
    fs::{self, Permissions},
    io,
    os::{
        fd::OwnedFd,
        unix::fs::{MetadataExt, PermissionsExt, chown, symlink},
    },
    path::{Path, PathBuf},
};

use nearmiss_filters::text::system_reason;
use rustix::mount::{MountFlags, mount, mount_bind, mount_remount};

use super::table::{Mount, path_of};

/// File systems of the kernel's own, which hold nothing that a change writes.
const OF_KERNEL: [&str; 9] =
    ["proc", "sysfs", "cgroup", "cgroup2", "devpts", "mqueue", "rpc_pipefs", "tracefs", "nsfs"];

/// The largest file that is copied; a larger one is there to be read.
const MAX_FILE: u64 = 4 << 20;

/// The most bytes of files that are copied of a folder.
const MAX_FOLDER: u64 = 64 << 20;

/// These folders and everything mounted below them, a folder before what is mounted in it. A folder that is a
/// symbolic link is the one that it leads to.
pub(super) fn folders(tops: &[&str], mounts: &[&Mount]) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for top in tops.iter().filter_map(|top| Path::new(top).canonicalize().ok()) {
        if !folders.iter().any(|folder| top.starts_with(folder)) {
            folders.push(top);
        }
    }
    let below = |mount: &&&Mount| {
        let is_below = folders.iter().any(|top| mount.folder.starts_with(top) && mount.folder != *top);
        is_below && !mount.is_of(&OF_KERNEL)
    };
    let mut inner: Vec<PathBuf> = mounts.iter().filter(below).map(|mount| mount.folder.clone()).collect();
    inner.sort();
    inner.dedup();
    folders.extend(inner);
    folders
}

/// Makes a folder or a file of the machine, which `lower` leads to, one that can be written.
///
/// # Errors
/// Neither an overlay nor a copy can be made.
pub(super) fn make(base: &Path, number: usize, folder: &Path, lower: &OwnedFd) -> Result<(), String> {
    let reason = |error: io::Error| format!("{}: {}", folder.display(), system_reason(&error));
    let source = path_of(lower);
    let metadata = fs::metadata(&source).map_err(reason)?;
    if !metadata.is_dir() {
        return copy_file(&source, folder).map_err(reason);
    }
    let [upper, work] = ["upper", "work"].map(|name| base.join(format!("{name}-{number}")));
    make_folder(&upper, &metadata).map_err(reason)?;
    fs::create_dir(&work).map_err(reason)?;
    let options = [&source, &upper, &work].map(|path| path.display().to_string());
    let [lower_option, upper_option, work_option] = options;
    let options = format!("lowerdir={lower_option},upperdir={upper_option},workdir={work_option}");
    let options = CString::new(options).unwrap_or_default();
    let flags = MountFlags::NODEV | MountFlags::NOSUID;
    if mount("nearmiss-doctor", folder, "overlay", flags, Some(options.as_c_str())).is_ok() {
        return Ok(());
    }
    let mut left = MAX_FOLDER;
    copy_folder(&source, &upper, &mut left).map_err(reason)?;
    mount_bind(&upper, folder).map_err(|error| reason(error.into()))
}

/// A folder with owner and mode of another.
fn make_folder(folder: &Path, like: &fs::Metadata) -> io::Result<()> {
    fs::create_dir(folder)?;
    chown(folder, Some(like.uid()), Some(like.gid()))?;
    fs::set_permissions(folder, Permissions::from_mode(like.mode()))
}

/// A file that is mounted, as containers do, becomes a file of the overlay that lies below it by now.
fn copy_file(source: &Path, file: &Path) -> io::Result<()> {
    let metadata = fs::metadata(source)?;
    if metadata.len() > MAX_FILE {
        return bind_read_only(source, file);
    }
    fs::write(file, fs::read(source)?)?;
    chown(file, Some(metadata.uid()), Some(metadata.gid()))?;
    fs::set_permissions(file, Permissions::from_mode(metadata.mode()))
}

fn bind_read_only(source: &Path, file: &Path) -> io::Result<()> {
    mount_bind(source, file)?;
    let flags = MountFlags::BIND | MountFlags::RDONLY | MountFlags::NODEV | MountFlags::NOSUID;
    Ok(mount_remount(file, flags, c"")?)
}

/// Copies what is in a folder; sockets and devices are left out.
fn copy_folder(source: &Path, target: &Path, left: &mut u64) -> io::Result<()> {
    for entry in fs::read_dir(source)? {
        let entry = entry?;
        let (from, to) = (entry.path(), target.join(entry.file_name()));
        let metadata = entry.metadata()?;
        if metadata.is_dir() {
            make_folder(&to, &metadata)?;
            copy_folder(&from, &to, left)?;
        } else if metadata.is_symlink() {
            symlink(fs::read_link(&from)?, &to)?;
        } else if metadata.is_file() {
            let size = if metadata.len() > MAX_FILE { 0 } else { metadata.len() };
            *left =
                left.checked_sub(size).ok_or_else(|| io::Error::other("there is too much in it to copy"))?;
            fs::write(&to, "")?;
            copy_file(&from, &to)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_the_files_their_modes_and_links_and_ends_where_it_is_too_large() {
        let folder = tempfile::tempdir().unwrap();
        let [source, target] = ["source", "target"].map(|name| folder.path().join(name));
        for made in [&source, &source.join("inner"), &target] {
            fs::create_dir(made).unwrap();
        }
        fs::write(source.join("inner/file"), "text").unwrap();
        fs::set_permissions(source.join("inner/file"), Permissions::from_mode(0o640)).unwrap();
        symlink("inner/file", source.join("link")).unwrap();
        copy_folder(&source, &target, &mut 4).unwrap();
        assert_eq!(fs::read_to_string(target.join("link")).unwrap(), "text");
        assert_eq!(fs::metadata(target.join("inner/file")).unwrap().mode() & 0o7777, 0o640);
        assert!(target.join("link").is_symlink());
        let other = folder.path().join("other");
        fs::create_dir(&other).unwrap();
        assert!(copy_folder(&source, &other, &mut 3).is_err());
    }
}
