//! Whether the disk has room for a copy of a filter, checked before a byte is copied: a file of another user
//! may claim any size, and a file with a hole costs its owner nothing.

use std::{fs::File, os::unix::fs::MetadataExt, path::Path};

use nearmiss_cli::{disk::DiskSpace, failure::Failure, keys};
use nearmiss_filters::format::Header;
use rustix::fs::{SeekFrom, seek};

use crate::report::counted;

/// Bytes of a block as `stat` counts them, on every file system.
const STAT_BLOCK: u64 = 512;

/// Checks whether `copies` of this filter fit beside `target`.
///
/// # Errors
/// A [`Failure`]: the file has holes, or the disk has no room.
pub(crate) fn check(file: &File, header: &Header, target: &Path, copies: u64) -> Result<(), Failure> {
    let needed = header.file_bytes();
    if let Some(on_disk) = holes(file) {
        return Err(Failure::plain(
            keys::FILTER_IMPLAUSIBLE,
            sparse(needed, on_disk) + "; nothing was copied",
        ));
    }
    let Some(disk) = space(target) else { return Ok(()) };
    let wanted = needed.saturating_mul(copies);
    if !disk.has_room_for(wanted) {
        return Err(Failure::plain(
            keys::ROOM_ON_DISK,
            format!(
                "not enough space on the disk: {} needed, {} free, of which {} must stay free; nothing was \
             copied",
                counted(wanted, "byte"),
                counted(disk.free, "byte"),
                counted(disk.reserve(), "byte")
            ),
        ));
    }
    Ok(())
}

/// The bytes of a file that are on the disk, if it has a hole: each page of a filter ends with its checksum,
/// which is not zero for a page of zeros. A file system without holes reports none, and a compressing one has
/// fewer blocks than bytes without a hole: only both together prove a sparse file.
pub(crate) fn holes(file: &File) -> Option<u64> {
    let metadata = file.metadata().ok()?;
    let on_disk = metadata.blocks().saturating_mul(STAT_BLOCK);
    let before = seek(file, SeekFrom::Current(0)).ok()?;
    let hole = seek(file, SeekFrom::Hole(0)).ok()?;
    seek(file, SeekFrom::Start(before)).ok()?;
    (hole < metadata.len() && on_disk < metadata.len()).then_some(on_disk)
}

/// The message for a file with holes.
pub(crate) fn sparse(file_bytes: u64, on_disk: u64) -> String {
    let [all, on_disk] = [file_bytes, on_disk].map(|bytes| counted(bytes, "byte"));
    format!("only {on_disk} of its {all} are on the disk: it has holes, and a filter has none")
}

/// The space in the folder of `target`, or in its nearest existing parent.
fn space(target: &Path) -> Option<DiskSpace> {
    let target = std::path::absolute(target).ok()?;
    let folder = target.ancestors().skip(1).find(|folder| folder.is_dir())?;
    DiskSpace::of(folder)
}
