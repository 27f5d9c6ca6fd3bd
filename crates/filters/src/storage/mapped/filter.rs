//! The bytes of a filter file, for reading only: a shared map or a private copy.

use std::{
    io,
    ops::Range,
    os::unix::fs::FileExt,
    path::Path,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};

use libc::c_long;
use memmap2::{Advice, Mmap, MmapOptions};

use super::{
    super::{Access, Act, Bytes, StorageError, TrustedFile, is_page_by_page},
    blocks_read, map_of, populate_together,
};

/// The bytes of a whole file that is only ever replaced, never written in place: a map of the page cache, or
/// a copy that no other process can see.
///
/// Creating a map reads none of it. Read a range only after [`Bytes::populate`] succeeded for it: so a
/// truncated file or a disk error is an error instead of a SIGBUS in the calling program.
///
/// Every process that has opened the file can observe the pages and cache lines of a map that are read. The
/// memory of either form is returned to the system when the value is dropped.
#[derive(Debug)]
pub struct Mapped {
    map: Mmap,
    access: Access,
    is_copy: bool,
    /// The last ranges were in the page cache.
    is_cached: AtomicBool,
}

impl Mapped {
    /// Maps the whole file.
    ///
    /// # Errors
    /// [`Act::Map`]: an empty file, no address space left, a file longer than a 32-bit program can map.
    pub fn new(trusted: &TrustedFile, path: &Path) -> Result<Mapped, StorageError> {
        let &TrustedFile { length, access, .. } = trusted;
        let unmapped = |e| StorageError::io(path, Act::Map, e);
        let too_long =
            || io::Error::new(io::ErrorKind::FileTooLarge, "a 32-bit program cannot map a file so long");
        let length = isize::try_from(length).map_err(|_| unmapped(too_long()))?.unsigned_abs();
        let map = map_of(trusted, length).map_err(unmapped)?;
        // Probes are scattered: the kernel's read-around would read 30 pages for each needed one.
        let _ = map.advise(Advice::Random);
        Ok(Mapped { map, access, is_copy: false, is_cached: AtomicBool::new(false) })
    }

    /// Reads the first `bytes` bytes of the file, which must be all of it, into private memory.
    ///
    /// # Errors
    /// [`Act::Map`]: no memory left. [`Act::Read`]: an I/O error, or the file is shorter.
    pub fn copied(trusted: &TrustedFile, bytes: usize, path: &Path) -> Result<Mapped, StorageError> {
        let &TrustedFile { ref file, access, .. } = trusted;
        let unmapped = |e| StorageError::io(path, Act::Map, e);
        // A map, not a vector: the allocator may keep freed memory, in a server forever.
        let mut copy = MmapOptions::new().len(bytes).populate().map_anon().map_err(unmapped)?;
        file.read_exact_at(&mut copy, 0).map_err(|e| StorageError::io(path, Act::Read, e))?;
        let map = copy.make_read_only().map_err(unmapped)?;
        Ok(Mapped { map, access, is_copy: true, is_cached: AtomicBool::new(true) })
    }

    /// The other users who could read the file when it was opened.
    pub fn access(&self) -> Access {
        self.access
    }

    /// True for a copy, false for a map of the page cache.
    pub fn is_copy(&self) -> bool {
        self.is_copy
    }
}

/// A page of memory, at least.
const PAGE: usize = 1 << 12;

/// The number of ranges from which populating them together needs fewer system calls: two, and one to detect
/// a filter of system calls.
const MIN_TOGETHER: usize = 2;

/// The number of ranges that show whether the others are in the page cache, too: they are distributed by a
/// hash, so if a tenth of the file is not, then all of so many are in one of five cases.
const MIN_SAMPLE: usize = 16;

/// The longest gap between two ranges that are populated as one: 64 KiB, which the kernel maps at once when
/// it maps one page of them (`fault_around_bytes`), and which a disk reads about as fast as one page. Mapping
/// 64 pages takes more than twice as long as the two calls for a separate range.
const MAX_GAP: usize = 16 * PAGE;

/// True if these many ranges, and the ones before them, show that all are in the page cache: nothing was read
/// from a disk meanwhile, by the blocks that had been read before and after them.
fn are_all_cached(ranges: usize, were_cached: bool, [before, after]: [Option<c_long>; 2]) -> bool {
    before.is_some() && before == after && (were_cached || ranges >= MIN_SAMPLE)
}

/// These ascending ranges, joined across short gaps.
fn joined(ranges: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end.saturating_add(MAX_GAP) => {
                last.end = last.end.max(range.end);
            }
            _ => joined.push(range.clone()),
        }
    }
    joined
}

impl Bytes for Mapped {
    fn bytes(&self) -> &[u8] {
        &self.map
    }

    fn will_need(&self, ranges: &[Range<usize>]) {
        for range in ranges.iter().filter(|_| !self.is_copy) {
            // A hint: if the kernel ignores it, the pages are read one by one.
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

    /// All ranges by two system calls, if they are supported; otherwise by two for each range or group of
    /// adjacent ranges. The first of them, which lets the disk read all ranges together, takes half of the
    /// time if there is nothing to read. So it is left out after ranges that were all in the page cache.
    fn populate_all(&self, ranges: &[Range<usize>]) -> io::Result<()> {
        if self.is_copy {
            return Ok(());
        }
        let (before, were_cached) = (blocks_read(), self.is_cached.load(Relaxed));
        let populated = self.populate_each(ranges, were_cached);
        let are_cached = are_all_cached(ranges.len(), were_cached, [before, blocks_read()]);
        self.is_cached.store(are_cached, Relaxed);
        populated
    }
}

impl Mapped {
    fn populate_each(&self, ranges: &[Range<usize>], are_cached: bool) -> io::Result<()> {
        let is_page_by_page = is_page_by_page();
        let is_many = ranges.len() >= MIN_TOGETHER && !is_page_by_page;
        if is_many && populate_together(&self.map, ranges, are_cached) {
            return Ok(());
        }
        let ranges = if is_page_by_page { ranges.to_vec() } else { joined(ranges) };
        // A single page is read immediately.
        if !are_cached && !matches!(ranges.as_slice(), [one] if one.len() <= PAGE) {
            self.will_need(&ranges);
        }
        ranges.into_iter().try_for_each(|range| self.populate(range))
    }
}

#[cfg(test)]
mod tests;
