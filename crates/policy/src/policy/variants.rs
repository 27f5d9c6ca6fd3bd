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
    fn of_a_doubled_word_the_half_is_left_although_a_shorter_part_repeats() {
        let parts = |text: &str| {
            let word = Word::clean(text.as_bytes()).unwrap_or_default();
            repeated(&word).iter().map(Word::to_text).collect::<Vec<_>>()
        };
        assert_eq!(parts("cancancancan"), ["cancan", "can"]);
        assert_eq!(parts("cancancan"), ["can"]);
        assert_eq!(parts("elephant"), Vec::<String>::new());
        assert_eq!((parts(""), parts("a")), (vec![], vec![]));
    }

    #[test]
    fn disguises_are_undone_and_composed() {
        for (text, word) in [
            ("élephant", "elephant"),
            ("Straße", "strasse"),
            ("Grüße42", "grusse"),
            ("Grüße42", "gruesse"),
            ("Bjørn", "bjorn"),
            ("Bjørn", "bjoern"),
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
            ("annelieannelieannelie", "annelie"),
            ("Passwordpasswordpass!", "password"),
            ("ababab", "ab"),
            ("147852123", "147852"),
            ("1231478520", "1478520"),
            ("!!147852!!", "147852"),
            ("ele42phant", "elephant"),
            ("1e-l-e-p-h-a-n-t", "elephant"),
            ("ele4phantele4phant", "elephant"),
        ] {
            assert!(has(text, word), "{text}: {:?}", texts(text, VariantRules::ALL));
        }
    }

    /// A part is not looked up in every disguise if it lost much at the ends.
    #[test]
    fn at_most_six_characters_are_taken_off_what_is_reversed_or_leet() {
        for (text, variant, is_made) in [
            ("123tnahpele456", "elephant", true),
            ("123tnahpele4567", "elephant", false),
            ("1234567tnahpele", "elephant", false),
            ("###x3l3ph4nt###", "xelephant", true),
            ("###x3l3ph4nt####", "xelephant", false),
            ("1234567elephant", "elephant", true),
            ("62c1812a8866103", "a2181c", false),
            ("3l3ph4nt3l3ph4nt!!", "elephant", true),
        ] {
            assert_eq!(has(text, variant), is_made, "{text}: {:?}", texts(text, VariantRules::ALL));
        }
    }

    #[test]
    fn letters_alone_are_six_at_least_and_the_whole_without_the_rest() {
        let has = |text: &str, rules| texts(text, rules).iter().any(|known| known == "planet");
        assert!(has("pla--net", VariantRules::ALL) && has("4p_l_a_n_e_t7", VariantRules::ALL));
        assert!(!has("pla--net", VariantRules { affixes: false, ..VariantRules::ALL }));
        assert!(!texts("pl-net", VariantRules::ALL).iter().any(|known| known == "plnet"));
        let word = Word::clean(b"pla--net").unwrap_or_default();
        let letters = of(word, VariantRules::ALL).into_iter().find(|variant| variant.word.len() == 6);
        assert!(letters.is_some_and(|letters| !letters.may_be_near() && letters.may_match(4)));
    }

    #[test]
    fn the_candidate_comes_first_and_alone_when_all_is_off() {
        assert_eq!(texts("Tnahpele42!", VariantRules::NONE), ["tnahpele42!"]);
        assert_eq!(texts("x", VariantRules::ALL), ["x"]);
        let rules = VariantRules { leet: false, affixes: false, ..VariantRules::ALL };
        assert_eq!(texts("42", rules), ["42", "24"]);
    }

    #[test]
    fn digits_lose_at_most_four_at_one_end() {
        let rules = VariantRules { affixes: true, ..VariantRules::NONE };
        assert_eq!(texts("12345", rules), ["12345", "1234", "2345", "123", "345", "12", "45", "1", "5"]);
        assert_eq!(texts("7!", rules), ["7!", "7"]);
        assert_eq!(texts("+-!", rules), ["+-!"]);
        assert_eq!(texts("123456-", rules).len(), 10);
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
    fn any_switch_changes_the_candidate() {
        let rules = |switch: usize| VariantRules {
            accents: switch == 0,
            leet: switch == 1,
            reversed: switch == 2,
            doubled: switch == 3,
            affixes: switch == 4,
        };
        assert_eq!(
            [0, 1, 2, 3, 4, 5].map(|switch| rules(switch).changes_any()),
            [true, true, true, true, true, false]
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

    /// Four leet readings of four strings, each a doubled word: more than there is room for.
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

        /// By definition: all letters are looked for, as they are, if there are six.
        #[test]
        fn letters_are_found_amid_other_characters(
            text in "[a-dé]{0,5}[0-9-]{1,3}[a-dé]{0,5}[!7][a-d]{0,3}",
        ) {
            let letters: String = text.chars().filter(|c| c.is_alphabetic()).collect();
            prop_assume!(letters.chars().count() >= 6);
            prop_assert!(texts(&text, VariantRules::ALL).contains(&letters), "{}", text);
        }

        /// By definition: a stripped part that is long enough is made in every disguise, another as it is.
        #[test]
        fn parts_are_disguised_if_they_are_long_enough(
            first in "[0-9!]{0,8}", part in "[a-df-h]{4,8}", last in "[0-9!]{0,8}",
        ) {
            let text = format!("{first}{part}{last}");
            let rules = VariantRules { leet: false, ..VariantRules::ALL };
            let backwards: String = part.chars().rev().collect();
            let made = texts(&text, rules);
            prop_assume!(backwards != part);
            prop_assert!(made.contains(&part));
            prop_assert_eq!(made.contains(&backwards), first.len() + last.len() <= 6, "{}", text);
        }
    }
}
