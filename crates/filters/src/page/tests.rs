#![allow(clippy::arithmetic_side_effects, clippy::cast_possible_truncation, reason = "tests")]

use super::*;
use crate::{chunks::chunks_mut, hash::Key};

const LINE_BITS: u32 = 512;

fn hash(i: u64) -> u64 {
    Key::new([7; 16]).hash(&i.to_le_bytes())
}

const SPREADS: [Spread; 3] = [Spread::Page, Spread::FourPerLine, Spread::EightPerLine];

fn probes(layer: Layer, count: u8, spread: Spread) -> Probes {
    Probes { layer, count, spread }
}

/// Every number of probes in every spread.
fn all_probes(layer: Layer) -> impl Iterator<Item = Probes> {
    (0..=MAX_PROBES).flat_map(move |count| SPREADS.map(|spread| probes(layer, count, spread)))
}

fn deletions() -> impl Iterator<Item = Layer> {
    (0..=u8::MAX).map(|at| Layer::Deletion { at })
}

fn is_set(page: &Page, at: u32) -> bool {
    page[at as usize / 8] >> (at % 8) & 1 == 1
}

#[test]
fn what_was_set_is_found_for_every_number_of_probes() {
    for probes in all_probes(Layer::Word) {
        let mut page = [0; PAGE_BYTES];
        for i in 0..20 {
            assert_eq!(set(&mut page, hash(i), probes), probes.count > 0);
            assert!(!set(&mut page, hash(i), probes));
        }
        assert!((0..20).all(|i| may_be_word(&page, hash(i), probes)), "{probes:?}");
        assert!((0..20).all(|i| test(&page, hash(i), probes)), "{probes:?}");
        let found = (20..1020).filter(|&i| test(&page, hash(i), probes)).count();
        assert!(probes.count < 4 || found < 10, "{found} strangers found with {probes:?}");
    }
}

#[test]
fn layers_and_places_are_apart_on_the_same_line() {
    for (i, of) in (1..=40).flat_map(|i| deletions().map(move |of| (i, of))) {
        let mut page = [0; PAGE_BYTES];
        set(&mut page, hash(i), probes(of, 8, Spread::EightPerLine));
        let is_there = |&at: &Layer| test(&page, hash(i), probes(at, 8, Spread::EightPerLine));
        assert_eq!(deletions().filter(is_there).collect::<Vec<_>>(), [of]);
        assert!(!test(&page, hash(i), probes(Layer::Word, 8, Spread::EightPerLine)));
    }
    let first = |at| at / LINE_BITS == (hash(1) & 63) as u32;
    let is_there = |layer, count, spread| positions(hash(1), probes(layer, count, spread)).all(first);
    assert!(
        is_there(Layer::Word, 8, Spread::EightPerLine) && !is_there(Layer::Word, 16, Spread::EightPerLine)
    );
    assert!(is_there(Layer::Word, 4, Spread::FourPerLine) && !is_there(Layer::Word, 8, Spread::FourPerLine));
    assert!(deletions().all(|layer| is_there(layer, 8, Spread::EightPerLine)));
}

/// One look at all places finds what a question for each place finds.
#[test]
fn places_are_asked_together() {
    for (count, number) in [0, 2, 4, 6, 8].into_iter().flat_map(|count| (0..100).map(move |i| (count, i))) {
        let (page, hash) = (crowded(number), hash(number));
        for (of, at) in deletions().zip(0_usize..) {
            let probes = probes(of, count, Spread::EightPerLine);
            let is_there = places(&page, hash, at / PLACES, probes) >> (at % PLACES) & 1 == 1;
            assert_eq!(is_there, test(&page, hash, probes), "{of:?} {probes:?}");
        }
    }
}

#[test]
fn a_number_with_a_place_in_it_stands_for_its_hash_in_the_deletion_layer() {
    for (i, at) in (0..50).flat_map(|i| [0, 1, 63, 64, 255].map(|at| (i, at))) {
        let (marked, probes) =
            (with_place(hash(i), at), probes(Layer::Deletion { at }, 6, Spread::EightPerLine));
        assert_eq!(place_of(marked), at);
        assert_eq!(first_byte(marked), first_byte(hash(i)));
        assert!(positions(marked, probes).eq(positions(hash(i), probes)));
        for pages in [1, 3, 1000, 1 << 40] {
            assert_eq!(page_of(marked, pages), page_of(hash(i), pages));
        }
    }
}

