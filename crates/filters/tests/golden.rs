//! Frozen files of format 1: the builder still writes them byte for byte, and what they answer has not
//! changed. Nothing rewrites them: see `frozen.rs`.

use crate::common;
use std::{fs, path::PathBuf};

use crate::by_the_text::{PAGE, Reading};
use crate::common::{Random, build, exact, settings, stating, word};
use nearmiss_filters::{
    dictionary::{Buffers, Build, DictionaryFilter},
    format::{Kind, SchemeId, StatedRate},
};

const WORDS: &str = "aegean\naccommodate\nelephant\nguess\npassword\néléphant\n日本語\n";
const SHA1: &str =
    "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:52256179\n7C4A8D09CA3762AF61E59520943DC26494F8941B:37359195\n";
const NTLM: &str = "8846F7EAEE8FB117AD06BDD830B7586C\n32ED87BDB5FDC5E9CBA88547376818D4\n";

const STATED: StatedRate = StatedRate { false_rejection: 0.01, characters: 8, lookups: 1 };

fn configurations() -> Vec<(&'static str, Build, &'static str)> {
    let near = |scheme, bits| stating(STATED, settings(scheme, bits));
    let whole = |kind| exact(kind, near(SchemeId::Whole, 0));
    vec![
        ("near-8", near(SchemeId::Deletions, 8), WORDS),
        ("near-6", near(SchemeId::Deletions, 6), WORDS),
        ("near-4", near(SchemeId::Deletions, 4), WORDS),
        ("near-0", near(SchemeId::Deletions, 0), WORDS),
        ("paper", near(SchemeId::Paper, 0), WORDS),
        ("exact", whole(Kind::Words), WORDS),
        ("sha1", whole(Kind::Sha1), SHA1),
        ("ntlm", whole(Kind::Ntlm), NTLM),
        ("sha1-groups", Build { group_bits: 2, ..whole(Kind::Sha1) }, SHA1),
        ("ntlm-groups", Build { group_bits: 1, ..whole(Kind::Ntlm) }, NTLM),
    ]
}

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name).with_extension("filter")
}

#[test]
fn the_builder_writes_the_frozen_files() {
    for (name, settings, list) in configurations() {
        let built = build(&settings, &[list.as_bytes()]);
        assert!(built == fs::read(path(name)).expect("golden file"), "{name}");
    }
}

#[test]
fn the_frozen_files_answer_as_they_did() {
    let mut buffers = Buffers::default();
    for (name, _, _) in configurations().iter().take(6) {
        let filter = DictionaryFilter::from_bytes(fs::read(path(name)).unwrap()).unwrap();
        for listed in WORDS.lines() {
            assert!(filter.contains(&word(listed), &mut buffers).unwrap(), "{name}: {listed}");
        }
        let mut near = |query: &str| filter.nearest(&word(query), false, &mut buffers).unwrap().is_some();
        let is_near = *name != "exact";
        for query in ["Ae-ean", "accomodate", "elephqnt", "gue;ss", "pass.word", "日語"] {
            assert_eq!(near(query), is_near, "{name}: {query}");
        }
        assert!(!near("elzhant") && !near("stranger"), "{name}");
    }
}

/// The pages for keys of a file, made of its entries by FORMAT.md alone, without their checksums.
fn pages_by_the_text<'e>(file: &[u8], entries: impl Iterator<Item = &'e [u8]>) -> Vec<u8> {
    let reading = Reading::of(file);
    let mut pages = vec![0; PAGE * usize::try_from(reading.pages).unwrap()];
    for (page, bit) in entries.flat_map(|entry| reading.bits(entry)) {
        pages[page * PAGE + bit / 8] |= 1 << (bit % 8);
    }
    pages
}

/// The pages of the table of 4-grams of a file, made of the words by FORMAT.md alone, without their
/// checksums.
fn fours_by_the_text(file: &[u8], words: &[&str]) -> Vec<u8> {
    let pages = u32::from_le_bytes(file[128..132].try_into().unwrap()) as usize;
    let mut table = vec![0; pages * PAGE];
    let is_long = |word: &&&str| word.chars().count() >= 10 && word.chars().all(char::is_alphabetic);
    for word in words.iter().filter(|_| pages > 0).filter(is_long) {
        let inner = word.chars().map(|character| u64::from(u32::from(character)) + 1);
        let numbers: Vec<u64> = [0].into_iter().chain(inner).chain([0]).collect();
        for four in numbers.windows(4) {
            let [first, second] = [four[0] << 32 | four[1], four[2] << 32 | four[3]];
            let sum = first
                .wrapping_mul(0xf135_7aea_2e62_a9c5)
                .wrapping_add(second.wrapping_mul(0xd134_2543_de82_ef95));
            let at = usize::try_from((u128::from(sum) * (pages as u128 * 32_736)) >> 64).unwrap();
            let (page, bit) = (at / 32_736, at % 32_736);
            table[page * PAGE + bit / 8] |= 1 << (bit % 8);
        }
    }
    table
}

