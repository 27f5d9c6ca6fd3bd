//! `filterctl breaches status`: the switch, the age of the corpus, and the result of the last run.

use std::{
    io::{self, Write},
    path::Path,
};

use nearmiss_cli::{
    clock::{ago_with_reason, now},
    exit::Exit,
    failure::{Failure, Outcome},
};
use nearmiss_policy::config::DEFAULT_PATH;
use serde::Serialize;

use super::{BreachTarget, unknown};
use crate::{
    breaches::filter::{BreachState, MAX_AGE_DAYS},
    filter_file::header::header_at,
    host::settings_file::SettingsFile,
    report::{self, Report, counted},
};

const AFTER: &str = "\
Exit status:
  0  the checks are off, or on with a list that is at most 45 days old
  1  the checks are on, but no list was fetched yet, or it is older than 45 days or from the
     future, or the settings do not use it; or they are off, but the settings still use a
     list
  2  the state cannot be read

Examples:
  filterctl breaches status
  filterctl breaches status --json";

/// Shows whether checks against leaked passwords are on, the age of the list, and the result of the last run.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
#[command(mut_arg("root", |root| root.help("Read the files below this folder instead of the system's")))]
pub(super) struct Args {
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    target: BreachTarget,
}

#[derive(Serialize)]
struct BreachStatus {
    enabled: bool,
    /// Whether the settings name the filter, so that passwords are checked against it; not known if they
    /// cannot be read.
    used: Option<bool>,
    /// Digests of the filter that passwords are checked against.
    digests: Option<u64>,
    /// Days since a run ended well; negative if that is in the future.
    age_days: Option<i64>,
    /// The end of the last run.
    ended: Option<u64>,
    /// The reason why it failed.
    failed: Option<String>,
}

impl Args {
    /// Shows the state.
    ///
    /// # Errors
    /// The state cannot be read, or standard output not written.
    pub(super) fn run(&self) -> Outcome {
        let places = self.target.places()?;
        let state = BreachState::read(&places).map_err(|e| Failure::new("cannot read the state", e))?;
        let status = BreachStatus {
            enabled: places.is_on().map_err(unknown)?,
            used: self.settings().read().ok().map(|config| places.are_checked_by(&config)),
            digests: header_at(&places.filter).map(|header| header.words),
            age_days: state.as_ref().and_then(|state| state.age_days(now())),
            ended: state.as_ref().map(|state| state.ended),
            failed: state.and_then(|state| state.failed),
        };
        report::print(&status, self.json)?;
        let is_fresh = status.digests.is_some()
            && status.age_days.is_some_and(|days| (0..=MAX_AGE_DAYS).contains(&days));
        let is_used = status.used.unwrap_or(false);
        let is_well = if status.enabled { is_fresh && is_used } else { !is_used };
        Ok(if is_well { Exit::Done } else { Exit::No })
    }

    fn settings(&self) -> SettingsFile {
        SettingsFile::below(&self.target.root, Path::new(DEFAULT_PATH))
    }
}

impl Report for BreachStatus {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "leaked passwords: {}", if self.enabled { "on" } else { "off" })?;
        match (self.digests, self.age_days) {
            (Some(digests), Some(days)) => {
                writeln!(out, "filter: {}, fetched {}", counted(digests, "digest"), ago_with_reason(days))?;
            }
            (Some(digests), None) => writeln!(out, "filter: {}", counted(digests, "digest"))?,
            (None, _) => writeln!(out, "filter: none yet")?,
        }
        match (&self.failed, self.ended) {
            (Some(reason), _) => writeln!(out, "last run: failed: {reason}")?,
            (None, Some(_)) => writeln!(out, "last run: succeeded")?,
            (None, None) => {}
        }
        match (self.enabled, self.digests, self.used) {
            (true, Some(_), Some(false)) => {
                writeln!(out, "not used: the settings do not name the filter: filterctl breaches install")
            }
            (false, _, Some(true)) => {
                writeln!(out, "still used: the settings name the filter: filterctl breaches disable")
            }
            (_, _, None) => writeln!(out, "not known whether it is used: the settings cannot be read"),
            _ => Ok(()),
        }
    }
}
