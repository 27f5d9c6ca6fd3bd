//! The file system of the array: whether it takes snapshots, is volatile, shared, or read-only.

use std::{
    fs::{self, OpenOptions},
    io,
    os::unix::fs::MetadataExt,
    path::Path,
};

use nearmiss_cli::{finding::Finding, keys};
use nearmiss_filters::{ladder::LadderFiles, text::system_reason};
use rustix::fs::{major, minor, statfs};

use crate::doctor::remedy;

/// Numbers of file systems, as returned by `statfs` (linux/magic.h; ZFS and bcachefs define theirs
/// elsewhere).
const BTRFS: u64 = 0x9123_683E;
const ZFS: u64 = 0x2FC1_2FC1;
const BCACHEFS: u64 = 0xCA45_1A4E;
const NILFS: u64 = 0x3434;
const TMPFS: u64 = 0x0102_1994;
const RAMFS: u64 = 0x8584_58F6;
const NFS: u64 = 0x6969;
const CIFS: u64 = 0xFF53_4D42;
const SMB2: u64 = 0xFE53_4D42;

const FILE_SYSTEM: &str = "file system";

/// The fix for a file system that loses or shares its files.
const MOVE: &str = "filterctl config | grep ladder.file";

/// Examines the file system and the device of the array.
pub(super) fn examine(files: &LadderFiles) -> Vec<Finding> {
    vec![counting(&files.file), file_system(&files.file), device(&files.file, Path::new("/sys"))]
}

/// A ladder on a read-only file system is read, but counts nothing.
fn counting(file: &Path) -> Finding {
    let check = "counting";
    match OpenOptions::new().write(true).open(file) {
        Ok(_) => Finding::fine(check, "the array can be written"),
        Err(error) => {
            let reason = system_reason(&error);
            let message = format!(
                "{}: cannot be written: {reason}; passwords are compared, but not counted",
                file.display()
            );
            Finding::warning(keys::LADDER_DISK, check, message).fix(writable_again(file, error.kind()))
        }
    }
}

/// The command by which the array can be written again, after this error.
fn writable_again(file: &Path, error: io::ErrorKind) -> String {
    if error == io::ErrorKind::ReadOnlyFilesystem {
        let folder = remedy::quoted(file.parent().unwrap_or(file));
        return format!("mount -o remount,rw \"$(findmnt -no TARGET -T {folder})\"");
    }
    remedy::on_files("chattr -i", [file])
}

fn file_system(path: &Path) -> Finding {
    match kind(path) {
        Ok(kind) => of_kind(kind, is_own_volume(path)),
        Err(error) => Finding::wrong(&error, FILE_SYSTEM, system_reason(&error)).fix(MOVE),
    }
}

/// A file system does not include a separate volume in its snapshots.
fn of_kind(kind: u64, is_own_volume: bool) -> Finding {
    let warning = |key, message: &str| Finding::warning(key, FILE_SYSTEM, message).fix(MOVE);
    match kind {
        BTRFS | ZFS | BCACHEFS | NILFS if !is_own_volume => warning(keys::LADDER_COPIES, SNAPSHOTS),
        kind if is_in_memory(kind) => warning(
            keys::LADDER_DISK,
            "in memory: the ladder is lost when the system stops; use a local disk",
        ),
        NFS | CIFS | SMB2 => warning(
            keys::LADDER_DISK,
            "on a network: its writes do not reach other hosts at once; use a local disk",
        ),
        kind => Finding::fine(FILE_SYSTEM, format!("0x{kind:x}, has no snapshots of its own")),
    }
}

/// The number of the file system.
///
/// # Errors
/// The system's.
#[allow(
    clippy::cast_sign_loss,
    reason = "signed or not and 32 or 64 bits wide by machine; the numbers are 32 bits"
)]
pub(super) fn kind(path: &Path) -> io::Result<u64> {
    Ok((statfs(path)?.f_type as u64) & 0xFFFF_FFFF)
}

/// True if its files are lost when the system stops.
pub(super) fn is_in_memory(kind: u64) -> bool {
    matches!(kind, TMPFS | RAMFS)
}

/// True if the folder of the array is a separate volume, which snapshots of its parent do not include.
fn is_own_volume(file: &Path) -> bool {
    let device = |folder: &Path| fs::metadata(folder).map(|metadata| metadata.dev()).ok();
    let folder = file.parent();
    let above = folder.and_then(Path::parent);
    matches!((folder.and_then(device), above.and_then(device)), (Some(own), Some(above)) if own != above)
}

const SNAPSHOTS: &str = "this file system can take snapshots: two of them, with the key, reveal what was \
                         recorded between them; put the array on a separate volume without snapshots";