#[test]
fn positions_agree_with_set_and_stay_in_the_page() {
    for (i, spread) in (0..500).flat_map(|i| SPREADS.map(|spread| (i, spread))) {
        for layer in [Layer::Word, Layer::Deletion { at: 7 }, Layer::Deletion { at: 180 }] {
            let probes = probes(layer, 30, spread);
            let mut page = [0; PAGE_BYTES];
            set(&mut page, hash(i), probes);
            let mut seen = [0_u8; PAGE_BYTES];
            for position in positions(hash(i), probes) {
                assert!(position < PAGE_BITS);
                seen[position as usize / 8] |= 1 << (position % 8);
            }
            assert!(page == seen);
            assert_eq!(ones(&page), seen.iter().map(|b| b.count_ones()).sum::<u32>());
        }
    }
}

#[test]
fn a_sealed_page_tells_every_flipped_bit() {
    let mut page = [0x5a; PAGE_BYTES];
    seal(&mut page);
    assert!(is_intact(&page));
    assert_eq!(ones(&page), PAGE_BITS / 2);
    for bit in (0..PAGE_BYTES * 8).step_by(31) {
        page[bit / 8] ^= 1 << (bit % 8);
        assert!(!is_intact(&page), "bit {bit}");
        page[bit / 8] ^= 1 << (bit % 8);
    }
}

#[test]
fn pages_are_never_out_of_range() {
    for pages in [1, 2, 3, 1000, 1 << 40, u64::MAX] {
        assert!(page_of(u64::MAX, pages) < pages);
        assert_eq!(page_of(0, pages), 0);
    }
}

/// The false positive rate of one page against fill^k (Bloom 1970), 17 probes at half fill, where plain
/// double hashing is 3.4 times off.
#[test]
fn false_positives_are_those_of_independent_positions() {
    const PROBES: Probes = Probes { layer: Layer::Word, count: 17, spread: Spread::Page };
    let (mut page, mut i) = ([0; PAGE_BYTES], 0);
    while ones(&page) < PAGE_BITS / 2 {
        set(&mut page, hash(i), PROBES);
        i += 1;
    }
    let trials = 30_000_000_u64;
    let found = (0..trials).filter(|&j| test(&page, hash(j) ^ 0x55aa, PROBES)).count();
    let expected = trials as f64 * (f64::from(ones(&page)) / f64::from(PAGE_BITS)).powi(17);
    let deviation = (found as f64 - expected) / expected.sqrt();
    assert!(deviation.abs() < 5.0, "{found} found, {expected:.0} expected");
}

/// A page of which about seven bits in eight are set.
fn crowded(number: u64) -> Page {
    let mut page = [0; PAGE_BYTES];
    for (eight, i) in chunks_mut::<_, _, 8>(&mut page[..]).0.iter_mut().zip((0_u64..).step_by(4)) {
        let random = |j| hash(number << 32 | i | j);
        *eight = (random(0) | random(1) | random(2)).to_le_bytes();
    }
    page
}

#[test]
fn a_string_is_found_when_all_its_positions_are_set_and_only_then() {
    for layer in [Layer::Word, Layer::Deletion { at: 0 }, Layer::Deletion { at: 200 }] {
        for probes in all_probes(layer) {
            let before = crowded(u64::from(probes.count));
            for i in 0..40 {
                let all: Vec<u32> = positions(hash(i), probes).collect();
                assert_eq!(all.len(), usize::from(probes.count));
                let is_there = all.iter().all(|&at| is_set(&before, at));
                assert_eq!(test(&before, hash(i), probes), is_there, "{i} {probes:?}");
                let mut after = before;
                assert_eq!(set(&mut after, hash(i), probes), !is_there, "{i} {probes:?}");
                let mut expected = before;
                for &at in &all {
                    expected[at as usize / 8] |= 1 << (at % 8);
                }
                assert!(after == expected, "{i} {probes:?}");
            }
        }
    }
}

#[test]
fn the_first_look_is_at_the_first_bits() {
    for probes in all_probes(Layer::Word) {
        let page = crowded(u64::from(probes.count));
        let at_once = if probes.spread == Spread::EightPerLine { 8 } else { 4 };
        for i in 0..40 {
            let are_set = positions(hash(i), probes).take(at_once).all(|at| is_set(&page, at));
            assert_eq!(may_be_word(&page, hash(i), probes), are_set, "{i} {probes:?}");
        }
    }
}

