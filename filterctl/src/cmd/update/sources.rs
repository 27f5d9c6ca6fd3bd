//! The lists in a folder such as `/usr/share/dict`, and a fingerprint that changes when any of them
//! does.
//!
//! These folders contain other files, too: symbolic links to the default list, READMEs, and leftovers of
//! editors and package tools. The fingerprint covers the names and contents of the lists; an update may leave
//! sizes and dates of files unchanged.
//!
//! Root runs this whenever a package is installed or removed, so folder and lists must belong to root, and
//! no other user may write them. Each list is opened once, here, and the open file is checked.

use std::{
    ffi::OsStr,
    fs::File,
    io,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    sync::Arc,
};

use nearmiss_cli::input::affixes_beside;
use nearmiss_filters::storage::{Act, EntryType, Folder, StorageError, open_trusted};
use serde::Serialize;
use sha1::{Digest, Sha1};

use crate::host::left_behind::is_left_behind;

/// A skipped file, and the reason.
#[derive(Serialize)]
pub(crate) struct Skipped {
    /// Its path.
    pub(crate) file: String,
    /// The reason, in plain words.
    pub(crate) reason: String,
}

impl Skipped {
    /// This file is not used for this reason.
    pub(crate) fn new(file: &Path, reason: &str) -> Skipped {
        Skipped { file: file.display().to_string(), reason: reason.to_owned() }
    }
}

/// A list that was found, open for reading.
pub(crate) struct OpenList {
    /// Its path.
    pub(crate) path: PathBuf,
    /// The file.
    pub(crate) file: Arc<File>,
    /// The rules of a dictionary of hunspell: the file beside it with the extension `.aff`.
    pub(crate) affixes: Option<Arc<File>>,
}

/// The content of a folder of lists.
#[derive(Default)]
pub(crate) struct ListFolder {
    /// The lists, by name.
    pub(crate) lists: Vec<OpenList>,
    /// Files that are no lists by name or type.
    pub(crate) others: Vec<Skipped>,
    /// Lists that cannot be opened or are not to be trusted. The error may be that of a file beside the list.
    pub(crate) refused: Vec<(PathBuf, StorageError)>,
}

/// The lists of a folder, without the files that `is_own` recognizes.
///
/// # Errors
/// [`StorageError`] when the folder cannot be read, or others than root (or this user) may change it.
pub(crate) fn lists_in(folder: &Path, is_own: impl Fn(&Path) -> bool) -> Result<ListFolder, StorageError> {
    let path = std::path::absolute(folder).map_err(|e| StorageError::io(folder, Act::Open, e))?;
    let place = Folder::open_trusted(&path)?;
    let mut names = place.names()?.collect::<Result<Vec<_>, _>>()?;
    names.sort();
    let mut found = ListFolder::default();
    for name in names {
        let path = folder.join(&name);
        if !is_own(&path) {
            found.sort_in(&place, &name, path);
        }
    }
    Ok(found)
}

/// The list with this path.
///
/// # Errors
/// [`StorageError`] when it cannot be opened, or others than root (or this user) may change it.
pub(crate) fn list_at(path: &Path) -> Result<OpenList, StorageError> {
    let file = open_trusted(path)?;
    Ok(OpenList { path: path.to_owned(), file: Arc::new(file), affixes: rules_of(path)? })
}

/// The rules of a dictionary with this absolute path; none for another list, and if there are none.
///
/// # Errors
/// [`StorageError`] when they cannot be opened, or others than root (or this user) may change them: without
/// them the list would lose most of its words.
fn rules_of(list: &Path) -> Result<Option<Arc<File>>, StorageError> {
    match affixes_beside(list).map(|rules| open_trusted(&rules)) {
        Some(Ok(rules)) => Ok(Some(Arc::new(rules))),
        Some(Err(error)) if !error.is_missing() => Err(error),
        _ => Ok(None),
    }
}

impl ListFolder {
    fn sort_in(&mut self, place: &Folder, name: &OsStr, path: PathBuf) {
        if let Some(reason) = reason_of_name(&name.to_string_lossy()) {
            return self.others.push(Skipped::new(&path, reason));
        }
        match place.open_trusted_file(name) {
            Ok(file) => match rules_of(&place.join(name)) {
                Ok(affixes) => self.lists.push(OpenList { path, file: Arc::new(file), affixes }),
                Err(error) => self.refused.push((path, error)),
            },
            Err(error) if error.act == Act::NotRegular => {
                self.others.push(Skipped::new(&path, reason_of_type(place, name)));
            }
            Err(error) => self.refused.push((path.clone(), StorageError { path, ..error })),
        }
    }
}

fn reason_of_type(place: &Folder, name: &OsStr) -> &'static str {
    match place.look_at(name) {
        Ok((EntryType::Link, _)) => "is a symbolic link",
        Ok((EntryType::Folder, _)) => "is a folder",
        _ => "is not a regular file",
    }
}

fn reason_of_name(name: &str) -> Option<&'static str> {
    [
        (name.starts_with('.'), "is hidden"),
        (name.to_ascii_lowercase().starts_with("readme"), "is a README"),
        (is_left_behind(name), "is a backup"),
        (Path::new(name).extension() == Some(OsStr::new("aff")), "has the rules of a dictionary"),
    ]
    .into_iter()
    .find_map(|(is_so, reason)| is_so.then_some(reason))
}

/// A fingerprint in progress, of everything that a filter is built from.
pub(crate) struct Fingerprint(Sha1);

impl Fingerprint {
    /// A fingerprint that begins with the settings.
    pub(crate) fn new(settings: &str) -> Fingerprint {
        let mut whole = Fingerprint(Sha1::new());
        whole.part(settings.as_bytes());
        whole
    }

    fn part(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// Adds bytes that are in memory.
    pub(crate) fn add_bytes(&mut self, bytes: &[u8]) {
        self.part(&Sha1::digest(bytes));
    }

    /// Adds a list by name and content; a list that cannot be read, by that fact.
    pub(crate) fn add_list(&mut self, list: &OpenList) {
        self.part(list.path.as_os_str().as_encoded_bytes());
        match content(&*list.file) {
            Ok(digest) => self.part(&digest),
            Err(_) => self.part(b"unreadable"),
        }
        if let Some(rules) = &list.affixes {
            self.part(&content(&**rules).unwrap_or_default());
        }
    }

    /// The fingerprint in hexadecimal digits.
    pub(crate) fn finish(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

fn content(file: &impl FileExt) -> io::Result<Vec<u8>> {
    let (mut hasher, mut at, mut buffer) = (Sha1::new(), 0_u64, vec![0; 256 << 10]);
    loop {
        let count = match file.read_at(&mut buffer, at) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        if count == 0 {
            return Ok(hasher.finalize().to_vec());
        }
        hasher.update(buffer.get(..count).unwrap_or_default());
        at = at.saturating_add(count as u64);
    }
}

#[cfg(test)]
mod tests;
