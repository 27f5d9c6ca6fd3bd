//! The table of fours as it is made: surveyed, made as small as it may be, united with another.

#![allow(clippy::arithmetic_side_effects, reason = "positions in a table that is in memory")]

use super::{END, LEAST_FAR_WORD, MAX_PAGES, WINDOW, hash, is_letter, number_of, position};
use crate::{
    page::{self, BIT_BYTES, PAGE_BITS, PAGE_BYTES, Page},
    word::Word,
};

/// Bits of a page.
const BITS: usize = PAGE_BITS as usize;

/// The least bits for each four characters in a table below the largest: then about one in five strangers
/// passes.
const BITS_PER_QUAD: usize = 4;

/// A table of fours that is made: no pages where there is no long word, or a power of two.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuadTable(Vec<Page>);

impl QuadTable {
    /// The table in these pages.
    pub(crate) fn from_pages(pages: Vec<Page>) -> QuadTable {
        QuadTable(pages)
    }

    /// Its pages, to be sealed.
    pub(crate) fn into_pages(self) -> Vec<Page> {
        self.0
    }

    /// The number of its pages, at most [`MAX_PAGES`].
    pub(crate) fn len(&self) -> u8 {
        u8::try_from(self.0.len()).unwrap_or(0)
    }

    /// True when there is no long word.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// An empty table of so many pages.
    fn zeros(pages: usize) -> QuadTable {
        QuadTable(vec![[0; PAGE_BYTES]; pages])
    }

    #[inline]
    fn insert(&mut self, hash: u64) {
        self.set(position(hash, self.0.len() as u64));
    }

    /// Sets a bit of a page.
    #[inline]
    fn set(&mut self, (page, bit): (usize, usize)) {
        if let Some(byte) = self.0.get_mut(page).and_then(|page| page.get_mut(bit / 8)) {
            *byte |= 1 << (bit % 8);
        }
    }

    fn ones(&self) -> usize {
        self.0.iter().map(|page| page::ones(page) as usize).sum()
    }

    /// The fours of both, in as many pages as the larger one has.
    #[must_use]
    pub(crate) fn united(&self, other: &QuadTable) -> QuadTable {
        let pages = self.0.len().max(other.0.len());
        let [mut ours, theirs] = [self, other].map(|table| table.resized(pages));
        ours.add(&theirs);
        ours
    }

    /// Adds the fours of a table of the same size.
    fn add(&mut self, other: &QuadTable) {
        let bytes = self.0.as_flattened_mut().iter_mut();
        bytes.zip(other.0.as_flattened()).for_each(|(byte, more)| *byte |= more);
    }

    /// The table with `pages` pages, 2ⁿ times as many or as few: each bit is set that may stand for one of
    /// its fours.
    fn resized(&self, pages: usize) -> QuadTable {
        let mut resized = QuadTable::zeros(pages);
        if self.is_empty() {
            return resized;
        }
        let (wide, narrow) = (pages.div_ceil(self.0.len()), self.0.len().div_ceil(pages.max(1)));
        for at in self.each() {
            let start = at / narrow * wide;
            (start..start + wide).for_each(|at| resized.set((at / BITS, at % BITS)));
        }
        resized
    }

    /// The bits that are set, counted over all pages.
    fn each(&self) -> impl Iterator<Item = usize> {
        let bytes = self.0.iter().flat_map(|page| page.iter().take(BIT_BYTES));
        bytes.zip((0..).step_by(8)).filter(|(byte, _)| **byte != 0).flat_map(|(byte, first)| {
            (0..8).filter(move |bit| byte >> bit & 1 == 1).map(move |bit| first + bit)
        })
    }
}

/// The fours of a list's words under survey, in a table of the largest size.
#[derive(Clone, Default)]
pub(crate) struct QuadSurvey(QuadTable);

impl QuadSurvey {
    /// Adds a word, if it is long and of letters only.
    pub(crate) fn insert(&mut self, word: &Word) {
        if word.len() >= LEAST_FAR_WORD && word.symbols().all(is_letter) {
            self.insert_numbers(word.symbols().map(number_of));
        }
    }

    /// Adds a long word of letters, given by their numbers.
    pub(crate) fn insert_numbers(&mut self, numbers: impl Iterator<Item = u32>) {
        if self.0.is_empty() {
            self.0 = QuadTable::zeros(MAX_PAGES);
        }
        let mut four = [END; WINDOW];
        let ends = std::iter::once(END);
        for (number, seen) in numbers.chain(ends).zip(2_usize..) {
            let [_, b, c, d] = four;
            four = [b, c, d, number];
            if seen >= WINDOW {
                self.0.insert(hash(four));
            }
        }
    }

