//! The files of a corpus: a folder of range files, or a tree of folders named by digits.

use std::{
    ffi::OsStr,
    fs::File,
    io,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use nearmiss_filters::storage::{EntryType, Folder, StorageError};

use super::names::Trail;

/// The files of a corpus in the order of their ranges. The names of a million files take little memory this
/// way.
pub(super) struct RangeFiles {
    /// The folders, the root first, with their names below it.
    folders: Vec<(PathBuf, Trail)>,
    root: Folder,
    /// The names of all files, one after the other.
    names: Vec<u8>,
    files: Vec<RangeFile>,
}

/// A range file.
#[derive(Clone, Copy, Debug)]
pub(super) struct RangeFile {
    /// Its range.
    pub(super) range: u32,
    /// Its size in bytes.
    pub(super) bytes: u32,
    folder: u32,
    name: (u32, u16),
}

/// The folder of the file that was opened last.
#[derive(Default)]
pub(super) struct LastFolder(Option<(u32, Folder)>);

impl RangeFiles {
    /// Finds the range files in a folder and in the folders below it. Symbolic links to folders are not
    /// followed.
    ///
    /// # Errors
    /// A folder cannot be read.
    pub(super) fn find(root: Folder) -> io::Result<RangeFiles> {
        let mut found = Found { folders: vec![(PathBuf::new(), Trail::default())], ..Found::default() };
        found.take(&root, 0)?;
        let mut next = 1;
        while let Some((path, _)) = found.folders.get(next) {
            let below = Folder::open(&root.join(path.as_os_str())).map_err(|e| of_storage(&e))?;
            found.take(&below, next)?;
            next += 1;
        }
        let Found { folders, names, mut files } = found;
        files.sort_unstable_by_key(|file| (file.range, file.folder, name_in(&names, file)));
        Ok(RangeFiles { folders, root, names, files })
    }

    /// The files, in the order of their ranges.
    pub(super) fn files(&self) -> &[RangeFile] {
        &self.files
    }

    /// The name of a file below the root.
    pub(super) fn path_of(&self, file: &RangeFile) -> PathBuf {
        let folder = self.folders.get(file.folder as usize).map(|(path, _)| path.as_path());
        folder.unwrap_or(Path::new("")).join(self.name_of(file))
    }

    fn name_of(&self, file: &RangeFile) -> &OsStr {
        OsStr::from_bytes(name_in(&self.names, file))
    }

    /// Opens a file.
    ///
    /// # Errors
    /// It cannot be opened, or is not a regular file.
    pub(super) fn open(&self, file: &RangeFile, last: &mut LastFolder) -> io::Result<File> {
        let name = self.name_of(file);
        if file.folder == 0 {
            return self.root.open_regular(name).map_err(|e| of_storage(&e));
        }
        if last.0.as_ref().is_none_or(|(folder, _)| *folder != file.folder) {
            last.0 = Some((file.folder, self.open_folder(file.folder)?));
        }
        let folder = last.0.as_ref().map_or(&self.root, |(_, folder)| folder);
        folder.open_regular(name).map_err(|e| of_storage(&e))
    }

    fn open_folder(&self, folder: u32) -> io::Result<Folder> {
        let path = self.folders.get(folder as usize).map(|(path, _)| path.as_path());
        let path = self.root.join(path.unwrap_or(Path::new("")).as_os_str());
        Folder::open(&path).map_err(|e| of_storage(&e))
    }
}

/// The files that were found so far.
#[derive(Default)]
struct Found {
    folders: Vec<(PathBuf, Trail)>,
    names: Vec<u8>,
    files: Vec<RangeFile>,
}

impl Found {
    /// Takes the files of a folder, and remembers the folders in it.
    fn take(&mut self, place: &Folder, number: usize) -> io::Result<()> {
        let Some((path, trail)) = self.folders.get(number).cloned() else { return Ok(()) };
        let folder = u32::try_from(number).map_err(|_| too_many())?;
        for name in place.names().map_err(|e| of_storage(&e))? {
            let name = name.map_err(|e| of_storage(&e))?;
            let Some(text) = name.to_str() else { continue };
            let (below, range) = (trail.below(text), trail.range_of(text));
            if below.is_none() && range.is_none() {
                continue;
            }
            let (entry, bytes) = place.look_at(&name).map_err(|e| of_storage(&e))?;
            if let Some(below) = below.filter(|_| entry == EntryType::Folder) {
                self.folders.push((path.join(text), below));
            } else if let Some(range) = range {
                let at = u32::try_from(self.names.len()).map_err(|_| too_many())?;
                let length = u16::try_from(text.len()).map_err(|_| too_many())?;
                self.names.extend_from_slice(text.as_bytes());
                let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
                self.files.push(RangeFile { range, bytes, folder, name: (at, length) });
            }
        }
        Ok(())
    }
}

fn name_in<'n>(names: &'n [u8], file: &RangeFile) -> &'n [u8] {
    let (at, length) = (file.name.0 as usize, usize::from(file.name.1));
    names.get(at..at + length).unwrap_or_default()
}

fn too_many() -> io::Error {
    io::Error::other("contains too many files")
}

/// The reason only: the caller names the file.
fn of_storage(error: &StorageError) -> io::Error {
    io::Error::other(error.reason())
}
