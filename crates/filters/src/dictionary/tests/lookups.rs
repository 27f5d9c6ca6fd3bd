//! Lookups against a naive search of everything within distance 1: each word is found once and with its edit,
//! from pages that were not read before and from pages that were, for several numbers of deletion bits.

use std::collections::BTreeSet;

use super::{
    super::{Buffers, DictionaryFilter, Edit, Found},
    Filter, WORDS, all_strings, built, bytes_of, filter_of, spec, word,
};
use crate::{
    chunks::chunks_mut,
    dictionary::Spec,
    format::{SchemeId, StatedRate},
    page::{self, PAGE_BYTES},
};

/// Every word found, in the order of the findings, as text.
fn found(filter: &Filter, query: &str, swaps: bool, lookup: &mut Buffers) -> Vec<(Edit, String)> {
    let mut all = Vec::new();
    let mut sink = |found: Found| {
        all.push((found.edit, found.word.map_or_else(String::new, |word| word.to_text())));
        false
    };
    filter.visit(&word(query), swaps, lookup, &mut sink).unwrap();
    all
}

fn texts(found: &[(Edit, String)]) -> BTreeSet<String> {
    found.iter().map(|(_, text)| text.clone()).collect()
}

/// True when the edit turns the candidate into the word.
fn is_made_by(edit: Edit, query: &str, text: &str) -> bool {
    let (query, text): (Vec<char>, Vec<char>) = (query.chars().collect(), text.chars().collect());
    let mut made = query.clone();
    match edit {
        Edit::None => {}
        Edit::Remove { at } => {
            made.remove(at);
        }
        Edit::Replace { at } => made[at] = text[at],
        Edit::Insert { at } => made.insert(at, text[at]),
        Edit::Swap { at } => made[at..].swap(0, 1),
        Edit::Unknown => return false,
    }
    made == text && (edit == Edit::None || query != text)
}

/// All strings one edit from `query`, over `symbols`, and itself.
fn neighbourhood(query: &str, symbols: &[char], swaps: bool) -> BTreeSet<String> {
    let query: Vec<char> = query.chars().collect();
    let mut all = BTreeSet::from([query.clone()]);
    for at in 0..=query.len() {
        let mut edited = |edit: &dyn Fn(&mut Vec<char>)| {
            let mut string = query.clone();
            edit(&mut string);
            all.insert(string);
        };
        for &symbol in symbols {
            edited(&|string| string.insert(at, symbol));
        }
        if at < query.len() {
            edited(&|string| {
                string.remove(at);
            });
            for &symbol in symbols {
                edited(&|string| string[at] = symbol);
            }
        }
        if swaps && query[at..].len() > 1 {
            edited(&|string| string[at..].swap(0, 1));
        }
    }
    all.into_iter().map(|string| string.into_iter().collect()).collect()
}

/// Every candidate over three symbols: the words found are those in its neighbourhood, each once, with the
/// right edit.
fn compare_all(symbols: [char; 3], words: &[&str], deletion_bits: u8, capacity: u64) {
    let list: BTreeSet<String> = words.iter().map(|&text| text.to_owned()).collect();
    let (filter, mut lookup) =
        (filter_of(words, SchemeId::Deletions, deletion_bits, capacity), Buffers::default());
    // The first time pages are read on demand, the second time all are ready.
    for query in all_strings(&symbols, 4).iter().chain(&all_strings(&symbols, 4)) {
        for swaps in [false, true] {
            let got = found(&filter, query, swaps, &mut lookup);
            let near: BTreeSet<String> =
                neighbourhood(query, &symbols, swaps).intersection(&list).cloned().collect();
            assert_eq!((texts(&got), got.len()), (near.clone(), near.len()), "{query} {swaps} {got:?}");
            assert!(got.iter().all(|(edit, text)| is_made_by(*edit, query, text)), "{query} {got:?}");
            if list.contains(query) {
                assert_eq!(got[0], (Edit::None, query.clone()), "itself first");
            }
            let nearest = filter.nearest(&word(query), swaps, &mut lookup).unwrap();
            assert_eq!(nearest.map(|found| found.edit), got.first().map(|(edit, _)| *edit), "{query}");
        }
        let is_member = filter.contains(&word(query), &mut lookup).unwrap();
        assert_eq!(is_member, list.contains(query), "{query}");
    }
}

#[test]
fn all_neighbours_are_found_and_named() {
    for deletion_bits in [0, 4, 8] {
        compare_all(['a', 'b', 'c'], &WORDS, deletion_bits, 9);
        compare_all(['a', 'b', 'c'], &WORDS, deletion_bits, 20_000);
    }
}

/// Characters of two and three bytes, so that a position is not a byte.
#[test]
fn all_neighbours_are_found_where_characters_are_long() {
    let words = WORDS.map(|text| text.replace('b', "é").replace('c', "日"));
    let words = words.each_ref().map(String::as_str);
    for deletion_bits in [0, 8] {
        compare_all(['a', 'é', '日'], &words, deletion_bits, 5000);
    }
}

