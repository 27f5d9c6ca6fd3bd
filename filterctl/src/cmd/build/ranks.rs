//! The ranks of the most common words, beside the filter that has them.

use std::path::{Path, PathBuf};

use nearmiss_cli::failure::Failure;
use nearmiss_filters::{
    dictionary::ranks::Ranks,
    format::{Header, SchemeId},
    storage::{Access, Replacement, StorageError},
};

/// True for a filter that can name its near words: suggestions need ranks of those alone.
pub(super) fn are_kept(header: &Header) -> bool {
    header.scheme == SchemeId::Deletions
}

/// Writes the ranks beside `filter` and returns the path of their file.
///
/// # Errors
/// The file cannot be written.
pub(super) fn write(ranks: &Ranks, filter: &Path, access: Access) -> Result<PathBuf, Failure> {
    let path = Ranks::path_beside(filter);
    let unwritable = |e: StorageError| Failure::new("cannot write the ranks", e);
    let mut file = Replacement::create(&path, access).map_err(unwritable)?;
    file.write(&ranks.encode()).and_then(|()| file.commit()).map_err(unwritable)?;
    Ok(path)
}
