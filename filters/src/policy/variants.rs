//! The disguises of a candidate that are looked up beside it: accents, digits and punctuation at the ends,
//! reversal, leet, doubling, and their compositions (`3lephqnt`, `tnahpele42!`). At most [`MAX_VARIANTS`] of
//! them, whatever the candidate: the false rejection rate is stated for that many lookups.

use unicode_normalization::char::{decompose_canonical, is_combining_mark};

use super::leet;
use crate::word::{Symbol, TooLong, Word};

/// The most lookups of one check: the candidate itself and its variants.
pub const MAX_VARIANTS: usize = 64;

/// Characters a variant that lost some must have left to be looked up at all.
pub const LEAST_LEFT_EXACT: usize = 4;

/// Characters a variant that lost some must have left to be looked up at distance 1: short words are near to
/// everything.
pub const LEAST_LEFT_NEAR: usize = 6;

/// Where undoing leet stops, so that doubled words still find room.
const MAX_BEFORE_HALVES: usize = 56;

/// Which variants are looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "independent switches of the configuration")]
pub struct VariantRules {
    /// Without accents.
    pub accents: bool,
    /// With digits and symbols that stand for letters undone.
    pub leet: bool,
    /// Backwards.
    pub reversed: bool,
    /// One half of a doubled word.
    pub doubled: bool,
    /// Without digits and punctuation at the ends.
    pub affixes: bool,
    /// Also words that have two neighbouring characters swapped.
    pub transpositions: bool,
}

impl Default for VariantRules {
    fn default() -> VariantRules {
        let transpositions = false;
        VariantRules {
            accents: true,
            leet: true,
            reversed: true,
            doubled: true,
            affixes: true,
            transpositions,
        }
    }
}

impl VariantRules {
    /// Every variant.
    pub const ALL: VariantRules = VariantRules {
        accents: true,
        leet: true,
        reversed: true,
        doubled: true,
        affixes: true,
        transpositions: true,
    };

    /// The candidate as it is, cleaned.
    pub const NONE: VariantRules = VariantRules {
        accents: false,
        leet: false,
        reversed: false,
        doubled: false,
        affixes: false,
        transpositions: false,
    };

    /// True when a variant that differs from the candidate is looked up.
    pub fn changes_any(&self) -> bool {
        VariantRules { transpositions: false, ..*self } != VariantRules::NONE
    }
}

/// What was done to a candidate to get a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transforms(u8);

impl Transforms {
    /// Nothing but cleaning.
    pub const NONE: Transforms = Transforms(0);
    /// Accents stripped.
    pub const ACCENTS: Transforms = Transforms(1);
    /// Digits and punctuation stripped at an end.
    pub const AFFIXES: Transforms = Transforms(2);
    /// Reversed.
    pub const REVERSED: Transforms = Transforms(4);
    /// Leet undone.
    pub const LEET: Transforms = Transforms(8);
    /// One half of a doubled word.
    pub const HALF: Transforms = Transforms(16);

    const NAMES: [(Transforms, &'static str); 5] = [
        (Transforms::ACCENTS, "accents stripped"),
        (Transforms::AFFIXES, "ends stripped"),
        (Transforms::REVERSED, "reversed"),
        (Transforms::LEET, "leet undone"),
        (Transforms::HALF, "half of a doubled word"),
    ];

    fn and(self, other: Transforms) -> Transforms {
        Transforms(self.0 | other.0)
    }

    /// The transforms in plain words, in the order they were done.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let is_part = move |one: Transforms| self.0 & one.0 != 0;
        Transforms::NAMES.into_iter().filter(move |&(one, _)| is_part(one)).map(|(_, name)| name)
    }
}

/// A string to look up for a candidate.
#[derive(Clone)]
pub struct Variant {
    /// The string.
    pub word: Word,
    /// How it was made.
    pub transforms: Transforms,
}

impl Variant {
    /// True when the variant lost no characters or has at least `least` left.
    pub fn may_match(&self, least: usize) -> bool {
        let lost = Transforms::AFFIXES.0 | Transforms::HALF.0;
        self.transforms.0 & lost == 0 || self.word.len() >= least
    }
}

