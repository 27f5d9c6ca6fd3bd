//! The characters that occur in a dictionary, numbered for the digram table and used for completions.

#![allow(clippy::arithmetic_side_effects, reason = "positions in an alphabet, values of symbols")]

use std::{collections::BTreeSet, sync::OnceLock};

use crate::word::Symbol;

/// The highest number of symbols of an alphabet: bounds the completions of one check and the digram table.
pub(crate) const MAX_SYMBOLS: usize = 1 << 16;

/// The size of the largest alphabet whose symbols are numbered 1, 2, 3 …; the symbols of a larger one are
/// numbered by their values, so that its digram table does not change when the alphabet grows.
pub(crate) const MAX_DENSE_SYMBOLS: usize = 511;

/// A symbol's number in its alphabet, from 1; [`BOUNDARY`] is the end of a word and `u32::MAX` any other
/// symbol.
pub type Class = u32;

/// The class of a word's beginning and end.
pub const BOUNDARY: Class = 0;

/// The class of every symbol that is not in the alphabet.
pub(crate) const UNKNOWN: Class = u32::MAX;

/// A dictionary's characters in ascending order of value.
#[derive(Clone, Debug)]
pub struct Alphabet {
    symbols: Vec<Symbol>,
    /// Classes of the ASCII symbols, looked up without a search.
    ascii: [Class; 128],
    /// The ASCII symbols, which are the first: symbol `i` is byte `i` of these.
    ascii_symbols: Vec<u8>,
    /// The classes of the most frequent symbols, a bit each.
    frequent: [u64; 2],
    /// The symbols that are letters, each at its class; built at the first use.
    letters: OnceLock<Vec<Option<Symbol>>>,
}

/// The characters that are most frequent in words and passwords of languages in Latin letters, which are
/// tried first; they have no other effect.
const FREQUENT: [u8; 16] = *b"aeiornstlcdmuh01";

impl Alphabet {
    /// The alphabet of these symbols, in any order.
    pub fn new(symbols: &BTreeSet<Symbol>) -> Alphabet {
        Alphabet::from_sorted(symbols.iter().copied().collect())
    }

    /// The alphabet stored in a header: values, ascending. `None` when they are not symbols in ascending
    /// order.
    pub(crate) fn from_values(values: impl Iterator<Item = u32>) -> Option<Alphabet> {
        let symbols: Vec<Symbol> = values.map(Symbol::from_value).collect::<Option<_>>()?;
        symbols.is_sorted_by(|a, b| a < b).then(|| Alphabet::from_sorted(symbols))
    }

    fn from_sorted(symbols: Vec<Symbol>) -> Alphabet {
        let ascii_symbols: Vec<u8> = symbols.iter().map_while(|symbol| symbol.ascii()).collect();
        let letters = OnceLock::new();
        let mut alphabet =
            Alphabet { symbols, ascii: [UNKNOWN; 128], ascii_symbols, frequent: [0; 2], letters };
        let is_dense = alphabet.is_dense();
        for (&byte, position) in alphabet.ascii_symbols.iter().zip(1..) {
            let class = if is_dense { position } else { Class::from(byte) + 1 };
            if let Some(place) = alphabet.ascii.get_mut(usize::from(byte)) {
                *place = class;
            }
        }
        for class in FREQUENT.map(|byte| alphabet.class_of_ascii(byte)) {
            if let Some(word) = alphabet.frequent.get_mut(class as usize / 64) {
                *word |= 1 << (class % 64);
            }
        }
        alphabet
    }

    /// True when classes are positions in the alphabet rather than symbol values.
    pub fn is_dense(&self) -> bool {
        self.symbols.len() <= MAX_DENSE_SYMBOLS
    }

    fn search(&self, symbol: Symbol) -> Class {
        match self.symbols.binary_search(&symbol) {
            Ok(at) if self.is_dense() => Class::try_from(at).map_or(UNKNOWN, |at| at + 1),
            Ok(_) => symbol.value() + 1,
            Err(_) => UNKNOWN,
        }
    }

    /// The classes of the most frequent symbols as words of a row of bits, if classes are positions.
    pub(crate) fn frequent(&self) -> impl Iterator<Item = u64> {
        self.frequent.into_iter().chain(std::iter::repeat(0))
    }

    /// The number of symbols.
    pub fn len(&self) -> usize {
        self.symbols.len()
    }

