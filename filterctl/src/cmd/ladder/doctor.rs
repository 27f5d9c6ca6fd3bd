//! `filterctl ladder doctor`: is the ladder of this system safe and in balance, and who may read the filters?
//!
//! `filters` looks at the configured dictionary filters; `files` at the ladder's permissions, places and
//! copies, `disk` at the file system under it, `slow_hash` at what a guess costs and `login_hash` at what it
//! costs with a stolen shadow file, `balance` at the bits.

mod balance;
mod disk;
mod files;
pub(in crate::cmd) mod filters;
mod login_hash;
mod slow_hash;

use std::io::{self, Write};

use nearmiss_filters::ladder::{ChosenLadder, LadderFiles};
use serde::Serialize;

use super::place::{NEVER_MADE, Place};
use crate::{
    exit::Exit,
    failure::{Outcome, printable},
    report::{self, Report},
};

const AFTER: &str = "\
Exit status:
  0  nothing is wrong; there may be warnings
  1  something is wrong
  2  the configuration cannot be read

Examples:
  filterctl ladder doctor
  filterctl ladder doctor --json";

/// Examines the ladder (permissions, key, copies and snapshots, slow hash, the balance of its bits) and who
/// may read the configured filters.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    #[command(flatten)]
    place: Place,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Examines and prints what was found.
    ///
    /// # Errors
    /// The configuration cannot be read.
    pub(crate) fn run(&self) -> Outcome {
        let (files, config) = (self.place.files()?, self.place.config()?);
        let mut findings = config.as_ref().map_or_else(Vec::new, filters::examine);
        findings.extend(examine(&files));
        let told = Told { file: printable(&files.file.display().to_string()), findings };
        report::print(&told, self.json)?;
        let is_wrong = told.findings.iter().any(|finding| finding.state == State::Wrong);
        Ok(if is_wrong { Exit::No } else { Exit::Done })
    }
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::cmd) enum State {
    /// As it should be.
    Fine,
    /// To be thought about.
    Warning,
    /// To be mended.
    Wrong,
}

/// What one check found.
#[derive(Debug, Serialize)]
pub(in crate::cmd) struct Finding {
    pub(in crate::cmd) check: &'static str,
    pub(in crate::cmd) state: State,
    /// What was found, and what to do about it.
    pub(in crate::cmd) told: String,
}

impl Finding {
    pub(in crate::cmd) fn new(check: &'static str, state: State, told: impl Into<String>) -> Finding {
        Finding { check, state, told: told.into() }
    }

    pub(in crate::cmd) fn fine(check: &'static str, told: impl Into<String>) -> Finding {
        Finding::new(check, State::Fine, told)
    }

    pub(in crate::cmd) fn wrong(check: &'static str, told: impl Into<String>) -> Finding {
        Finding::new(check, State::Wrong, told)
    }
}

/// Every check that can be made: without the files themselves, those of the ladder fall away.
pub(in crate::cmd) fn examine(files: &LadderFiles) -> Vec<Finding> {
    let ladder = match ChosenLadder::open(files) {
        Ok(Some(ladder)) => ladder,
        Ok(None) => return vec![Finding::wrong("open", NEVER_MADE)],
        Err(error) => {
            let mut findings = vec![Finding::wrong("open", error.to_string())];
            findings.extend(files::examine(files));
            return findings;
        }
    };
    let mut findings = vec![Finding::fine("open", "the module can use ladder and key")];
    findings.extend(files::examine(files));
    findings.extend(disk::examine(files));
    findings.push(slow_hash::examine(ladder.header().cost));
    findings.extend(balance::examine(&ladder));
    findings
}

#[derive(Serialize)]
struct Told {
    file: String,
    findings: Vec<Finding>,
}

impl Report for Told {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", self.file)?;
        for Finding { check, state, told } in &self.findings {
            let mark = match state {
                State::Fine => "ok",
                State::Warning => "WARNING",
                State::Wrong => "WRONG",
            };
            writeln!(out, "  {mark:<8} {check:<12} {}", printable(told))?;
        }
        Ok(())
    }
}
