//! Evil counts files, made from one that is written here by FORMAT-COUNTS.md alone.

use super::{Evil, Expected};

const PAGE: usize = 4096;
const COUNTERS: usize = 16_384;

/// The uses of a word of a list.
const WORD: u32 = 1 << 31;

/// The counts of a filter of nothing with two hashes of words.
fn good() -> Vec<u8> {
    let mut file = b"\x89NMC\r\n\x1a\n\x01\0\0\0\0\x10\0\0".to_vec();
    file.resize(40, 0);
    file.extend(2_u64.to_le_bytes());
    file.resize(PAGE, 0);
    file.extend_from_slice(&super::dictionary::near()[..PAGE]);
    file.resize(2 * PAGE + COUNTERS - 4, 0);
    file.extend(crc32fast::hash(&[0; COUNTERS - 4]).to_le_bytes());
    file.extend_from_slice(&super::dictionary::near()[2 * PAGE..]);
    for hash in [5_u64, 7] {
        file.extend(hash.to_le_bytes());
        file.extend(WORD.to_le_bytes());
    }
    reseal(file)
}

/// The checksums of head and words made right.
fn reseal(mut file: Vec<u8>) -> Vec<u8> {
    let words = crc32fast::hash(&file[3 * PAGE + COUNTERS..]);
    file[20..24].copy_from_slice(&words.to_le_bytes());
    file[16..20].fill(0);
    let head = crc32fast::hash(&file[..2 * PAGE]);
    file[16..20].copy_from_slice(&head.to_le_bytes());
    file
}

fn with(at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut file = good();
    file[at..at + bytes.len()].copy_from_slice(bytes);
    reseal(file)
}

/// A bit behind the last counter, under a right checksum.
fn with_a_bit_behind() -> Vec<u8> {
    let (mut file, page) = (good(), 2 * PAGE..2 * PAGE + COUNTERS);
    file[page.end - 5] = 1;
    let sum = crc32fast::hash(&file[page.start..page.end - 4]);
    file[page.end - 4..page.end].copy_from_slice(&sum.to_le_bytes());
    file
}

fn flipped(at: usize) -> Vec<u8> {
    let mut file = good();
    file[at] ^= 4;
    file
}

pub fn all() -> Vec<Evil> {
    let words = 3 * PAGE + COUNTERS;
    let list = vec![
        ("empty", vec![], "NotCounts"),
        ("head-ends-early", good()[..PAGE - 1].to_vec(), "NotCounts"),
        ("magic-of-a-filter", with(0, b"\x89NMF"), "NotCounts"),
        ("version-2", with(8, &[2]), "Version { got: 2"),
        ("reserved-10", with(10, &[1]), "HeadDamaged"),
        ("reserved-56", with(4000, &[1]), "HeadDamaged"),
        ("header-bytes-4-gib", with(12, &[0, 0xf0, 0xff, 0xff]), "HeadDamaged"),
        ("header-bytes-0", with(12, &[0; 4]), "HeadDamaged"),
        ("checksum-wrong", flipped(30), "HeadDamaged"),
        ("header-of-no-filter", with(PAGE, b"X"), "Header(NotAFilter)"),
        ("words-2-to-61", with(40, &(1_u64 << 61).to_le_bytes()), "Length"),
        ("words-most", with(40, &[0xff; 8]), "Length"),
        ("one-byte-more", [good(), vec![0]].concat(), "Length"),
        ("page-damaged", flipped(2 * PAGE + 100), "DamagedPage { index: 0 }"),
        ("quads-damaged", flipped(2 * PAGE + COUNTERS + 100), "DamagedPage { index: 1 }"),
        ("bit-behind-the-counters", with_a_bit_behind(), "DamagedPage { index: 0 }"),
        ("words-damaged", flipped(words), "DamagedWords"),
        ("words-descend", with(words, &[9]), "DamagedWords"),
        ("words-repeat", with(words, &[7]), "DamagedWords"),
        ("word-without-use", with(words + 8, &[0; 4]), "DamagedWords"),
        ("forms-of-no-word", with(words + 8, &[1, 0, 0, 0x40]), "DamagedWords"),
        ("good", good(), ""),
    ];
    list.into_iter()
        .map(|(name, bytes, problem)| Evil::new(name, "counts", bytes, Expected::Counts(problem)))
        .collect()
}
