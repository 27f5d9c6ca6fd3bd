//! The probability that a page has all bits of a string that was never stored.
//!
//! A keyed hash chooses the bits of a string, so that a stranger's bits fall anywhere. The computation uses
//! the actual content of the page, not the expected one: it does not matter who wrote it.

#![allow(clippy::arithmetic_side_effects, reason = "numbers of bits in a line")]

use super::{BIT_BYTES, LINE_WORDS, Layer, PAGE_BITS, Page, Probes, Spread, ones};
use crate::chunks::chunks;

/// The probability that all bits of a string that was never stored are set in `page`. If each bit falls
/// anywhere on the page, it is *fⁿ*, *f* being the fraction of bits that are set (Bloom 1970); if bits lie in
/// lines, it is the product of the means over the lines, one for each group.
pub fn accident(page: &Page, probes: Probes) -> f64 {
    let count = probes.count;
    match (probes.layer, probes.spread) {
        (Layer::Word, Spread::Page) => power(f64::from(ones(page)) / f64::from(PAGE_BITS), count),
        (Layer::Deletion { .. }, _) => mean(page, count),
        (Layer::Word, spread) => in_groups(count, spread.per_line(), |bits| mean(page, bits)),
    }
}

fn power(base: f64, exponent: u8) -> f64 {
    base.powi(i32::from(exponent))
}

/// The product over the groups of `count` bits; the lines of two groups are independent.
fn in_groups(count: u8, per_line: u8, of_group: impl Fn(u8) -> f64) -> f64 {
    let (whole, rest) = (count / per_line.max(1), count % per_line.max(1));
    let of_whole = if whole > 0 { power(of_group(per_line), whole) } else { 1.0 };
    if rest > 0 { of_whole * of_group(rest) } else { of_whole }
}

/// The ones of each word of a line, and the bits that each has.
type Line = [(u32, u32); LINE_WORDS];

/// The mean over the lines of a page of the probability that `bits` bits of a string are set.
fn mean(page: &Page, bits: u8) -> f64 {
    let (lines, _) = chunks::<_, _, { 8 * LINE_WORDS }>(page.get(..).unwrap_or_default());
    let all = lines.len().max(1) as f64;
    let each = (0_usize..).zip(lines).map(|(number, line)| {
        let mut words = [(0, 64); LINE_WORDS];
        for (place, word) in words.iter_mut().zip(chunks::<_, _, 8>(&line[..]).0) {
            *place = (u64::from_le_bytes(*word).count_ones(), 64);
        }
        if (number + 1) * line.len() > BIT_BYTES {
            // The upper half of the last word is the checksum.
            let lower = line.get(line.len() - 8..).and_then(|word| word.first_chunk()).copied();
            words[LINE_WORDS - 1] = (u32::from_le_bytes(lower.unwrap_or_default()).count_ones(), 32);
        }
        one_in_each_word(&words, bits)
    });
    each.sum::<f64>() / all
}

/// At most one bit in each word, in a run of words that begins at any of them and wraps around.
fn one_in_each_word(line: &Line, bits: u8) -> f64 {
    let fill = |(ones, all): (u32, u32)| f64::from(ones) / f64::from(all);
    let run = |first: usize| {
        line.iter().cycle().skip(first).take(usize::from(bits)).map(|&word| fill(word)).product::<f64>()
    };
    (0..LINE_WORDS).map(run).sum::<f64>() / LINE_WORDS as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        hash::Key,
        page::{self, PAGE_BYTES},
    };

    const SPREADS: [Spread; 3] = [Spread::Page, Spread::FourPerLine, Spread::EightPerLine];

    fn hash(number: u64) -> u64 {
        Key::new([11; 16]).hash(&number.to_le_bytes())
    }

    /// Pages filled evenly, with one line in two full, and with one word in each line full.
    fn pages() -> [Page; 3] {
        let mut even = [0; PAGE_BYTES];
        (0..u64::from(PAGE_BITS)).for_each(|i| {
            let at = usize::try_from(hash(i) % u64::from(PAGE_BITS)).unwrap();
            even[at / 8] |= 1 << (at % 8);
        });
        let [mut lines, mut words] = [even; 2];
        lines[..BIT_BYTES].chunks_mut(128).for_each(|two| two[..64].fill(0xff));
        words[..BIT_BYTES].chunks_mut(64).for_each(|line| line[16..24].fill(0xff));
        [even, lines, words]
    }

    /// Probes strings that were not stored; the number found agrees with the computed one within five
    /// deviations.
    #[test]
    fn strangers_are_found_as_often_as_computed() {
        const ASKED: u64 = 400_000;
        for (page, spread) in pages().iter().flat_map(|page| SPREADS.map(|spread| (page, spread))) {
            for (layer, count) in
                [(Layer::Word, 3), (Layer::Word, 11), (Layer::Word, 8), (Layer::Deletion { at: 5 }, 6)]
            {
                let probes = Probes { layer, count, spread };
                let probes = if layer.is_deletion() && spread == Spread::Page { continue } else { probes };
                let expected = accident(page, probes) * ASKED as f64;
                let found =
                    (0..ASKED).filter(|&i| page::test(page, hash(i | 1 << 40), probes)).count() as f64;
                let error = 5.0 * expected.sqrt() + 1.0;
                assert!((found - expected).abs() < error, "{probes:?}: {found}, {expected:.0}");
            }
        }
    }

    #[test]
    fn a_full_page_has_every_string_and_an_empty_one_none() {
        for spread in SPREADS {
            let probes = Probes { layer: Layer::Word, count: 20, spread };
            assert!((accident(&[0xff; PAGE_BYTES], probes) - 1.0).abs() < 1e-12, "{spread:?}");
            assert!(accident(&[0; PAGE_BYTES], probes).abs() < 1e-12, "{spread:?}");
        }
    }
}
