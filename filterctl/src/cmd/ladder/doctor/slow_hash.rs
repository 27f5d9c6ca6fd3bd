//! The slow hash: is it at least what is recommended, and still slow on this machine?

use std::time::Duration;

use nearmiss_filters::ladder::{Cost, SlowHashError, USUAL_TIME};

use super::{Finding, State};

const CHECK: &str = "slow hash";
const REMEDY: &str = "filterctl ladder init --replace makes a new ladder, which forgets what is recorded";

/// Looks at the cost that the ladder was made with, and measures it.
pub(super) fn examine(cost: Option<Cost>) -> Finding {
    examine_by(cost, Cost::processor_time)
}

fn examine_by(cost: Option<Cost>, time_of: fn(Cost) -> Result<Duration, SlowHashError>) -> Finding {
    let warning = |told: String| Finding::new(CHECK, State::Warning, told);
    let Some(cost) = cost else {
        return warning(format!(
            "none: anyone who has ladder and key tests guesses at memory speed; {REMEDY}"
        ));
    };
    let (memory, passes) = (cost.memory_kib(), cost.passes());
    if !cost.is_enough() {
        let (least_memory, least_passes) = (Cost::LEAST.memory_kib(), Cost::LEAST.passes());
        return Finding::wrong(
            CHECK,
            format!(
                "{memory} KiB, passes: {passes}; below {least_memory} KiB and {least_passes} passes, the least \
                 that OWASP recommends for Argon2id: anyone who has ladder and key tests guesses faster than \
                 with a stolen shadow file; {REMEDY}"
            ),
        );
    }
    let time = match time_of(cost) {
        Ok(time) => time,
        Err(error) => return warning(error.to_string()),
    };
    let told = format!("Argon2id takes {} ms of processor time here", time.as_millis());
    if time.saturating_mul(2) < USUAL_TIME {
        let usual = USUAL_TIME.as_millis();
        return warning(format!(
            "{told}, less than half of the {usual} ms that filterctl ladder init aims at: see that it is not \
             less than a login takes; {REMEDY}"
        ));
    }
    Finding::fine(CHECK, told)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(memory_kib: u32, passes: u32, time_of: fn(Cost) -> Result<Duration, SlowHashError>) -> State {
        examine_by(Cost::new(memory_kib, passes), time_of).state
    }

    #[test]
    fn what_is_below_the_least_is_wrong_and_what_has_become_fast_is_a_warning() {
        let slow = |_| Ok(Duration::from_millis(50));
        let fast = |_| Ok(Duration::from_micros(49_999));
        assert_eq!(state(19_456, 2, slow), State::Fine);
        assert_eq!(state(65_536, 3, slow), State::Fine);
        assert_eq!(state(65_536, 3, fast), State::Warning);
        for (memory, passes) in [(19_455, 2), (65_536, 1), (1024, 1), (8, 1024)] {
            assert_eq!(state(memory, passes, slow), State::Wrong, "{memory} {passes}");
        }
        assert_eq!(state(65_536, 2, |_| Err(SlowHashError::Memory)), State::Warning);
        assert_eq!(examine(None).state, State::Warning);
        assert!(examine_by(Cost::new(19_456, 2), fast).told.contains("49 ms"));
    }
}
