//! The working memory of one slow hash.

#![allow(unsafe_code, reason = "a map is lent as blocks")]

use std::{io, slice};

use argon2::Block;
use memmap2::{Advice, MmapMut};

/// The working memory of one Argon2 hash: mapped for it alone, so that dropping it returns all of it to
/// the system. An allocator would keep it for the calling program, which may be a daemon that lives for
/// months.
///
/// It is left out of core dumps and of child processes. Its user wipes what is secret in it.
#[derive(Debug)]
pub struct HashMemory {
    map: MmapMut,
    count: usize,
}

/// Maps begin at a multiple of this.
const PAGE_BYTES: usize = 4096;

// What the cast in `as_mut` relies on: a block has no byte but those of its words, and a page begins where
// one may begin.
const _: () = assert!(size_of::<Block>() == Block::SIZE && PAGE_BYTES % align_of::<Block>() == 0);

impl HashMemory {
    /// Maps this many blocks of 1 KiB, all zeros.
    ///
    /// # Errors
    /// The system error when there is no memory or no address space left, or a limit is reached.
    pub fn new(count: usize) -> io::Result<HashMemory> {
        let bytes = count.checked_mul(Block::SIZE).ok_or(io::ErrorKind::OutOfMemory)?;
        let map = MmapMut::map_anon(bytes)?;
        for advice in [Advice::DontDump, Advice::DontFork] {
            // Where the kernel takes no such advice the memory is in a core as the caller's own is.
            let _ = map.advise(advice);
        }
        Ok(HashMemory { map, count })
    }
}

impl AsMut<[Block]> for HashMemory {
    #[allow(
        clippy::cast_ptr_alignment,
        reason = "a map begins at a page, which suits a block: asserted above"
    )]
    fn as_mut(&mut self) -> &mut [Block] {
        let first = self.map.as_mut_ptr().cast::<Block>();
        // SAFETY: the map is private, writable and `count` blocks long (`new`), begins at a page (mmap(2))
        // and is borrowed for as long as the slice is. The system hands it out as zeros, and any bytes are a
        // block: 128 words of 64 bits (argon2 0.5, `Block`), which leave no room for padding in 1,024 bytes,
        // as asserted above.
        unsafe { slice::from_raw_parts_mut(first, self.count) }
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
        assert!(HashMemory::new(usize::MAX).is_err() && HashMemory::new(usize::MAX >> 11).is_err());
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
