//! The file system under the array: can it be snapshotted, is it volatile, is it shared?

use std::{fs, io, os::unix::fs::MetadataExt, path::Path};

use nearmiss_filters::{ladder::LadderFiles, text::system_reason};
use rustix::fs::{major, minor, statfs};

use super::{Finding, State};

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

/// Looks at the file system and the device of the array.
pub(super) fn examine(files: &LadderFiles) -> Vec<Finding> {
    vec![file_system(&files.file), device(&files.file)]
}

fn file_system(path: &Path) -> Finding {
    let check = "file system";
    let kind = match kind(path) {
        Ok(kind) => kind,
        Err(error) => return Finding::wrong(check, system_reason(&error)),
    };
    let warning = |told: &str| Finding::new(check, State::Warning, told);
    match kind {
        BTRFS | ZFS | BCACHEFS | NILFS => warning(SNAPSHOTS),
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

/// Whether what is on it is lost when the system stops.
pub(super) fn is_in_memory(kind: u64) -> bool {
    matches!(kind, TMPFS | RAMFS)
}

const SNAPSHOTS: &str = "this file system takes snapshots: two of them, with the key, show what was recorded \
                         between them; exclude the array (a volume of its own, without snapshots)";

/// Below the file system, a logical volume can be snapshot.
fn device(path: &Path) -> Finding {
    let check = "device";
    let Ok(metadata) = fs::metadata(path) else { return Finding::wrong(check, "the array cannot be read") };
    let (major, minor) = (major(metadata.dev()), minor(metadata.dev()));
    match fs::read_to_string(format!("/sys/dev/block/{major}:{minor}/dm/uuid")) {
        Ok(uuid) if uuid.starts_with("LVM-") => {
            let told =
                "on a logical volume: take no snapshots of it, and none into backups that have the key";
            Finding::new(check, State::Warning, told)
        }
        _ => Finding::fine(check, "no logical volume"),
    }
}
