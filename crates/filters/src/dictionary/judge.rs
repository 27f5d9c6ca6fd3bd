//! Verifies a filter against the claims of its header. The author of a file also computes its checksums, and
//! can put any header before any pages; so a filter from another user or another machine is verified by the
//! content of its pages:
//!
//! * `bounds`: the number of ones in each page, and in all pages, fits the entries that the header claims;
//! * the false rejection rate that follows from the pages is the stated one;
//! * `canaries`: hardly any random strings are found, and nearly all strings that must be in it.
//!
//! It reads nothing from the disk beyond the pages that are read to verify their checksums: pages are passed
//! one by one, in any order, and each canary is looked up when its page is passed.

mod bounds;
mod canaries;
mod fault;
#[cfg(test)]
mod tests;

use std::io;

pub use fault::Fault;

use self::{bounds::Bounds, canaries::Canaries};
use super::sizing::{ActualRates, Demand, rates_of_accidents};
use crate::{
    digest::digest_of,
    format::{Header, Kind, SchemeId},
    page::{self, Layer, PAGE_BITS, Page},
    random::RandomSource,
    word::Word,
};

/// The number of random strings that are looked up.
pub const STRANGERS: usize = 10_000;

/// The number of digests from which a filter counts as a corpus of leaked passwords, which contains the most
/// common ones. A site's own list may lack them, and is smaller.
pub const FEWEST_OF_CORPUS: u64 = 1_000_000;

/// One in this number of the strings that must be in it may be missing.
const MISSING: u64 = 10;

/// The factor by which a filter may exceed the stated rate if its words are near each other: their deletions
/// are the same strings, whose bits lie in the same lines. For all numbers of five digits the factor is
/// seven; for a list of one letter, repeated once, twice and so on, it is far larger, and the filter is
/// useless.
const UNEVEN_LINES: f64 = 10.0;

/// True for a filter so large that it is a corpus of leaked passwords.
pub fn is_corpus(header: &Header) -> bool {
    header.kind != Kind::Words && header.words >= FEWEST_OF_CORPUS
}

/// Verifies a filter page by page.
pub struct Judge<'h> {
    header: &'h Header,
    bounds: Bounds,
    strangers: Canaries,
    known: Canaries,
    seen: ScannedPages,
}

/// The sums over the pages seen.
#[derive(Default)]
struct ScannedPages {
    pages: u64,
    ones: u64,
    /// The number of pages outside of the bounds, and the first of them with its ones.
    outside: u64,
    first_outside: Option<(u64, u32)>,
    word_accidents: f64,
    deletion_accidents: f64,
}

impl<'h> Judge<'h> {
    /// A verifier for the filter with this header and, if any, with passwords that must be in it.
    ///
    /// # Errors
    /// `random` fails.
    pub fn new<'p>(
        header: &'h Header,
        known: impl IntoIterator<Item = &'p [u8]>,
        random: &mut impl RandomSource,
    ) -> io::Result<Judge<'h>> {
        let known = known.into_iter().filter_map(|password| entry_of(header, password));
        Ok(Judge {
            header,
            bounds: Bounds::of(header),
            strangers: Canaries::strangers(header, STRANGERS, random)?,
            known: Canaries::of(header, known),
            seen: ScannedPages::default(),
        })
    }

    /// Examines the page for keys with this index, whose checksum is right.
    pub fn see(&mut self, index: u64, page: &Page) {
        let ones = page::ones(page);
        let seen = &mut self.seen;
        seen.pages = seen.pages.saturating_add(1);
        seen.ones = seen.ones.saturating_add(ones.into());
        if !self.bounds.allow(ones) {
            seen.outside = seen.outside.saturating_add(1);
            seen.first_outside.get_or_insert((index, ones));
        }
        let word = self.header.probes(Layer::Word);
        seen.word_accidents += page::accident(page, word);
        // For deletions, as if each bit were independent: the unevenness of the lines depends on the list.
        let fill = f64::from(ones) / f64::from(PAGE_BITS);
        seen.deletion_accidents += fill.powi(i32::from(self.header.deletion_bits));
        for canaries in [&mut self.strangers, &mut self.known] {
            canaries.see(index, page, word);
        }
    }

    /// The false rejection rates that follow from the examined pages.
    pub fn rates(&self) -> ActualRates {
        let pages = self.seen.pages.max(1) as f64;
        let ScannedPages { word_accidents, deletion_accidents, .. } = self.seen;
        rates_of_accidents(self.header, word_accidents / pages, deletion_accidents / pages)
    }

    /// The faults of the examined pages; none if they fit the header.
    pub fn faults(&self) -> Vec<Fault> {
        [self.rate(), self.of_strangers(), self.pages_outside(), self.fill(), self.of_known()]
            .into_iter()
            .flatten()
            .collect()
    }

    fn rate(&self) -> Option<Fault> {
        let (actual, stated) = (self.rates().check, self.header.stated.false_rejection);
        (actual > stated * self.times_stated()).then_some(Fault::Rate { actual, stated })
    }

    /// The factor by which the pages may exceed the stated rate. With many pages it is two: sizes are chosen
    /// by the mean over the keys. With few, the key has an influence: *k* bits of a page that is a deviation
    /// too full, some 2 %, are set by accident half as often again, so that the mean over four pages can be
    /// four times the stated rate, and over one page six times.
    fn times_stated(&self) -> f64 {
        let by_key = 2.0 + 4.0 / (self.seen.pages.max(1) as f64).sqrt();
        if self.header.stored() == SchemeId::Deletions { by_key * UNEVEN_LINES } else { by_key }
    }

    fn of_strangers(&self) -> Option<Fault> {
        let lookup = Demand::of(self.header).stated_lookup_rate();
        let most = most_by_chance(self.strangers.tried as f64 * lookup * self.times_stated());
        let Canaries { found, tried, .. } = self.strangers;
        (found as f64 > most).then_some(Fault::Strangers { found, tried })
    }

    fn pages_outside(&self) -> Option<Fault> {
        let (index, ones) = self.seen.first_outside?;
        let (least, most) = self.bounds.page;
        Some(Fault::Page { index, ones, least, most, outside: self.seen.outside })
    }

    fn fill(&self) -> Option<Fault> {
        let (least, most) = self.bounds.of_pages(self.seen.pages)?;
        let mean = self.seen.ones as f64 / self.seen.pages.max(1) as f64;
        let entries = self.header.words;
        (!(least..=most).contains(&mean)).then_some(Fault::Fill { mean, least, most, entries })
    }

    fn of_known(&self) -> Option<Fault> {
        let Canaries { found, tried, .. } = self.known;
        let missing = tried.saturating_sub(found);
        (missing > tried / MISSING).then_some(Fault::Known { found, tried })
    }
}

/// The number that a count with this expected value does not exceed by chance: six standard deviations of a
/// Poisson variable and six more, since it is skewed for small expected values. Bernstein's inequality gives
/// less than 10⁻⁶ for many, Poisson's own tail 10⁻¹⁰ at 0.1.
fn most_by_chance(expected: f64) -> f64 {
    expected + 6.0 * expected.sqrt() + 6.0
}

/// The entry of this password in a filter; none for a scheme that stores no words.
fn entry_of(header: &Header, password: &[u8]) -> Option<Vec<u8>> {
    if !super::stores_members(header) {
        return None;
    }
    match digest_of(header.kind, password) {
        Some(digest) => Some(digest.to_vec()),
        None => Word::clean(password).ok().map(|word| word.as_bytes().to_vec()),
    }
}
