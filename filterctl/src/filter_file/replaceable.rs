//! The rule for everything that a command writes: it replaces a file of the same kind, and nothing else. Two
//! outputs of one command are two files.
//!
//! Which files are of a kind, their first bytes tell. An empty file is nothing that could be lost, and a file
//! that begins with zeros has lost its beginning to the system.

use std::{
    collections::HashSet,
    fs,
    path::{Component, Path, PathBuf},
};

use nearmiss_cli::{failure::Failure, keys, paths, replaceable::begins_like};
use nearmiss_filters::{dictionary::ranks::Ranks, format::MAGIC, ladder::fleet::BUNDLE_BYTES};
use nearmiss_policy::config::PACKAGED;

use super::{
    file_kind::{COUNTS_MAGIC, KEY_MAGIC, LADDER_MAGIC, OtherKind},
    provenance::{self, Provenance, previous},
    update_state::{self, UpdateState},
};
use crate::{
    host::state_file::{DEFAULT_EXAMINED, DEFAULT_VERIFIED},
    report,
};

/// The first bytes of ranks: see FORMAT-RANKS.md.
const RANKS_MAGIC: &[u8] = b"\x89NMR\r\n\x1a\n";

/// A kind of file that commands write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// A dictionary filter.
    Filter,
    /// The counts of a filter.
    Counts,
    /// The ranks of a filter's words.
    Ranks,
    /// A result in JSON: of an update, a verification or an examination, or a filter's sources.
    Record,
    /// Metrics for Prometheus.
    Metrics,
    /// A ladder, or the descriptor of a fleet's ladder.
    Ladder,
    /// The key of a ladder.
    LadderKey,
    /// Descriptor and key of a fleet's ladder in one file.
    Bundle,
}

impl FileKind {
    /// Refuses to replace a file of another kind, and what is no file, by a file that is named.
    ///
    /// # Errors
    /// A [`Failure`] that names it.
    pub(crate) fn refuse_others(self, path: &Path) -> Result<(), Failure> {
        refuse_no_file(path)?;
        self.refuse_other_files(path)
    }

    /// Refuses to replace a file of another kind.
    ///
    /// # Errors
    /// A [`Failure`] that names it.
    pub(crate) fn refuse_other_files(self, path: &Path) -> Result<(), Failure> {
        let other = OtherKind::at(path).filter(|_| self == FileKind::Filter);
        if let Some(other) = other {
            let (path, other) = (path.display(), other.name());
            let message =
                format!("{path}: is {other}; refused to overwrite it with a filter; name another file");
            return Err(Failure::plain(keys::FILE_NOT_REPLACED, message));
        }
        if self.is_own_place(path) || self.may_replace(path) {
            return Ok(());
        }
        Err(Failure::plain(
            keys::FILE_NOT_REPLACED,
            format!(
                "{}: is not {}; refused to overwrite it; name another file, or remove it first",
                path.display(),
                self.name()
            ),
        ))
    }

    /// The first bytes of such a file.
    fn start(self) -> &'static [u8] {
        match self {
            FileKind::Filter => &MAGIC,
            FileKind::Counts => COUNTS_MAGIC,
            FileKind::Ranks => RANKS_MAGIC,
            FileKind::Record => report::START,
            FileKind::Metrics => b"# HELP nearmiss_",
            FileKind::Ladder | FileKind::Bundle => LADDER_MAGIC,
            FileKind::LadderKey => KEY_MAGIC,
        }
    }

    fn name(self) -> &'static str {
        match self {
            FileKind::Filter => "a filter",
            FileKind::Counts => "the counts of a filter",
            FileKind::Ranks => "the ranks of a filter",
            FileKind::Record => "a record of filterctl",
            FileKind::Metrics => "a file of filterctl metrics",
            FileKind::Ladder => "a ladder",
            FileKind::LadderKey => "the key of a ladder",
            FileKind::Bundle => "a bundle of filterctl fleet export",
        }
    }

    /// True if nothing is lost, since there is no file, or one that begins like this kind.
    fn may_replace(self, path: &Path) -> bool {
        // A ladder begins like a bundle, and has other lengths.
        let has_length = || {
            let length = fs::metadata(path).map_or(0, |file| file.len());
            OtherKind::at(path) != Some(OtherKind::Ladder)
                || (length == BUNDLE_BYTES as u64) == (self == FileKind::Bundle)
        };
        let is_either = matches!(self, FileKind::Bundle | FileKind::Ladder);
        begins_like(path, self.start()) && (!is_either || has_length())
    }

    /// True for a path at which only a file of this kind is ever written. There, a damaged one is replaced
    /// however it begins: without it, users could not change passwords, or nothing would repair the record.
    fn is_own_place(self, path: &Path) -> bool {
        let is = |place: &str| path == Path::new(place);
        match self {
            FileKind::Filter => PACKAGED.iter().copied().any(is) || is_recorded(path),
            FileKind::Record => {
                let of_packaged = |file: &&str| records_of(Path::new(file)).iter().any(|own| own == path);
                [DEFAULT_VERIFIED, DEFAULT_EXAMINED].into_iter().any(is) || PACKAGED.iter().any(of_packaged)
            }
            _ => false,
        }
    }
}

