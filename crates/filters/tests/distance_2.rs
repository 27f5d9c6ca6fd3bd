//! Words at distance 2 against the textbook distance, over many small dictionaries.

use std::collections::BTreeSet;

use crate::common::{Random, distance, filter, settings, word};
use nearmiss_filters::{
    dictionary::{Buffers, DictionaryFilter, Edit, MAX_DISTANCE_2_CANDIDATE, MIN_DISTANCE_2_WORD},
    format::SchemeId,
    word::{Symbol, Word},
};

fn text(random: &mut Random, symbols: &[&[u8]], shortest: usize, longest: usize) -> Vec<u8> {
    let length = shortest + random.below(longest + 1 - shortest);
    (0..length).flat_map(|_| symbols[random.below(symbols.len())]).copied().collect()
}

/// A text with a few symbols replaced, put in and taken out.
fn edited(random: &mut Random, text: &[u8], symbols: &[&[u8]], edits: usize) -> Vec<u8> {
    let mut parts: Vec<Symbol> = word(text).symbols().collect();
    for _ in 0..edits {
        let new = word(symbols[random.below(symbols.len())]).symbol(0).unwrap();
        let at = random.below(parts.len() + 1);
        match random.below(3) {
            0 if at < parts.len() => parts[at] = new,
            1 if at < parts.len() => {
                parts.remove(at);
            }
            _ => parts.insert(at, new),
        }
    }
    bytes_of(&parts)
}

fn bytes_of(symbols: &[Symbol]) -> Vec<u8> {
    let byte = |symbol: &Symbol| match symbol.character() {
        Some(character) => character.to_string().into_bytes(),
        None => vec![u8::try_from(symbol.value() & 0xff).unwrap()],
    };
    symbols.iter().flat_map(byte).collect()
}

fn applied(word: &Word, edits: [Edit; 2], target: &Word) -> bool {
    let mut symbols: Vec<Symbol> = word.symbols().collect();
    // What is put in is not said: any character passes for it.
    let hole = Symbol::of('\u{1}');
    for edit in edits {
        match edit {
            Edit::None => {}
            Edit::Remove { at } => drop(symbols.remove(at)),
            Edit::Replace { at } => symbols[at] = hole,
            Edit::Insert { at } => symbols.insert(at, hole),
            _ => return false,
        }
    }
    let target: Vec<Symbol> = target.symbols().collect();
    symbols.len() == target.len() && symbols.iter().zip(&target).all(|(a, b)| a == b || *a == hole)
}

/// The words that are found near or at distance 2, by the texts of their symbols.
fn found(filter: &DictionaryFilter<Vec<u8>>, candidate: &Word, buffers: &mut Buffers) -> BTreeSet<Vec<u8>> {
    let mut all = BTreeSet::new();
    let near = filter.visit(candidate, false, buffers, &mut |near| {
        all.extend(near.word.map(|word| word.as_bytes().to_vec()));
        false
    });
    near.unwrap();
    let asked = filter.visit_distance_2(candidate, &mut |found| {
        let text = candidate.to_text();
        assert!(distance(candidate, &found.word) <= 2, "{text}: {}", found.word.to_text());
        assert!(found.word.len() >= MIN_DISTANCE_2_WORD, "{text}: {}", found.word.to_text());
        assert!(applied(candidate, found.edits, &found.word), "{text}: {:?}", found.edits);
        all.insert(found.word.as_bytes().to_vec());
    });
    asked.unwrap();
    all
}