    /// True for the alphabet of an empty dictionary.
    pub fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }

    /// The symbols, ascending.
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// The class of a symbol; [`UNKNOWN`] if no word contains it.
    #[inline]
    pub(crate) fn class_of(&self, symbol: Symbol) -> Class {
        match usize::try_from(symbol.value()).ok().and_then(|value| self.ascii.get(value)) {
            Some(&class) => class,
            None => self.search(symbol),
        }
    }

    /// The class of an ASCII character.
    #[inline]
    pub(crate) fn class_of_ascii(&self, character: u8) -> Class {
        self.ascii.get(usize::from(character)).copied().unwrap_or(UNKNOWN)
    }

    /// The character of a class, if it is ASCII and classes are positions.
    #[inline]
    pub(crate) fn ascii_of(&self, class: Class) -> Option<u8> {
        let number = usize::try_from(class.checked_sub(1)?).ok()?;
        self.ascii_symbols.get(number).copied().filter(|_| self.is_dense())
    }

    /// The symbol of a class.
    #[inline]
    pub fn symbol_of(&self, class: Class) -> Option<Symbol> {
        let number = class.checked_sub(1)?;
        if self.is_dense() {
            return self.symbols.get(usize::try_from(number).ok()?).copied();
        }
        Symbol::from_value(number).filter(|symbol| self.symbols.binary_search(symbol).is_ok())
    }

    /// The symbols of classes, if they are letters.
    pub(crate) fn letters(&self) -> Letters<'_> {
        let letter = |symbol: &Symbol| Some(*symbol).filter(|symbol| symbol.is_letter());
        let all = || std::iter::once(None).chain(self.symbols.iter().map(letter)).collect();
        let dense = self.is_dense().then(|| self.letters.get_or_init(all).as_slice());
        Letters { alphabet: self, dense: dense.unwrap_or_default() }
    }

    /// The classes of all symbols, ascending.
    pub fn classes(&self) -> impl Iterator<Item = Class> + '_ {
        self.symbols.iter().map(|&symbol| self.class_of(symbol))
    }
}

/// The letters of an alphabet, to look up many.
#[derive(Clone, Copy)]
pub(crate) struct Letters<'a> {
    alphabet: &'a Alphabet,
    /// By class; empty if classes are not positions.
    dense: &'a [Option<Symbol>],
}

impl Letters<'_> {
    /// The symbol of a class, if it is a letter.
    #[inline]
    pub(crate) fn of(self, class: Class) -> Option<Symbol> {
        if self.dense.is_empty() {
            return self.alphabet.symbol_of(class).filter(|symbol| symbol.is_letter());
        }
        self.dense.get(class as usize).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alphabet(text: &str) -> Alphabet {
        Alphabet::new(&text.chars().map(Symbol::of).collect())
    }

    #[test]
    fn classes_and_symbols_are_inverse() {
        let alphabet = alphabet("zebraé日\u{1f600}");
        assert_eq!(alphabet.len(), 8);
        for &symbol in alphabet.symbols() {
            let class = alphabet.class_of(symbol);
            assert!((1..=8).contains(&class));
            assert_eq!(alphabet.symbol_of(class), Some(symbol));
        }
        for stranger in ['q', 'ß', '語'] {
            assert_eq!(alphabet.class_of(Symbol::of(stranger)), UNKNOWN);
        }
        assert_eq!(alphabet.symbol_of(BOUNDARY), None);
        assert_eq!(alphabet.symbol_of(UNKNOWN), None);
    }

    #[test]
    fn letters_are_letters_of_any_script_and_size_of_alphabet() {
        let large: String = "aé日7-".chars().chain('\u{4e00}'..'\u{5100}').collect();
        for text in ["aé日7-", &large] {
            let alphabet = alphabet(text);
            let letter = |c: char| alphabet.letters().of(alphabet.class_of(Symbol::of(c)));
            for c in ['a', 'é', '日'] {
                assert_eq!(letter(c), Some(Symbol::of(c)), "{}", alphabet.is_dense());
            }
            assert!(['7', '-', 'q', 'ß'].into_iter().all(|c| letter(c).is_none()));
            assert_eq!(alphabet.letters().of(BOUNDARY), None);
        }
    }

    #[test]
    fn a_large_alphabet_is_numbered_by_value() {
        let symbols: BTreeSet<Symbol> =
            ('\u{4e00}'..'\u{5100}').chain("abc".chars()).map(Symbol::of).collect();
        let alphabet = Alphabet::new(&symbols);
        assert!(!alphabet.is_dense());
        assert_eq!(alphabet.class_of(Symbol::of('a')), 98);
        assert_eq!(alphabet.class_of(Symbol::of('d')), UNKNOWN);
        assert_eq!(alphabet.symbol_of(0x4e01), Some(Symbol::of('\u{4e00}')));
        assert_eq!(alphabet.symbol_of(0x4e00), None);
        assert_eq!(alphabet.classes().count(), symbols.len());
    }

    #[test]
    fn stored_values_must_ascend() {
        assert!(Alphabet::from_values([97, 98].into_iter()).is_some());
        assert!(Alphabet::from_values([98, 97].into_iter()).is_none());
        assert!(Alphabet::from_values([97, 97].into_iter()).is_none());
        assert!(Alphabet::from_values(std::iter::once(0xd800)).is_none());
    }
}
