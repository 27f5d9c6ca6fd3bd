//! Extends an existing filter: adds words, restates counts and rates, creates a second filter like the first.

use std::collections::BTreeSet;

use super::{
    error::BuildError,
    fill::{Builder, empty_pages, split_four_grams},
    spec::Build,
    survey::Findings,
};
use crate::{
    alphabet::{Alphabet, MAX_SYMBOLS},
    dictionary::sizing::{Counts, rates_of_fills, rounded},
    digrams::Digrams,
    format::{Header, SchemeId},
    page::{self, PAGE_BITS, Page},
    word::Symbol,
};

/// The factor by which the rate of a filter with the planned number of words may exceed the stated rate, if
/// all its pages are alike.
const CHANCE: f64 = 1.1;

/// The number of standard errors that the rates of the pages may add.
const DEVIATIONS: f64 = 3.0;

impl Build {
    /// A builder that extends the filter with this header and these pages, all of them. The new words were
    /// surveyed before, by [`Build::of`] the header: `findings` contains their characters and pairs.
    ///
    /// # Errors
    /// [`BuildError::TooManySymbols`].
    pub fn extending(
        &self,
        mut header: Header,
        mut pages: Vec<Page>,
        findings: &Findings,
    ) -> Result<Builder, BuildError> {
        let four_grams = split_four_grams(&header, &mut pages).united(&findings.four_grams);
        if header.scheme == SchemeId::Deletions {
            let alphabet = joined_alphabet(&header.alphabet, findings.symbols.iter())?;
            header.digrams = header.digrams.grown(&header.alphabet, &alphabet, &findings.pairs);
            header.alphabet = alphabet;
            header.four_gram_pages = four_grams.len();
        }
        header.lengths = joined_lengths(header.lengths, findings.lengths);
        header.lines = header.lines.saturating_add(findings.lines.accepted);
        Ok(Builder::new(header, pages, four_grams, self.reading(), self.threads))
    }

    /// An empty filter with the key, the geometry, the rate and the capacity of another, so that the two can
    /// be united: for the words that were surveyed by [`Build::of`] its header.
    ///
    /// # Errors
    /// [`BuildError`].
    pub fn like(&self, header: &Header, findings: &Findings) -> Result<Builder, BuildError> {
        if findings.words == 0 {
            return Err(BuildError::Empty);
        }
        let mut empty = header.clone();
        (empty.alphabet, empty.digrams) = (Alphabet::new(&BTreeSet::new()), Digrams::None);
        if header.scheme == SchemeId::Deletions {
            empty.digrams = Digrams::new(&empty.alphabet, &BTreeSet::new());
        }
        empty.four_gram_pages = 0;
        (empty.lines, empty.lengths) = (0, (0, 0));
        let pages = empty_pages(header.pages)?;
        let mut builder = self.extending(empty, pages, findings)?;
        builder.count_exactly(Counts { words: findings.words, extension: findings.extension });
        Ok(builder)
    }
}

impl Builder {
    /// Adds the entries that were inserted since the builder was created to the header's counts: for an
    /// extended filter, whose survey did not know which entries are new.
    ///
    /// The paper's scheme stores strings of the extension instead of words: there the number of new words is
    /// estimated from the new strings, with the previous number of strings a word.
    pub fn count_inserted(&mut self) {
        let Counts { words, extension } = self.inserted();
        let strings_per_word = self.header.extension as f64 / self.header.words.max(1) as f64;
        let (words, extension) = match self.header.scheme {
            SchemeId::Paper => (rounded(words as f64 / strings_per_word.max(1.0)), words),
            _ => (words, extension),
        };
        self.header.words = self.header.words.saturating_add(words);
        self.header.extension = self.header.extension.saturating_add(extension);
    }

    /// Replaces the counts of words and of derived strings by exact ones.
    pub fn count_exactly(&mut self, counts: Counts) {
        self.header.words = counts.words;
        self.header.extension = counts.extension;
    }

    /// Records the time of the change, in seconds since 1970; a filter without a date stays without one.
    pub fn date(&mut self, seconds: u64) {
        if self.header.created > 0 {
            self.header.created = seconds;
        }
    }

    /// Restates the rate in the header.
    pub fn restate(&mut self, false_rejection: f64, capacity: u64) {
        self.header.stated.false_rejection = false_rejection;
        self.header.capacity = capacity;
    }

    /// The false rejection rate of the current pages, for the characters and lookups in the header.
    pub fn actual_rate(&mut self) -> f64 {
        let fills = self.fills();
        rates_of_fills(&self.header, &fills).check
    }

    /// True if the stated rate is kept. As long as the words do not exceed the capacity, a deviation by
    /// chance is allowed: filters of the same size differ by their keys, small ones considerably, as do their
    /// pages.
    pub fn keeps_rate(&mut self) -> bool {
        let fills = self.fills();
        let (rate, stated) = (rates_of_fills(&self.header, &fills).check, self.header.stated.false_rejection);
        // The words of a union are an estimate within 2 %.
        let words = self.header.words;
        if words - words / 50 > self.header.capacity {
            return rate <= stated;
        }
        rate - DEVIATIONS * self.rate_error(&fills) <= stated * CHANCE
    }

    /// The standard error of [`Builder::actual_rate`] as the mean of the pages' rates.
    fn rate_error(&self, fills: &[f64]) -> f64 {
        let rates: Vec<f64> = fills.iter().map(|&fill| rates_of_fills(&self.header, &[fill]).check).collect();
        let count = rates.len().max(2) as f64;
        let mean = rates.iter().sum::<f64>() / count;
        let squares: f64 = rates.iter().map(|rate| (rate - mean).powi(2)).sum();
        (squares / (count * (count - 1.0))).sqrt()
    }

    /// The fraction of ones of each page.
    fn fills(&mut self) -> Vec<f64> {
        self.store_collected();
        self.pages.iter().map(|page| f64::from(page::ones(page)) / f64::from(PAGE_BITS)).collect()
    }
}

/// The alphabet with more symbols.
pub(super) fn joined_alphabet<'s>(
    alphabet: &'s Alphabet,
    more: impl Iterator<Item = &'s Symbol>,
) -> Result<Alphabet, BuildError> {
    let symbols: BTreeSet<Symbol> = alphabet.symbols().iter().chain(more).copied().collect();
    if symbols.len() > MAX_SYMBOLS {
        return Err(BuildError::TooManySymbols { got: symbols.len() });
    }
    Ok(Alphabet::new(&symbols))
}

pub(super) fn joined_lengths(a: (u16, u16), b: (u16, u16)) -> (u16, u16) {
    match (a, b) {
        ((_, 0), other) | (other, (_, 0)) => other,
        _ => (a.0.min(b.0), a.1.max(b.1)),
    }
}
