//! The slow hash in front of the ladder of chosen passwords: Argon2id.
//!
//! An attacker who steals array *and* key could otherwise test candidates at memory speed. With a hash at
//! least as slow as the system's own password hash, the two reveal no more than a stolen shadow file. Memory
//! is bounded, and its allocation may fail: the caller is `passwd` or `sshd`, perhaps under a limit that its
//! user set. It is mapped for one hash, wiped and unmapped, so that a long-running caller does not keep it.

mod tuning;

use std::error::Error;
use std::fmt;

use argon2::{Algorithm, Argon2, Block, Params, Version};
use zeroize::{Zeroize, Zeroizing};

use crate::keys::{self, Keyed, MessageKey};
use crate::storage::mapped::HashMemory;

pub use tuning::{USUAL_TIME, tune};

/// The most memory that a slow hash may use: 64 MiB.
pub const MAX_MEMORY_KIB: u32 = 65_536;
/// The least memory that a slow hash may use.
pub(in crate::ladder) const MIN_MEMORY_KIB: u32 = 8;
/// The highest number of passes over the memory.
pub(in crate::ladder) const MAX_PASSES: u32 = 1024;
/// Lanes: one, since a PAM module starts no threads.
pub(in crate::ladder) const LANES: u32 = 1;

/// Bytes of the output.
const ELEMENT_BYTES: usize = 32;

/// The element of a password in the ladder: its slow hash. Opaque, and wiped when dropped.
pub struct Element(Zeroizing<Vec<u8>>);

impl Element {
    /// The password itself: for a ladder without a slow hash.
    pub(in crate::ladder) fn plain(password: &[u8]) -> Self {
        Self(Zeroizing::new(password.to_vec()))
    }

    pub(in crate::ladder) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The cost of the slow hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    memory_kib: u32,
    passes: u32,
}

impl Cost {
    /// The lowest cost for a new ladder of chosen passwords: 19 MiB and two passes, the least that the OWASP
    /// *Password Storage Cheat Sheet*, section "Argon2id", recommends for one lane (m = 19456 KiB, t = 2, p =
    /// 1).
    pub const MIN: Cost = Cost { memory_kib: 19_456, passes: 2 };

    /// Memory in KiB and passes over it; none if either is outside of the limits of a ladder file.
    pub fn new(memory_kib: u32, passes: u32) -> Option<Self> {
        let fits =
            (MIN_MEMORY_KIB..=MAX_MEMORY_KIB).contains(&memory_kib) && (1..=MAX_PASSES).contains(&passes);
        fits.then_some(Self { memory_kib, passes })
    }

    /// Memory in KiB.
    pub const fn memory_kib(self) -> u32 {
        self.memory_kib
    }

    /// Passes over the memory.
    pub const fn passes(self) -> u32 {
        self.passes
    }

    /// True if it is at least [`Cost::MIN`], in memory and in passes.
    pub const fn is_enough(self) -> bool {
        self.memory_kib >= Self::MIN.memory_kib && self.passes >= Self::MIN.passes
    }

    /// The slow hash of a password.
    ///
    /// # Errors
    /// [`SlowHashError::Memory`] if there is not enough memory; [`SlowHashError::Refused`] if the password is
    /// longer than Argon2 accepts (4 GiB).
    pub(in crate::ladder) fn hash(self, salt: &[u8; 16], password: &[u8]) -> Result<Element, SlowHashError> {
        let params = self.params()?;
        let mut memory = HashMemory::new(params.block_count()).map_err(|_| SlowHashError::Memory)?;
        hash_in(memory.as_mut(), params, salt, password)
    }

    fn params(self) -> Result<Params, SlowHashError> {
        let params = Params::new(self.memory_kib, self.passes, LANES, Some(ELEMENT_BYTES));
        params.map_err(|_| SlowHashError::Refused)
    }
}

