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
    path::{Path, PathBuf},
    process::{Command as Process, Stdio},
};

use nearmiss_cli::{commands, failure::Failure, keys};

use crate::{breaches::filter::Places, flags::system::root, host::systemd};

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
    fn places(&self) -> Places {
        Places::below(&self.root)
    }

    /// Runs systemctl with these arguments; false if this system does not run systemd.
    ///
    /// # Errors
    /// systemctl cannot be run, or fails.
    fn systemctl(&self, arguments: &[&str]) -> Result<bool, Failure> {
        if self.root != Path::new("/") || !systemd::runs(&self.root) {
            return Ok(false);
        }
        let status = Process::new("/usr/bin/systemctl").args(arguments).stdin(Stdio::null()).status();
        let act = || format!("systemctl {}", arguments.join(" "));
        match status.map_err(|e| Failure::new(act(), e))? {
            status if status.success() => Ok(true),
            status => Err(Failure::plain(keys::SYSTEMCTL, format!("{}: {status}", act()))),
        }
    }
}

/// The units of the package.
const TIMER: &str = "nearmiss-fetch.timer";
const SERVICE: &str = "nearmiss-fetch.service";
const INSTALLER: &str = "nearmiss-breaches.service";
