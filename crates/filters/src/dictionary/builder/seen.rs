//! The characters and pairs of characters in the words of a list.

use std::collections::{BTreeSet, HashSet};

use crate::{digrams::Pairs, hash::Short, word::Symbol};

/// Pairs of neighbouring symbols, value plus one, 0 for a word's ends. ASCII pairs are bits, the others a
/// set.
#[derive(Clone)]
pub(super) struct Seen {
    ascii: Vec<[u64; 3]>,
    others: HashSet<(u32, u32)>,
}

impl Default for Seen {
    fn default() -> Seen {
        Seen { ascii: vec![[0; 3]; 129], others: HashSet::new() }
    }
}

impl Seen {
    #[inline]
    pub(super) fn insert(&mut self, symbols: impl Iterator<Item = Symbol>) {
        let mut before = 0;
        for number in symbols.map(|symbol| symbol.value() + 1).chain(std::iter::once(0)) {
            self.insert_pair(before, number);
            before = number;
        }
    }

    #[inline]
    pub(super) fn insert_short(&mut self, word: Short) {
        let mut before = 0_u8;
        for number in word.bytes().map(|byte| byte + 1).chain(std::iter::once(0)) {
            let row = self.ascii.get_mut(usize::from(before));
            if let Some(word) = row.and_then(|row| row.get_mut(usize::from(number / 64))) {
                *word |= 1 << (number % 64);
            }
            before = number;
        }
    }

    #[inline]
    fn insert_pair(&mut self, first: u32, second: u32) {
        let row = self.ascii.get_mut(first as usize);
        match row.and_then(|row| row.get_mut(second as usize / 64)).filter(|_| second <= 128) {
            Some(word) => *word |= 1 << (second % 64),
            None => {
                self.others.insert((first, second));
            }
        }
    }

    pub(super) fn merge(&mut self, other: Seen) {
        for (row, more) in self.ascii.iter_mut().zip(other.ascii) {
            for (word, bits) in row.iter_mut().zip(more) {
                *word |= bits;
            }
        }
        self.others.extend(other.others);
    }

    fn numbers(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let ascii = (0..).zip(&self.ascii).flat_map(|(first, row)| {
            let is_set = move |second: u32| {
                row.get(second as usize / 64).is_some_and(|word| word >> (second % 64) & 1 == 1)
            };
            (0..=128).filter(move |&second| is_set(second)).map(move |second| (first, second))
        });
        ascii.chain(self.others.iter().copied())
    }

    pub(super) fn pairs(&self) -> Pairs {
        let symbol = |number: u32| number.checked_sub(1).and_then(Symbol::from_value);
        self.numbers().map(|(first, second)| (symbol(first), symbol(second))).collect()
    }

    pub(super) fn symbols(&self) -> BTreeSet<Symbol> {
        self.pairs().into_iter().flat_map(|(first, second)| [first, second]).flatten().collect()
    }
}
