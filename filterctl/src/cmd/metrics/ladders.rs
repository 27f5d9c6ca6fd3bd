//! The ladders of chosen and of guessed passwords.

use nearmiss_filters::ladder::{ChosenLadder, Counter, GuessLadder, SeenFailures};
use nearmiss_policy::config::Config;

use crate::{host::user::is_unseen, report::family::Family};

/// The families of both ladders and of the failed logins.
pub(super) fn families(config: Option<&Config>) -> Vec<Family> {
    let mut usable = Family::new(
        "nearmiss_ladder_usable",
        "Whether the ladder of chosen or guessed passwords can be used; no sample if there is none.",
    );
    let mut accounts =
        Family::new("nearmiss_ladder_accounts", "Accounts with a stamp in the ladder of chosen passwords.");
    let mut slots = Family::new(
        "nearmiss_ladder_account_slots",
        "Room for stamps of accounts in the ladder of chosen passwords.",
    );
    let mut full = Family::new(
        "nearmiss_ladder_nearly_full",
        "Whether nine tenths of the room for stamps of accounts are taken.",
    );
    let mut logins = Family::new(
        "nearmiss_guesses_total",
        "Failed logins since the host started, by result; frequent ones are also counted, repeated or left \
         out.",
    );
    if let Some(config) = config {
        match ChosenLadder::open(&config.ladder) {
            Ok(None) => {}
            Ok(Some(ladder)) => {
                usable.add(&[("ladder", "chosen")], true);
                slots.add(&[], u64::from(ladder.header().stamps));
                if let Ok(taken) = ladder.stamped_accounts() {
                    accounts.add(&[], u64::from(taken));
                    full.add(&[], is_nearly_full(taken, ladder.header().stamps));
                }
            }
            Err(error) if is_unseen(&error) => {}
            Err(_) => usable.add(&[("ladder", "chosen")], false),
        }
        match GuessLadder::open(&config.guess_files()) {
            Ok(None) => {}
            Err(error) if is_unseen(&error) => {}
            guessed => usable.add(&[("ladder", "guessed")], guessed.is_ok()),
        }
        failed_logins(config, &mut logins);
    }
    vec![usable, accounts, slots, full, logins]
}

/// True if more than nine tenths are taken. Everybody may read it: it changes once, and names no account.
fn is_nearly_full(taken: u32, room: u32) -> bool {
    u64::from(taken).saturating_mul(10) > u64::from(room).saturating_mul(9)
}

fn failed_logins(config: &Config, logins: &mut Family) {
    let Ok(Some(seen)) = SeenFailures::open(&config.guesses.seen) else { return };
    let count = |counter| seen.count(counter).unwrap_or(0);
    let (all, counted) = (count(Counter::Failures), count(Counter::Counted));
    for (result, count) in [
        ("counted", counted),
        ("repeated", all.saturating_sub(counted)),
        ("left_out", count(Counter::LeftOut)),
        ("frequent", count(Counter::Frequent)),
    ] {
        logins.add(&[("result", result)], count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_tenths_are_nearly_all() {
        let nearly = [(0, 100), (90, 100), (91, 100), (100, 100), (1, 0)].map(|(a, b)| is_nearly_full(a, b));
        assert_eq!(nearly, [false, false, true, true, true]);
    }
}
