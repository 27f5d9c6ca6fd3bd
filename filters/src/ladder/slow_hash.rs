//! The slow hash in front of the ladder of chosen passwords: Argon2id.
//!
//! Who steals array *and* key can otherwise test candidates at memory speed. With a hash as slow as the system's own
//! password hash that gives nothing over a stolen shadow file. Memory is bounded and asked for in a way that can fail:
//! the caller is `passwd` or `sshd`, perhaps under a limit its user set.

use std::error::Error;
use std::fmt;
use std::time::{Duration, Instant};

use argon2::{Algorithm, Argon2, Block, Params, Version};
use zeroize::{Zeroize, Zeroizing};

/// Most memory a slow hash may take: 64 MiB.
pub const MAX_MEMORY_KIB: u32 = 65_536;
/// Least memory a slow hash may take.
pub(super) const MIN_MEMORY_KIB: u32 = 8;
/// Most passes over the memory.
pub(super) const MAX_PASSES: u32 = 1024;
/// Lanes: one, since a PAM module starts no threads.
pub(super) const LANES: u32 = 1;

/// Bytes of the output.
const ELEMENT_BYTES: usize = 32;
/// Tuning stays above this: less memory than 1 MiB is no hindrance to special hardware.
const LEAST_TUNED_KIB: u32 = 1024;

/// What the ladder knows of a password: its slow hash. Opaque, and wiped when dropped.
pub struct Element(Zeroizing<Vec<u8>>);

impl Element {
    /// Of a password taken as it is: for a ladder without slow hash.
    pub(super) fn plain(password: &[u8]) -> Self {
        Self(Zeroizing::new(password.to_vec()))
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// How slow the hash is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    memory_kib: u32,
    passes: u32,
}

impl Cost {
    /// Memory in KiB and passes over it; none when either is outside its limits.
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

    /// The slow hash of a password.
    ///
    /// # Errors
    /// [`SlowHashError::Memory`] when the memory cannot be had; [`SlowHashError::Refused`] when the password is
    /// longer than Argon2 takes (4 GiB).
    pub(super) fn hash(self, salt: &[u8; 16], password: &[u8]) -> Result<Element, SlowHashError> {
        let params = Params::new(self.memory_kib, self.passes, LANES, Some(ELEMENT_BYTES));
        let params = params.map_err(|_| SlowHashError::Refused)?;
        let mut memory = memory(params.block_count())?;
        let mut element = Element(Zeroizing::new(vec![0; ELEMENT_BYTES]));
        let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let done = argon.hash_password_into_with_memory(password, salt, &mut element.0, &mut memory.0);
        done.map_err(|_| SlowHashError::Refused)?;
        Ok(element)
    }
}

/// Argon2's memory, wiped when dropped.
struct Memory(Vec<Block>);

impl Drop for Memory {
    fn drop(&mut self) {
        self.0.iter_mut().for_each(Zeroize::zeroize);
    }
}

/// Asked for with `try_reserve`: a limit on address space must not abort the calling program.
fn memory(blocks: usize) -> Result<Memory, SlowHashError> {
    let mut memory = Vec::new();
    memory.try_reserve_exact(blocks).map_err(|_| SlowHashError::Memory)?;
    memory.resize(blocks, Block::default());
    Ok(Memory(memory))
}

/// The cost that takes about `target` on this machine and at most `max_memory_kib`: as much memory as fits one pass,
/// then as many passes as fit the time.
///
/// # Errors
/// As the hash itself.
pub fn tune(target: Duration, max_memory_kib: u32) -> Result<Cost, SlowHashError> {
    let mut memory_kib = max_memory_kib.clamp(MIN_MEMORY_KIB, MAX_MEMORY_KIB);
    loop {
        let pass = time_of(Cost { memory_kib, passes: 1 })?;
        if pass <= target || memory_kib <= LEAST_TUNED_KIB {
            let rounded = target.saturating_add(pass.div_f64(2.0)).as_micros();
            let passes = rounded.checked_div(pass.as_micros()).unwrap_or(1);
            let passes = u32::try_from(passes).unwrap_or(MAX_PASSES).clamp(1, MAX_PASSES);
            return Ok(Cost { memory_kib, passes });
        }
        memory_kib = (memory_kib >> 1).max(MIN_MEMORY_KIB);
    }
}

/// The shorter of two runs: the first may find cold caches and unmapped memory.
fn time_of(cost: Cost) -> Result<Duration, SlowHashError> {
    let run = || {
        let start = Instant::now();
        cost.hash(&[0; 16], b"tuning").map(|_| start.elapsed())
    };
    Ok(run()?.min(run()?))
}

/// Why there is no slow hash of a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SlowHashError {
    /// The memory cannot be had.
    Memory,
    /// Argon2 refuses the password or its parameters.
    Refused,
}

impl fmt::Display for SlowHashError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Memory => "no memory for the slow hash; raise the limit or make the ladder anew with less",
            Self::Refused => "the slow hash refuses this password",
        })
    }
}

impl Error for SlowHashError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
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

    /// The vector of FORMAT-LADDER.md.
    #[test]
    fn slow_hash_of_the_format_text() {
        let element = Cost::new(64, 2).unwrap().hash(b"0123456789abcdef", b"password").unwrap();
        let expected =
            [0xfb83_b571_1fd9_1df6_30b6_3677_dee6_2ccd_u128, 0x13ee_6f0c_4897_d856_b495_42b9_b1e9_975b];
        assert_eq!(element.bytes(), expected.map(u128::to_be_bytes).as_flattened());
    }

    #[test]
    fn costs_are_bounded() {
        for (memory, passes) in [(7, 1), (65_537, 1), (64, 0), (64, 1025), (u32::MAX, 1)] {
            assert_eq!(Cost::new(memory, passes), None);
        }
    }

    #[test]
    fn tuning_stays_within_its_memory_and_asks_for_more_with_more_time() {
        let short = tune(Duration::ZERO, 4096).unwrap();
        assert_eq!((short.memory_kib(), short.passes()), (1024, 1));
        let long = tune(Duration::from_millis(40), 2048).unwrap();
        assert!(long.memory_kib() <= 2048 && long.passes() >= 1);
    }
}
