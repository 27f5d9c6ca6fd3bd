//! The pairs of neighbouring characters of a candidate that no word has: two edits have to touch them all.

use std::ops::Range;

use zeroize::Zeroize;

use crate::{
    alphabet::{BOUNDARY, Class, UNKNOWN},
    format::Header,
    word::{Symbol, Word},
};

/// True for the characters of the words that are looked for.
pub(super) fn is_letter(symbol: Symbol) -> bool {
    symbol.character().is_some_and(char::is_alphabetic)
}

/// A candidate's classes between two word boundaries, and its unseen pairs, to which all belong that have a
/// character which is not a letter. Pair `j` is the one before
/// character `j`; pair `len` is the one after the last. Replacing or removing character `j` touches the pairs
/// `j` and `j + 1`, putting one in at the gap `j` touches the pair `j`.
pub(super) struct UnseenPairs {
    classes: Vec<Class>,
    unseen: Vec<usize>,
}

impl UnseenPairs {
    pub(super) fn of(word: &Word, header: &Header) -> UnseenPairs {
        let class_of = |symbol| if is_letter(symbol) { header.alphabet.class_of(symbol) } else { UNKNOWN };
        let inner = word.symbols().map(class_of);
        let ends = || std::iter::once(BOUNDARY);
        let mut classes = Vec::with_capacity(word.len() + 2);
        classes.extend(ends().chain(inner).chain(ends()));
        let is_unseen = |&at: &usize| {
            let pair = classes.get(at..).and_then(<[Class]>::first_chunk);
            pair.is_some_and(|&[first, second]| !header.digrams.seen(first, second))
        };
        let unseen = (0..=word.len()).filter(is_unseen).collect();
        UnseenPairs { classes, unseen }
    }

    /// The class before the gap `at`, which is that of the character `at - 1`, or the boundary.
    pub(super) fn class_before(&self, at: usize) -> Class {
        self.classes.get(at).copied().unwrap_or(UNKNOWN)
    }

    /// The class of the character `at`, or the boundary after the last.
    pub(super) fn class_at(&self, at: usize) -> Class {
        self.class_before(at + 1)
    }

    /// The unseen pairs that are not in the range.
    pub(super) fn outside(&self, touched: &Range<usize>) -> Vec<usize> {
        self.unseen.iter().copied().filter(|at| !touched.contains(at)).collect()
    }

    /// True when every unseen pair is in one of two ranges.
    pub(super) fn are_within(&self, touched: &[Range<usize>; 2]) -> bool {
        self.unseen.iter().all(|at| touched.iter().any(|range| range.contains(at)))
    }

    /// True when one edit can touch all unseen pairs that are not in the range.
    pub(super) fn are_mendable_beside(&self, touched: &Range<usize>) -> bool {
        let mut others = self.unseen.iter().filter(|at| !touched.contains(at));
        let Some(first) = others.next() else { return true };
        others.all(|&other| other <= first + 1)
    }

    /// True when two edits can touch all unseen pairs.
    pub(super) fn are_mendable_by_two(&self) -> bool {
        self.unseen.first().is_none_or(|&first| self.are_mendable_beside(&(first..first + 2)))
    }
}

impl Drop for UnseenPairs {
    fn drop(&mut self) {
        self.classes.zeroize();
        self.unseen.zeroize();
    }
}
