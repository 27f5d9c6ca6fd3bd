//! A 4 KiB page: 32,736 bits for keys and a CRC-32, and the positions of a key's bits in it.
//!
//! All bits of one string lie in one page (Manber & Wu §3, "local"), which is a multiply-shift of the keyed
//! hash; the positions in the page are a remix of the same hash:
//!
//! * `anywhere`: each bit anywhere in the page;
//! * `line`: bits in cache lines, eight or four to a line.

mod accident;
mod anywhere;
mod layer;
mod line;
mod size;
#[cfg(test)]
mod tests;

pub use accident::accident;
pub use layer::Layer;
pub(crate) use layer::{place_of, with_place};
pub(crate) use line::{LINE_WORDS, PLACES};
pub use size::{BIT_BYTES, PAGE_BITS, PAGE_BYTES, Page};

use crate::{chunks::chunks, codec::crc32};

/// The highest number of probes of a layer.
pub(crate) const MAX_PROBES: u8 = 64;

/// The spread of one string's bits in its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// Each anywhere in the page: needs the fewest bits an entry.
    Page,
    /// Every four of a word in one line of 64 bytes: for words that are probed without deletions.
    FourPerLine,
    /// Every eight of a word, and all of a deletion, in one line.
    EightPerLine,
}

impl Spread {
    /// The number of bits of a word that share a line; 1 if each bit is placed independently.
    #[inline]
    pub(crate) fn per_line(self) -> u8 {
        match self {
            Spread::Page => 1,
            Spread::FourPerLine => 4,
            Spread::EightPerLine => 8,
        }
    }
}

/// The spread and the number of a string's bits.
#[derive(Clone, Copy, Debug)]
pub struct Probes {
    /// The layer of the bits.
    pub layer: Layer,
    /// Their number, at most 64.
    pub count: u8,
    /// Their spread in the page.
    pub spread: Spread,
}

impl Probes {
    /// The number of bits that share a line; none if they lie anywhere. A deletion's bits always share one.
    #[inline]
    fn per_line(self) -> Option<u8> {
        match (self.layer, self.spread) {
            (Layer::Word, Spread::Page) => None,
            (Layer::Deletion { .. }, _) => Some(Spread::EightPerLine.per_line()),
            (Layer::Word, spread) => Some(spread.per_line()),
        }
    }
}

/// The page of a string among `pages`, by the upper 48 bits of its hash: multiply-shift, so never out of
/// range.
#[inline]
#[allow(clippy::arithmetic_side_effects, reason = "a product of two 64-bit numbers fits 128 bits")]
#[allow(clippy::cast_possible_truncation, reason = "less than `pages`")]
pub fn page_of(hash: u64, pages: u64) -> u64 {
    ((u128::from(hash & UPPER_BITS) * u128::from(pages)) >> 64) as u64
}

/// The bits of a hash that its page depends on.
const UPPER_BITS: u64 = u64::MAX << 16;

/// True when all bits of `hash` are set in `page`.
#[inline]
pub fn test(page: &Page, hash: u64, probes: Probes) -> bool {
    let Some(per_line) = probes.per_line() else { return anywhere::test(page, hash, probes.count) };
    let place = line::place(probes.layer);
    line::groups(hash, probes.layer, probes.count, per_line)
        .all(|(group, count)| group.places(page, count) >> place & 1 == 1)
}

/// True if the first bits of `hash` in the word layer, the ones in a single line, are set in `page`: without
/// a branch on the content of the page, so that many strings can be probed before the first result is known.
#[inline(always)]
#[allow(clippy::inline_always, reason = "called in loops over strings that have all but the hash in common")]
pub(crate) fn may_be_word(page: &Page, hash: u64, word: Probes) -> bool {
    match word.spread {
        Spread::Page => anywhere::may_contain(page, hash, word.count),
        spread => line::Group::of_word(hash).places(page, word.count.min(spread.per_line())) & 1 == 1,
    }
}

/// The positions at which the string with this hash is in the deletion layer, with the count of `deletion`:
/// bit *i* is position 64 × `places` + *i*. Always reads the line of the string exactly once.
#[inline(always)]
#[allow(clippy::inline_always, reason = "as above")]
pub(crate) fn places(page: &Page, hash: u64, places: usize, deletion: Probes) -> u64 {
    line::Group::of_deletion(hash, places).places(page, deletion.count)
}

/// The offset in its page of the line with the first bits of `hash`, in both layers, unless they lie anywhere
/// in the page.
#[inline]
pub(crate) fn first_byte(hash: u64) -> usize {
    line::first_line(hash) << 6
}

/// The offsets in its page of the lines with the bits of `hash`; none if they lie anywhere.
pub(crate) fn first_bytes(hash: u64, probes: Probes) -> impl Iterator<Item = usize> {
    let per_line = probes.per_line().into_iter();
    per_line.flat_map(move |per_line| {
        line::groups(hash, probes.layer, probes.count, per_line).map(|(group, _)| group.byte())
    })
}

/// Calls `each` with the offset in its page of every bit of `hash`, for bits anywhere, and of at most three
/// more.
#[inline]
pub(crate) fn each_byte_anywhere(hash: u64, count: u8, each: impl FnMut(usize)) {
    anywhere::each_byte(hash, count, each);
}

/// Sets the bits of `hash` in `page`; true if one of them was not set before.
#[inline]
pub fn set(page: &mut Page, hash: u64, probes: Probes) -> bool {
    let Some(per_line) = probes.per_line() else { return !anywhere::set(page, hash, probes.count) };
    let place = line::place(probes.layer);
    !line::groups(hash, probes.layer, probes.count, per_line)
        .fold(true, |were_set, (group, count)| group.set(page, count, place) & were_set)
}

/// The positions of a hash's bits, for counters of the bits.
pub fn positions(hash: u64, probes: Probes) -> impl Iterator<Item = u32> {
    let place = line::place(probes.layer);
    let per_line = probes.per_line();
    let in_lines = per_line.into_iter().flat_map(move |per_line| {
        line::groups(hash, probes.layer, probes.count, per_line)
            .flat_map(move |(group, count)| group.positions(count, place))
    });
    let anywhere = if per_line.is_none() { probes.count } else { 0 };
    in_lines.chain(anywhere::positions(hash, anywhere))
}

/// The number of ones among the bits for keys.
#[allow(clippy::arithmetic_side_effects, reason = "the checksum is part of the page")]
pub fn ones(page: &Page) -> u32 {
    let all: u32 = chunks(page).0.iter().map(|&word| u64::from_le_bytes(word).count_ones()).sum();
    all - u32::from_le_bytes(checksum_bytes(page)).count_ones()
}

fn checksum_bytes(page: &Page) -> [u8; 4] {
    page.last_chunk().copied().unwrap_or_default()
}

fn checksum(page: &Page) -> [u8; 4] {
    crc32(page.first_chunk::<BIT_BYTES>().map_or(&[], |bits| bits)).to_le_bytes()
}

/// Writes the checksum of the bits into the page.
pub fn seal(page: &mut Page) {
    let sum = checksum(page);
    if let Some(place) = page.last_chunk_mut() {
        *place = sum;
    }
}

/// True if the page's checksum is right.
pub fn is_intact(page: &Page) -> bool {
    checksum_bytes(page) == checksum(page)
}
