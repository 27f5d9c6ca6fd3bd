//! A ladder in a file: created once, complete and random; then only changed bit by bit through a shared map.

#![allow(clippy::arithmetic_side_effects, reason = "positions in a file whose length was checked")]

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::error::{HeaderError, LadderError};
use super::header::{HEADER_BYTES, Header, key_check};
use super::key_file::{create_key, read_key};
use super::slow_hash::Cost;
use super::words::WordStore;
use crate::ladder::structure::bits::BitStore;
use crate::ladder::structure::keys::{ID_BYTES, MasterKey};
use crate::ladder::structure::params::Params;
use crate::random::{RandomSource, SystemRandom};
use crate::storage::mapped::SharedBits;
use crate::storage::{Access, Act, FolderLock, Replacement, StorageError, TrustedFile, Walk, make_folders};

/// The ladder's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LadderFiles {
    /// The array of bits.
    pub file: PathBuf,
    /// The master key.
    pub key: PathBuf,
}

/// The parameters of a new ladder.
#[derive(Clone, Copy, Debug)]
pub struct NewLadder {
    /// Bits, rungs, threshold, steps.
    pub params: Params,
    /// The slow hash, if any.
    pub cost: Option<Cost>,
    /// Slots for account stamps: see `stamps_for`.
    pub stamps: u32,
}

/// Creates a ladder of random bits and, if there is none, a key. Readers see the old ladder (if `replace`) or
/// the new one. Missing folders are created, for their owner only. The folders are locked meanwhile:
/// otherwise a concurrent process could replace the key of the ladder that this one has created.
///
/// # Errors
/// [`LadderError::Exists`] without `replace`; [`LadderError::File`] for parameters that a file cannot have;
/// storage and random errors, including `Act::Busy` if another process is creating a ladder or a key in one
/// of the folders.
pub fn create(files: &LadderFiles, new: &NewLadder, replace: bool) -> Result<Header, LadderError> {
    let paths = [files.file.as_path(), &files.key];
    paths.into_iter().try_for_each(make_folder)?;
    let _lock = FolderLock::of(&paths)?;
    if !replace && files.file.symlink_metadata().is_ok() {
        return Err(LadderError::Exists { path: files.file.clone() });
    }
    let key = match read_key(&files.key) {
        Err(LadderError::Storage(error)) if error.is_missing() => create_key(&files.key)?,
        key => key?,
    };
    let header = header(new, &key)?;
    // A header that cannot be read back must not be written.
    let is_readable = Header::decode(&header.encode());
    is_readable.map_err(|problem| LadderError::File { path: files.file.clone(), problem })?;
    write(&files.file, &header)?;
    Ok(header)
}

pub(in crate::ladder) fn make_folder(path: &Path) -> Result<(), LadderError> {
    let Some(folder) = path.parent().filter(|folder| !folder.exists()) else { return Ok(()) };
    make_folders(folder, 0o700)?;
    Ok(())
}

/// The header of a new ladder: a random name, and the day.
pub(in crate::ladder) fn header(new: &NewLadder, key: &MasterKey) -> Result<Header, LadderError> {
    let mut id = [0; ID_BYTES];
    SystemRandom.fill(&mut id).map_err(LadderError::Random)?;
    let created = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |age| age.as_secs());
    Ok(Header {
        params: new.params,
        key_check: key_check(key, &id),
        id,
        cost: new.cost,
        stamps: new.stamps,
        created,
        is_elsewhere: false,
    })
}

/// Bytes written at once.
const CHUNK_BYTES: usize = 1 << 16;

/// Every byte is written, so the file is fully allocated: later writes through the map cannot fail on a full
/// disk.
fn write(path: &Path, header: &Header) -> Result<(), LadderError> {
    let mut file = Replacement::create(path, Access::Private)?;
    file.write(&header.encode())?;
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut left = header.params.bits() >> 3;
    while left > 0 {
        let length = usize::try_from(left).unwrap_or(CHUNK_BYTES).min(CHUNK_BYTES);
        chunk.truncate(length);
        SystemRandom.fill(&mut chunk).map_err(LadderError::Random)?;
        file.write(&chunk)?;
        left -= length as u64;
    }
    for _ in 0..header.stamps.div_ceil(super::header::STAMPS_PER_PAGE) {
        file.write(&[0; HEADER_BYTES])?;
    }
    Ok(file.commit()?)
}

/// The bits of an open ladder file.
#[derive(Debug)]
pub struct FileBits {
    shared: SharedBits,
    byte_count: u64,
}

impl FileBits {
    /// The words after the bits.
    pub(in crate::ladder) fn words(&self) -> FileWords<'_> {
        FileWords { shared: &self.shared, first_byte: self.byte_count + HEADER_BYTES as u64 }
    }

    fn at(&self, byte: u64) -> io::Result<usize> {
        let inside = Some(byte).filter(|byte| *byte < self.byte_count);
        let offset = inside.and_then(|byte| usize::try_from(byte).ok()?.checked_add(HEADER_BYTES));
        offset.ok_or_else(|| io::ErrorKind::InvalidInput.into())
    }
}