/// The slow hash in the caller's memory, which is all zeros afterwards.
fn hash_in(
    memory: &mut [Block],
    params: Params,
    salt: &[u8; 16],
    password: &[u8],
) -> Result<Element, SlowHashError> {
    let memory = Wiped(memory);
    let mut element = Element(Zeroizing::new(vec![0; ELEMENT_BYTES]));
    let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let done = argon.hash_password_into_with_memory(password, salt, &mut element.0, &mut *memory.0);
    done.map_err(|_| SlowHashError::Refused)?;
    Ok(element)
}

/// Blocks that are wiped at the end, even after a panic.
struct Wiped<'a>(&'a mut [Block]);

impl Drop for Wiped<'_> {
    fn drop(&mut self) {
        self.0.iter_mut().for_each(Zeroize::zeroize);
    }
}

/// The reason why a slow hash failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SlowHashError {
    /// There is not enough memory.
    Memory,
    /// Argon2 does not accept the password or its parameters.
    Refused,
}

impl fmt::Display for SlowHashError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Memory => {
                "not enough memory for the slow hash; raise the memory limit, or create a ladder whose hash \
                 needs less"
            }
            Self::Refused => "the slow hash does not accept this password",
        })
    }
}

impl Keyed for SlowHashError {
    fn key(&self) -> MessageKey {
        match self {
            Self::Memory => keys::OUT_OF_MEMORY,
            Self::Refused => keys::INTERNAL_ERROR,
        }
    }
}

impl Error for SlowHashError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "miri takes no advice about memory")]
    fn salt_cost_and_password_all_count() {
        let cost = Cost::new(64, 1).unwrap();
        let base = cost.hash(&[1; 16], b"password").unwrap();
        assert_eq!(base.bytes().len(), 32);
        assert_eq!(cost.hash(&[1; 16], b"password").unwrap().bytes(), base.bytes());
        assert_ne!(cost.hash(&[2; 16], b"password").unwrap().bytes(), base.bytes());
        assert_ne!(cost.hash(&[1; 16], b"passwore").unwrap().bytes(), base.bytes());
        assert_ne!(Cost::new(64, 2).unwrap().hash(&[1; 16], b"password").unwrap().bytes(), base.bytes());
        assert!(cost.hash(&[1; 16], b"").is_ok());
    }

    /// The vector of FORMAT-LADDER.md, in memory that is examined before it is released: no trace of the hash
    /// is left in it.
    #[test]
    fn slow_hash_of_the_format_text_leaves_no_trace_in_its_memory() {
        let fill = |memory: &mut [Block]| {
            for block in memory {
                block.as_mut().fill(7);
            }
        };
        let cost = Cost::new(64, 2).unwrap();
        let mut memory = vec![Block::new(); 64];
        fill(&mut memory);
        let element = hash_in(&mut memory, cost.params().unwrap(), b"0123456789abcdef", b"password").unwrap();
        let expected =
            [0xfb83_b571_1fd9_1df6_30b6_3677_dee6_2ccd_u128, 0x13ee_6f0c_4897_d856_b495_42b9_b1e9_975b];
        assert_eq!(element.bytes(), expected.map(u128::to_be_bytes).as_flattened());
        assert!(memory.iter().all(|block| block.as_ref() == [0; 128]));
        // Also where there is no hash.
        fill(&mut memory);
        let too_little = hash_in(&mut memory[..8], cost.params().unwrap(), &[0; 16], b"password");
        assert_eq!(too_little.err(), Some(SlowHashError::Refused));
        assert!(memory[..8].iter().all(|block| block.as_ref() == [0; 128]));
    }

    #[test]
    fn costs_are_bounded() {
        for (memory, passes) in [(7, 1), (65_537, 1), (64, 0), (64, 1025), (u32::MAX, 1)] {
            assert_eq!(Cost::new(memory, passes), None);
        }
        assert_eq!((Cost::MIN.memory_kib(), Cost::MIN.passes()), (19_456, 2));
        for (memory, passes, is_enough) in
            [(19_456, 2, true), (65_536, 3, true), (19_455, 2, false), (65_536, 1, false), (8, 1024, false)]
        {
            assert_eq!(Cost::new(memory, passes).unwrap().is_enough(), is_enough, "{memory} {passes}");
        }
    }
}