#[test]
fn hashes_fall_on_all_pages_in_their_order() {
    let eighths = |pages| (0..8).map(|eighth| page_of(eighth << 61, pages)).collect::<Vec<_>>();
    assert_eq!(eighths(8), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(eighths(4), [0, 0, 1, 1, 2, 2, 3, 3]);
    assert_eq!(eighths(12), [0, 1, 3, 4, 6, 7, 9, 10]);
}

#[test]
fn the_first_bytes_are_those_of_the_lines_of_the_bits() {
    for (i, spread) in
        (0..500).flat_map(|i| [Spread::FourPerLine, Spread::EightPerLine].map(|spread| (i, spread)))
    {
        let lines = |probes| {
            let mut lines: Vec<u32> = positions(hash(i), probes).map(|at| at / LINE_BITS * 64).collect();
            lines.dedup();
            lines
        };
        let word = probes(Layer::Word, 21, spread);
        let mut bytes: Vec<u32> = first_bytes(hash(i), word).map(|byte| byte as u32).collect();
        bytes.dedup();
        assert_eq!(bytes, lines(word));
        let deletion = probes(Layer::Deletion { at: 3 }, 8, spread);
        assert_eq!(lines(deletion), [first_byte(hash(i)) as u32]);
        assert_eq!(bytes[0], first_byte(hash(i)) as u32);
    }
    assert_eq!(first_bytes(hash(1), probes(Layer::Word, 8, Spread::Page)).count(), 0);
}

#[test]
fn the_bytes_of_bits_anywhere_are_those_where_they_are_set() {
    for (i, count) in [1, 4, 7, 16, 64].into_iter().enumerate() {
        let bits = positions(hash(i as u64), probes(Layer::Word, count, Spread::Page));
        let bits: Vec<usize> = bits.map(|at| at as usize / 8).collect();
        let mut bytes = Vec::new();
        each_byte_anywhere(hash(i as u64), count, |byte| bytes.push(byte));
        assert_eq!(bytes[..bits.len()], bits, "{count}");
        assert_eq!(bytes.len(), bits.len().next_multiple_of(4), "{count}");
    }
}

#[test]
fn the_checksum_is_the_crc_of_the_bits() {
    let mut page = crowded(1);
    page[BIT_BYTES..].fill(0);
    assert!(!is_intact(&page));
    seal(&mut page);
    let sum = crc32fast::hash(&page[..BIT_BYTES]).to_le_bytes();
    assert!(page[BIT_BYTES..] == sum && is_intact(&page));
}

#[test]
fn each_of_the_bits_falls_on_the_whole_page() {
    const PROBES: Probes = Probes { layer: Layer::Word, count: 22, spread: Spread::Page };
    let mut used = [[0_u32; 64]; 22];
    for i in 0..64_000 {
        let all = positions(hash(i), PROBES);
        used.iter_mut().zip(all).for_each(|(used, at)| used[(at / LINE_BITS) as usize] += 1);
    }
    // 1001 fall on each line, 939 on the last, which is shorter; six standard deviations.
    let is_even = |used: &[u32; 64]| used.iter().all(|count| (750..=1200).contains(count));
    assert!(used.iter().all(is_even), "{used:?}");
}

/// How often each bit of a page is used by 64,000 strings, of which the bits of each group lie in one line,
/// at most one a word.
fn used(probes: Probes, per_line: usize) -> Vec<u32> {
    let mut used = vec![0_u32; PAGE_BITS as usize];
    for i in 0..64_000 {
        let all: Vec<u32> = positions(hash(i), probes).collect();
        for &at in &all {
            used[at as usize] += 1;
        }
        for group in all.chunks(per_line) {
            let mut words: Vec<u32> = group.iter().map(|&at| at / 64).collect();
            assert!(words.iter().all(|&word| word / 8 == words[0] / 8));
            words.sort_unstable();
            words.dedup();
            assert_eq!(words.len(), group.len());
        }
    }
    used
}

/// Words of 64 bits are used equally, and the bits of each, but for the one of which half is the checksum.
#[test]
fn bits_in_lines_fall_on_the_whole_page() {
    let word = |count, spread| probes(Layer::Word, count, spread);
    let deletion = |count, at| probes(Layer::Deletion { at }, count, Spread::EightPerLine);
    for (probes, per_line) in [
        (word(22, Spread::EightPerLine), 8),
        (word(15, Spread::FourPerLine), 4),
        (deletion(6, 0), 8),
        (deletion(2, 77), 8),
    ] {
        let used = used(probes, per_line);
        let mean = f64::from(probes.count) * 64_000.0 / 512.0;
        let is_near = |sum: u32, mean: f64| (f64::from(sum) - mean).abs() < 6.0 * mean.sqrt();
        for word in used.chunks(64) {
            assert!(is_near(word.iter().sum(), mean), "{probes:?}: {word:?}");
            let bit = mean / word.len() as f64;
            assert!(bit < 30.0 || word.iter().all(|&count| is_near(count, bit)), "{probes:?}: {word:?}");
        }
    }
}
