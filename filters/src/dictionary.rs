//! The dictionary filter: a Bloom filter of words (and of words less one character) whose bits of one string
//! lie in one checksummed page. It answers whether a word is in the dictionary or within distance 1 of it.
//!
//! * [`DictionaryFilter`]: open and ask; what is asked may be a secret, and then nobody may watch which pages
//!   are read;
//! * [`build`]: survey the lists, choose the geometry, fill the pages; unite two filters;
//! * [`sizing`]: the false rejection rate and the size it takes;
//! * [`counters`]: words taken out again.

pub mod build;
pub mod counters;
mod edit;
mod error;
mod pages;
mod query;
pub mod sizing;
#[cfg(test)]
pub(crate) mod tests;

use std::{fs::File, io, ops::Range, os::unix::fs::FileExt, path::Path};

pub use build::{Build, Spec};
pub use edit::{Edit, Far, Found};
pub use error::{FilterError, Problem};
pub use query::{Buffers, MOST_FAR_CANDIDATE};

use self::{pages::Pages, query::Query};
pub use crate::quads::LEAST_FAR_WORD;
use crate::{
    format::{self, FIXED_BYTES, FormatError, Header, Match, SchemeId},
    page::{self, Layer, PAGE_BYTES, Page},
    storage::{Access, Act, Bytes, StorageError, TrustedFile, Walk, mapped::Mapped},
    word::Word,
};

/// A dictionary filter over bytes `D`: a memory map in the module, a vector in tests.
#[derive(Debug)]
pub struct DictionaryFilter<D> {
    header: Header,
    pages: Pages<D>,
}

/// The largest file that is read whole into private memory: 64 MiB, room for about six million words. Larger
/// ones would make a process grow by more than a password change should cost.
pub const MOST_COPIED_BYTES: u64 = 64 << 20;

/// How the bytes of a filter come into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loading {
    /// Mapped: fast and of any size, for questions that are not secret. Anyone who may read the file can
    /// observe which pages and cache lines each question touches, and so the question.
    Mapped,
    /// For questions that are secrets: mapped if only the owner and a group may read the file, copied
    /// otherwise.
    Unobserved,
    /// Copied whole into private memory, whatever the permissions of the file: where another container or
    /// another machine shares the page cache.
    Copied,
}

impl DictionaryFilter<Mapped> {
    /// Opens a filter file: the trusted walk, then every range check of the header, then the length.
    /// Each page is checked against its checksum when it is first touched.
    ///
    /// # Errors
    /// [`FilterError`] with the path: the file is missing, not trusted, not a filter, of another format,
    /// damaged, or to be copied and larger than [`MOST_COPIED_BYTES`].
    pub fn open(path: &Path, loading: Loading) -> Result<DictionaryFilter<Mapped>, FilterError> {
        DictionaryFilter::open_on(&Walk::default(), path, loading)
    }

    /// [`DictionaryFilter::open`] on a walk that led to other files before.
    pub(crate) fn open_on(
        walk: &Walk,
        path: &Path,
        loading: Loading,
    ) -> Result<DictionaryFilter<Mapped>, FilterError> {
        let file = walk.open(path).map_err(|e| FilterError::new(Some(path), Problem::Storage(e)))?;
        let header = header_of(&file.file, file.length, path)?;
        let mapped = load(&file, header.file_bytes(), loading, path)?;
        DictionaryFilter::assemble(header, mapped, Some(path))
    }

    /// Who besides its owner could read the file when it was opened.
    pub fn access(&self) -> Access {
        self.pages.data().access()
    }

    /// True when the pages are a private copy, which nobody can observe.
    pub fn is_copy(&self) -> bool {
        self.pages.data().is_copy()
    }

    /// The file; none for bytes in memory.
    pub fn path(&self) -> Option<&Path> {
        self.pages.path()
    }
}

/// The bytes of an opened filter whose header says that it is `file_bytes` long.
fn load(file: &TrustedFile, file_bytes: u64, loading: Loading, path: &Path) -> Result<Mapped, FilterError> {
    let failed = |e| FilterError::new(Some(path), Problem::Storage(e));
    let mapped = Mapped::new(file, path).map_err(failed)?;
    let is_public = mapped.access() == Access::Public;
    let is_copied = loading == Loading::Copied || (loading == Loading::Unobserved && is_public);
    if !is_copied || cfg!(feature = "page-by-page") {
        return Ok(mapped);
    }
    let bytes = usize::try_from(file_bytes).ok().filter(|_| file_bytes <= MOST_COPIED_BYTES);
    let bytes = bytes.ok_or_else(|| FilterError::new(Some(path), Problem::TooLargeToCopy { is_public }))?;
    Mapped::copied(file, bytes, path).map_err(failed)
}

