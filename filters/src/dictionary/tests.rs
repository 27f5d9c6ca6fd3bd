//! Lookups of small filters against all that lies within distance 1, found by trying: every edit by name, every word
//! once, from pages that were never read and from pages that were, for all numbers of deletion bits.

use std::{cell::RefCell, collections::BTreeSet, io, ops::Range};

use super::{Buffers, Build, DictionaryFilter, Edit, Problem, Spec};
use crate::{
    format::{Kind, Match, SchemeId, StatedRate},
    hash::Key,
    page::PAGE_BYTES,
    storage::Bytes,
    word::Word,
};

type Filter = DictionaryFilter<Vec<u8>>;

/// A filter that rejects so few by accident that no test sees one; with room for `capacity` words it has more pages.
pub(crate) fn filter_of(words: &[&str], scheme: SchemeId, deletion_bits: u8, capacity: u64) -> Filter {
    DictionaryFilter::from_bytes(bytes_of(words, scheme, deletion_bits, capacity)).unwrap()
}

/// An exact filter of these digests, in hexadecimal digits.
pub(crate) fn digests_of(kind: Kind, digests: &[&str]) -> Filter {
    let spec = Spec { kind, ..spec(SchemeId::Whole, 0) };
    DictionaryFilter::from_bytes(built(spec, 2, digests)).unwrap()
}

fn bytes_of(words: &[&str], scheme: SchemeId, deletion_bits: u8, capacity: u64) -> Vec<u8> {
    built(spec(scheme, deletion_bits), capacity, words)
}

fn spec(scheme: SchemeId, deletion_bits: u8) -> Spec {
    Spec {
        matching: if scheme == SchemeId::Whole { Match::Exact } else { Match::Near },
        scheme,
        deletion_bits,
        stated: StatedRate { false_rejection: 1e-9, characters: 12, lookups: 64 },
        ..Spec::default()
    }
}

fn built(spec: Spec, capacity: u64, lines: &[&str]) -> Vec<u8> {
    let build = Build { capacity: Some(capacity), ..Build::new(spec, Key::new([9; 16])) };
    let list = lines.join("\n");
    let mut survey = build.survey();
    survey.read_block(list.as_bytes());
    let mut builder = build.builder(&survey.finish()).unwrap();
    builder.insert_block(list.as_bytes());
    builder.finish_to_bytes()
}

fn word(text: &str) -> Word {
    Word::clean(text.as_bytes()).unwrap_or_default()
}

/// Every word found, in the order it is found, as text.
fn found(filter: &Filter, query: &str, swaps: bool, buffers: &mut Buffers) -> Vec<(Edit, String)> {
    let mut all = Vec::new();
    let mut sink = |found: super::Found| {
        all.push((found.edit, found.word.map_or_else(String::new, |word| word.to_text())));
        false
    };
    filter.visit(&word(query), swaps, buffers, &mut sink).unwrap();
    all
}

fn texts(found: &[(Edit, String)]) -> BTreeSet<String> {
    found.iter().map(|(_, text)| text.clone()).collect()
}

/// What an edit makes of the candidate: the word must be that but for the character that is put in.
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
        Edit::Swap { at } => made.swap(at, at + 1),
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
        symbols.iter().for_each(|&symbol| edited(&|string| string.insert(at, symbol)));
        if at < query.len() {
            edited(&|string| {
                string.remove(at);
            });
            symbols.iter().for_each(|&symbol| edited(&|string| string[at] = symbol));
        }
        if swaps && at + 1 < query.len() {
            edited(&|string| string.swap(at, at + 1));
        }
    }
    all.into_iter().map(|string| string.into_iter().collect()).collect()
}

/// All strings of up to `longest` of these symbols.
fn all_strings(symbols: &[char], longest: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut from = 0;
    for _ in 0..longest {
        let to = all.len();
        for at in from..to {
            symbols.iter().for_each(|symbol| all.push(format!("{}{symbol}", all[at])));
        }
        from = to;
    }
    all
}

