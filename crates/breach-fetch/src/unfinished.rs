//! The filter that is being written, `.NAME.part`, and the records of its ranges, `.NAME.part.ranges`. Both
//! grow group by group, and are kept when a run is interrupted: the next one resumes after the last group
//! whose record and pages are complete, whatever a power failure left on the disk.

#![allow(clippy::arithmetic_side_effects, reason = "positions in files that this program writes")]

use std::{
    fs::File,
    io::{self, BufReader, Read, Seek, SeekFrom, Write},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use nearmiss_filters::{
    dictionary::{DictionaryFilter, Loading},
    format::{self, Header},
    page::PAGE_BYTES,
    storage::{Access, CopyError, Place, Replacement, StorageError, Walk},
};

use crate::{
    earlier::{read_header, state_path},
    state::{GroupRecord, HEADER_BYTES, Records, StateHeader},
};

/// The two files.
pub(crate) struct PartialFile {
    /// The header of the state file.
    pub(crate) header: StateHeader,
    part: File,
    journal: File,
    paths: Paths,
}

struct Paths {
    part: PathBuf,
    journal: PathBuf,
}

/// [`Place::of`] with a system error.
fn place_of(path: &Path) -> io::Result<Place> {
    Place::of(path).map_err(io::Error::other)
}

/// A group that is written already.
#[derive(Clone, Copy)]
pub(crate) struct WrittenGroup {
    /// Distinct digests in it.
    pub(crate) words: u32,
    /// Digests taken from its ranges.
    pub(crate) entries: u64,
}

impl Paths {
    fn of(output: &Path) -> Paths {
        let mut name = std::ffi::OsString::from(".");
        name.push(output.file_name().unwrap_or_default());
        name.push(".part");
        let part = output.with_file_name(name);
        Paths { journal: state_path(&part), part }
    }
}

impl PartialFile {
    /// Creates both files.
    ///
    /// # Errors
    /// They cannot be written.
    pub(crate) fn begin(output: &Path, header: StateHeader) -> io::Result<PartialFile> {
        let paths = Paths::of(output);
        forget(output)?;
        let (mut part, mut journal) = (create(&paths.part)?, create(&paths.journal)?);
        part.write_all(&format::encode(&header.filter))?;
        let bytes = header.encode().ok_or_else(|| io::Error::other("the URL is too long"))?;
        journal.write_all(&bytes)?;
        Ok(PartialFile { header, part, journal, paths })
    }

    /// Resumes both files, if they exist and `is_ours`; returns them with the groups that are written.
    ///
    /// # Errors
    /// They cannot be read, or truncated after the last complete group.
    pub(crate) fn resume(
        output: &Path,
        is_ours: impl FnOnce(&StateHeader) -> bool,
    ) -> io::Result<Option<(PartialFile, Vec<WrittenGroup>)>> {
        let paths = Paths::of(output);
        let walk = Walk::default();
        let [part, journal] = [&paths.part, &paths.journal].map(|path| walk.open_for_update(path));
        let (Ok(part), Ok(journal)) = (part, journal) else { return Ok(None) };
        let (mut part, mut journal) = (part.file, journal.file);
        let Some(header) = read_header(&mut journal).ok().filter(is_ours) else { return Ok(None) };
        let mut first = vec![0; header.filter.header_bytes()];
        if part.read_exact(&mut first).is_err() {
            return Ok(None);
        }
        let written = written(&header, &mut part, &mut journal)?;
        Ok(Some((PartialFile { header, part, journal, paths }, written)))
    }

    /// Writes the next group.
    ///
    /// # Errors
    /// The disk is full, for instance.
    pub(crate) fn write(&mut self, pages: &[u8], record: &GroupRecord) -> io::Result<()> {
        self.part.write_all(pages)?;
        self.journal.write_all(&record.encode())
    }

    /// Completes the filter with its header, syncs it and reads it back, every page.
    ///
    /// # Errors
    /// In words: it cannot be written, or is damaged.
    pub(crate) fn seal(&mut self, header: &Header) -> Result<(), String> {
        let named = |e: io::Error| format!("{}: {e}", self.paths.part.display());
        self.part.write_all_at(&format::encode(header), 0).map_err(named)?;
        self.part.sync_all().map_err(named)?;
        let filter = DictionaryFilter::open(&self.paths.part, Loading::Mapped).map_err(|e| e.to_string())?;
        let mut damaged = 0_u64;
        filter.scan(|_, _, is_intact| damaged += u64::from(!is_intact)).map_err(|e| e.to_string())?;
        if damaged == 0 { Ok(()) } else { Err(format!("{damaged} pages are damaged")) }
    }

    /// Replaces the earlier filter: the state file first, whose checksums fit no other filter, so that an
    /// interruption between the two only costs a comparison.
    ///
    /// # Errors
    /// In words: one of them cannot be installed.
    pub(crate) fn commit(mut self, output: &Path, ended: u64, entries: u64) -> Result<(), String> {
        let header = StateHeader { ended, entries, ..self.header.clone() };
        let head = header.encode().ok_or("the URL is too long")?;
        let state = state_path(output);
        let mut new = Replacement::create(&state, Access::Private).map_err(|e| e.to_string())?;
        new.write(&head).map_err(|e| e.to_string())?;
        let named = |e: io::Error| format!("{}: {e}", self.paths.journal.display());
        self.journal.seek(SeekFrom::Start(HEADER_BYTES as u64)).map_err(named)?;
        new.copy(&self.journal).map_err(|error| match error {
            CopyError::Read(e) => named(e),
            CopyError::Write(e) => e.to_string(),
        })?;
        new.commit().map_err(|e| e.to_string())?;
        let placed = || {
            let place = Place::of(output)?;
            Place::of(&self.paths.part)?.rename(&place)?;
            place.sync_folder()?;
            Place::of(&self.paths.journal)?.remove()
        };
        placed().map_err(|e: StorageError| e.to_string())
    }
}

/// Removes the unfinished files of an earlier run.
///
/// # Errors
/// They cannot be removed.
pub(crate) fn forget(output: &Path) -> io::Result<()> {
    let paths = Paths::of(output);
    for path in [&paths.part, &paths.journal] {
        place_of(path)?.remove().map_err(io::Error::other)?;
    }
    Ok(())
}

/// The groups whose record and pages are complete; everything after them is truncated.
fn written(header: &StateHeader, part: &mut File, journal: &mut File) -> io::Result<Vec<WrittenGroup>> {
    let group_bytes = usize::try_from(header.filter.group_pages()).unwrap_or(usize::MAX) * PAGE_BYTES;
    let (mut pages, mut groups) = (vec![0; group_bytes], Vec::new());
    let mut records = Records::behind(header, BufReader::new(&*journal));
    let (mut to, mut end) = (header.filter.header_bytes() as u64, HEADER_BYTES as u64);
    while let Some(record) = records.next()? {
        if part.read_exact_at(&mut pages, to).is_err() || crc32fast::hash(&pages) != record.pages {
            break;
        }
        to += group_bytes as u64;
        end += record.encode().len() as u64;
        groups.push(WrittenGroup { words: record.words, entries: record.entries() });
    }
    for (file, length) in [(part, to), (journal, end)] {
        file.set_len(length)?;
        file.seek(SeekFrom::Start(length))?;
    }
    Ok(groups)
}

fn create(path: &Path) -> io::Result<File> {
    place_of(path)?.create_new().map_err(io::Error::other)
}
