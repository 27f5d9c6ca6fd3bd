//! Pages are made readable in time, once and together; pages that cannot be read or are damaged are named.

use std::{cell::RefCell, collections::BTreeSet, io, ops::Range};

use super::{
    super::{Buffers, DictionaryFilter, Problem},
    WORDS, all_strings, bytes_of, filter_of, word,
};
use crate::{
    format::{Match, SchemeId},
    page::PAGE_BYTES,
    storage::Bytes,
    word::Word,
};

/// Bytes that record their accesses. A range of them may be unreadable, or any range longer than a page.
#[derive(Default)]
struct Disk {
    bytes: Vec<u8>,
    unreadable: Range<usize>,
    is_read_by_pages: bool,
    announced: RefCell<Vec<Range<usize>>>,
    populated: RefCell<Vec<Range<usize>>>,
}

impl Bytes for &Disk {
    fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn will_need(&self, ranges: &[Range<usize>]) {
        self.announced.borrow_mut().extend_from_slice(ranges);
    }

    fn populate(&self, range: Range<usize>) -> io::Result<()> {
        self.populated.borrow_mut().push(range.clone());
        let is_apart = range.end <= self.unreadable.start || self.unreadable.end <= range.start;
        let is_readable = is_apart && !(self.is_read_by_pages && range.len() > PAGE_BYTES);
        if is_readable { Ok(()) } else { Err(io::Error::other("unreadable")) }
    }
}

impl Disk {
    fn of(capacity: u64) -> Disk {
        Disk { bytes: bytes_of(&WORDS, SchemeId::Deletions, 8, capacity), ..Disk::default() }
    }

    fn taken(&self) -> [Vec<Range<usize>>; 2] {
        [self.announced.take(), self.populated.take()]
    }
}

/// For a small filter, and if many of a filter's pages are needed, one call makes all pages readable.
/// Otherwise each needed page is made readable once, after all of them were announced.
#[test]
fn pages_are_made_readable_before_they_are_read_and_only_once() {
    let mut lookup = Buffers::default();
    let disk = Disk::of(3_000);
    let filter = DictionaryFilter::from_bytes(&disk).unwrap();
    assert!(filter.header().pages > 2);
    let whole = filter.header().header_bytes()..disk.bytes.len();
    filter.nearest(&word("abbcb"), false, &mut lookup).unwrap();
    assert_eq!(disk.taken(), [[whole.clone()], [whole]]);
    filter.nearest(&word("cacacb"), true, &mut lookup).unwrap();
    assert_eq!(disk.taken(), [[], []]);

    let disk = Disk::of(3_000_000);
    let filter = DictionaryFilter::from_bytes(&disk).unwrap();
    let (start, pages) = (filter.header().header_bytes(), filter.header().pages);
    assert!(pages > 2048, "small filters are made readable whole");
    assert!(filter.contains(&word("abba"), &mut lookup).unwrap());
    let [announced, populated] = disk.taken();
    assert_eq!((announced.len(), populated.len()), (0, 1), "one page needs no announcement");
    filter.nearest(&word("abbab"), false, &mut lookup).unwrap();
    let [announced, mut populated] = disk.taken();
    assert!((3..=16).contains(&announced.len()), "{announced:?}");
    assert!(
        announced.iter().all(|range| range.len() == PAGE_BYTES && (range.start - start) % PAGE_BYTES == 0)
    );
    populated.dedup();
    assert_eq!(announced, populated, "each once, in the order of the disk");
    assert!(populated.is_sorted_by_key(|range| range.start));
    filter.nearest(&word("abbab"), false, &mut lookup).unwrap();
    assert_eq!(disk.taken(), [[], []]);
}

