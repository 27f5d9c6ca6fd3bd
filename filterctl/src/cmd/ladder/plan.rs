//! `filterctl ladder plan`: the parameters that meet the request and reveal least.

mod guessed;

use std::io::{self, Write};

use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, Outcome},
    keys,
};
use nearmiss_filters::ladder::{
    Params, Preset, guess_plan,
    plan::{self, Wish},
    privacy, refusals,
};
use serde::Serialize;

use super::{
    numbers::{bits, rungs, share},
    refusals::RefusalTable,
};
use crate::report::{self, Report, digits};

const AFTER: &str = "\
Chosen passwords: --users, --max-share and --false-positive give the ladder that reveals least, with
an array in which a common password keeps its height while every account changes its password 20
times. Guessed passwords: --guessed shows what one host can detect; --detect and --ignore give the
array of section VI of the paper. Presets: default, paper-5m, paper-100m, guesses, guesses-action.

Exit status:
  0  done
  1  with --guessed: so few accounts are attacked that nothing can be detected
  2  no ladder meets these options

Examples:
  filterctl ladder plan --users 5000 --max-share 0.002 --false-positive 1e-5
  filterctl ladder plan --preset paper-5m --users 2000
  filterctl ladder plan --guessed --accounts 40 --failures-per-day 20000
  filterctl ladder plan --detect 1e-6 --ignore 2e-8 --rungs 48 --false-positive 2e-7";

/// Finds the parameters of a ladder, or shows the effect of a preset.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    #[command(flatten)]
    choice: Choice,
    /// Plan for guessed passwords: detect passwords that make up this share of all guesses.
    #[arg(long, value_name = "F", value_parser = share, requires = "ignore", group = "a_share")]
    #[arg(conflicts_with_all = ["preset", "users", "max_share", "bits"])]
    detect: Option<f64>,
    /// Ignore guessed passwords that make up this share.
    #[arg(long, value_name = "F", value_parser = share, requires = "detect")]
    ignore: Option<f64>,
    /// Rungs of one password, for guesses.
    #[arg(long, value_name = "H", default_value_t = 48, value_parser = rungs(), requires = "detect")]
    rungs: u32,
    /// Plan the ladder that counts failed logins: what one host can detect, and when it forgets.
    #[arg(long, conflicts_with = "detect")]
    guessed: bool,
    /// With --guessed: the number of accounts that are attacked, not of all accounts.
    #[arg(long, value_name = "A", requires = "guessed", value_parser = clap::value_parser!(u64).range(1..))]
    accounts: Option<u64>,
    /// With --guessed: failed logins per day that count.
    #[arg(long, value_name = "F", requires = "guessed", value_parser = clap::value_parser!(u64).range(1..))]
    failures_per_day: Option<u64>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// The choice of a ladder's parameters.
#[derive(clap::Args)]
pub(super) struct Choice {
    /// Start from named parameters.
    #[arg(long, value_name = "NAME", value_parser = preset)]
    #[arg(conflicts_with_all = ["max_share", "false_positive", "certainty"])]
    preset: Option<Preset>,
    /// Accounts on the system.
    #[arg(long, value_name = "N")]
    users: Option<u64>,
    /// The maximum share of accounts that may have the same password.
    #[arg(long, value_name = "SHARE", value_parser = share, requires = "users", group = "a_share")]
    max_share: Option<f64>,
    /// The maximum probability that a password that no account has is rejected.
    #[arg(long, value_name = "RATE", value_parser = share, requires = "a_share")]
    false_positive: Option<f64>,
    /// The probability that a password is rejected once it has reached the maximum share.
    #[arg(long, value_name = "P", value_parser = share, default_value_t = 0.9, requires = "max_share")]
    certainty: f64,
    /// Bits of the array, instead of the plan's or the preset's; also written as 2^22.
    #[arg(long, value_name = "N", value_parser = bits)]
    bits: Option<u64>,
}

/// The default false positive rate.
const DEFAULT_FALSE_POSITIVE: f64 = 2e-5;

impl Choice {
    /// Accounts on the system, if given.
    pub(super) fn users(&self) -> Option<u64> {
        self.users
    }

    /// The parameters.
    ///
    /// # Errors
    /// No ladder meets the request, or has that size.
    pub(super) fn params(&self) -> Result<Params, Failure> {
        let params = match (self.max_share, self.users) {
            (Some(max_share), Some(users)) => self.planned(users, max_share)?,
            (_, users) => self.preset_for(users)?,
        };
        let bits = self.bits.unwrap_or(params.bits());
        Params::new(bits, params.rungs(), params.threshold(), params.steps()).map_err(no_such)
    }

    /// The parameters of a ladder of guessed passwords.
    ///
    /// # Errors
    /// The preset is one for chosen passwords, or no ladder has that size.
    pub(super) fn guess_params(&self, failures_per_day: Option<u64>) -> Result<Params, Failure> {
        let preset = self.preset.unwrap_or(Preset::Guesses);
        let is_for_chosen = self.preset.is_some() && !self.is_for_guesses();
        if is_for_chosen || self.users.is_some() || self.false_positive.is_some() {
            return Err(Failure::plain(
                keys::ARGUMENTS,
                "--guessed takes --preset guesses or guesses-action, and --failures-per-day or --bits",
            ));
        }
        let planned = failures_per_day.map(|failures| guess_plan::bits_for_failures(failures as f64));
        preset.params(self.bits.or(planned)).map_err(no_such)
    }

