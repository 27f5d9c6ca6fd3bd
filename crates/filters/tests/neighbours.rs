//! Every scheme and dial setting against a naive Levenshtein oracle: a hit iff some word is within distance
//! 1, and a named neighbour is a word of the dictionary at the distance its edit says.

use crate::common::{distance, filter, is_swap, settings, word};
use nearmiss_filters::{
    dictionary::{Buffers, DictionaryFilter, Edit},
    format::SchemeId,
    word::Word,
};
use proptest::prelude::*;

/// Characters that make neighbours likely: few of them, of all encoded lengths, and bytes that are not UTF-8.
fn text(longest: usize) -> impl Strategy<Value = Vec<u8>> {
    let symbol = prop_oneof![
        8 => prop::sample::select(vec![&b"a"[..], b"b", b"c"]),
        2 => prop::sample::select(vec!["é".as_bytes(), "日".as_bytes(), "\u{1f600}".as_bytes()]),
        1 => prop::sample::select(vec![&b"\xff"[..], b"\xc3", b"\x80"]),
    ];
    prop::collection::vec(symbol, 0..=longest).prop_map(|symbols| symbols.concat())
}

fn list(words: &[Vec<u8>]) -> Vec<u8> {
    words.join(&b'\n')
}

fn nearest(filter: &DictionaryFilter<Vec<u8>>, query: &Word, swaps: bool) -> Option<(Edit, Option<Word>)> {
    filter.nearest(query, swaps, &mut Buffers::default()).unwrap().map(|found| (found.edit, found.word))
}

fn all_found(filter: &DictionaryFilter<Vec<u8>>, query: &Word) -> Vec<Word> {
    let mut words = Vec::new();
    filter
        .visit(query, false, &mut Buffers::default(), &mut |found| {
            words.extend(found.word);
            false
        })
        .unwrap();
    words
}

fn agrees(scheme: SchemeId, deletion_bits: u8, words: &[Vec<u8>], query: &[u8]) -> Result<(), TestCaseError> {
    let dictionary: Vec<Word> = words.iter().map(word).filter(|word| !word.is_empty()).collect();
    prop_assume!(!dictionary.is_empty());
    let filter = filter(&settings(scheme, deletion_bits), &list(words));
    let query = word(query);
    let expected = dictionary.iter().any(|word| distance(word, &query) <= 1);
    let got = nearest(&filter, &query, false);
    prop_assert_eq!(got.is_some(), expected);
    prop_assert_eq!(filter.contains(&query, &mut Buffers::default()).unwrap(), dictionary.contains(&query));
    if let Some((edit, Some(named))) = got {
        prop_assert!(dictionary.contains(&named));
        prop_assert_eq!(distance(&named, &query), usize::from(edit != Edit::None));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn deletions_0(words in prop::collection::vec(text(6), 1..12), query in text(7)) {
        agrees(SchemeId::Deletions, 0, &words, &query)?;
    }

    #[test]
    fn deletions_2(words in prop::collection::vec(text(6), 1..12), query in text(7)) {
        agrees(SchemeId::Deletions, 2, &words, &query)?;
    }

    #[test]
    fn deletions_4(words in prop::collection::vec(text(6), 1..12), query in text(7)) {
        agrees(SchemeId::Deletions, 4, &words, &query)?;
    }

    #[test]
    fn deletions_6(words in prop::collection::vec(text(6), 1..12), query in text(7)) {
        agrees(SchemeId::Deletions, 6, &words, &query)?;
    }

    #[test]
    fn deletions_8(words in prop::collection::vec(text(6), 1..12), query in text(7)) {
        agrees(SchemeId::Deletions, 8, &words, &query)?;
    }

    /// The paper's scheme tells whether there is a neighbour; that a query is a word it concludes from the
    /// whole extension being there, which several neighbours together may fake: only nearness is compared.
    #[test]
    fn paper(words in prop::collection::vec(text(6), 1..12), query in text(7)) {
        let dictionary: Vec<Word> = words.iter().map(word).filter(|word| !word.is_empty()).collect();
        prop_assume!(!dictionary.is_empty());
        let filter = filter(&settings(SchemeId::Paper, 0), &list(&words));
        let query = word(query);
        let expected = dictionary.iter().any(|word| distance(word, &query) <= 1);
        prop_assert_eq!(nearest(&filter, &query, false).is_some(), expected);
        if dictionary.contains(&query) {
            prop_assert!(filter.contains(&query, &mut Buffers::default()).unwrap());
        }
    }

    #[test]
    fn transpositions(bits in prop::sample::select(vec![0_u8, 4, 8]),
                      words in prop::collection::vec(text(6), 1..12), query in text(7)) {
        let dictionary: Vec<Word> = words.iter().map(word).filter(|word| !word.is_empty()).collect();
        prop_assume!(!dictionary.is_empty());
        let filter = filter(&settings(SchemeId::Deletions, bits), &list(&words));
        let query = word(query);
        let expected = dictionary.iter().any(|word| distance(word, &query) <= 1 || is_swap(word, &query));
        prop_assert_eq!(nearest(&filter, &query, true).is_some(), expected);
    }

    #[test]
    fn visit_names_every_neighbour_once(words in prop::collection::vec(text(5), 1..12), query in text(6)) {
        let mut dictionary: Vec<Word> = words.iter().map(word).filter(|word| !word.is_empty()).collect();
        prop_assume!(!dictionary.is_empty());
        let filter = filter(&settings(SchemeId::Deletions, 8), &list(&words));
        let query = word(query);
        let mut found: Vec<String> = all_found(&filter, &query).iter().map(hex).collect();
        dictionary.retain(|word| distance(word, &query) <= 1);
        let mut expected: Vec<String> = dictionary.iter().map(hex).collect();
        expected.sort();
        expected.dedup();
        found.sort();
        prop_assert_eq!(found, expected);
    }
}

fn hex(word: &Word) -> String {
    word.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_large_alphabet_with_a_hashed_table_loses_no_neighbour() {
    let characters: Vec<char> = ('\u{4e00}'..'\u{5200}').collect();
    let words: Vec<String> = characters.windows(3).step_by(2).map(|window| window.iter().collect()).collect();
    for bits in [0, 8] {
        let filter = filter(&settings(SchemeId::Deletions, bits), words.join("\n").as_bytes());
        assert!(!filter.header().alphabet.is_dense());
        for text in words.iter().step_by(40) {
            let mut symbols: Vec<char> = text.chars().collect();
            symbols.insert(1, '\u{5000}');
            for query in [text.clone(), symbols.iter().collect(), text.chars().skip(1).collect()] {
                assert!(nearest(&filter, &word(&query), false).is_some(), "{query}");
            }
        }
        assert!(nearest(&filter, &word("latin"), false).is_none());
    }
}

#[test]
fn distance_2_is_not_near() {
    for (scheme, bits) in [(SchemeId::Deletions, 8), (SchemeId::Deletions, 0), (SchemeId::Paper, 0)] {
        let filter = filter(&settings(scheme, bits), b"elephant\n");
        assert!(nearest(&filter, &word("elzhant"), false).is_none());
        assert!(nearest(&filter, &word("elephnt"), false).is_some());
    }
}
