//! Chooses parameters: a search for the ones that reveal least. [SH §VI, §VIII]
//!
//! For chosen passwords: `users` accounts, of which at most the share `max_share` may have the same password,
//! and a password that no account has is refused with probability at most `false_positive`. Any H and x that
//! meet these two conditions reveal about `(z_a + z_b)² / 2k²` nats per password; the search takes the exact
//! minimum and then sizes the array.

//!
//! [`guess_plan`] is the same search for guessed passwords. Both rest on [`heights`] of elements never seen,
//! [`refusals`], [`privacy`], [`page_skew`] and [`equilibrium`].

#![allow(clippy::cast_precision_loss, reason = "user numbers and bits are far below 2^53")]

pub mod equilibrium;
pub mod guess_plan;
pub mod heights;
pub mod page_skew;
pub mod privacy;
pub mod refusals;

use std::error::Error;
use std::fmt;

use self::equilibrium::{bits_for, middle_frequency, nearest_power};
use self::heights::{binomial, binomial_tail, tail};
use self::page_skew::false_positive_factor;
use self::privacy::information_bits;
use self::refusals::refused;
use crate::keys::{self, Keyed, MessageKey};
use crate::ladder::structure::params::Params;

/// Bits of one 4 KiB page.
pub const PAGE_BITS: u64 = 1 << 15;
/// The lowest useful number of bits: with fewer, an attacker's own password changes lower a common password's
/// height. Dropping one rung of a password at the top takes N/2H steps: 32,768 here with 16 rungs.
pub(crate) const FLOOR_BITS: u64 = 1 << 20;
/// Password changes of one account over the life of a ladder that the sizing assumes.
pub(crate) const CHANGES_PER_USER: u64 = 20;
/// 1 / the rungs that a password at the top may lose on average over the life of a ladder.
const DECAY_MARGIN: u64 = 10;

/// The highest number of rungs in the search: more reveal the same information in finer steps.
const SEARCHED_RUNGS: u32 = 64;

/// The requirements for a ladder of chosen passwords.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wish {
    /// Accounts on the system.
    pub users: u64,
    /// The highest share of accounts that may have the same password, from 0 to 1. Two users always may.
    pub max_share: f64,
    /// The highest probability that a password that no account has is refused.
    pub false_positive: f64,
    /// The probability that a password is refused when the highest share is reached.
    pub certainty: f64,
}

/// The parameters for a [`Wish`], and their effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// The parameters.
    pub params: Params,
    /// Users who may have the same password: the wish in whole users.
    pub allowed_users: u32,
    /// The probability that the next user is rejected when this number of users has it.
    pub refused: f64,
    /// The probability that a password that no account has is refused, including page skew.
    pub false_positive: f64,
    /// Bits of information that the array contains about a password recorded once.
    pub information_bits: f64,
}

/// A wish that no ladder fulfils.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum PlanError {
    /// A number of the wish is outside its limits.
    Wish,
    /// No ladder of up to 64 rungs distinguishes so few users from none at this false positive rate.
    Impossible {
        /// Users who may have the same password.
        allowed_users: u32,
    },
    /// The number of users needs more bits than a ladder can have.
    TooLarge,
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wish => write!(
                f,
                "users must be at least 2, the share above 0 and at most 1, false positive rate and \
                 certainty between 0 and 1"
            ),
            Self::Impossible { allowed_users } => write!(
                f,
                "no ladder rejects a password of {allowed_users} users with this certainty and so few false \
                 positives; raise the share or the false positive rate"
            ),
            Self::TooLarge => write!(
                f,
                "this number of users needs more than {} bits",
                crate::ladder::structure::params::MAX_BITS
            ),
        }
    }
}

impl Keyed for PlanError {
    fn key(&self) -> MessageKey {
        keys::LADDER_PARAMETERS
    }
}

impl Error for PlanError {}

