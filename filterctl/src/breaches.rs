//! `filterctl breaches`: switches checks against leaked passwords on and off and shows their state, and, as
//! root, installs the filter that nearmiss-fetch built.

mod disable;
mod enable;
pub(crate) mod expected;
pub(crate) mod filter;
pub(crate) mod finding;
mod install;
pub(crate) mod metrics;
mod status;
mod url;

use std::{
    io,
    path::{Path, PathBuf},
    process::{Command as Process, Stdio},
};

use nearmiss_cli::{commands, failure::Failure, keys};

use crate::{
    breaches::filter::Places,
    filter_file::{header::header_at, provenance},
    flags::system::root,
    host::{shell::on_files, systemd},
};

const AFTER: &str = "\
Examples:
  filterctl breaches enable --min-count 10
  filterctl breaches status
  filterctl breaches disable";

commands! {
    /// Switches checks against leaked passwords on and off, and shows their state.
    #[command(after_long_help = AFTER, subcommand_required = true)]
    struct Args with Command {
        Enable(enable::Args),
        Disable(disable::Args),
        Status(status::Args),
        Install(install::Args),
    }
}

/// The system that is meant.
#[derive(clap::Args)]
struct BreachTarget {
    /// Change the files below this folder instead of the system's, and start no unit.
    #[arg(long, value_name = "DIR", default_value = "/", value_parser = root())]
    root: PathBuf,
}

impl BreachTarget {
    /// Its files.
    ///
    /// # Errors
    /// A symbolic link of an image leads out of it: nothing of the running system is meant.
    fn places(&self) -> Result<Places, Failure> {
        let places = Places::below(&self.root);
        match places.see_that_they_stay() {
            Ok(()) => Ok(places),
            Err(error) => Err(Failure::new("nothing was changed", error)),
        }
    }

    /// True if the system that is meant is this one, and systemd runs it.
    fn is_running(&self) -> bool {
        self.root == Path::new("/") && systemd::runs(&self.root)
    }
}

/// The command that brings this filter back, if it is that of leaked passwords that are switched on, and is
/// missing; or damaged, where nothing of it was kept.
pub(crate) fn remedy(root: &Path, filter: &Path) -> Option<String> {
    let places = Places::below(root);
    if filter != places.filter || !places.is_on().unwrap_or(false) {
        return None;
    }
    if !filter.exists() {
        return Some(places.restore());
    }
    let is_kept = provenance::previous(filter).exists();
    let is_lost = !is_kept && places.is_fetched() && header_at(filter).is_none();
    is_lost.then(|| format!("{} && {}", on_files("rm", [filter]), places.restore()))
}

/// Runs systemctl with these arguments.
///
/// # Errors
/// systemctl cannot be run, or fails.
fn systemctl(arguments: &[&str]) -> Result<(), Failure> {
    let status = Process::new("/usr/bin/systemctl").args(arguments).stdin(Stdio::null()).status();
    let act = || format!("systemctl {}", arguments.join(" "));
    match status.map_err(|e| Failure::new(act(), e))? {
        status if status.success() => Ok(()),
        status => Err(Failure::plain(keys::SYSTEMCTL, format!("{}: {status}", act()))),
    }
}

/// The failure of a user who may not see whether leaked passwords are switched on.
fn unknown(error: io::Error) -> Failure {
    Failure::new("cannot see whether leaked passwords are switched on", error)
}

/// The units of the package, and what starts the timer with the system.
const TIMER_TARGET: &str = "timers.target";
const TIMER: &str = "nearmiss-fetch.timer";
const SERVICE: &str = "nearmiss-fetch.service";
const INSTALLER: &str = "nearmiss-breaches.service";
