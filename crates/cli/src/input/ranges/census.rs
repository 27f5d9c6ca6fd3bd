//! The ranges that a corpus has, and the ones that it should have.
//!
//! A corpus is complete with all 16^5 ranges.

use super::names::{ALL_RANGES, name_of};

/// The number of names in a message.
pub(super) const NAMED: usize = 5;

/// The ranges of a corpus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeCensus {
    /// The ranges that have a file.
    pub found: u32,
    /// The ranges that it lacks, of all.
    pub missing: u32,
    /// The first of the ranges that it lacks.
    pub(super) first_missing: Vec<String>,
}

impl RangeCensus {
    /// All ranges, there or not.
    pub fn all(&self) -> u32 {
        ALL_RANGES
    }

    /// The census of ranges in ascending order.
    pub(super) fn of(ranges: &(impl Iterator<Item = u32> + Clone)) -> RangeCensus {
        let found = Gaps::between(0, ranges.clone()).fold(0, |found, _| found + 1);
        let missing = ALL_RANGES - found;
        let all_missing = || Gaps::between(0, ranges.clone().chain([ALL_RANGES])).flatten();
        let first_missing = all_missing().take(NAMED).map(name_of).collect();
        RangeCensus { found, missing, first_missing }
    }
}

/// The gap before each distinct range.
struct Gaps<I> {
    next: u32,
    ranges: I,
}

impl<I: Iterator<Item = u32>> Gaps<I> {
    fn between(from: u32, ranges: I) -> Gaps<I> {
        Gaps { next: from, ranges }
    }
}

impl<I: Iterator<Item = u32>> Iterator for Gaps<I> {
    type Item = std::ops::Range<u32>;

    fn next(&mut self) -> Option<Self::Item> {
        let before = self.next;
        let range = self.ranges.by_ref().find(|&range| range >= before)?;
        self.next = range + 1;
        Some(before..range)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn of(ranges: &[u32]) -> (u32, u32, Vec<String>) {
        let census = RangeCensus::of(&ranges.iter().copied());
        (census.found, census.missing, census.first_missing)
    }

    #[test]
    fn a_corpus_has_all_ranges() {
        let all: Vec<u32> = (0..ALL_RANGES).collect();
        assert_eq!(of(&all), (ALL_RANGES, 0, vec![]));
        assert_eq!(of(&all[1..]), (ALL_RANGES - 1, 1, vec!["00000".to_owned()]));
        assert_eq!(of(&all[..all.len() - 1]), (ALL_RANGES - 1, 1, vec!["FFFFF".to_owned()]));
        let (found, missing, first) = of(&[0, 1, 1, 3, 0xabcde]);
        assert_eq!((found, missing), (4, ALL_RANGES - 4));
        assert_eq!(first, ["00002", "00004", "00005", "00006", "00007"]);
        assert_eq!(of(&[]).1, ALL_RANGES);
    }

    proptest! {
        #[test]
        fn missing_ranges_are_those_of_a_set(steps in prop::collection::vec(0_u32..5, 1..60)) {
            let ranges: Vec<u32> = steps.iter().scan(0, |at, step| { *at += step; Some(*at) }).collect();
            let set: BTreeSet<u32> = ranges.iter().copied().collect();
            let missing_ones = (0..ALL_RANGES).filter(|n| !set.contains(n));
            let expected: Vec<String> = missing_ones.take(5).map(name_of).collect();
            let (found, missing, first) = of(&ranges);
            prop_assert_eq!((found as usize, found + missing), (set.len(), ALL_RANGES));
            prop_assert_eq!(first, expected);
        }
    }
}
