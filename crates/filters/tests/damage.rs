//! Damage: a filter file in which anything at all differs from the file that was written.
//!
//! Without a right checksum, every change is refused, with the error of the first check that meets it. With
//! checksums made right again, a file is refused exactly when FORMAT.md says so (`damage/format.rs` reads it
//! a second time); otherwise it is another legal filter: it encodes back to the very same bytes, and every
//! question to it is answered.

mod format;

use std::{fs, path::PathBuf};

use crate::common::{build, exact, settings, word};
use format::{CHECKSUM, PAGE, is_legal, reseal_header};
use nearmiss_filters::{
    dictionary::{Buffers, DictionaryFilter, FilterError, Problem},
    format::{FormatError, Kind, SchemeId, encode},
    page,
};

const GOLDEN: [&str; 8] = ["near-8", "near-4", "near-0", "paper", "exact", "sha1", "ntlm", "sha1-groups"];

fn golden(name: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    fs::read(folder.join(name).with_extension("filter")).unwrap()
}

fn refusal(bytes: &[u8]) -> Option<FormatError> {
    match DictionaryFilter::from_bytes(bytes) {
        Ok(_) => None,
        Err(FilterError { problem: Problem::Format(error), .. }) => Some(error),
        Err(other) => panic!("a header gives errors of the format only: {other}"),
    }
}

fn flipped(bytes: &[u8], bit: usize) -> Vec<u8> {
    let mut changed = bytes.to_vec();
    changed[bit / 8] ^= 1 << (bit % 8);
    changed
}

/// What a changed header is refused with when its checksum was not made right, by where the change is.
fn is_right_refusal(error: FormatError, byte: usize) -> bool {
    match byte {
        0..8 => error == FormatError::NotAFilter,
        8..10 => matches!(error, FormatError::Version { .. }),
        10..12 => matches!(error, FormatError::Field { name: "reserved at 10", .. }),
        // Another legal length of the header is found out by the file's length or by the checksum.
        12..16 => matches!(
            error,
            FormatError::Field { name: "header bytes", .. }
                | FormatError::TruncatedHeader { .. }
                | FormatError::HeaderDamaged
        ),
        _ => error == FormatError::HeaderDamaged,
    }
}

#[test]
fn every_bit_of_the_header_is_watched() {
    for name in GOLDEN {
        let bytes = golden(name);
        for bit in 0..PAGE * 8 {
            let error = refusal(&flipped(&bytes, bit)).expect("a changed header is refused");
            assert!(is_right_refusal(error, bit / 8), "{name}, bit {bit}: {error:?}");
        }
    }
    println!("torture: bits of filter headers: {0} tried, {0} held", GOLDEN.len() * PAGE * 8);
}

/// Asks what a lookup can be asked; any answer will do, as long as there is one.
fn ask(filter: &DictionaryFilter<&[u8]>) {
    let mut buffers = Buffers::default();
    for text in ["elephant", "elephqnt", "日語", "x", "stranger to all of it", "\u{1f600}", ""] {
        for swaps in [false, true] {
            filter.nearest(&word(text), swaps, &mut buffers).expect("sealed pages");
        }
        filter.contains(&word(text), &mut buffers).expect("sealed pages");
    }
    filter.scan(|_, _, is_intact| assert!(is_intact)).expect("pages in memory");
}

/// One changed bit with the checksum made right: refused or another legal filter, as FORMAT.md says.
fn check_resealed(name: &str, bytes: &[u8], bit: usize) -> bool {
    let mut changed = flipped(bytes, bit);
    reseal_header(&mut changed);
    match DictionaryFilter::from_bytes(&changed[..]) {
        Err(FilterError { problem: Problem::Format(error), .. }) => {
            assert!(!is_legal(&changed), "{name}, bit {bit} is legal: {error:?}");
            assert_ne!(error, FormatError::HeaderDamaged, "{name}, bit {bit}");
            false
        }
        Err(other) => panic!("{name}, bit {bit}: {other}"),
        Ok(filter) => {
            assert!(is_legal(&changed), "{name}, bit {bit} was let through");
            assert!(encode(filter.header()) == changed[..PAGE], "{name}, bit {bit} was not read");
            ask(&filter);
            true
        }
    }
}

#[test]
fn every_bit_of_the_header_with_a_right_checksum() {
    for name in GOLDEN {
        let bytes = golden(name);
        let bits = (0..PAGE * 8).filter(|bit| !CHECKSUM.contains(&(bit / 8)));
        let legal = bits.filter(|&bit| check_resealed(name, &bytes, bit)).count();
        // Key, counts, times and rates are free; what lies beyond the tables is not.
        assert!((256..2048).contains(&legal), "{name}: {legal} bits are free");
    }
    println!("torture: the same with right checksums: {0} tried, {0} held", GOLDEN.len() * (PAGE - 4) * 8);
}

