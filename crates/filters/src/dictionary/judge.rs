//! Judges what a filter says. Whoever writes a file writes its checksums as well, and any header over any
//! pages; so a filter that another user or another machine made is looked at by what its pages answer:
//!
//! * `bounds`: each page, and all together, have as many ones as the entries that the header
//!   claims give them, neither more nor fewer;
//! * the false rejection rate that follows from the pages is the one that is stated;
//! * `canaries`: of random strings hardly any is found, of strings that must be there
//!   nearly all.
//!
//! Nothing is asked of the disk for it that verifying the checksums does not read: pages are shown one after
//! the other, in any order, and each canary is asked when its page comes by.

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

/// Random strings that a filter is asked for.
pub const STRANGERS: usize = 10_000;

/// Digests from which on a filter is taken for a corpus of leaked passwords, which contains the most common
/// ones. A site's own list may lack them, and is smaller.
pub const FEWEST_OF_CORPUS: u64 = 1_000_000;

/// Of the strings that must be there, one in this many may be missing.
const MISSING: u64 = 10;

/// How many times the rate stated a filter may have whose words are near each other: their deletions are the
/// same strings, whose bits lie in the same lines. All numbers of five digits make it seven times; a list of
/// one letter, repeated once, twice and so on, makes it far more, and its filter is useless.
const UNEVEN_LINES: f64 = 10.0;

/// True for a filter so large that it is a corpus of leaked passwords.
pub fn is_corpus(header: &Header) -> bool {
    header.kind != Kind::Words && header.words >= FEWEST_OF_CORPUS
}

/// Judges a filter while its pages are shown.
pub struct Judge<'h> {
    header: &'h Header,
    bounds: Bounds,
    strangers: Canaries,
    known: Canaries,
    seen: Seen,
}

/// The sums over the pages seen.
#[derive(Default)]
struct Seen {
    pages: u64,
    ones: u64,
    /// Pages outside of the bounds, and the first of them with its ones.
    outside: u64,
    first_outside: Option<(u64, u32)>,
    word_accidents: f64,
    deletion_accidents: f64,
}

impl<'h> Judge<'h> {
    /// A judge of the filter with this header, who knows passwords that must be in it, if there are any.
    ///
    /// # Errors
    /// `random` has no bytes.
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
            seen: Seen::default(),
        })
    }

    /// Sees the page for keys with this index, whose checksum is right.
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
        // Of deletions as if each bit fell anywhere: how uneven the lines are depends on the list.
        let fill = f64::from(ones) / f64::from(PAGE_BITS);
        seen.deletion_accidents += fill.powi(i32::from(self.header.deletion_bits));
        for canaries in [&mut self.strangers, &mut self.known] {
            canaries.see(index, page, word);
        }
    }

    /// The false rejection rates that follow from the pages seen.
    pub fn rates(&self) -> ActualRates {
        let pages = self.seen.pages.max(1) as f64;
        let Seen { word_accidents, deletion_accidents, .. } = self.seen;
        rates_of_accidents(self.header, word_accidents / pages, deletion_accidents / pages)
    }

    /// All that is wrong with the pages seen; nothing where the filter says what its header claims.
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

    /// How many times the rate that is stated the pages may give. With many pages it is twice: sizes are
    /// chosen by the mean over the keys. With few, the key has a part in it: *k* bits of a page that is a
    /// deviation too full, some 2 %, are set by accident half as often again, so that the mean over four
    /// pages can be four times what is stated, and over one page six times.
    fn times_stated(&self) -> f64 {
        let by_key = 2.0 + 4.0 / (self.seen.pages.max(1) as f64).sqrt();
        if self.header.stored() == SchemeId::Deletions { by_key * UNEVEN_LINES } else { by_key }
    }

    fn of_strangers(&self) -> Option<Fault> {
        let lookup = Demand::of(self.header).stated_lookup_rate();
        let most = most_by_chance(self.strangers.asked as f64 * lookup * self.times_stated());
        let Canaries { found, asked, .. } = self.strangers;
        (found as f64 > most).then_some(Fault::Strangers { found, asked })
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
        let Canaries { found, asked, .. } = self.known;
        let missing = asked.saturating_sub(found);
        (missing > asked / MISSING).then_some(Fault::Known { found, asked })
    }
}

/// What a count does not exceed by chance where this many are expected: six standard deviations of a Poisson
/// variable and six more, since it is skewed where few are expected. Bernstein's inequality gives less than
/// 10⁻⁶ for many, Poisson's own tail 10⁻¹⁰ at 0.1.
fn most_by_chance(expected: f64) -> f64 {
    expected + 6.0 * expected.sqrt() + 6.0
}

/// What a filter would contain of this password; nothing that can be said of a scheme that stores no words.
fn entry_of(header: &Header, password: &[u8]) -> Option<Vec<u8>> {
    if !super::stores_members(header) {
        return None;
    }
    match digest_of(header.kind, password) {
        Some(digest) => Some(digest.to_vec()),
        None => Word::clean(password).ok().map(|word| word.as_bytes().to_vec()),
    }
}
