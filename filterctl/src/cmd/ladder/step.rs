//! `filterctl ladder step`: takes steps, to prime or to test a ladder.

use std::io::{self, Write};

use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, Outcome},
};
use nearmiss_filters::ladder::{BufferedRandom, MAX_RUNGS, OpenLadder};
use serde::Serialize;

use super::place::LadderPlace;
use crate::{
    candidates::reader::Candidates,
    host::syslog,
    report::{self, Report, counted},
};

const AFTER: &str = "\
Priming: a password that takes as many steps as there are rungs is rejected from the first user on;
use this for passwords of a public list. Each password costs a slow hash. A line $HEX[...] stands
for its bytes.

Exit status:
  0  the steps are taken
  2  error

Examples:
  head -1000 common-passwords | filterctl ladder step --steps 16";

/// Takes steps for the passwords on standard input, one per line.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    #[command(flatten)]
    place: LadderPlace,
    /// Steps for each password, instead of the steps of one choice.
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_RUNGS)))]
    steps: Option<u32>,
}

impl Args {
    /// Reads passwords and takes their steps.
    ///
    /// # Errors
    /// The ladder or standard input cannot be used; earlier steps remain.
    pub(crate) fn run(&self) -> Outcome {
        let ladder = self.place.open_to_write()?;
        let steps = self.steps.unwrap_or(ladder.header().params.steps());
        let mut random = BufferedRandom::default();
        let passwords =
            Candidates::open()?.for_each_countable(|password| take(&ladder, password, steps, &mut random))?;
        let told = StepReport { passwords, steps: passwords.saturating_mul(steps.into()) };
        syslog::changed(&format!(
            "took {} for {} in the ladder",
            counted(told.steps, "step"),
            counted(told.passwords, "password")
        ));
        report::print(&told, self.place.json)?;
        Ok(Exit::Done)
    }
}

fn take(
    ladder: &OpenLadder,
    password: &[u8],
    steps: u32,
    random: &mut BufferedRandom,
) -> Result<(), Failure> {
    let taken = ladder.element(password).and_then(|element| ladder.step(&element, steps, random));
    taken.map(drop).map_err(|e| Failure::new("cannot step", e))
}

#[derive(Serialize)]
struct StepReport {
    passwords: u64,
    steps: u64,
}

impl Report for StepReport {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}, {}", counted(self.passwords, "password"), counted(self.steps, "step"))
    }
}
