//! The filter in use until the new one is complete, and the records of its ranges.

#![allow(clippy::arithmetic_side_effects, reason = "positions in a file whose length was checked")]

use std::{
    fs::File,
    io::{self, BufReader, Read},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use nearmiss_filters::{
    dictionary::{DictionaryFilter, Loading},
    page::PAGE_BYTES,
    storage::{StorageError, open_trusted, with_ending},
    text::system_reason,
};

use crate::state::{FetchStateError, GroupRecord, HEADER_BYTES, Records, StateHeader};

/// The result of the last run.
pub(crate) struct PreviousRun {
    /// The header of its state file.
    pub(crate) header: StateHeader,
    records: Records<BufReader<File>>,
    filter: Filter,
}

/// Its filter, read group by group.
struct Filter {
    file: File,
    header_bytes: u64,
    group_bytes: usize,
}

/// A group of the earlier filter.
pub(crate) struct EarlierGroup {
    /// Its record.
    pub(crate) record: GroupRecord,
    /// Its pages, as they were written.
    pub(crate) pages: Vec<u8>,
}

/// The path of a filter's state file.
pub(crate) fn state_path(filter: &Path) -> PathBuf {
    with_ending(filter, ".ranges")
}

/// The header of the state file of a filter; none if there is no such file.
///
/// # Errors
/// In words, why it is refused.
pub(crate) fn state_of(filter: &Path) -> Result<Option<(StateHeader, File)>, String> {
    let path = state_path(filter);
    let mut file = match open_trusted(&path) {
        Ok(file) => file,
        Err(error) if error.is_missing() => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    read_header(&mut file).map(|header| Some((header, file))).map_err(|e| format!("{}: {e}", path.display()))
}

/// Reads the header of a state file, whose position is then at its first record.
///
/// # Errors
/// In words.
pub(crate) fn read_header(file: &mut File) -> Result<StateHeader, String> {
    let mut bytes = Vec::with_capacity(HEADER_BYTES);
    file.take(HEADER_BYTES as u64).read_to_end(&mut bytes).map_err(|e| system_reason(&e))?;
    StateHeader::decode(&bytes).map_err(|e: FetchStateError| e.to_string())
}

impl PreviousRun {
    /// The filter at this path with its state file, for copying groups.
    ///
    /// # Errors
    /// In words, why it cannot be used.
    pub(crate) fn open(path: &Path, header: StateHeader, state: File) -> Result<PreviousRun, String> {
        let filter = DictionaryFilter::open(path, Loading::Mapped).map_err(|e| e.to_string())?;
        let of_filter = filter.header();
        let is_its = of_filter.key.bytes() == header.filter.key.bytes()
            && (of_filter.pages, of_filter.group_bits, of_filter.word_bits)
                == (header.filter.pages, header.filter.group_bits, header.filter.word_bits);
        if !is_its {
            return Err(format!("{}: is not the filter that its ranges file describes", path.display()));
        }
        let file = open_trusted(path).map_err(|e: StorageError| e.to_string())?;
        let records = Records::behind(&header, BufReader::new(state));
        let filter = Filter::new(&header, file);
        Ok(PreviousRun { header, records, filter })
    }

    /// The next group; none if it is damaged, or has no record.
    ///
    /// # Errors
    /// The files cannot be read.
    pub(crate) fn next(&mut self, number: u64) -> io::Result<Option<EarlierGroup>> {
        let Some(record) = self.records.next()? else { return Ok(None) };
        let pages = self.filter.read(number)?;
        let is_whole = pages.as_ref().is_some_and(|pages| crc32fast::hash(pages) == record.pages);
        Ok(pages.filter(|_| is_whole).map(|pages| EarlierGroup { record, pages }))
    }

    /// Skips a group.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn skip(&mut self) -> io::Result<()> {
        self.records.next().map(|_| ())
    }
}

impl Filter {
    fn new(header: &StateHeader, file: File) -> Filter {
        let group_bytes = usize::try_from(header.filter.group_pages()).unwrap_or(usize::MAX);
        let group_bytes = group_bytes.saturating_mul(PAGE_BYTES);
        Filter { file, header_bytes: header.filter.header_bytes() as u64, group_bytes }
    }

    /// The bytes of a group; none if the file ends before.
    fn read(&self, number: u64) -> io::Result<Option<Vec<u8>>> {
        let mut bytes = vec![0; self.group_bytes];
        let at = self.header_bytes + number * self.group_bytes as u64;
        match self.file.read_exact_at(&mut bytes, at) {
            Ok(()) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }
}
