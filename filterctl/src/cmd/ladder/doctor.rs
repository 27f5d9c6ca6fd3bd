//! `filterctl ladder doctor`: is the ladder of this system safe and in balance, and who may read the filters?
//!
//! `filters` looks at the configured dictionary filters; `files` at the ladder's permissions, places and
//! copies, `disk` at the file system under it, `slow_hash` at what a guess costs and `login_hash` at what it
//! costs with a stolen shadow file, `balance` at the bits. For the ladder of guessed passwords, `seen` looks
//! at what failed logins leave in `/run` and `stacks` at the PAM lines that feed it.

mod balance;
mod disk;
mod files;
pub(in crate::cmd) mod filters;
mod login_hash;
mod seen;
mod slow_hash;
mod stacks;

use std::io::{self, Write};

use nearmiss_filters::{
    config::SEEN_FAILURES,
    ladder::{ChosenLadder, GuessLadder, LadderError, LadderFiles},
};
use serde::Serialize;

use super::place::Place;
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
  filterctl ladder doctor --guessed
  filterctl ladder doctor --json";

/// Examines the ladder (permissions, key, copies and snapshots, slow hash, the balance of its bits) and who
/// may read the configured filters.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    #[command(flatten)]
    place: Place,
}

impl Args {
    /// Examines and prints what was found.
    ///
    /// # Errors
    /// The configuration cannot be read.
    pub(crate) fn run(&self) -> Outcome {
        let (files, config) = (self.place.files()?, self.place.config()?);
        let mut findings = config.as_ref().map_or_else(Vec::new, filters::examine);
        findings.extend(if self.place.is_guessed() { examine_guessed(&files) } else { examine(&files) });
        let told = Told { file: printable(&files.file.display().to_string()), findings };
        report::print(&told, self.place.json)?;
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

    /// Writes it as a line behind `indent`.
    pub(in crate::cmd) fn write_text(&self, indent: &str, out: &mut dyn Write) -> io::Result<()> {
        let mark = match self.state {
            State::Fine => "ok",
            State::Warning => "WARNING",
            State::Wrong => "WRONG",
        };
        let head = format!("{indent}{mark:<8} {:<12} ", self.check);
        report::write_line(&format!("{head}{}", printable(&self.told)), head.len(), out)
    }
}

/// Every check of the ladder of chosen passwords that can be made: without the files themselves, those of the
/// ladder fall away.
pub(in crate::cmd) fn examine(files: &LadderFiles) -> Vec<Finding> {
    let (ladder, mut findings) = opened(ChosenLadder::open(files), files, "filterctl ladder init");
    if let Some(ladder) = ladder {
        findings.push(slow_hash::examine(ladder.header().cost));
        findings.extend(balance::examine(ladder.ladder().bits()));
        findings.push(balance::stamps(&ladder));
    }
    findings
}

/// The same of the ladder of guessed passwords, and of what feeds it.
fn examine_guessed(files: &LadderFiles) -> Vec<Finding> {
    let (ladder, mut findings) = opened(GuessLadder::open(files), files, "filterctl ladder init --guessed");
    if let Some(ladder) = ladder {
        findings.extend(balance::examine(ladder.opened().ladder().bits()));
        findings.extend(seen::examine(SEEN_FAILURES.as_ref()));
        findings.extend(stacks::examine());
    }
    findings
}

/// The ladder, if it can be used, and what was found of its files.
fn opened<L>(
    opened: Result<Option<L>, LadderError>,
    files: &LadderFiles,
    init: &str,
) -> (Option<L>, Vec<Finding>) {
    let (ladder, first) = match opened {
        Ok(Some(ladder)) => (Some(ladder), Finding::fine("open", "the module can use ladder and key")),
        Ok(None) => {
            return (None, vec![Finding::wrong("open", format!("there is no ladder; make one with {init}"))]);
        }
        Err(error) => (None, Finding::wrong("open", error.to_string())),
    };
    let mut findings = vec![first];
    findings.extend(files::examine(files));
    if ladder.is_some() {
        findings.extend(disk::examine(files));
    }
    (ladder, findings)
}

#[derive(Serialize)]
struct Told {
    file: String,
    findings: Vec<Finding>,
}

impl Report for Told {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", self.file)?;
        self.findings.iter().try_for_each(|finding| finding.write_text("  ", out))
    }
}
