//! The letters that fit at an open position of a string, by the pairs and 4-grams that they form there.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "places in a short string; a number that is not zero less 1"
)]

use super::strings::{Bits, ClassNumbers, ones};
use crate::{
    alphabet::{BOUNDARY, Class, UNKNOWN},
    digrams::PairFit,
    format::Header,
    four_grams::{END, FourGrams, OpenFourGram, number_of_letter},
    word::Symbol,
};

/// The initial capacity for letters: more than fit at most positions.
const SOME: usize = 64;

/// The letters for a position, each with the 4-grams over the position that then occur in a long word.
pub(super) type Fillers = Vec<(u32, Bits)>;

/// The letters with which each of the 4-grams `need` occurs in a long word.
pub(super) fn letters_with(fillers: &Fillers, need: Bits) -> impl Iterator<Item = u32> + Clone {
    fillers.iter().filter(move |(_, seen)| need & !seen == 0).map(|&(letter, _)| letter)
}

/// The letters that fit at position `at`, except the letter `except`. `fit` names the pairs that the other
/// edit leaves unchanged, which must occur.
pub(super) fn fillers(
    header: &Header,
    four_grams: FourGrams<'_>,
    (numbers, at): (&ClassNumbers, usize),
    fit: PairFit,
    except: u32,
) -> Fillers {
    let mut fillers = Vec::with_capacity(SOME);
    let (before, behind) = numbers.neighbours(at);
    let pair = (class_of(header, before), class_of(header, behind));
    header.digrams.each_fitting(pair, fit, &header.alphabet, |class| {
        let letter = header.alphabet.letter_of(class).map(number_of_letter);
        fillers.extend(letter.filter(|&letter| letter != except).map(|letter| (letter, 0)));
    });
    for start in ones(numbers.over(at)) {
        let Some(gram) = OpenFourGram::new(numbers.gram(start), at + 1 - start) else { continue };
        for (letter, seen) in &mut fillers {
            *seen |= Bits::from(four_grams.may_have_with(gram, *letter)) << start;
        }
    }
    fillers
}

/// The class of a number: the boundary for the end of a word.
fn class_of(header: &Header, number: u32) -> Class {
    if number == END {
        return BOUNDARY;
    }
    Symbol::from_value(number - 1).map_or(UNKNOWN, |symbol| header.alphabet.class_of(symbol))
}
