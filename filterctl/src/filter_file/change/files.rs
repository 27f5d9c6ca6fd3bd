//! The files that a change replaces.

use std::path::{Path, PathBuf};

use nearmiss_cli::{
    access::NewAccess,
    failure::{self, Failure},
    input::WordList,
    keys,
};
use nearmiss_filters::{
    dictionary::{DictionaryFilter, ranks::Ranks},
    storage::{Access, Occupant, Replacement, StorageError, mapped::Mapped},
};

use super::unwritable;
use crate::filter_file::replaceable::FileKind;

/// A filter file that is being replaced.
pub(super) struct NewFile {
    file: Replacement,
    path: PathBuf,
    access: Access,
    was_public: bool,
}

impl NewFile {
    /// Begins to replace a filter file.
    ///
    /// # Errors
    /// A [`Failure`] when the file cannot be replaced, cannot be given to its group, or is one of the lists.
    pub(super) fn begin(output: &Path, lists: &[WordList], access: &NewAccess) -> Result<NewFile, Failure> {
        refuse_lists(output, lists)?;
        FileKind::Filter.refuse_others(output)?;
        let was_public = Access::of_replaced(output) == Some(Access::Public);
        let access = access.of(output);
        let file = Replacement::create(output, access).map_err(unwritable)?;
        Ok(NewFile { file, path: output.to_owned(), access, was_public })
    }

    /// Read access.
    pub(super) fn access(&self) -> Access {
        self.access
    }

    /// Writes the next bytes.
    ///
    /// # Errors
    /// [`StorageError`].
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), StorageError> {
        self.file.write(bytes)
    }

    /// Overwrites the first bytes.
    ///
    /// # Errors
    /// [`StorageError`].
    pub(super) fn write_start(&mut self, bytes: &[u8]) -> Result<(), StorageError> {
        self.file.write_start(bytes)
    }

    /// Discards everything written so far.
    ///
    /// # Errors
    /// [`StorageError`].
    pub(super) fn restart(&mut self) -> Result<(), StorageError> {
        self.file.restart()
    }

    /// The filter as it is written so far.
    ///
    /// # Errors
    /// A [`Failure`]: it cannot be read.
    pub(super) fn written(&self) -> Result<DictionaryFilter<Mapped>, Failure> {
        DictionaryFilter::written(&self.file, &self.path)
            .map_err(|e| Failure::new("cannot read the filter", e))
    }

    /// Refuses to replace anything but what was there when it was read.
    ///
    /// # Errors
    /// A [`Failure`]: it was replaced meanwhile.
    pub(super) fn refuse_another(&self, seen: &Occupant) -> Result<(), Failure> {
        self.file.refuse_another(seen).map_err(unwritable)
    }

    /// Replaces the earlier file.
    ///
    /// # Errors
    /// A [`Failure`]; the earlier file is then untouched.
    pub(super) fn commit(self) -> Result<(), Failure> {
        self.file.commit().map_err(unwritable)?;
        if self.was_public && self.access != Access::Public {
            failure::warn(
                keys::FILTER_READERS,
                &format!(
                    "{}: any user could read it, and now it is private; --public keeps it readable, for \
                     filters that no secret password is checked against",
                    self.path.display()
                ),
            );
        }
        Ok(())
    }
}

/// Begins to replace a counts file.
///
/// # Errors
/// A [`Failure`] when the file cannot be replaced, or is one of the lists.
pub(super) fn begin_counts(output: &Path, lists: &[WordList]) -> Result<Replacement, Failure> {
    refuse_lists(output, lists)?;
    FileKind::Counts.refuse_others(output)?;
    Replacement::create(output, Access::Private).map_err(|e| Failure::new("cannot write the counts", e))
}

/// Writes ranks that are to be beside their filter.
///
/// # Errors
/// A [`Failure`] when the file cannot be written.
pub(super) fn begin_ranks(ranks: &Ranks, path: &Path, access: Access) -> Result<Replacement, Failure> {
    let unwritable = |e: StorageError| Failure::new("cannot write the ranks", e);
    let mut file = Replacement::create(path, access).map_err(unwritable)?;
    file.write(&ranks.encode()).map_err(unwritable)?;
    Ok(file)
}

/// Refuses a list that is the file to be written.
///
/// # Errors
/// A [`Failure`] that names it.
pub(super) fn refuse_lists(output: &Path, lists: &[WordList]) -> Result<(), Failure> {
    lists.iter().find(|list| list.is_file(output)).map_or(Ok(()), |list| {
        let message = format!("{}: is one of the lists; name another output file", list.name());
        Err(Failure::plain(keys::FILE_NOT_REPLACED, message))
    })
}
