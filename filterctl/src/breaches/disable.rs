//! `filterctl breaches disable`: switches checks against leaked passwords off.

use std::io::{self, Write};

use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, Outcome},
};
use nearmiss_filters::storage::Place;

use super::{BreachTarget, SERVICE, TIMER};
use crate::{breaches::filter::FETCHED, filter_file::provenance, host::syslog};

const AFTER: &str = "\
Exit status:
  0  the checks are switched off
  2  error

Examples:
  filterctl breaches disable
  filterctl breaches disable --remove";

/// Switches checks against leaked passwords off: nothing more is fetched, and no password is checked.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(super) struct Args {
    /// Also remove the fetched files; without this, a later enable reuses them.
    #[arg(long)]
    remove: bool,
    #[command(flatten)]
    target: BreachTarget,
}

impl Args {
    /// Switches the checks off.
    ///
    /// # Errors
    /// A file cannot be removed, or systemd cannot stop the units.
    pub(super) fn run(&self) -> Outcome {
        let places = self.target.places();
        if places.timer.exists() {
            self.target.systemctl(&["disable", "--now", TIMER])?;
            self.target.systemctl(&["stop", SERVICE])?;
        }
        // The configuration first: it must not name a filter that was removed.
        let mut files = vec![places.drop_in.clone(), places.options.clone()];
        if self.remove {
            let kept = provenance::previous(&places.filter);
            files.extend([places.state.clone(), places.filter.clone(), kept]);
            let names = ["", ".ranges", ".run"].map(|end| format!("{FETCHED}{end}"));
            let unfinished = ["", ".ranges", ".kept"].map(|end| format!(".{FETCHED}.part{end}"));
            files.extend(names.iter().chain(&unfinished).map(|name| places.fetched.join(name)));
        }
        for file in &files {
            match Place::of(file).and_then(|place| place.remove()) {
                Err(e) if !e.is_missing() => return Err(Failure::new("cannot switch off", e)),
                _ => {}
            }
        }
        syslog::changed("leaked passwords are switched off");
        let left = if self.remove { "" } else { "; the fetched files stay, and --remove removes them" };
        writeln!(io::stdout(), "switched off{left}").map_err(Failure::output)?;
        Ok(Exit::Done)
    }
}
