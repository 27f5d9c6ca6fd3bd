//! The dictionary filter: a Bloom filter of words (and of words less one character) whose bits of one string
//! lie in one checksummed page. A lookup finds words of the dictionary at most at distance 1 from a string,
//! or 2 if they are long.
//!
//! * [`DictionaryFilter`]: opening and lookups; if a query is secret, no other user may observe the pages
//!   that are read;
//! * [`builder`]: survey the lists, choose the geometry, fill the pages; unite two filters;
//! * [`sizing`]: the false rejection rate and the size that it needs;
//! * [`judge`]: verification of a filter against the claims of its header;
//! * [`counters`]: removal of words;
//! * [`ranks`]: the frequency ranks of words, in a file next to the filter, for suggestions.

pub mod builder;
pub mod counters;
mod edit;
mod error;
pub mod judge;
mod open;
mod pages;
mod query;
pub mod ranks;
pub mod sizing;
#[cfg(test)]
pub(crate) mod tests;

use std::{ops::Range, path::Path};

pub use builder::{Build, Spec};
pub use edit::{Distance2, Edit, Found};
pub use error::{FilterError, Problem};
pub use open::{Loading, MAX_COPIED_BYTES, MAX_LOGIN_BYTES, read_header};
pub use query::{Buffers, MAX_DISTANCE_2_CANDIDATE};

use self::{pages::Pages, query::Query};
pub use crate::four_grams::MIN_DISTANCE_2_WORD;
use crate::{
    format::{self, FormatError, Header, Match, SchemeId},
    page::{self, Layer, Page},
    storage::Bytes,
    word::Word,
};

