//! The space of a disk, of which a part stays free for others.

use std::path::Path;

use rustix::fs::statvfs;

/// The space that stays free on a large disk, 1 GiB; on a small one it is a part of the disk.
const MOST_RESERVE: u64 = 1 << 30;

/// One part in this many of a disk is left free.
const RESERVE_PART: u64 = 20;

/// The space of a disk, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskSpace {
    /// Bytes that this user may still write.
    pub free: u64,
    /// All bytes of the disk.
    pub all: u64,
}

impl DiskSpace {
    /// The space of the disk of an existing folder; none if the system does not tell.
    pub fn of(folder: &Path) -> Option<DiskSpace> {
        let found = statvfs(folder).ok()?;
        let of = |blocks: u64| blocks.saturating_mul(found.f_frsize);
        Some(DiskSpace { free: of(found.f_bavail), all: of(found.f_blocks) })
    }

    /// The bytes that must stay free.
    pub fn reserve(&self) -> u64 {
        (self.all / RESERVE_PART).min(MOST_RESERVE)
    }

    /// True if this number of bytes can be written, and the reserve stays free.
    pub fn has_room_for(&self, bytes: u64) -> bool {
        bytes.saturating_add(self.reserve()) <= self.free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_twentieth_stays_free_and_a_gibibyte_at_most() {
        let small = DiskSpace { free: 900, all: 1000 };
        assert_eq!([849, 850, 851].map(|bytes| small.has_room_for(bytes)), [true, true, false]);
        let large = DiskSpace { free: 1 << 40, all: 1 << 42 };
        let room = (1 << 40) - (1 << 30);
        assert_eq!([room, room + 1, u64::MAX].map(|bytes| large.has_room_for(bytes)), [true, false, false]);
    }
}
