//! The single edits that can repair all of a candidate's unseen pairs of neighbouring characters.

use std::ops::Range;

use zeroize::Zeroize;

use crate::{
    alphabet::{BOUNDARY, Class, UNKNOWN},
    digrams::Digrams,
    format::Header,
    word::Word,
};

/// The classes of a candidate's characters between two word boundaries, and the positions of its unseen
/// pairs. Pair `j` is the one before character `j`; pair `len` is the one after the last.
#[derive(Default)]
pub(super) struct PossibleEdits {
    classes: Vec<Class>,
    /// First and last unseen pair.
    unseen: Option<(usize, usize)>,
}

impl PossibleEdits {
    pub(super) fn assign(&mut self, word: &Word, header: &Header) {
        self.classes.clear();
        self.classes.reserve(word.len() + 2);
        self.classes.push(BOUNDARY);
        if word.is_bytewise() {
            self.classes.extend(word.as_bytes().iter().map(|&byte| header.alphabet.class_of_ascii(byte)));
        } else {
            self.classes.extend(word.symbols().map(|symbol| header.alphabet.class_of(symbol)));
        }
        self.classes.push(BOUNDARY);
        self.unseen = None;
        for (pair, at) in self.classes.windows(2).zip(0..) {
            let &[first, second] = pair else { continue };
            if !header.digrams.seen(first, second) {
                self.unseen = Some((self.unseen.map_or(at, |(first, _)| first), at));
            }
        }
    }

    /// The number of characters.
    fn len(&self) -> usize {
        self.classes.len().saturating_sub(2)
    }

    /// The class before gap `at`, which is the class of character `at - 1`, or the boundary.
    pub(super) fn class_before(&self, at: usize) -> Class {
        self.classes.get(at).copied().unwrap_or(UNKNOWN)
    }

    /// The class of character `at`, or the boundary after the last.
    pub(super) fn class_at(&self, at: usize) -> Class {
        self.class_before(at + 1)
    }

    /// True if the candidate itself may be a word.
    pub(super) fn may_be_word(&self) -> bool {
        self.unseen.is_none()
    }

    /// The characters whose deletion or substitution, each alone, touches every unseen pair: character `at`
    /// touches the pairs `at` and `at + 1`.
    pub(super) fn replaceable(&self) -> Range<usize> {
        match self.unseen {
            None => 0..self.len(),
            Some((first, last)) => last.saturating_sub(1)..(first + 1).min(self.len()),
        }
    }

    /// False if deleting or replacing its character `at` cannot turn the candidate into a word.
    #[inline]
    pub(super) fn may_mend(&self, at: usize, digrams: &Digrams) -> bool {
        let (before, after) = (self.class_before(at), self.class_at(at + 1));
        digrams.seen(before, after) || digrams.may_fill(before, after)
    }

    /// The gaps where an insertion touches every unseen pair: gap `at` touches the pair `at`.
    pub(super) fn insertable(&self) -> Range<usize> {
        match self.unseen {
            None => 0..self.len() + 1,
            Some((first, last)) if first == last => first..first + 1,
            Some(_) => 0..0,
        }
    }

    /// The characters whose swap with the next touches every unseen pair: the pairs `at`, `at + 1` and `at +
    /// 2`.
    pub(super) fn swappable(&self) -> Range<usize> {
        let end = self.len().saturating_sub(1);
        match self.unseen {
            None => 0..end,
            Some((first, last)) => last.saturating_sub(2)..(first + 1).min(end),
        }
    }

    /// True if the candidate with `at` and `at + 1` swapped differs from it and has only seen pairs there.
    pub(super) fn may_swap(&self, at: usize, digrams: &Digrams) -> bool {
        let (a, b) = (self.class_at(at), self.class_at(at + 1));
        let seen = |first, second| digrams.seen(first, second);
        a != b && seen(self.class_before(at), b) && seen(b, a) && seen(a, self.class_at(at + 2))
    }
}

impl Drop for PossibleEdits {
    fn drop(&mut self) {
        self.classes.zeroize();
    }
}