#[test]
fn the_frozen_table_of_fours_is_that_of_the_text_of_the_format() {
    let words: Vec<&str> = WORDS.lines().collect();
    for (name, has_table) in [("near-8", true), ("near-6", true), ("near-4", false), ("paper", false)] {
        let file = fs::read(path(name)).unwrap();
        let table = fours_by_the_text(&file, &words);
        assert_eq!(!table.is_empty(), has_table, "{name}");
        assert!(bits_of(&file).ends_with(&table), "{name}");
    }
}

/// Many long words, so that the table of 4-grams takes many pages.
#[test]
fn a_large_table_of_fours_is_that_of_the_text_of_the_format() {
    let mut random = Random::new(1);
    let mut word =
        || (0..12).map(|_| char::from(b"abcdefghijklmnop"[(random.next() >> 60) as usize])).collect();
    let words: Vec<String> = (0..4000).map(|_| word()).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let list: String = words.iter().map(|word| format!("{word}\n")).collect();
    let file = build(&stating(STATED, settings(SchemeId::Deletions, 6)), &[list.as_bytes()]);
    let table = fours_by_the_text(&file, &words);
    assert!(table.len() >= 4 * PAGE, "{} bytes", table.len());
    let pages = pages_by_the_text(&file, words.iter().map(|word| word.as_bytes()));
    assert!(bits_of(&file) == [pages, table].concat());
}

/// The bits of a file's pages.
fn bits_of(file: &[u8]) -> Vec<u8> {
    let header_bytes = u32::from_le_bytes(file[12..16].try_into().unwrap());
    let mut pages = file[header_bytes as usize..].to_vec();
    pages.chunks_mut(PAGE).for_each(|page| page[PAGE - 4..].fill(0));
    pages
}

#[test]
fn the_frozen_pages_are_those_of_the_text_of_the_format() {
    for (name, _, list) in configurations() {
        let file = fs::read(path(name)).unwrap();
        let digests: Vec<Vec<u8>> = list.lines().filter_map(|line| hex(line.split(':').next()?)).collect();
        let pages = if digests.is_empty() {
            pages_by_the_text(&file, list.lines().map(str::as_bytes))
        } else {
            pages_by_the_text(&file, digests.iter().map(Vec::as_slice))
        };
        let words: Vec<&str> = list.lines().collect();
        assert!(bits_of(&file) == [pages, fours_by_the_text(&file, &words)].concat(), "{name}");
    }
}

fn hex(digits: &str) -> Option<Vec<u8>> {
    let byte = |at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    (0..digits.len()).step_by(2).map(byte).collect()
}

/// Many pages, words of up to 255 characters (places beyond 64 and 128), and lines with the checksum.
#[test]
fn a_large_filter_has_the_bits_of_the_text_of_the_format() {
    let long = ["abcdefghij".repeat(9), "0123456789é".repeat(23)];
    let words: Vec<String> = (0..3000).map(|i| format!("wört{i}x{}", i * 7)).chain(long).collect();
    let list: String = words.iter().map(|word| format!("{word}\n")).collect();
    for bits in [0, 2, 4, 6, 8] {
        let file = build(&stating(STATED, settings(SchemeId::Deletions, bits)), &[list.as_bytes()]);
        let pages = pages_by_the_text(&file, words.iter().map(String::as_bytes));
        assert!(pages.len() > 2 * PAGE, "{bits}");
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        assert!(bits_of(&file) == [pages, fours_by_the_text(&file, &words)].concat(), "{bits}");
    }
}

/// Hash, probing and layout in one line: the first numbers that a small, overfull exact filter takes for
/// members.
#[test]
fn false_positives_are_the_frozen_ones() {
    let list: String = (0..3000).map(|i| format!("word{i}\n")).collect();
    let settings = exact(Kind::Words, stating(STATED, settings(SchemeId::Whole, 0)));
    let filter = common::filter(&settings, list.as_bytes());
    let mut buffers = Buffers::default();
    let strangers = (3000..).filter(|i| filter.contains(&word(format!("word{i}")), &mut buffers).unwrap());
    assert_eq!(strangers.take(10).collect::<Vec<u32>>(), FALSE_POSITIVES);
}

const FALSE_POSITIVES: [u32; 10] = [3134, 3183, 3193, 3336, 3395, 3461, 3751, 3769, 3956, 3961];
