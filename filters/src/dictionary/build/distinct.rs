//! How many distinct hashes were seen: exactly up to a limit, closely estimated beyond it, in bounded memory.
//!
//! The k smallest distinct hashes are kept ("k minimum values", Bar-Yossef et al., "Counting distinct
//! elements in a data stream", 2002, §2.3). While fewer than k are known the count is exact; beyond, (k − 1)
//! / (the k-th smallest as a fraction of the range) is unbiased with relative deviation 1/√(k − 2) (Beyer et
//! al., 2007, §3.1). The result does not depend on the order of the hashes, nor on how they were divided
//! among counters.

use crate::dictionary::sizing::rounded;

/// The most hashes an estimate is made of: its relative deviation is 1/724.
const SAMPLE: usize = 1 << 19;

/// A counter of distinct hashes.
#[derive(Clone, Debug)]
pub(super) struct Distinct {
    /// Hashes up to which the count is exact; then how many of the smallest are kept.
    limit: usize,
    smallest: Vec<u64>,
    /// The length at which `smallest` is next sorted and cut.
    full: usize,
    /// Hashes at or above are not among the smallest that are kept.
    threshold: u64,
}

impl Distinct {
    /// A counter that is exact up to `limit` hashes; it keeps at most twice as many.
    pub(super) fn new(limit: usize) -> Distinct {
        let limit = limit.max(3);
        let full = limit + limit / 4;
        Distinct { limit, smallest: Vec::new(), full, threshold: u64::MAX }
    }

    #[inline]
    pub(super) fn insert(&mut self, hash: u64) {
        if hash < self.threshold {
            self.smallest.push(hash);
            if self.smallest.len() >= self.full {
                self.compact();
            }
        }
    }

    /// Sorting costs most of the time: a list that turns out too long to be counted is estimated of fewer
    /// from then on.
    fn compact(&mut self) {
        self.smallest.sort_unstable();
        self.smallest.dedup();
        if self.smallest.len() > self.limit || self.threshold < u64::MAX {
            self.limit = self.limit.min(SAMPLE);
            self.smallest.truncate(self.limit);
            self.threshold = self.smallest.last().copied().unwrap_or(u64::MAX);
        }
        self.full = self.smallest.len().max(self.limit * 5 / 8) * 2;
    }

    /// Counts together what both have seen. Where one of them keeps only its smallest, so does the sum.
    pub(super) fn merge(&mut self, other: Distinct) {
        self.limit = self.limit.min(other.limit);
        self.threshold = self.threshold.min(other.threshold);
        self.smallest.extend(other.smallest);
        self.smallest.retain(|&hash| hash <= self.threshold);
        self.compact();
    }

    pub(super) fn count(&mut self) -> u64 {
        self.compact();
        if self.threshold == u64::MAX {
            return self.smallest.len() as u64;
        }
        let part = (self.threshold as f64 + 1.0) / 2_f64.powi(64);
        rounded((self.limit - 1) as f64 / part)
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
        const MANY: usize = SAMPLE * 3;
        for (limit, all, shared) in
            [(5000, 90_000, 30_000), (5000, 5000, 2), (SAMPLE * 2, MANY, 0), (SAMPLE * 2, MANY, MANY / 2)]
        {
            for first in [all / 10, all / 2, all] {
                let (mut a, mut b) = (Distinct::new(limit), Distinct::new(limit));
                hashes(all as u64).take(first).for_each(|hash| a.insert(hash));
                hashes(all as u64).skip(first - shared.min(first)).for_each(|hash| b.insert(hash));
                let mut other_way = b.clone();
                other_way.merge(a.clone());
                a.merge(b);
                let together = count(limit, hashes(all as u64));
                assert_eq!((a.count(), other_way.count()), (together, together), "{limit} {all} {first}");
            }
        }
    }

    #[test]
    fn at_the_limit_the_count_is_exact_and_beyond_it_close() {
        let limit = SAMPLE * 2;
        assert_eq!(count(limit, hashes(limit as u64).chain(hashes(100_000))), limit as u64);
        let estimate = count(limit, hashes(3_000_000)) as f64 / 3e6;
        assert!((estimate - 1.0).abs() < 0.005, "3.6 deviations of 0.138 %: {estimate}");
    }
}
