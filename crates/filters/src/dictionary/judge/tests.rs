//! Honest filters of every kind are not refused, and what nobody built from a list is.

use super::*;
use crate::{
    chunks::chunks_mut,
    dictionary::{Build, DictionaryFilter, Spec},
    format::{self, Match, SchemeId, StatedRate},
    hash::Key,
    ladder::SeededRandom,
    page::{PAGE_BITS, PAGE_BYTES, seal},
};

fn faults_of(bytes: &[u8], known: &[&str]) -> Vec<Fault> {
    let filter = DictionaryFilter::from_bytes(bytes).unwrap();
    let known = known.iter().map(|password| password.as_bytes());
    let mut judge = Judge::new(filter.header(), known, &mut SeededRandom::new(7)).unwrap();
    let pages = filter.header().pages;
    filter
        .scan(|index, page, _| {
            if index < pages {
                judge.see(index, page);
            }
        })
        .unwrap();
    judge.faults()
}

fn built(spec: Spec, list: &str) -> Vec<u8> {
    Build::new(spec, Key::new([5; 16])).in_memory(&[list.as_bytes()]).unwrap()
}

fn digests(count: u64) -> String {
    let digest = |i: u64| {
        let half = |i: u64| Key::new([9; 16]).hash(&i.to_le_bytes());
        format!("{:016x}{:016x}{:08x}\n", half(3 * i), half(3 * i + 1), half(3 * i + 2) >> 32)
    };
    (0..count).map(digest).collect()
}

fn of_digests() -> Spec {
    Spec::of_digests(Kind::Sha1)
}

/// The filter with its pages changed and their checksums made right again.
fn changed(bytes: &[u8], mut change: impl FnMut(u64, &mut Page)) -> Vec<u8> {
    let header = format::decode(bytes, bytes.len() as u64).unwrap();
    let mut changed = bytes.to_vec();
    let (pages, _) = chunks_mut::<_, _, PAGE_BYTES>(&mut changed[header.header_bytes()..]);
    for (index, page) in (0..header.pages).zip(pages) {
        change(index, page);
        seal(page);
    }
    changed
}

#[test]
fn honest_filters_have_no_fault() {
    let numbers: String = (0..20_000).map(|number| format!("{number:05}\n")).collect();
    let dates: String = (0..10_000_u32)
        .map(|day| format!("{:02}{:02}{:04}\n", day % 28 + 1, day / 28 % 12 + 1, 1900 + day / 336))
        .collect();
    let words: String =
        (0..10_000_u64).map(|i| format!("{}\n", std::str::from_utf8(&word(i)).unwrap())).collect();
    let near = Spec::default();
    let exact = Spec { matching: Match::Exact, ..near };
    let paper = Spec { scheme: SchemeId::Paper, ..near };
    let loose = Spec { stated: StatedRate { false_rejection: 0.3, ..near.stated }, ..near };
    let deletions = [0, 2, 4, 6, 8].map(|deletion_bits| Spec { deletion_bits, ..near });
    for list in [&numbers[..6], "elephant\naccommodate\n", &numbers[..6000], &numbers, &dates, &words] {
        for spec in deletions.into_iter().chain([exact, paper, loose]) {
            let faults = faults_of(&built(spec, list), &[]);
            assert_eq!(faults, [], "{spec:?} {:?}", &list[..6]);
        }
    }
    for count in [1, 10, 700, 2000, 4000, 30_000, 100_000] {
        for spec in [of_digests(), of_digests().for_logins()] {
            assert_eq!(faults_of(&built(spec, &digests(count)), &[]), [], "{spec:?} {count}");
        }
    }
}

/// A word of letters as a random one has them.
fn word(i: u64) -> Vec<u8> {
    let hash = Key::new([4; 16]).hash(&i.to_le_bytes());
    (0..6 + hash % 5).map(|at| b'a' + u8::try_from((hash >> (5 * at)) % 26).unwrap()).collect()
}

