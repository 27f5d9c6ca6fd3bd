//! The builder: the same bytes whatever the threads and blocks, unions of layers, and what the header says.

use crate::common;

use crate::common::{build, exact, settings};
use nearmiss_filters::{
    chunks::{chunks, chunks_mut},
    dictionary::{Buffers, Build, DictionaryFilter, builder::BuildError},
    format::{Kind, SchemeId},
    page::{PAGE_BYTES, Page},
};

fn words(range: std::ops::Range<u32>) -> Vec<u8> {
    range.flat_map(|i| format!("word{:x}é\n", i.wrapping_mul(0x9e37_79b9)).into_bytes()).collect()
}

fn pages(bytes: &[u8]) -> Vec<Page> {
    let header = DictionaryFilter::from_bytes(bytes).unwrap().header().header_bytes();
    chunks(&bytes[header..]).0.to_vec()
}

#[test]
fn threads_and_blocks_do_not_change_a_byte() {
    let (first, second) = (words(0..20_000), words(20_000..30_000));
    for (scheme, bits) in [(SchemeId::Deletions, 8), (SchemeId::Deletions, 0), (SchemeId::Paper, 0)] {
        let one = settings(scheme, bits);
        let whole = build(&one, &[&[&first[..], &second].concat()]);
        for threads in [1, 2, 5] {
            assert!(build(&Build { threads, ..one.clone() }, &[&first, &second]) == whole);
        }
    }
}

#[test]
fn extending_by_the_second_half_gives_the_pages_of_the_whole() {
    let (first, second) = (words(0..10_000), words(10_000..20_000));
    let settings = Build { capacity: Some(20_000), ..settings(SchemeId::Deletions, 8) };
    let whole = build(&settings, &[&first, &second]);
    let half = build(&settings, &[&first]);
    let header = DictionaryFilter::from_bytes(&half[..]).unwrap().header().clone();
    let adding = Build { threads: 2, ..Build::of(&header) };
    let mut survey = adding.survey();
    survey.read_block(&second);
    let same_geometry = DictionaryFilter::from_bytes(&whole[..]).unwrap().header().pages;
    assert!(header.pages.abs_diff(same_geometry) <= header.pages / 100, "sized for the same capacity");
    let mut builder = adding.extending(header, pages(&half), &survey.finish()).unwrap();
    builder.insert_block(&second);
    builder.count_inserted();
    assert!(builder.actual_rate() <= 1.1e-9);
    let extended = DictionaryFilter::from_bytes(builder.finish_to_bytes()).unwrap();
    assert!(extended.header().words.abs_diff(20_000) < 3);
    let mut buffers = Buffers::default();
    for line in words(0..20_000).split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        assert!(extended.contains(&common::word(line), &mut buffers).unwrap());
    }
}

#[test]
fn header_says_what_was_found() {
    let filter = common::filter(&settings(SchemeId::Deletions, 4), b"one\nTwo\ntwo\n\nthree\n");
    let header = filter.header();
    assert_eq!((header.words, header.lines, header.lengths), (3, 4, (3, 5)));
    assert_eq!((header.pages, header.deletion_bits), (1, 4));
    assert_eq!(header.alphabet.len(), 7);
    assert!((header.stated.false_rejection - 1e-9).abs() < 1e-20);
}

#[test]
fn exact_filters_answer_members_only() {
    let exact = exact(Kind::Words, settings(SchemeId::Deletions, 8));
    let filter = common::filter(&exact, b"elephant\n");
    let mut buffers = Buffers::default();
    assert!(filter.nearest(&common::word("Elephant"), false, &mut buffers).unwrap().is_some());
    assert!(filter.nearest(&common::word("elephants"), false, &mut buffers).unwrap().is_none());
    assert_eq!(filter.header().scheme, SchemeId::Whole);
}

#[test]
fn nothing_to_build_from_is_an_error() {
    let result = settings(SchemeId::Deletions, 8).in_memory(&[]);
    assert_eq!(result.err(), Some(BuildError::Empty));
}

#[test]
fn damage_is_an_error_and_never_an_answer() {
    let bytes = build(&settings(SchemeId::Deletions, 8), &[&words(0..3000)]);
    let mut buffers = Buffers::default();
    let mut damaged = bytes.clone();
    for page in chunks_mut::<_, _, PAGE_BYTES>(&mut damaged[PAGE_BYTES..]).0 {
        page[77] ^= 0x10;
    }
    let filter = DictionaryFilter::from_bytes(damaged).unwrap();
    let error = filter.nearest(&common::word("anything"), false, &mut buffers);
    // "anything" has unseen pairs; a listed word must be looked up.
    assert!(error.is_ok_and(|found| found.is_none()));
    let listed = words(5..6);
    let error = filter.nearest(&common::word(listed.trim_ascii()), false, &mut buffers).err().unwrap();
    assert!(error.to_string().contains("checksum of page"), "{error}");
}
