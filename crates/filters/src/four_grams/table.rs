//! Builds a table of 4-grams: its survey, its smallest size, its union with another.

#![allow(clippy::arithmetic_side_effects, reason = "positions in a table that is in memory")]

use super::{END, GRAM, MAX_PAGES, MIN_DISTANCE_2_WORD, hash, number_of_letter, position};
use crate::{
    digrams::united_tables,
    page::{BIT_BYTES, PAGE_BITS, PAGE_BYTES, Page},
    word::{Symbol, Word},
};

/// Bits of a page.
const BITS: usize = PAGE_BITS as usize;

/// The lowest number of bits for each 4-gram in a table below the largest size: then about one in five unseen
/// 4-grams passes.
const BITS_PER_FOUR_GRAM: usize = 4;

/// A table of 4-grams: the bits of its pages, one after the other. Empty without long words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FourGramTable(Vec<u8>);

impl FourGramTable {
    /// The table in these pages.
    pub(crate) fn from_pages(pages: &[Page]) -> FourGramTable {
        FourGramTable(pages.iter().flat_map(|page| page.iter().take(BIT_BYTES)).copied().collect())
    }

    /// Its pages, to be sealed.
    pub(crate) fn to_pages(&self) -> Vec<Page> {
        let page = |bits: &[u8]| {
            let mut page = [0; PAGE_BYTES];
            page.iter_mut().zip(bits).for_each(|(to, from)| *to = *from);
            page
        };
        self.0.chunks_exact(BIT_BYTES).map(page).collect()
    }

    /// The number of its pages: a power of two, at most [`MAX_PAGES`], or none.
    pub(crate) fn len(&self) -> u8 {
        u8::try_from(self.0.len() / BIT_BYTES).unwrap_or(0)
    }

    /// True when there is no long word.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// An empty table of `pages` pages.
    fn zeros(pages: usize) -> FourGramTable {
        FourGramTable(vec![0; pages * BIT_BYTES])
    }

    #[inline]
    fn set(&mut self, at: usize) {
        if let Some(byte) = self.0.get_mut(at / 8) {
            *byte |= 1 << (at % 8);
        }
    }

    /// The 4-grams of both, in as many pages as the larger one has.
    #[must_use]
    pub(crate) fn united(&self, other: &FourGramTable) -> FourGramTable {
        FourGramTable(united_tables(&self.0, &other.0))
    }

    /// The bits that are set.
    fn ones(&self) -> impl Iterator<Item = usize> {
        let bytes = self.0.iter().zip((0..).step_by(8)).filter(|(byte, _)| **byte != 0);
        bytes.flat_map(|(byte, first)| {
            (0..8).filter(move |bit| byte >> bit & 1 == 1).map(move |bit| first + bit)
        })
    }
}

/// The 4-grams of a list's words under survey, in a table of the largest size.
#[derive(Clone, Default)]
pub(crate) struct FourGramSurvey(FourGramTable);

impl FourGramSurvey {
    /// Adds a word, if it is long and of letters only.
    pub(crate) fn insert(&mut self, word: &Word) {
        if word.len() >= MIN_DISTANCE_2_WORD && word.symbols().all(Symbol::is_letter) {
            self.insert_numbers(word.symbols().map(number_of_letter));
        }
    }

    /// Adds a long word of letters, given by their numbers.
    pub(crate) fn insert_numbers(&mut self, numbers: impl Iterator<Item = u32>) {
        if self.0.is_empty() {
            self.0 = FourGramTable::zeros(MAX_PAGES);
        }
        let mut gram = [END; GRAM];
        let ends = std::iter::once(END);
        for (number, seen) in numbers.chain(ends).zip(2_usize..) {
            let [_, b, c, d] = gram;
            gram = [b, c, d, number];
            if seen >= GRAM {
                let (page, bit) = position(hash(gram), MAX_PAGES as u64);
                self.0.set(page * BITS + bit);
            }
        }
    }

    pub(crate) fn merge(&mut self, other: &FourGramSurvey) {
        self.0 = self.0.united(&other.0);
    }

    /// The table, with its smallest sufficient size.
    pub(crate) fn finish(&self) -> FourGramTable {
        match self.0.ones().count() * BITS_PER_FOUR_GRAM {
            0 => FourGramTable::default(),
            bits => self.of_pages(bits.div_ceil(BITS).next_power_of_two().min(MAX_PAGES)),
        }
    }

