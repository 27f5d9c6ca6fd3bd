//! Bounds for the number of ones in a page, from the entries that a header claims.
//!
//! A string falls on one of *P* pages, each as likely, and sets *b* bits there: *k* for a word, and the
//! deletion bits once for each position of a deletion. So a page's load, the bits set with repetitions, is a
//! sum of independent variables with the mean μ = *B* / *P*, where *B* = Σ *b* is known from the header, and
//! a variance of at most *b̂* μ (1 − 1/*P*), where *b̂* is the mean of *b* over the bits. With *l* = ln(2 · 2
//! *P* / α), each of the four bounds below fails on one of *P* pages with probability α / 4 at most
//! (Bonferroni):
//!
//! * load ≥ μ − √(2 *b̂* μ *l*): sums of variables that are never negative (Maurer, *A Bound on the Deviation
//!   Probability for Sums of Non-Negative Random Variables*, JIPAM 4 (2003), theorem 1.1);
//! * load ≤ μ + √(2 *b̂* μ *l*) + ⅔ *b̂* *l*: Bernstein (Boucheron, Lugosi and Massart, *Concentration
//!   Inequalities* (2013), corollary 2.11);
//! * ones within √(*b̂* · load · *l* / 2) of *m* (1 − e^(−load / *m*)), *m* being the bits of a page: a
//!   string changes them by *b* at most (`McDiarmid`, *On the Method of Bounded Differences* (1989), lemma
//!   1.2). The mean is exact for bits that lie together as well, since no two bits of a string are the same.
//!
//! The load of all pages together is known, so that only the last bound applies to it.

use crate::{
    format::{Header, SchemeId},
    page::PAGE_BITS,
};

/// The highest probability that an honest filter is refused by chance: one in a thousand million.
const ALPHA: f64 = 1e-9;

/// The permitted relative error of counts in a header: beyond a million entries they are estimates within 0.5
/// %, in a union within 2 %, and the strings derived from words are estimates as well.
const COUNT_ERROR: f64 = 0.05;

/// The highest mean number of positions of a string in the deletion layer: 1.31 in lists of passwords, 7 for
/// a list of all numbers of six digits. Only lists of a few words crafted for it have more.
const PLACES: u16 = 16;

/// The number of pages up to which a list may consist of such words; there the longest word bounds the number
/// of positions.
const FEW_PAGES: u64 = 64;

/// The bits of a page.
const BITS: f64 = PAGE_BITS as f64;

/// Bounds for the number of ones.
pub(super) struct Bounds {
    /// The lowest and the highest number of ones in each page.
    pub(super) page: (u32, u32),
    mean_load: f64,
    /// *b̂*.
    each: f64,
    log: f64,
}

impl Bounds {
    /// The bounds for a filter with this header.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 0 to the bits of a page"
    )]
    pub(super) fn of(header: &Header) -> Bounds {
        let pages = header.pages.max(1) as f64;
        let (bits, each) = bits_of(header);
        let (mean_load, log) = (bits / pages, (4.0 * pages / ALPHA).ln());
        // A filter of one page has the whole load in it.
        let among_pages = 1.0 - 1.0 / pages;
        let deviation = |load: f64| (2.0 * each * load * log * among_pages).sqrt();
        let [low, high] = [1.0 - COUNT_ERROR, 1.0 + COUNT_ERROR].map(|part| part * mean_load);
        let most_load = high + deviation(high) + 2.0 / 3.0 * each * log * among_pages;
        let least_load = (low - deviation(low)).max(0.0);
        let by_collisions = |load: f64| (each * load * log / 2.0).sqrt();
        let least = (ones(least_load) - by_collisions(least_load)).max(0.0);
        let most = (ones(most_load) + by_collisions(most_load)).min(BITS);
        Bounds { page: (least.floor() as u32, most.ceil() as u32), mean_load, each, log }
    }

    /// True for a page with this many ones.
    pub(super) fn allow(&self, ones: u32) -> bool {
        (self.page.0..=self.page.1).contains(&ones)
    }

    /// The lowest and the highest mean number of ones over this number of pages; none for no pages.
    pub(super) fn of_pages(&self, pages: u64) -> Option<(f64, f64)> {
        if pages == 0 {
            return None;
        }
        let bound = |part: f64| {
            let load = part * self.mean_load;
            (ones(load), (self.each * load * self.log / (2.0 * pages as f64)).sqrt())
        };
        let ((least, below), (most, above)) = (bound(1.0 - COUNT_ERROR), bound(1.0 + COUNT_ERROR));
        Some(((least - below).max(0.0), (most + above).min(BITS)))
    }
}

/// The mean number of ones for a load.
fn ones(load: f64) -> f64 {
    -BITS * (-load / BITS).exp_m1()
}

/// The number of bits that the entries set, with repetitions, and *b̂*.
fn bits_of(header: &Header) -> (f64, f64) {
    let [word, deletion] = [header.word_bits, header.deletion_bits].map(f64::from);
    let [words, extension] = [header.words, header.extension].map(|count| count as f64);
    match header.stored() {
        SchemeId::Whole => (word * words, word),
        SchemeId::Paper => (word * extension, word),
        SchemeId::Deletions => {
            let longest = header.lengths.1.max(1);
            let places = if header.pages > FEW_PAGES { longest.min(PLACES) } else { longest };
            (word * words + deletion * extension, word + deletion * f64::from(places))
        }
    }
}
