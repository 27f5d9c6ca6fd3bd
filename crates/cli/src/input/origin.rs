//! The source of a list's bytes: a file, a folder, a stream, or the program itself.
//!
//! Files are read by position and never reopened, so that every pass reads the same file even if it has been
//! replaced meanwhile. A folder has too many files for that.

use std::{
    fs::{self, File},
    io::{self, Cursor, Read},
    os::{
        fd::AsFd,
        unix::fs::{FileExt, FileTypeExt, MetadataExt},
    },
    path::Path,
    sync::Arc,
};

use nearmiss_filters::{format::Kind, storage::Folder};
use rustix::fs::{CWD, Mode, OFlags, openat};

use super::{
    Charset, Expected, ListName, MaxText,
    decompress::{self, Format},
    error::{InputError, Problem},
    ranges::{Ranges, Whole},
    stream::{Stream, Streams, spool, wait_for_writer},
    text,
};
use crate::progress::Progress;

/// The source of a list's bytes, and its name.
pub(crate) struct Origin {
    name: String,
    store: Contents,
    most: MaxText,
    /// The charset that the user says.
    charset: Option<Charset>,
}

enum Contents {
    File(Arc<File>, u64),
    Memory(&'static [u8]),
    Folder(Arc<Ranges>),
    Stream(Stream),
}

impl Origin {
    /// Opens a list of this kind.
    ///
    /// # Errors
    /// An [`InputError`] if it is missing, unreadable, a folder or a device.
    pub(crate) fn open(name: &ListName, expected: &Expected, streams: Streams) -> Result<Origin, InputError> {
        let mut origin = Origin::stored(name, expected, streams)?;
        origin.charset = expected.charset;
        Ok(origin)
    }

    fn stored(name: &ListName, expected: &Expected, streams: Streams) -> Result<Origin, InputError> {
        let Expected { kind, most, .. } = *expected;
        match name {
            ListName::Embedded(list) => Ok(Origin::memory(list.name, list.stored)),
            ListName::Path(path) if path.as_os_str() == "-" => standard_input(most, streams),
            ListName::Path(path) if kind != Kind::Words => match Folder::open(path) {
                Ok(place) => folder(path, place, expected),
                // It is a file, or opening it by name gives the error.
                Err(_) => named(path, most, streams),
            },
            ListName::Path(path) => named(path, most, streams),
            ListName::Opened { path, file, .. } => of_file(path.display().to_string(), file.clone(), most),
        }
    }

    /// A list that is in memory.
    pub(crate) fn memory(name: &str, bytes: &'static [u8]) -> Origin {
        Origin { name: name.to_owned(), store: Contents::Memory(bytes), most: MaxText::NAMED, charset: None }
    }

    /// A temporary file with this many bytes.
    pub(super) fn of_spooled(name: &str, file: Arc<File>, bytes: u64, most: MaxText) -> Origin {
        Origin { name: name.to_owned(), store: Contents::File(file, bytes), most, charset: None }
    }

    /// The list's name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The size in bytes as stored, that is before decompression.
    pub(crate) fn stored_bytes(&self) -> u64 {
        match &self.store {
            Contents::File(_, bytes) => *bytes,
            Contents::Memory(bytes) => bytes.len() as u64,
            Contents::Folder(ranges) => ranges.bytes(),
            Contents::Stream(_) => 0,
        }
    }

    /// The size limit of the text.
    pub(super) fn most(&self) -> MaxText {
        self.most
    }

    /// The stream, if it is one that can only be read once.
    pub(super) fn stream(&self) -> Option<&Stream> {
        match &self.store {
            Contents::Stream(stream) => Some(stream),
            _ => None,
        }
    }

    /// The fraction of the list that these first lines are; none if that is unknown.
    pub(super) fn share_of(&self, text: &[u8], format: Format) -> Option<f64> {
        let share = |stored: usize, of: u64| (of > 0).then(|| stored as f64 / of as f64);
        match &self.store {
            Contents::File(_, bytes) if format == Format::Plain => share(text.len(), *bytes),
            Contents::Memory(bytes) if format == Format::Plain => share(text.len(), bytes.len() as u64),
            Contents::Folder(ranges) => share(Ranges::stored_length(text), ranges.bytes()),
            _ => None,
        }
    }

    /// The corpus of ranges, if the list is one.
    pub(super) fn ranges(&self) -> Option<&Arc<Ranges>> {
        match &self.store {
            Contents::Folder(ranges) => Some(ranges),
            _ => None,
        }
    }

    /// True when it can be read again.
    pub(crate) fn is_kept(&self) -> bool {
        !matches!(self.store, Contents::Stream(_))
    }

    /// The file, in a folder, and the number in it of a line of the whole list.
    pub(crate) fn place(&self, line: u64) -> (Option<String>, u64) {
        let Contents::Folder(ranges) = &self.store else { return (None, line) };
        ranges.place(line).map_or((None, line), |(file, line)| (Some(file), line))
    }

    /// True if the bytes belong to the file at `path`.
    pub(crate) fn is_file(&self, path: &Path) -> bool {
        let Contents::File(file, _) = &self.store else { return false };
        match (file.metadata(), fs::metadata(path)) {
            (Ok(own), Ok(other)) => (own.dev(), own.ino()) == (other.dev(), other.ino()),
            _ => false,
        }
    }