    /// The table with `pages` pages, a power of two: each of its bits stands for neighbouring bits of the
    /// largest table.
    fn of_pages(&self, pages: usize) -> FourGramTable {
        let mut table = FourGramTable::zeros(pages);
        self.0.ones().for_each(|at| table.set(at * pages / MAX_PAGES));
        table
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{FourGrams, NO_LETTER, number_of},
        *,
    };
    use crate::page;

    fn survey(words: &[&str]) -> FourGramSurvey {
        let mut survey = FourGramSurvey::default();
        for word in words {
            survey.insert(&Word::clean(word.as_bytes()).unwrap());
        }
        survey
    }

    fn four_grams_of(text: &str) -> Vec<[u32; GRAM]> {
        let inner = text.chars().map(|c| number_of(Symbol::of(c)));
        let all: Vec<u32> = std::iter::once(END).chain(inner).chain([END]).collect();
        all.windows(GRAM).map(|gram| gram.try_into().unwrap()).collect()
    }

    fn has_all(table: &FourGramTable, text: &str) -> bool {
        let pages = table.to_pages();
        four_grams_of(text).into_iter().all(|gram| FourGrams::new(&pages).may_have(gram))
    }

    #[test]
    fn every_four_of_long_words_of_letters_is_there_and_hardly_another() {
        let table = survey(&["elephantine", "éléphantesque", "short", "numb3rsinside"]).finish();
        assert_eq!(table.len(), 1);
        assert!(has_all(&table, "elephantine") && has_all(&table, "éléphantesque"));
        let pages = table.to_pages();
        let four_grams = FourGrams::new(&pages);
        let strangers = four_grams_of("short")
            .into_iter()
            .chain(four_grams_of("xylophagous"))
            .chain(four_grams_of("numbersinside"));
        assert!(strangers.clone().filter(|&gram| four_grams.may_have(gram)).count() * 5 < strangers.count());
        assert!(!four_grams.may_have([NO_LETTER; GRAM]));
    }

    #[test]
    fn no_long_word_is_no_table() {
        assert!(survey(&["short", "12345678901"]).finish().is_empty());
        assert!(!FourGrams::new(&[]).may_have([1; GRAM]));
    }

    #[test]
    fn tables_of_different_sizes_unite_to_one_that_has_both() {
        let letters = || 'a'..='z';
        let words =
            letters().flat_map(|c| letters().map(move |d| format!("{c}{d}cdefghij{d}{c}{d}{d}{c}{c}")));
        let words: Vec<String> = words.chain(letters().map(|c| c.to_string().repeat(12))).collect();
        let many: Vec<&str> = words.iter().map(String::as_str).collect();
        let (small, many) = (survey(&["elephantine"]).finish(), survey(&many));
        for pages in [1, 2, 4, 8, 16] {
            let large = many.of_pages(pages.into());
            assert!(words.iter().all(|word| has_all(&large, word)), "{pages}");
            for united in [small.united(&large), large.united(&small)] {
                assert_eq!(united.len(), pages);
                assert!(words.iter().all(|word| has_all(&united, word)) && has_all(&united, "elephantine"));
            }
        }
        assert_eq!(FourGramTable::default().united(&small), small);
    }

    #[test]
    fn a_table_keeps_off_the_checksums_of_its_pages() {
        let many: Vec<String> =
            (0..2000_u64).map(|i| letters_of(i.wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect();
        let many = survey(&many.iter().map(String::as_str).collect::<Vec<_>>());
        for pages in [1, 2, 16] {
            let table = many.of_pages(pages);
            let mut sealed = table.to_pages();
            assert!(sealed.iter().all(|page| page.ends_with(&[0; 4])), "{pages}");
            sealed.iter_mut().for_each(page::seal);
            assert_eq!(FourGramTable::from_pages(&sealed), table, "{pages}");
        }
        for (hash, pages) in
            [0, 1 << 60, u64::MAX / 2, u64::MAX].into_iter().flat_map(|h| [1, 2, 16].map(|p| (h, p)))
        {
            let (page, bit) = position(hash, pages);
            assert!(page < usize::try_from(pages).unwrap() && bit < BITS, "{hash:x} {pages}");
        }
    }

    /// Twelve letters of four bits each.
    fn letters_of(number: u64) -> String {
        (0..12).map(|at| char::from(b'a' + u8::try_from(number >> (5 * at) & 15).unwrap())).collect()
    }
}
