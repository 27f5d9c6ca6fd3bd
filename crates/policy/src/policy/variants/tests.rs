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
