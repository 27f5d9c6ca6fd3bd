//! Filters that change: two in one, words added, words taken out again, and the counts file that this takes.

use crate::common;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use proptest::prelude::*;

use crate::common::{Random, build, exact, settings};
use nearmiss_filters::{
    chunks::chunks,
    dictionary::{
        Buffers, Build, DictionaryFilter,
        builder::{Builder, Difference, Findings, UnionError},
        counters::{Counters, CountsProblem, identity_of_parts},
    },
    format::{Header, Kind, SchemeId},
    hash::Key,
    list::{Entry, Forms, LineFormat},
    page::{BIT_BYTES, Layer, Page, positions},
    storage::{Access, Replacement},
};

const PASSWORDS: &str = include_str!("fixtures/passwords.txt");

/// A part of the fixture's passwords, as list lines.
fn list(range: std::ops::Range<usize>) -> Vec<u8> {
    PASSWORDS.lines().skip(range.start).take(range.len()).collect::<Vec<_>>().join("\n").into_bytes()
}

fn open(bytes: &[u8]) -> DictionaryFilter<&[u8]> {
    DictionaryFilter::from_bytes(bytes).unwrap()
}

fn pages(bytes: &[u8]) -> Vec<Page> {
    chunks(&bytes[open(bytes).header().header_bytes()..]).0.to_vec()
}

fn beside(header: &Header) -> Build {
    Build { threads: 2, ..Build::of(header) }
}

fn survey(header: &Header, list: &[u8]) -> Findings {
    let mut survey = beside(header).survey();
    survey.read_block(list);
    survey.finish()
}

/// A filter of `list` with the key and the geometry of another.
fn like(header: &Header, list: &[u8]) -> Vec<u8> {
    let mut builder = beside(header).like(header, &survey(header, list)).unwrap();
    builder.insert_block(list);
    builder.finish_to_bytes()
}

fn added(filter: &[u8], list: &[u8]) -> Builder {
    let header = open(filter).header().clone();
    let findings = survey(&header, list);
    let pages = open(filter).copied_pages().unwrap();
    let mut builder = beside(&header).extending(header, pages, &findings).unwrap();
    builder.insert_block(list);
    builder.count_inserted();
    builder
}

fn over(filter: &[u8]) -> Builder {
    let header = open(filter).header().clone();
    Builder::over(header, open(filter).copied_pages().unwrap())
}

fn all_settings() -> Vec<Build> {
    let exact = exact(Kind::Words, settings(SchemeId::Deletions, 0));
    let near = |bits| settings(SchemeId::Deletions, bits);
    vec![near(8), near(4), near(0), settings(SchemeId::Paper, 0), exact]
}

#[test]
fn the_union_of_two_halves_is_the_whole() {
    for settings in all_settings() {
        let whole = build(&settings, &[&list(0..9000)]);
        let header = open(&whole).header().clone();
        let (first, second) = (like(&header, &list(0..5000)), like(&header, &list(4000..9000)));
        let mut builder = over(&first);
        builder.unite(&open(&second)).unwrap();
        assert!(builder.keeps_rate());
        let united = builder.finish_to_bytes();
        assert!(pages(&united) == pages(&whole), "{:?}", settings.spec.scheme);
        let ours = open(&united).header().clone();
        assert_eq!(ours.alphabet.symbols(), header.alphabet.symbols());
        assert_eq!(ours.digrams, header.digrams);
        assert_eq!((ours.lengths, ours.lines, ours.capacity), (header.lengths, 10_000, header.capacity));
        let error = |got: u64, exact: u64| (got as f64 / exact as f64 - 1.0).abs();
        assert!(error(ours.words, header.words) < 0.02, "{} {}", ours.words, header.words);
        let derived = (ours.extension, header.extension);
        assert!(derived == (0, 0) || error(derived.0, derived.1) < 0.05, "{derived:?}");
    }
}

