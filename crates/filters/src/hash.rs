//! The one keyed hash: SipHash-1-3 over the bytes of a string, 64 bits.
//!
//! It is keyed, so that strings that collide in a filter can only be found with the filter file; a given key
//! makes a build reproducible. 64 bits are enough: one hash gives the page and, remixed, every bit position.

mod short;
mod siphash;

use std::io;

pub(crate) use short::Short;
pub(crate) use siphash::Hole;
pub use siphash::KEY_BYTES;
use siphash::State;

use crate::random::{RandomSource, SystemRandom};

/// Identifier of the hash in file headers: 1 is SipHash-1-3 with a 128-bit key.
pub(crate) const HASH_ID: u8 = 1;

/// The version of the encoding of strings ([`crate::word`]) and of the mapping from hashes to bit positions
/// (`crate::page`). Version 1 was never released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashVersion {
    /// 64 positions of the deletion layer at once.
    Second,
    /// Digests in the order of their first bits: the hash begins with bits of the digest.
    Grouped,
}

impl HashVersion {
    /// The newest version that is read.
    pub(crate) const NEWEST: HashVersion = HashVersion::Grouped;

    /// The version that is written for a filter with this number of group bits.
    pub(crate) fn written(group_bits: u8) -> HashVersion {
        if group_bits == 0 { HashVersion::Second } else { HashVersion::Grouped }
    }

    /// The version with this number in a header.
    pub(crate) fn of_id(id: u8) -> Option<HashVersion> {
        let all = [HashVersion::Second, HashVersion::Grouped];
        all.into_iter().find(|version| version.id() == id)
    }

    /// Its number in a header.
    pub fn id(self) -> u8 {
        match self {
            HashVersion::Second => 2,
            HashVersion::Grouped => 3,
        }
    }
}

/// A filter's 128-bit hash key, ready to hash.
#[derive(Clone)]
pub struct Key {
    bytes: [u8; KEY_BYTES],
    state: State,
}

impl Key {
    /// The hash under the given key bytes.
    pub fn new(bytes: [u8; KEY_BYTES]) -> Key {
        Key { bytes, state: State::new(&bytes) }
    }

    /// A random key from the system's generator.
    ///
    /// # Errors
    /// The system provides no random bytes.
    pub fn random() -> io::Result<Key> {
        let mut bytes = [0; KEY_BYTES];
        SystemRandom.fill(&mut bytes)?;
        Ok(Key::new(bytes))
    }

    /// The key bytes, as stored in the header.
    pub fn bytes(&self) -> &[u8; KEY_BYTES] {
        &self.bytes
    }

    /// SipHash-1-3 of `string` under this key.
    #[inline]
    pub fn hash(&self, string: &[u8]) -> u64 {
        self.state.hash(string)
    }

    /// The same for a digest that was just decoded, whose length is a multiple of four.
    #[inline]
    pub(crate) fn hash_digest(&self, digest: &[u8]) -> u64 {
        debug_assert_eq!(digest.len() % 4, 0, "a kind of digest with another length");
        self.state.hash_of_fours(digest)
    }

    /// `string` with its byte `at` open, to be hashed with many bytes in turn. `None` if there is no such
    /// byte, or more than some 24 bytes follow it: then hash each string separately.
    #[inline]
    pub(crate) fn hole(&self, string: &[u8], at: usize) -> Option<Hole> {
        Hole::new(self.state, string, at)
    }

    /// A short name for the key that does not reveal it: the hash of a fixed string under it.
    pub fn fingerprint(&self) -> u32 {
        (self.hash(b"nearmiss key fingerprint") >> 32) as u32
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for Key {}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Key({:08x})", self.fingerprint())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vectors made with the reference implementation's parameters (key 00..0f), also printed in FORMAT.md.
    #[test]
    fn matches_the_vectors_of_the_format() {
        let key = Key::new([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
        let message: Vec<u8> = (0..=255).collect();
        let expected: [(usize, u64); 2] = [(0, 0xabac_0158_050f_c4dc), (1, 0xc9f4_9bf3_7d57_ca93)];
        for (length, hash) in expected {
            assert_eq!(key.hash(&message[..length]), hash);
        }
    }

    #[test]
    fn another_key_is_another_hash() {
        let (a, b) = (Key::new([1; 16]), Key::new([2; 16]));
        assert_ne!(a.hash(b"password"), b.hash(b"password"));
        assert_ne!(a.fingerprint(), b.fingerprint());
        assert_eq!(format!("{a:?}"), format!("Key({:08x})", a.fingerprint()), "not the key itself");
    }
}
