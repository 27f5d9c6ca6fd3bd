//! A file that many processes change at once, bit by bit: a ladder.

use std::{
    fs::File,
    io,
    path::Path,
    sync::atomic::{AtomicU8, AtomicU64, Ordering},
};

use memmap2::{Advice, MmapOptions};

use super::{
    super::{Act, StorageError},
    AtomicMap, PAGE_BYTES,
};

/// A map of a file of fixed size that many processes change at once, byte by byte, through atomic operations:
/// a ladder. Nothing is ever borrowed from it, so no reference points to memory that another process changes.
/// The first part is accessed by bytes, the rest by words, so that no two accesses are of different size.
///
/// The first access to a page populates it: a truncated file, a full or failing disk is then an error instead
/// of a SIGBUS in the calling program.
#[derive(Debug)]
pub struct SharedBits {
    bits: AtomicMap,
    file: File,
    is_writable: bool,
    /// One bit a page of [`PAGE_BYTES`]; with a kernel with larger pages, the same page is only populated
    /// more often.
    readable_pages: Vec<AtomicU8>,
    writable_pages: Vec<AtomicU8>,
}

impl SharedBits {
    /// Maps a file of exactly `bytes` bytes accessed one by one and `words` words of 8 bytes after them, for
    /// reading only or also for updates.
    ///
    /// # Errors
    /// [`Act::Read`] if the file does not have that length, [`Act::Map`] if it cannot be mapped.
    pub fn new(
        file: File,
        path: &Path,
        (bytes, words): (u64, u64),
        is_writable: bool,
    ) -> Result<SharedBits, StorageError> {
        let size = file.metadata().map_err(|e| StorageError::io(path, Act::Read, e))?.len();
        let length = words.checked_mul(8).and_then(|words| words.checked_add(bytes));
        let is_whole = length == Some(size) && size > 0 && bytes % 8 == 0;
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
        let bits = AtomicMap { map, byte_part };
        Ok(SharedBits { bits, file, is_writable, readable_pages: flags(), writable_pages: flags() })
    }

    /// Bytes in the map.
    pub fn len(&self) -> usize {
        self.bits.map.len()
    }

    /// Never: an empty file is not mapped.
    pub fn is_empty(&self) -> bool {
        self.bits.map.len() == 0
    }

    /// One byte, relaxed.
    ///
    /// # Errors
    /// Outside the byte part; a page that cannot be read.
    pub fn load(&self, byte: usize) -> io::Result<u8> {
        self.make_readable(byte)?;
        Ok(self.byte(byte)?.load(Ordering::Relaxed))
    }

    /// Sets the bits of `mask`, relaxed; returns the byte before.
    ///
    /// # Errors
    /// Outside the byte part; a page that cannot be written.
    pub(crate) fn fetch_or(&self, byte: usize, mask: u8) -> io::Result<u8> {
        self.make_writable(byte)?;
        Ok(self.byte(byte)?.fetch_or(mask, Ordering::Relaxed))
    }

    /// Keeps only the bits of `mask`, relaxed; returns the byte before.
    ///
    /// # Errors
    /// As [`SharedBits::fetch_or`].
    pub(crate) fn fetch_and(&self, byte: usize, mask: u8) -> io::Result<u8> {
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

    /// Replaces `old` by `new`; false if the word has another value by now.
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
        self.bits.byte(byte).ok_or_else(|| io::ErrorKind::InvalidInput.into())
    }

    fn word(&self, byte: usize) -> io::Result<&AtomicU64> {
        self.bits.word(byte).ok_or_else(|| io::ErrorKind::InvalidInput.into())
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

    /// Populates the page of this byte once. There is a flag for each page, so the page is inside.
    #[allow(clippy::arithmetic_side_effects, reason = "a page of the map")]
    fn populate(&self, byte: usize, done: &[AtomicU8], advice: Advice) -> io::Result<()> {
        let page = byte / PAGE_BYTES;
        let flag = done.get(page / 8).ok_or(io::ErrorKind::InvalidInput)?;
        let bit = 1 << (page % 8);
        if flag.load(Ordering::Relaxed) & bit != 0 {
            return Ok(());
        }
        let start = page * PAGE_BYTES;
        let length = (self.bits.map.len() - start).min(PAGE_BYTES);
        self.populated(self.bits.map.advise_range(advice, start, length))?;
        flag.fetch_or(bit, Ordering::Relaxed);
        Ok(())
    }

    /// The meaning of the advice's result. Kernels before 5.14 do not know the advice: then this checks that
    /// the page still exists, and the access faults it in.
    fn populated(&self, result: io::Result<()>) -> io::Result<()> {
        match result {
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => self.check_length(),
            other => other,
        }
    }

    fn check_length(&self) -> io::Result<()> {
        let is_whole = self.file.metadata()?.len() >= self.bits.map.len() as u64;
        if is_whole { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects, reason = "an overflow fails the test")]
mod tests {
    use super::*;

    fn shared(
        content: &[u8],
        words: u64,
        is_writable: bool,
    ) -> (tempfile::TempDir, std::path::PathBuf, SharedBits) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, content).unwrap();
        let file = File::options().read(true).write(is_writable).open(&path).unwrap();
        let shared =
            SharedBits::new(file, &path, (content.len() as u64 - (words << 3), words), is_writable).unwrap();
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

    /// On a full disk, a page that was only made readable has no room: the write that follows would end the
    /// program by SIGBUS.
    #[test]
    #[cfg_attr(miri, ignore = "miri cannot map files")]
    fn a_page_has_its_room_before_it_is_written() {
        use std::os::unix::fs::MetadataExt;

        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        File::create(&path).unwrap().set_len(65_536).unwrap();
        let file = File::options().read(true).write(true).open(&path).unwrap();
        let bits = SharedBits::new(file, &path, (65_536, 0), true).unwrap();
        let blocks = || std::fs::metadata(&path).unwrap().blocks();
        let populated = bits.bits.map.advise_range(Advice::PopulateRead, 0, PAGE_BYTES);
        if populated.is_err() || blocks() > 0 {
            println!("SKIPPED: an earlier kernel, or a file system that gives room for what is read");
            return;
        }
        bits.make_writable(5000).unwrap();
        assert!(blocks() > 0, "the page has no room yet");
    }
}