/// The pages are made readable together or one by one.
#[test]
fn lookups_that_need_an_unreadable_page_name_it_and_others_succeed() {
    for capacity in [3_000, 300_000] {
        let mut disk = Disk::of(capacity);
        let whole = filter_of(&WORDS, SchemeId::Deletions, 8, capacity);
        let pages = whole.header().pages;
        let from = whole.header().header_bytes() + PAGE_BYTES;
        disk.unreadable = from..from + PAGE_BYTES;
        let filter = DictionaryFilter::from_bytes(&disk).unwrap();
        let (mut lookup, mut met) = (Buffers::default(), 0);
        for query in all_strings(&['a', 'b', 'c'], 5) {
            let expected = whole.nearest(&word(&query), false, &mut lookup).unwrap();
            match filter.nearest(&word(&query), false, &mut lookup) {
                Ok(found) => assert_eq!(found.map(|one| one.edit), expected.map(|one| one.edit), "{query}"),
                Err(error) => {
                    assert!(matches!(error.problem, Problem::UnreadablePage { index: 1, .. }), "{error}");
                    met += 1;
                }
            }
        }
        assert!((1..300).contains(&met), "{met} of {pages} pages");
    }
}

/// Prepared together, the pages of several words are announced in one call, and the lookups of these words
/// need no other page.
#[test]
fn pages_of_several_words_are_made_ready_together() {
    for (scheme, matching, texts) in [
        (SchemeId::Deletions, Match::Exact, ["abba", "cbcb"]),
        (SchemeId::Deletions, Match::Near, ["bcbca", "cbcbb"]),
        (SchemeId::Paper, Match::Near, ["ccc", "accab"]),
        (SchemeId::Paper, Match::Exact, ["ccc", "accab"]),
        (SchemeId::Whole, Match::Near, ["abba", "cbcb"]),
    ] {
        // More than 2,048 pages: smaller filters are made readable whole.
        let capacity = if scheme == SchemeId::Paper { 500_000 } else { 3_000_000 };
        let disk = Disk { bytes: bytes_of(&WORDS, scheme, 4, capacity), ..Disk::default() };
        let words = texts.map(word);
        let look_up = |filter: &DictionaryFilter<&Disk>, word: &Word| {
            let mut lookup = Buffers::default();
            match matching {
                Match::Exact => drop(filter.contains(word, &mut lookup).unwrap()),
                Match::Near => drop(filter.nearest(word, false, &mut lookup).unwrap()),
            }
        };
        let alone: Vec<BTreeSet<usize>> = words
            .iter()
            .map(|word| {
                look_up(&DictionaryFilter::from_bytes(&disk).unwrap(), word);
                disk.taken()[1].iter().map(|range| range.start).collect()
            })
            .collect();
        let filter = DictionaryFilter::from_bytes(&disk).unwrap();
        let asked = words.iter().map(|word| (word, matching));
        filter.prepare(asked, false, &mut Buffers::default());
        let [announced, populated] = disk.taken();
        let starts: BTreeSet<usize> = populated.iter().map(|range| range.start).collect();
        assert_eq!(announced, populated, "{scheme:?}");
        assert_eq!(starts, alone[0].union(&alone[1]).copied().collect(), "{scheme:?} {matching:?}");
        for word in &words {
            look_up(&filter, word);
        }
        assert_eq!(disk.taken(), [[], []], "{scheme:?} {matching:?}");
        // All words are shorter by two characters or more, so no page is read.
        filter.prepare([(&word("abcabcabcabc"), Match::Near)].into_iter(), false, &mut Buffers::default());
        assert_eq!(disk.taken()[1].is_empty(), scheme == SchemeId::Deletions, "{scheme:?}");
    }
}

