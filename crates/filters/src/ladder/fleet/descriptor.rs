//! The descriptor of a fleet's ladder: the header of a ladder whose bits are elsewhere.

use std::path::Path;

use super::frame::MIN_LOG_BITS;
use crate::ladder::file::array::{LadderFiles, NewLadder, header, make_folder, read_header};
use crate::ladder::file::error::{HeaderError, LadderError};
use crate::ladder::file::header::Header;
use crate::ladder::file::key_file::create_key;
use crate::ladder::structure::keys::{MASTER_BYTES, MasterKey};
use crate::storage::{Access, FolderLock, Replacement, Walk};

/// Reads the descriptor of a fleet's ladder after the trusted walk. `None` if there is no such file.
///
/// # Errors
/// [`LadderError::Storage`] or [`LadderError::File`].
pub(super) fn read_on(walk: &Walk, path: &Path) -> Result<Option<Header>, LadderError> {
    let file = match walk.open(path) {
        Err(error) if error.is_missing() => return Ok(None),
        file => file?,
    };
    let header = read_header(&file.file, path, file.length)?;
    let problem = |problem| LadderError::File { path: path.to_owned(), problem };
    check(&header).map_err(problem)?;
    Ok(Some(header))
}

/// Creates the descriptor of a fleet's ladder and its key, which must not exist. The agents create the bits.
///
/// # Errors
/// [`LadderError::Exists`]; [`LadderError::File`] for parameters that a fleet cannot have; storage and random
/// errors.
pub fn create_descriptor(files: &LadderFiles, new: &NewLadder) -> Result<Header, LadderError> {
    let paths = [files.file.as_path(), &files.key];
    paths.into_iter().try_for_each(make_folder)?;
    let _lock = FolderLock::of(&paths)?;
    if let Some(path) = paths.into_iter().find(|path| path.symlink_metadata().is_ok()) {
        return Err(LadderError::Exists { path: path.to_owned() });
    }
    let wrong = |problem| LadderError::File { path: files.file.clone(), problem };
    let made = |key: &MasterKey| Ok::<_, LadderError>(Header { is_elsewhere: true, ..header(new, key)? });
    // A header that cannot be read back must not be written, nor a key without its ladder.
    check(&made(&MasterKey::new([1; MASTER_BYTES]))?).map_err(wrong)?;
    let header = made(&create_key(&files.key)?)?;
    let mut file = Replacement::create(&files.file, Access::Private)?;
    file.write(&header.encode())?;
    file.commit()?;
    Ok(header)
}

/// The parts of a header that a fleet's ladder must have.
pub(super) fn check(header: &Header) -> Result<(), HeaderError> {
    let log_bits = header.params.bits().trailing_zeros();
    let is_whole = u32::from(MIN_LOG_BITS) <= log_bits && header.stamps == 0;
    if header.is_elsewhere && is_whole { Ok(()) } else { Err(HeaderError::NotOfAFleet) }
}
