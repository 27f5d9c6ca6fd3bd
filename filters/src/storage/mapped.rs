//! Memory maps: the library's only unsafe code. [`Mapped`] for filters, which are read, from a shared map or
//! a private copy; [`SharedBits`] for ladders, which are changed in place; [`HashMemory`] for the working
//! memory of one slow hash.

#![allow(unsafe_code, reason = "the one place of the library where files are mapped into memory")]

use std::{
    fs::File,
    io,
    ops::Range,
    os::unix::fs::FileExt,
    path::Path,
    slice,
    sync::atomic::{AtomicU8, AtomicU64, Ordering},
};

use argon2::Block;
use memmap2::{Advice, Mmap, MmapMut, MmapOptions, MmapRaw};

use super::{Access, Act, Bytes, StorageError};

/// The bytes of a whole file that is only ever replaced, never written in place: a map of the page cache, or
/// a copy that no other process can see.
///
/// Nothing of a map is read when it is made. Read a range only after [`Bytes::populate`] said that it can be
/// read: that turns a truncated file or a disk error into an error instead of a SIGBUS in the calling
/// program.
///
/// Which pages, and which cache lines, of a map are read can be observed by every process that has opened the
/// file. The memory of either goes back to the system when the value is dropped.
#[derive(Debug)]
pub struct Mapped {
    map: Mmap,
    access: Access,
    is_copy: bool,
}

impl Mapped {
    /// Maps the whole file.
    ///
    /// # Errors
    /// [`Act::Map`]: an empty file, no address space left. [`Act::Read`]: its metadata cannot be read.
    pub fn new(file: &File, path: &Path) -> Result<Mapped, StorageError> {
        let access = access_to(file, path)?;
        // SAFETY: the promise of `open_trusted` that only root (or this process's own user) can write the
        // file, and of every writer of filter files (`Replacement`, design: writes are never in place) that
        // the bytes of an inode never change once it has its name. A bit read from it is data only: every
        // value is range-checked.
        let map = unsafe { MmapOptions::new().map(file) };
        let map = map.map_err(|e| StorageError::io(path, Act::Map, e))?;
        // Probes are scattered: the kernel's read-around would read 30 pages for each one wanted.
        let _ = map.advise(Advice::Random);
        Ok(Mapped { map, access, is_copy: false })
    }

    /// Reads the first `bytes` bytes of the file, which are to be all of it, into memory of this process
    /// alone.
    ///
    /// # Errors
    /// [`Act::Map`]: no memory left. [`Act::Read`]: an I/O error, or the file is shorter.
    pub fn copied(file: &File, bytes: usize, path: &Path) -> Result<Mapped, StorageError> {
        let access = access_to(file, path)?;
        let unmapped = |e| StorageError::io(path, Act::Map, e);
        // A map and no vector: what the allocator gets back it may keep, in a server for good.
        let mut copy = MmapOptions::new().len(bytes).populate().map_anon().map_err(unmapped)?;
        file.read_exact_at(&mut copy, 0).map_err(|e| StorageError::io(path, Act::Read, e))?;
        let map = copy.make_read_only().map_err(unmapped)?;
        Ok(Mapped { map, access, is_copy: true })
    }

    /// Who else could read the file when it was opened.
    pub fn access(&self) -> Access {
        self.access
    }

    /// True for a copy, false for a map of the page cache.
    pub fn is_copy(&self) -> bool {
        self.is_copy
    }
}

fn access_to(file: &File, path: &Path) -> Result<Access, StorageError> {
    let metadata = file.metadata().map_err(|e| StorageError::io(path, Act::Read, e))?;
    Ok(Access::of(&metadata))
}

impl Bytes for Mapped {
    fn bytes(&self) -> &[u8] {
        &self.map
    }

    fn will_need(&self, ranges: &[Range<usize>]) {
        for range in ranges.iter().filter(|_| !self.is_copy) {
            // A hint: where the kernel does not take it, the pages are read one by one.
            let _ = self.map.advise_range(Advice::WillNeed, range.start, range.len());
        }
    }

