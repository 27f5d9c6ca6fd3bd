//! The pages of a filter: each is read and verified once, then trusted.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "ranges within the data: its length was checked when the filter was opened"
)]

use std::{
    collections::BinaryHeap,
    mem,
    ops::Range,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
};

use super::error::{FilterError, Problem};
use crate::{
    chunks::chunks,
    format::Header,
    page::{self, PAGE_BYTES, Page, Probes},
    storage::{Bytes, is_page_by_page, mapped::fetch_ahead},
};

/// The pages of a filter, from `offset` in `data`, which is long enough for them: `count` for keys, then the
/// pages of the table of 4-grams, `all` in total.
#[derive(Debug)]
pub(super) struct Pages<D> {
    data: D,
    offset: usize,
    count: u64,
    all: u64,
    /// One bit a page: populated and verified. Relaxed suffices: a page that two threads verify twice is the
    /// same page both times, and nothing else is published through the bit.
    verified: Vec<AtomicU64>,
    /// The number of pages that are not verified yet.
    unverified: AtomicU64,
    /// True if all pages are readable.
    is_populated: AtomicBool,
    /// True after the attempt to read a small filter completely.
    is_tried: AtomicBool,
    path: Option<PathBuf>,
}

/// Filters of at most this number of pages are read completely before the first lookup: 8 MiB, about 600,000
/// words. The number of page faults, which every user can read in `/proc`, then reveals nothing about the
/// lookups. Costs 0.1 ms for 2 MiB, the packages' filter, and 0.5 ms for 8 MiB; the hash of a password that
/// is set costs some 20 ms.
const SMALL_PAGES: u64 = 2048;

/// If one page in this number or more is needed, the whole filter is read: one long read is faster than many
/// short ones, and two system calls are faster than two for each page.
const WHOLE_FROM: u64 = 16;

/// The number of pages up to which that applies: 64 MiB.
const MAX_WHOLE_PAGES: u64 = 1 << 14;

impl<D: Bytes> Pages<D> {
    /// The pages of a file with this header.
    pub(super) fn new(data: D, header: &Header, path: Option<&Path>) -> Pages<D> {
        let (offset, count, all) = (header.header_bytes(), header.pages, header.all_pages());
        let words = usize::try_from(all.div_ceil(64)).unwrap_or(0);
        let verified = std::iter::repeat_with(|| AtomicU64::new(0)).take(words).collect();
        let [is_populated, is_tried] = [AtomicBool::new(false), AtomicBool::new(false)];
        let path = path.map(Path::to_owned);
        let unverified = AtomicU64::new(all);
        Pages { data, offset, count, all, verified, unverified, is_populated, is_tried, path }
    }

    /// The bytes that contain the pages.
    pub(super) fn data(&self) -> &D {
        &self.data
    }

    /// The file they come from; none for bytes in memory.
    pub(super) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The page, verified.
    #[inline]
    pub(super) fn page(&self, index: u64) -> Result<&Page, FilterError> {
        if !self.is_verified(index) {
            self.verify(index)?;
        }
        self.bytes_of(index)
    }

    /// True if all bits of a hash are set in its page.
    #[inline]
    pub(super) fn test(&self, hash: u64, probes: Probes) -> Result<bool, FilterError> {
        Ok(page::test(self.page_of(hash)?, hash, probes))
    }

    /// The page of a hash, verified.
    #[inline]
    pub(super) fn page_of(&self, hash: u64) -> Result<&Page, FilterError> {
        self.page(page::page_of(hash, self.count))
    }