#[test]
fn every_edit_is_named_with_its_place() {
    let filter = filter_of(&["elephant", "giraffe"], SchemeId::Deletions, 8, 2);
    for (query, edit) in [
        ("elephant", Some(Edit::None)),
        ("eelephant", Some(Edit::Remove { at: 0 })),
        ("elephxant", Some(Edit::Remove { at: 5 })),
        ("elephantx", Some(Edit::Remove { at: 8 })),
        ("xlephant", Some(Edit::Replace { at: 0 })),
        ("elephznt", Some(Edit::Replace { at: 5 })),
        ("elephany", Some(Edit::Replace { at: 7 })),
        ("lephant", Some(Edit::Insert { at: 0 })),
        ("elehant", Some(Edit::Insert { at: 3 })),
        ("elephan", Some(Edit::Insert { at: 7 })),
        ("girafe", Some(Edit::Insert { at: 4 })),
        ("girafffe", Some(Edit::Remove { at: 4 })),
        ("leephant", Some(Edit::Swap { at: 0 })),
        ("elehpant", Some(Edit::Swap { at: 3 })),
        ("elephatn", Some(Edit::Swap { at: 6 })),
        ("elzhant", None),
        ("pelephan", None),
        ("xelephantx", None),
        ("giraf", None),
        ("", None),
    ] {
        let got = filter.nearest(&word(query), true, &mut Buffers::default()).unwrap();
        assert_eq!(got.as_ref().map(|found| found.edit), edit, "{query}");
        let swap_alone = matches!(edit, Some(Edit::Swap { .. }));
        let got = filter.nearest(&word(query), false, &mut Buffers::default()).unwrap();
        assert_eq!(got.is_some(), edit.is_some() && !swap_alone, "{query}");
    }
}

/// Hundreds of words are one insertion away from a candidate: more than one batch. Completions left over from
/// a lookup that ended early are not probed for the next candidate.
#[test]
fn all_completions_are_asked_however_many_they_are() {
    let symbols: Vec<char> = ('\u{4e00}'..'\u{5300}').collect();
    let words: Vec<String> = symbols.iter().step_by(2).map(|symbol| format!("x{symbol}y")).collect();
    let list: Vec<&str> = words.iter().map(String::as_str).chain(["quite", "other"]).collect();
    for deletion_bits in [0, 8] {
        let filter = filter_of(&list, SchemeId::Deletions, deletion_bits, 100_000);
        assert!(!filter.header().alphabet.is_dense());
        let mut lookup = Buffers::default();
        for stop_after in [1, 40, usize::MAX, 700, usize::MAX] {
            let mut left = stop_after;
            let mut all = BTreeSet::new();
            let mut sink = |found: Found| {
                assert_eq!(found.edit, Edit::Insert { at: 1 });
                assert!(all.insert(found.word.map(|word| word.to_text()).unwrap_or_default()));
                left -= 1;
                left == 0
            };
            filter.visit(&word("xy"), true, &mut lookup, &mut sink).unwrap();
            assert_eq!(all.len(), words.len().min(stop_after));
            assert_eq!(
                found(&filter, "quiet", true, &mut lookup),
                [(Edit::Swap { at: 3 }, "quite".to_owned())]
            );
            assert_eq!(found(&filter, "stranger", true, &mut lookup), []);
        }
    }
}

#[test]
fn the_papers_filter_says_member_near_or_neither_and_an_exact_one_member_or_not() {
    let paper = filter_of(&["elephant", "cat"], SchemeId::Paper, 0, 3000);
    let exact = filter_of(&["elephant", "cat"], SchemeId::Whole, 0, 3000);
    let mut lookup = Buffers::default();
    for (query, is_near, is_member) in [
        ("elephant", true, true),
        ("elephan", true, false),
        ("elephants", true, false),
        ("elepxant", true, false),
        ("cat", true, true),
        ("at", true, false),
        ("elzhant", false, false),
        ("stranger", false, false),
    ] {
        let member = (Edit::None, query.to_owned());
        let near = if is_member { member.clone() } else { (Edit::Unknown, String::new()) };
        let expected = if is_near { vec![near] } else { Vec::new() };
        assert_eq!(found(&paper, query, false, &mut lookup), expected, "{query}");
        assert_eq!(paper.contains(&word(query), &mut lookup).unwrap(), is_member, "{query}");
        let expected = if is_member { vec![member] } else { Vec::new() };
        assert_eq!(found(&exact, query, true, &mut lookup), expected, "{query}");
        assert_eq!(exact.contains(&word(query), &mut lookup).unwrap(), is_member, "{query}");
    }
}

