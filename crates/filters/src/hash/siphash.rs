//! SipHash-1-3 (Aumasson & Bernstein, "SipHash: a fast short-input PRF", §2) straight from machine words.
//!
//! The strings of a lookup are short, and many differ in one byte only. A hasher that accepts any sequence of
//! writes spends as much time on collecting the bytes as on hashing so few; here a string is read as words,
//! and a [`Hole`] hashes the part before the changing byte once. The tests compare every length with the
//! `siphasher` crate.

#![allow(clippy::arithmetic_side_effects, reason = "numbers of bytes and words of a short string")]

use zeroize::Zeroize;

use crate::chunks::chunks;

/// Bytes of a key.
pub const KEY_BYTES: usize = 16;

/// SipHash's constants: the ASCII of "somepseudorandomlygeneratedbytes" (paper §2.1).
const INITIAL: [u64; 4] =
    [0x736f_6d65_7073_6575, 0x646f_7261_6e64_6f6d, 0x6c79_6765_6e65_7261, 0x7465_6462_7974_6573];

/// The number of words from the open one on that a [`Hole`] stores.
const HOLE_WORDS: usize = 4;

/// The four words of SipHash's state.
#[derive(Clone, Copy)]
pub(super) struct State([u64; 4]);

impl State {
    /// The state before any message.
    pub(super) fn new(key: &[u8; KEY_BYTES]) -> State {
        let ([k0, k1], _) = chunks::<_, _, 8>(key) else { return State(INITIAL) };
        let (k0, k1) = (u64::from_le_bytes(*k0), u64::from_le_bytes(*k1));
        let [v0, v1, v2, v3] = INITIAL;
        State([v0 ^ k0, v1 ^ k1, v2 ^ k0, v3 ^ k1])
    }

    /// The hash of `message`.
    #[inline]
    pub(super) fn hash(mut self, message: &[u8]) -> u64 {
        for word in chunks(message).0 {
            self.absorb(u64::from_le_bytes(*word));
        }
        self.absorb(last_word(message));
        self.finish()
    }

    /// The same for a message of a multiple of four bytes, which are read in the word size in which they were
    /// written: a longer read would wait for the writes.
    #[inline]
    pub(super) fn hash_of_fours(mut self, message: &[u8]) -> u64 {
        let (wholes, rest) = chunks::<_, _, 8>(message);
        for word in wholes {
            self.absorb(u64::from_le_bytes(*word));
        }
        let last = rest.first_chunk().map_or(0, |&four| u64::from(u32::from_le_bytes(four)));
        self.absorb(last | (message.len() as u64) << 56);
        self.finish()
    }

    /// The hash of a message of at most 16 bytes that are packed into two words, the rest of them zeros.
    #[inline]
    pub(super) fn hash_of_words(mut self, [low, high]: [u64; 2], length: u32) -> u64 {
        let end = u64::from(length) << 56;
        if length < 8 {
            self.absorb(low | end);
        } else {
            self.absorb(low);
            if length < 16 {
                self.absorb(high | end);
            } else {
                self.absorb(high);
                self.absorb(end);
            }
        }
        self.finish()
    }

    /// One compression round for a word (the 1 of 1-3).
    #[inline]
    fn absorb(&mut self, word: u64) {
        let State([_, _, _, v3]) = self;
        *v3 ^= word;
        self.round();
        let State([v0, ..]) = self;
        *v0 ^= word;
    }

    /// Three finalization rounds.
    #[inline]
    fn finish(mut self) -> u64 {
        let State([_, _, v2, _]) = &mut self;
        *v2 ^= 0xff;
        self.round();
        self.round();
        self.round();
        let State([v0, v1, v2, v3]) = self;
        v0 ^ v1 ^ v2 ^ v3
    }

    /// `SipRound` (paper §2.2, figure 2.1).
    #[inline]
    fn round(&mut self) {
        let State([v0, v1, v2, v3]) = self;
        *v0 = v0.wrapping_add(*v1);
        *v2 = v2.wrapping_add(*v3);
        *v1 = v1.rotate_left(13) ^ *v0;
        *v3 = v3.rotate_left(16) ^ *v2;
        *v0 = v0.rotate_left(32);
        *v2 = v2.wrapping_add(*v1);
        *v0 = v0.wrapping_add(*v3);
        *v1 = v1.rotate_left(17) ^ *v2;
        *v3 = v3.rotate_left(21) ^ *v0;
        *v2 = v2.rotate_left(32);
    }
}

