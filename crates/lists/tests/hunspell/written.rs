//! Single features of the format.

use super::{affixes, set, words};
use nearmiss_lists::hunspell::{AffixError, Affixes, Expansion, stem};

#[test]
fn a_form_has_up_to_two_suffixes_and_a_prefix() {
    let affixes = affixes(
        "SFX A Y 1\nSFX A 0 able/B .\nSFX B Y 1\nSFX B able abilities/A able\nPFX U Y 1\nPFX U 0 un .\n",
    );
    assert_eq!(
        words(&affixes, "drink/AU"),
        set(["drink", "undrink", "drinkable", "undrinkable", "drinkabilities", "undrinkabilities"])
    );
}

#[test]
fn two_prefixes_need_complex_prefixes() {
    let rules = "PFX A Y 1\nPFX A 0 re/B .\nPFX B Y 1\nPFX B 0 un .\nSFX S Y 1\nSFX S 0 s .\n";
    assert_eq!(words(&affixes(rules), "do/A"), set(["do", "redo"]));
    let complex = affixes(&format!("COMPLEXPREFIXES\n{rules}"));
    assert_eq!(words(&complex, "do/AS"), set(["do", "redo", "unredo", "dos", "redos", "unredos"]));
}

#[test]
fn an_affix_without_cross_product_is_alone() {
    let affixes = affixes("PFX U Y 1\nPFX U 0 un .\nSFX S N 1\nSFX S 0 s .\n");
    assert_eq!(words(&affixes, "lock/US"), set(["lock", "unlock", "locks"]));
}

/// A second suffix allows no half of a pair whose other half is the first.
#[test]
fn halves_of_a_pair_are_allowed_by_the_stem_or_each_other() {
    let pair = "CIRCUMFIX C\nPFX P Y 1\nPFX P 0 ge/C .\nSFX B Y 1\nSFX B 0 e/P .\nSFX A Y 1\n";
    let by_second = affixes(&format!("{pair}SFX A 0 t/BC .\n"));
    assert_eq!(words(&by_second, "hol/A"), set(["hol"]));
    assert_eq!(words(&by_second, "hol/AP"), set(["hol", "geholt"]));
    let by_first = affixes(&format!("{pair}SFX A 0 t/BCP .\n").replace("e/P", "e"));
    assert_eq!(words(&by_first, "hol/A"), set(["hol", "geholt", "geholte"]));
}

#[test]
fn one_flag_can_be_of_prefixes_and_of_suffixes() {
    let affixes = affixes("PFX A Y 1\nPFX A 0 un .\nSFX A Y 1\nSFX A 0 s .\n");
    assert_eq!(words(&affixes, "lock/A"), set(["lock", "unlock", "locks", "unlocks"]));
}

#[test]
fn flags_of_a_file_in_utf_8_are_bytes_unless_it_says_otherwise() {
    let rules = "SFX é Y 1\nSFX é 0 s .\n";
    // The flags é and è begin with the same byte.
    assert_eq!(words(&affixes(&format!("SET UTF-8\n{rules}")), "lock/è"), set(["lock", "locks"]));
    assert_eq!(words(&affixes(&format!("SET UTF-8\nFLAG UTF-8\n{rules}")), "lock/è"), set(["lock"]));
}

#[test]
fn ignored_characters_are_in_no_word() {
    let affixes = affixes("SET UTF-8\nIGNORE ́·\nSFX A Y 1\nSFX A 0 s· .\n");
    assert_eq!(words(&affixes, "co·l·l/A"), set(["coll", "colls"]));
}

#[test]
fn settings_can_follow_the_rules() {
    let affixes =
        affixes("SFX 300 Y 1\nSFX 300 0 s/2 .\nSFX 7 N 1\nSFX 7 0 x .\nAF 2\nAF 300\nAF 7\nFLAG num\n");
    assert_eq!(words(&affixes, "lock/1"), set(["lock", "locks", "locksx"]));
    assert_eq!(words(&affixes, "lock/3"), set(["lock"]));
}

#[test]
fn broken_rules_are_skipped_and_counted() {
    for (aff, skipped) in [
        ("SFX A Y 1\nSFX A 0 s .\n", 0),
        ("SFX A Y 2\nSFX A 0 s .\n", 1),
        ("SFX A Y 2\nSFX A 0 s .\nSFX B Y 1\nSFX B 0 t .\n", 1),
        ("SFX A Y 1\nSFX A 0 s .\nSFX A 0 t .\n", 1),
        ("SFX A Y 2\nSFX A 0 s .\nSFX A 0\n", 1),
        ("SFX A Y 2\nSFX A 0 s .\nSFX A 0 t [a\n", 1),
        ("SFX A Y 2\nSFX A 0 s .\nPFX A 0 t .\n", 2),
        ("SFX\nSFX A\nSFX A X 1\nSFX A Y 1\nSFX A 0 s\n", 3),
        ("SFX A Y many\nSFX A 0 t .\nSFX A Y 1\n# remark\n\nSFX A 0 s . # remark\n", 2),
    ] {
        let affixes = Affixes::parse(aff.as_bytes()).unwrap();
        assert_eq!(affixes.skipped(), skipped, "{aff}");
        assert_eq!(words(&affixes, "lock/A"), set(["lock", "locks"]), "{aff}");
    }
}

