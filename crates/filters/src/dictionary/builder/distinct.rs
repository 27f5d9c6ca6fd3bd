//! Counts distinct hashes: exactly up to a limit, with a close estimate beyond it, in bounded memory.
//!
//! Beyond the limit, the highest number of leading zeros of any hash is stored for each of 2¹⁹ classes:
//! HyperLogLog (Flajolet et al., "HyperLogLog: the analysis of a near-optimal cardinality estimation
//! algorithm", 2007). The count is estimated from these registers as in Ertl, "New cardinality estimation
//! algorithms for HyperLogLog sketches" (2017), algorithm 6: without bias at any count, with a relative
//! deviation of 1.04/√2¹⁹. Only hashes that are counted exactly are sorted. The result does not depend on the
//! order of the hashes, nor on how they were divided among counters.

use crate::dictionary::sizing::rounded;

/// Two to this is the number of registers; the estimate's relative deviation is 1/697.
const CLASS_BITS: u32 = 19;

/// The most leading zeros of the bits of a hash that do not name its class (Ertl's *q*).
const MAX_ZEROS: usize = 64 - CLASS_BITS as usize;

/// A counter of distinct hashes.
#[derive(Clone, Debug)]
pub(super) struct Distinct {
    /// Hashes up to which the count is exact.
    limit: usize,
    /// Hashes, some repeated, while they are counted exactly.
    exact: Vec<u64>,
    /// The length at which `exact` is next sorted.
    full: usize,
    /// The highest number of leading zeros of each class plus one, 0 without a hash; empty while hashes are
    /// counted exactly.
    registers: Vec<u8>,
}

impl Distinct {
    /// A counter that is exact up to `limit` hashes; it stores at most twice that number.
    pub(super) fn new(limit: usize) -> Distinct {
        Distinct { limit, exact: Vec::new(), full: limit + limit / 4 + 1, registers: Vec::new() }
    }

    #[inline]
    pub(super) fn insert(&mut self, hash: u64) {
        match self.registers.get_mut((hash >> MAX_ZEROS) as usize) {
            Some(register) => *register = (*register).max(rank(hash)),
            None => self.insert_exact(hash),
        }
    }

    fn insert_exact(&mut self, hash: u64) {
        self.exact.push(hash);
        if self.exact.len() >= self.full {
            self.compact();
        }
    }

    /// Removes repetitions; starts to estimate if too many hashes are left.
    fn compact(&mut self) {
        self.exact.sort_unstable();
        self.exact.dedup();
        if self.exact.len() > self.limit {
            self.estimate();
        }
        self.full = self.exact.len().max(self.limit * 5 / 8) * 2 + 1;
    }

    fn estimate(&mut self) {
        if self.registers.is_empty() {
            self.registers = vec![0; 1 << CLASS_BITS];
        }
        for hash in std::mem::take(&mut self.exact) {
            self.insert(hash);
        }
    }

    /// Adds the hashes of another counter.
    pub(super) fn merge(&mut self, other: Distinct) {
        if !other.registers.is_empty() {
            self.estimate();
            self.registers
                .iter_mut()
                .zip(other.registers)
                .for_each(|(ours, theirs)| *ours = theirs.max(*ours));
        }
        other.exact.into_iter().for_each(|hash| self.insert(hash));
    }

    pub(super) fn count(&mut self) -> u64 {
        if self.registers.is_empty() {
            self.compact();
        }
        if self.registers.is_empty() { self.exact.len() as u64 } else { estimated(&self.registers) }
    }
}

/// The leading zeros of the bits that do not name the class, plus one (Ertl §2.2).
#[inline]
#[allow(clippy::cast_possible_truncation, reason = "at most 64")]
fn rank(hash: u64) -> u8 {
    // An extra bit at the end limits the zeros of a hash without other bits.
    (hash << CLASS_BITS | 1 << (CLASS_BITS - 1)).leading_zeros() as u8 + 1
}

/// The estimated number of distinct hashes from these registers (Ertl, algorithm 6): m² / (2 ln 2) over the
/// sum of m τ(1 − C₍q₊₁₎/m) 2⁻ᵠ, C₍k₎ 2⁻ᵏ for k from 1 to q, and m σ(C₀/m), where C₍k₎ of the m registers
/// have the value k.
fn estimated(registers: &[u8]) -> u64 {
    let mut having = [0_u32; MAX_ZEROS + 2];
    for &register in registers {
        if let Some(count) = having.get_mut(usize::from(register)) {
            *count += 1;
        }
    }
    let m = registers.len() as f64;
    let [none, ranked @ .., all_zeros] = having.map(f64::from);
    let sum = ranked.iter().rev().fold(m * tau(1.0 - all_zeros / m), |sum, count| f64::midpoint(sum, *count));
    rounded(m * m / (2.0 * std::f64::consts::LN_2) / (sum + m * sigma(none / m)))
}

/// σ(x) = x + Σ x^(2^k) 2^(k−1) for k ≥ 1 (Ertl, equation 15).
fn sigma(x: f64) -> f64 {
    if x >= 1.0 {
        return f64::INFINITY;
    }
    let (mut power, mut factor, mut sum) = (x, 1.0, x);
    loop {
        power *= power;
        let before = sum;
        sum += power * factor;
        factor += factor;
        if sum <= before {
            return sum;
        }
    }
}

/// τ(x) = (1 − x − Σ (1 − x^(2^−k))² 2^−k) / 3 for k ≥ 1 (Ertl, equation 16).
fn tau(x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return 0.0;
    }
    let (mut root, mut factor, mut sum) = (x, 1.0, 1.0 - x);
    loop {
        root = root.sqrt();
        let before = sum;
        factor *= 0.5;
        sum -= (1.0 - root).powi(2) * factor;
        if sum >= before {
            return sum / 3.0;
        }
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

    /// From far fewer hashes than registers to many times as many: five deviations.
    #[test]
    fn close_at_every_count_beyond_it() {
        for n in [2000, 30_000, 500_000, 4_000_000] {
            let estimate = count(1000, hashes(n).chain(hashes(n / 3)));
            let error = (estimate as f64 / n as f64 - 1.0).abs();
            assert!(error < 5.0 / 697.0, "{n}: {estimate}");
        }
    }

    /// The registers of one hash and the estimate of equation 14 for them, by hand.
    #[test]
    fn a_hash_is_counted_by_the_zeros_behind_its_class() {
        let ranks = [0, 1 << 44, 1 << 45, 1, u64::MAX, 1 << 43];
        assert_eq!(ranks.map(rank), [46, 1, 46, 45, 1, 2]);
        let mut registers = vec![0; 1 << CLASS_BITS];
        assert_eq!(estimated(&registers), 0);
        registers[7] = 1;
        assert_eq!(estimated(&registers), 1);
        registers.fill(46);
        assert_eq!(estimated(&registers), u64::MAX, "all that can be");
    }

    #[test]
    fn merging_is_counting_together() {
        const MANY: usize = 3 << 19;
        for (limit, all, shared) in
            [(5000, 90_000, 30_000), (5000, 5000, 2), (1 << 20, MANY, 0), (1 << 20, MANY, MANY / 2)]
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
        let limit = 1 << 20;
        assert_eq!(count(limit, hashes(limit as u64).chain(hashes(100_000))), limit as u64);
        let estimate = count(limit, hashes(3_000_000)) as f64 / 3e6;
        assert!((estimate - 1.0).abs() < 0.005, "3.5 deviations of 0.143 %: {estimate}");
    }
}
