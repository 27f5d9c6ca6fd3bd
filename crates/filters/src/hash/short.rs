//! Strings of at most 16 visible ASCII characters in two machine words: nearly every word of a list. They are
//! checked, converted to lower case, shortened and hashed without a loop over their bytes.

#![allow(clippy::arithmetic_side_effects, reason = "numbers of bits and bytes, at most 128 and 16")]
#![allow(clippy::cast_possible_truncation, reason = "halves of a number, numbers of bytes")]

use super::Key;

/// A string of 1 to 16 bytes, none of them zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Short {
    /// The bytes, the first one the lowest, the rest zero.
    bytes: u128,
    length: u32,
}

/// This byte at each of the 16 positions.
const fn each(byte: u8) -> u128 {
    u128::from_ne_bytes([byte; 16])
}

impl Short {
    /// The highest number of bytes.
    const MAX: usize = 16;

    /// The string in lower case; none if it is empty, too long or has characters other than visible ASCII.
    #[inline]
    pub(crate) fn lower_case(string: &[u8]) -> Option<Short> {
        if string.is_empty() || string.len() > Short::MAX {
            return None;
        }
        let length = string.len() as u32;
        let inside = u128::MAX >> (128 - 8 * length);
        // Bytes after the end pass as visible characters.
        let filled = packed(string) | !inside & each(b'~');
        // In a sum with 0x80 − n, a byte below 0x80 has its highest bit set if it is at least n.
        let is_from = |first: u8| filled.wrapping_add(each(0x80 - first));
        if (filled | !is_from(b'!') | is_from(0x7f)) & each(0x80) != 0 {
            return None;
        }
        let capital = is_from(b'A') & !is_from(b'[') & each(0x80);
        Some(Short { bytes: (filled | capital >> 2) & inside, length })
    }

    /// The number of bytes.
    pub(crate) fn len(self) -> usize {
        self.length as usize
    }

    /// The bytes from first to last.
    #[inline]
    pub(crate) fn bytes(self) -> impl Iterator<Item = u8> {
        let mut rest = self.bytes;
        (0..self.length).map(move |_| {
            let first = rest as u8;
            rest >>= 8;
            first
        })
    }
}

/// At most 16 bytes, the first one the lowest, from at most four overlapping pieces.
#[inline]
fn packed(string: &[u8]) -> u128 {
    let (low, high) = string.split_at_checked(8).unwrap_or((string, &[]));
    u128::from(eight(low)) | u128::from(eight(high)) << 64
}

/// At most eight bytes.
#[inline]
fn eight(bytes: &[u8]) -> u64 {
    if let Some(all) = bytes.first_chunk() {
        return u64::from_le_bytes(*all);
    }
    match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) => {
            let [first, last] = [first, last].map(|four| u64::from(u32::from_le_bytes(*four)));
            first | last << (8 * (bytes.len() - 4))
        }
        _ => bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)),
    }
}

impl Key {
    /// The hash of a short string.
    #[inline]
    pub(crate) fn hash_short(&self, short: Short) -> u64 {
        self.state.hash_of_words(halves(short.bytes), short.length)
    }

    /// Calls `each` with the hash of `short` without each of its bytes in turn.
    #[inline]
    pub(crate) fn hash_deletions(&self, short: Short, mut each: impl FnMut(u64)) {
        let (mut before, behind) = (0, short.bytes >> 8);
        for _ in 0..short.length {
            let shorter = short.bytes & before | behind & !before;
            each(self.state.hash_of_words(halves(shorter), short.length - 1));
            before = before << 8 | 0xff;
        }
    }
}

#[inline]
fn halves(number: u128) -> [u64; 2] {
    [number as u64, (number >> 64) as u64]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_strings_and_their_deletions_are_hashed_as_the_bytes_they_are() {
        let (key, string) = (Key::new([9; 16]), b"abcdefghijklmnop");
        for length in 1..=string.len() {
            let short = Short::lower_case(&string[..length]).unwrap();
            assert_eq!((short.len(), key.hash_short(short)), (length, key.hash(&string[..length])));
            assert!(short.bytes().eq(string[..length].iter().copied()));
            let mut at = 0;
            key.hash_deletions(short, |hash| {
                let without = [&string[..at], &string[at + 1..length]].concat();
                assert_eq!(hash, key.hash(&without), "{length} {at}");
                at += 1;
            });
            assert_eq!(at, length);
        }
    }

    #[test]
    fn only_visible_characters_are_taken_and_made_lower_case() {
        assert!(Short::lower_case(b"").is_none() && Short::lower_case(&[b'a'; 17]).is_none());
        for length in 1..=16 {
            for (at, byte) in (0..length).flat_map(|at| (0..=255).map(move |byte| (at, byte))) {
                let mut string = vec![b'Z'; length];
                string[at] = byte;
                let short = Short::lower_case(&string);
                assert_eq!(short.is_some(), string.iter().all(u8::is_ascii_graphic), "{string:?}");
                let lower = string.to_ascii_lowercase();
                assert!(short.is_none_or(|short| short.bytes().eq(lower)), "{string:?}");
            }
        }
    }
}