#[test]
fn every_length_of_the_header_is_refused() {
    for name in GOLDEN {
        let bytes = golden(name);
        for length in 0..=PAGE {
            let error = refusal(&bytes[..length]).expect("a cut file is refused");
            let is_right = match length {
                0..8 => error == FormatError::NotAFilter,
                8..256 => error == FormatError::TruncatedHeader { expected: 256, got: length as u64 },
                256..PAGE => error == FormatError::TruncatedHeader { expected: 4096, got: length as u64 },
                _ => error == FormatError::Length { expected: bytes.len() as u64, got: length as u64 },
            };
            assert!(is_right, "{name}, cut to {length}: {error:?}");
        }
    }
    println!("torture: lengths of filter headers: {0} tried, {0} held", GOLDEN.len() * (PAGE + 1));
}

/// An exact filter of several pages.
fn large() -> Vec<u8> {
    let list: String = (0..4000).map(|i| format!("word{i}\n")).collect();
    build(&exact(Kind::Words, settings(SchemeId::Whole, 0)), &[list.as_bytes()])
}

fn pages(bytes: &[u8]) -> usize {
    bytes.len() / PAGE - 1
}

#[test]
fn every_page_boundary_and_one_byte_more_is_refused() {
    let bytes = large();
    assert!(pages(&bytes) > 4, "{} pages", pages(&bytes));
    let expected = bytes.len() as u64;
    let around = (1..=pages(&bytes)).flat_map(|page| [page * PAGE - 1, page * PAGE, page * PAGE + 1]);
    for length in around.chain([bytes.len() - 1]) {
        let wanted = match length {
            ..PAGE => FormatError::TruncatedHeader { expected: 4096, got: length as u64 },
            _ => FormatError::Length { expected, got: length as u64 },
        };
        assert_eq!(refusal(&bytes[..length]), Some(wanted));
    }
    for more in [1, PAGE] {
        let longer = [&bytes[..], &vec![0; more]].concat();
        let got = longer.len() as u64;
        assert_eq!(refusal(&longer), Some(FormatError::Length { expected, got }));
    }
}

/// The answers to all words of [`large`] and to as many strangers: none if the page is damaged.
fn answers(bytes: &[u8]) -> Vec<Option<bool>> {
    let filter = DictionaryFilter::from_bytes(bytes).unwrap();
    let mut buffers = Buffers::default();
    let mut ask = |i: usize| match filter.contains(&word(format!("word{i}")), &mut buffers) {
        Ok(answer) => Some(answer),
        Err(FilterError { problem: Problem::DamagedPage { index }, .. }) => {
            assert!(index < pages(bytes) as u64);
            None
        }
        Err(other) => panic!("{other}"),
    };
    (0..8000).map(&mut ask).collect()
}

fn damaged_pages(bytes: &[u8]) -> Vec<u64> {
    let mut damaged = Vec::new();
    let filter = DictionaryFilter::from_bytes(bytes).unwrap();
    filter.scan(|index, _, is_intact| damaged.extend((!is_intact).then_some(index))).unwrap();
    damaged
}

/// One bit of a page, a third of them in its checksum: that page answers nothing any more, the others as
/// before.
#[test]
fn one_bit_in_every_page_silences_that_page_alone() {
    let bytes = large();
    let before = answers(&bytes);
    let mut silenced = 0;
    for page in 0..pages(&bytes) {
        for bit in [page * 977 % 32_736, 32_735, 32_736 + page % 32] {
            let changed = flipped(&bytes, (page + 1) * PAGE * 8 + bit);
            assert_eq!(damaged_pages(&changed), [page as u64]);
            let after = answers(&changed);
            let is_same = |(old, new): (&Option<bool>, &Option<bool>)| new.is_none() || new == old;
            assert!(before.iter().zip(&after).all(is_same), "page {page}, bit {bit}");
            silenced += after.iter().filter(|answer| answer.is_none()).count();
        }
    }
    assert_eq!(silenced, 3 * before.len(), "each word asks one page");
    println!("torture: damaged pages: {0} tried, {0} held", 3 * pages(&bytes));
}

/// With the page's checksum made right, a set bit can only add answers of yes and a cleared one only take
/// some away, and of that page alone.
#[test]
fn one_bit_in_every_page_with_a_right_checksum_changes_answers_one_way() {
    let bytes = large();
    let before = answers(&bytes);
    for page in 0..pages(&bytes) {
        for bit in [page * 977 % 32_736, (page * 31 + 16_000) % 32_736] {
            let mut changed = flipped(&bytes, (page + 1) * PAGE * 8 + bit);
            let (start, end) = ((page + 1) * PAGE, (page + 2) * PAGE);
            page::seal((&mut changed[start..end]).try_into().unwrap());
            let is_set = changed[start + bit / 8] >> (bit % 8) & 1 == 1;
            assert_eq!(damaged_pages(&changed), []);
            let after = answers(&changed);
            let turned: Vec<_> = before.iter().zip(&after).filter(|(old, new)| old != new).collect();
            assert!(turned.iter().all(|(_, new)| **new == Some(is_set)), "page {page}, bit {bit}");
        }
    }
}
