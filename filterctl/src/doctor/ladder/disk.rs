//! The file system under the array: can it be snapshotted, is it volatile, is it shared, can it be written?

use std::{
    fs::{self, OpenOptions},
    io,
    os::unix::fs::MetadataExt,
    path::Path,
};

use nearmiss_filters::{ladder::LadderFiles, text::system_reason};
use rustix::fs::{major, minor, statfs};

use crate::{doctor::remedy, finding::Finding};

/// Numbers of file systems, as `statfs` tells them (linux/magic.h; ZFS and bcachefs have theirs elsewhere).
const BTRFS: u64 = 0x9123_683E;
const ZFS: u64 = 0x2FC1_2FC1;
const BCACHEFS: u64 = 0xCA45_1A4E;
const NILFS: u64 = 0x3434;
const TMPFS: u64 = 0x0102_1994;
const RAMFS: u64 = 0x8584_58F6;
const NFS: u64 = 0x6969;
const CIFS: u64 = 0xFF53_4D42;
const SMB2: u64 = 0xFE53_4D42;

/// The fix for a file system that loses or shares its files.
const MOVE: &str = "filterctl config | grep ladder.file";

/// Looks at the file system and the device of the array.
pub(super) fn examine(files: &LadderFiles) -> Vec<Finding> {
    vec![counting(&files.file), file_system(&files.file), device(&files.file, Path::new("/sys"))]
}

/// A ladder on a file system that cannot be written is asked, and nothing is counted.
fn counting(file: &Path) -> Finding {
    let check = "counting";
    match OpenOptions::new().write(true).open(file) {
        Ok(_) => Finding::fine(check, "the array can be written"),
        Err(error) => {
            let reason = system_reason(&error);
            let message = format!(
                "{}: cannot be written: {reason}; passwords are compared, none is counted",
                file.display()
            );
            let folder = file.parent().unwrap_or(file);
            let fix = if error.kind() == io::ErrorKind::ReadOnlyFilesystem {
                format!("mount -o remount,rw \"$(findmnt -no TARGET -T {})\"", remedy::quoted(folder))
            } else {
                remedy::on_files("chattr -i", [file])
            };
            Finding::warning(check, message).fix(fix)
        }
    }
}

fn file_system(path: &Path) -> Finding {
    let check = "file system";
    let kind = match kind(path) {
        Ok(kind) => kind,
        Err(error) => return Finding::wrong(check, system_reason(&error)).fix(MOVE),
    };
    let warning = |message: &str| Finding::warning(check, message).fix(MOVE);
    match kind {
        BTRFS | ZFS | BCACHEFS | NILFS if !is_own_volume(path) => warning(SNAPSHOTS),
        kind if is_in_memory(kind) => warning("in memory: the ladder is lost when the system stops"),
        NFS | CIFS | SMB2 => {
            warning("on a network: its stores do not reach other hosts at once; use a local disk")
        }
        kind => Finding::fine(check, format!("0x{kind:x}, takes no snapshots of itself")),
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

/// True where the folder of the array is a volume of its own, which snapshots of the one above leave out.
fn is_own_volume(file: &Path) -> bool {
    let device = |folder: &Path| fs::metadata(folder).map(|metadata| metadata.dev()).ok();
    let folder = file.parent();
    let above = folder.and_then(Path::parent);
    matches!((folder.and_then(device), above.and_then(device)), (Some(own), Some(above)) if own != above)
}

const SNAPSHOTS: &str = "this file system takes snapshots: two of them, with the key, show what was recorded \
                         between them; put the array into a volume of its own, without snapshots";

/// Below the file system, a logical volume can be snapshot: it is then an origin, whose data have a device of
/// their own.
fn device(path: &Path, sys: &Path) -> Finding {
    let check = "device";
    let Ok(metadata) = fs::metadata(path) else { return Finding::wrong(check, "the array cannot be read") };
    let (major, minor) = (major(metadata.dev()), minor(metadata.dev()));
    match fs::read_to_string(sys.join(format!("dev/block/{major}:{minor}/dm/uuid"))) {
        Ok(uuid) if uuid.starts_with("LVM-") && is_origin(&uuid, sys) => {
            let message = "on a logical volume that has snapshots: two of them, with the key, show what was \
                        recorded between them";
            Finding::warning(check, message).fix("lvs -o lv_name,origin,lv_time")
        }
        Ok(uuid) if uuid.starts_with("LVM-") => {
            Finding::fine(check, "on a logical volume without snapshots: take none of it")
        }
        _ => Finding::fine(check, "no logical volume"),
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
    use crate::finding::State;

    #[test]
    fn a_logical_volume_is_a_warning_only_with_snapshots() {
        let folder = tempfile::tempdir().unwrap();
        let (sys, array) = (folder.path().join("sys"), folder.path().join("array"));
        fs::write(&array, "").unwrap();
        let state = || device(&array, &sys).state;
        assert_eq!(state(), State::Fine);
        let number = fs::metadata(&array).unwrap().dev();
        let put = |name: &str, uuid: &str| {
            let path = sys.join(name).join("dm");
            fs::create_dir_all(&path).unwrap();
            fs::write(path.join("uuid"), uuid).unwrap();
        };
        put(&format!("dev/block/{}:{}", major(number), minor(number)), "LVM-abc\n");
        put("block/dm-1", "LVM-abc\n");
        assert_eq!(state(), State::Fine);
        put("block/dm-2", "LVM-abc-real\n");
        assert_eq!(state(), State::Warning);
    }
}