/// One or two strings of the extension are stored: near in both cases.
#[test]
fn the_papers_filter_counts_no_neighbours() {
    for words in
        [&["xbcd"][..], &["xbcd", "abcx"], &["xbcd", "abcx", "axcd"], &["xbcd", "abcx", "axcd", "abxd"]]
    {
        let filter = filter_of(words, SchemeId::Paper, 0, 100);
        assert_eq!(found(&filter, "abcd", false, &mut Buffers::default()), [(Edit::Unknown, String::new())]);
    }
}

/// The first finding does not depend on the pages that were read before.
#[test]
fn the_order_of_what_is_found_is_that_of_the_edits_whatever_was_read_before() {
    let words =
        ["xabcde", "axbcde", "abxcde", "abcxde", "abcdxe", "abcdex", "xbcde", "abcdx", "acbde", "abced"];
    let bytes = bytes_of(&words, SchemeId::Deletions, 8, 400_000);
    let visit = |filter: &DictionaryFilter<&[u8]>| {
        let mut all = Vec::new();
        let mut sink = |found: Found| {
            all.push(found.word.map(|word| word.to_text()).unwrap_or_default());
            false
        };
        filter.visit(&word("abcde"), true, &mut Buffers::default(), &mut sink).unwrap();
        all
    };
    let opened = || DictionaryFilter::from_bytes(bytes.as_slice()).unwrap();
    let order = visit(&opened());
    assert_eq!(order.len(), words.len());
    assert!(opened().header().pages > 256, "each word on a page of its own");
    for ready in words {
        let filter = opened();
        assert!(filter.contains(&word(ready), &mut Buffers::default()).unwrap());
        assert_eq!(visit(&filter), order, "{ready} was read before");
        assert_eq!(visit(&filter), order, "all were read before");
    }
}

/// In a full filter strings are found that are not words. Without deletion bits, and if every pair of
/// characters occurs, the findings are exactly the strings of the neighbourhood that separate lookups find in
/// the filter.
#[test]
fn accidents_are_those_of_all_bits_of_a_string() {
    let symbols = ['a', 'b', 'c'];
    let letters = |mut number: u64| -> String {
        (0..12).map(|_| (symbols[(number % 3) as usize], number /= 3).0).collect()
    };
    let words: BTreeSet<String> =
        (1..6000).map(|i| letters(i * 88_807 % 531_441)).chain(all_strings(&symbols, 2)).collect();
    let listed = |text: &String| words.contains(text);
    let list: Vec<&str> = words.iter().map(String::as_str).collect();
    let stated = StatedRate { false_rejection: 0.1, characters: 12, lookups: 1 };
    let bytes = built(Spec { stated, ..spec(SchemeId::Deletions, 0) }, 0, &list);
    let (filter, mut lookup, mut accidents) =
        (DictionaryFilter::from_bytes(bytes).unwrap(), Buffers::default(), 0);
    assert!(filter.header().word_bits > 4, "more than are asked first");
    for query in (100_000..400_000).step_by(503).map(letters) {
        let near: BTreeSet<String> = neighbourhood(&query, &symbols, true)
            .into_iter()
            .filter(|text| filter.contains_entry(text.as_bytes()).unwrap())
            .collect();
        accidents += near.iter().filter(|text| !listed(text)).count();
        assert_eq!(texts(&found(&filter, &query, true, &mut lookup)), near, "{query}");
    }
    assert!(accidents > 20, "{accidents}");
}

/// If all bits are set, only the pairs of characters and the lengths determine the possible words: exactly
/// the strings of the neighbourhood whose pairs all occur are found, each once.
#[test]
fn strings_with_a_pair_that_does_not_occur_are_never_found() {
    let words = ["abca", "bb", "cabb", "aab"];
    let pairs = |text: &str| -> BTreeSet<(char, char)> {
        let ends = format!(".{text}.");
        ends.chars().zip(ends.chars().skip(1)).collect()
    };
    let known: BTreeSet<(char, char)> = words.iter().flat_map(|text| pairs(text)).collect();
    for deletion_bits in [0, 8] {
        let mut bytes = bytes_of(&words, SchemeId::Deletions, deletion_bits, 4);
        let start = filter_of(&words, SchemeId::Deletions, deletion_bits, 4).header().header_bytes();
        for full in chunks_mut::<_, _, PAGE_BYTES>(&mut bytes[start..]).0 {
            full.fill(0xff);
            page::seal(full);
        }
        let (filter, mut lookup) = (DictionaryFilter::from_bytes(bytes).unwrap(), Buffers::default());
        for query in
            all_strings(&['a', 'b', 'c', 'z'], 5).into_iter().chain(["abcabc".into(), "aaabbb".into()])
        {
            for swaps in [false, true] {
                let got = found(&filter, &query, swaps, &mut lookup);
                let mut near = neighbourhood(&query, &['a', 'b', 'c'], swaps);
                near.retain(|text| pairs(text).is_subset(&known) && (1..=5).contains(&query.len()));
                assert_eq!((texts(&got), got.len()), (near.clone(), near.len()), "{query} {swaps} {got:?}");
            }
        }
    }
}