/// The parameters that fulfil a wish and reveal least.
///
/// # Errors
/// [`PlanError`] if the wish is malformed or no ladder fulfils it.
pub fn plan(wish: &Wish) -> Result<Plan, PlanError> {
    let allowed_users = allowed_users(wish)?;
    let shape = (1..=SEARCHED_RUNGS).filter_map(|rungs| best_with(rungs, allowed_users, wish));
    let best = shape.min_by(|a, b| a.information.total_cmp(&b.information));
    let PlanShape { rungs, threshold, steps, information } =
        best.ok_or(PlanError::Impossible { allowed_users })?;
    let bits = bits_for_users(rungs, steps, wish.users).ok_or(PlanError::TooLarge)?;
    Ok(Plan {
        params: Params::new(bits, rungs, threshold, steps).map_err(|_| PlanError::TooLarge)?,
        allowed_users,
        refused: refused(rungs, threshold, steps, allowed_users),
        false_positive: skewed_false_positive(rungs, threshold),
        information_bits: information,
    })
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "limited to 2..=10^6 just before")]
fn allowed_users(wish: &Wish) -> Result<u32, PlanError> {
    let rate = |p: f64| p > 0.0 && p < 1.0;
    let share = wish.max_share > 0.0 && wish.max_share <= 1.0;
    if wish.users < 2 || !share || !rate(wish.false_positive) || !rate(wish.certainty) {
        return Err(PlanError::Wish);
    }
    // The tolerance keeps 5 users of 1000 at a share of 0.005 five.
    Ok((wish.users as f64 * wish.max_share + 1e-9).clamp(2.0, 1e6) as u32)
}

struct PlanShape {
    rungs: u32,
    threshold: u32,
    steps: u32,
    information: f64,
}

/// The lowest sufficient number of steps with this number of rungs: fewer steps always reveal less, and the
/// lowest threshold that keeps the false positive rate needs the fewest.
fn best_with(rungs: u32, allowed_users: u32, wish: &Wish) -> Option<PlanShape> {
    let threshold = (1..=rungs).find(|t| skewed_false_positive(rungs, *t) <= wish.false_positive)?;
    let enough = |steps: &u32| refused(rungs, threshold, *steps, allowed_users) >= wish.certainty;
    let steps = (1..=rungs).find(enough)?;
    Some(PlanShape { rungs, threshold, steps, information: information_bits(rungs, steps) })
}

/// False positive rate of a page-confined ladder; the top's factor bounds that of every lower height.
pub fn skewed_false_positive(rungs: u32, threshold: u32) -> f64 {
    (binomial_tail(rungs, threshold) * false_positive_factor(PAGE_BITS, rungs)).min(1.0)
}

/// The number of bits for this number of accounts: a password at the top loses at most a tenth of a rung
/// while every account changes its password twenty times (rungs lost: 2H·x·L / N over L choices); at least
/// 2²⁰. None if that exceeds the limit.
pub fn bits_for_users(rungs: u32, steps: u32, users: u64) -> Option<u64> {
    let clears = u64::from(rungs).checked_mul(u64::from(steps))?.checked_mul(2)?;
    let changes = users.checked_mul(CHANGES_PER_USER)?;
    let wanted = clears.checked_mul(changes)?.checked_mul(DECAY_MARGIN)?;
    let bits = wanted.checked_next_power_of_two()?.max(FLOOR_BITS);
    (bits <= crate::ladder::structure::params::MAX_BITS).then_some(bits)
}

