//! How many distinct hashes were seen: exactly up to a limit, closely estimated beyond it, in bounded memory.
//!
//! The k smallest distinct hashes are kept ("k minimum values", Bar-Yossef et al., "Counting distinct elements in a
//! data stream", 2002, §2.3). While fewer than k are known the count is exact; beyond, (k − 1) / (the k-th smallest as
//! a fraction of the range) is unbiased with relative deviation 1/√(k − 2) (Beyer et al., 2007, §3.1). The result does
//! not depend on the order of the hashes, nor on how they were divided among counters.

use super::rate::whole;

/// A counter of distinct hashes.
#[derive(Clone, Debug)]
pub(super) struct Distinct {
    limit: usize,
    smallest: Vec<u64>,
    /// Hashes at or above are not among the `limit` smallest.
    threshold: u64,
}

impl Distinct {
    /// A counter that is exact up to `limit` hashes; it keeps at most twice as many.
    pub(super) fn new(limit: usize) -> Distinct {
        Distinct { limit: limit.max(3), smallest: Vec::new(), threshold: u64::MAX }
    }

    #[inline]
    pub(super) fn insert(&mut self, hash: u64) {
        if hash < self.threshold {
            self.smallest.push(hash);
            if self.smallest.len() >= self.limit.saturating_mul(2) {
                self.compact();
            }
        }
    }

    fn compact(&mut self) {
        self.smallest.sort_unstable();
        self.smallest.dedup();
        if self.smallest.len() >= self.limit {
            self.smallest.truncate(self.limit);
            self.threshold = self.smallest.last().copied().unwrap_or(u64::MAX);
        }
    }

    pub(super) fn merge(&mut self, other: Distinct) {
        for hash in other.smallest {
            self.insert(hash);
        }
    }

    pub(super) fn count(&mut self) -> u64 {
        self.compact();
        if self.threshold == u64::MAX {
            return self.smallest.len() as u64;
        }
        let part = (self.threshold as f64 + 1.0) / 2_f64.powi(64);
        whole(self.limit.saturating_sub(1) as f64 / part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::Key;

    fn hashes(n: u64) -> impl Iterator<Item = u64> {
        let key = Key::new([3; 16]);
        (0..n).map(move |i| key.hash(&i.to_le_bytes()))
    }

    fn count(limit: usize, hashes: impl Iterator<Item = u64>) -> u64 {
        let mut distinct = Distinct::new(limit);
        hashes.for_each(|hash| distinct.insert(hash));
        distinct.count()
    }

    #[test]
    fn exact_below_the_limit_with_repetitions() {
        assert_eq!(count(1000, hashes(999).chain(hashes(999)).chain(hashes(500))), 999);
        assert_eq!(count(1000, std::iter::empty()), 0);
    }

    #[test]
    fn close_beyond_it() {
        let estimate = count(10_000, hashes(1_000_000).chain(hashes(300_000)));
        let error = (estimate as f64 / 1e6 - 1.0).abs();
        assert!(error < 0.05, "five deviations of 1 %: {estimate}");
    }

    #[test]
    fn merging_is_counting_together() {
        let (mut a, mut b) = (Distinct::new(5000), Distinct::new(5000));
        hashes(60_000).for_each(|hash| a.insert(hash));
        hashes(90_000).skip(30_000).for_each(|hash| b.insert(hash));
        a.merge(b);
        assert_eq!(a.count(), count(5000, hashes(90_000)));
    }
}
