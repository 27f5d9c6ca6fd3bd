//! Memory maps of trusted files: the library's only unsafe code.

#![allow(unsafe_code, reason = "the one place of the library where files are mapped into memory")]

use std::{fs::File, io, ops::Range, path::Path};

use memmap2::{Advice, Mmap, MmapOptions};

use super::{Act, Bytes, StorageError};

/// A read-only private map of a whole file that is only ever replaced, never written in place.
///
/// Nothing is read when it is made. Read a range only after [`Bytes::populate`] said that it can be read: that
/// turns a truncated file or a disk error into an error instead of a SIGBUS in the calling program.
#[derive(Debug)]
pub struct Mapped {
    map: Mmap,
}

impl Mapped {
    /// Maps the whole file.
    ///
    /// # Errors
    /// [`Act::Map`]: an empty file, no address space left.
    pub fn new(file: &File, path: &Path) -> Result<Mapped, StorageError> {
        // SAFETY: the promise of `open_trusted` that only root (or this process's own user) can write the file, and
        // of every writer of filter files (`Replacement`, design: writes are never in place) that the bytes of an
        // inode never change once it has its name. A bit read from it is data only: every value is range-checked.
        let map = unsafe { MmapOptions::new().map(file) };
        let map = map.map_err(|e| StorageError::io(path, Act::Map, e))?;
        // Probes are scattered: the kernel's read-around would read 30 pages for each one wanted.
        let _ = map.advise(Advice::Random);
        Ok(Mapped { map })
    }
}

impl Bytes for Mapped {
    fn bytes(&self) -> &[u8] {
        &self.map
    }

    fn will_need(&self, ranges: &[Range<usize>]) {
        for range in ranges {
            // A hint: where the kernel does not take it, the pages are read one by one.
            let _ = self.map.advise_range(Advice::WillNeed, range.start, range.len());
        }
    }

    fn populate(&self, range: Range<usize>) -> io::Result<()> {
        match self.map.advise_range(Advice::PopulateRead, range.start, range.len()) {
            // Kernels before 5.14 do not know the advice: the read that follows faults the page in instead.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
