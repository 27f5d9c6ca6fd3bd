//! The second pass: a filter of the chosen geometry, filled page range by page range.
//!
//! Writing bits at random into a filter larger than the cache is five to ten times slower than sorting a
//! block's hashes into ranges of pages first and filling range after range. Threads share no page, and a page
//! sees the strings of a block in the order of the lists, so the result is byte for byte the same for any
//! number of threads.

use super::{
    error::{BuildError, SizedBy},
    page_ranges::{PageRange, RangedHashes},
    spec::{Build, Reading, Spec},
    survey::Findings,
};
use crate::{
    dictionary::sizing::{Counts, Demand, Geometry, rounded},
    digrams::Digrams,
    format::{self, Header, SchemeId},
    four_grams::{self, FourGramTable},
    hash::HashVersion,
    list::{Forms, LineCounts, LineFormat, split_lines},
    page::{self, PAGE_BYTES, Page},
    threads::on_threads,
};

/// Pages of a range: 512 KiB, half of a core's second-level cache.
const RANGE_PAGES: u64 = 128;

/// The highest number of ranges; a larger filter has larger ranges.
const MAX_RANGES: u64 = 1024;

/// The least and the highest number of strings that are collected before the pages are filled: 7.5 to 30 MiB
/// of hashes. Buffers double: with a power of two, half of them would be twice as large as what they hold.
const MIN_WAITING: usize = (1 << 20) / 16 * 15;
const MAX_WAITING: usize = 4 * MIN_WAITING;

/// A filter being filled.
pub struct Builder {
    pub(super) header: Header,
    pub(super) pages: Vec<Page>,
    /// The table of 4-grams, whose pages follow the others.
    pub(super) four_grams: FourGramTable,
    range_shift: u32,
    lines: Reading,
    hashes: Vec<RangedHashes>,
    pub(super) new: Counts,
}

impl Build {
    /// An empty filter with the size for the findings of the survey; if there are none, for the capacity, if
    /// words are added to it whole later.
    ///
    /// # Errors
    /// [`BuildError`].
    pub fn builder(&self, findings: &Findings) -> Result<Builder, BuildError> {
        let header = self.new_header(findings)?;
        let pages = empty_pages(header.pages).map_err(|error| error.sized(self.sized_by(findings.words)))?;
        Ok(Builder::new(header, pages, findings.four_grams.clone(), self.reading(), self.threads))
    }

    /// What the size of a filter of so many entries follows from.
    pub(super) fn sized_by(&self, words: u64) -> SizedBy {
        match (self.geometry, self.capacity) {
            (Some(_), _) if self.spec.effective_scheme() == SchemeId::Whole => SizedBy::Bits,
            (_, Some(capacity)) if capacity > words => SizedBy::Capacity,
            _ => SizedBy::Rate,
        }
    }

    /// Both passes over lists in memory, given as blocks of whole lines: the bytes of the filter's file.
    ///
    /// # Errors
    /// As [`Build::builder`].
    pub fn in_memory(&self, blocks: &[&[u8]]) -> Result<Vec<u8>, BuildError> {
        let mut survey = self.survey();
        for block in blocks {
            survey.read_block(block);
        }
        let mut builder = self.builder(&survey.finish())?;
        for block in blocks {
            builder.insert_block(block);
        }
        Ok(builder.finish_to_bytes())
    }