/// The bytes after the last full word, and the message's length modulo 256 in the highest byte (paper §2.3).
#[inline]
fn last_word(message: &[u8]) -> u64 {
    let left = message.len() % 8;
    let length = (message.len() as u64) << 56;
    let bytes = if let Some(last) = message.last_chunk::<8>() {
        // In two steps, since a shift by 64 bits does nothing.
        u64::from_le_bytes(*last) >> 8 >> (56 - (left << 3))
    } else {
        message.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
    };
    bytes | length
}

/// A string in which one byte is open: its hash for every byte that fills the hole.
pub(crate) struct Hole {
    /// The state after the words before the hole.
    before: State,
    /// The words from the hole's word on, with zero in the hole.
    words: [u64; HOLE_WORDS],
    count: usize,
    shift: usize,
}

impl Hole {
    /// `string` with its byte `at` open, hashed from `state`. `None` if there is no such byte, or more bytes
    /// follow it than a hole stores.
    pub(super) fn new(state: State, string: &[u8], at: usize) -> Option<Hole> {
        let (whole, _) = chunks::<_, _, 8>(string);
        let first = at / 8;
        let mut hole = Hole { before: state, words: [0; HOLE_WORDS], count: 0, shift: (at & 7) << 3 };
        for word in whole.get(..first.min(whole.len()))? {
            hole.before.absorb(u64::from_le_bytes(*word));
        }
        let rest = whole.get(first..).unwrap_or_default().iter().map(|word| u64::from_le_bytes(*word));
        for word in rest.chain([last_word(string)]) {
            *hole.words.get_mut(hole.count)? = word;
            hole.count += 1;
        }
        if at >= string.len() {
            return None;
        }
        let [first, ..] = &mut hole.words;
        *first &= !(0xff << hole.shift);
        Some(hole)
    }

    /// The hash of the string with `byte` in the hole.
    #[inline]
    pub(crate) fn hash(&self, byte: u8) -> u64 {
        let mut state = self.before;
        let [first, rest @ ..] = &self.words;
        state.absorb(first | u64::from(byte) << self.shift);
        for &word in rest.iter().take(self.count - 1) {
            state.absorb(word);
        }
        state.finish()
    }
}

impl Drop for Hole {
    fn drop(&mut self) {
        self.words.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use siphasher::sip::SipHasher13;

    use super::*;

    proptest! {
        #[test]
        fn is_siphash_1_3(key: [u8; KEY_BYTES], message in prop::collection::vec(any::<u8>(), 0..300)) {
            let expected = SipHasher13::new_with_key(&key).hash(&message);
            prop_assert_eq!(State::new(&key).hash(&message), expected);
        }

        #[test]
        fn a_filled_hole_is_the_string(
            key: [u8; KEY_BYTES],
            mut string in prop::collection::vec(any::<u8>(), 1..80),
            place: prop::sample::Index,
            byte: u8,
        ) {
            let (state, at) = (State::new(&key), place.index(string.len()));
            let hole = Hole::new(state, &string, at);
            string[at] = byte;
            match hole {
                Some(hole) => prop_assert_eq!(hole.hash(byte), state.hash(&string)),
                None => prop_assert!((string.len() / 8).abs_diff(at / 8) >= HOLE_WORDS),
            }
        }
    }

    #[test]
    fn every_length_of_tail() {
        let key = [7; KEY_BYTES];
        let message: Vec<u8> = (1..=40).collect();
        for length in 0..=40 {
            let expected = SipHasher13::new_with_key(&key).hash(&message[..length]);
            assert_eq!(State::new(&key).hash(&message[..length]), expected, "{length}");
            assert!(Hole::new(State::new(&key), &message[..length], length).is_none());
            let by_fours = State::new(&key).hash_of_fours(&message[..length]);
            assert!(length % 4 != 0 || by_fours == expected, "{length}");
        }
    }
}