/// The candidate and its variants, all different, in the order they are looked up: the candidate first.
pub fn of(word: Word, rules: VariantRules) -> Vec<Variant> {
    let mut set = Set(Vec::with_capacity(MAX_VARIANTS));
    set.0.push(Variant { word, transforms: Transforms::NONE });
    if rules.accents {
        set.expand(MAX_BEFORE_HALVES, Transforms::ACCENTS, |word| {
            without_accents(word).into_iter().collect()
        });
    }
    if rules.affixes {
        set.expand(MAX_BEFORE_HALVES, Transforms::AFFIXES, without_affixes);
    }
    if rules.reversed {
        set.expand(MAX_BEFORE_HALVES, Transforms::REVERSED, |word| reversed(word).into_iter().collect());
    }
    if rules.leet {
        set.expand(MAX_BEFORE_HALVES, Transforms::LEET, leet::undone);
    }
    if rules.doubled {
        set.expand(MAX_VARIANTS, Transforms::HALF, |word| half(word).into_iter().collect());
    }
    set.0
}

struct Set(Vec<Variant>);

impl Set {
    /// Appends what `transform` makes of each variant there is, until there are `most`.
    fn expand(&mut self, most: usize, transform: Transforms, make: impl Fn(&Word) -> Vec<Word>) {
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

/// Characters that look like a letter with something added but do not decompose into it.
const PLAIN_FORMS: [(char, &str); 10] = [
    ('ß', "ss"),
    ('æ', "ae"),
    ('œ', "oe"),
    ('ø', "o"),
    ('đ', "d"),
    ('ð', "d"),
    ('ł', "l"),
    ('ħ', "h"),
    ('þ', "th"),
    ('ı', "i"),
];

/// Without accents; `None` for a word that has no character beyond ASCII.
pub(super) fn without_accents(word: &Word) -> Option<Word> {
    if word.as_bytes().is_ascii() {
        return None;
    }
    let mut plain = Word::with_full_capacity();
    for symbol in word.symbols() {
        let Some(character) = symbol.character() else {
            plain.push(symbol).ok()?;
            continue;
        };
        let mut fits = Ok(());
        decompose_canonical(character, |part| fits = fits.and_then(|()| push_plain(&mut plain, part)));
        fits.ok()?;
    }
    Some(plain)
}

fn push_plain(plain: &mut Word, part: char) -> Result<(), TooLong> {
    if is_combining_mark(part) {
        return Ok(());
    }
    match PLAIN_FORMS.iter().find(|&&(accented, _)| accented == part) {
        Some((_, letters)) => letters.chars().try_for_each(|letter| plain.push(Symbol::of(letter))),
        None => plain.push(Symbol::of(part)),
    }
}

/// Digits of a year: what is most often appended, and most of what is stripped from a word that ends in leet.
const YEAR_DIGITS: usize = 4;

/// Without what is no letter at the end, at the beginning, and at both; and without punctuation and a year at
/// the end, since the end of a word in leet is no letter either (`fru$7r473$2026!`).
fn without_affixes(word: &Word) -> Vec<Word> {
    let is_letter = |symbol: Symbol| symbol.character().is_some_and(char::is_alphabetic);
    let letters = || word.symbols().map(is_letter);
    let Some(first) = letters().position(|letter| letter) else { return Vec::new() };
    let end = letters().rposition(|letter| letter).map_or(first, |last| last.saturating_add(1));
    [(0, end), (first, word.len()), (first, end), (0, without_year(word))]
        .into_iter()
        .filter_map(|(from, to)| Word::from_encoded(word.slice(from..to)).ok())
        .collect()
}

/// Where the word ends without punctuation and then at most [`YEAR_DIGITS`] digits.
fn without_year(word: &Word) -> usize {
    let characters = || word.symbols().rev().map(|symbol| symbol.character().unwrap_or('\0'));
    let punctuation = characters().take_while(|c| !c.is_alphanumeric()).count();
    let digits = characters().skip(punctuation).take(YEAR_DIGITS).take_while(char::is_ascii_digit).count();
    word.len().saturating_sub(punctuation.saturating_add(digits))
}

fn reversed(word: &Word) -> Option<Word> {
    Word::from_symbols(word.symbols().rev()).ok()
}

fn half(word: &Word) -> Option<Word> {
    let middle = word.len() / 2;
    let (first, second) = (word.slice(0..middle), word.slice(middle..word.len()));
    (middle > 0 && first == second).then(|| Word::from_encoded(first).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(text: &str, rules: VariantRules) -> Vec<String> {
        let word = Word::clean(text.as_bytes()).unwrap_or_default();
        of(word, rules).iter().map(|variant| variant.word.to_text()).collect()
    }

    fn has(text: &str, variant: &str) -> bool {
        texts(text, VariantRules::ALL).iter().any(|known| known == variant)
    }

    #[test]
    fn disguises_are_undone_and_composed() {
        for (text, word) in [
            ("élephant", "elephant"),
            ("Straße", "strasse"),
            ("elephant2026!", "elephant"),
            ("42elephant", "elephant"),
            ("tnahpele", "elephant"),
            ("tnahpele42!", "elephant"),
            ("3l3ph4nt", "elephant"),
            ("3lephqnt", "elephqnt"),
            ("P4ssw0rd2026!", "password"),
            ("passwordpassword", "password"),
            ("P4ssw0rdp4ssw0rd!!", "password"),
            ("$3cur1ty12", "security"),
            ("1nte11igent", "intelligent"),
            ("fru$7r473$2026!", "frustrates"),
            ("v1714732026!", "vitiate"),
        ] {
            assert!(has(text, word), "{text}: {:?}", texts(text, VariantRules::ALL));
        }
    }

    #[test]
    fn the_candidate_comes_first_and_alone_when_all_is_off() {
        assert_eq!(texts("Tnahpele42!", VariantRules::NONE), ["tnahpele42!"]);
        assert_eq!(texts("x", VariantRules::ALL), ["x"]);
        assert_eq!(texts("42", VariantRules { leet: false, ..VariantRules::ALL }), ["42", "24"]);
    }

    #[test]
    fn a_variant_that_lost_characters_must_have_some_left() {
        let word = Word::clean(b"abc1234567").unwrap_or_default();
        let stripped = of(word, VariantRules::ALL).into_iter().find(|variant| variant.word.len() == 3);
        assert!(stripped.is_some_and(|variant| !variant.may_match(4) && variant.may_match(3)));
        let short = of(Word::clean("né0".as_bytes()).unwrap_or_default(), VariantRules::ALL);
        let lost = |variant: &Variant| variant.word.len() < 3;
        assert!(short.len() > 3 && short.iter().all(|variant| variant.may_match(4) != lost(variant)));
    }

    #[test]
    fn any_switch_changes_the_candidate_but_that_of_swaps() {
        let rules = |switch: usize| VariantRules {
            accents: switch == 0,
            leet: switch == 1,
            reversed: switch == 2,
            doubled: switch == 3,
            affixes: switch == 4,
            transpositions: switch == 5,
        };
        assert_eq!(
            [0, 1, 2, 3, 4, 5, 6].map(|switch| rules(switch).changes_any()),
            [true, true, true, true, true, false, false]
        );
    }

    #[test]
    fn transforms_add_up_and_are_named_in_their_order() {
        let both = Transforms::LEET.and(Transforms::ACCENTS);
        assert_eq!(both.names().collect::<Vec<_>>(), ["accents stripped", "leet undone"]);
        assert_eq!(both.and(Transforms::LEET), both);
        assert_eq!(Transforms::NONE.names().count(), 0);
        let variants = of(Word::clean("él3phant".as_bytes()).unwrap_or_default(), VariantRules::ALL);
        let plain = variants.iter().find(|variant| variant.word.to_text() == "elephant");
        assert_eq!(plain.map(|variant| variant.transforms), Some(both));
    }

    /// Four readings in leet of four strings, each a doubled word: more than there is room for.
    #[test]
    fn doubled_words_find_room_where_leet_takes_all_it_may() {
        let text = "é1!xé1!x";
        let count = |doubled| texts(text, VariantRules { doubled, ..VariantRules::ALL }).len();
        assert_eq!((count(false), count(true)), (MAX_BEFORE_HALVES, MAX_VARIANTS));
    }

    proptest! {
        #[test]
        fn bounded_distinct_and_candidate_first(text in "[a-z0-9!$@|é ]{0,40}") {
            let variants = texts(&text, VariantRules::ALL);
            prop_assert!(variants.len() <= MAX_VARIANTS);
            prop_assert_eq!(&variants[0], &text);
            let mut distinct = variants.clone();
            distinct.sort();
            distinct.dedup();
            prop_assert_eq!(distinct.len(), variants.len());
        }
    }
}
