//! Ranges made from a seed: as many digests as one likes, and every one known.

use std::{collections::HashMap, fmt::Write as _, sync::Mutex};

use nearmiss_filters::ladder::SeededRandom;

/// A digest, and how often it was counted.
pub(crate) type Counted = (Vec<u8>, u64);

/// A corpus of digests.
pub(crate) struct Corpus {
    pub(crate) digits: u8,
    pub(crate) each: u64,
    pub(crate) digest_bytes: usize,
    /// How often each range was changed.
    pub(crate) changes: Mutex<HashMap<u32, u64>>,
}

impl Corpus {
    /// `each` digests of SHA-1 in each of the ranges that this many digits name.
    pub(crate) fn new(digits: u8, each: u64) -> Corpus {
        Corpus { digits, each, digest_bytes: 20, changes: Mutex::default() }
    }

    pub(crate) fn ranges(&self) -> u32 {
        1 << (4 * u32::from(self.digits))
    }

    /// One more digest in a range.
    pub(crate) fn change(&self, range: u32) {
        *self.changes.lock().unwrap().entry(range).or_default() += 1;
    }

    fn changes(&self, range: u32) -> u64 {
        self.changes.lock().unwrap().get(&range).copied().unwrap_or(0)
    }

    /// The digests of a range in their order.
    pub(crate) fn digests(&self, range: u32) -> Vec<Counted> {
        let count = self.each + self.changes(range);
        let mut digests: Vec<Counted> = (0..count).map(|index| self.digest(range, index)).collect();
        digests.sort_unstable();
        digests
    }

    fn digest(&self, range: u32, index: u64) -> Counted {
        let mut random = SeededRandom::new(u64::from(range) << 32 | index);
        let mut digest: Vec<u8> = (0..3).flat_map(|_| random.next_word().to_be_bytes()).collect();
        digest.truncate(self.digest_bytes);
        let prefix = u64::from(range) << (32 - 4 * u32::from(self.digits));
        let rest = u64::from(u32::from_be_bytes(digest[..4].try_into().unwrap()));
        let mask = (1_u64 << (32 - 4 * u32::from(self.digits))) - 1;
        let first = u32::try_from(prefix | rest & mask).unwrap();
        digest[..4].copy_from_slice(&first.to_be_bytes());
        (digest, 1 + random.next_word() % 40)
    }

    /// Every digest.
    pub(crate) fn all(&self) -> impl Iterator<Item = Counted> {
        (0..self.ranges()).flat_map(|range| self.digests(range))
    }

    /// The text of a range, with padding in it.
    pub(crate) fn text(&self, range: u32) -> String {
        let mut text = String::new();
        for (digest, count) in self.digests(range) {
            let hex: String = digest.iter().fold(String::new(), |mut hex, byte| {
                write!(hex, "{byte:02X}").unwrap();
                hex
            });
            write!(text, "{}:{count}\r\n", &hex[self.digits.into()..]).unwrap();
        }
        let width = self.digest_bytes * 2 - usize::from(self.digits);
        write!(text, "{range:0width$X}:0").unwrap();
        text
    }

    pub(crate) fn etag(&self, range: u32) -> String {
        format!("W/\"0x{range:X}-{}\"", self.changes(range))
    }
}