#[test]
fn adding_the_second_half_to_the_first_gives_the_whole() {
    for settings in all_settings() {
        let whole = build(&settings, &[&list(0..9000)]);
        let header = open(&whole).header().clone();
        let mut builder = added(&like(&header, &list(0..5000)), &list(4000..9000));
        assert!(builder.keeps_rate());
        let bytes = builder.finish_to_bytes();
        assert!(pages(&bytes) == pages(&whole), "{:?}", settings.spec.scheme);
        let ours = open(&bytes).header().clone();
        assert_eq!((&ours.digrams, ours.lengths), (&header.digrams, header.lengths));
        assert!(ours.words.abs_diff(header.words) < 200, "{} {}", ours.words, header.words);
    }
}

#[test]
fn too_many_words_do_not_keep_the_rate() {
    let filter = build(&settings(SchemeId::Deletions, 8), &[&list(0..5000)]);
    assert!(over(&filter).keeps_rate(), "what it was built for");
    assert!(added(&filter, &list(0..5000)).keeps_rate(), "what it has");
    let mut builder = added(&filter, &list(5000..6500));
    assert!(!builder.keeps_rate());
    let (rate, words) = (builder.actual_rate(), builder.header().words);
    builder.restate(rate, words);
    assert!(builder.keeps_rate());
    let restated = builder.finish_to_bytes();
    assert!(open(&restated).header().stated.false_rejection > 2e-9);
}

#[test]
fn what_differs_is_told() {
    let base = settings(SchemeId::Deletions, 8);
    let first = build(&base, &[&list(0..3000)]);
    let differs = |settings: &Build, size: usize| {
        let other = build(settings, &[&list(0..size)]);
        match over(&first).unite(&open(&other)) {
            Err(UnionError::Differs(difference)) => Some(difference),
            _ => None,
        }
    };
    assert_eq!(differs(&base, 3000), None);
    assert_eq!(differs(&Build { key: Key::new([1; 16]), ..base.clone() }, 3000), Some(Difference::Key));
    let exact = exact(Kind::Words, base.clone());
    assert_eq!(differs(&exact, 3000), Some(Difference::Match));
    assert_eq!(differs(&settings(SchemeId::Paper, 0), 3000), Some(Difference::Scheme));
    assert!(matches!(
        differs(&settings(SchemeId::Deletions, 4), 3000),
        Some(Difference::DeletionBits { .. })
    ));
    assert!(matches!(differs(&base, 6000), Some(Difference::Pages { .. } | Difference::WordBits { .. })));
    let mut other = base.clone();
    other.spec.stated.lookups = 1;
    assert!(differs(&other, 3000).is_some());
}

/// Counters of the words of `list`, bound to a filter.
fn counted(filter: &[u8], list: &[u8]) -> Counters {
    let header = open(filter).header().clone();
    let mut counters = Counters::new(&header).unwrap();
    counters.insert_block(0, Forms::Written, list);
    counters.bind(&filter[..header.header_bytes()], &header, &pages(filter));
    counters
}

fn each_entry(kind: Kind, list: &[u8], each: impl FnMut(&Entry)) {
    LineFormat { kind, min_count: 0 }.read_block(list, &mut Entry::default(), each);
}

#[test]
fn counters_above_zero_are_the_bits_of_the_filter() {
    for settings in all_settings() {
        let bytes = build(&settings, &[&list(0..6000)]);
        let counters = counted(&bytes, &[list(0..6000), b"\n".to_vec(), list(0..6000)].concat());
        assert!(counters.filter_pages().unwrap() == pages(&bytes), "{:?}", settings.spec.scheme);
        assert_eq!(counters.counts().words, open(&bytes).header().words);
    }
}

/// Words that share few deletions: no counter comes near saturation.
fn sparse(count: u64) -> Vec<u8> {
    let mut random = Random::new(4);
    (0..count).flat_map(|_| format!("{:016x}\n", random.next()).into_bytes()).collect()
}

#[test]
fn taking_out_what_was_added_gives_the_same_layers_back() {
    let extra = sparse(2000);
    for settings in all_settings() {
        let settings = Build { capacity: Some(9000), ..settings };
        let before = build(&settings, &[&list(0..6000)]);
        let mut counters = counted(&before, &list(0..6000));
        let counts = counters.counts();
        counters.insert_block(0, Forms::Written, &extra);
        assert!(counters.filter_pages().unwrap() != pages(&before));
        each_entry(Kind::Words, &extra, |entry| assert!(counters.remove(entry)));
        assert!(counters.filter_pages().unwrap() == pages(&before), "{:?}", settings.spec.scheme);
        let now = counters.counts();
        assert!(
            now.words == counts.words && now.extension.abs_diff(counts.extension) <= counts.extension / 200,
            "{now:?} {counts:?}"
        );
    }
}

