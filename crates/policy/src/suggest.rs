//! Passphrases to suggest: words drawn at random from a list, all equally likely.
//!
//! The entropy is that of the draw, independent of the words: *k* words of a list of *n* have *k* log2 *n*
//! bits, even against an attacker who has the list (A. Reinhold, *The Diceware Passphrase Home Page*, 1995).
//! A passphrase that a policy rejects is drawn again, which takes off log2 of the share that it accepts: a
//! few thousandths of a bit where it rejects one in a thousand.

mod list;

use std::io;

use zeroize::Zeroizing;

pub use list::{ListProblem, WordList, WordListError};

use nearmiss_filters::random::RandomSource;

/// The separator of words: no word of the list contains it, so that each draw gives a different passphrase.
pub(crate) const SEPARATOR: char = '-';

/// The fraction of a bit in which entropy is counted: whole numbers, so that the module needs no mathematical
/// library.
const PARTS: usize = 1 << PART_BITS;
const PART_BITS: usize = 10;

/// The parameters of passphrases from a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// Words in each passphrase.
    pub words: usize,
    /// Entropy of each word, rounded down to 1/[`PARTS`] bit.
    parts_of_word: usize,
}

impl Recipe {
    /// The least number of words of this list with at least `bits` of entropy and, even if all are short, at
    /// least `min_length` characters.
    pub fn new(list: &WordList, bits: usize, min_length: usize) -> Recipe {
        let parts_of_word = log2_in_parts(list.len() as u64).max(1);
        let for_bits = bits.saturating_mul(PARTS).div_ceil(parts_of_word);
        let for_length = min_length.saturating_add(1).div_ceil(list.shortest().saturating_add(1));
        Recipe { words: for_bits.max(for_length).max(1), parts_of_word }
    }

    /// The entropy of the draw, in bits, rounded down by a few hundredths.
    pub fn bits(self) -> f64 {
        self.words.saturating_mul(self.parts_of_word) as f64 / PARTS as f64
    }

    /// Draws one, in a buffer that does not grow and is wiped.
    ///
    /// # Errors
    /// The system provides no random bytes.
    pub fn draw(self, list: &WordList, random: &mut impl RandomSource) -> io::Result<Zeroizing<String>> {
        let most = list.longest().saturating_add(1).saturating_mul(self.words);
        let mut passphrase = Zeroizing::new(String::with_capacity(most));
        for number in 0..self.words {
            if number > 0 {
                passphrase.push(SEPARATOR);
            }
            passphrase.push_str(list.draw(random)?);
        }
        Ok(passphrase)
    }
}

/// log2 of a number from 1, in [`PARTS`] and rounded down: each squaring of the number without its integer
/// part shows one more digit of the fraction.
fn log2_in_parts(number: u64) -> usize {
    let whole = number.max(1).ilog2();
    // From 1 to 2, as a multiple of 2⁻³¹.
    let mut mantissa = if whole <= 31 {
        number.max(1).wrapping_shl(31_u32.saturating_sub(whole))
    } else {
        number.wrapping_shr(whole.saturating_sub(31))
    };
    let mut parts = whole as usize;
    for _ in 0..PART_BITS {
        mantissa = mantissa.saturating_mul(mantissa).wrapping_shr(31);
        let digit = mantissa.wrapping_shr(32);
        mantissa = mantissa.wrapping_shr(u32::from(digit > 0));
        parts = parts.saturating_mul(2).saturating_add(usize::from(digit > 0));
    }
    parts
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use nearmiss_filters::ladder::SeededRandom;

    /// The list that the packages install.
    fn installed() -> WordList {
        WordList::parse(include_bytes!("../../../packaging/wordlists/suggest.lst").to_vec()).unwrap()
    }

    #[test]
    fn as_many_words_as_the_bits_and_the_length_need() {
        let list = installed();
        let recipe = |bits, min_length| Recipe::new(&list, bits, min_length).words;
        assert_eq!([recipe(50, 8), recipe(60, 8), recipe(72, 8), recipe(256, 8)], [5, 5, 6, 21]);
        assert_eq!([recipe(60, 24), recipe(60, 25), recipe(60, 512)], [5, 6, 103]);
        let bits = Recipe::new(&list, 60, 8).bits();
        assert!((61.0..61.1).contains(&bits), "{bits}");
    }

    #[test]
    fn a_logarithm_is_rounded_down() {
        let exact = [1, 2, 1024, 1 << 31, 1 << 32, 1 << 40, u64::MAX].map(log2_in_parts);
        assert_eq!(exact, [0, PARTS, 10 * PARTS, 31 * PARTS, 32 * PARTS, 40 * PARTS, 64 * PARTS - 1]);
        for number in (1..100_000).chain([4722, 999_999_999_999]) {
            let (parts, exact) = (log2_in_parts(number) as f64, (number as f64).log2() * PARTS as f64);
            assert!(parts <= exact + 1e-6 && parts > exact - 1.001, "{number}: {parts} {exact}");
        }
    }

    #[test]
    fn every_word_is_equally_likely_at_every_place() {
        let (list, mut random) = (installed(), SeededRandom::new(20));
        let recipe = Recipe::new(&list, 60, 8);
        let draws = 40_000_u32;
        let mut counts = vec![HashMap::<String, u32>::new(); recipe.words];
        for _ in 0..draws {
            let passphrase = recipe.draw(&list, &mut random).unwrap();
            assert!(passphrase.capacity() >= passphrase.len());
            for (words, word) in counts.iter_mut().zip(passphrase.split(SEPARATOR)) {
                *words.entry(word.to_owned()).or_default() += 1;
            }
        }
        let expected = f64::from(draws) / list.len() as f64;
        let freedom = (list.len() - 1) as f64;
        for words in counts {
            assert_eq!(words.values().sum::<u32>(), draws);
            let of_drawn: f64 =
                words.values().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum();
            let chi_square = of_drawn + (list.len() - words.len()) as f64 * expected;
            let deviations = (chi_square - freedom) / (2.0 * freedom).sqrt();
            assert!(deviations.abs() < 6.0, "{deviations}");
        }
    }
}