/// Below the file system, a logical volume may have snapshots: it is then an origin, whose data have a device
/// of their own.
fn device(path: &Path, sys: &Path) -> Finding {
    let check = "device";
    let Ok(metadata) = fs::metadata(path) else {
        return Finding::wrong(keys::FILE_UNREADABLE, check, "the array cannot be read");
    };
    let (major, minor) = (major(metadata.dev()), minor(metadata.dev()));
    match fs::read_to_string(sys.join(format!("dev/block/{major}:{minor}/dm/uuid"))) {
        Ok(uuid) if uuid.starts_with("LVM-") && is_origin(&uuid, sys) => {
            let message = "on a logical volume with snapshots: two of them, with the key, reveal what was \
                        recorded between them";
            Finding::warning(keys::LADDER_COPIES, check, message).fix("lvs -o lv_name,origin,lv_time")
        }
        Ok(uuid) if uuid.starts_with("LVM-") => {
            Finding::fine(check, "on a logical volume without snapshots; never take one")
        }
        _ => Finding::fine(check, "not on a logical volume"),
    }
}

fn is_origin(uuid: &str, sys: &Path) -> bool {
    let data = format!("{}-real", uuid.trim_end());
    let mut devices = fs::read_dir(sys.join("block")).into_iter().flatten().flatten();
    devices.any(|device| {
        fs::read_to_string(device.path().join("dm/uuid")).is_ok_and(|other| other.trim_end() == data)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearmiss_cli::finding::State;

    #[test]
    fn an_array_that_cannot_be_written_has_the_command_for_its_reason() {
        let fix = |file: &str, error| writable_again(Path::new(file), error);
        let remount = "mount -o remount,rw \"$(findmnt -no TARGET -T '/var/lib/a b')\"";
        assert_eq!(fix("/var/lib/a b/l.ladder", io::ErrorKind::ReadOnlyFilesystem), remount);
        assert_eq!(fix("/var/lib/l.ladder", io::ErrorKind::PermissionDenied), "chattr -i /var/lib/l.ladder");
        let folder = tempfile::tempdir().unwrap();
        let found = counting(folder.path());
        assert_eq!((found.state, found.fix.is_some()), (State::Warning, true));
        assert!(found.message.contains("but not counted"), "{}", found.message);
    }

    /// On a file system that can take snapshots, loses its files or shares them, the fix moves the array.
    #[test]
    fn a_file_system_is_judged_by_its_number_and_the_arrays_own_volume() {
        const EXT4: u64 = 0xEF53;
        for (kinds, shared, own, says) in [
            (
                &[BTRFS, ZFS, BCACHEFS, NILFS][..],
                State::Warning,
                State::Fine,
                "can take snapshots: two of them",
            ),
            (&[TMPFS, RAMFS], State::Warning, State::Warning, "lost when the system stops"),
            (&[NFS, CIFS, SMB2], State::Warning, State::Warning, "on a network"),
            (&[EXT4], State::Fine, State::Fine, "0xef53, has no snapshots of its own"),
        ] {
            for kind in kinds {
                let found = of_kind(*kind, false);
                assert_eq!((found.state, of_kind(*kind, true).state), (shared, own), "0x{kind:x}");
                assert!(found.message.contains(says), "0x{kind:x}: {}", found.message);
                assert_eq!(found.fix.is_some(), shared == State::Warning, "0x{kind:x}");
            }
        }
    }

    /// `/proc` is a separate file system, whose number is the same on every machine.
    #[test]
    fn the_file_system_of_a_file_is_known_and_whether_it_begins_at_its_folder() {
        const PROC: u64 = 0x9FA0;
        let array = Path::new("/proc/version");
        assert_eq!(kind(array).unwrap(), PROC);
        assert!(is_own_volume(array));
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("state");
        fs::create_dir(&inner).unwrap();
        assert!(!is_own_volume(&inner.join("l.ladder")), "a folder like any other");
        assert!(!is_own_volume(&folder.path().join("none/l.ladder")), "a folder that is missing");
        let found = file_system(&folder.path().join("none/l.ladder"));
        assert_eq!((found.state, found.fix.as_deref()), (State::Wrong, Some(MOVE)));
    }

    #[test]
    fn a_logical_volume_is_a_warning_only_with_snapshots() {
        let folder = tempfile::tempdir().unwrap();
        let (sys, array) = (folder.path().join("sys"), folder.path().join("array"));
        fs::write(&array, "").unwrap();
        let expect = |state, words: &str| {
            let found = device(&array, &sys);
            assert_eq!(found.state, state, "{}", found.message);
            assert!(found.message.contains(words), "{}", found.message);
        };
        expect(State::Fine, "not on a logical volume");
        let number = fs::metadata(&array).unwrap().dev();
        let put = |name: &str, uuid: &str| {
            let path = sys.join(name).join("dm");
            fs::create_dir_all(&path).unwrap();
            fs::write(path.join("uuid"), uuid).unwrap();
        };
        let own = format!("dev/block/{}:{}", major(number), minor(number));
        put(&own, "CRYPT-LUKS2-abc\n");
        expect(State::Fine, "not on a logical volume");
        put(&own, "LVM-abc\n");
        put("block/dm-1", "LVM-abc\n");
        expect(State::Fine, "without snapshots; never take one");
        put("block/dm-2", "LVM-abc-real\n");
        expect(State::Warning, "volume with snapshots");
    }
}