impl BitStore for FileBits {
    fn byte_count(&self) -> u64 {
        self.byte_count
    }

    fn load(&self, byte: u64) -> io::Result<u8> {
        self.shared.load(self.at(byte)?)
    }

    fn set(&self, byte: u64, mask: u8) -> io::Result<u8> {
        self.shared.fetch_or(self.at(byte)?, mask)
    }

    fn clear(&self, byte: u64, mask: u8) -> io::Result<u8> {
        self.shared.fetch_and(self.at(byte)?, !mask)
    }
}

/// The stamps of an open ladder file, by words.
pub(in crate::ladder) struct FileWords<'a> {
    shared: &'a SharedBits,
    first_byte: u64,
}

impl FileWords<'_> {
    fn at(&self, word: u64) -> io::Result<usize> {
        let at = word.checked_mul(8).and_then(|offset| offset.checked_add(self.first_byte));
        at.and_then(|at| usize::try_from(at).ok()).ok_or_else(|| io::ErrorKind::InvalidInput.into())
    }
}

impl WordStore for FileWords<'_> {
    fn load(&self, word: u64) -> io::Result<u64> {
        self.shared.load_word(self.at(word)?)
    }

    fn replace(&self, word: u64, old: u64, new: u64) -> io::Result<bool> {
        self.shared.replace_word(self.at(word)?, old, new)
    }
}

/// Opens a ladder file after the trusted walk and maps it; for reading only if it cannot be written (a
/// read-only file system). `None` if there is no such file.
///
/// # Errors
/// [`LadderError::Storage`] or [`LadderError::File`].
pub fn open_array(path: &Path) -> Result<Option<(Header, FileBits)>, LadderError> {
    open_array_on(&Walk::default(), path)
}

/// [`open_array`] on a walk that leads to other files, too.
pub(in crate::ladder) fn open_array_on(
    walk: &Walk,
    path: &Path,
) -> Result<Option<(Header, FileBits)>, LadderError> {
    let Some((file, is_writable)) = open_file(walk, path)? else { return Ok(None) };
    file.refuse_others(path)?;
    let header = read_header(&file.file, path, file.length)?;
    if header.is_elsewhere {
        return Err(LadderError::File { path: path.to_owned(), problem: HeaderError::OfAFleet });
    }
    let parts = (header.byte_part(), header.stamp_words());
    let shared = SharedBits::new(file.file, path, parts, is_writable)?;
    Ok(Some((header.clone(), FileBits { shared, byte_count: header.params.bits() >> 3 })))
}

fn open_file(walk: &Walk, path: &Path) -> Result<Option<(TrustedFile, bool)>, StorageError> {
    match walk.open_for_update(path) {
        Ok(file) => Ok(Some((file, true))),
        Err(error) if error.is_missing() => Ok(None),
        // Nothing is written through a link under the file's own name; what it leads to can be read.
        Err(error) if is_read_only(&error) || error.act == Act::NotRegular => {
            walk.open(path).map(|file| Some((file, false)))
        }
        Err(error) => Err(error),
    }
}

fn is_read_only(error: &StorageError) -> bool {
    let kind = error.source.as_ref().map(io::Error::kind);
    matches!(kind, Some(io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied))
}

/// Reads the header of a file, whose stated length must be this one.
pub(in crate::ladder) fn read_header(file: &File, path: &Path, length: u64) -> Result<Header, LadderError> {
    let wrong = |problem| LadderError::File { path: path.to_owned(), problem };
    let mut page = [0; HEADER_BYTES];
    if length < HEADER_BYTES as u64 {
        return Err(wrong(HeaderError::Length { expected: HEADER_BYTES as u64, got: length }));
    }
    file.read_exact_at(&mut page, 0).map_err(|e| StorageError::io(path, Act::Read, e))?;
    let header = Header::decode(&page).map_err(wrong)?;
    match header.file_length() {
        expected if expected == length => Ok(header),
        expected => Err(wrong(HeaderError::Length { expected, got: length })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_may_not_be_written_is_read_only() {
        let error = |kind: io::ErrorKind| StorageError::io(Path::new("/l"), Act::Open, io::Error::from(kind));
        for kind in [io::ErrorKind::ReadOnlyFilesystem, io::ErrorKind::PermissionDenied] {
            assert!(is_read_only(&error(kind)), "{kind}");
        }
        assert!(!is_read_only(&error(io::ErrorKind::IsADirectory)));
        assert!(!is_read_only(&StorageError::rule(Path::new("/l"), Act::OthersMayRead)));
    }

    /// No user may write the kernel's own files of this kind.
    #[test]
    #[cfg_attr(miri, ignore = "miri has no such file")]
    fn what_nobody_may_write_is_opened_for_reading() {
        let path = Path::new("/sys/kernel/uevent_seqnum");
        if path.exists() {
            let (_, is_writable) = open_file(&Walk::default(), path).unwrap().unwrap();
            assert!(!is_writable);
        }
    }
}
