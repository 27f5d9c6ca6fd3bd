//! The ranges that a corpus has, and the ones that it should have.
//!
//! A corpus is complete with all 16^5 ranges. A small part of it is made on purpose, for a trial or a test:
//! with less than a hundredth of all ranges it may be a run of neighbours, which then has to be without gaps,
//! or ranges from here and there.

use super::names::{ALL_RANGES, name_of};

/// The number of names in a message.
pub(super) const NAMED: usize = 5;

/// With at least all ranges divided by this, a corpus is meant to be whole.
const PART: u32 = 100;

/// The ranges of a corpus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeCensus {
    /// The ranges that have a file.
    pub found: u32,
    /// The ranges that it lacks, of all.
    pub missing: u32,
    /// The ranges that it lacks and should have.
    pub(super) gaps: u32,
    /// The first of them.
    pub(super) first_gaps: Vec<String>,
}

impl RangeCensus {
    /// All ranges, there or not.
    pub fn all(&self) -> u32 {
        ALL_RANGES
    }

    /// True if it lacks ranges that it should have.
    pub(super) fn has_gaps(&self) -> bool {
        self.gaps > 0
    }

    /// The census of ranges in ascending order.
    pub(super) fn of(ranges: &(impl Iterator<Item = u32> + Clone)) -> RangeCensus {
        let found = Gaps::between(0, ranges.clone()).fold(0, |found, _| found + 1);
        let missing = ALL_RANGES - found;
        let (first, last) = (ranges.clone().next().unwrap_or(0), ranges.clone().last().unwrap_or(0));
        let span = last - first + 1;
        let (from, until) = match found {
            _ if found >= ALL_RANGES / PART => (0, ALL_RANGES),
            _ if found >= span.div_ceil(2) => (first, last + 1),
            _ => return RangeCensus { found, missing, gaps: 0, first_gaps: Vec::new() },
        };
        let all_gaps = || Gaps::between(from, ranges.clone().chain([until])).flatten();
        let first_gaps = all_gaps().take(NAMED).map(name_of).collect();
        RangeCensus { found, missing, gaps: until - from - found, first_gaps }
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
        assert_eq!(census.found + census.missing, ALL_RANGES);
        (census.found, census.gaps, census.first_gaps)
    }

    #[test]
    fn a_few_ranges_are_a_run_without_gaps_or_from_here_and_there() {
        assert_eq!(of(&[7]), (1, 0, vec![]));
        assert_eq!(of(&[7, 7, 8, 9]), (3, 0, vec![]));
        assert_eq!(of(&[0, 10, 0xabcde]), (3, 0, vec![]));
        assert_eq!(of(&[7, 8, 10, 12]), (4, 2, vec!["00009".to_owned(), "0000B".to_owned()]));
    }

    #[test]
    fn many_ranges_have_to_be_all() {
        let all: Vec<u32> = (0..ALL_RANGES).collect();
        assert_eq!(of(&all), (ALL_RANGES, 0, vec![]));
        assert_eq!(of(&all[1..]), (ALL_RANGES - 1, 1, vec!["00000".to_owned()]));
        let (found, gaps, first) = of(&all[..ALL_RANGES as usize / 100]);
        assert_eq!((found, gaps), (10_485, ALL_RANGES - 10_485));
        assert_eq!(first, ["028F5", "028F6", "028F7", "028F8", "028F9"]);
        assert_eq!(of(&all[..10_484]).1, 0);
    }

    proptest! {
        #[test]
        fn gaps_are_those_of_a_set(
            start in 0_u32..1000, steps in prop::collection::vec(0_u32..5, 1..60)
        ) {
            let mut ranges = vec![start];
            for step in steps {
                ranges.push(ranges[ranges.len() - 1] + step);
            }
            let set: BTreeSet<u32> = ranges.iter().copied().collect();
            let gaps: Vec<u32> = (start..=ranges[ranges.len() - 1]).filter(|n| !set.contains(n)).collect();
            let is_run = set.len() >= gaps.len();
            let (found, count, first) = of(&ranges);
            prop_assert_eq!(found as usize, set.len());
            prop_assert_eq!(count as usize, if is_run { gaps.len() } else { 0 });
            let named: Vec<String> = gaps.iter().take(5).map(|&n| name_of(n)).collect();
            prop_assert_eq!(first, if is_run { named } else { vec![] });
        }
    }
}