    pub(crate) fn merge(&mut self, other: QuadSurvey) {
        if self.0.is_empty() {
            self.0 = other.0;
        } else {
            self.0.add(&other.0);
        }
    }

    /// The table, no larger than it takes.
    pub(crate) fn finish(&self) -> QuadTable {
        let bits = self.0.ones() * BITS_PER_QUAD;
        if bits == 0 {
            return QuadTable::default();
        }
        self.0.resized(bits.div_ceil(BITS).next_power_of_two().min(MAX_PAGES))
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{NO_LETTER, Quads},
        *,
    };
    use crate::word::Symbol;

    fn survey(words: &[&str]) -> QuadSurvey {
        let mut survey = QuadSurvey::default();
        for word in words {
            survey.insert(&Word::clean(word.as_bytes()).unwrap());
        }
        survey
    }

    fn fours(text: &str) -> Vec<[u32; WINDOW]> {
        let inner = text.chars().map(|c| number_of(Symbol::of(c)));
        let all: Vec<u32> = std::iter::once(END).chain(inner).chain([END]).collect();
        all.windows(WINDOW).map(|four| four.try_into().unwrap()).collect()
    }

    fn has_all(table: &QuadTable, text: &str) -> bool {
        fours(text).into_iter().all(|four| Quads::new(&table.0).may_have(four))
    }

    #[test]
    fn every_four_of_long_words_of_letters_is_there_and_hardly_another() {
        let table = survey(&["elephantine", "éléphantesque", "short", "numb3rsinside"]).finish();
        assert_eq!(table.len(), 1);
        assert!(has_all(&table, "elephantine") && has_all(&table, "éléphantesque"));
        let quads = Quads::new(&table.0);
        let strangers = fours("short").into_iter().chain(fours("xylophagous")).chain(fours("numbersinside"));
        assert!(strangers.clone().filter(|&four| quads.may_have(four)).count() * 5 < strangers.count());
        assert!(!quads.may_have([NO_LETTER; WINDOW]));
    }

    #[test]
    fn no_long_word_is_no_table() {
        assert!(survey(&["short", "12345678901"]).finish().is_empty());
        assert!(!Quads::new(&[]).may_have([1; WINDOW]));
    }

    #[test]
    fn tables_of_different_sizes_unite_to_one_that_has_both() {
        let letters = || 'a'..='z';
        let words =
            letters().flat_map(|c| letters().map(move |d| format!("{c}{d}cdefghij{d}{c}{d}{d}{c}{c}")));
        let words: Vec<String> = words.chain(letters().map(|c| c.to_string().repeat(12))).collect();
        let many: Vec<&str> = words.iter().map(String::as_str).collect();
        let (small, large) = (survey(&["elephantine"]).finish(), survey(&many).finish());
        let growing: Vec<usize> = (0..5).map(|n| large.resized(1 << n).0.len()).collect();
        assert_eq!(growing, [1, 2, 4, 8, 16]);
        for pages in [1, 2, 4, 8, 16] {
            let resized = large.resized(pages);
            assert!(words.iter().all(|word| has_all(&resized, word)), "{pages}");
            for united in [small.united(&resized), resized.united(&small)] {
                assert_eq!(united.0.len(), pages);
                assert!(words.iter().all(|word| has_all(&united, word)) && has_all(&united, "elephantine"));
            }
        }
        assert_eq!(QuadTable::default().united(&small), small);
    }

    #[test]
    fn a_table_keeps_off_the_checksums_of_its_pages() {
        for pages in [1, 2, 16] {
            let ends = [0, 1 << 60, (1 << 60) - 1, u64::MAX / 2, u64::MAX / 2 + 1, u64::MAX];
            let mut table = QuadTable::zeros(pages);
            for hash in ends {
                table.insert(hash);
                assert!(Quads::new(&table.0).has(hash), "{hash:x}");
            }
            let before = table.clone();
            table.0.iter_mut().for_each(page::seal);
            assert!(ends.iter().all(|&hash| Quads::new(&table.0).has(hash)));
            assert!(
                table.0.iter().zip(&before.0).all(|(a, b)| a[..4092] == b[..4092] && b[4092..] == [0; 4])
            );
        }
    }
}
