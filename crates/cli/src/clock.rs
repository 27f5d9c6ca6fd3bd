//! The time of day, and how long ago another time was.

use std::time::{SystemTime, UNIX_EPOCH};

/// Seconds in a day.
pub const DAY: i64 = 86_400;

/// The reason why something is from the future.
pub(crate) const AHEAD: &str = "this host's clock is wrong, or the clock by which that was written";

/// Seconds since 1970; 0 for a clock before that.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Seconds from a time until now; negative for a time in the future.
pub fn seconds_since(then: u64, now: u64) -> i64 {
    let [then, now] = [then, now].map(|time| i64::try_from(time).unwrap_or(i64::MAX));
    now.saturating_sub(then)
}

/// Whole days from a time until now. They are negative for a time that is at least a day in the future, which
/// is a mistake of a clock; clocks of hosts that differ by less are usual.
pub fn days_since(then: u64, now: u64) -> i64 {
    seconds_since(then, now) / DAY
}

/// Days in words: "3 days ago", or "3 days in the future".
#[cfg(feature = "tools")]
pub fn ago(days: i64) -> String {
    let count = crate::report::counted(days.unsigned_abs(), "day");
    if days < 0 { format!("{count} in the future") } else { format!("{count} ago") }
}

/// The same, with the reason for a time in the future.
#[cfg(feature = "tools")]
pub fn ago_with_reason(days: i64) -> String {
    let reason = if days < 0 { format!(": {AHEAD}") } else { String::new() };
    ago(days) + &reason
}

#[cfg(all(test, feature = "tools"))]
mod tests {
    use super::*;

    #[test]
    fn a_time_in_the_future_is_not_young() {
        let now = 20_000 * 86_400;
        for (then, days, words) in [
            (now, 0, "0 days ago"),
            (now - 86_399, 0, "0 days ago"),
            (now - 86_400, 1, "1 day ago"),
            (now + 86_399, 0, "0 days ago"),
            (now + 86_400, -1, "1 day in the future"),
            (now + 3 * 86_400, -3, "3 days in the future"),
        ] {
            assert_eq!((days_since(then, now), ago(days).as_str()), (days, words));
        }
        assert_eq!(seconds_since(now + 7, now), -7);
        assert!(days_since(u64::MAX, 0) < -1_000_000 && days_since(0, u64::MAX) > 1_000_000);
    }
}