/// Every candidate over three symbols: the words found are those in its neighbourhood, each once and rightly named.
fn compare_all(symbols: [char; 3], words: &[&str], deletion_bits: u8, capacity: u64) {
    let list: BTreeSet<String> = words.iter().map(|&text| text.to_owned()).collect();
    let (filter, mut buffers) =
        (filter_of(words, SchemeId::Deletions, deletion_bits, capacity), Buffers::default());
    // The first time pages are read as they are asked for, the second time all are ready.
    for query in all_strings(&symbols, 4).iter().chain(&all_strings(&symbols, 4)) {
        for swaps in [false, true] {
            let got = found(&filter, query, swaps, &mut buffers);
            let near: BTreeSet<String> =
                neighbourhood(query, &symbols, swaps).intersection(&list).cloned().collect();
            assert_eq!((texts(&got), got.len()), (near.clone(), near.len()), "{query} {swaps} {got:?}");
            assert!(got.iter().all(|(edit, text)| is_made_by(*edit, query, text)), "{query} {got:?}");
            if list.contains(query) {
                assert_eq!(got[0], (Edit::None, query.clone()), "itself first");
            }
            let nearest = filter.nearest(&word(query), swaps, &mut buffers).unwrap();
            assert_eq!(nearest.map(|found| found.edit), got.first().map(|(edit, _)| *edit), "{query}");
        }
        let is_member = filter.contains(&word(query), &mut buffers).unwrap();
        assert_eq!(is_member, list.contains(query), "{query}");
    }
}

/// Words of three letters.
const WORDS: [&str; 9] = ["a", "ab", "aab", "abba", "bcab", "ccc", "cbac", "bbbb", "cacab"];

#[test]
fn all_neighbours_are_found_and_named() {
    for deletion_bits in [0, 4, 8] {
        compare_all(['a', 'b', 'c'], &WORDS, deletion_bits, 9);
        compare_all(['a', 'b', 'c'], &WORDS, deletion_bits, 20_000);
    }
}

/// Characters of two and three bytes, where a place is not a byte.
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

/// A thousand words that one insertion makes of a candidate: more than are asked in one batch, whether or not their pages
/// are ready, and more than wait for pages. Those found before an early end are not found again for the next candidate.
#[test]
fn all_completions_are_asked_however_many_they_are() {
    let symbols: Vec<char> = ('\u{4e00}'..'\u{5300}').collect();
    let words: Vec<String> = symbols.iter().step_by(2).map(|symbol| format!("x{symbol}y")).collect();
    let list: Vec<&str> = words.iter().map(String::as_str).chain(["quite", "other"]).collect();
    for deletion_bits in [0, 8] {
        let filter = filter_of(&list, SchemeId::Deletions, deletion_bits, 100_000);
        assert!(!filter.header().alphabet.is_dense());
        let mut buffers = Buffers::default();
        for stop_after in [1, 40, usize::MAX, 700, usize::MAX] {
            let mut left = stop_after;
            let mut all = BTreeSet::new();
            let mut sink = |found: super::Found| {
                assert_eq!(found.edit, Edit::Insert { at: 1 });
                assert!(all.insert(found.word.map(|word| word.to_text()).unwrap_or_default()));
                left -= 1;
                left == 0
            };
            filter.visit(&word("xy"), true, &mut buffers, &mut sink).unwrap();
            assert_eq!(all.len(), words.len().min(stop_after));
            assert_eq!(
                found(&filter, "quiet", true, &mut buffers),
                [(Edit::Swap { at: 3 }, "quite".to_owned())]
            );
            assert_eq!(found(&filter, "stranger", true, &mut buffers), []);
        }
    }
}

#[test]
fn the_papers_filter_says_member_near_or_neither_and_an_exact_one_member_or_not() {
    let paper = filter_of(&["elephant", "cat"], SchemeId::Paper, 0, 3000);
    let exact = filter_of(&["elephant", "cat"], SchemeId::Whole, 0, 3000);
    let mut buffers = Buffers::default();
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
        assert_eq!(found(&paper, query, false, &mut buffers), expected, "{query}");
        assert_eq!(paper.contains(&word(query), &mut buffers).unwrap(), is_member, "{query}");
        let expected = if is_member { vec![member] } else { Vec::new() };
        assert_eq!(found(&exact, query, true, &mut buffers), expected, "{query}");
        assert_eq!(exact.contains(&word(query), &mut buffers).unwrap(), is_member, "{query}");
    }
}

/// One or two strings of the extension are there: near in either case.
#[test]
fn the_papers_filter_counts_no_neighbours() {
    for words in
        [&["xbcd"][..], &["xbcd", "abcx"], &["xbcd", "abcx", "axcd"], &["xbcd", "abcx", "axcd", "abxd"]]
    {
        let filter = filter_of(words, SchemeId::Paper, 0, 100);
        assert_eq!(found(&filter, "abcd", false, &mut Buffers::default()), [(Edit::Unknown, String::new())]);
    }
}

