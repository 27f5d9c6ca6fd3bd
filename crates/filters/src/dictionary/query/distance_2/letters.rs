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
    four_grams::{END, FourGrams, GRAM, OpenFourGram, number_of_letter},
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
///
/// If there is no other edit, all 4-grams over the position must occur. Another edit is at another position,
/// before or behind, so that it touches at most three of the four 4-grams and never both the first and the
/// last: letters with which neither occurs are left out, before the others are tested.
pub(super) fn fillers(
    header: &Header,
    four_grams: FourGrams<'_>,
    (numbers, at): (&ClassNumbers, usize),
    fit: PairFit,
    except: u32,
) -> Fillers {
    let mut fillers = fitting(header, (numbers, at), fit, except);
    let over = numbers.over(at);
    let ends = if over.count_ones() as usize == GRAM { over & !(over << 1 & over >> 1) } else { 0 };
    for (number, start) in ones(ends).chain(ones(over & !ends)).enumerate() {
        if let Some(gram) = OpenFourGram::new(numbers.gram(start), at + 1 - start) {
            for (letter, seen) in &mut fillers {
                *seen |= Bits::from(four_grams.may_have_with(gram, *letter)) << start;
            }
        }
        // The 4-grams of which one must occur.
        let needed = match fit {
            PairFit::Both => 1 << start,
            _ if number == 1 => ends,
            _ => 0,
        };
        if needed != 0 {
            fillers.retain(|&(_, seen)| seen & needed != 0);
        }
    }
    fillers
}

/// The letters of which the pairs with the neighbours of `at` occur as `fit` demands.
fn fitting(header: &Header, (numbers, at): (&ClassNumbers, usize), fit: PairFit, except: u32) -> Fillers {
    let mut fillers = Vec::with_capacity(SOME);
    let (before, behind) = numbers.neighbours(at);
    let pair = (class_of(header, before), class_of(header, behind));
    let letters = header.alphabet.letters();
    header.digrams.each_fitting(pair, fit, &header.alphabet, |class| {
        if let Some(letter) = letters.of(class).map(number_of_letter) {
            if letter != except {
                fillers.push((letter, 0));
            }
        }
    });
    fillers
}

/// The class of a number: the boundary for the end of a word.
fn class_of(header: &Header, number: u32) -> Class {
    if number == END {
        return BOUNDARY;
    }
    Symbol::from_value(number - 1).map_or(UNKNOWN, |symbol| header.alphabet.class_of(symbol))
}
