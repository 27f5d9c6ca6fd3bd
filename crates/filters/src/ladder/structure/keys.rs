//! The keys of a ladder: all are derived from the master key and the ladder's identifier, one for each
//! purpose, so that neither two ladders nor two purposes share a hash. `FORMAT-LADDER.md` is the normative
//! text of this file, with test vectors.

use std::io;

use siphasher::sip128::SipHasher24;
use zeroize::Zeroizing;

use crate::chunks::chunks;
use crate::random::RandomSource;

/// Bytes of a master key.
pub(crate) const MASTER_BYTES: usize = 32;
/// Bytes of a ladder's identifier.
pub(crate) const ID_BYTES: usize = 16;

/// The secret every key of a ladder is derived from. Wiped when dropped.
#[derive(Clone)]
pub struct MasterKey(Zeroizing<[u8; MASTER_BYTES]>);

impl MasterKey {
    /// The key with these bytes.
    pub fn new(bytes: [u8; MASTER_BYTES]) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// A random key, drawn into its final memory.
    ///
    /// # Errors
    /// As [`RandomSource::fill`].
    pub(in crate::ladder) fn random(random: &mut impl RandomSource) -> io::Result<Self> {
        let mut key = Self::new([0; MASTER_BYTES]);
        random.fill(key.0.as_mut_slice())?;
        Ok(key)
    }

    /// Its bytes, for the key file.
    pub fn bytes(&self) -> &[u8; MASTER_BYTES] {
        &self.0
    }

    /// The subkey for one purpose of one ladder. Each half of the master key hashes purpose and identifier;
    /// the two are combined so that a subkey is safe while either half is.
    pub(in crate::ladder) fn subkey(&self, purpose: Purpose, id: &[u8; ID_BYTES]) -> Subkey {
        let mut subkey = 0;
        // The halves are used in place as hash keys: no copy of them needs wiping.
        for (half, number) in chunks::<_, _, 16>(&self.0[..]).0.iter().zip(0_u8..) {
            let mut label = [0; ID_BYTES + 2];
            label
                .iter_mut()
                .zip(id.iter().chain(&[purpose.label(), number]))
                .for_each(|(to, from)| *to = *from);
            // The number of the half in the label prevents two equal halves from cancelling each other.
            subkey ^= u128::from(SipHasher24::new_with_key(half).hash(&label));
        }
        Subkey(Zeroizing::new(subkey.to_le_bytes()))
    }
}

/// The purpose of a subkey, each with its label in the hashed message.
#[derive(Clone, Copy)]
pub(in crate::ladder) enum Purpose {
    Page,
    Rungs,
    Fingerprint,
    Stamp,
    Salt,
    Check,
    Day,
    Observation,
}

impl Purpose {
    const fn label(self) -> u8 {
        match self {
            Self::Page => 1,
            Self::Rungs => 2,
            Self::Fingerprint => 3,
            Self::Stamp => 4,
            Self::Salt => 5,
            Self::Check => 6,
            Self::Day => 7,
            Self::Observation => 8,
        }
    }
}

/// A 128-bit key for one purpose. Wiped when dropped.
#[derive(Clone)]
pub(in crate::ladder) struct Subkey(Zeroizing<[u8; 16]>);

impl Subkey {
    /// The keyed 128-bit hash (SipHash-2-4-128): its two halves as little-endian words.
    pub(in crate::ladder) fn hash(&self, bytes: &[u8]) -> (u64, u64) {
        // Not `as_u64`, which swaps the words on a big-endian machine.
        siphash(words(&self.0), bytes)
    }

    /// The key itself, for use as a salt.
    pub(in crate::ladder) fn bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

/// SipHash-2-4-128 under a key of two little-endian words: the two words of its output.
#[inline(never)]
pub(in crate::ladder) fn siphash((first, second): (u64, u64), bytes: &[u8]) -> (u64, u64) {
    let hash = SipHasher24::new_with_keys(first, second).hash(bytes);
    (hash.h1, hash.h2)
}

/// The little-endian words of a key.
fn words(key: &[u8; 16]) -> (u64, u64) {
    let [first, second] = [0, 8].map(|at| {
        let half = key.get(at..).and_then(<[u8]>::first_chunk);
        u64::from_le_bytes(half.copied().unwrap_or_default())
    });
    (first, second)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first two of `vectors_sip128` in the reference implementation's `vectors.h`.
    #[test]
    fn hashes_are_those_of_the_reference_on_every_machine() {
        let key = Subkey(Zeroizing::new(std::array::from_fn(|i| u8::try_from(i).unwrap())));
        assert_eq!(key.hash(&[]), (0xe6a8_25ba_047f_81a3, 0x9302_55c7_1472_f66d));
        assert_eq!(key.hash(&[0]), (0x44af_996b_d8c1_87da, 0x45fc_229b_1159_7634));
    }

    #[test]
    fn another_key_identifier_or_purpose_is_another_subkey() {
        let key = MasterKey::new([7; MASTER_BYTES]);
        let mut other = [7; MASTER_BYTES];
        other[31] = 8;
        let base = *key.subkey(Purpose::Page, &[1; ID_BYTES]).bytes();
        assert_ne!(base, *MasterKey::new(other).subkey(Purpose::Page, &[1; ID_BYTES]).bytes());
        assert_ne!(base, *key.subkey(Purpose::Page, &[2; ID_BYTES]).bytes());
        assert_ne!(base, *key.subkey(Purpose::Rungs, &[1; ID_BYTES]).bytes());
    }
}