/// Of many pages one is damaged: a lookup either does not meet it, and finds what there is, or fails and names it, the
/// first time and the second; and reading everything fails as well.
#[test]
fn a_damaged_page_is_named_by_whoever_meets_it_and_by_nobody_else() {
    let mut bytes = bytes_of(&WORDS, SchemeId::Deletions, 8, 40_000);
    let whole = DictionaryFilter::from_bytes(bytes.clone()).unwrap();
    let (start, pages) = (whole.header().header_bytes(), whole.header().pages);
    assert!(pages > 64, "{pages}");
    let index = pages - 3;
    bytes[start + usize::try_from(index).unwrap() * PAGE_BYTES + 17] ^= 4;
    let damaged = DictionaryFilter::from_bytes(bytes).unwrap();
    let (mut buffers, mut met) = (Buffers::default(), 0);
    for query in all_strings(&['a', 'b', 'c'], 5) {
        for _ in 0..2 {
            let answer = damaged.nearest(&word(&query), false, &mut buffers);
            let expected = whole.nearest(&word(&query), false, &mut buffers).unwrap();
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
                damage.push(index)
            }
        })
        .unwrap();
    assert_eq!(damage, [index]);
    assert!(damaged.copied_pages().is_err() && whole.copied_pages().is_ok());
}

/// Bytes that keep what was asked of them, of which a range may be unreadable, and perhaps all but a page at a time.
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

/// Pages 64 MiB long in all, or of which many are asked for, are made readable by one call; of other filters each page
/// that is asked for, once, after all of them were announced.
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

    let disk = Disk::of(300_000);
    let filter = DictionaryFilter::from_bytes(&disk).unwrap();
    let (start, pages) = (filter.header().header_bytes(), filter.header().pages);
    assert!(pages > 16 * 16);
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

/// Whether all pages are asked for together or each alone, a page that cannot be read fails the lookups that need it.
#[test]
fn an_unreadable_page_is_named_by_whoever_needs_it_and_by_nobody_else() {
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

/// Made ready together, the pages of several words are announced in one call; the lookups of these words then read no
/// page that they do not propose.
#[test]
fn pages_of_several_words_are_made_ready_together() {
    for (scheme, matching, texts) in [
        (SchemeId::Deletions, Match::Exact, ["abba", "cbcb"]),
        (SchemeId::Deletions, Match::Near, ["bcbca", "cbcbb"]),
        (SchemeId::Paper, Match::Near, ["ccc", "accab"]),
        (SchemeId::Paper, Match::Exact, ["ccc", "accab"]),
        (SchemeId::Whole, Match::Near, ["abba", "cbcb"]),
    ] {
        let disk = Disk { bytes: bytes_of(&WORDS, scheme, 4, 500_000), ..Disk::default() };
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
        filter.prepare(words.iter(), matching, &mut Buffers::default()).unwrap();
        let [announced, populated] = disk.taken();
        let starts: BTreeSet<usize> = populated.iter().map(|range| range.start).collect();
        assert_eq!(announced, populated, "{scheme:?}");
        assert_eq!(starts, alone[0].union(&alone[1]).copied().collect(), "{scheme:?} {matching:?}");
        words.iter().for_each(|word| look_up(&filter, word));
        assert_eq!(disk.taken(), [[], []], "{scheme:?} {matching:?}");
        // No word is as long, so none of its pages is read.
        filter.prepare([word("abcabcabcabc")].iter(), Match::Near, &mut Buffers::default()).unwrap();
        assert_eq!(disk.taken()[1].is_empty(), scheme == SchemeId::Deletions, "{scheme:?}");
    }
}

/// What is found first does not depend on which pages were read before.
#[test]
fn the_order_of_what_is_found_is_that_of_the_edits_whatever_was_read_before() {
    let words =
        ["xabcde", "axbcde", "abxcde", "abcxde", "abcdxe", "abcdex", "xbcde", "abcdx", "acbde", "abced"];
    let bytes = bytes_of(&words, SchemeId::Deletions, 8, 400_000);
    let visit = |filter: &DictionaryFilter<&[u8]>| {
        let mut all = Vec::new();
        let mut sink = |found: super::Found| {
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

/// However many completions there are, about a thousand wait for their pages at most, and not much fewer.
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

/// In a full filter strings are found that are not words. Which those are, each string alone says: of a filter without
/// deletion bits, whose every pair of characters occurs, exactly those of the neighbourhood are found.
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
