//! The working memory of one slow hash.

use std::io;

use argon2::Block;
use memmap2::{Advice, MmapMut};

use super::blocks_of;

/// The working memory of one Argon2 hash, in its own map, so that dropping it returns all of it to the
/// system. An allocator would keep it for the calling program, which may be a daemon that runs for months.
///
/// It is excluded from core dumps and from child processes. The user of the memory wipes its secrets.
#[derive(Debug)]
pub struct HashMemory {
    map: MmapMut,
}

impl HashMemory {
    /// Maps this many blocks of 1 KiB, all zeros.
    ///
    /// # Errors
    /// The system error if there is no memory or no address space left, or a limit is reached.
    pub fn new(count: usize) -> io::Result<HashMemory> {
        let bytes = count.checked_mul(Block::SIZE).ok_or(io::ErrorKind::OutOfMemory)?;
        let map = MmapMut::map_anon(bytes)?;
        for advice in [Advice::DontDump, Advice::DontFork] {
            // If the kernel does not support this advice, the memory is in core dumps like the caller's own.
            let _ = map.advise(advice);
        }
        Ok(HashMemory { map })
    }
}

impl AsMut<[Block]> for HashMemory {
    fn as_mut(&mut self) -> &mut [Block] {
        blocks_of(&mut self.map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "miri takes no advice about memory")]
    fn memory_for_a_hash_is_zeros_in_blocks() {
        let mut memory = HashMemory::new(1024).unwrap();
        let blocks = memory.as_mut();
        assert_eq!(blocks.len(), 1024);
        assert!(blocks.iter().all(|block| block.as_ref() == [0_u64; 128]));
        blocks[1023].as_mut().fill(u64::MAX);
        assert!(blocks[1022].as_ref() == [0_u64; 128] && blocks[1023].as_ref() == [u64::MAX; 128]);
        // More bytes than a number holds, and more than a map may have.
        assert!(HashMemory::new(usize::MAX).is_err());
        assert!(HashMemory::new(isize::MAX.unsigned_abs() / Block::SIZE + 1).is_err());
    }

    #[test]
    #[cfg_attr(miri, ignore = "miri takes no advice about memory")]
    fn memory_for_a_hash_is_in_no_core_and_no_child_and_goes() {
        let mut memory = HashMemory::new(1024).unwrap();
        let last = std::ptr::from_ref(&memory.as_mut()[1023]) as usize;
        assert!(flags_of(last).is_some_and(|flags| flags.contains("dd") && flags.contains("dc")));
        drop(memory);
        // Another thread may have mapped something there since, but nothing with these flags.
        assert!(!flags_of(last).is_some_and(|flags| flags.contains("dd") && flags.contains("dc")));
    }

    /// The flags of the map that has this address: dd is left out of core dumps, dc of children (proc(5),
    /// smaps).
    fn flags_of(address: usize) -> Option<String> {
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let mut is_it = false;
        for line in maps.lines() {
            let range = line.split(' ').next().and_then(|range| range.split_once('-'));
            let bounds = range.map(|(from, to)| [from, to].map(|end| usize::from_str_radix(end, 16)));
            match (bounds, line.strip_prefix("VmFlags:")) {
                (Some([Ok(from), Ok(to)]), _) => is_it = (from..to).contains(&address),
                (_, Some(flags)) if is_it => return Some(flags.to_owned()),
                _ => {}
            }
        }
        None
    }
}
