//! Which letters may stand at an open place of a string, by the pairs and 4-grams that they make there.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "places in a short string; a number that is not zero less 1"
)]

use super::strings::{Bits, Numbers, ones};
use crate::{
    alphabet::{BOUNDARY, Class, UNKNOWN},
    digrams::Fit,
    format::Header,
    four_grams::{END, FourGrams, OpenFourGram, number_of_letter},
    word::Symbol,
};

/// Letters that there is room for at first: more than fit most places.
const SOME: usize = 64;

/// The letters for a place, each with the 4-grams over the place that some long word has then.
pub(super) type Fillers = Vec<(u32, Bits)>;

/// The letters with which some long word has each of the 4-grams `need`.
pub(super) fn letters_with(fillers: &Fillers, need: Bits) -> impl Iterator<Item = u32> + Clone {
    fillers.iter().filter(move |(_, seen)| need & !seen == 0).map(|&(letter, _)| letter)
}

/// What may stand at the place `at` but for the letter `except`. The pairs that have to be seen are what the
/// other of two edits leaves.
pub(super) fn fillers(
    header: &Header,
    four_grams: FourGrams<'_>,
    (numbers, at): (&Numbers, usize),
    fit: Fit,
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