/// The pages of the table of 4-grams are made ready all together: with the pages of other lookups if the
/// policy includes distance 2, otherwise by the first candidate that could have a word at that distance. They
/// reveal nothing about the candidate.
#[test]
fn the_table_of_fours_is_made_ready_whole() {
    let words = ["abcdefghijk", "bcdefghijka", "cdefghijkabc"];
    let disk = Disk { bytes: bytes_of(&words, SchemeId::Deletions, 6, 3_000_000), ..Disk::default() };
    let filter = || DictionaryFilter::from_bytes(&disk).unwrap();
    let header = filter().header().clone();
    let first = header.header_bytes() + usize::try_from(header.pages).unwrap() * PAGE_BYTES;
    let of_four_grams = |taken: [Vec<Range<usize>>; 2]| -> usize {
        taken[1].iter().filter(|range| range.start >= first).map(ExactSizeIterator::len).sum()
    };
    let all = disk.bytes.len() - first;
    assert_eq!(all, usize::from(header.four_gram_pages) * PAGE_BYTES);
    for (text, is_read) in [("abcdefghixx", true), ("zzzzzzzzzzz", true), ("short", false)] {
        filter().visit_distance_2(&word(text), &mut |_| ()).unwrap();
        assert_eq!(of_four_grams(disk.taken()), if is_read { all } else { 0 }, "{text}");
    }
    for text in ["abcdefghixx", "short"] {
        let filter = filter();
        filter.prepare([(&word(text), Match::Near)].into_iter(), true, &mut Buffers::default());
        assert_eq!(of_four_grams(disk.taken()), all, "{text}");
        filter.visit_distance_2(&word(text), &mut |_| ()).unwrap();
        assert_eq!(of_four_grams(disk.taken()), 0, "{text}");
    }
}

/// For any number of completions, at most about a thousand are queued for their pages, and not much fewer.
#[test]
fn completions_wait_for_their_pages_by_the_thousand() {
    let words: Vec<String> = ('\u{4e00}'..'\u{6000}').map(|symbol| format!("x{symbol}y")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let bytes = bytes_of(&words, SchemeId::Deletions, 8, 1_500_000);
    let disk = Disk { bytes, is_read_by_pages: true, ..Disk::default() };
    let filter = DictionaryFilter::from_bytes(&disk).unwrap();
    let mut found = 0;
    let mut sink = |_| {
        found += 1;
        false
    };
    filter.visit(&word("xy"), false, &mut Buffers::default(), &mut sink).unwrap();
    assert_eq!(found, words.len());
    let [_, populated] = disk.taken();
    let batches: Vec<usize> = populated.split(|range| range.len() > PAGE_BYTES).map(<[_]>::len).collect();
    let most = batches.iter().copied().max().unwrap_or(0);
    assert!((400..=1024 + 32).contains(&most), "{batches:?} of {} pages", filter.header().pages);
    assert!(batches.len() > words.len() / 1024, "{batches:?}");
}

/// Of many pages one is damaged: a lookup finds the words on the other pages, or fails and names the page,
/// both times; a scan names it as well.
#[test]
fn lookups_that_need_a_damaged_page_name_it_and_others_succeed() {
    let mut bytes = bytes_of(&WORDS, SchemeId::Deletions, 8, 40_000);
    let whole = DictionaryFilter::from_bytes(bytes.clone()).unwrap();
    let (start, pages) = (whole.header().header_bytes(), whole.header().pages);
    assert!(pages > 64, "{pages}");
    let index = pages - 3;
    bytes[start + usize::try_from(index).unwrap() * PAGE_BYTES + 17] ^= 4;
    let damaged = DictionaryFilter::from_bytes(bytes).unwrap();
    let (mut lookup, mut met) = (Buffers::default(), 0);
    for query in all_strings(&['a', 'b', 'c'], 5) {
        for _ in 0..2 {
            let answer = damaged.nearest(&word(&query), false, &mut lookup);
            let expected = whole.nearest(&word(&query), false, &mut lookup).unwrap();
            match answer {
                Ok(found) => assert_eq!(found.map(|one| one.edit), expected.map(|one| one.edit), "{query}"),
                Err(error) => {
                    assert!(matches!(error.problem, Problem::DamagedPage { index: named } if named == index));
                    met += 1;
                }
            }
        }
    }
    assert!((2..300).contains(&met) && met % 2 == 0, "{met} lookups met the damage");
    let mut damage = Vec::new();
    damaged
        .scan(|index, _, is_intact| {
            if !is_intact {
                damage.push(index);
            }
        })
        .unwrap();
    assert_eq!(damage, [index]);
    assert!(damaged.copied_pages().is_err() && whole.copied_pages().is_ok());
}