    pub(super) fn new_header(&self, findings: &Findings) -> Result<Header, BuildError> {
        let Spec { kind, deletion_bits, mut stated, .. } = self.spec;
        let scheme = self.spec.effective_scheme();
        // Without words the size of a near filter is unknown, and without a capacity that of any filter.
        let has_size = scheme == SchemeId::Whole && self.capacity.is_some_and(|capacity| capacity > 0);
        if findings.words == 0 && !has_size {
            return Err(BuildError::Empty);
        }
        if findings.has_too_many_symbols() {
            return Err(BuildError::TooManySymbols { got: findings.symbols.len() });
        }
        let alphabet = findings.alphabet();
        let demand = Demand { scheme, deletion_bits, stated, symbols: alphabet.len() };
        let capacity = self.capacity.unwrap_or(0).max(findings.words);
        let group_bits = self.effective_group_bits();
        let by_hand = self.geometry.filter(|_| scheme == SchemeId::Whole);
        let by_hand = by_hand.map(|geometry| geometry.in_groups(group_bits));
        if let Some(geometry) = by_hand {
            let counts = Counts { words: capacity, extension: 0 };
            stated.false_rejection = demand.expected_rate(counts, geometry).max(f64::MIN_POSITIVE);
        }
        let geometry = match by_hand {
            Some(geometry) => geometry,
            None if group_bits > 0 => grouped_geometry(capacity, group_bits, &demand)?,
            None => geometry_for(findings, capacity, &demand)?,
        };
        let digrams = match scheme {
            SchemeId::Deletions => Digrams::new(&alphabet, &findings.pairs),
            _ => Digrams::None,
        };
        Ok(Header {
            kind,
            matching: self.spec.effective_matching(),
            scheme,
            word_bits: geometry.word_bits,
            deletion_bits: geometry.deletion_bits,
            key: self.key.clone(),
            pages: geometry.pages,
            words: findings.words,
            lines: findings.lines.accepted,
            extension: findings.extension,
            capacity,
            stated,
            created: self.created,
            lengths: findings.lengths,
            alphabet,
            digrams,
            four_gram_pages: findings.four_grams.len(),
            hash_version: HashVersion::written(group_bits),
            group_bits,
        })
    }
}

impl Builder {
    /// The filter with this header and these pages, all of them, unchanged: to be united with another, or
    /// written.
    pub fn over(header: Header, mut pages: Vec<Page>) -> Builder {
        let format = LineFormat { kind: header.kind, min_count: 0 };
        let lines = Reading { format, forms: Forms::Written };
        let four_grams = split_four_grams(&header, &mut pages);
        Builder::new(header, pages, four_grams, lines, 1)
    }

    pub(super) fn new(
        header: Header,
        pages: Vec<Page>,
        four_grams: FourGramTable,
        lines: Reading,
        threads: usize,
    ) -> Builder {
        let range = RANGE_PAGES.max((header.pages / MAX_RANGES).next_power_of_two());
        let ranges = pages.len().div_ceil(usize::try_from(range).unwrap_or(usize::MAX));
        let hashes = std::iter::repeat_with(|| RangedHashes::new(ranges)).take(threads.max(1)).collect();
        let new = Counts::default();
        Builder { header, pages, four_grams, range_shift: range.trailing_zeros(), lines, hashes, new }
    }

    /// The header of the finished filter.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The number of entries and derived strings that were not in the filter when they were inserted. An
    /// entry whose bits were all set already by chance is not counted: about one in 2ᵏ of the last ones.
    pub fn inserted(&mut self) -> Counts {
        self.store_collected();
        self.new
    }

    /// Inserts the entries of a block of whole lines.
    pub fn insert_block(&mut self, block: &[u8]) -> LineCounts {
        let counts = self.expand(block);
        if self.hashes.iter().map(RangedHashes::len).sum::<usize>() >= waiting(self.pages.len()) {
            self.store_collected();
        }
        counts
    }

    fn expand(&mut self, block: &[u8]) -> LineCounts {
        let parts = split_lines(block, self.hashes.len());
        let (header, lines, shift) = (&self.header, self.lines, self.range_shift);
        let read = |(hashes, part): (&mut RangedHashes, _)| hashes.read(header, lines, shift, part);
        let counts = on_threads(self.hashes.iter_mut().zip(parts), read);
        self.hashes.iter_mut().for_each(RangedHashes::end_block);
        let mut sum = LineCounts::default();
        for part in &counts {
            sum.append(part);
        }
        sum
    }