    /// Reads the text from the start, up to its size limit, and reports the number of stored bytes that were
    /// read to `progress`; also returns the format.
    ///
    /// # Errors
    /// An [`InputError`] if the beginning cannot be read.
    pub(crate) fn text(&self, progress: &Progress) -> Result<(Box<dyn Read + Send>, Format), InputError> {
        let opened = decompress::text(self.read(progress));
        let (text, format) = opened.map_err(|e| self.error(Format::Plain.read_problem(e)))?;
        let text = text::utf8(text, self.charset).map_err(|e| self.error(format.read_problem(e)))?;
        Ok((self.most.bound(text), format))
    }

    /// The stored bytes from the start.
    fn read(&self, progress: &Progress) -> Box<dyn Read + Send> {
        let progress = progress.clone();
        match &self.store {
            Contents::File(file, _) => {
                Box::new(CountingReader { inner: FromStart::new(file.clone()), progress })
            }
            Contents::Memory(bytes) => Box::new(CountingReader { inner: Cursor::new(*bytes), progress }),
            Contents::Folder(ranges) => Box::new(Whole::new(ranges.clone(), progress)),
            Contents::Stream(stream) => stream.take(),
        }
    }

    /// This list has this problem.
    pub(crate) fn error(&self, problem: Problem) -> InputError {
        InputError::new(&self.name, problem)
    }
}

/// A list that is named on the command line: symbolic links are followed, since the person who typed the name
/// chose the file.
fn named(path: &Path, most: MaxText, streams: Streams) -> Result<Origin, InputError> {
    let name = path.display().to_string();
    let file = opened(path).map_err(|e| InputError::new(&name, Problem::Open(e)))?;
    from_file(name, file, most, streams)
}

/// Opens without waiting for a pipe without a writer, or for a device, which is refused anyway.
fn opened(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(File::from(openat(CWD, path, flags, Mode::empty())?))
}

/// Opens the file that belongs to a list and has a name that nobody typed; none if there is no such file.
///
/// # Errors
/// It cannot be opened, or is a pipe, a device or a folder.
pub(super) fn beside(path: &Path) -> io::Result<Option<File>> {
    match opened(path) {
        Ok(file) if file.metadata()?.is_file() => Ok(Some(file)),
        Ok(_) => Err(io::Error::other("it is not a regular file")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn folder(path: &Path, place: Folder, expected: &Expected) -> Result<Origin, InputError> {
    let name = path.display().to_string();
    let failed = |e| InputError::new(&name, Problem::Read(e));
    let ranges = Arc::new(Ranges::find(place, expected.kind, expected.is_partial).map_err(failed)?);
    if ranges.is_empty() {
        return Err(InputError::new(&name, Problem::NoRanges));
    }
    match ranges.problem_of_gaps().map_err(failed)? {
        Some(problem) => Err(InputError::new(&name, Problem::Ranges(Box::new(problem)))),
        None => Ok(Origin { name, store: Contents::Folder(ranges), most: expected.most, charset: None }),
    }
}

fn standard_input(most: MaxText, streams: Streams) -> Result<Origin, InputError> {
    let name = "standard input".to_owned();
    let descriptor = io::stdin().as_fd().try_clone_to_owned();
    let file = File::from(descriptor.map_err(|e| InputError::new(&name, Problem::Open(e)))?);
    refuse_folder(&name, &file)?;
    // Always a stream: another program may have read part of it before, and a terminal or a device is
    // permitted here.
    of_stream(name, file, most, streams)
}

fn from_file(name: String, file: File, most: MaxText, streams: Streams) -> Result<Origin, InputError> {
    let metadata = file.metadata().map_err(|e| InputError::new(&name, Problem::Read(e)))?;
    refuse_folder(&name, &file)?;
    let kind = metadata.file_type();
    if kind.is_file() {
        return of_file(name, Arc::new(file), most);
    }
    if kind.is_char_device() || kind.is_block_device() {
        return Err(InputError::new(&name, Problem::Device));
    }
    wait_for_writer(&file).map_err(|e| InputError::new(&name, Problem::Read(e)))?;
    of_stream(name, file, most, streams)
}

fn of_stream(name: String, stream: File, most: MaxText, streams: Streams) -> Result<Origin, InputError> {
    let store = match streams {
        Streams::Once => Contents::Stream(Stream::of(&name, stream)?),
        Streams::Spooled => {
            let (file, bytes) = spool(&name, stream, most)?;
            Contents::File(Arc::new(file), bytes)
        }
    };
    Ok(Origin { name, store, most, charset: None })
}

fn of_file(name: String, file: Arc<File>, most: MaxText) -> Result<Origin, InputError> {
    let bytes = file.metadata().map_err(|e| InputError::new(&name, Problem::Read(e)))?.len();
    Ok(Origin { name, store: Contents::File(file, bytes), most, charset: None })
}

fn refuse_folder(name: &str, file: &File) -> Result<(), InputError> {
    match file.metadata() {
        Ok(metadata) if metadata.is_dir() => Err(InputError::new(name, Problem::Folder)),
        Ok(_) => Ok(()),
        Err(source) => Err(InputError::new(name, Problem::Read(source))),
    }
}

/// A file read by position: who reads it again reads it from its start.
pub(super) struct FromStart {
    file: Arc<File>,
    at: u64,
}

impl FromStart {
    pub(super) fn new(file: Arc<File>) -> FromStart {
        FromStart { file, at: 0 }
    }
}

impl Read for FromStart {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(buffer, self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}

/// Reports the number of bytes that were read.
struct CountingReader<R> {
    inner: R,
    progress: Progress,
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.progress.advance(count as u64);
        Ok(count)
    }
}
