//! The ranges of a corpus, one after the other. A range with a fault is remembered, and has no lines.

use std::{
    io::{self, Read},
    path::Path,
    sync::Arc,
};

use nearmiss_filters::text::system_reason;

use super::{
    Ranges,
    fault::RangeFault,
    faults::Faults,
    line::{RangeLines, RangeName},
    lines::BYTE_ORDER_MARK,
    names::name_of,
    walk::{LastFolder, RangeFile},
};
use crate::{
    input::decompress::{self, Format},
    progress::Progress,
};

/// The size limit of a range file in bytes: it contains a millionth of all digests, some 50 KB.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// A pass over the ranges.
pub(super) struct Passing {
    ranges: Arc<Ranges>,
    next: usize,
    folder: LastFolder,
    stored: Vec<u8>,
    text: Vec<u8>,
    progress: Progress,
}

impl Passing {
    /// A pass from the first range.
    pub(super) fn new(ranges: Arc<Ranges>, progress: Progress) -> Passing {
        *ranges.faults() = Faults::default();
        let (stored, text) = (Vec::new(), Vec::new());
        Passing { ranges, next: 0, folder: LastFolder::default(), stored, text, progress }
    }

    /// The file of the next range.
    pub(super) fn upcoming(&self) -> Option<RangeFile> {
        self.ranges.files.files().get(self.next).copied()
    }

    /// Passes the lines of the next range to `lines`, and returns its file; none at the end.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn next(&mut self, lines: &mut impl RangeLines) -> io::Result<Option<RangeFile>> {
        let ranges = Arc::clone(&self.ranges);
        let Some(file) = self.upcoming() else { return Ok(None) };
        self.next += 1;
        let path = || ranges.files.path_of(&file);
        let named = |e: &io::Error| io::Error::new(e.kind(), named(&path(), e));
        let is_packed = self.load(&file).map_err(|e| named(&e))?;
        let read = match is_packed {
            Err(fault) => Err(fault),
            Ok(is_packed) => {
                let text = if is_packed { &self.text } else { &self.stored };
                of_range(&ranges, file.range, text, lines)
            }
        };
        if let Err(fault) = read {
            ranges.faults().add(&path().to_string_lossy(), fault);
        }
        self.progress.advance(file.bytes.into());
        Ok(Some(file))
    }

    /// Reads a file into `stored`, and its unpacked text into `text` if it is packed, which is returned.
    fn load(&mut self, file: &RangeFile) -> io::Result<Result<bool, RangeFault>> {
        let opened = self.ranges.files.open(file, &mut self.folder)?;
        self.stored.clear();
        // One byte more than the file has, so that its end is seen by the same reading.
        self.stored.reserve(usize::try_from(file.bytes).unwrap_or(0).min(1 << 20) + 1);
        read_limited(opened, &mut self.stored)?;
        match Format::of(&self.stored) {
            Format::Plain => return Ok(Ok(false)),
            Format::Archive(_) => return Ok(Err(RangeFault::Malformed { line: 1 })),
            Format::Gzip | Format::Zstd | Format::Xz => {}
        }
        self.text.clear();
        let stored = io::Cursor::new(std::mem::take(&mut self.stored));
        let unpacked =
            decompress::text(Box::new(stored)).and_then(|(text, _)| read_limited(text, &mut self.text));
        Ok(unpacked.map(|()| true).map_err(|_| RangeFault::Damaged))
    }
}

/// Passes the lines of a range on.
fn of_range(ranges: &Ranges, range: u32, text: &[u8], lines: &mut impl RangeLines) -> Result<(), RangeFault> {
    let digits = name_of(range);
    let name = RangeName { kind: ranges.kind, digits: digits.as_bytes() };
    match name.read(text, lines) {
        Err(fault @ RangeFault::Unsorted { .. }) if ranges.may_be_partial => {
            match name.read(&sorted(text), lines) {
                // Whole digests among the others: they are in no order of lines.
                Err(RangeFault::Unsorted { line }) => Err(RangeFault::Malformed { line }),
                Err(other) => Err(other),
                Ok(()) => Err(fault),
            }
        }
        read => read,
    }
}

/// The lines in ascending order.
fn sorted(text: &[u8]) -> Vec<u8> {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let mut lines: Vec<Vec<u8>> =
        text.split(|&byte| byte == b'\n').map(|line| line.trim_ascii().to_ascii_uppercase()).collect();
    lines.sort_unstable();
    lines.join(&b'\n')
}

fn read_limited(from: impl Read, to: &mut Vec<u8>) -> io::Result<()> {
    from.take(MAX_FILE_BYTES).read_to_end(to)?;
    if to.len() as u64 == MAX_FILE_BYTES {
        return Err(io::Error::other("is too large for a range file"));
    }
    Ok(())
}

fn named(path: &Path, error: &io::Error) -> String {
    format!("{}: {}", path.display(), system_reason(error))
}