    fn populate(&self, range: Range<usize>) -> io::Result<()> {
        if self.is_copy {
            return Ok(());
        }
        match self.map.advise_range(Advice::PopulateRead, range.start, range.len()) {
            // Kernels before 5.14 do not know the advice: the read that follows faults the page in instead.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
            other => other,
        }
    }
}

/// Tells the processor that the bytes around this one will be read soon; nothing where it takes no such hint.
#[inline]
pub fn fetch_ahead(byte: &u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing into the program and never faults, whatever the address (Intel SDM
        // volume 2, PREFETCHh); SSE, which has it, is part of every x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(byte).cast()) };
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = byte;
}

/// Bytes per page of the flags of [`SharedBits`]; a kernel with larger pages is only told the same thing more
/// often.
const PAGE_BYTES: usize = 4096;

/// A map of a file of fixed size that many processes change at once, byte by byte, through atomic operations:
/// a ladder. Nothing is ever borrowed from it, so there is no reference that another process could write
/// under. The first part is accessed by bytes, the rest by words, so that no two accesses are of different
/// size.
///
/// The first access to a page asks the kernel for it: a file that was cut, a full or failing disk then answer
/// with an error instead of a SIGBUS in the calling program.
#[derive(Debug)]
pub struct SharedBits {
    map: MmapRaw,
    file: File,
    byte_part: usize,
    is_writable: bool,
    readable_pages: Vec<AtomicU8>,
    writable_pages: Vec<AtomicU8>,
}

impl SharedBits {
    /// Maps a file of exactly `bytes` bytes accessed one by one and `words` words of 8 bytes after them, for
    /// reading only or for updates too.
    ///
    /// # Errors
    /// [`Act::Read`] when the file is not of that length, [`Act::Map`] when it cannot be mapped.
    pub fn new(
        file: File,
        path: &Path,
        (bytes, words): (u64, u64),
        is_writable: bool,
    ) -> Result<SharedBits, StorageError> {
        let size = file.metadata().map_err(|e| StorageError::io(path, Act::Read, e))?.len();
        let length = words.checked_mul(8).and_then(|words| words.checked_add(bytes));
        let is_whole = length == Some(size) && size > 0 && bytes.is_multiple_of(8);
        let (true, Ok(length), Ok(byte_part)) = (is_whole, usize::try_from(size), usize::try_from(bytes))
        else {
            return Err(StorageError::io(path, Act::Read, io::ErrorKind::UnexpectedEof));
        };
        let mut options = MmapOptions::new();
        options.len(length);
        let map = if is_writable { options.map_raw(&file) } else { options.map_raw_read_only(&file) };
        let map = map.map_err(|e| StorageError::io(path, Act::Map, e))?;
        let _ = map.advise(Advice::Random);
        let pages = length.div_ceil(PAGE_BYTES);
        let flags = || (0..pages.div_ceil(8)).map(|_| AtomicU8::new(0)).collect();
        Ok(SharedBits { map, file, byte_part, is_writable, readable_pages: flags(), writable_pages: flags() })
    }

    /// Bytes in the map.
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// Never: an empty file is not mapped.
    pub fn is_empty(&self) -> bool {
        self.map.len() == 0
    }

    /// One byte, relaxed.
    ///
    /// # Errors
    /// Outside the byte part; a page that cannot be read.
    pub fn load(&self, byte: usize) -> io::Result<u8> {
        self.make_readable(byte)?;
        Ok(self.byte(byte)?.load(Ordering::Relaxed))
    }

    /// Sets the bits of `mask`, relaxed; gives the byte before.
    ///
    /// # Errors
    /// Outside the byte part; a page that cannot be written.
    pub fn fetch_or(&self, byte: usize, mask: u8) -> io::Result<u8> {
        self.make_writable(byte)?;
        Ok(self.byte(byte)?.fetch_or(mask, Ordering::Relaxed))
    }

    /// Keeps only the bits of `mask`, relaxed; gives the byte before.
    ///
    /// # Errors
    /// As [`SharedBits::fetch_or`].
    pub fn fetch_and(&self, byte: usize, mask: u8) -> io::Result<u8> {
        self.make_writable(byte)?;
        Ok(self.byte(byte)?.fetch_and(mask, Ordering::Relaxed))
    }

    /// The little-endian word at a byte offset of the file that is a multiple of 8.
    ///
    /// # Errors
    /// Outside the word part or not aligned; a page that cannot be read.
    pub fn load_word(&self, byte: usize) -> io::Result<u64> {
        self.make_readable(byte)?;
        Ok(u64::from_le(self.word(byte)?.load(Ordering::Relaxed)))
    }

    /// Puts `new` where `old` is; false when something else is there by now.
    ///
    /// # Errors
    /// As [`SharedBits::load_word`]; a page that cannot be written.
    pub fn replace_word(&self, byte: usize, old: u64, new: u64) -> io::Result<bool> {
        self.make_writable(byte)?;
        let word = self.word(byte)?;
        let (old, new) = (old.to_le(), new.to_le());
        Ok(word.compare_exchange(old, new, Ordering::Relaxed, Ordering::Relaxed).is_ok())
    }

    fn byte(&self, byte: usize) -> io::Result<&AtomicU8> {
        if byte >= self.byte_part {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let address = self.map.as_mut_ptr().wrapping_add(byte);
        // SAFETY: `byte` is inside the byte part of the map, checked above, and the map lives as long as
        // `self`. memmap2 (`MmapRaw`) makes no reference to the bytes and neither does this type, so every
        // access of this process is atomic; other processes' accesses are outside the memory model and atomic
        // as well by the same code. On a read-only map only `load` is reached: `make_writable` refuses first.
        Ok(unsafe { AtomicU8::from_ptr(address) })
    }

    #[allow(clippy::cast_ptr_alignment, reason = "checked: a multiple of 8 from the start of a page")]
    fn word(&self, byte: usize) -> io::Result<&AtomicU64> {
        let is_inside =
            byte.checked_add(8).is_some_and(|end| byte >= self.byte_part && end <= self.map.len());
        if !is_inside || !byte.is_multiple_of(8) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let address = self.map.as_mut_ptr().wrapping_add(byte).cast::<u64>();
        // SAFETY: as in `byte`; the map begins at a page (`mmap`), so a multiple of 8 is aligned for a word.
        // The word part begins where the byte part ends, so nothing is accessed in both sizes.
        Ok(unsafe { AtomicU64::from_ptr(address) })
    }

    fn make_readable(&self, byte: usize) -> io::Result<()> {
        self.populate(byte, &self.readable_pages, Advice::PopulateRead)
    }

    fn make_writable(&self, byte: usize) -> io::Result<()> {
        if !self.is_writable {
            return Err(io::ErrorKind::ReadOnlyFilesystem.into());
        }
        self.populate(byte, &self.writable_pages, Advice::PopulateWrite)
    }

    /// Asks for the page of this byte once.
    fn populate(&self, byte: usize, done: &[AtomicU8], advice: Advice) -> io::Result<()> {
        let page = byte / PAGE_BYTES;
        let flag = done.get(page / 8).ok_or(io::ErrorKind::InvalidInput)?;
        let bit = 1 << (page % 8);
        if flag.load(Ordering::Relaxed) & bit != 0 {
            return Ok(());
        }
        let start = page.saturating_mul(PAGE_BYTES);
        let length = self.map.len().saturating_sub(start).min(PAGE_BYTES);
        self.populated(self.map.advise_range(advice, start, length))?;
        flag.fetch_or(bit, Ordering::Relaxed);
        Ok(())
    }

    /// What the system's answer to the advice means. Kernels before 5.14 do not know the advice: then it is
    /// seen that the page is still there, and the access faults it in.
    fn populated(&self, answer: io::Result<()>) -> io::Result<()> {
        match answer {
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => self.see_length(),
            other => other,
        }
    }

    fn see_length(&self) -> io::Result<()> {
        let is_whole = self.file.metadata()?.len() >= self.map.len() as u64;
        if is_whole { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

/// The working memory of one Argon2 hash: mapped for it alone, so that dropping it gives all of it back to
/// the system. An allocator would keep it for the calling program, which may be a daemon that lives for
/// months.
///
/// It is left out of core dumps and of child processes. Its user wipes what is secret in it.
#[derive(Debug)]
pub struct HashMemory {
    map: MmapMut,
    count: usize,
}

// What the cast in `as_mut` relies on: a block has no byte but those of its words, and a page begins where
// one may begin.
const _: () = assert!(size_of::<Block>() == Block::SIZE && PAGE_BYTES.is_multiple_of(align_of::<Block>()));

impl HashMemory {
    /// Maps this many blocks of 1 KiB, all zeros.
    ///
    /// # Errors
    /// What the system answers when there is no memory or no address space left, or a limit is reached.
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

    #[test]
    #[cfg_attr(miri, ignore = "miri cannot map files")]
    fn shows_the_bytes_of_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, vec![7_u8; 10_000]).unwrap();
        let mapped = Mapped::new(&File::open(&path).unwrap(), &path).unwrap();
        mapped.will_need(&[0..4096, 8192..10_000]);
        mapped.populate(4096..8192).unwrap();
        assert_eq!(mapped.bytes().len(), 10_000);
        assert_eq!(mapped.bytes()[5000], 7);
    }

    #[test]
    #[cfg_attr(miri, ignore = "miri cannot map files")]
    fn truncation_is_an_error_not_a_signal() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, vec![7_u8; 16_384]).unwrap();
        let mapped = Mapped::new(&File::open(&path).unwrap(), &path).unwrap();
        File::options().write(true).open(&path).unwrap().set_len(4096).unwrap();
        assert!(mapped.populate(0..4096).is_ok());
        assert!(mapped.populate(8192..12_288).is_err());
    }

    #[test]
    #[cfg_attr(miri, ignore = "miri cannot map files")]
    fn a_copy_is_whole_and_its_own() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let content: Vec<u8> = (0..10_000_u32).map(|n| (n % 251) as u8).collect();
        std::fs::write(&path, &content).unwrap();
        let file = File::open(&path).unwrap();
        let copy = Mapped::copied(&file, content.len(), &path).unwrap();
        assert!(copy.is_copy() && !Mapped::new(&file, &path).unwrap().is_copy());
        File::options().write(true).open(&path).unwrap().set_len(0).unwrap();
        copy.will_need(&[0..5000, 5000..10_000]);
        copy.populate(0..10_000).unwrap();
        assert!(copy.bytes() == content);
    }

    #[test]
    #[cfg_attr(miri, ignore = "miri cannot map files")]
    fn a_copy_of_a_cut_file_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, vec![7_u8; 9999]).unwrap();
        let error = Mapped::copied(&File::open(&path).unwrap(), 10_000, &path).unwrap_err();
        assert_eq!(error.act, Act::Read);
        let nothing = Mapped::copied(&File::open(&path).unwrap(), 0, &path).unwrap();
        assert!(nothing.bytes().is_empty());
    }

    #[test]
    #[cfg_attr(miri, ignore = "miri cannot map files")]
    fn who_else_may_read_is_what_the_opened_file_said() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, "x").unwrap();
        for (mode, is_public) in [(0o600, false), (0o604, true), (0o640, false), (0o644, true)] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            let file = File::open(&path).unwrap();
            for opened in [Mapped::new(&file, &path), Mapped::copied(&file, 1, &path)] {
                assert_eq!(opened.unwrap().access() == Access::Public, is_public, "{mode:o}");
            }
        }
    }

    fn shared(
        content: &[u8],
        words: u64,
        is_writable: bool,
    ) -> (tempfile::TempDir, std::path::PathBuf, SharedBits) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, content).unwrap();
        let file = File::options().read(true).write(is_writable).open(&path).unwrap();
        let shared = SharedBits::new(
            file,
            &path,
            ((content.len() as u64).saturating_sub(words << 3), words),
            is_writable,
        )
        .unwrap();
        (dir, path, shared)
    }

    #[test]
    #[cfg_attr(miri, ignore = "miri cannot map files")]
    fn changes_reach_the_file_and_other_maps() {
        let (_dir, path, one) = shared(&[0b1010; 8192], 0, true);
        let file = File::options().read(true).write(true).open(&path).unwrap();
        let two = SharedBits::new(file, &path, (8192, 0), true).unwrap();
        assert_eq!((two.len(), two.is_empty()), (8192, false));
        assert_eq!(one.fetch_or(5000, 0b0101).unwrap(), 0b1010);
        assert_eq!(two.load(5000).unwrap(), 0b1111);
        assert_eq!(two.fetch_and(5000, 0b0110).unwrap(), 0b1111);
        assert_eq!(std::fs::read(&path).unwrap()[5000], 0b0110);
    }

    #[test]
    #[cfg_attr(miri, ignore = "miri cannot map files")]
    fn words_are_little_endian_and_change_only_from_what_was_seen() {
        let (_dir, path, bits) = shared(&[0; 4096], 510, true);
        assert!(bits.replace_word(16, 0, 0x0102).unwrap());
        assert!(!bits.replace_word(16, 0, 7).unwrap());
        assert_eq!(bits.load_word(16).unwrap(), 0x0102);
        assert_eq!(std::fs::read(&path).unwrap()[16..18], [2, 1]);
        for outside in [17, 8, 4096, usize::MAX] {
            assert!(bits.load_word(outside).is_err());
        }
        assert!(bits.load(15).is_ok() && bits.load(16).is_err() && bits.fetch_or(16, 1).is_err());
    }

    #[test]
    #[cfg_attr(miri, ignore = "miri cannot map files")]
    fn a_read_only_map_refuses_changes() {
        let (_dir, _path, bits) = shared(&[1; 4096], 511, false);
        assert_eq!(bits.load(7).unwrap(), 1);
        assert_eq!(bits.fetch_or(7, 2).unwrap_err().kind(), io::ErrorKind::ReadOnlyFilesystem);
        assert!(bits.fetch_and(7, 2).is_err() && bits.replace_word(8, 0, 1).is_err());
    }

    #[test]
    #[cfg_attr(miri, ignore = "miri cannot map files")]
    fn a_cut_file_is_an_error_for_both_kinds_of_access() {
        let (_dir, path, bits) = shared(&[1; 16_384], 0, true);
        File::options().write(true).open(&path).unwrap().set_len(4096).unwrap();
        assert!(bits.load(100).is_ok() && bits.fetch_or(100, 2).is_ok());
        assert!(bits.load(9000).is_err() && bits.fetch_or(9000, 2).is_err());
        assert!(bits.load(16_384).is_err());
        assert!(SharedBits::new(File::open(&path).unwrap(), &path, (16_384, 0), false).is_err());
    }

    #[test]
    #[cfg_attr(miri, ignore = "miri cannot map files")]
    fn where_the_kernel_cannot_populate_a_page_the_file_must_be_as_long_as_the_map() {
        let (_dir, path, bits) = shared(&[1; 16_384], 0, true);
        let error = |kind: io::ErrorKind| Err(io::Error::from(kind));
        assert!(bits.populated(Ok(())).is_ok() && bits.populated(error(io::ErrorKind::InvalidInput)).is_ok());
        let failed = bits.populated(error(io::ErrorKind::OutOfMemory)).unwrap_err();
        assert_eq!(failed.kind(), io::ErrorKind::OutOfMemory);
        let file = File::options().write(true).open(&path).unwrap();
        for (length, is_whole) in [(20_000, true), (16_384, true), (16_383, false), (0, false)] {
            file.set_len(length).unwrap();
            assert_eq!(bits.populated(error(io::ErrorKind::InvalidInput)).is_ok(), is_whole, "{length}");
        }
    }
}
