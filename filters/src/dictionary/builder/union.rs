//! The bits of two filters in one, and how many words that makes.

use super::{
    Builder,
    extend::{joined_alphabet, joined_lengths},
};
use crate::{
    dictionary::{
        DictionaryFilter, FilterError,
        rate::whole,
        union::{Difference, UnionError},
    },
    format::SchemeId,
    page::{self, PAGE_BITS, Page},
    storage::Bytes,
};

impl Builder {
    /// Adds the words of another filter of the same key and geometry. The rate stated is then the higher of the two,
    /// the capacity the larger, the date the later.
    ///
    /// # Errors
    /// [`UnionError`]; the filter is then as it was, unless a page of the other is damaged.
    pub fn unite<D: Bytes>(&mut self, other: &DictionaryFilter<D>) -> Result<(), UnionError> {
        let theirs = other.header();
        if let Some(difference) = Difference::between(&self.header, theirs) {
            return Err(UnionError::Differs(difference));
        }
        let alphabet = joined_alphabet(&self.header.alphabet, theirs.alphabet.symbols().iter());
        let alphabet = alphabet.map_err(UnionError::Build)?;
        let loads = self.unite_pages(other).map_err(UnionError::Filter)?;
        let ours = &mut self.header;
        if ours.scheme == SchemeId::Deletions {
            ours.digrams = ours.digrams.united(&ours.alphabet, &theirs.digrams, &theirs.alphabet, &alphabet);
            ours.alphabet = alphabet;
        }
        ours.words = loads.united(ours.words, theirs.words);
        ours.extension = loads.united(ours.extension, theirs.extension);
        ours.lines = ours.lines.saturating_add(theirs.lines);
        ours.lengths = joined_lengths(ours.lengths, theirs.lengths);
        ours.capacity = ours.capacity.max(theirs.capacity);
        ours.created = ours.created.max(theirs.created);
        ours.stated.false_rejection = ours.stated.false_rejection.max(theirs.stated.false_rejection);
        Ok(())
    }

    fn unite_pages<D: Bytes>(&mut self, other: &DictionaryFilter<D>) -> Result<Loads, FilterError> {
        let mut loads = Loads::default();
        for (page, index) in self.pages.iter_mut().zip(0..) {
            let theirs = other.body.page(index)?;
            loads.parts += load(page) + load(theirs);
            for (byte, more) in page.iter_mut().zip(theirs) {
                *byte |= more;
            }
            loads.whole += load(page);
        }
        Ok(loads)
    }
}

/// Bits set, with repetitions, as far as the ones tell.
#[derive(Default)]
struct Loads {
    /// In both filters.
    parts: f64,
    /// In their union.
    whole: f64,
}

impl Loads {
    /// Distinct strings of the union of `a` and `b` strings.
    fn united(&self, a: u64, b: u64) -> u64 {
        let sum = a.saturating_add(b);
        let share = self.whole / self.parts.max(f64::MIN_POSITIVE);
        whole(sum as f64 * share).clamp(a.max(b), sum)
    }
}

/// Bits set in a page with repetitions: −m ln(1 − X/m), X of m bits being ones.
fn load(page: &Page) -> f64 {
    let bits = f64::from(PAGE_BITS);
    let zeros = (bits - f64::from(page::ones(page))).max(0.5);
    bits * (bits / zeros).ln()
}
