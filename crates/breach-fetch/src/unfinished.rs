//! The filter that is being written, `.NAME.part`, and the records of its ranges, `.NAME.part.ranges`: group
//! by group, in any order. Both are kept when a run is interrupted: the next one asks for the groups of which
//! the record or the pages are not complete, whatever a power failure left on the disk.

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
    storage::{Access, Place, Replacement, StorageError, Walk, with_ending},
    text::system_reason,
};

use crate::{
    earlier::{read_header, state_path},
    kept::Kept,
    state::{GroupRecord, HEADER_BYTES, NUMBER_BYTES, Records, StateHeader},
};

/// The two files.
pub(crate) struct PartialFile {
    /// The header of the state file.
    pub(crate) header: StateHeader,
    /// The ranges of groups that lack some.
    pub(crate) kept: Kept,
    part: File,
    journal: File,
    paths: Paths,
}

struct Paths {
    part: PathBuf,
    journal: PathBuf,
    kept: PathBuf,
}

/// [`Place::of`] with a system error.
fn place_of(path: &Path) -> io::Result<Place> {
    Place::of(path).map_err(io::Error::other)
}

/// A group that is written already.
#[derive(Clone, Copy, Debug)]
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
        Paths { journal: state_path(&part), kept: with_ending(&part, ".kept"), part }
    }
}

impl PartialFile {
    /// Creates the files.
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
        let kept = Kept::over(create(&paths.kept)?)?;
        Ok(PartialFile { header, kept, part, journal, paths })
    }

    /// Resumes the files, if they exist and `is_ours`; returns them with the groups, if they are written.
    ///
    /// # Errors
    /// They cannot be read, or truncated after the last complete record.
    pub(crate) fn resume(
        output: &Path,
        is_ours: impl FnOnce(&StateHeader) -> bool,
    ) -> io::Result<Option<(PartialFile, Vec<Option<WrittenGroup>>)>> {
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
        let kept = match walk.open_for_update(&paths.kept) {
            Ok(kept) => kept.file,
            Err(_) => create(&paths.kept)?,
        };
        let written = written(&header, &part, &mut journal)?;
        Ok(Some((PartialFile { header, kept: Kept::over(kept)?, part, journal, paths }, written)))
    }

    /// Writes a group.
    ///
    /// # Errors
    /// The disk is full, for instance.
    pub(crate) fn write(&mut self, group: u64, pages: &[u8], record: &GroupRecord) -> io::Result<()> {
        self.part.write_all_at(pages, place_of_group(&self.header, group))?;
        self.journal.write_all(&record.encode_numbered(group))
    }

    /// Completes the filter with its header, syncs it and reads it back, every page.
    ///
    /// # Errors
    /// In words: it cannot be written, or is damaged.
    pub(crate) fn seal(&mut self, header: &Header) -> Result<(), String> {
        let named = |e: io::Error| format!("{}: {}", self.paths.part.display(), system_reason(&e));
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
        let named = |e: io::Error| format!("{}: {}", self.paths.journal.display(), system_reason(&e));
        let records = places(&header, &mut self.journal).map_err(named)?;
        for (group, record) in records.iter().enumerate() {
            let (at, length) = record.ok_or_else(|| format!("group {group} has no record"))?;
            let mut record = vec![0; length];
            self.journal.read_exact_at(&mut record, at).map_err(named)?;
            new.write(&record).map_err(|e| e.to_string())?;
        }
        new.commit().map_err(|e| e.to_string())?;
        let placed = || {
            let place = Place::of(output)?;
            Place::of(&self.paths.part)?.rename(&place)?;
            place.sync_folder()?;
            Place::of(&self.paths.kept)?.remove()?;
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
    for path in [&paths.part, &paths.journal, &paths.kept] {
        place_of(path)?.remove().map_err(io::Error::other)?;
    }
    Ok(())
}

/// The groups whose record and pages are complete; what follows the last complete record is cut off.
fn written(header: &StateHeader, part: &File, journal: &mut File) -> io::Result<Vec<Option<WrittenGroup>>> {
    let mut groups: Vec<Option<(WrittenGroup, u32)>> = vec![None; slots(header)];
    let end = each_record(header, journal, |group, record, _| {
        if let Some(slot) = groups.get_mut(group) {
            *slot = Some((WrittenGroup { words: record.words, entries: record.entries() }, record.pages));
        }
    })?;
    journal.set_len(end)?;
    journal.seek(SeekFrom::Start(end))?;
    let mut pages = vec![0; group_bytes(header)];
    let mut whole = |(number, group): (usize, Option<(WrittenGroup, u32)>)| {
        let (group, sum) = group?;
        part.read_exact_at(&mut pages, place_of_group(header, number as u64)).ok()?;
        (crc32fast::hash(&pages) == sum).then_some(group)
    };
    Ok(groups.into_iter().enumerate().map(&mut whole).collect())
}

/// The position and the length of the last record of each group.
fn places(header: &StateHeader, journal: &mut File) -> io::Result<Vec<Option<(u64, usize)>>> {
    let mut places = vec![None; slots(header)];
    each_record(header, journal, |group, record, at| {
        if let Some(slot) = places.get_mut(group) {
            *slot = Some((at, record.encode().len()));
        }
    })?;
    Ok(places)
}

/// Passes each complete record, with its group and its position, to `each`; returns the end of the last.
fn each_record(
    header: &StateHeader,
    journal: &mut File,
    mut each: impl FnMut(usize, &GroupRecord, u64),
) -> io::Result<u64> {
    journal.seek(SeekFrom::Start(HEADER_BYTES as u64))?;
    let mut records = Records::numbered(header, BufReader::new(&*journal));
    let mut end = HEADER_BYTES as u64;
    while let Some((group, record)) = records.next_numbered()? {
        let length = record.encode_numbered(group).len() as u64;
        each(usize::try_from(group).unwrap_or(usize::MAX), &record, end + NUMBER_BYTES);
        end += length;
    }
    Ok(end)
}

fn slots(header: &StateHeader) -> usize {
    usize::try_from(header.groups()).unwrap_or(usize::MAX)
}

fn group_bytes(header: &StateHeader) -> usize {
    usize::try_from(header.filter.group_pages()).unwrap_or(usize::MAX).saturating_mul(PAGE_BYTES)
}

fn place_of_group(header: &StateHeader, group: u64) -> u64 {
    header.filter.header_bytes() as u64 + group * group_bytes(header) as u64
}

fn create(path: &Path) -> io::Result<File> {
    place_of(path)?.create_new().map_err(io::Error::other)
}
