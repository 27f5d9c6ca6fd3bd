//! `filterlab ladder step-cost`: the reads and writes of a step, in memory and in a file (the paper's Table
//! I).

use std::{
    io::{self, Write},
    path::PathBuf,
};

use nearmiss_cli::ladder::numbers::{bits, rungs};
use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, Outcome},
    keys,
    report::{self, Report},
};
use nearmiss_filters::{
    ladder::{LadderFiles, MemoryBits, NewLadder, Params, SeededRandom, create, open_array},
    storage::{self, make_folders},
};
use serde::Serialize;

use crate::trial::cost::{Cost, Form, Place, measure};

const AFTER: &str = "\
Reads do not include the password's own rungs; a write may leave its bit unchanged. Pages are
the pages of 4 KiB that a step accesses. The exact form is the one of the paper's section II,
for one caller; files have the probable form of section VII.

The paper claims for the exact form: 2 more reads expected, 2 + N/2 at worst, and 2 writes. The
worst case does not follow: random draws with replacement have no bound.

Examples:
  filterlab ladder step-cost
  filterlab ladder step-cost --bits 2^24 --folder /var/tmp/ladder --json";

/// Counts the reads and writes of a step, in memory and in a file.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    /// Bits of the array, also written as 2^24.
    #[arg(long, value_name = "N", default_value = "2^22", value_parser = bits)]
    bits: u64,
    /// Rungs of one password.
    #[arg(long, value_name = "H", default_value_t = 48, value_parser = rungs())]
    rungs: u32,
    /// Steps that are measured, of each kind.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    steps: u64,
    /// Also measure a ladder in a file, which is created in this folder and removed afterwards: the folder
    /// and its parents must belong to root or to the caller.
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Start of the random sequence.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct StepCostReport {
    bits: u64,
    rungs: u32,
    steps: u64,
    costs: Vec<CostRow>,
}

/// A line of the table.
#[derive(Serialize)]
struct CostRow {
    store: &'static str,
    form: Form,
    place: Place,
    #[serde(flatten)]
    cost: Cost,
}

impl Args {
    /// Counts and prints.
    ///
    /// # Errors
    /// There is no such ladder, or it cannot be made in the folder.
    pub(crate) fn run(&self) -> Outcome {
        let params = Params::new(self.bits, self.rungs, self.rungs, 1)
            .map_err(|e| Failure::new("cannot make a ladder with these parameters", e))?;
        let unusable = |e: io::Error| Failure::new("cannot measure", e);
        let mut costs = Vec::new();
        let mut random = SeededRandom::new(self.seed);
        for (form, place) in KINDS {
            let bits = match form {
                Form::Exact => MemoryBits::balanced(self.bits, &mut random),
                Form::Probable => MemoryBits::random(self.bits, &mut random),
            };
            let cost = measure(params, bits.map_err(unusable)?, form, place, self.steps, &mut random);
            costs.push(CostRow { store: "memory", form, place, cost: cost.map_err(unusable)? });
        }
        if let Some(folder) = &self.folder {
            costs.extend(self.in_file(folder, params, &mut random)?);
        }
        report::print(
            &StepCostReport { bits: self.bits, rungs: self.rungs, steps: self.steps, costs },
            self.json,
        )?;
        Ok(Exit::Done)
    }

    /// The rows of a ladder in a file: it has the probable form.
    fn in_file(
        &self,
        folder: &std::path::Path,
        params: Params,
        random: &mut SeededRandom,
    ) -> Result<Vec<CostRow>, Failure> {
        let unusable = |e: &dyn std::error::Error| {
            Failure::plain(keys::SYSTEM_ERROR, format!("cannot measure a file: {e}"))
        };
        let folder = make_folders(folder, 0o777).map_err(|e| unusable(&e))?;
        let file = |name: &str| folder.join(format!("step-cost-{}.{name}", std::process::id()));
        let files = LadderFiles { file: file("ladder"), key: file("key") };
        let measured = || {
            create(&files, &NewLadder { params, cost: None, stamps: 0 }, false).map_err(|e| unusable(&e))?;
            let mut rows = Vec::new();
            for (form, place) in KINDS.into_iter().filter(|(form, _)| *form == Form::Probable) {
                let opened = open_array(&files.file).map_err(|e| unusable(&e))?;
                let Some((_, bits)) = opened else {
                    return Err(Failure::plain(
                        keys::LADDER_MISSING,
                        format!("{}: is gone", files.file.display()),
                    ));
                };
                let cost =
                    measure(params, bits, form, place, self.steps, random).map_err(|e| unusable(&e))?;
                rows.push(CostRow { store: "file", form, place, cost });
            }
            Ok(rows)
        };
        let rows = std::iter::once_with(measured).next();
        for path in [&files.file, &files.key] {
            // If it was not created there is nothing to remove.
            let _ = storage::Place::of(path).and_then(|place| place.remove());
        }
        rows.unwrap_or_else(|| Ok(Vec::new()))
    }
}

const KINDS: [(Form, Place); 4] = [
    (Form::Exact, Place::Below),
    (Form::Exact, Place::Top),
    (Form::Probable, Place::Below),
    (Form::Probable, Place::Top),
];

impl Report for StepCostReport {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{} bits, {} rungs, {} steps of each kind", self.bits, self.rungs, self.steps)?;
        writeln!(out, "store   form      password       reads   most  writes  changes  pages  ns/step")?;
        for CostRow { store, form, place, cost } in &self.costs {
            writeln!(
                out,
                "{store:<6}  {:<8}  {:<13} {:>6.3}  {:>5}  {:>6.3}  {:>7.3}  {:>5.2}  {:>7.0}",
                form.name(),
                place.name(),
                cost.further_reads,
                cost.most_further_reads,
                cost.writes,
                cost.changes,
                cost.pages,
                cost.nanoseconds
            )?;
        }
        Ok(())
    }
}
