//! A ladder of format 1 made one of format 2: the bits are the same, each stamp becomes two words.
//!
//! A stamp of format 1 has the upper half of its account's name, so it can be carried over only with the
//! account's name in hand: the caller lists the names. The day of the last count was not kept; the mark gets
//! none, so that a password that was counted stays counted, and another one may be counted today.

#![allow(clippy::arithmetic_side_effects, reason = "positions in a file whose length was checked")]

use std::{
    fs, io,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use super::array::{LadderFiles, read_header};
use super::error::{HeaderError, LadderError};
use super::header::{FIRST_STAMPS_PER_PAGE, HEADER_BYTES, Header};
use super::key_file::read_key;
use super::stamps::{StampKeys, Stamps};
use super::words::{MemoryWords, WordStore};
use crate::ladder::structure::keys::{MasterKey, Purpose};
use crate::storage::{Access, Act, FolderLock, Replacement, StorageError, TrustedFile, Walk};

/// What was carried over.
#[derive(Debug)]
pub struct Migrated {
    /// Where the ladder of format 1 is kept, for a downgrade.
    pub kept: PathBuf,
    /// Accounts whose stamps were carried over.
    pub accounts: u32,
    /// Stamps of accounts that are not among the names.
    pub dropped: u32,
}

/// Bytes copied at once.
const CHUNK_BYTES: usize = 1 << 16;

/// Migrates a ladder of format 1, whose file is kept under its name with `ending` behind it; `None` where
/// there is no ladder, or one of another format. Readers see the old one or the new one. `accounts` are the
/// names of the accounts as the system lists them.
///
/// A password that is recorded while the bits are copied may be missing from the copy.
///
/// # Errors
/// [`LadderError`]: the ladder or its key cannot be used, or a file cannot be written; nothing is changed.
pub fn migrate<'a>(
    files: &LadderFiles,
    ending: &str,
    accounts: impl Iterator<Item = &'a [u8]>,
) -> Result<Option<Migrated>, LadderError> {
    if open(&files.file)?.is_none_or(|(_, header)| !header.is_first_format) {
        return Ok(None);
    }
    let _lock = FolderLock::of(&[&files.file, &files.key])?;
    // Another process may have migrated it meanwhile.
    let Some((file, old)) = open(&files.file)?.filter(|(_, header)| header.is_first_format) else {
        return Ok(None);
    };
    let key = read_key(&files.key)?;
    if !old.is_of(&key) {
        return Err(LadderError::OtherKey { path: files.file.clone(), key: files.key.clone() });
    }
    let unreadable = |source| StorageError::io(&files.file, Act::Read, source);
    let before = FirstStamps::read(&file, &old, &key).map_err(unreadable)?;
    let header = Header { is_first_format: false, ..old };
    let (stamps, carried) = before.carried(&header, &key, accounts).map_err(unreadable)?;
    let mut new = Replacement::create(&files.file, Access::Private)?;
    new.write(&header.encode())?;
    copy_bits(&file, &header, &mut new, &files.file)?;
    new.write(&stamps)?;
    let kept = keep(&files.file, ending)?;
    new.commit()?;
    Ok(Some(Migrated { kept, accounts: carried, dropped: before.taken().saturating_sub(carried) }))
}

fn open(path: &Path) -> Result<Option<(TrustedFile, Header)>, LadderError> {
    let file = match Walk::default().open(path) {
        Err(error) if error.is_missing() => return Ok(None),
        file => file?,
    };
    if !file.is_private() {
        return Err(StorageError::rule(path, Act::OthersMayRead).into());
    }
    let header = read_header(&file.file, path, file.length)?;
    if header.is_elsewhere {
        return Err(LadderError::File { path: path.to_owned(), problem: HeaderError::OfAFleet });
    }
    Ok(Some((file, header)))
}

fn copy_bits(
    file: &TrustedFile,
    header: &Header,
    to: &mut Replacement,
    path: &Path,
) -> Result<(), LadderError> {
    let mut chunk = vec![0; CHUNK_BYTES];
    let (mut at, end) = (HEADER_BYTES as u64, header.byte_part());
    while at < end {
        chunk.truncate(usize::try_from(end - at).unwrap_or(CHUNK_BYTES));
        file.file.read_exact_at(&mut chunk, at).map_err(|e| StorageError::io(path, Act::Read, e))?;
        to.write(&chunk)?;
        at += chunk.len() as u64;
    }
    Ok(())
}

/// A second name for the file, which its first is about to lose.
fn keep(path: &Path, ending: &str) -> Result<PathBuf, LadderError> {
    let mut kept = path.as_os_str().to_owned();
    kept.push(ending);
    let kept = PathBuf::from(kept);
    fs::hard_link(path, &kept).map_err(|e| StorageError::io(&kept, Act::Create, e))?;
    Ok(kept)
}

/// The stamps of format 1: words of the upper half of a name and a hash of the shadow field.
struct FirstStamps<'k> {
    words: Vec<u64>,
    id: [u8; crate::ladder::structure::keys::ID_BYTES],
    key: &'k MasterKey,
}

impl<'k> FirstStamps<'k> {
    fn read(file: &TrustedFile, header: &Header, key: &'k MasterKey) -> io::Result<FirstStamps<'k>> {
        let mut bytes = vec![0; usize::try_from(header.stamp_words() * 8).unwrap_or(0)];
        file.file.read_exact_at(&mut bytes, header.byte_part())?;
        let words = crate::chunks::chunks(&bytes).0.iter().map(|&word| u64::from_le_bytes(word)).collect();
        Ok(FirstStamps { words, id: header.id, key })
    }

    fn taken(&self) -> u32 {
        let taken = self.words.iter().filter(|&&word| word != 0).count();
        u32::try_from(taken).unwrap_or(u32::MAX)
    }

    /// The hash of the shadow field whose password was recorded last for the account.
    fn field_of(&self, account: &[u8]) -> Option<u64> {
        let (place, name) = self.key.subkey(Purpose::Stamp, &self.id).hash(account);
        let size = FIRST_STAMPS_PER_PAGE as usize;
        let last_page = (self.words.len() / size).checked_sub(1)?;
        let page = self.words.chunks_exact(size).nth(usize::try_from(place & last_page as u64).ok()?)?;
        let is_name = |word: &&u64| **word >> 32 == (name >> 32).max(1);
        page.iter().find(is_name).map(|word| (word & u64::from(u32::MAX)).max(1))
    }

    /// The bytes of the stamps of the new ladder, and how many accounts have one.
    fn carried<'a>(
        &self,
        header: &Header,
        key: &MasterKey,
        accounts: impl Iterator<Item = &'a [u8]>,
    ) -> io::Result<(Vec<u8>, u32)> {
        let count = header.stamp_words();
        let words = MemoryWords::zeros(usize::try_from(count).unwrap_or(0));
        let keys = StampKeys::new(key, &header.id);
        let stamps = Stamps::new(&words, header.stamps, &keys);
        for (account, field) in accounts.filter_map(|name| Some((name, self.field_of(name)?))) {
            stamps.put(account, field)?;
        }
        let carried = stamps.taken()?;
        let words: io::Result<Vec<u64>> = (0..count).map(|at| words.load(at)).collect();
        Ok((words?.into_iter().flat_map(u64::to_le_bytes).collect(), carried))
    }
}
