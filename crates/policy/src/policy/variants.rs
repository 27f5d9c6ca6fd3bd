//! The disguises of a candidate that are looked up in addition to it: accents, digits and punctuation at the
//! ends or anywhere, reversal, leet, doubling, and their compositions (`3lephqnt`, `tnahpele42!`). Any
//! candidate has at most [`MAX_VARIANTS`]: the false rejection rate is stated for this number of lookups.

#![allow(clippy::arithmetic_side_effects, reason = "lengths of words of at most 256 characters")]

mod affixes;
mod leet;
mod transforms;

pub use transforms::Transforms;

use nearmiss_filters::word::{Word, spelt, without_accents};

use super::switches::VariantRules;

/// The highest number of lookups of one check: the candidate itself and its variants.
pub const MAX_VARIANTS: usize = 64;

/// The least length of a shortened variant that is looked up.
pub const MIN_LEFT_EXACT: usize = 4;

/// The least length of a shortened variant that is looked up at distance 1: short words are near to
/// everything.
pub const MIN_LEFT_NEAR: usize = 6;

/// The least length of a candidate whose doubly disguised variants are looked up at distance 1: one disguise
/// may be at an end.
const MIN_NEAR_TWICE: usize = 9;

/// The highest number of characters stripped from the ends of a variant that is also reversed or leet.
const MAX_DISGUISED_ENDS: usize = 6;

/// The number of variants at which undoing leet stops, to leave room for doubled words.
const MAX_BEFORE_HALVES: usize = 56;

/// A string to look up in place of a candidate.
#[derive(Clone)]
pub struct Variant {
    /// The string.
    pub word: Word,
    /// How it was made.
    pub transforms: Transforms,
}

impl Variant {
    /// True if the variant may be looked up at distance 1. With one edit, random characters become words if
    /// they are short and disguised in two ways, in nearly all cases if disguised in three, and if they are
    /// letters among other characters.
    pub(super) fn may_be_near(&self) -> bool {
        let least = match (self.transforms.disguises(), self.transforms.lose_characters()) {
            (0 | 1, _) => 0,
            (2, false) => MIN_NEAR_TWICE,
            (2, true) => MIN_NEAR_TWICE - 1,
            _ => return false,
        };
        !self.transforms.has(Transforms::LETTERS) && self.may_match(MIN_LEFT_NEAR) && self.word.len() >= least
    }

    /// True if the variant lost no characters or has at least `least` left.
    pub fn may_match(&self, least: usize) -> bool {
        !self.transforms.lose_characters() || self.word.len() >= least
    }
}

/// The candidate and its variants, all different, in the order of lookups: the candidate first.
pub fn of(word: Word, rules: VariantRules) -> Vec<Variant> {
    let mut set = Set(Vec::with_capacity(MAX_VARIANTS));
    set.0.push(Variant { word, transforms: Transforms::NONE });
    if rules.accents {
        set.expand(MAX_BEFORE_HALVES, Transforms::ACCENTS, |word| {
            [without_accents(word), spelt(word)].into_iter().flatten().collect()
        });
    }
    if rules.affixes {
        set.expand(MAX_BEFORE_HALVES, Transforms::AFFIXES, affixes::without_affixes);
    }
    if rules.reversed {
        set.expand(MAX_BEFORE_HALVES, Transforms::REVERSED, |word| reversed(word).into_iter().collect());
    }
    if rules.leet {
        set.expand(MAX_BEFORE_HALVES, Transforms::LEET, leet::undone);
    }
    set.drop_small_parts();
    if rules.affixes {
        set.add_letters();
    }
    if rules.doubled {
        set.expand(MAX_VARIANTS, Transforms::REPEATED, repeated);
    }
    set.0
}

struct Set(Vec<Variant>);

impl Set {
    /// Drops variants that lost more than [`MAX_DISGUISED_ENDS`] characters at the ends and were also
    /// reversed or read as leet: such parts of random passwords are words by chance.
    fn drop_small_parts(&mut self) {
        let least = self.0.first().map_or(0, |whole| whole.word.len().saturating_sub(MAX_DISGUISED_ENDS));
        self.0.retain(|variant| !variant.transforms.disguise_a_part() || variant.word.len() >= least);
    }

    /// Appends the letters of the candidate alone, unless it has nothing else: there is room, since doubled
    /// words come last.
    fn add_letters(&mut self) {
        let letters = self.0.first().and_then(|whole| affixes::letters_alone(&whole.word));
        if let Some(word) = letters.filter(|word| self.0.iter().all(|known| known.word != *word)) {
            self.0.push(Variant { word, transforms: Transforms::LETTERS });
        }
    }

    /// Appends the results of `transform` for each variant, until there are `most`.
    #[inline(never)] // once for all transforms: 5 KB
    fn expand(&mut self, most: usize, transform: Transforms, make: fn(&Word) -> Vec<Word>) {
        let old = self.0.len();
        for at in 0..old {
            let Some(variant) = self.0.get(at) else { break };
            let transforms = variant.transforms.and(transform);
            for word in make(&variant.word) {
                if self.0.len() < most && self.0.iter().all(|known| known.word != word) {
                    self.0.push(Variant { word, transforms });
                }
            }
        }
    }
}

fn reversed(word: &Word) -> Option<Word> {
    Word::from_symbols(word.symbols().rev()).ok()
}

/// One half of a doubled text, and the shortest part that the text repeats, which may be truncated at the
/// end.
fn repeated(word: &Word) -> Vec<Word> {
    let middle = word.len() / 2;
    let is_doubled = middle > 0 && word.slice(0..middle) == word.slice(middle..word.len());
    let half = is_doubled.then_some(middle);
    let parts = half.into_iter().chain(period(word).filter(|&length| Some(length) != half));
    parts.filter_map(|length| Word::from_encoded(word.slice(0..length)).ok()).collect()
}

/// The length of the shortest text that the word repeats; the last repetition may be truncated.
pub(super) fn period(word: &Word) -> Option<usize> {
    let length = word.len();
    (1..=length / 2).find(|&part| word.slice(0..length - part) == word.slice(part..length))
}

#[cfg(test)]
mod tests;