/// A thousand words that are one letter longer than the same word: the counters of that deletion are
/// saturated.
#[test]
fn a_saturated_counter_stays_and_no_word_is_lost() {
    let base = settings(SchemeId::Deletions, 8);
    let crowded: String = ('\u{4e00}'..'\u{51e8}').map(|c| format!("elephant{c}\n")).collect();
    let kept = "elephanta\nelephantb\n";
    let bytes = build(&base, &[crowded.as_bytes(), kept.as_bytes()]);
    let mut counters = counted(&bytes, format!("{crowded}{kept}").as_bytes());
    let header = open(&bytes).header().clone();
    let places = positions(header.key.hash(b"elephant"), header.probes(Layer::Deletion { at: 8 }));
    let places = places.collect::<BTreeSet<_>>().len() as u64;
    assert!(places >= 6 && counters.saturated() >= places, "{places} {}", counters.saturated());
    each_entry(Kind::Words, crowded.as_bytes(), |entry| assert!(counters.remove(entry)));
    assert_eq!(counters.counts().words, 2);
    let only_kept = counted(&bytes, kept.as_bytes()).filter_pages().unwrap();
    let left = counters.filter_pages().unwrap();
    let bits = |pages: &[Page]| pages.iter().flat_map(|page| page[..BIT_BYTES].to_vec()).collect::<Vec<_>>();
    let (left, needed) = (&bits(&left)[..], &bits(&only_kept)[..]);
    assert!(left.iter().zip(needed).all(|(left, needed)| needed & !left == 0), "every bit that is needed");
    let ones = |bytes: &[u8]| bytes.iter().map(|byte| u64::from(byte.count_ones())).sum::<u64>();
    let stuck = ones(left) - ones(needed);
    assert!(stuck <= counters.saturated(), "{stuck} bits stay for {} counters", counters.saturated());
}

#[test]
fn a_word_that_is_not_counted_is_not_taken_out() {
    let bytes = build(&settings(SchemeId::Deletions, 8), &[&list(0..3000)]);
    let mut counters = counted(&bytes, &list(0..3000));
    each_entry(Kind::Words, &sparse(1000), |entry| {
        assert!(!counters.contains(entry) && !counters.remove(entry));
    });
    assert!(counters.filter_pages().unwrap() == pages(&bytes));
}

/// Pieces of words whose plain forms other words have, or such words themselves.
const PIECES: [(&str, &str, &str); 9] = [
    ("a", "a", "a"),
    ("ä", "a", "ae"),
    ("ae", "ae", "ae"),
    ("æ", "ae", "ae"),
    ("o", "o", "o"),
    ("ø", "o", "oe"),
    ("ß", "ss", "ss"),
    ("ss", "ss", "ss"),
    ("é", "e", "e"),
];

