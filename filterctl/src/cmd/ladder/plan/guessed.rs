//! `filterctl ladder plan --guessed`: what a ladder of guessed passwords detects here, and when it forgets.

use std::io::{self, Write};

use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, Outcome},
    keys,
};
use nearmiss_filters::ladder::{Params, guess_plan, plan::skewed_false_positive};
use serde::Serialize;

use crate::report::{self, Report, digits};

/// Below this probability of ever being detected, no password counts as detectable.
const MIN_LIKELY: f64 = 0.01;

/// Prints the effect of a ladder with these parameters on a host with this many accounts.
///
/// # Errors
/// The result of printing.
pub(super) fn print(params: &Params, accounts: u64, failures_per_day: u64, json: bool) -> Outcome {
    let planned = PlannedGuesses::of(params, accounts, failures_per_day);
    report::print(&planned, json)?;
    Ok(if planned.can_detect { Exit::Done } else { Exit::No })
}

/// The facts that `--guessed` needs.
///
/// # Errors
/// A [`Failure`] where it is not given.
pub(super) fn known(accounts: Option<u64>, failures_per_day: Option<u64>) -> Result<(u64, u64), Failure> {
    accounts.zip(failures_per_day).ok_or_else(|| {
        Failure::plain(
            keys::ARGUMENTS,
            "--guessed needs --failures-per-day, and --accounts with the number of accounts that are \
             attacked",
        )
    })
}

#[derive(Serialize)]
struct PlannedGuesses {
    bits: u64,
    rungs: u32,
    threshold: u32,
    array_bytes: u64,
    accounts: u64,
    failures_per_day: u64,
    /// With `repeats = "account"`: the probability that a password tried at every account is detected.
    detected_by_accounts: f64,
    can_detect: bool,
    /// Attempts, each at another account or from another network, until a password is detected.
    attempts: Vec<Attempts>,
    false_positive: f64,
    half_life_days: f64,
    failures_to_wipe: f64,
}

#[derive(Serialize)]
struct Attempts {
    probability: f64,
    attempt: u32,
}

impl PlannedGuesses {
    fn of(params: &Params, accounts: u64, failures_per_day: u64) -> PlannedGuesses {
        let detected_by_accounts = guess_plan::detected(params, accounts);
        let attempts = [0.1, 0.5, 0.9, 0.99]
            .map(|probability| Attempts { probability, attempt: guess_plan::attempts(params, probability) });
        PlannedGuesses {
            bits: params.bits(),
            rungs: params.rungs(),
            threshold: params.threshold(),
            array_bytes: params.bits() / 8,
            accounts,
            failures_per_day,
            detected_by_accounts,
            can_detect: detected_by_accounts >= MIN_LIKELY,
            attempts: attempts.into(),
            false_positive: skewed_false_positive(params.rungs(), params.threshold()),
            half_life_days: guess_plan::half_life(params.bits()) / failures_per_day as f64,
            failures_to_wipe: guess_plan::failures_to_wipe(params),
        }
    }
}

impl Report for PlannedGuesses {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let (bits, bytes) = (self.bits, self.array_bytes);
        writeln!(out, "  array           {bits} bits (2^{}), {bytes} bytes", bits.trailing_zeros())?;
        writeln!(out, "  rungs           {}, guessed often from {}", self.rungs, self.threshold)?;
        writeln!(
            out,
            "  false positives {} of the passwords that no login tried",
            digits(self.false_positive)
        )?;
        writeln!(
            out,
            "  forgets         half of all rungs in {:.0} days; {:.1e} failures with other passwords clear a \
             password",
            self.half_life_days, self.failures_to_wipe
        )?;
        writeln!(out, "probability of detection    at attempt, each at another account")?;
        for Attempts { probability, attempt } in &self.attempts {
            writeln!(out, "{probability:>25.2}   {attempt:>10}")?;
        }
        let (accounts, share) = (self.accounts, self.detected_by_accounts);
        writeln!(
            out,
            "a password tried at each of {accounts} accounts is detected with probability {share:.4}"
        )?;
        if !self.can_detect {
            writeln!(
                out,
                "NOTHING CAN BE DETECTED with repeats = \"account\": a password takes one step for each \
                 account, and there are too few accounts; set repeats = \"account-and-network\" in \
                 [guesses] of nearmiss.conf, which also counts the same password for the same account \
                 from another network"
            )?;
        }
        Ok(())
    }
}
