//! Numbers on command lines: bits, rungs, shares of a whole, and probabilities.

use nearmiss_filters::ladder::MAX_RUNGS;

/// Reads a number of bits: `4194304` or `2^22`.
///
/// # Errors
/// The expected result.
pub fn bits(text: &str) -> Result<u64, String> {
    let bits = match text.strip_prefix("2^") {
        Some(exponent) => exponent.parse().ok().and_then(|e: u32| 1_u64.checked_shl(e)),
        None => text.parse().ok(),
    };
    bits.ok_or_else(|| "expected a number of bits such as 4194304 or 2^22".to_owned())
}

/// Reads a number of rungs, steps or a height.
pub fn rungs() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=i64::from(MAX_RUNGS))
}

/// Reads a share of a whole, above 0 and at most 1: a frequency, a probability.
///
/// # Errors
/// The expected result.
pub fn share(text: &str) -> Result<f64, String> {
    let share: Option<f64> = text.parse().ok();
    let share = share.filter(|share| *share > 0.0 && *share <= 1.0);
    share.ok_or_else(|| "expected a number above 0 and at most 1, such as 0.001 or 1e-6".to_owned())
}

/// Reads a probability, above 0 and below 1.
///
/// # Errors
/// The expected result.
pub fn probability(text: &str) -> Result<f64, String> {
    let probability = text.parse::<f64>().ok().filter(|&probability| probability > 0.0 && probability < 1.0);
    probability.ok_or_else(|| "expected a probability between 0 and 1".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_in_both_ways() {
        assert_eq!((bits("4194304"), bits("2^22")), (Ok(1 << 22), Ok(1 << 22)));
        for wrong in ["", "2^", "2^64", "-1", "1e6", "2^-1"] {
            assert!(bits(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn probabilities_are_neither_0_nor_1() {
        assert_eq!((probability("1e-6"), probability("0.5")), (Ok(1e-6), Ok(0.5)));
        for wrong in ["0", "1", "-0.1", "NaN", "inf", "1%"] {
            assert!(probability(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn shares_are_of_a_whole() {
        assert_eq!((share("1e-6"), share("1")), (Ok(1e-6), Ok(1.0)));
        for wrong in ["0", "-0.1", "1.01", "NaN", "inf", "x"] {
            assert!(share(wrong).is_err(), "{wrong}");
        }
    }
}
