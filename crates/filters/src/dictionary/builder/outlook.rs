//! Extrapolates from the beginning of a list: whether its digests are in order and evenly distributed, and
//! their approximate number.

use super::spec::Build;
use crate::{
    dictionary::sizing::rounded,
    format::MAX_GROUP_BITS,
    list::{Entry, LineFormat},
};

/// With fewer digests there is no estimate.
const FEWEST: usize = 1000;

/// The number of parts of the range of digests that must contain about the same number.
const PARTS: usize = 16;

/// The permitted deviation of a part from the mean, as a fraction of the mean and in standard deviations:
/// files may lack some ranges. A crowded group is detected when it is filled.
const UNEVEN: (f64, f64) = (0.25, 6.0);

/// The permitted difference between the estimate by the length of a list and the one by its first digits.
const DIFFERENT: f64 = 0.05;

/// The number of standard deviations that are added to the estimate.
const DEVIATIONS: f64 = 3.0;

/// Ranges that digests can begin with.
const RANGES: f64 = (1 << MAX_GROUP_BITS) as f64;

/// The beginning of a list.
#[derive(Clone, Copy, Debug)]
pub struct Beginning<'t> {
    /// Whole lines.
    pub text: &'t [u8],
    /// True if the list has no further lines.
    pub is_whole: bool,
    /// The fraction of the list that this is; none if its length is unknown.
    pub share: Option<f64>,
}

/// The estimate from the beginning of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outlook {
    /// The approximate number of digests in the list.
    pub digests: u64,
    /// True if they are distributed evenly over all first digits.
    pub is_even: bool,
}

impl Build {
    /// The estimate from the beginning of a list of digests; none if they are not in the order of the ranges,
    /// or too few.
    pub fn outlook(&self, beginning: Beginning<'_>) -> Option<Outlook> {
        let ranges = ranges_of(beginning.text, self.lines());
        let &last = ranges.last().filter(|_| ranges.len() >= FEWEST && ranges.is_sorted())?;
        // The last range may be incomplete.
        let end = if beginning.is_whole { 1 << MAX_GROUP_BITS } else { last };
        let seen = ranges.get(..ranges.partition_point(|&range| range < end)).unwrap_or_default();
        let by_length = beginning.share.map(|share| ranges.len() as f64 / share);
        if beginning.is_whole {
            return Some(Outlook { digests: ranges.len() as u64, is_even: is_even(seen, end) });
        }
        let by_digits = seen.len() as f64 / (f64::from(end) / RANGES);
        let raised = |digests: f64| rounded(digests * (1.0 + DEVIATIONS / (ranges.len() as f64).sqrt()));
        let agree = by_length.is_none_or(|digests| (by_digits / digests - 1.0).abs() < DIFFERENT);
        let is_even = agree && is_even(seen, end);
        let digests = if is_even { by_digits } else { by_length.unwrap_or(by_digits) };
        Some(Outlook { digests: raised(digests), is_even })
    }
}

/// The first five digits of each digest.
fn ranges_of(text: &[u8], lines: LineFormat) -> Vec<u32> {
    let mut ranges = Vec::new();
    lines.read_block(text, &mut Entry::default(), |entry| {
        let first = entry.digest.first_chunk().map_or(0, |&first| u32::from_be_bytes(first));
        ranges.push(first.wrapping_shr(u32::BITS.saturating_sub(MAX_GROUP_BITS.into())));
    });
    ranges
}

/// True if the parts of the ranges below `end` contain about the same number.
fn is_even(ranges: &[u32], end: u32) -> bool {
    let mean = ranges.len() as f64 / PARTS as f64;
    let most = (UNEVEN.0 * mean).max(UNEVEN.1 * mean.sqrt());
    let mut before = 0;
    (1..=PARTS).all(|part| {
        let to = f64::from(end) * part as f64 / PARTS as f64;
        let until = ranges.partition_point(|&range| f64::from(range) < to);
        let count = until.saturating_sub(before) as f64;
        before = until;
        (count - mean).abs() <= most
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{dictionary::Spec, format::Kind, hash::Key};

    fn outlook(text: &str, is_whole: bool, share: Option<f64>) -> Option<Outlook> {
        let build = Build::new(Spec { kind: Kind::Sha1, ..Spec::default() }, Key::new([1; 16]));
        build.outlook(Beginning { text: text.as_bytes(), is_whole, share })
    }

    /// `count` digests, each in the range `step` after the one before.
    fn lines(count: u32, step: u32) -> String {
        (0..count).map(|i| format!("{:05X}{:035X}:7\n", i * step, i)).collect()
    }

    #[test]
    fn a_beginning_in_order_shows_how_many_there_are() {
        let (text, all) = (lines(20_000, 4), f64::from(1_u32 << 18));
        for share in [None, Some(20_000.0 / all), Some(19_500.0 / all)] {
            let seen = outlook(&text, false, share).unwrap();
            let raised = all * (1.0 + 3.0 / 20_000.0_f64.sqrt());
            assert!(seen.is_even && (seen.digests as f64 / raised - 1.0).abs() < 1e-4, "{seen:?}");
        }
        assert_eq!(outlook(&lines(5000, 209), true, None), Some(Outlook { digests: 5000, is_even: true }));
    }

    #[test]
    fn a_part_of_a_whole_list_is_not_even() {
        let seen = outlook(&lines(20_000, 4), false, Some(0.5)).unwrap();
        assert!(!seen.is_even && (40_000..42_000).contains(&seen.digests), "{seen:?}");
        assert!(!outlook(&lines(5000, 4), true, None).unwrap().is_even);
        let low: String = (0..5000).map(|i| format!("{i:040X}\n")).collect();
        assert!(!outlook(&low, true, None).unwrap().is_even);
    }

    #[test]
    fn what_is_not_in_order_or_too_few_shows_nothing() {
        assert_eq!(outlook(&lines(999, 1000), true, None), None);
        let text = lines(2000, 500) + &lines(1, 1);
        assert_eq!(outlook(&text, true, None), None);
        assert_eq!(outlook("word\n", true, Some(1.0)), None);
    }
}