#[test]
fn what_is_no_affix_file_is_refused() {
    assert_eq!(Affixes::parse(b"").unwrap_err(), AffixError::NotAffixes);
    assert_eq!(Affixes::parse(b"password\n123456\n").unwrap_err(), AffixError::NotAffixes);
    assert_eq!(Affixes::parse(b"SET UTF-8\n\0").unwrap_err(), AffixError::Binary);
    let unknown = Affixes::parse(b"SET ISCII-DEVANAGARI\n").unwrap_err();
    assert_eq!(unknown, AffixError::Charset("ISCII-DEVANAGARI".into()));
    assert!(unknown.to_string().contains("ISCII-DEVANAGARI"));
}

#[test]
fn the_charset_is_that_of_set() {
    assert_eq!(Affixes::parse(b"TRY abc\n").unwrap().charset().name(), "windows-1252");
    assert_eq!(Affixes::parse(b"\xEF\xBB\xBFSET KOI8-U\r\n").unwrap().charset().name(), "KOI8-U");
    let cyrillic = Affixes::parse(b"SET microsoft-cp1251\nSFX \xC0 Y 1\nSFX \xC0 0 \xE8 \xE0\n").unwrap();
    assert_eq!(words(&cyrillic, "та/А"), set(["та", "таи"]));
}

#[test]
fn nothing_is_given_of_a_line_without_a_word() {
    let affixes = affixes("SFX A Y 1\nSFX A 0 s .\n");
    for line in ["", "  ", "# remark/A", "\tpo:noun", "\r"] {
        assert_eq!(affixes.expand(line, &mut |word| panic!("{word}")), Expansion::default(), "{line:?}");
    }
    assert_eq!(stem("km\\/h/A"), "km/h");
}

/// A limit leaves the words with the fewest affixes.
#[test]
fn words_with_fewer_affixes_come_first() {
    let mut affixes =
        affixes("SFX A Y 1\nSFX A 0 1/B .\nSFX B Y 1\nSFX B 0 2 .\nPFX P Y 2\nPFX P 0 p .\nPFX P 0 q .\n");
    let mut all = Vec::new();
    affixes.expand("x/AP", &mut |word| all.push(word.to_owned()));
    assert_eq!(all, ["x", "px", "qx", "x1", "px1", "qx1", "x12", "px12", "qx12"]);
    affixes.set_max_forms(4);
    let mut some = Vec::new();
    let expansion = affixes.expand("x/AP", &mut |word| some.push(word.to_owned()));
    assert_eq!(expansion, Expansion { forms: 4, limited: true });
    assert_eq!(some, all[..4]);
    affixes.set_max_forms(9);
    assert_eq!(affixes.expand("x/AP", &mut |_| ()), Expansion { forms: 9, limited: false });
}

/// Files in UTF-8 have flags of one byte that are not UTF-8: each byte is another flag.
#[test]
fn flags_can_be_bytes_that_are_no_text() {
    let aff =
        b"SET UTF-8\nAF 2\nAF \xCB\nAF \xAF\nSFX \xCB Y 1\nSFX \xCB 0 s .\nSFX \xAF Y 1\nSFX \xAF 0 t .\n";
    let aliases = Affixes::parse(aff).unwrap();
    assert_eq!(words(&aliases, "lock/1"), set(["lock", "locks"]));
    assert_eq!(words(&aliases, "lock/2"), set(["lock", "lockt"]));
    let plain = Affixes::parse(b"SET UTF-8\nSFX \xCB Y 1\nSFX \xCB 0 s .\nSFX \xAF Y 1\nSFX \xAF 0 \xAF .\n")
        .unwrap();
    assert_eq!(plain.skipped(), 1, "no word has such bytes");
    assert_eq!(words(&plain, &plain.decode("é/".as_bytes())), set(["é"]));
    assert_eq!(words(&plain, &plain.decode(b"lock/\xCB")), set(["lock", "locks"]));
    assert_eq!(words(&plain, &plain.decode(b"lo\xCBck/\xCB")), set([]), "a broken word");
    assert_eq!(affixes("SET ISO8859-2\n").decode(b"h\xE1z"), "ház");
}
