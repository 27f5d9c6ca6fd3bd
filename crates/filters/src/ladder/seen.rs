//! The set of recent failed logins, so that the same password tried again for the same account does not count
//! again: a lossy, keyed, lock-free set of fixed size. [SH §VIII-B] requires such a set and leaves its form
//! open.
//!
//! A header of words and then buckets of one word each. A bucket is the queue of the last eight fingerprints
//! that fell into it, newest in the lowest byte; 0 is an empty slot. An insertion is one compare-exchange of
//! one word: a killed process leaves no partial update, and no process waits for another. Once the set is
//! full, one new pair in eight is mistaken for a repeat: 8 of 64 fingerprints are in its bucket.
//!
//! Forgetting is another key: under it, everything in the buckets is noise. `FORMAT-LADDER.md` is the
//! normative text.

#![allow(clippy::arithmetic_side_effects, reason = "places among 2¹⁴ buckets")]

mod file;
#[cfg(test)]
mod tests;

use std::io;

use zeroize::Zeroizing;

use crate::ladder::file::words::WordStore;
use crate::ladder::structure::keys::siphash;
use crate::random::RandomSource;

pub use file::SeenFile;

/// Words of the header: one page.
pub(super) const HEADER_WORDS: u64 = 512;
/// Words after the header.
const BUCKETS: u64 = 1 << 14;
/// Bytes of a file with the set.
pub const SEEN_BYTES: u64 = (HEADER_WORDS + BUCKETS) * 8;
/// The number of pairs that are remembered.
pub const SEEN_PAIRS: u64 = BUCKETS * 8;

/// Words of the header.
const MAGIC_AT: u64 = 0;
const BORN_AT: u64 = 1;
const KEY_AT: [u64; 2] = [2, 3];
const FIRST_COUNTER_AT: u64 = 4;

/// The first word.
pub(super) const MAGIC: u64 = u64::from_le_bytes(*b"NMRECENT");
/// Attempts at updating a word that others change at the same time. Each failed attempt means that another
/// process succeeded.
const ATTEMPTS: u32 = 8;
/// The number of seconds by which a clock may lag behind the one that wrote a time.
const CLOCK_SLACK: u64 = 86_400;

/// A login that failed.
#[derive(Clone, Copy)]
pub struct FailureKey<'a> {
    /// The account's name.
    pub account: &'a [u8],
    /// The password.
    pub password: &'a [u8],
    /// Its network; empty if failures of one account from several networks are repeats.
    pub network: &'a [u8],
}

/// The counters next to the set, since the creation of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// Failed logins with a password.
    Failures,
    /// Failures that were not repeats: they took a step.
    Counted,
    /// Failures with a password that was often guessed before.
    Frequent,
    /// Failures that never count: local ones, excluded networks, the placeholder of `sshd` for a password.
    LeftOut,
}

impl Counter {
    const fn at(self) -> u64 {
        FIRST_COUNTER_AT + self as u64
    }
}

/// The set over an array of words.
#[derive(Debug)]
pub struct SeenFailures<W> {
    words: W,
}

impl<W: WordStore> SeenFailures<W> {
    /// The set in these words, at least 2¹⁴ + 512 of them. `None` if the first word is not the magic.
    ///
    /// # Errors
    /// As [`WordStore::load`].
    pub fn new(words: W) -> io::Result<Option<Self>> {
        Ok((words.load(MAGIC_AT)? == MAGIC).then_some(Self { words }))
    }

    /// Remembers a failure: true if it was not remembered yet. One in eight new ones is mistaken for a repeat
    /// once the set is full.
    ///
    /// # Errors
    /// As [`WordStore::replace`]; then it is not remembered.
    pub fn is_new(&self, failure: &FailureKey<'_>) -> io::Result<bool> {
        let (at, fingerprint) = self.place(failure)?;
        for _ in 0..ATTEMPTS {
            let old = self.words.load(at)?;
            let (new, is_new) = pushed(old, fingerprint);
            if new == old || self.words.replace(at, old, new)? {
                return Ok(is_new);
            }
        }
        Ok(true)
    }