/// As many dictionaries of words of few symbols, each asked for candidates beside its words.
fn try_dictionaries(seed: u64, dictionaries: usize, symbols: &[&[u8]]) {
    let mut random = Random::new(seed);
    let (mut buffers, mut met) = (Buffers::default(), 0);
    for number in 0..dictionaries {
        let words: Vec<Vec<u8>> = (0..=random.below(12)).map(|_| text(&mut random, symbols, 7, 14)).collect();
        let bits = [6, 8][number % 2];
        let filter = filter(&settings(SchemeId::Deletions, bits), &words.join(&b'\n'));
        assert!(filter.knows_distance_2());
        for _ in 0..4 {
            let origin = words[random.below(words.len())].clone();
            let edits = random.below(4);
            let candidate = word(edited(&mut random, &origin, symbols, edits));
            let expected: BTreeSet<Vec<u8>> = words
                .iter()
                .map(word)
                .filter(|word| {
                    let is_letter = |symbol: Symbol| symbol.character().is_some_and(char::is_alphabetic);
                    let is_far_word = word.len() >= MIN_DISTANCE_2_WORD && word.symbols().all(is_letter);
                    let apart = distance(&candidate, word);
                    apart <= 1 || (apart == 2 && is_far_word)
                })
                .map(|word| word.as_bytes().to_vec())
                .collect();
            let found = found(&filter, &candidate, &mut buffers);
            // That no others are found than at distance 2 was seen when they were.
            assert!(found.is_superset(&expected), "{} in {number}", candidate.to_text());
            met += expected.len();
        }
    }
    assert!(met > dictionaries, "{met} words near {dictionaries} candidates");
}

#[test]
fn words_at_distance_2_are_found_and_no_others() {
    try_dictionaries(1, 3000, &[b"a", b"b", b"c"]);
    try_dictionaries(2, 3000, &[b"a", b"e", b"n", b"r", b"t", b"s", b"i", b"1"]);
    let letters: Vec<u8> = (b'a'..=b'z').collect();
    try_dictionaries(5, 1000, &letters.chunks(1).collect::<Vec<_>>());
}

#[test]
fn of_any_characters_and_bytes() {
    try_dictionaries(3, 2000, &[b"a", "é".as_bytes(), "日".as_bytes(), b"\xff", "\u{10348}".as_bytes()]);
}

/// A large alphabet has a hashed table of pairs, which lets some through.
#[test]
fn of_a_large_alphabet() {
    let symbols: Vec<String> = ('\u{4e00}'..'\u{5020}').map(String::from).collect();
    let bytes: Vec<&[u8]> = symbols.iter().map(String::as_bytes).collect();
    let mut random = Random::new(4);
    let words: Vec<Vec<u8>> = (0..60).map(|_| text(&mut random, &bytes, 10, 10)).collect();
    let all: Vec<Vec<u8>> = bytes.chunks(100).map(<[&[u8]]>::concat).collect();
    let list = [words.clone(), all].concat().join(&b'\n');
    let filter = filter(&settings(SchemeId::Deletions, 8), &list);
    assert_eq!(filter.header().alphabet.len(), symbols.len());
    let mut buffers = Buffers::default();
    for origin in &words {
        let mut symbols: Vec<Symbol> = word(origin).symbols().collect();
        let [first, second] = [(); 2].map(|()| random.below(10));
        symbols[first] = Symbol::of('一');
        if random.below(2) == 0 {
            symbols.remove(second);
        }
        let candidate = word(bytes_of(&symbols));
        let found = found(&filter, &candidate, &mut buffers);
        assert!(found.contains(word(origin).as_bytes()), "{}", candidate.to_text());
    }
}

#[test]
fn longer_candidates_and_other_filters_are_not_asked() {
    let long = "abcdefghij".repeat(4);
    let elephantine = filter(&settings(SchemeId::Deletions, 8), b"elephantine");
    let mut buffers = Buffers::default();
    for (length, is_found) in [(MAX_DISTANCE_2_CANDIDATE, true), (MAX_DISTANCE_2_CANDIDATE + 1, false)] {
        let list = &long[..length];
        let near = filter(&settings(SchemeId::Deletions, 8), list.as_bytes());
        let candidate = word(format!("XX{}", &list[2..]));
        assert_eq!(!found(&near, &candidate, &mut buffers).is_empty(), is_found, "{length}");
    }
    assert!(!found(&elephantine, &word("elophontine"), &mut buffers).is_empty());
    for (scheme, bits) in [(SchemeId::Deletions, 4), (SchemeId::Deletions, 0), (SchemeId::Paper, 8)] {
        let other = filter(&settings(scheme, bits), b"elephantine");
        assert!(!other.knows_distance_2());
        assert!(found(&other, &word("elophontine"), &mut buffers).is_empty());
    }
}
