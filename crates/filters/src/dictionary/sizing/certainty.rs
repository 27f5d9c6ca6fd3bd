//! Filters that are reliable enough to demand a change of a password: at a login the password is looked up as
//! typed, once in each filter, and was not chosen with the result in view.

use super::rate::VARIANT_LOOKUPS;
use crate::format::{Header, SchemeId, StatedRate};

/// The highest false positive rate of one lookup that may demand a change: once in a million logins.
pub const MAX_DEMAND_RATE: f64 = 1e-6;

/// The highest rate in a single page of such a filter, by its bits: ten times the mean. A page that is a
/// deviation too full (2 to 3 %) has a rate half as high again, so no page of an honest filter is above the
/// limit.
pub const MAX_DEMAND_ACCIDENT: f64 = 10.0 * MAX_DEMAND_RATE;

/// True for a filter that states such a low rate for one lookup.
/// [`crate::dictionary::DictionaryFilter::may_demand_for`] tests whether its pages keep it.
///
/// A check of *n* lookups is wrong with probability 1 − (1 − *r*)ⁿ, which is at least *nr* / (1 + *nr*): a
/// filter below that has a lookup rate below *r*. This needs no logarithm.
pub fn may_demand(header: &Header) -> bool {
    // A near filter states the rate of near lookups, each of which probes at least one word.
    let most = if header.scheme == SchemeId::Whole { u16::MAX } else { VARIANT_LOOKUPS };
    let StatedRate { false_rejection, lookups, .. } = header.stated;
    let all = f64::from(lookups.min(most)) * MAX_DEMAND_RATE;
    false_rejection * (1.0 + all) <= all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        dictionary::{
            Build, DictionaryFilter, Spec,
            sizing::{Counts, Demand},
        },
        format::{Kind, Match},
        hash::Key,
    };

    fn header(spec: Spec) -> Header {
        let digests: String = (0_u32..2000).map(|number| format!("{number:040x}\n")).collect();
        let lists: [&[u8]; 1] = [if spec.kind == Kind::Words { b"elephant\n" } else { digests.as_bytes() }];
        let filter = Build::new(spec, Key::new([7; 16])).in_memory(&lists).unwrap();
        DictionaryFilter::from_bytes(filter).unwrap().header().clone()
    }

    fn digests(lookups: u16) -> Spec {
        let mut spec = Spec { kind: Kind::Sha1, matching: Match::Exact, ..Spec::default() };
        spec.stated.lookups = lookups;
        spec
    }

    #[test]
    fn a_filter_for_logins_takes_20_probes_and_29_bits_and_may_demand() {
        for lookups in [1, 64, 164] {
            let header = header(digests(lookups).for_logins());
            assert!(may_demand(&header), "{lookups}");
            let rate = Demand::of(&header).stated_lookup_rate();
            assert!(rate <= MAX_DEMAND_RATE && rate > 0.99 * MAX_DEMAND_RATE, "{lookups}: {rate}");
        }
        let spec = digests(64).for_logins();
        let demand = Demand { scheme: SchemeId::Whole, deletion_bits: 0, stated: spec.stated, symbols: 0 };
        let geometry = demand.geometry(Counts { words: 10_000_000, extension: 0 }).unwrap();
        let bits = geometry.pages as f64 * 32_768.0 / 1e7;
        assert_eq!(geometry.word_bits, 20);
        assert!((28.5..29.5).contains(&bits), "{bits} bits a digest");
    }

    #[test]
    fn other_filters_may_not() {
        let mut wider = digests(64);
        wider.stated.false_rejection = 64.1 * MAX_DEMAND_RATE;
        let near = Spec::default();
        for spec in [digests(64), digests(1), wider, near] {
            assert!(!may_demand(&header(spec)), "{spec:?}");
        }
    }

    /// The bound without a logarithm is never above the rate itself.
    #[test]
    fn what_may_demand_has_so_low_a_rate() {
        let mut header = header(digests(64));
        for lookups in [1, 2, 64, 164, u16::MAX] {
            for part in 1_u32..2000 {
                let all = f64::from(lookups) * MAX_DEMAND_RATE;
                header.stated.lookups = lookups;
                header.stated.false_rejection = all * f64::from(part) / 1000.0;
                let is_low = Demand::of(&header).stated_lookup_rate() <= MAX_DEMAND_RATE * (1.0 + 1e-9);
                assert!(is_low || !may_demand(&header), "{lookups} {part}");
            }
        }
    }

    #[test]
    fn a_lower_rate_is_kept() {
        let mut spec = digests(64);
        spec.stated.false_rejection = 1e-9;
        assert_eq!(spec.for_logins(), spec);
    }
}