    /// Forgets everything if the set is older than `max_age` seconds at the time `now`, or from the future.
    ///
    /// The key is replaced first: if the process is killed after that, the next one repeats it. A failure
    /// that meets half of the new key is miscounted once.
    ///
    /// # Errors
    /// As [`WordStore::replace`] and [`RandomSource::fill`].
    pub fn forget_if_old(&self, now: u64, max_age: u64, random: &mut impl RandomSource) -> io::Result<()> {
        let born = self.words.load(BORN_AT)?;
        let is_young = now.saturating_sub(born) <= max_age && born <= now.saturating_add(CLOCK_SLACK);
        if is_young {
            return Ok(());
        }
        let halves: [u64; 2] = random.words()?;
        for (at, half) in KEY_AT.into_iter().zip(halves) {
            let old = self.words.load(at)?;
            self.words.replace(at, old, half)?;
        }
        self.words.replace(BORN_AT, born, now).map(drop)
    }

    /// Increments a counter; among many concurrent writers an increment may be lost.
    ///
    /// # Errors
    /// As [`WordStore::replace`].
    pub fn add(&self, counter: Counter) -> io::Result<()> {
        for _ in 0..ATTEMPTS * ATTEMPTS {
            let old = self.words.load(counter.at())?;
            if self.words.replace(counter.at(), old, old.wrapping_add(1))? {
                break;
            }
        }
        Ok(())
    }

    /// A counter's value.
    ///
    /// # Errors
    /// As [`WordStore::load`].
    pub fn count(&self, counter: Counter) -> io::Result<u64> {
        self.words.load(counter.at())
    }

    /// The time at which the current key was drawn, in seconds since 1970.
    ///
    /// # Errors
    /// As [`WordStore::load`].
    pub fn born(&self) -> io::Result<u64> {
        self.words.load(BORN_AT)
    }

    /// The number of slots with a fingerprint, of [`SEEN_PAIRS`]; fingerprints under an earlier key count,
    /// too.
    ///
    /// # Errors
    /// As [`WordStore::load`].
    pub fn taken(&self) -> io::Result<u64> {
        (HEADER_WORDS..HEADER_WORDS + BUCKETS).try_fold(0, |taken, at| {
            let queue = self.words.load(at)?.to_le_bytes();
            Ok(taken + queue.iter().filter(|place| **place != 0).count() as u64)
        })
    }

    /// The failure's bucket and its fingerprint.
    fn place(&self, failure: &FailureKey<'_>) -> io::Result<(u64, u8)> {
        let [first, second] = KEY_AT.map(|at| self.words.load(at));
        let (place, print) = siphash((first?, second?), &message(failure));
        // 64 fingerprints, none of them 0.
        let fingerprint = (print & 63) as u8 | 64;
        Ok((HEADER_WORDS + (place & (BUCKETS - 1)), fingerprint))
    }
}

/// The parts, each after its length: no two failures give the same message.
pub(super) fn message(failure: &FailureKey<'_>) -> Zeroizing<Vec<u8>> {
    let parts = [failure.account, failure.network, failure.password];
    let length = parts.iter().map(|part| part.len() + 8).sum();
    let mut message = Zeroizing::new(Vec::with_capacity(length));
    for part in parts {
        message.extend_from_slice(&(part.len() as u64).to_le_bytes());
        message.extend_from_slice(part);
    }
    message
}

/// The bucket with this fingerprint at its front, and true if it was new. A repeat is moved to the front as
/// well, so that a client that keeps trying an old password stays remembered.
fn pushed(bucket: u64, fingerprint: u8) -> (u64, bool) {
    let mut queue = bucket.to_le_bytes();
    let found = queue.iter().position(|place| *place == fingerprint);
    let length = found.map_or(queue.len(), |place| place + 1);
    if let Some(front) = queue.get_mut(..length) {
        front.rotate_right(1);
    }
    let [first, ..] = &mut queue;
    *first = fingerprint;
    (u64::from_le_bytes(queue), found.is_none())
}