    /// The pages that are ready, for many lookups in a row: pages after [`Pages::prepare`], or for which
    /// [`Pages::is_verified`].
    #[inline]
    pub(super) fn ready(&self) -> Ready<'_> {
        Ready { pages: self.slice(), count: self.count }
    }

    /// The error for a page outside of the data: the length was checked when the filter was opened, so this
    /// is damage.
    #[cold]
    pub(super) fn lost(&self, hash: u64) -> FilterError {
        self.error(Problem::DamagedPage { index: page::page_of(hash, self.count) })
    }

    /// The indices of the pages of the table of 4-grams.
    fn of_four_grams(&self) -> Range<u64> {
        self.count..self.all
    }

    /// Adds the pages of the table of 4-grams to the pages to prepare.
    pub(super) fn list_four_grams(&self, indices: &mut Vec<u64>) {
        indices.extend(self.of_four_grams());
    }

    /// The pages of the table of 4-grams, which are prepared all together: the file's pages do not reveal
    /// which of them are used.
    pub(super) fn four_grams(&self) -> Result<&[Page], FilterError> {
        if !self.of_four_grams().all(|index| self.is_verified(index)) {
            let mut indices = Vec::new();
            self.list_four_grams(&mut indices);
            self.prepare(&mut indices)?;
        }
        let [start, end] = [self.count, self.all].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
        Ok(self.slice().get(start..end).unwrap_or_default())
    }

    /// The page, readable but perhaps damaged.
    pub(super) fn unchecked(&self, index: u64) -> Result<&Page, FilterError> {
        if !self.is_readable() {
            let unreadable = |source| self.error(Problem::UnreadablePage { index, source });
            self.data.populate(self.range(index)).map_err(unreadable)?;
        }
        self.bytes_of(index)
    }

    /// Prepares the pages with these indices together, so that the disk is read once for all of them.
    /// `indices` is sorted and emptied.
    pub(super) fn prepare(&self, indices: &mut Vec<u64>) -> Result<(), FilterError> {
        indices.retain(|&index| !self.is_verified(index));
        if !indices.is_empty() {
            // A sort of std would be 3 KB of the module; a heap sorts in the same buffer.
            *indices = BinaryHeap::from(mem::take(indices)).into_sorted_vec();
            indices.dedup();
            let is_readable = self.make_readable(indices);
            for &index in indices.iter() {
                if is_readable { self.verify_readable(index) } else { self.verify(index) }?;
            }
            indices.clear();
        }
        Ok(())
    }

    /// True if every page can be read; the first lookup reads a small filter completely.
    fn is_readable(&self) -> bool {
        let is_small = self.all <= SMALL_PAGES && !is_page_by_page();
        if is_small && !self.is_tried.swap(true, Ordering::Relaxed) {
            self.populate_whole();
        }
        self.is_populated.load(Ordering::Relaxed)
    }

    fn populate_whole(&self) {
        let whole = self.range(0).start..self.range(self.all).start;
        self.data.will_need(std::slice::from_ref(&whole));
        // If a page cannot be read, the lookup that needs it fails.
        self.is_populated.store(self.data.populate(whole).is_ok(), Ordering::Relaxed);
    }

    /// Lets the system read these pages, in ascending order; false if one of them cannot be read.
    fn make_readable(&self, indices: &[u64]) -> bool {
        if self.is_readable() {
            return true;
        }
        let is_many = indices.len() as u64 * WHOLE_FROM >= self.all;
        if is_many && self.all <= MAX_WHOLE_PAGES && !is_page_by_page() {
            self.populate_whole();
            return self.is_readable();
        }
        let ranges: Vec<Range<usize>> = indices.iter().map(|&index| self.range(index)).collect();
        self.data.populate_all(&ranges).is_ok()
    }

    /// Prefetches the first bits of a hash, if its page is ready; true if it is.
    #[inline]
    pub(super) fn fetch_ahead(&self, hash: u64) -> bool {
        let index = page::page_of(hash, self.count);
        let is_ready = self.is_verified(index);
        if is_ready {
            self.fetch_byte(index, page::first_byte(hash));
        }
        is_ready
    }

    /// The same for all bits of a word.
    #[inline]
    pub(super) fn fetch_word_ahead(&self, hash: u64, word: Probes) -> bool {
        let index = page::page_of(hash, self.count);
        let is_ready = self.is_verified(index);
        if is_ready {
            page::first_bytes(hash, word).for_each(|byte| self.fetch_byte(index, byte));
        }
        is_ready
    }

    #[inline]
    fn fetch_byte(&self, index: u64, at: usize) {
        if let Some(byte) = self.data.bytes().get(self.range(index).start + at) {
            fetch_ahead(byte);
        }
    }

    /// True if nothing is left to prepare.
    pub(super) fn are_verified(&self) -> bool {
        self.unverified.load(Ordering::Relaxed) == 0
    }

    #[inline]
    pub(super) fn is_verified(&self, index: u64) -> bool {
        let word = usize::try_from(index / 64).ok().and_then(|at| self.verified.get(at));
        word.is_some_and(|word| word.load(Ordering::Relaxed) >> (index % 64) & 1 == 1)
    }

    #[cold]
    fn verify(&self, index: u64) -> Result<(), FilterError> {
        self.unchecked(index)?;
        self.verify_readable(index)
    }

    fn verify_readable(&self, index: u64) -> Result<(), FilterError> {
        if !page::is_intact(self.bytes_of(index)?) {
            return Err(self.error(Problem::DamagedPage { index }));
        }
        if let Some(word) = usize::try_from(index / 64).ok().and_then(|at| self.verified.get(at)) {
            let page = 1 << (index % 64);
            if word.fetch_or(page, Ordering::Relaxed) & page == 0 {
                self.unverified.fetch_sub(1, Ordering::Relaxed);
            }
        }
        Ok(())
    }

    fn range(&self, index: u64) -> Range<usize> {
        let index = usize::try_from(index.min(self.all)).unwrap_or(usize::MAX);
        let start = index * PAGE_BYTES + self.offset;
        start..start + PAGE_BYTES
    }

    /// The bytes of a page. Pages are within the data, as was checked when the filter was opened; anything
    /// else would be damage.
    #[inline]
    fn bytes_of(&self, index: u64) -> Result<&Page, FilterError> {
        let page = usize::try_from(index).ok().and_then(|index| self.slice().get(index));
        page.ok_or_else(|| self.error(Problem::DamagedPage { index }))
    }

    #[inline]
    fn slice(&self) -> &[Page] {
        chunks(self.data.bytes().get(self.offset..).unwrap_or_default()).0
    }

    #[cold]
    fn error(&self, problem: Problem) -> FilterError {
        FilterError::new(self.path.as_deref(), problem)
    }
}

/// Pages that can be used without testing whether each is ready.
#[derive(Clone, Copy)]
pub(super) struct Ready<'b> {
    pages: &'b [Page],
    /// Of pages for keys.
    count: u64,
}

impl<'b> Ready<'b> {
    /// The page of a hash; none only if there are fewer pages than the header states.
    #[inline]
    pub(super) fn page_of(self, hash: u64) -> Option<&'b Page> {
        usize::try_from(page::page_of(hash, self.count)).ok().and_then(|index| self.pages.get(index))
    }
}
