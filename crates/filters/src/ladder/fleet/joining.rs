//! Joining a host: descriptor and key in one bundle of 4,152 bytes, which configuration management
//! distributes from the host that created them, never through the store.

use std::path::Path;

use zeroize::Zeroizing;

use super::{FleetLadder, Kind, descriptor::check};
use crate::ladder::file::array::make_folder;
use crate::ladder::file::error::{HeaderError, LadderError};
use crate::ladder::file::header::{HEADER_BYTES, Header};
use crate::ladder::file::key_file::{self, KEY_FILE_BYTES, read_key};
use crate::ladder::structure::keys::MasterKey;
use crate::storage::{Access, CompleteFile, FolderLock, Place, Replacement, StorageError};

/// Bytes of a bundle.
pub const BUNDLE_BYTES: usize = HEADER_BYTES + KEY_FILE_BYTES;

/// A descriptor and its key, read from a bundle and verified to belong together.
pub struct Bundle {
    header: Header,
    key: MasterKey,
}

impl Bundle {
    /// The bundle of a ladder that this host has joined. `None` if it has not.
    ///
    /// # Errors
    /// As [`FleetLadder::open`].
    pub fn of(descriptor: &Path) -> Result<Option<Bundle>, LadderError> {
        let Some(ladder) = FleetLadder::open(descriptor)? else { return Ok(None) };
        let key = read_key(&FleetLadder::key_of(descriptor))?;
        Ok(Some(Bundle { header: ladder.header, key }))
    }

    /// The bundle in these bytes; `source` only names it in errors.
    ///
    /// # Errors
    /// [`LadderError::File`], [`LadderError::Key`] or [`LadderError::OtherKey`].
    pub fn decode(source: &Path, bytes: &[u8]) -> Result<Bundle, LadderError> {
        let wrong = |problem| LadderError::File { path: source.to_owned(), problem };
        let (page, rest) = bytes.split_first_chunk::<HEADER_BYTES>().unwrap_or((&[0; HEADER_BYTES], &[]));
        if bytes.len() != BUNDLE_BYTES {
            let (expected, got) = (BUNDLE_BYTES as u64, bytes.len() as u64);
            return Err(wrong(HeaderError::Length { expected, got }));
        }
        let header = Header::decode(page).map_err(wrong)?;
        check(&header).map_err(wrong)?;
        let key = key_file::decode(rest);
        let key = key.map_err(|problem| LadderError::Key { path: source.to_owned(), problem })?;
        if header.is_of(&key) {
            Ok(Bundle { header, key })
        } else {
            Err(LadderError::OtherKey { path: source.to_owned(), key: source.to_owned() })
        }
    }

    /// The bytes for another host: they contain the key.
    pub fn encode(&self) -> Zeroizing<Vec<u8>> {
        let mut bytes = Zeroizing::new(Vec::with_capacity(BUNDLE_BYTES));
        bytes.extend_from_slice(&self.header.encode());
        bytes.extend_from_slice(&key_file::encode(&self.key));
        bytes
    }

    /// The passwords that the ladder counts.
    pub const fn kind(&self) -> Kind {
        if self.header.cost.is_some() { Kind::Chosen } else { Kind::Guessed }
    }

    /// The descriptor.
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// Writes descriptor and key. False if they exist already. With `replace` a different ladder is
    /// overwritten once both are written and synced: from then on, until the last file is renamed, this host
    /// has not joined.
    ///
    /// # Errors
    /// [`LadderError::Exists`] for another ladder without `replace`; storage errors.
    pub fn join(&self, descriptor: &Path, replace: bool) -> Result<bool, LadderError> {
        let key = FleetLadder::key_of(descriptor);
        make_folder(descriptor)?;
        let _lock = FolderLock::of(&[descriptor])?;
        match Bundle::of(descriptor) {
            Ok(Some(there)) if there.header == self.header => return Ok(false),
            Ok(Some(_)) | Err(_) if !replace => {
                return Err(LadderError::Exists { path: descriptor.to_owned() });
            }
            _ => {}
        }
        let key = written(&key, &key_file::encode(&self.key))?;
        let header = written(descriptor, &self.header.encode())?;
        Place::of(descriptor)?.remove()?;
        key.commit()?;
        header.commit()?;
        Ok(true)
    }
}

fn written(path: &Path, bytes: &[u8]) -> Result<CompleteFile, StorageError> {
    let mut file = Replacement::create(path, Access::Private)?;
    file.write(bytes)?;
    file.complete()
}