/// Refuses a link, which would be replaced in place of its target, and a folder.
fn refuse_no_file(path: &Path) -> Result<(), Failure> {
    let what = match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => "is a symbolic link, which is not followed; name another file",
        Ok(found) if found.is_dir() => "is a folder; name a file in it",
        _ if path.as_os_str().as_encoded_bytes().ends_with(b"/") => "names a folder; name a file",
        _ => return Ok(()),
    };
    Err(Failure::plain(keys::FILE_NOT_REGULAR, format!("{}: {what}", path.display())))
}

/// True with the record of a filter beside it.
fn is_recorded(filter: &Path) -> bool {
    // An update that failed leaves a record beside any file.
    let is_updated =
        || UpdateState::read(filter).is_ok_and(|state| state.is_some_and(|s| s.rebuilt.is_some()));
    Provenance::beside(filter).is_some() || is_updated()
}

/// The records that commands keep beside a filter.
fn records_of(filter: &Path) -> [PathBuf; 2] {
    [provenance::path_for(filter), update_state::path_for(filter)]
}

/// Refuses to replace the records beside a filter if they are other files.
///
/// # Errors
/// A [`Failure`] that names the file.
pub(crate) fn refuse_other_records(filter: &Path) -> Result<(), Failure> {
    records_of(filter).iter().try_for_each(|record| FileKind::Record.refuse_other_files(record))
}

/// The filter and the files that commands write beside it, for [`refuse_same`].
pub(crate) fn with_files_beside(filter: &Path) -> impl Iterator<Item = PathBuf> {
    let beside = records_of(filter).into_iter().chain([Ranks::path_beside(filter), previous(filter)]);
    // The earlier filter keeps its record, too.
    let of_previous = provenance::path_for(&previous(filter));
    [filter.to_owned(), of_previous].into_iter().chain(beside)
}

/// Refuses outputs of one command that are the same file: one of them would be lost.
///
/// # Errors
/// A [`Failure`] that names the file.
pub(crate) fn refuse_same(outputs: impl IntoIterator<Item = PathBuf>) -> Result<(), Failure> {
    let mut known = HashSet::new();
    match outputs.into_iter().find(|output| !known.insert(resolved(output))) {
        None => Ok(()),
        Some(output) => Err(Failure::plain(
            keys::FILE_NOT_REPLACED,
            format!("{}: would be written twice by this command; name another file", output.display()),
        )),
    }
}

/// The path without links in its folders, and without `..`: the name under which [`Place`] would create the
/// file, also in a folder that is yet to be made.
///
/// [`Place`]: nearmiss_filters::storage::Place
fn resolved(path: &Path) -> PathBuf {
    let path = paths::absolute(path);
    let folders = path.parent().map(Path::components).into_iter().flatten();
    let mut folder = PathBuf::new();
    for part in folders {
        if part == Component::ParentDir {
            folder.pop();
        } else {
            folder.push(part);
        }
        folder = folder.canonicalize().unwrap_or(folder);
    }
    folder.join(path.file_name().unwrap_or_default())
}
