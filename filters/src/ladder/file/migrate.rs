//! A ladder of an earlier format made one of today's: the bits are the same.
//!
//! A stamp of format 2 keeps its words: its one day becomes the day of both setters. A stamp of format 1
//! becomes two words. They have the upper half of an account's name, so one can be carried over
//! only with the account's name in hand: the caller lists the names. The day of the last count was not kept;
//! the mark gets none, so that a password that was counted stays counted, and another one may be counted
//! today.

#![allow(clippy::arithmetic_side_effects, reason = "positions in a file whose length was checked")]

use std::{
    io,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use super::array::{LadderFiles, read_header};
use super::error::{HeaderError, LadderError};
use super::header::{FIRST_STAMPS_PER_PAGE, HEADER_BYTES, Header, StampForm};
use super::key_file::read_key;
use super::stamps::{StampKeys, Stamps};
use super::words::{MemoryWords, WordStore};
use crate::chunks::chunks;
use crate::ladder::structure::keys::{MasterKey, Purpose};
use crate::storage::{
    Access, Act, FolderLock, Place, Replacement, StorageError, TrustedFile, Walk, with_ending,
};

/// What was carried over.
#[derive(Debug)]
pub struct Migrated {
    /// Where the ladder of the earlier format is kept, for a downgrade.
    pub kept: PathBuf,
    /// Accounts whose stamps were carried over.
    pub accounts: u32,
    /// Stamps of accounts that are not among the names.
    pub dropped: u32,
}

/// Bytes copied at once.
const CHUNK_BYTES: usize = 1 << 16;

/// Migrates a ladder of format N before today's, whose file is kept under its name with `.format-N-` and
/// `ending` behind it; `None` where there is no ladder, or one of today's format. Readers see the old one or
/// the new one. `accounts` are the names of the accounts as the system lists them.
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
    if open(&files.file)?.is_none_or(|(_, header)| !is_earlier(&header)) {
        return Ok(None);
    }
    let _lock = FolderLock::of(&[&files.file, &files.key])?;
    // Another process may have migrated it meanwhile.
    let Some((file, old)) = open(&files.file)?.filter(|(_, header)| is_earlier(header)) else {
        return Ok(None);
    };
    let key = read_key(&files.key)?;
    if !old.is_of(&key) {
        return Err(LadderError::OtherKey { path: files.file.clone(), key: files.key.clone() });
    }
    let unreadable = |source| StorageError::io(&files.file, Act::Read, source);
    let header = Header { stamp_form: StampForm::of_new(old.stamps), ..old.clone() };
    let stamps = stamps_of(&file, &old).map_err(unreadable)?;
    let Carried { stamps, accounts, dropped } = match old.stamp_form {
        StampForm::OneWord => FirstStamps::of(&stamps, &old, &key).carried(&header, &key, accounts),
        StampForm::OneDay | StampForm::TwoDays => Ok(Carried::whole(stamps)),
    }
    .map_err(unreadable)?;
    let mut new = Replacement::create(&files.file, Access::Private)?;
    new.write(&header.encode())?;
    copy_bits(&file, &header, &mut new, &files.file)?;
    new.write(&stamps)?;
    let kept = keep(&files.file, &format!(".format-{}-{ending}", old.stamp_form.version()))?;
    new.commit()?;
    Ok(Some(Migrated { kept, accounts, dropped }))
}

fn is_earlier(header: &Header) -> bool {
    header.stamp_form != StampForm::of_new(header.stamps)
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
    let kept = with_ending(path, ending);
    Place::of(path)?.link(&Place::of(&kept)?)?;
    Ok(kept)
}

/// The bytes of a file's stamps.
fn stamps_of(file: &TrustedFile, header: &Header) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(header.stamp_words() * 8).unwrap_or(0)];
    file.file.read_exact_at(&mut bytes, header.byte_part())?;
    Ok(bytes)
}

/// The stamps of the new ladder.
struct Carried {
    stamps: Vec<u8>,
    accounts: u32,
    dropped: u32,
}

impl Carried {
    /// All that there were, of two words each.
    fn whole(stamps: Vec<u8>) -> Carried {
        let taken =
            stamps.chunks_exact(16).filter(|stamp| stamp.iter().take(8).any(|&byte| byte != 0)).count();
        Carried { accounts: u32::try_from(taken).unwrap_or(u32::MAX), dropped: 0, stamps }
    }
}

/// The stamps of format 1: words of the upper half of a name and a hash of the shadow field.
struct FirstStamps<'k> {
    words: Vec<u64>,
    id: [u8; crate::ladder::structure::keys::ID_BYTES],
    key: &'k MasterKey,
}

impl<'k> FirstStamps<'k> {
    fn of(bytes: &[u8], header: &Header, key: &'k MasterKey) -> FirstStamps<'k> {
        let words = chunks(bytes).0.iter().map(|&word| u64::from_le_bytes(word)).collect();
        FirstStamps { words, id: header.id, key }
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

    /// The same as stamps of a new ladder.
    fn carried<'a>(
        &self,
        header: &Header,
        key: &MasterKey,
        accounts: impl Iterator<Item = &'a [u8]>,
    ) -> io::Result<Carried> {
        let count = header.stamp_words();
        let words = MemoryWords::zeros(usize::try_from(count).unwrap_or(0));
        let keys = StampKeys::new(key, &header.id);
        let stamps = Stamps::new(&words, header.stamps, header.stamp_form, &keys);
        for (account, field) in accounts.filter_map(|name| Some((name, self.field_of(name)?))) {
            stamps.put(account, field)?;
        }
        let carried = stamps.taken()?;
        let words: io::Result<Vec<u64>> = (0..count).map(|at| words.load(at)).collect();
        let stamps = words?.into_iter().flat_map(u64::to_le_bytes).collect();
        Ok(Carried { stamps, accounts: carried, dropped: self.taken().saturating_sub(carried) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::array::{NewLadder, create};
    use std::fs;

    use super::*;
    use crate::ladder::structure::params::Params;

    fn files(folder: &Path) -> LadderFiles {
        LadderFiles { file: folder.join("chosen.ladder"), key: folder.join("ladder.key") }
    }

    #[test]
    fn there_is_nothing_to_migrate_where_no_ladder_is_and_what_is_none_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path());
        assert!(migrate(&files, "7", std::iter::empty()).unwrap().is_none());
        fs::create_dir(&files.file).unwrap();
        assert!(migrate(&files, "7", std::iter::empty()).is_err());
    }

    /// A copy takes more than one of the pieces that the bits are copied in.
    #[test]
    fn every_bit_of_a_large_ladder_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path());
        let params = Params::new(1 << 21, 16, 16, 2).unwrap();
        let header = create(&files, &NewLadder { params, cost: None, stamps: 512 }, false).unwrap();
        let mut bytes = fs::read(&files.file).unwrap();
        let earlier = Header { stamp_form: StampForm::OneDay, ..header };
        bytes[..HEADER_BYTES].copy_from_slice(&earlier.encode());
        fs::write(&files.file, &bytes).unwrap();
        migrate(&files, "7", std::iter::empty()).unwrap().unwrap();
        let migrated = fs::read(&files.file).unwrap();
        assert!(migrated[..HEADER_BYTES] != bytes[..HEADER_BYTES]);
        assert!(migrated[HEADER_BYTES..] == bytes[HEADER_BYTES..]);
    }
}