    fn planned(&self, users: u64, max_share: f64) -> Result<Params, Failure> {
        let false_positive = self.false_positive.unwrap_or(DEFAULT_FALSE_POSITIVE);
        let wish = Wish { users, max_share, false_positive, certainty: self.certainty };
        Ok(plan::plan(&wish).map_err(|e| Failure::new("no ladder meets these requirements", e))?.params)
    }

    fn is_for_guesses(&self) -> bool {
        matches!(self.preset, Some(Preset::Guesses | Preset::GuessesAction))
    }

    fn preset_for(&self, users: Option<u64>) -> Result<Params, Failure> {
        let preset = self.preset.unwrap_or(Preset::Default);
        let params = preset.params(None).map_err(no_such)?;
        let Some(users) = users else { return Ok(params) };
        let bits = plan::bits_for_users(params.rungs(), params.steps(), users);
        let bits = bits.ok_or_else(|| {
            Failure::plain(
                keys::LADDER_PARAMETERS,
                "too many users: they need more bits than a ladder can have",
            )
        })?;
        preset.params(Some(bits)).map_err(no_such)
    }
}

fn no_such(error: nearmiss_filters::ladder::ParamsError) -> Failure {
    Failure::new("cannot make a ladder with these parameters", error)
}

fn preset(name: &str) -> Result<Preset, String> {
    let names = || Preset::ALL.map(Preset::name).join(", ");
    Preset::named(name).ok_or_else(|| format!("expected one of {}", names()))
}

impl Args {
    /// Plans and prints.
    ///
    /// # Errors
    /// No ladder meets the request.
    pub(crate) fn run(&self) -> Outcome {
        if self.guessed {
            let (accounts, failures_per_day) = guessed::known(self.accounts, self.failures_per_day)?;
            let params = self.choice.guess_params(Some(failures_per_day))?;
            return guessed::print(&params, accounts, failures_per_day, self.json);
        }
        let params = match (self.detect, self.ignore) {
            (Some(detect), Some(ignore)) => self.for_guesses(detect, ignore)?,
            _ => self.choice.params()?,
        };
        let is_guessed = self.detect.is_some() || self.choice.is_for_guesses();
        report::print(&LadderNumbers::of(&params).with_role(is_guessed), self.json)?;
        Ok(Exit::Done)
    }

    fn for_guesses(&self, detect: f64, ignore: f64) -> Result<Params, Failure> {
        let false_positive = self.choice.false_positive.unwrap_or(1e-6);
        plan::plan_guesses(self.rungs, detect, ignore, false_positive)
            .map_err(|e| Failure::new("no ladder meets these requirements", e))
    }
}

/// A ladder's numbers and their meaning.
#[derive(Serialize)]
pub(super) struct LadderNumbers {
    bits: u64,
    rungs: u32,
    threshold: u32,
    steps: u32,
    array_bytes: u64,
    false_positive: f64,
    information_bits: f64,
    likelihood_ratio: f64,
    guess_speedup: f64,
    certain_after: u32,
    #[serde(flatten)]
    refusals: RefusalTable,
    /// True for the ladder of guessed passwords.
    #[serde(skip)]
    is_guessed: bool,
}

impl LadderNumbers {
    /// Of these parameters.
    pub(super) fn of(params: &Params) -> LadderNumbers {
        let (rungs, threshold, steps) = (params.rungs(), params.threshold(), params.steps());
        LadderNumbers {
            bits: params.bits(),
            rungs,
            threshold,
            steps,
            array_bytes: params.bits() / 8,
            false_positive: plan::skewed_false_positive(rungs, threshold),
            information_bits: privacy::information_bits(rungs, steps),
            likelihood_ratio: privacy::likelihood_ratio(rungs, rungs / 2, steps),
            guess_speedup: privacy::guess_speedup(rungs, steps),
            certain_after: refusals::certain_after(threshold, steps),
            refusals: RefusalTable::of(rungs, threshold, steps),
            is_guessed: false,
        }
    }

    /// Of a ladder of guessed passwords, or of chosen ones.
    pub(super) fn with_role(self, is_guessed: bool) -> LadderNumbers {
        let refusals = if is_guessed { self.refusals.of_guesses() } else { self.refusals };
        LadderNumbers { refusals, is_guessed, ..self }
    }
}

impl Report for LadderNumbers {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let (bits, bytes) = (self.bits, self.array_bytes);
        writeln!(out, "  array           {bits} bits (2^{}), {bytes} bytes", bits.trailing_zeros())?;
        let (common, step, had) = if self.is_guessed {
            ("guessed often", "failed login that counts", "login tried")
        } else {
            ("too common", "choice", "account has")
        };
        writeln!(out, "  rungs           {}, {common} from {}", self.rungs, self.threshold)?;
        writeln!(out, "  steps           {} for each {step}", self.steps)?;
        writeln!(out, "  false positives {} of the passwords that no {had}", digits(self.false_positive))?;
        let (information, speedup) = (self.information_bits, self.guess_speedup);
        writeln!(
            out,
            "  reveals         {information:.2} bits a password; guessing is {speedup:.2} times faster"
        )?;
        self.refusals.write_text(out)
    }
}
