//! The subject of a drawing: a dictionary filter or a ladder, read page by page. Bits are stored if they will
//! be drawn one by one, otherwise fills.

use std::{
    fs::File,
    io::{self, BufReader, Read, Seek, SeekFrom},
    os::unix::fs::MetadataExt,
    path::Path,
};

use nearmiss_cli::{
    failure::{Failure, printable},
    paths,
    report::header::Facts,
};
use nearmiss_filters::{
    dictionary,
    format::MAGIC,
    ladder::{self, HEADER_BYTES, HeaderError},
    page::{self, PAGE_BITS, PAGE_BYTES, Page},
};

/// Bits of a page without a checksum.
const PAGE_BYTE_BITS: f64 = (PAGE_BYTES * 8) as f64;

/// The permission bit of a file that all users may read.
const READABLE_BY_ALL: u32 = 0o004;

/// A file to draw.
pub(crate) struct PictureSubject {
    /// Its path as it was typed.
    pub(super) name: String,
    /// The facts about it, each with its name.
    pub(super) facts: Vec<(String, String)>,
    /// Its pages.
    pub(super) pages: Vec<Drawn>,
    /// True when the last four bytes of each page are its checksum.
    pub(super) has_checksums: bool,
    is_private: bool,
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

impl PictureSubject {
    /// Reads a filter or a ladder; its bits, too, unless it has more than `most_bits`. The picture names it
    /// as it was typed: who publishes the picture need not publish the folders of a machine.
    ///
    /// # Errors
    /// A [`Failure`] for a file that cannot be read, or is neither.
    pub(crate) fn read(typed: &Path, most_bits: u64) -> Result<PictureSubject, Failure> {
        let path = &paths::absolute(typed);
        let unreadable = |e: io::Error| Failure::new(format!("cannot read {}", path.display()), e);
        let file = File::open(path).map_err(unreadable)?;
        let mut first = Vec::new();
        (&file).take(HEADER_BYTES as u64).read_to_end(&mut first).map_err(unreadable)?;
        let body = if first.starts_with(&MAGIC) {
            Body::of_filter(&file, path)
        } else {
            Body::of_ladder(&first, path)
        }?;
        let pages = body.read(&file, most_bits).map_err(unreadable)?;
        let mode = file.metadata().map_err(unreadable)?.mode();
        let mut facts: Vec<_> = body.facts.lines().map(named).collect();
        facts.push(("fill".to_owned(), fill(&pages, body.has_checksums)));
        Ok(PictureSubject {
            name: printable(&typed.display().to_string()),
            facts,
            pages,
            has_checksums: body.has_checksums,
            is_private: !body.has_checksums || mode & READABLE_BY_ALL == 0,
        })
    }

    /// True if the bits are private: those in a ladder, or in a file that not all users may read. Two copies
    /// of a ladder, with its key, reveal what was recorded between them.
    pub(crate) fn is_private(&self) -> bool {
        self.is_private
    }

    /// True when every bit is known.
    pub(super) fn has_bits(&self) -> bool {
        self.pages.iter().all(|page| page.bits.is_some())
    }
}

/// A line of facts as its name and the fact: `kind` and `words, near match`.
fn named(line: &str) -> (String, String) {
    let (name, fact) = line.trim().split_once("  ").unwrap_or((line.trim(), ""));
    (name.to_owned(), fact.trim().to_owned())
}

/// The fill of the intact pages, and the number of damaged ones if that can be seen.
fn fill(pages: &[Drawn], has_checksums: bool) -> String {
    let fills = || pages.iter().filter(|page| !page.is_damaged).map(|page| page.fill);
    let mean = fills().sum::<f64>() / fills().count().max(1) as f64;
    let (least, most) = (fills().fold(f64::INFINITY, f64::min), fills().fold(0.0, f64::max));
    let damaged = pages.iter().filter(|page| page.is_damaged).count();
    let rest = match (has_checksums, damaged) {
        // The deviation of the share of ones among this number of fair bits.
        (false, _) => format!("random bits: 0.5000±{:.4}", 0.5 / PAGE_BYTE_BITS.sqrt()),
        (true, 0) => "no page is damaged".to_owned(),
        (true, 1) => "1 page is damaged".to_owned(),
        (true, _) => format!("{damaged} pages are damaged"),
    };
    format!("{mean:.4} of all bits are ones, {least:.4} to {most:.4} in a page; {rest}")
}

/// The place of the pages, and the header's facts.
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
        let (bits, pages) = (params.bits(), params.bits() / (PAGE_BYTES as u64 * 8));
        let are = if pages == 1 { "page" } else { "pages" };
        let facts = format!(
            "ladder  {bits} bits (2^{}) in {pages} {are} of 4 KiB\nrungs  {}, too common from {}\n\
             steps  {} for each choice\nkey  fingerprint {:016x}",
            bits.trailing_zeros(),
            params.rungs(),
            params.threshold(),
            params.steps(),
            header.key_check
        );
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
            f64::from(page.iter().map(|byte| byte.count_ones()).sum::<u32>()) / PAGE_BYTE_BITS
        };
        let is_damaged = self.has_checksums && !page::is_intact(page);
        Drawn { fill, is_damaged, bits: keeps_bits.then(|| Box::new(*page)) }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A large filter: pages with fills of 0, 0.001, 0.002 …, of which the fourth is damaged.
    pub(in super::super) fn subject(pages: usize) -> PictureSubject {
        let page = |at: usize| Drawn { fill: at as f64 / 1000.0, is_damaged: at == 3, bits: None };
        let pages = (0..pages).map(page).collect();
        PictureSubject {
            name: "x".to_owned(),
            facts: Vec::new(),
            pages,
            has_checksums: true,
            is_private: false,
        }
    }

    #[test]
    fn a_line_of_facts_has_a_name() {
        let named = |line| named(line);
        assert_eq!(named("  kind            words, near"), ("kind".to_owned(), "words, near".to_owned()));
    }

    #[test]
    fn the_fill_is_that_of_intact_pages() {
        let pages = subject(5).pages;
        let expected = "0.0018 of all bits are ones, 0.0000 to 0.0040 in a page; 1 page is damaged";
        assert_eq!(fill(&pages, true), expected);
        assert!(fill(&pages[..3], true).ends_with("no page is damaged"));
        assert!(fill(&pages[..3], false).ends_with("; random bits: 0.5000±0.0028"));
    }
}