/// Reads and checks the header of an opened file.
///
/// # Errors
/// [`FilterError`] with the path.
pub fn read_header(file: &File, path: &Path) -> Result<Header, FilterError> {
    let file_bytes = file.metadata().map_err(|e| unreadable(path, e))?.len();
    header_of(file, file_bytes, path)
}

/// Most headers are a page long: one read is enough for them.
fn header_of(file: &File, file_bytes: u64, path: &Path) -> Result<Header, FilterError> {
    let refused = |e| FilterError::new(Some(path), Problem::Format(e));
    let mut bytes = read_prefix(file, PAGE_BYTES, file_bytes).map_err(|e| unreadable(path, e))?;
    let fixed = bytes.get(..FIXED_BYTES).unwrap_or(&bytes);
    let header_bytes = format::header_bytes_of(fixed).map_err(refused)?;
    if header_bytes > bytes.len() {
        bytes = read_prefix(file, header_bytes, file_bytes).map_err(|e| unreadable(path, e))?;
    }
    bytes.truncate(header_bytes);
    format::decode(&bytes, file_bytes).map_err(refused)
}

fn unreadable(path: &Path, source: io::Error) -> FilterError {
    FilterError::new(Some(path), Problem::Storage(StorageError::io(path, Act::Read, source)))
}

fn read_prefix(file: &File, bytes: usize, file_bytes: u64) -> io::Result<Vec<u8>> {
    let length = usize::try_from(file_bytes).unwrap_or(usize::MAX).min(bytes);
    let mut buffer = vec![0; length];
    file.read_exact_at(&mut buffer, 0)?;
    Ok(buffer)
}

impl<D: Bytes> DictionaryFilter<D> {
    /// The filter in these bytes.
    ///
    /// # Errors
    /// [`FilterError`] without a path: the bytes are not a filter, of another format, or damaged.
    pub fn from_bytes(data: D) -> Result<DictionaryFilter<D>, FilterError> {
        let bytes = data.bytes();
        let header = format::decode(bytes, bytes.len() as u64);
        let header = header.map_err(|e| FilterError::new(None, Problem::Format(e)))?;
        DictionaryFilter::assemble(header, data, None)
    }

    fn assemble(header: Header, data: D, path: Option<&Path>) -> Result<DictionaryFilter<D>, FilterError> {
        let (expected, got) = (header.file_bytes(), data.bytes().len() as u64);
        if expected != got {
            return Err(FilterError::new(path, Problem::Format(FormatError::Length { expected, got })));
        }
        let pages = Pages::new(data, header.header_bytes(), header.pages, path);
        Ok(DictionaryFilter { header, pages })
    }

    /// What the header says.
    pub fn header(&self) -> &Header {
        &self.header
    }

    fn query<'q>(&'q self, word: &'q Word, with_transpositions: bool) -> Query<'q, D> {
        Query { header: &self.header, pages: &self.pages, word, with_transpositions }
    }

    /// True when `word` is in the dictionary; otherwise false, but for the false positive rate of one string.
    ///
    /// # Errors
    /// [`FilterError`] when the page cannot be read or its checksum is wrong.
    pub fn contains(&self, word: &Word, buffers: &mut Buffers) -> Result<bool, FilterError> {
        self.query(word, false).is_member(buffers)
    }

    /// True when the digest (or the encoded word) is an entry of an exact filter.
    ///
    /// # Errors
    /// [`FilterError`] when the page cannot be read or its checksum is wrong.
    pub fn contains_entry(&self, entry: &[u8]) -> Result<bool, FilterError> {
        self.pages.test(self.header.key.hash(entry), self.header.probes(Layer::Word))
    }

