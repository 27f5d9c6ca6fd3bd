//! Memory maps. This file contains all unsafe code of the library.
//!
//! * [`Mapped`]: a filter, which is read, from a shared map or a private copy;
//! * [`SharedBits`]: a ladder, which is changed in place;
//! * [`HashMemory`]: the working memory of one slow hash;
//! * `fetch_ahead`: a hint to the processor.

#![allow(unsafe_code, reason = "files are mapped into memory, and maps are lent as what they hold")]

mod filter;
mod hash_memory;
mod shared_bits;

use std::{
    io,
    mem::MaybeUninit,
    ops::Range,
    slice,
    sync::atomic::{AtomicU8, AtomicU64},
};

use argon2::Block;
use libc::{MADV_POPULATE_READ, MADV_WILLNEED, RUSAGE_THREAD, SYS_process_madvise, c_long, iovec, rusage};
use memmap2::{Mmap, MmapMut, MmapOptions, MmapRaw};
use rustix::thread::{SecureComputingMode, secure_computing_mode};

use super::TrustedFile;

pub use filter::Mapped;
pub use hash_memory::HashMemory;
pub use shared_bits::SharedBits;

/// Maps begin at a multiple of this.
const PAGE_BYTES: usize = 4096;

/// Prefetches the cache line of this byte, if the processor supports it.
#[inline]
pub(crate) fn fetch_ahead(byte: &u8) {
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

/// Maps the first `length` bytes of a filter file for reading.
fn map_of(trusted: &TrustedFile, length: usize) -> io::Result<Mmap> {
    // SAFETY: the promise of the trusted walk that only root (or this process's own user) can write the file,
    // and of every writer of filter files (`Replacement`, design: writes are never in place) that the bytes
    // of an inode never change once it has its name. A bit read from it is data only: every value is
    // range-checked.
    unsafe { MmapOptions::new().len(length).map(&trusted.file) }
}

/// This process itself, as an argument for a process descriptor: `PIDFD_SELF_THREAD` (linux/fcntl.h).
const THIS_PROCESS: c_long = -10_000;

/// The blocks that this thread has let the system read from disks (getrusage(2), `ru_inblock`); none if that
/// is not known.
fn blocks_read() -> Option<c_long> {
    let mut usage = MaybeUninit::<rusage>::uninit();
    // SAFETY: getrusage(2) only writes the structure that is lent to it.
    let done = unsafe { libc::getrusage(RUSAGE_THREAD, usage.as_mut_ptr()) };
    // SAFETY: getrusage(2) has filled the structure if it returned 0.
    (done == 0).then(|| unsafe { usage.assume_init() }.ru_inblock)
}

/// Lets the kernel read these ranges of a map, unless they `are_cached`, and make them readable, by a system
/// call each for all of them (`process_madvise(2)`, about this process itself).
///
/// False if some range cannot be read, there are more than 1,024 (`UIO_MAXIOV`), or the kernel does not
/// support the call: before Linux 6.13 none supports the second advice, and before 6.17 not all know
/// [`THIS_PROCESS`]. It is not used under a filter of system calls (seccomp): systemd's `@system-service`
/// does not include this call, and the filter may kill the program.
fn populate_together(map: &Mmap, ranges: &[Range<usize>], are_cached: bool) -> bool {
    let vector = |range: &Range<usize>| {
        let part = map.get(range.clone())?;
        Some(iovec { iov_base: part.as_ptr().cast_mut().cast(), iov_len: part.len() })
    };
    if !matches!(secure_computing_mode(), Ok(SecureComputingMode::Disabled)) {
        return false;
    }
    let Some(vectors) = ranges.iter().map(vector).collect::<Option<Vec<iovec>>>() else { return false };
    let no_flags: c_long = 0;
    let bytes = vectors.iter().map(|vector| vector.iov_len).sum();
    let advices = [MADV_WILLNEED, MADV_POPULATE_READ].into_iter().skip(usize::from(are_cached));
    advices.map(c_long::from).all(|advice| {
        let (first, count) = (vectors.as_ptr(), vectors.len());
        // SAFETY: process_madvise(2) reads `count` vectors, which are there, and writes nothing. They point
        // to parts of a map that is lent meanwhile; neither advice changes a byte of it (madvise(2)).
        let done =
            unsafe { libc::syscall(SYS_process_madvise, THIS_PROCESS, first, count, advice, no_flags) };
        usize::try_from(done) == Ok(bytes)
    })
}

// The assumptions of the cast in `blocks_of`: a block consists of its words alone, and a page begins where
// one may begin.
const _: () = assert!(size_of::<Block>() == Block::SIZE && PAGE_BYTES % align_of::<Block>() == 0);

/// The whole blocks of a map.
#[allow(clippy::cast_ptr_alignment, reason = "a map begins at a page, which suits a block: asserted above")]
fn blocks_of(map: &mut MmapMut) -> &mut [Block] {
    let count = map.len() / Block::SIZE;
    let first = map.as_mut_ptr().cast::<Block>();
    // SAFETY: the map is writable and at least `count` blocks long, begins at a page (mmap(2)) and is
    // borrowed for as long as the slice is. Any bytes are a block: 128 words of 64 bits (argon2 0.5,
    // `Block`), which leave no room for padding in 1,024 bytes, as asserted above.
    unsafe { slice::from_raw_parts_mut(first, count) }
}

/// A map that is only accessed by atomic operations: the first part by bytes, the rest by words, so that no
/// two accesses are of different size.
#[derive(Debug)]
struct AtomicMap {
    map: MmapRaw,
    byte_part: usize,
}

impl AtomicMap {
    /// A byte of the first part.
    fn byte(&self, byte: usize) -> Option<&AtomicU8> {
        if byte >= self.byte_part.min(self.map.len()) {
            return None;
        }
        let address = self.map.as_mut_ptr().wrapping_add(byte);
        // SAFETY: `byte` is inside the byte part of the map, checked above, and the map lives as long as
        // `self`. memmap2 (`MmapRaw`) makes no reference to the bytes and neither does this file, so every
        // access of this process is atomic; other processes' accesses are outside the memory model and atomic
        // as well by the same code. A map for reading only is only loaded from: `SharedBits::make_writable`
        // refuses the rest.
        Some(unsafe { AtomicU8::from_ptr(address) })
    }

    /// The word at a byte of the second part, a multiple of 8.
    #[allow(clippy::cast_ptr_alignment, reason = "checked: a multiple of 8 from the start of a page")]
    fn word(&self, byte: usize) -> Option<&AtomicU64> {
        let is_inside =
            byte.checked_add(8).is_some_and(|end| byte >= self.byte_part && end <= self.map.len());
        if !is_inside || byte % 8 != 0 {
            return None;
        }
        let address = self.map.as_mut_ptr().wrapping_add(byte).cast::<u64>();
        // SAFETY: as in `byte`; the map begins at a page (mmap(2)), so a multiple of 8 is aligned for a word.
        // The word part begins where the byte part ends, so nothing is accessed in both sizes.
        Some(unsafe { AtomicU64::from_ptr(address) })
    }
}
