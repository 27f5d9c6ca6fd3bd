//! A folder of range files in the format of the Pwned Passwords service: each is named by the first 5
//! hexadecimal digits of its digests, and its lines contain the rest of each digest and a count. It is read
//! as one list of whole digests, file after file by name, a file at a time in memory.

use std::{
    ffi::{OsStr, OsString},
    io::{self, BufRead, Read},
    path::Path,
    sync::Arc,
};

use nearmiss_filters::{
    storage::{Folder, StorageError},
    text::system_reason,
};

use super::decompress;
use crate::progress::Progress;

/// The number of digits of a digest in the file's name.
const PREFIX_DIGITS: usize = 5;

/// The size limit of a range file in bytes: it contains a millionth of all digests, some 50 KB.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// The range files of a folder.
pub(super) struct Ranges {
    folder: Folder,
    /// In the order of their names.
    names: Vec<OsString>,
    bytes: u64,
}

impl Ranges {
    /// Finds the range files of a folder; files with other names are not part of the list.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub(super) fn find(folder: Folder) -> io::Result<Ranges> {
        let (mut names, mut bytes) = (Vec::new(), 0_u64);
        for name in folder.names().map_err(|e| of_storage(&e))? {
            let name = name.map_err(|e| of_storage(&e))?;
            if prefix_of(&name).is_some() {
                bytes = bytes.saturating_add(folder.look_at(&name).map_err(|e| of_storage(&e))?.1);
                names.push(name);
            }
        }
        // The case of digits is ignored.
        names.sort_by_cached_key(|name| (name.to_ascii_uppercase(), name.clone()));
        Ok(Ranges { folder, names, bytes })
    }

    /// True if there is no range file.
    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Their total size.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The bytes of these lines in files that are not compressed: the prefix of each is in the name.
    pub(super) fn stored_length(text: &[u8]) -> usize {
        text.len() - memchr::memchr_iter(b'\n', text).count() * PREFIX_DIGITS
    }

    /// The file, and the line in it, of line `line` of the whole list; none if the list can no longer be
    /// read.
    pub(super) fn place(&self, line: u64) -> Option<(String, u64)> {
        let mut left = line;
        for name in &self.names {
            let lines = self.text(name).ok()?.split(|&byte| byte == b'\n').count() as u64;
            if left <= lines {
                return Some((name.to_string_lossy().into_owned(), left));
            }
            left -= lines;
        }
        None
    }

    /// The unpacked text of a file, without the end of its last line.
    fn text(&self, name: &OsString) -> io::Result<Vec<u8>> {
        let read = || {
            let file = self.folder.open_regular(name).map_err(|e| of_storage(&e))?;
            let (text, format) = decompress::text(Box::new(file))?;
            if format.problem().is_some() {
                return Err(io::Error::other("is not text"));
            }
            let mut bytes = Vec::new();
            text.take(MAX_FILE_BYTES).read_to_end(&mut bytes)?;
            if bytes.len() as u64 == MAX_FILE_BYTES {
                return Err(io::Error::other("is too large for a range file"));
            }
            if bytes.last() == Some(&b'\n') {
                bytes.pop();
            }
            Ok(bytes)
        };
        let named = |e: &io::Error| format!("{}: {}", Path::new(name).display(), system_reason(e));
        read().map_err(|e| io::Error::new(e.kind(), named(&e)))
    }

    fn file_bytes(&self, name: &OsString) -> u64 {
        self.folder.look_at(name).map_or(0, |(_, bytes)| bytes)
    }
}

/// The reason only: the caller names the file.
fn of_storage(error: &StorageError) -> io::Error {
    io::Error::other(error.reason())
}

/// The prefix in a file's name: 5 hexadecimal digits, alone or before an extension.
fn prefix_of(name: &OsStr) -> Option<&str> {
    let (prefix, rest) = name.to_str()?.split_at_checked(PREFIX_DIGITS)?;
    let is_prefix = prefix.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_prefix && (rest.is_empty() || rest.starts_with('.'))).then_some(prefix)
}

/// The files of a folder as one stream of lines with whole digests.
pub(super) struct Whole {
    ranges: Arc<Ranges>,
    next: usize,
    lines: io::Cursor<Vec<u8>>,
    progress: Progress,
}

impl Whole {
    /// The lines from the first.
    pub(super) fn new(ranges: Arc<Ranges>, progress: Progress) -> Whole {
        Whole { ranges, next: 0, lines: io::Cursor::default(), progress }
    }

    /// Reads the next file that has lines; false at the end.
    fn advance(&mut self) -> io::Result<bool> {
        while self.lines.fill_buf()?.is_empty() {
            let Some(name) = self.ranges.names.get(self.next) else { return Ok(false) };
            let text = self.ranges.text(name)?;
            let prefix = prefix_of(name).unwrap_or_default();
            self.lines = io::Cursor::new(completed(prefix, &text));
            self.progress.advance(self.ranges.file_bytes(name));
            self.next += 1;
        }
        Ok(true)
    }
}

impl Read for Whole {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.advance()? { self.lines.read(buffer) } else { Ok(0) }
    }
}

/// The lines with the prefix before each; blank lines stay blank.
fn completed(prefix: &str, text: &[u8]) -> Vec<u8> {
    let mut lines = Vec::with_capacity(text.len() / 8 * 9);
    let ends = memchr::memchr_iter(b'\n', text).chain([text.len()]);
    let mut start = 0;
    for line in ends.filter_map(|end| text.get(std::mem::replace(&mut start, end + 1)..end)) {
        if !line.trim_ascii().is_empty() {
            lines.extend_from_slice(prefix.as_bytes());
        }
        lines.extend_from_slice(line);
        lines.push(b'\n');
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    fn find(folder: &Path) -> Ranges {
        Ranges::find(Folder::open(folder).unwrap()).unwrap()
    }

    fn read(folder: &Path) -> String {
        let ranges = Arc::new(find(folder));
        let mut text = String::new();
        Whole::new(ranges, Progress::hidden()).read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn range_files_are_one_list_in_the_order_of_their_names() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("0000A", "111:3\r\n222:4"),
            ("00001.txt", "333:1\n\n444:1\n"),
            ("abcde", ""),
            ("README", "no"),
            ("00001x", "no"),
            ("12345678", "no"),
        ] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        assert_eq!(read(folder.path()), "00001333:1\n\n00001444:1\n0000A111:3\r\n0000A222:4\n\n");
        let ranges = find(folder.path());
        assert_eq!(ranges.place(3), Some(("00001.txt".to_owned(), 3)));
        assert_eq!(ranges.place(5), Some(("0000A".to_owned(), 2)));
        assert_eq!(ranges.place(7), None);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_named_and_a_link_is_not_followed() {
        for make in [|path: &Path| fs::create_dir(path), |path: &Path| symlink("/etc/passwd", path)] {
            let folder = tempfile::tempdir().unwrap();
            make(&folder.path().join("00000")).unwrap();
            let ranges = Arc::new(find(folder.path()));
            let error = Whole::new(ranges, Progress::hidden()).read(&mut [0; 9]).unwrap_err();
            assert!(error.to_string().starts_with("00000: is not a regular file"), "{error}");
        }
    }
}
