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
    vec![usable, accounts, slots, logins]
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