/// Parameters for guessed passwords: distinguish frequency `detect` from frequency `reject`, an element never
/// seen being frequent with probability at most `false_positive`. The lowest such threshold, and N by [SH
/// §VI].
///
/// # Errors
/// [`PlanError::Wish`] unless 0 < reject < detect < 1; [`PlanError::Impossible`] if no threshold reaches the
/// rate.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 20..=63 just before")]
pub fn plan_guesses(rungs: u32, detect: f64, reject: f64, false_positive: f64) -> Result<Params, PlanError> {
    if !(reject > 0.0 && reject < detect && detect < 1.0) {
        return Err(PlanError::Wish);
    }
    let bits =
        1u64 << nearest_power(bits_for(rungs, middle_frequency(detect, reject))).clamp(20.0, 63.0) as u32;
    let heights = binomial(rungs);
    let threshold = (1..=rungs).find(|t| tail(&heights, *t) <= false_positive);
    let threshold = threshold.ok_or(PlanError::Impossible { allowed_users: 0 })?;
    Params::new(bits, rungs, threshold, 1).map_err(|_| PlanError::TooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_for_users() {
        // H, x, and log2 N for 10, 100, 1,000, 10,000 and 100,000 users.
        for (rungs, steps, sizes) in [
            (16, 3, [20, 21, 25, 28, 31]),
            (16, 2, [20, 21, 24, 27, 31]),
            (10, 2, [20, 20, 23, 27, 30]),
            (20, 1, [20, 20, 23, 27, 30]),
        ] {
            for (users, size) in [10, 100, 1000, 10_000, 100_000].into_iter().zip(sizes) {
                assert_eq!(bits_for_users(rungs, steps, users), Some(1 << size), "{rungs} {steps} {users}");
            }
        }
        assert_eq!(bits_for_users(64, 64, u64::MAX), None);
        assert_eq!(bits_for_users(64, 64, 1 << 40), None);
    }

    #[test]
    fn a_plan_keeps_its_wish_and_no_other_shape_gives_away_less() {
        let wish = Wish { users: 1000, max_share: 0.005, false_positive: 2e-5, certainty: 0.85 };
        let plan = plan(&wish).unwrap();
        assert_eq!(plan.allowed_users, 5);
        assert!(plan.refused >= 0.85 && plan.false_positive <= 2e-5);
        let default = crate::ladder::structure::preset::Preset::Default.params(None).unwrap();
        assert!(plan.information_bits <= information_bits(default.rungs(), default.steps()));
        for rungs in 1..=SEARCHED_RUNGS {
            for steps in 1..=rungs {
                let fits = (1..=rungs)
                    .any(|t| skewed_false_positive(rungs, t) <= 2e-5 && refused(rungs, t, steps, 5) >= 0.85);
                assert!(!fits || information_bits(rungs, steps) >= plan.information_bits);
            }
        }
    }

    #[test]
    fn impossible_and_malformed_wishes() {
        let wish = Wish { users: 1000, max_share: 0.002, false_positive: 1e-30, certainty: 0.99 };
        assert_eq!(plan(&wish), Err(PlanError::Impossible { allowed_users: 2 }));
        for bad in [
            Wish { users: 1, ..wish },
            Wish { max_share: 0.0, ..wish },
            Wish { max_share: 1.1, ..wish },
            Wish { false_positive: f64::NAN, ..wish },
            Wish { false_positive: 0.0, ..wish },
            Wish { false_positive: 1.0, ..wish },
            Wish { certainty: 0.0, ..wish },
            Wish { certainty: 1.0, ..wish },
        ] {
            assert_eq!(plan(&bad), Err(PlanError::Wish));
        }
        let least = Wish { users: 2, max_share: 1.0, false_positive: 1e-3, certainty: 0.9 };
        assert_eq!(plan(&least).unwrap().allowed_users, 2);
        assert!(PlanError::Wish.to_string().starts_with("users must be at least 2"));
        let huge = Wish { users: u64::MAX, max_share: 1e-12, false_positive: 1e-3, certainty: 0.9 };
        assert_eq!(plan(&huge).unwrap_err(), PlanError::TooLarge);
    }

    #[test]
    fn a_page_makes_a_false_positive_likelier_by_its_factor() {
        let factor = skewed_false_positive(16, 16) / 2f64.powi(-16);
        assert!(factor > 1.001 && (factor / false_positive_factor(PAGE_BITS, 16) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn guesses_are_sized_as_in_the_paper() {
        let plan = plan_guesses(48, 1e-6, 2e-8, 2e-6).unwrap();
        assert_eq!((plan.bits(), plan.threshold()), (1 << 29, 40));
        for (detect, reject) in [(1e-8, 2e-6), (1e-6, 1e-6), (1e-6, 0.0), (1.0, 2e-6)] {
            assert_eq!(plan_guesses(48, detect, reject, 1e-6), Err(PlanError::Wish), "{detect} {reject}");
        }
        assert!(matches!(plan_guesses(8, 1e-6, 2e-8, 1e-6), Err(PlanError::Impossible { .. })));
    }
}
