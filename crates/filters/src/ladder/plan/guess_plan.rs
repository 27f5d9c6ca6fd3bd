//! The behaviour of a ladder of guessed passwords on one host: when a password is detected, when it is
//! forgotten, and the cost of making the ladder forget. [SH §VI, §VIII-B]

use super::heights::{binomial, tail};
use crate::ladder::structure::params::Params;

/// The number of days after which a rung should still be set with probability ½.
const HALF_LIFE_DAYS: f64 = 90.0;
/// Sizes of an array for one host.
const BITS: std::ops::RangeInclusive<u32> = 22..=29;

/// The number of steps after which a rung that was set is still a one with probability ½: each step clears
/// two random bits, so it survives t steps with e^(−2t/N). A little below 0.35·N.
pub fn half_life(bits: u64) -> f64 {
    bits as f64 * std::f64::consts::LN_2 / 2.0
}

/// The number of bits for this number of counted failures a day: the lowest with which a rung's half-life is
/// 90 days, from 2²² to 2²⁹.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped just before")]
pub fn bits_for_failures(per_day: f64) -> u64 {
    let least = per_day.max(0.0) * HALF_LIFE_DAYS / half_life(1);
    let exponent = least.log2().ceil().clamp((*BITS.start()).into(), (*BITS.end()).into());
    1 << exponent as u32
}

/// The attempt, each at another account, by which a password never seen before is detected with this
/// probability: the first that finds it at the threshold. It starts at a binomial height and climbs one rung
/// an attempt; bits that other passwords clear meanwhile are ignored.
pub fn attempts(params: &Params, probability: f64) -> u32 {
    let heights = binomial(params.rungs());
    let missing = |steps: &u32| tail(&heights, params.threshold().saturating_sub(*steps)) < probability;
    let steps = (0..params.threshold()).find(|steps| !missing(steps)).unwrap_or(params.threshold());
    steps.saturating_add(1)
}

/// The probability that a password is ever detected if each of this number of accounts can take one step: it
/// reaches the threshold after them.
pub fn detected(params: &Params, accounts: u64) -> f64 {
    let steps = u32::try_from(accounts).unwrap_or(u32::MAX);
    tail(&binomial(params.rungs()), params.threshold().saturating_sub(steps))
}

/// Counted failures with other passwords after which one at the top stands below the threshold on average:
/// N/2 · ln(H / (T−1)). At height h a step of another clears one of its rungs with 2h/N.
pub fn failures_to_wipe(params: &Params) -> f64 {
    let below = f64::from(params.threshold()) - 1.0;
    params.bits() as f64 / 2.0 * (f64::from(params.rungs()) / below.max(1.0)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ladder::structure::preset::Preset;

    fn guesses() -> Params {
        Preset::Guesses.params(None).unwrap()
    }

    #[test]
    fn an_array_is_sized_by_failures_a_day() {
        let exponents = [0.0, 100.0, 16_000.0, 64_000.0, 66_000.0, 1e9, f64::NAN].map(bits_for_failures);
        assert_eq!(exponents.map(u64::trailing_zeros), [22, 22, 22, 24, 25, 29, 22]);
        assert!((half_life(1 << 24) / 64_000.0 - 90.0).abs() < 1.0);
    }

    #[test]
    fn detection_takes_about_twenty_accounts() {
        let at = |probability| attempts(&guesses(), probability);
        assert_eq!([0.1, 0.5, 0.9, 0.99].map(at), [17, 21, 25, 29]);
        let action = Preset::GuessesAction.params(None).unwrap();
        assert_eq!([0.5, 0.99].map(|probability| attempts(&action, probability)), [27, 36]);
    }

    #[test]
    fn a_probability_that_is_just_reached_is_reached() {
        let params = guesses();
        let exactly = tail(&binomial(params.rungs()), params.threshold() - 20);
        assert_eq!(attempts(&params, exactly), 21);
    }

    #[test]
    fn few_accounts_can_never_show_a_guess() {
        let by = |accounts| detected(&guesses(), accounts);
        assert!(by(5) < 2e-5 && by(10) < 0.01 && by(20) > 0.5 && by(30) > 0.99 && by(u64::MAX) >= 1.0 - 1e-9);
    }

    #[test]
    fn wiping_costs_a_part_of_the_array() {
        let at_default = failures_to_wipe(&guesses());
        assert!((at_default / 9.2e5 - 1.0).abs() < 0.01, "{at_default}");
    }
}