    /// A word of the dictionary within distance 1 of `word`, itself first. `with_transpositions` also finds
    /// words that have two neighbouring characters swapped. An exact filter finds the word itself only.
    ///
    /// # Errors
    /// [`FilterError`] when a page cannot be read or its checksum is wrong.
    pub fn nearest(
        &self,
        word: &Word,
        with_transpositions: bool,
        buffers: &mut Buffers,
    ) -> Result<Option<Found>, FilterError> {
        let mut nearest = None;
        self.visit(word, with_transpositions, buffers, &mut |found| {
            nearest = Some(found);
            true
        })?;
        Ok(nearest)
    }

    /// True when [`DictionaryFilter::visit_far`] looks for words: a near filter by deletions, with 6 or 8
    /// deletion bits.
    pub fn knows_far_words(&self) -> bool {
        self.query(&Word::default(), false).is_far_possible()
    }

    /// Calls `found` with each dictionary word of at least [`LEAST_FAR_WORD`] letters at distance 2 from
    /// `word`, unless `word` has more than [`MOST_FAR_CANDIDATE`] characters or, with a large alphabet, more
    /// than 5,793 divided by the number of its symbols. It may be called with words at distance 1 or of other
    /// characters, too, and more than once with one word.
    ///
    /// # Errors
    /// [`FilterError`] when a page cannot be read or its checksum is wrong.
    pub fn visit_far(&self, word: &Word, found: &mut dyn FnMut(Far)) -> Result<(), FilterError> {
        self.query(word, false).run_two_edits(found)
    }

    /// True when the filter can be asked for members and nothing else: not one by the paper's scheme, in
    /// which a member is what has all its neighbours in common with words.
    pub fn knows_members(&self) -> bool {
        self.header.scheme != SchemeId::Paper
    }

    /// Calls `found` with the number of each of these parts of `word` that is in the dictionary; their pages
    /// are made ready together. Nothing is found in a filter that does not
    /// [know its members](DictionaryFilter::knows_members).
    ///
    /// # Errors
    /// [`FilterError`] when a page cannot be read or its checksum is wrong.
    pub fn visit_parts(
        &self,
        word: &Word,
        parts: &[Range<usize>],
        buffers: &mut Buffers,
        found: &mut dyn FnMut(usize),
    ) -> Result<(), FilterError> {
        self.query(word, false).run_parts(parts, buffers, found)
    }

    /// Makes the pages ready that [`DictionaryFilter::contains`], or else [`DictionaryFilter::nearest`], asks
    /// first for these words, all together: the disk is waited for once and not once a word.
    ///
    /// # Errors
    /// [`FilterError`] when a page cannot be read or its checksum is wrong.
    pub fn prepare<'w>(
        &self,
        words: impl Iterator<Item = &'w Word>,
        matching: Match,
        buffers: &mut Buffers,
    ) -> Result<(), FilterError> {
        let matching = if self.header.matching == Match::Exact { Match::Exact } else { matching };
        buffers.clear_pages();
        for word in words {
            self.query(word, false).list_pages(matching, buffers);
        }
        self.pages.prepare(buffers.listed_pages())
    }

    /// Calls `found` with each dictionary word within distance 1 of `word`, itself first, until it returns
    /// true.
    ///
    /// # Errors
    /// [`FilterError`] when a page cannot be read or its checksum is wrong.
    pub fn visit(
        &self,
        word: &Word,
        with_transpositions: bool,
        buffers: &mut Buffers,
        found: &mut dyn FnMut(Found) -> bool,
    ) -> Result<(), FilterError> {
        self.query(word, with_transpositions).run(buffers, found)
    }

    /// Reads every page and calls `each` with its index, its bits and whether its checksum is right.
    ///
    /// # Errors
    /// [`FilterError`] when a page cannot be read at all.
    pub fn scan(&self, mut each: impl FnMut(u64, &Page, bool)) -> Result<(), FilterError> {
        for index in 0..self.header.pages {
            let page = self.pages.unchecked(index)?;
            each(index, page, page::is_intact(page));
        }
        Ok(())
    }

    /// A copy of all pages, each verified: the starting point for a builder.
    ///
    /// # Errors
    /// [`FilterError`] when a page cannot be read or its checksum is wrong.
    pub fn copied_pages(&self) -> Result<Vec<Page>, FilterError> {
        let mut pages = Vec::with_capacity(usize::try_from(self.header.pages).unwrap_or(0));
        for index in 0..self.header.pages {
            pages.push(*self.pages.page(index)?);
        }
        Ok(pages)
    }
}
