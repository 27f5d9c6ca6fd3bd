//! The slow hash: whether it has the recommended cost, and takes no less time here than a login.

use std::time::Duration;

use nearmiss_cli::{
    finding::{Finding, State},
    keys,
};
use nearmiss_filters::ladder::{Cost, SlowHashError, USUAL_TIME};

use super::login_hash::LoginHash;

const CHECK: &str = "slow hash";

/// Reads the cost that the ladder was made with, measures it, and compares it with a login's.
pub(super) fn examine(cost: Option<Cost>, anew: &str) -> Finding {
    let finding = examine_by(cost, Cost::processor_time, LoginHash::of_system);
    if finding.state == State::Fine { finding } else { finding.fix(anew) }
}

fn examine_by(
    cost: Option<Cost>,
    time_of: fn(Cost) -> Result<Duration, SlowHashError>,
    login: fn() -> LoginHash,
) -> Finding {
    let warning = |message: String| Finding::new(keys::LADDER_SLOW_HASH, CHECK, State::Warning, message);
    let Some(cost) = cost else {
        return warning(
            "no slow hash: anyone with ladder and key can test guesses at memory speed".to_owned(),
        );
    };
    let (memory, passes) = (cost.memory_kib(), cost.passes());
    if !cost.is_enough() {
        let (least_memory, least_passes) = (Cost::MIN.memory_kib(), Cost::MIN.passes());
        return Finding::wrong(
            keys::LADDER_SLOW_HASH,
            CHECK,
            format!(
                "{memory} KiB and {passes} passes are below {least_memory} KiB and {least_passes} passes, \
                 the minimum that OWASP recommends for Argon2id: anyone with ladder and key can test guesses \
                 faster than with a stolen shadow file"
            ),
        );
    }
    match time_of(cost) {
        Ok(time) => compared(time, &login()),
        Err(error) => warning(error.to_string()),
    }
}

/// A guess with a stolen ladder and key should cost at least as much as one with a stolen shadow file.
fn compared(time: Duration, login: &LoginHash) -> Finding {
    let message = format!("Argon2id takes {} ms of processor time here", time.as_millis());
    let login_told = format!("about {} ms for {login}", login.usual_time().as_millis());
    if time < login.usual_time() {
        Finding::new(
            keys::LADDER_SLOW_HASH,
            CHECK,
            State::Warning,
            format!("{message}, less than a login ({login_told})"),
        )
    } else if time.saturating_mul(2) < USUAL_TIME {
        let usual = USUAL_TIME.as_millis();
        let message = format!(
            "{message}, less than half of the {usual} ms that filterctl ladder init targets; a login takes \
             {login_told}"
        );
        Finding::new(keys::LADDER_SLOW_HASH, CHECK, State::Warning, message)
    } else {
        Finding::fine(CHECK, format!("{message}; a login takes {login_told}"))
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
        let none = examine(None, "anew");
        assert_eq!((none.state, none.fix.as_deref()), (State::Warning, Some("anew")));
        assert!(examine_by(Cost::new(19_456, 2), fast, LoginHash::usual).message.contains("49 ms"));
    }

    #[test]
    fn a_login_that_costs_more_is_a_warning_that_names_its_hash() {
        let login = LoginHash::of_texts(&["password [success=1] pam_unix.so yescrypt rounds=8"], "");
        let found = compared(Duration::from_millis(100), &login);
        assert_eq!(found.state, State::Warning);
        assert!(found.message.contains("about 160 ms for yescrypt with cost 8"), "{}", found.message);
        let found = compared(Duration::from_millis(160), &login);
        assert_eq!(found.state, State::Fine);
        assert!(
            found.message.contains("160 ms of processor time here; a login takes about 160"),
            "{}",
            found.message
        );
    }
}
