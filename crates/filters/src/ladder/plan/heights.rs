//! The height of an element never seen: binomial and hypergeometric heights, and their tails.
//!
//! Exactly N/2 ones among N bits make the height hypergeometric; independent bits, or N large, make it
//! binomial. [SH §IV, Fig. 5]; the first probability of the recurrence is misprinted there (place 3 of the
//! module's list).

#![allow(clippy::arithmetic_side_effects, reason = "heights of at most 128 rungs")]
#![allow(
    clippy::cast_precision_loss,
    reason = "rungs are at most 128 and bits at most 2^36: exact in an f64"
)]

/// Probability of each height 0 ..= `rungs` of an element never seen, when every bit is a one with
/// probability ½. [SH §V]
pub fn binomial(rungs: u32) -> Vec<f64> {
    by_ratio(rungs, |h| f64::from(rungs - h) / f64::from(h + 1))
}

/// Probability of each height 0 ..= `rungs` of an element never seen, when exactly half of `bits` are ones:
/// C(N/2, h)·C(N/2, H−h) / C(N, H). [SH §IV], corrected (place 3).
pub fn hypergeometric(bits: u64, rungs: u32) -> Vec<f64> {
    let half = bits as f64 / 2.0;
    by_ratio(rungs, |h| {
        let (h, rungs) = (f64::from(h), f64::from(rungs));
        let more = (half - h).max(0.0) * (rungs - h);
        more / ((h + 1.0) * (half - rungs + h + 1.0).max(f64::MIN_POSITIVE))
    })
}

/// Probability that a height of this distribution is `from` or more; 0 above its end.
pub fn tail(heights: &[f64], from: u32) -> f64 {
    // Smallest first: the tail of a tail is a sum of numbers of very different size.
    heights.iter().skip(from as usize).rev().sum()
}

/// Probability that an element never seen stands at `from` or more of `rungs`. [SH §V]
pub fn binomial_tail(rungs: u32, from: u32) -> f64 {
    tail(&binomial(rungs), from)
}

/// The distribution on 0 ..= `rungs` whose neighbours have this ratio p(h+1)/p(h). Grown from both sides of
/// the middle so that nothing underflows, then normalised: no factorial, no logarithm, relative error of a
/// few ulps.
fn by_ratio(rungs: u32, ratio: impl Fn(u32) -> f64) -> Vec<f64> {
    let middle = rungs / 2;
    let mut below: Vec<f64> = Vec::new();
    let mut p = 1.0;
    for h in (0..middle).rev() {
        p /= ratio(h);
        below.push(p);
    }
    below.reverse();
    let mut heights = below;
    p = 1.0;
    heights.push(p);
    for h in middle..rungs {
        p *= ratio(h);
        heights.push(p);
    }
    let total: f64 = heights.iter().sum();
    heights.into_iter().map(|p| p / total).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binomial_is_pascals_row() {
        let row = binomial(4);
        for (p, expected) in row.iter().zip([1.0, 4.0, 6.0, 4.0, 1.0]) {
            assert!((p - expected / 16.0).abs() < 1e-15);
        }
        assert!((binomial_tail(16, 16) - 2f64.powi(-16)).abs() < 1e-19);
        assert!(binomial_tail(16, 17) == 0.0);
    }

    #[test]
    fn hypergeometric_of_a_tiny_array_counts_by_hand() {
        // 8 bits, 4 ones, 2 rungs: C(4,h) C(4,2-h) / C(8,2) = 6/28, 16/28, 6/28.
        for (p, expected) in hypergeometric(8, 2).iter().zip([6.0, 16.0, 6.0]) {
            assert!((p - expected / 28.0).abs() < 1e-15);
        }
        // 10 bits, 5 ones, 3 rungs: 10, 50, 50, 10 of 120.
        for (p, expected) in hypergeometric(10, 3).iter().zip([10.0, 50.0, 50.0, 10.0]) {
            assert!((p - expected / 120.0).abs() < 1e-15);
        }
    }

    #[test]
    fn the_largest_ladders_do_not_underflow() {
        for heights in [binomial(128), hypergeometric(1 << 36, 128)] {
            assert!((heights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!(heights.iter().all(|p| *p > 0.0));
        }
    }
}
