use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::{
    alphabet::Alphabet,
    dictionary::pages::Pages,
    digrams::{Digrams, Pairs},
    format::{Header, decode_header},
    page::{self, PAGE_BYTES, Page, seal, set},
    word::{Symbol, Word},
};

/// What the theorem of [`crate::neighbours`] has asked for a candidate.
pub(crate) fn asked(word: &Word, scratch: &mut Scratch, sink: &mut dyn FnMut(Layer, &[u8])) {
    sink(Layer::Word, word.as_bytes());
    (0..=word.len()).filter_map(Layer::deletion).for_each(|layer| sink(layer, word.as_bytes()));
    scratch.each_deletion(word, 0..word.len(), |at, string| {
        if begins_run(word, at) {
            sink(Layer::Word, string);
        }
        if let Some(layer) = Layer::deletion(at) {
            sink(layer, string);
        }
    });
}

fn hashes_asked(header: &Header, word: &Word) -> BTreeSet<(Layer, u64)> {
    let mut hashes = BTreeSet::new();
    asked(word, &mut Scratch::default(), &mut |layer, string| {
        assert!(hashes.insert((layer, header.key.hash(string))), "a string is asked twice");
    });
    hashes
}

/// A header of a filter of one page with the alphabet of the tests.
fn header(digrams: impl FnOnce(&Alphabet) -> Digrams) -> Header {
    let golden = decode_header(include_bytes!("../../../../tests/golden/near-8.filter")).unwrap();
    let alphabet = Alphabet::new(&"abcé日".chars().map(Symbol::of).collect());
    Header {
        digrams: digrams(&alphabet),
        alphabet,
        lengths: (0, 255),
        pages: 1,
        four_gram_pages: 0,
        ..golden
    }
}

fn all_pairs(_: &Alphabet) -> Digrams {
    Digrams::hashed_from_bytes(&[0xff; 1 << 13]).unwrap()
}

/// The page of a filter in which only `stored` is, if anything.
fn page_of(header: &Header, stored: Option<(Layer, u64)>) -> Page {
    let mut page = [0; PAGE_BYTES];
    if let Some((layer, hash)) = stored {
        set(&mut page, hash, header.probes(layer));
    }
    seal(&mut page);
    page
}

/// Every question the round asked of this page, with its answer.
fn round(header: &Header, word: &Word, page: &Page) -> Vec<((Layer, u64), bool)> {
    let file = [vec![0; header.header_bytes()], page.to_vec()].concat();
    let pages = Pages::new(file, header, None);
    let query = Query { header, pages: &pages, word, with_transpositions: false };
    let (mut round, mut scratch) = (FirstRound::default(), Scratch::default());
    round.begin(&query);
    let is_ready = round.ask_candidate(&query, &mut scratch).unwrap();
    assert_eq!(is_ready, round.edits().insertable().is_empty());
    round.ask_all(&query, &mut scratch, &mut Vec::new()).unwrap();
    let candidate = round.candidate().into_iter().map(|string| (string, round.edits().insertable()));
    let proposals = round.proposals().iter().map(|one| (one.string, one.at..one.end));
    let mut questions = Vec::new();
    for (string, places) in candidate.chain(proposals) {
        questions.push(((Layer::Word, string.hash), string.is_word(&query).unwrap()));
        let mut found = Vec::new();
        let mut left = places.clone();
        while let Some(at) = string.first_deletion(&query, left.clone()).unwrap() {
            found.push(at);
            left.start = at + 1;
        }
        for at in places {
            let Some(layer) = Layer::deletion(at) else { continue };
            questions.push(((layer, string.hash), found.contains(&at)));
        }
    }
    questions
}

proptest! {
    #[test]
    fn asks_the_strings_of_the_theorem_and_each_is_answered(text in "[abcé日]{0,9}") {
        let (header, word) = (header(all_pairs), Word::clean(text.as_bytes()).unwrap());
        let expected = hashes_asked(&header, &word);
        let questions = round(&header, &word, &page_of(&header, None));
        prop_assert!(questions.iter().all(|&(_, is_there)| !is_there));
        let asked: BTreeSet<_> = questions.iter().map(|&(question, _)| question).collect();
        prop_assert_eq!((asked.len(), &asked), (questions.len(), &expected));
        for &stored in &expected {
            // By accident, the stored string may set all bits of the other layer's string.
            let page = page_of(&header, Some(stored));
            for (question, answer) in round(&header, &word, &page) {
                let (layer, hash) = question;
                prop_assert_eq!(answer, page::test(&page, hash, header.probes(layer)));
                prop_assert!(answer || question != stored);
            }
        }
    }

    #[test]
    fn the_digram_table_only_leaves_strings_out(text in "[abcé日]{0,9}", seen in "[abcé日]{2,30}") {
        let table = |alphabet: &Alphabet| {
            let symbols: Vec<_> = seen.chars().map(|character| Some(Symbol::of(character))).collect();
            Digrams::new(alphabet, &symbols.windows(2).map(|pair| (pair[0], pair[1])).collect::<Pairs>())
        };
        let (header, word) = (header(table), Word::clean(text.as_bytes()).unwrap());
        let expected = hashes_asked(&header, &word);
        let questions = round(&header, &word, &page_of(&header, None));
        prop_assert!(questions.iter().all(|(question, _)| expected.contains(question)));
    }
}

#[test]
fn the_longest_candidate_has_no_place_behind_the_last_layer() {
    let (header, word) = (header(all_pairs), Word::clean(&b"ab".repeat(128)).unwrap());
    let asked: BTreeSet<_> =
        round(&header, &word, &page_of(&header, None)).into_iter().map(|(question, _)| question).collect();
    assert_eq!(asked, hashes_asked(&header, &word));
    assert!(asked.contains(&(Layer::Deletion { at: 255 }, header.key.hash(&b"ab".repeat(128)))));
}