/// A word of pieces, and its plain forms.
fn word_of(pieces: &[usize]) -> (String, [String; 2]) {
    let join = |part: fn(&(&'static str, &'static str, &'static str)) -> &'static str| -> String {
        pieces.iter().map(|&piece| part(&PIECES[piece])).collect()
    };
    (
        format!("{}xyz", join(|piece| piece.0)),
        [join(|piece| piece.1), join(|piece| piece.2)].map(|form| form + "xyz"),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Beside a set of the words that were added and not removed: the bits are a filter's that is
    /// built of them and of their plain forms, whatever other words had the same forms.
    #[test]
    fn removing_a_word_leaves_every_other(
        acts in prop::collection::vec((0..4_u8, prop::collection::vec(0..PIECES.len(), 1..3)), 1..40),
    ) {
        let bytes = build(&settings(SchemeId::Deletions, 8), &[&list(0..300)]);
        let header = open(&bytes).header().clone();
        let mut counters = Counters::new(&header).unwrap();
        let mut kept: BTreeMap<String, (bool, [String; 2])> = BTreeMap::new();
        for (act, pieces) in acts {
            let (word, plain) = word_of(&pieces);
            if act == 0 {
                let mut was = false;
                each_entry(Kind::Words, word.as_bytes(), |entry| was = counters.remove(entry));
                prop_assert_eq!(was, kept.remove(&word).is_some(), "{}", word);
                continue;
            }
            let forms = if act == 1 { Forms::Written } else { Forms::Plain };
            counters.insert_block(0, forms, word.as_bytes());
            kept.entry(word).or_insert((false, plain)).0 |= forms == Forms::Plain;
        }
        let mut strings: BTreeSet<&String> = kept.keys().collect();
        strings.extend(kept.values().filter(|(has_forms, _)| *has_forms).flat_map(|(_, plain)| plain));
        let mut naive = Counters::new(&header).unwrap();
        for string in &strings {
            naive.insert_block(0, Forms::Written, string.as_bytes());
        }
        let are_equal = counters.filter_pages().unwrap() == naive.filter_pages().unwrap();
        prop_assert!(are_equal || counters.saturated() > 0);
        prop_assert_eq!(counters.counts().words, strings.len() as u64);
        for word in kept.keys() {
            each_entry(Kind::Words, word.as_bytes(), |entry| assert!(counters.contains(entry)));
        }
    }
}

fn write(counters: &mut Counters, path: &Path) {
    let mut file = Replacement::create(path, Access::Private).unwrap();
    counters.write(&mut file).unwrap();
    file.commit().unwrap();
}

#[test]
fn the_counts_file_brings_the_counters_back_and_tells_damage() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap().join("words.counts");
    let bytes = build(&settings(SchemeId::Deletions, 8), &[&list(0..3000)]);
    let header = open(&bytes).header().clone();
    let mut counters = counted(&bytes, &list(0..3000));
    write(&mut counters, &path);
    let read = Counters::open(&path).unwrap();
    assert!(read.filter_pages().unwrap() == counters.filter_pages().unwrap());
    assert_eq!(read.counts(), counters.counts());
    assert!(read.belong_to(identity_of_parts(&header, &pages(&bytes))));
    assert!(!read.belonged_to(0) && !read.belong_to(1));
    let whole = fs::read(&path).unwrap();
    let problem = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        Counters::open(&path).err().map(|error| error.problem)
    };
    for at in (0..whole.len()).step_by(499).chain([whole.len() - 1]) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x04;
        assert!(problem(&damaged).is_some(), "byte {at}");
    }
    for length in [0, 7, 4095, 4096, 9000, whole.len() - 8, whole.len() - 1] {
        assert!(problem(&whole[..length]).is_some(), "{length} bytes");
    }
    assert!(matches!(problem(&[&whole[..], b"x"].concat()), Some(CountsProblem::Length { .. })));
    assert!(matches!(problem(&bytes), Some(CountsProblem::NotCounts)));
    assert!(problem(&whole).is_none());
}

/// The counts were replaced, the filter not yet: what the counts hold is the filter that is missing.
#[test]
fn counts_that_are_ahead_of_their_filter_hold_the_new_one() {
    let old = build(&Build { capacity: Some(5000), ..settings(SchemeId::Deletions, 8) }, &[&list(0..3000)]);
    let header = open(&old).header().clone();
    let mut counters = counted(&old, &list(0..3000));
    let more = "Ωmega-words\nwith-a-new-letter-ß\n".as_bytes();
    let new = added(&old, more).finish_to_bytes();
    let new_header = open(&new).header().clone();
    counters.insert_block(0, Forms::Written, more);
    counters.bind(&new[..new_header.header_bytes()], &new_header, &pages(&new));
    assert!(counters.belonged_to(identity_of_parts(&header, &pages(&old))));
    let pages = counters.filter_pages().unwrap();
    let finished = Builder::over(counters.header().clone(), pages).finish_to_bytes();
    assert!(finished == new);
    let found = open(&finished).nearest(&common::word("Ωmega-wordſ"), false, &mut Buffers::default());
    assert!(found.unwrap().is_some());
}
