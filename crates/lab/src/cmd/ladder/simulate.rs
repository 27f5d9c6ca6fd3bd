//! `filterlab ladder simulate`: users arrive and choose passwords as people do, once with a ladder and once
//! without.
//!
//! `list` contains their choices, `world` the ladder and the users, `chart` draws the result. With
//! `--guessed`, `guessed` simulates guesses with a ladder of failed logins; with `--fleet`, `fleet` one that
//! many hosts share.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "counts of simulated users, and indexes into lists of the same length"
)]

mod chart;
mod fleet;
mod guessed;
mod list;
mod world;

use std::{
    fmt::Write as _,
    io::{self, Write},
    path::PathBuf,
};

use clap::ValueEnum;
use list::Frequencies;
use nearmiss_cli::ladder::numbers::{bits, rungs, share};
use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, Outcome},
    report::{self, Report, counted},
};
use nearmiss_filters::{
    ladder::{Params, Preset},
    storage::Access,
};
use serde::Serialize;
use world::{Row, World};

use super::sweep::draw;
use crate::{
    curves::{self, Panel},
    output,
};

const AFTER: &str = "\
The list has one password per line, VALUE|OCCURRENCE; a first line with names is skipped. With
--total, passwords beyond the list, up to this many occurrences in all, are chosen by one user each.
A rejected user chooses again from the same list. The bits are real, in memory.

With --guessed, the list has the counts of guessed passwords: TIMES, a tab, and the number of
passwords that were tried this often. Each guess is a failed login at a random one of --accounts, or
each at another account. With --fleet, it arrives at a random one of --hosts, which share a ladder
of --shards, each of 2^19 bits; the share --loss of them is lost and refilled with random bits when
half of the guesses have arrived.

Examples:
  filterlab ladder simulate occurrences.txt --users 100000 --csv run.csv --plot run.svg
  filterlab ladder simulate occurrences.txt --total 743000000 --steps 3 --form exact --json
  filterlab ladder simulate counts.tsv --guessed --accounts 30 --mistypings 0.2
  filterlab ladder simulate counts.tsv --guessed --fleet --hosts 1000 --shards 128 --loss 0.33";

/// Simulates users who choose passwords from a list by frequency, with and without a ladder; or guesses that
/// arrive at a ladder.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    /// The list: VALUE|OCCURRENCE.
    #[arg(value_name = "LIST")]
    list: PathBuf,
    /// The number of users, who arrive one by one.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    users: u64,
    /// Total occurrences, including unlisted passwords. Default: the sum of the list.
    #[arg(long, value_name = "N")]
    total: Option<u64>,
    /// Bits of the array, also written as 2^22. Default: the bits of the default preset.
    #[arg(long, value_name = "N", value_parser = bits)]
    bits: Option<u64>,
    /// Rungs of one password.
    #[arg(long, value_name = "H", default_value_t = 16, value_parser = rungs())]
    rungs: u32,
    /// The height from which a password is rejected.
    #[arg(long, value_name = "T", default_value_t = 16, value_parser = rungs())]
    threshold: u32,
    /// Steps for each choice.
    #[arg(long, value_name = "K", default_value_t = 2, value_parser = rungs())]
    steps: u32,
    /// The kind of the ladder.
    #[arg(long, value_enum, default_value = "probable")]
    form: OutputForm,
    /// Start of the random sequence: the same seed gives the same run.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Rows of the result.
    #[arg(long, value_name = "N", default_value_t = 100)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=100_000))]
    rows: u64,
    /// Simulate guesses with the ladder of failed logins, of --preset.
    #[arg(long, conflicts_with_all = ["users", "total", "rungs", "threshold", "steps", "form", "rows"])]
    guessed: bool,
    /// With --guessed: its parameters.
    #[arg(long, value_name = "NAME", value_parser = ["guesses", "guesses-action"], requires = "guessed")]
    preset: Option<String>,
    /// With --guessed: the number of attacked accounts; without it, each attempt is at another account.
    #[arg(long, value_name = "A", value_parser = clap::value_parser!(u32).range(1..), requires = "guessed")]
    accounts: Option<u32>,
    /// With --guessed: unique mistyped passwords per guess.
    #[arg(long, value_name = "R", value_parser = share, requires = "guessed")]
    mistypings: Option<f64>,
    /// With --guessed: simulate the ladder of a fleet.
    #[arg(long, requires = "guessed", conflicts_with = "bits")]
    fleet: bool,
    /// With --fleet: hosts.
    #[arg(long, value_name = "H", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    #[arg(requires = "fleet")]
    hosts: u64,
    /// With --fleet: shards of 2^19 bits, a power of two.
    #[arg(long, value_name = "M", default_value_t = 128, value_parser = shards, requires = "fleet")]
    shards: u64,
    /// With --fleet: the share of shards that is lost.
    #[arg(long, value_name = "P", default_value_t = 0.0, value_parser = share_lost, requires = "fleet")]
    loss: f64,
    /// Write the rows, or the curve of guesses, as CSV.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw the rows, or the curve of guesses, as SVG.
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

