//! `filterctl breaches disable`: switches checks against leaked passwords off.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, Outcome},
};
use nearmiss_filters::storage::{Place, with_ending};

use super::{BreachTarget, INSTALLER, SERVICE, TIMER, TIMER_TARGET, systemctl};
use crate::{
    breaches::filter::{CANDIDATE, FETCHED},
    filter_file::provenance,
    host::{syslog, systemd},
};

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
    /// A file cannot be removed, or systemd cannot stop the units; the configuration is removed even then.
    pub(super) fn run(&self) -> Outcome {
        let places = self.target.places()?;
        // The configuration first: it must not name a filter that was removed, nor one that stays for ever
        // because systemd does not answer.
        remove([&places.drop_in, &places.options])?;
        let stopped = if self.target.is_running() && places.timer.exists() {
            stop()
        } else {
            systemd::disable(&self.target.root, TIMER_TARGET, TIMER)
                .map_err(|error| Failure::new("cannot disable the timer", error))
        };
        // A root's step that ran meanwhile may have written it again.
        remove([&places.drop_in])?;
        if self.remove {
            let kept = provenance::previous(&places.filter);
            let names = ["", ".ranges", ".run"].map(|end| format!("{FETCHED}{end}"));
            let unfinished = ["", ".ranges", ".kept"].map(|end| format!(".{FETCHED}.part{end}"));
            let fetched = names.iter().chain(&unfinished).map(|name| places.fetched.join(name));
            let fetched: Vec<PathBuf> = fetched.collect();
            let candidate = with_ending(&places.filter, CANDIDATE);
            remove([&places.state, &places.filter, &kept, &candidate].into_iter().chain(&fetched))?;
        }
        syslog::changed("leaked passwords are switched off");
        let left = if self.remove { "" } else { "; the fetched files stay, and --remove removes them" };
        writeln!(io::stdout(), "switched off{left}").map_err(Failure::output)?;
        stopped.map(|()| Exit::Done)
    }
}

/// Stops the units, the timer first: it must not start again what is stopped after it.
fn stop() -> Result<(), Failure> {
    let timer = systemctl(&["disable", "--now", TIMER]);
    let services = systemctl(&["stop", SERVICE, INSTALLER]);
    if let (Err(first), Err(_)) = (&timer, &services) {
        first.report();
    }
    services.and(timer)
}

fn remove<'f>(files: impl IntoIterator<Item = &'f PathBuf>) -> Result<(), Failure> {
    for file in files {
        match Place::of(file).and_then(|place| place.remove()) {
            Err(e) if !e.is_missing() => return Err(Failure::new("cannot switch off", e)),
            _ => {}
        }
    }
    Ok(())
}