    /// Stores the collected strings.
    pub(super) fn store_collected(&mut self) {
        let threads = self.hashes.len();
        let (header, hashes, shift) = (&self.header, &self.hashes, self.range_shift);
        let mut shares: Vec<Vec<PageRange<'_>>> = std::iter::repeat_with(Vec::new).take(threads).collect();
        for (index, pages) in self.pages.chunks_mut(1 << shift).enumerate() {
            let start = (index as u64) << shift;
            if let Some(share) = index.checked_rem(threads).and_then(|at| shares.get_mut(at)) {
                share.push(PageRange { index, start, pages });
            }
        }
        let store = |share: Vec<PageRange<'_>>| {
            let mut strings = Vec::new();
            let new = share.into_iter().map(|range| range.store(header, hashes, &mut strings));
            new.fold(Counts::default(), sum)
        };
        let new = on_threads(shares, store);
        self.new = new.into_iter().fold(self.new, sum);
        self.hashes.iter_mut().for_each(RangedHashes::clear);
    }

    /// The header and all sealed pages, which follow each other in the file.
    pub fn finish(mut self) -> (Vec<u8>, Vec<Page>) {
        self.store_collected();
        self.pages.append(&mut self.four_grams.to_pages());
        let share = self.pages.len().div_ceil(self.hashes.len()).max(1);
        on_threads(self.pages.chunks_mut(share), |pages| pages.iter_mut().for_each(page::seal));
        (format::encode(&self.header), self.pages)
    }

    /// The file's bytes in one piece.
    pub fn finish_to_bytes(self) -> Vec<u8> {
        let (mut bytes, pages) = self.finish();
        bytes.extend_from_slice(pages.as_flattened());
        bytes
    }
}

/// The number of strings that are collected before this many pages are filled: half of the pages' bytes in
/// hashes, so that many fall on each range of a large filter, whose pages are in no cache between two
/// fillings.
fn waiting(pages: usize) -> usize {
    pages.saturating_mul(PAGE_BYTES / size_of::<u64>() / 2).clamp(MIN_WAITING, MAX_WAITING)
}

fn sum(a: Counts, b: Counts) -> Counts {
    Counts { words: a.words + b.words, extension: a.extension + b.extension }
}

/// Splits off the pages of the table of 4-grams at the end.
pub(super) fn split_four_grams(header: &Header, pages: &mut Vec<Page>) -> FourGramTable {
    let count = usize::try_from(header.pages).unwrap_or(usize::MAX).min(pages.len());
    FourGramTable::from_pages(&pages.split_off(count))
}

/// Pages for keys, with room for the table of 4-grams.
pub(in crate::dictionary) fn empty_pages(count: u64) -> Result<Vec<Page>, BuildError> {
    let bytes = count.saturating_mul(PAGE_BYTES as u64);
    let memory = BuildError::Memory { bytes, by: SizedBy::Rate };
    let count = usize::try_from(count).map_err(|_| memory)?;
    let mut pages = Vec::new();
    pages.try_reserve_exact(count.saturating_add(four_grams::MAX_PAGES)).map_err(|_| memory)?;
    pages.resize(count, [0; PAGE_BYTES]);
    Ok(pages)
}

/// The geometry for `capacity` entries with the same number of derived strings as the surveyed ones.
fn geometry_for(findings: &Findings, capacity: u64, demand: &Demand) -> Result<Geometry, BuildError> {
    let grow = capacity as f64 / findings.words as f64;
    let extension = rounded(findings.extension as f64 * grow);
    let counts = match demand.scheme {
        SchemeId::Paper => Counts { words: extension, extension: 0 },
        _ => Counts { words: capacity, extension },
    };
    demand.geometry(counts).ok_or_else(|| unreachable(demand))
}

/// The geometry of groups of pages for `capacity` digests.
fn grouped_geometry(capacity: u64, group_bits: u8, demand: &Demand) -> Result<Geometry, BuildError> {
    demand.grouped_geometry(capacity, group_bits).ok_or_else(|| unreachable(demand))
}

fn unreachable(demand: &Demand) -> BuildError {
    BuildError::Unreachable { false_rejection: demand.stated.false_rejection }
}
