//! Opening a filter file: the walk to it, its header, and its bytes mapped or copied.

use std::{fs::File, io, path::Path};

use rustix::{
    buffer::spare_capacity,
    io::{pread, retry_on_intr},
};

use super::{DictionaryFilter, FilterError, Problem};
use crate::{
    format::{self, FIXED_BYTES, Header},
    page::PAGE_BYTES,
    storage::{Access, Act, Replacement, StorageError, TrustedFile, Walk, is_page_by_page, mapped::Mapped},
};

/// The largest file that is read completely into private memory: 64 MiB, room for about six million words.
/// Larger ones would make a process larger than a password change justifies.
pub const MAX_COPIED_BYTES: u64 = 64 << 20;

/// The same at a login, which must not wait for it: 1 MiB.
pub const MAX_LOGIN_BYTES: u64 = 1 << 20;

/// The way in which the bytes of a filter are loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loading {
    /// Mapped: fast and of any size, for queries that are not secret. Anyone who may read the file can
    /// observe the pages and cache lines that each query touches, and so learn the query.
    Mapped,
    /// For secret queries: mapped if only the owner and a group may read the file, copied otherwise.
    Unobserved,
    /// Copied completely into private memory, with any permissions of the file: for hosts where another
    /// container or another machine shares the page cache.
    Copied,
}

impl DictionaryFilter<Mapped> {
    /// Opens a filter file: the trusted walk, then every range check of the header, then the length.
    /// Each page is checked against its checksum when it is first touched.
    ///
    /// # Errors
    /// [`FilterError`] with the path: the file is missing, not trusted, not a filter, of another format,
    /// damaged, or to be copied and larger than [`MAX_COPIED_BYTES`].
    pub fn open(path: &Path, loading: Loading) -> Result<DictionaryFilter<Mapped>, FilterError> {
        DictionaryFilter::open_on(&Walk::default(), path, loading)
    }

    /// [`DictionaryFilter::open`] on a walk that is shared with other files.
    ///
    /// # Errors
    /// As [`DictionaryFilter::open`].
    pub fn open_on(
        walk: &Walk,
        path: &Path,
        loading: Loading,
    ) -> Result<DictionaryFilter<Mapped>, FilterError> {
        DictionaryFilter::open_up_to(walk, path, (loading, MAX_COPIED_BYTES))
    }

    /// The same, with a limit on the bytes of a copy. Not inlined: one copy of the code is enough.
    ///
    /// # Errors
    /// As [`DictionaryFilter::open`].
    #[inline(never)]
    pub fn open_up_to(
        walk: &Walk,
        path: &Path,
        loading: (Loading, u64),
    ) -> Result<DictionaryFilter<Mapped>, FilterError> {
        let file = walk.open(path).map_err(|e| FilterError::new(Some(path), Problem::Storage(e)))?;
        let header = header_of(&file.file, file.length, path)?;
        let mapped = load(&file, header.file_bytes(), loading, path)?;
        DictionaryFilter::assemble(header, mapped, Some(path))
    }

    /// The filter that replaces the one at `path`, as it is written so far: to be looked up before it is put
    /// in place.
    ///
    /// # Errors
    /// As [`DictionaryFilter::open`].
    pub fn written(new: &Replacement, path: &Path) -> Result<DictionaryFilter<Mapped>, FilterError> {
        let file = new.written().map_err(|e| FilterError::new(Some(path), Problem::Storage(e)))?;
        let header = header_of(&file.file, file.length, path)?;
        let mapped = load(&file, header.file_bytes(), (Loading::Mapped, MAX_COPIED_BYTES), path)?;
        DictionaryFilter::assemble(header, mapped, Some(path))
    }

    /// The users other than its owner who could read the file when it was opened.
    pub fn access(&self) -> Access {
        self.pages.data().access()
    }

    /// True if the pages are a private copy, whose lookups cannot be observed.
    pub fn is_copy(&self) -> bool {
        self.pages.data().is_copy()
    }

    /// The file; none for bytes in memory.
    pub fn path(&self) -> Option<&Path> {
        self.pages.path()
    }
}

/// The bytes of an opened filter whose length is `file_bytes` according to its header.
fn load(
    file: &TrustedFile,
    file_bytes: u64,
    (loading, most): (Loading, u64),
    path: &Path,
) -> Result<Mapped, FilterError> {
    let failed = |e| FilterError::new(Some(path), Problem::Storage(e));
    let mapped = Mapped::new(file, path).map_err(failed)?;
    let is_public = mapped.access() == Access::Public;
    let is_copied = loading == Loading::Copied || (loading == Loading::Unobserved && is_public);
    if !is_copied || is_page_by_page() {
        return Ok(mapped);
    }
    let bytes = usize::try_from(file_bytes).ok().filter(|_| file_bytes <= most);
    let bytes = bytes.ok_or_else(|| FilterError::new(Some(path), Problem::TooLargeToCopy { is_public }))?;
    Mapped::copied(file, bytes, path).map_err(failed)
}

/// Reads and checks the header of an opened file.
///
/// # Errors
/// [`FilterError`] with the path.
pub fn read_header(file: &File, path: &Path) -> Result<Header, FilterError> {
    let file_bytes = file.metadata().map_err(|e| unreadable(path, e))?.len();
    header_of(file, file_bytes, path)
}

/// Most headers are a page long: one read is enough for them.
fn header_of(file: &File, file_bytes: u64, path: &Path) -> Result<Header, FilterError> {
    let refused = |e| FilterError::new(Some(path), Problem::Format(e));
    let mut bytes = Vec::new();
    let read = |bytes: &mut Vec<u8>, length| {
        read_to(file, bytes, length, file_bytes).map_err(|e| unreadable(path, e))
    };
    read(&mut bytes, PAGE_BYTES)?;
    let fixed = bytes.get(..FIXED_BYTES).unwrap_or(&bytes);
    let header_bytes = format::header_bytes_of(fixed).map_err(refused)?;
    if header_bytes > bytes.len() {
        read(&mut bytes, header_bytes)?;
    }
    bytes.truncate(header_bytes);
    format::decode(&bytes, file_bytes).map_err(refused)
}

fn unreadable(path: &Path, source: io::Error) -> FilterError {
    FilterError::new(Some(path), Problem::Storage(StorageError::io(path, Act::Read, source)))
}

/// Continues to read until `bytes` are the first `length` bytes of the file, or all of it.
fn read_to(file: &File, bytes: &mut Vec<u8>, length: usize, file_bytes: u64) -> io::Result<()> {
    let length = usize::try_from(file_bytes).unwrap_or(usize::MAX).min(length);
    while let Some(left) = length.checked_sub(bytes.len()).filter(|&left| left > 0) {
        bytes.reserve_exact(left);
        let at = bytes.len() as u64;
        if retry_on_intr(|| pread(file, spare_capacity(bytes), at))? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    bytes.truncate(length);
    Ok(())
}
