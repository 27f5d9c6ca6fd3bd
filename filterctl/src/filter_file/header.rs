//! The header of a filter file that may be damaged or not trusted.

use std::{
    fs::{self, File},
    io::{self, Read},
    os::unix::fs::FileExt,
    path::Path,
};

use nearmiss_cli::{failure::Failure, keys};
use nearmiss_filters::format::{self, FIXED_BYTES, FormatError, Header};

/// The header of the filter at this path, damaged or not; none if there is no filter.
pub(crate) fn header_at(path: &Path) -> Option<Header> {
    let file = open_regular(path).ok()?;
    let file_bytes = file.metadata().ok()?.len();
    read_header(&file, file_bytes).ok()?.0
}

/// The header of the filter at this path; none if there is no filter, or its header is damaged.
pub(crate) fn whole_header_at(path: &Path) -> Option<Header> {
    let file = open_regular(path).ok()?;
    let file_bytes = file.metadata().ok()?.len();
    let (header, fault) = read_header(&file, file_bytes).ok()?;
    header.filter(|_| fault.is_none())
}

/// Opens a regular file; checks its type first, since opening a pipe waits for a writer.
pub(super) fn open_regular(path: &Path) -> Result<File, Failure> {
    let metadata = fs::metadata(path).map_err(|e| cannot(path, "opened", e))?;
    if !metadata.is_file() {
        return Err(Failure::plain(
            keys::FILE_NOT_REGULAR,
            format!("{}: is not a regular file", path.display()),
        ));
    }
    File::open(path).map_err(|e| cannot(path, "opened", e))
}

/// The header, as far as it can be read, and its faults; a wrong length does not hide the header.
pub(super) fn read_header(file: &File, file_bytes: u64) -> io::Result<(Option<Header>, Option<FormatError>)> {
    let first = read_prefix(file, FIXED_BYTES)?;
    let header_bytes = match format::header_bytes_of(&first) {
        Ok(header_bytes) => header_bytes,
        Err(error) => return Ok((None, Some(error))),
    };
    let bytes = read_prefix(file, header_bytes)?;
    Ok(match format::decode(&bytes, file_bytes) {
        Ok(header) => (Some(header), None),
        Err(error @ FormatError::Length { expected, .. }) => {
            (format::decode(&bytes, expected).ok(), Some(error))
        }
        Err(error) => (None, Some(error)),
    })
}

fn read_prefix(file: &File, bytes: usize) -> io::Result<Vec<u8>> {
    let mut prefix = Vec::new();
    FileRange { file, at: 0 }.take(bytes as u64).read_to_end(&mut prefix)?;
    Ok(prefix)
}

/// A file read by position.
pub(super) struct FileRange<'a> {
    pub(super) file: &'a File,
    pub(super) at: u64,
}

impl Read for FileRange<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(buffer, self.at)?;
        self.at = self.at.saturating_add(count as u64);
        Ok(count)
    }
}

/// The failure of an act on a file.
pub(super) fn cannot(path: &Path, act: &str, source: io::Error) -> Failure {
    Failure::new(format!("{}: cannot be {act}", path.display()), source)
}