fn shards(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number: &u64| number.is_power_of_two() && *number <= 1 << 14);
    number.ok_or_else(|| "expected a power of two, at most 16384".to_owned())
}

fn share_lost(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a share from 0 to 1".to_owned())
}

/// The kind of a simulated ladder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OutputForm {
    /// Like the ladder of a system: ones and zeros are balanced by chance.
    Probable,
    /// Each step clears exactly what it sets.
    Exact,
    /// Like that of a system, but a password that was once too common stays so.
    Sticky,
}

impl Args {
    /// Runs the simulation, writes and prints the result.
    ///
    /// # Errors
    /// The list cannot be read or is not a list, there is no such ladder, an output cannot be written.
    pub(crate) fn run(&self) -> Outcome {
        if self.guessed {
            let outcome = self.guessed_world()?.run(&guessed::read(&self.list)?)?;
            let panels = chart::of_guesses(&outcome);
            self.write(&curves::csv(&panels), &panels)?;
            report::print(&outcome, self.json)?;
            return Ok(Exit::Done);
        }
        let frequencies = Frequencies::read(&self.list, self.total)?;
        let mut world = World::new(&frequencies, self.params()?, self.form, self.seed)?;
        let mut rows = Vec::new();
        for row in 1..=self.rows.min(self.users) {
            rows.push(world.advance_to(self.users * row / self.rows.min(self.users))?);
        }
        self.write(&csv(&rows), &chart::of_users(&rows))?;
        report::print(&SimulateReport { result: world.result(), rows }, self.json)?;
        Ok(Exit::Done)
    }

    fn guessed_world(&self) -> Result<guessed::World, Failure> {
        let preset = self.preset.as_deref().and_then(Preset::named).unwrap_or(Preset::Guesses);
        let of_fleet = self.fleet.then_some(self.shards << fleet::SHARD_LOG_BITS);
        let params = preset.params(of_fleet.or(self.bits));
        let params = params.map_err(|e| Failure::new("cannot make a ladder with these parameters", e))?;
        let mistypings = self.mistypings.unwrap_or(0.0);
        let fleet = fleet::SimulatedFleet { hosts: self.hosts, shards: self.shards, loss: self.loss };
        let fleet = self.fleet.then_some(fleet);
        Ok(guessed::World { params, accounts: self.accounts, mistypings, fleet, seed: self.seed })
    }

    fn params(&self) -> Result<Params, Failure> {
        let no_such = |e| Failure::new("cannot make a ladder with these parameters", e);
        let default = Preset::Default.params(self.bits).map_err(no_such)?;
        Params::new(default.bits(), self.rungs, self.threshold, self.steps).map_err(no_such)
    }

    fn write(&self, csv: &str, panels: &[Panel]) -> Result<(), Failure> {
        if let Some(path) = &self.csv {
            output::replace(path, csv.as_bytes(), Access::Public)?;
        }
        if let Some(path) = &self.plot {
            draw(path, panels)?;
        }
        Ok(())
    }
}

fn csv(rows: &[Row]) -> String {
    let mut text =
        String::from("users,rejected_share,rejected_share_so_far,top_share_with,top_share_without\n");
    for row in rows {
        let (now, so_far) = (row.rejected_share, row.rejected_share_so_far);
        let (with, without) = (row.top_share_with, row.top_share_without);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{},{now},{so_far},{with},{without}", row.users);
    }
    text
}

#[derive(Serialize)]
struct SimulateReport {
    #[serde(flatten)]
    result: world::Outcome,
    rows: Vec<Row>,
}

impl Report for SimulateReport {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let result = &self.result;
        writeln!(out, "users                         {}", result.users)?;
        writeln!(out, "choices rejected              {} of {}", result.rejected, result.choices)?;
        writeln!(out, "  of passwords no one had     {}", result.rejected_unused)?;
        writeln!(out, "most common password, with    {}", counted(result.top_users_with, "user"))?;
        writeln!(out, "most common password, without {}", counted(result.top_users_without, "user"))?;
        writeln!(out, "density at the end            {:.6}", result.density)
    }
}
