//! Written dictionaries against the lists of their words.

use nearmiss_lists::hunspell::{Affixes, is_count_line, looks_like_affixes, looks_like_dictionary};
use std::collections::BTreeSet;
use std::path::Path;

fn read(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)).unwrap()
}

fn check(name: &str) {
    let (aff, dic) = (read(&format!("{name}.aff")), read(&format!("{name}.dic")));
    assert!(looks_like_affixes(&aff) && !looks_like_affixes(&dic));
    assert!(looks_like_dictionary(&dic) && !looks_like_dictionary(&aff));
    let affixes = Affixes::parse(&aff).unwrap();
    assert_eq!((affixes.skipped(), affixes.limited()), (0, false));
    let (text, malformed) = affixes.charset().decode_without_bom_handling(&dic);
    assert!(!malformed);
    let (first, entries) = text.split_once('\n').unwrap();
    assert!(is_count_line(first));
    let mut words = BTreeSet::new();
    for entry in entries.lines() {
        let expansion = affixes.expand(entry, &mut |word| {
            words.insert(word.to_owned());
        });
        assert!(!expansion.limited);
    }
    let wanted = String::from_utf8(read(&format!("{name}.words"))).unwrap();
    assert_eq!(words.iter().map(String::as_str).collect::<Vec<_>>(), wanted.lines().collect::<Vec<_>>());
}

#[test]
fn the_garden_has_these_words() {
    check("garden");
}

#[test]
fn the_pairs_have_these_words() {
    check("pair");
}
