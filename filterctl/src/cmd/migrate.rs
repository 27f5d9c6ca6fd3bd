//! `filterctl migrate`: prints the configuration that keeps the settings of `pam_pwquality` and
//! `pam_passwdqc`, as far as possible, and the fate of the others. Nothing is changed.

use std::path::PathBuf;

use nearmiss_cli::{
    exit::Exit,
    failure::{Outcome, warn},
    keys,
};

use crate::{
    flags::system::root,
    host::pam_stack::Stack,
    migrate::{Migration, OtherModule},
    report,
};

const AFTER: &str = "\
Files and lines that are read:
  /etc/security/pwquality.conf.d/*.conf, then pwquality.conf; the files that lines of
  pam_passwdqc name with config=; and the options on the lines of pam_pwquality,
  pam_cracklib and pam_passwdqc in the stack of the service. Later options override
  earlier ones of the same line, as in those modules; a value that the module refuses
  leaves the earlier one. Of several lines, the strictest setting is kept.

A nearmiss.conf(5) is printed on standard output. Its comments give the source of each
setting, the options without a counterpart and the reason, the values that cannot be
parsed, and the steps that remain. It mentions every option that was read.

Exit status:
  0  a configuration was printed
  1  neither module is configured or in the stack
  2  a file cannot be read

Examples:
  filterctl migrate
  filterctl migrate > /etc/security/nearmiss.conf.d/50-migrated.conf
  filterctl migrate --json";

/// Prints the configuration that keeps the settings of pwquality and passwdqc; changes nothing.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    /// Read the files below this folder, which contains etc/, instead of the system's.
    #[arg(long, value_name = "DIR", default_value = "/", value_parser = root())]
    root: PathBuf,
    /// The service whose PAM stack is read.
    #[arg(long, value_name = "NAME", default_value = "passwd")]
    service: String,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// The message if neither module is used.
const NOTHING: &str = "nothing to migrate: there is no pwquality.conf, and no line of pam_pwquality or \
                       pam_passwdqc in the stack";

impl Args {
    /// Prints the configuration.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(crate) fn run(&self) -> Outcome {
        let stack = Stack::of_service(&self.root, &self.service);
        let lines = stack.as_ref().map_or(&[][..], |stack| &stack.lines);
        let checkers = OtherModule::all(&self.root, lines)?;
        if checkers.is_empty() {
            warn(keys::MIGRATE, NOTHING);
            return Ok(Exit::No);
        }
        report::print(&Migration::of(&checkers, &self.root), self.json)?;
        Ok(Exit::Done)
    }
}
