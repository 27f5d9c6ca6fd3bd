//! The probability that a password is refused that a number of users already have. [SH §VIII-A, Table II]

use super::heights::binomial_tail;

/// Probability that the next user is refused a password that `users` users already have recorded, each with
/// `steps` steps: that its first height, Bin(H, ½), was at least T − users·steps. Decay is not counted; the
/// sizing in [`plan`](crate::ladder::plan) keeps it below a tenth of a rung.
pub fn refused(rungs: u32, threshold: u32, steps: u32, users: u32) -> f64 {
    binomial_tail(rungs, threshold.saturating_sub(users.saturating_mul(steps)))
}

/// The expected number of a ladder's users who are refused a password that no other user has: the false
/// positives. [SH §VIII-A]
pub fn expected_false_refusals(rungs: u32, threshold: u32, users: u64) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "user numbers are far below 2^53")]
    let users = users as f64;
    users * binomial_tail(rungs, threshold)
}

/// The number of users after which a password is refused for certain.
pub fn certain_after(threshold: u32, steps: u32) -> u32 {
    threshold.div_ceil(steps.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_seen_and_certain() {
        assert!((refused(16, 16, 3, 0) - 2f64.powi(-16)).abs() < 1e-18);
        assert!((refused(16, 16, 3, 6) - 1.0).abs() < 1e-12);
        assert_eq!((certain_after(16, 3), certain_after(16, 2), certain_after(20, 1)), (6, 8, 20));
        assert!((refused(16, 16, u32::MAX, u32::MAX) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn one_in_two_to_the_threshold_is_refused_by_accident() {
        assert!((expected_false_refusals(16, 16, 3 << 16) - 3.0).abs() < 1e-12);
        assert!((expected_false_refusals(4, 3, 160) - 50.0).abs() < 1e-12);
    }
}
