//! The inspection of a filter file that is not trusted: the facts of the header, if it can be read, and the
//! checksum and the content of every page. Works on damaged files; nothing is mapped.

use std::{
    fs::File,
    io::{self, Read},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use nearmiss_cli::{failure::Failure, keys};
use nearmiss_filters::{
    chunks::chunks,
    dictionary::{
        judge::{Fault, Judge},
        sizing::{ActualRates, rates_of_fills},
    },
    format::{FormatError, Header},
    ladder::SystemRandom,
    page::{self, PAGE_BITS, PAGE_BYTES, Page},
    storage::Access,
};

use crate::{
    filter_file::{
        header::{FileRange, cannot, open_regular, read_header},
        known::Known,
        room,
    },
    report::{access::Readers, counted},
};

/// Pages read at once.
const PAGES_AT_ONCE: usize = 256;

/// The maximum number of damaged pages to name; the others are counted.
const NAMED_PAGES: usize = 16;

/// The result of an inspection.
pub(crate) struct Inspection {
    /// The file.
    pub(crate) path: PathBuf,
    /// Its length.
    pub(crate) file_bytes: u64,
    /// Read access.
    pub(crate) readers: Readers,
    /// The header's facts, if it can be read.
    pub(crate) header: Option<Header>,
    /// Faults of the header or the length.
    pub(crate) format_error: Option<FormatError>,
    /// The content of the pages, if there is a header.
    pub(crate) pages: PageFacts,
    /// Faults in the content of intact pages.
    pub(crate) faults: Vec<Fault>,
}

/// The content of a filter's pages.
#[derive(Default)]
pub(crate) struct PageFacts {
    /// Pages read.
    pub(crate) read: u64,
    /// Pages whose checksum is wrong.
    pub(crate) damaged: u64,
    /// The first of them, by index.
    pub(crate) first_damaged: Vec<u64>,
    /// Fills (fraction of ones) of the intact pages for keys.
    fills: Vec<f64>,
}

impl Inspection {
    /// Reads the file through.
    ///
    /// # Errors
    /// A [`Failure`] for a file that cannot be opened or read, is a folder, or has holes, which use no space
    /// and could keep a reader busy for days.
    pub(crate) fn of(path: &Path) -> Result<Inspection, Failure> {
        Inspection::knowing(path, Known::by_header)
    }

    /// The same, with the passwords that a filter with this header must contain.
    ///
    /// # Errors
    /// As [`Inspection::of`].
    pub(crate) fn knowing(
        path: &Path,
        known: impl FnOnce(&Path, &Header) -> Known,
    ) -> Result<Inspection, Failure> {
        let file = open_regular(path)?;
        let metadata = file.metadata().map_err(|e| cannot(path, "read", e))?;
        let file_bytes = metadata.len();
        if let Some(on_disk) = room::holes(&file) {
            return Err(Failure::plain(
                keys::FILTER_IMPLAUSIBLE,
                format!("{}: {}", path.display(), room::sparse(file_bytes, on_disk)),
            ));
        }
        let (header, format_error) = read_header(&file, file_bytes).map_err(|e| cannot(path, "read", e))?;
        let mut inspection = Inspection {
            path: path.to_owned(),
            file_bytes,
            readers: Readers::new(Access::of(&metadata), metadata.mode()),
            header,
            format_error,
            pages: PageFacts::default(),
            faults: Vec::new(),
        };
        if let Some(header) = &inspection.header {
            let known = known(path, header);
            let judge = Judge::new(header, known.passwords(), &mut SystemRandom);
            let mut judge = judge.map_err(|e| Failure::new("no random bytes", e))?;
            inspection.pages.read_all(&file, header, &mut judge).map_err(|e| cannot(path, "read", e))?;
            // Damaged pages are ignored, and the remaining pages prove little.
            if inspection.is_undamaged() {
                inspection.faults = judge.faults();
            }
        }
        Ok(inspection)
    }

    /// True if every byte of the file is as it was built, and the pages match the header.
    pub(crate) fn is_intact(&self) -> bool {
        self.is_undamaged() && self.faults.is_empty()
    }

    fn is_undamaged(&self) -> bool {
        self.format_error.is_none() && self.pages.damaged == 0
    }

    /// The error for a file that is not a filter, or is of an unknown format: there is nothing to report.
    ///
    /// # Errors
    /// A [`Failure`] with the reason.
    pub(crate) fn refuse_unknown(&self) -> Result<(), Failure> {
        match self.format_error {
            Some(error @ (FormatError::NotAFilter | FormatError::Version { .. })) => {
                Err(Failure::new(self.path.display().to_string(), error))
            }
            _ => Ok(()),
        }
    }

    /// All faults, in words, each with its position.
    pub(crate) fn problems(&self) -> Vec<String> {
        let format = self.format_error.iter().map(ToString::to_string);
        let page = |index: &u64| {
            let offset = self.header.as_ref().map_or(0, |header| page_offset(header, *index));
            format!("page {index} (at byte {offset}): the checksum is wrong")
        };
        let pages = self.pages.first_damaged.iter().map(page);
        let unnamed = self.pages.damaged.saturating_sub(self.pages.first_damaged.len() as u64);
        let rest = (unnamed > 0).then(|| format!("{} more: the checksum is wrong", counted(unnamed, "page")));
        let faults = self.faults.iter().map(ToString::to_string);
        format.chain(pages).chain(rest).chain(faults).collect()
    }
}

impl PageFacts {
    /// The mean fill of the intact pages.
    #[allow(clippy::cast_precision_loss, reason = "a mean")]
    pub(crate) fn mean_fill(&self) -> f64 {
        // The sum of no numbers is -0.
        (0.0 + self.fills.iter().sum::<f64>()) / self.fills.len().max(1) as f64
    }

    /// The false rejection rates that the intact pages have.
    pub(crate) fn actual_rates(&self, header: &Header) -> ActualRates {
        rates_of_fills(header, &self.fills)
    }

    /// Reads the existing pages; a file that is too short has fewer.
    fn read_all(&mut self, file: &File, header: &Header, judge: &mut Judge<'_>) -> io::Result<()> {
        let mut buffer = Vec::new();
        while self.read < header.all_pages() {
            let wanted = (header.all_pages().saturating_sub(self.read)).min(PAGES_AT_ONCE as u64);
            let mut part = FileRange { file, at: page_offset(header, self.read) };
            buffer.clear();
            (&mut part).take(wanted.saturating_mul(PAGE_BYTES as u64)).read_to_end(&mut buffer)?;
            let (pages, _) = chunks::<_, _, PAGE_BYTES>(&buffer);
            if pages.is_empty() {
                break;
            }
            for page in pages {
                self.count(page, self.read < header.pages, judge);
            }
        }
        Ok(())
    }

    #[allow(clippy::cast_precision_loss, reason = "at most 32,736 ones are exact")]
    fn count(&mut self, page: &Page, is_of_keys: bool, judge: &mut Judge<'_>) {
        if !page::is_intact(page) {
            self.damaged = self.damaged.saturating_add(1);
            if self.first_damaged.len() < NAMED_PAGES {
                self.first_damaged.push(self.read);
            }
        } else if is_of_keys {
            self.fills.push(f64::from(page::ones(page)) / f64::from(PAGE_BITS));
            judge.see(self.read, page);
        }
        self.read = self.read.saturating_add(1);
    }
}

fn page_offset(header: &Header, index: u64) -> u64 {
    index.saturating_mul(PAGE_BYTES as u64).saturating_add(header.header_bytes() as u64)
}