/// A dictionary filter over bytes `D`: a memory map in the module, a vector in tests.
///
/// ```
/// use nearmiss_filters::{Build, DictionaryFilter, Key, Spec, Word, dictionary::Edit};
///
/// let bytes = Build::new(Spec::default(), Key::random()?).in_memory(&[b"elephant\n"])?;
/// let filter = DictionaryFilter::from_bytes(bytes)?;
/// let found = filter.nearest(&Word::clean(b"Elephqnt")?, false, &mut Default::default())?;
/// assert_eq!(found.map(|found| found.edit), Some(Edit::Replace { at: 5 }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct DictionaryFilter<D> {
    header: Header,
    pages: Pages<D>,
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
        let pages = Pages::new(data, &header, path);
        Ok(DictionaryFilter { header, pages })
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    fn query<'q>(&'q self, word: &'q Word, with_transpositions: bool) -> Query<'q, D> {
        Query { header: &self.header, pages: &self.pages, word, with_transpositions }
    }

    /// True if `word` is in the dictionary; otherwise false, except with the false positive rate of one
    /// string.
    ///
    /// # Errors
    /// [`FilterError`] when the page cannot be read or its checksum is wrong.
    pub fn contains(&self, word: &Word, buffers: &mut Buffers) -> Result<bool, FilterError> {
        self.query(word, false).is_member(buffers)
    }

    /// True if the digest (or the encoded word) is an entry of an exact filter.
    ///
    /// # Errors
    /// [`FilterError`] when the page cannot be read or its checksum is wrong.
    pub fn contains_entry(&self, entry: &[u8]) -> Result<bool, FilterError> {
        self.pages.test(self.header.hash(entry), self.header.probes(Layer::Word))
    }

    /// True if the filter's false positive rate for this entry is low enough to demand a change of the
    /// password: the header states a low rate ([`sizing::may_demand`]), and the page of the entry has no more
    /// than [`sizing::MAX_DEMAND_ACCIDENT`]. So the result for a password that is not listed is wrong with at
    /// most that probability, even in a crafted file, since the entry's bits are in the same page. Only that
    /// page is read.
    ///
    /// # Errors
    /// [`FilterError`] when the page cannot be read or its checksum is wrong.
    pub fn may_demand_for(&self, entry: &[u8]) -> Result<bool, FilterError> {
        if !sizing::may_demand(&self.header) {
            return Ok(false);
        }
        let page = self.pages.page_of(self.header.hash(entry))?;
        Ok(page::accident(page, self.header.probes(Layer::Word)) <= sizing::MAX_DEMAND_ACCIDENT)
    }

    /// A word of the dictionary at most at distance 1 from `word`, itself first. `with_transpositions` also
    /// finds words that have two neighbouring characters swapped. An exact filter only finds the word itself.
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

    /// True if [`DictionaryFilter::visit_distance_2`] can find words: a near filter by deletions, with 6 or 8
    /// deletion bits.
    pub fn knows_distance_2(&self) -> bool {
        self.query(&Word::default(), false).is_distance_2_possible()
    }

    /// Calls `found` with each dictionary word of at least [`MIN_DISTANCE_2_WORD`] letters at distance 2 from
    /// `word`, unless `word` has more than [`MAX_DISTANCE_2_CANDIDATE`] characters or, with a large alphabet,
    /// more than 5,793 divided by the number of its symbols. `found` may also be called with words at
    /// distance 1 or of other characters, and more than once with one word.
    ///
    /// # Errors
    /// [`FilterError`] when a page cannot be read or its checksum is wrong.
    pub fn visit_distance_2(&self, word: &Word, found: &mut dyn FnMut(Distance2)) -> Result<(), FilterError> {
        self.query(word, false).run_distance_2(found)
    }

    /// True if the filter supports exact lookups: not with the paper's scheme, in which a string counts as a
    /// member if it has all its neighbours in common with words.
    pub fn knows_members(&self) -> bool {
        stores_members(&self.header)
    }

    /// Calls `found` with the index of each of these parts of `word` that is in the dictionary; their pages
    /// are read together. Nothing is found in a filter that does not [know its
    /// members](DictionaryFilter::knows_members).
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

    /// Reads the first pages that [`DictionaryFilter::contains`], or for [`Match::Near`]
    /// [`DictionaryFilter::nearest`], needs for these words, all together: this waits for the disk once and
    /// not once a word. With `is_distance_2_asked` it adds the pages of the table of 4-grams, which
    /// [`DictionaryFilter::visit_distance_2`] needs. A page that cannot be read, or is damaged, only fails
    /// the lookups that need it. Nothing is done once every page of the filter has been read.
    pub fn prepare<'w>(
        &self,
        words: impl Iterator<Item = (&'w Word, Match)>,
        is_distance_2_asked: bool,
        buffers: &mut Buffers,
    ) {
        if self.pages.are_verified() {
            return;
        }
        buffers.clear_pages();
        if is_distance_2_asked && self.knows_distance_2() {
            self.pages.list_four_grams(buffers.listed_pages());
        }
        for (word, matching) in words {
            let matching = if self.header.matching == Match::Exact { Match::Exact } else { matching };
            self.query(word, false).list_pages(matching, buffers);
        }
        let _ = self.pages.prepare(buffers.listed_pages());
        buffers.clear_pages();
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
        let query = self.query(word, with_transpositions);
        match (self.header.matching, self.header.scheme) {
            (Match::Near, SchemeId::Deletions) => query.visit_by_deletions(buffers, found).map(drop),
            (Match::Near, SchemeId::Paper) => query.visit_by_extension(buffers, found),
            _ if query.is_word()? => {
                found(Found::member(word));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Reads every page and calls `each` with its index, its bits and whether its checksum is right. The
    /// pages of the table of 4-grams come last, starting at the index [`Header::pages`].
    ///
    /// # Errors
    /// [`FilterError`] when a page cannot be read at all.
    pub fn scan(&self, mut each: impl FnMut(u64, &Page, bool)) -> Result<(), FilterError> {
        for index in 0..self.header.all_pages() {
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
        let mut pages = Vec::with_capacity(usize::try_from(self.header.all_pages()).unwrap_or(0));
        for index in 0..self.header.all_pages() {
            pages.push(*self.pages.page(index)?);
        }
        Ok(pages)
    }
}

/// True for a filter that stores each entry itself.
fn stores_members(header: &Header) -> bool {
    header.scheme != SchemeId::Paper
}
