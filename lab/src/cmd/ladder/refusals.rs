//! `filterlab ladder refusals`: how likely is a password rejected that N users have already?

use std::io::{self, Write};

use nearmiss_filters::ladder::refusals;
use serde::Serialize;

use crate::{
    exit::Exit,
    failure::Outcome,
    report::{self, Report},
};
use nearmiss_toolkit::ladder::{numbers::rungs, refusals::Table};

const AFTER: &str = "\
Without --users: for every number of users until it is certain.

Examples:
  filterlab ladder refusals --rungs 16 --threshold 16 --steps 3 --users 4
  filterlab ladder refusals --rungs 16 --threshold 16 --steps 2";

/// Computes how likely a password is rejected that a number of users have recorded.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    /// Rungs of one password.
    #[arg(long, value_name = "H", value_parser = rungs())]
    rungs: u32,
    /// The height from which a password is rejected.
    #[arg(long, value_name = "T", value_parser = rungs())]
    threshold: u32,
    /// Steps taken for one user.
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = rungs())]
    steps: u32,
    /// Users who have the password.
    #[arg(long, value_name = "USERS")]
    users: Option<u32>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Computes and prints.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub(crate) fn run(&self) -> Outcome {
        match self.users {
            Some(users) => report::print(&One { refused: self.refused(users) }, self.json)?,
            None => report::print(&Table::of(self.rungs, self.threshold, self.steps), self.json)?,
        }
        Ok(Exit::Done)
    }

    fn refused(&self, users: u32) -> f64 {
        refusals::refused(self.rungs, self.threshold, self.steps, users)
    }
}

#[derive(Serialize)]
struct One {
    refused: f64,
}

impl Report for One {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "rejected  {:.6e}", self.refused)
    }
}
