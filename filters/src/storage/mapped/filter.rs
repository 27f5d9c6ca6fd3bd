//! The bytes of a filter file, which are read only: a shared map or a private copy.

#![allow(unsafe_code, reason = "a filter file is mapped into memory")]

use std::{fs::File, io, ops::Range, os::unix::fs::FileExt, path::Path};

use memmap2::{Advice, Mmap, MmapOptions};

use super::super::{Access, Act, Bytes, StorageError};

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
        // A map, not a vector: the allocator may keep what it gets back, in a server for good.
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
}