#[test]
fn with_room_for_more_and_in_groups_there_is_no_fault_either() {
    let roomy = Build { capacity: Some(100_000), ..Build::new(of_digests(), Key::new([5; 16])) };
    assert_eq!(faults_of(&roomy.in_memory(&[digests(2000).as_bytes()]).unwrap(), &[]), []);
    let grouped = Build { group_bits: 3, ..Build::new(of_digests(), Key::new([5; 16])) };
    assert_eq!(faults_of(&grouped.in_memory(&[digests(100_000).as_bytes()]).unwrap(), &[]), []);
}

#[test]
fn what_nobody_built_from_a_list_has_a_fault() {
    let words: String =
        (0..30_000_u64).map(|i| format!("{}\n", std::str::from_utf8(&word(i)).unwrap())).collect();
    for (spec, list) in [(of_digests(), digests(100_000)), (Spec::default(), words)] {
        let good = built(spec, &list);
        let all = |byte: u8| changed(&good, |_, page| page.fill(byte));
        let every = |part: u64, byte: u8| {
            changed(&good, move |index, page| {
                if index % part == 0 {
                    page.fill(byte);
                }
            })
        };
        let says = |bytes: &[u8], faults: &[&str]| {
            let found = faults_of(bytes, &[]);
            let texts: Vec<String> = found.iter().map(ToString::to_string).collect();
            for fault in faults {
                assert!(texts.iter().any(|text| text.contains(fault)), "{:?} {fault}: {texts:?}", spec.kind);
            }
        };
        says(&all(0xff), &["rejects 100.0 % of good passwords", "contains 10000 of 10000 random strings"]);
        says(&all(0), &["page 0 has 0 of 32736 bits set", "have 0 bits set on average"]);
        says(&every(2, 0), &["page 0 has 0 of 32736 bits set"]);
        says(
            &every(10, 0xff),
            &["of good passwords by accident, but its header states 0.1 %", "random strings"],
        );
        // One byte in eight of each page filled: nothing stands out but the sum.
        let fuller = changed(&good, |_, page| page.chunks_mut(8).for_each(|eight| eight[0] = 0xff));
        assert_ne!(faults_of(&fuller, &[]), [], "{:?}", spec.kind);
        let half = |page: &mut Page| page.chunks_mut(2).for_each(|two| two[0] = 0);
        says(&changed(&good, |_, page| half(page)), &["bits set on average, but the"]);
    }
}

#[test]
fn what_must_be_there_is_asked_for() {
    let list = ["123456", "password", "dragon"];
    for kind in [Kind::Words, Kind::Sha1, Kind::Ntlm] {
        let line = |password: &&str| match digest_of(kind, password.as_bytes()) {
            Some(digest) => digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>() + "\n",
            None => format!("{password}\n"),
        };
        let spec = Spec { kind, matching: Match::Exact, ..Spec::default() };
        let filter = built(spec, &list.iter().map(line).collect::<String>());
        assert_eq!(faults_of(&filter, &list), [], "{kind:?}");
        assert_eq!(faults_of(&filter, &["123456", "iloveyou"]), [Fault::Known { found: 1, tried: 2 }]);
    }
    let paper = Spec { scheme: SchemeId::Paper, ..Spec::default() };
    assert_eq!(faults_of(&built(paper, "password\n"), &["iloveyou"]), [], "it stores no words");
}

#[test]
fn a_corpus_is_a_large_filter_of_digests() {
    let filter = built(of_digests(), &digests(10));
    let mut header = DictionaryFilter::from_bytes(&filter[..]).unwrap().header().clone();
    let mut of = |kind, words| {
        (header.kind, header.words) = (kind, words);
        is_corpus(&header)
    };
    assert!(of(Kind::Sha1, FEWEST_OF_CORPUS) && of(Kind::Ntlm, u64::MAX));
    assert!(!of(Kind::Sha1, FEWEST_OF_CORPUS - 1) && !of(Kind::Words, u64::MAX));
}

/// The bounds of a page leave no room to a full or an empty one, where there are many pages.
#[test]
fn bounds_are_near_to_what_pages_have() {
    let filter = built(of_digests(), &digests(100_000));
    let header = DictionaryFilter::from_bytes(&filter[..]).unwrap().header().clone();
    let (least, most) = Bounds::of(&header).page;
    assert!(least > PAGE_BITS / 4 && most < PAGE_BITS * 3 / 4, "{least} {most}");
}
