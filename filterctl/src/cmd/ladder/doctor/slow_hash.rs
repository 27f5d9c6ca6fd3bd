//! The slow hash: is it at least what is recommended, still slow on this machine, no faster than a login?

use std::time::Duration;

use nearmiss_filters::ladder::{Cost, SlowHashError, USUAL_TIME};

use super::{Finding, State, login_hash::LoginHash};

const CHECK: &str = "slow hash";
const REMEDY: &str = "filterctl ladder init --replace makes a new ladder, which forgets what is recorded";

/// Looks at the cost that the ladder was made with, measures it, and compares it with a login's.
pub(super) fn examine(cost: Option<Cost>) -> Finding {
    examine_by(cost, Cost::processor_time, LoginHash::of_system)
}

fn examine_by(
    cost: Option<Cost>,
    time_of: fn(Cost) -> Result<Duration, SlowHashError>,
    login: fn() -> LoginHash,
) -> Finding {
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
                "{memory} KiB, passes: {passes}; below {least_memory} KiB and {least_passes} passes, the \
                 least that OWASP recommends for Argon2id: anyone who has ladder and key tests guesses \
                 faster than with a stolen shadow file; {REMEDY}"
            ),
        );
    }
    match time_of(cost) {
        Ok(time) => compared(time, &login()),
        Err(error) => warning(error.to_string()),
    }
}

/// A guess with stolen ladder and key should cost no less than one with a stolen shadow file.
fn compared(time: Duration, login: &LoginHash) -> Finding {
    let told = format!("Argon2id takes {} ms of processor time here", time.as_millis());
    let login_told = format!("about {} ms for {login}", login.usual_time().as_millis());
    if time < login.usual_time() {
        Finding::new(
            CHECK,
            State::Warning,
            format!("{told}, less than a login takes, {login_told}; {REMEDY}"),
        )
    } else if time.saturating_mul(2) < USUAL_TIME {
        let usual = USUAL_TIME.as_millis();
        let told = format!(
            "{told}, less than half of the {usual} ms that filterctl ladder init aims at; a login takes \
             {login_told}; {REMEDY}"
        );
        Finding::new(CHECK, State::Warning, told)
    } else {
        Finding::fine(CHECK, format!("{told}; a login takes {login_told}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(memory_kib: u32, passes: u32, time_of: fn(Cost) -> Result<Duration, SlowHashError>) -> State {
        examine_by(Cost::new(memory_kib, passes), time_of, LoginHash::usual).state
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
        assert!(examine_by(Cost::new(19_456, 2), fast, LoginHash::usual).told.contains("49 ms"));
    }

    #[test]
    fn a_login_that_costs_more_is_a_warning_that_names_its_hash() {
        let login = LoginHash::of_texts(&["password [success=1] pam_unix.so yescrypt rounds=8"], "");
        let found = compared(Duration::from_millis(100), &login);
        assert_eq!(found.state, State::Warning);
        assert!(found.told.contains("about 160 ms for yescrypt with cost 8"), "{}", found.told);
        let found = compared(Duration::from_millis(160), &login);
        assert_eq!(found.state, State::Fine);
        assert!(
            found.told.contains("160 ms of processor time here; a login takes about 160"),
            "{}",
            found.told
        );
    }
}
