//! What is drawn: a dictionary filter or a ladder, read page by page. Bits are kept where they will be drawn one by one,
//! fills where they will not.

use std::{
    fs::File,
    io::{self, BufReader, Read, Seek, SeekFrom},
    path::Path,
};

use nearmiss_filters::{
    dictionary,
    format::MAGIC,
    ladder::{self, HEADER_BYTES, HeaderError},
    page::{self, PAGE_BITS, PAGE_BYTES, Page},
};

use crate::{
    failure::{Failure, printable},
    report::header::Facts,
};

/// A file to draw.
pub(crate) struct Subject {
    /// The facts of the header, a line each.
    pub(super) facts: Vec<String>,
    /// Its pages.
    pub(super) pages: Vec<Drawn>,
    /// True when the last four bytes of each page are its checksum.
    pub(super) has_checksums: bool,
}

/// A page.
pub(super) struct Drawn {
    /// The fraction of ones.
    pub(super) fill: f64,
    /// True when its checksum is wrong.
    pub(super) is_damaged: bool,
    /// Its bits, in a small filter.
    pub(super) bits: Option<Box<Page>>,
}

impl Subject {
    /// Reads a filter or a ladder; its bits, too, unless it has more than `most_bits`.
    ///
    /// # Errors
    /// A [`Failure`] for a file that cannot be read, or is neither.
    pub(crate) fn read(path: &Path, most_bits: u64) -> Result<Subject, Failure> {
        let unreadable = |e: io::Error| Failure::new(format!("cannot read {}", path.display()), e);
        let file = File::open(path).map_err(unreadable)?;
        let mut first = Vec::new();
        (&file).take(HEADER_BYTES as u64).read_to_end(&mut first).map_err(unreadable)?;
        let body = if first.starts_with(&MAGIC) {
            Body::of_filter(&file, path)
        } else {
            Body::of_ladder(&first, path)
        }?;
        let mut facts = vec![printable(&path.display().to_string())];
        facts.extend(body.facts.lines().map(labelled));
        let pages = body.read(&file, most_bits).map_err(unreadable)?;
        Ok(Subject { facts, pages, has_checksums: body.has_checksums })
    }

    /// How many pages are damaged.
    pub(super) fn damaged(&self) -> usize {
        self.pages.iter().filter(|page| page.is_damaged).count()
    }

    /// The mean fill.
    pub(super) fn mean_fill(&self) -> f64 {
        let sum: f64 = self.pages.iter().map(|page| page.fill).sum();
        sum / self.pages.len().max(1) as f64
    }

    /// True when every bit is known.
    pub(super) fn has_bits(&self) -> bool {
        self.pages.iter().all(|page| page.bits.is_some())
    }
}

/// A line of facts without the spaces that align it: `kind: words, near match`.
fn labelled(line: &str) -> String {
    match line.trim().split_once("  ") {
        Some((label, fact)) => format!("{label}: {}", fact.trim()),
        None => line.trim().to_owned(),
    }
}

/// Where the pages are, and what the header says.
struct Body {
    facts: String,
    offset: u64,
    pages: u64,
    has_checksums: bool,
}

impl Body {
    fn of_filter(file: &File, path: &Path) -> Result<Body, Failure> {
        let header = dictionary::read_header(file, path).map_err(|e| Failure::new("cannot draw", e))?;
        let mut facts = Vec::new();
        Facts::of(&header).write_text(&mut facts).map_err(Failure::output)?;
        let facts = String::from_utf8_lossy(&facts).into_owned();
        Ok(Body { facts, offset: header.header_bytes() as u64, pages: header.pages, has_checksums: true })
    }

    fn of_ladder(first: &[u8], path: &Path) -> Result<Body, Failure> {
        let refused =
            |source| Failure::new(format!("{}: is neither a filter nor a ladder", path.display()), source);
        let wrong = |got: usize| HeaderError::Length { expected: HEADER_BYTES as u64, got: got as u64 };
        let page = first.first_chunk::<HEADER_BYTES>().ok_or_else(|| refused(wrong(first.len())))?;
        let header = ladder::Header::decode(page).map_err(refused)?;
        let params = header.params;
        let facts = format!(
            "ladder of {} bits: {} rungs, frequent at {}, {} steps an observation\nfingerprint {:016x}",
            params.bits(),
            params.rungs(),
            params.threshold(),
            params.steps(),
            header.key_check
        );
        let pages = params.bits() / (PAGE_BYTES as u64 * 8);
        Ok(Body { facts, offset: HEADER_BYTES as u64, pages, has_checksums: false })
    }

    fn read(&self, file: &File, most_bits: u64) -> io::Result<Vec<Drawn>> {
        let keeps_bits = self.pages.saturating_mul(PAGE_BYTES as u64 * 8) <= most_bits;
        let mut reader = BufReader::with_capacity(1 << 20, file);
        reader.seek(SeekFrom::Start(self.offset))?;
        let mut page: Page = [0; PAGE_BYTES];
        (0..self.pages)
            .map(|_| {
                reader.read_exact(&mut page)?;
                Ok(self.drawn(&page, keeps_bits))
            })
            .collect()
    }

    fn drawn(&self, page: &Page, keeps_bits: bool) -> Drawn {
        let fill = if self.has_checksums {
            f64::from(page::ones(page)) / f64::from(PAGE_BITS)
        } else {
            f64::from(page.iter().map(|byte| byte.count_ones()).sum::<u32>()) / (PAGE_BYTES * 8) as f64
        };
        let is_damaged = self.has_checksums && !page::is_intact(page);
        Drawn { fill, is_damaged, bits: keeps_bits.then(|| Box::new(*page)) }
    }
}
